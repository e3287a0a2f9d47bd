//! Names with `*`, as used in rules.

/// A name in which `*` matches any characters. Case does not matter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glob(Box<str>);

impl Glob {
    /// The name as it is written.
    #[must_use]
    pub fn new(pattern: &str) -> Self {
        Self(pattern.into())
    }

    /// Whether every name matches.
    #[must_use]
    pub fn is_any(&self) -> bool {
        !self.0.is_empty() && self.0.bytes().all(|byte| byte == b'*')
    }

    /// Whether a name matches.
    #[must_use]
    pub fn matches(&self, name: &str) -> bool {
        matches(self.0.as_bytes(), name.as_bytes())
    }

    /// Whether every name that matches another pattern surely matches this one.
    #[must_use]
    pub fn covers(&self, other: &Self) -> bool {
        // Only a `*` of this one stands for a `*` of the other.
        self.matches(&other.0)
    }

    /// Whether some name that begins with `start` and ends with the step `last` may match, whatever is between.
    pub(crate) fn may_end(&self, start: &str, last: &str) -> bool {
        let pattern = &*self.0;
        let (above, own) = pattern.rsplit_once('.').unwrap_or(("", pattern));
        let fixed = above.split('*').next().unwrap_or_default();
        let length = fixed.len().min(start.len());
        let begins_alike = || {
            let (fixed, start) = (fixed.as_bytes(), start.as_bytes());
            fixed
                .get(..length)
                .zip(start.get(..length))
                .is_some_and(|(fixed, start)| fixed.eq_ignore_ascii_case(start))
        };
        let is_at_top = above.is_empty() && !own.starts_with('*');
        !is_at_top && begins_alike() && matches(own.as_bytes(), last.as_bytes())
    }

    /// The pattern.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The time grows at most with the product of both lengths: only the last `*` is retried.
fn matches(pattern: &[u8], name: &[u8]) -> bool {
    let (mut at, mut read) = (0, 0);
    let mut again: Option<(usize, usize)> = None;
    while let Some(byte) = name.get(read) {
        match pattern.get(at) {
            Some(b'*') => {
                again = Some((at + 1, read));
                at += 1;
            }
            Some(wanted) if wanted.eq_ignore_ascii_case(byte) => (at, read) = (at + 1, read + 1),
            _ => {
                let Some((after, from)) = again else {
                    return false;
                };
                again = Some((after, from + 1));
                (at, read) = (after, from + 1);
            }
        }
    }
    let rest = pattern.get(at..).unwrap_or_default();
    rest.iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_matches_any_characters() {
        for (pattern, name, expected) in [
            ("fetch", "Fetch", true),
            ("Fetch", "fetch", true),
            ("fetch", "fetches", false),
            ("*fetch*", "mcp__web__Fetch_url", true),
            ("a*b*c", "abbbxc", true),
            ("a*b*c", "abbbx", false),
            ("*", "", true),
            ("", "", true),
            ("", "a", false),
            ("*a", "aab", false),
        ] {
            assert_eq!(
                Glob::new(pattern).matches(name),
                expected,
                "{pattern} {name}"
            );
        }
    }

    #[test]
    fn a_pattern_covers_narrower_patterns() {
        for (own, other, expected) in [
            ("gpt*", "gpt-*", true),
            ("gpt-*", "gpt*", false),
            ("*a*", "xa", true),
            ("a*b", "a*c*b", true),
            ("a*b", "a*", false),
            ("*", "**", true),
            ("a", "a", true),
        ] {
            assert_eq!(
                Glob::new(own).covers(&Glob::new(other)),
                expected,
                "{own} {other}"
            );
        }
    }

    #[test]
    fn many_stars_match_quickly() {
        let (pattern, name) = ("*a".repeat(500) + "b", "a".repeat(5000));
        assert!(!Glob::new(&pattern).matches(&name));
    }
}
