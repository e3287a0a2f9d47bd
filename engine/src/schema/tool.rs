//! The names of a tool, as rules match them.

use crate::base::Glob;

/// No tool has a longer name. Without a limit, a stream with one long name took the square of its size.
pub(crate) const MOST_NAME: usize = 512;

/// Whether something is so. If that is unclear, it is `Maybe`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Truth {
    No,
    Maybe,
    Yes,
}

impl Truth {
    /// Whether a pattern matches something unknown.
    pub(crate) fn of_unknown(pattern: &Glob) -> Self {
        Self::from(pattern.is_any()).max(Self::Maybe)
    }
}

impl From<bool> for Truth {
    fn from(is_true: bool) -> Self {
        if is_true { Self::Yes } else { Self::No }
    }
}

/// A tool that was called.
///
/// A call may name it in two parts, such as the server `mcp__fetch__` and the tool `get`. Then rules see the joined name
/// in each way in which formats write it. The second part alone may be the name of another tool, so its
/// matches are uncertain.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Tool {
    full: Vec<String>,
    /// The second part, and the words of the name: ` mcp fetch get `.
    partial: Vec<String>,
    /// It may be any tool.
    is_unknown: bool,
}

impl Tool {
    /// A tool whose name is not in parts.
    pub(crate) fn named(name: &str) -> Self {
        Self::of("", name)
    }

    /// A tool of a server or namespace, unless that is empty.
    pub(crate) fn of(space: &str, name: &str) -> Self {
        if space.len() + name.len() > MOST_NAME {
            return Self {
                is_unknown: true,
                ..Self::default()
            };
        }
        let trimmed = space.trim_matches(['_', '.', '/', ':', '-']);
        if trimmed.is_empty() {
            return Self {
                full: vec![name.to_owned()],
                partial: vec![words(name)],
                is_unknown: false,
            };
        }
        let joined = format!("{trimmed}__{name}");
        Self {
            partial: vec![name.to_owned(), words(&joined)],
            full: vec![
                format!("{space}{name}"),
                format!("{trimmed}.{name}"),
                format!("mcp__{joined}"),
                joined,
            ],
            is_unknown: false,
        }
    }

    /// The same tool, which may have another name instead.
    pub(crate) fn or_maybe(mut self, name: &str) -> Self {
        self.partial.append(&mut self.full);
        self.partial.extend([name.to_owned(), words(name)]);
        self
    }

    #[cfg(test)]
    pub(crate) fn shown(&self) -> String {
        self.full.last().cloned().unwrap_or_default()
    }

    /// Whether a pattern is for this tool.
    pub(crate) fn is(&self, pattern: &Glob) -> Truth {
        if self.is_unknown {
            return Truth::of_unknown(pattern);
        }
        let any = |names: &[String]| names.iter().any(|name| pattern.matches(name));
        if any(&self.full) {
            Truth::Yes
        } else if any(&self.partial) {
            Truth::Maybe
        } else {
            Truth::No
        }
    }
}

/// The words of a name in any spelling, each between spaces: `sendMessage`, `send_message` and `send.message` are
/// ` send message `.
fn words(name: &str) -> String {
    let mut words = String::from(" ");
    let mut before = ' ';
    let mut letters = name.chars().peekable();
    while let Some(letter) = letters.next() {
        let is_next_small = letters.peek().is_some_and(|next| next.is_lowercase());
        let begins = letter.is_uppercase() && (!before.is_uppercase() || is_next_small)
            || letter.is_numeric() != before.is_numeric();
        if (begins || !letter.is_alphanumeric()) && !words.ends_with(' ') {
            words.push(' ');
        }
        if letter.is_alphanumeric() {
            words.extend(letter.to_lowercase());
        }
        before = letter;
    }
    if !words.ends_with(' ') {
        words.push(' ');
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tool_name_words_match_in_every_spelling() {
        for (name, expected) in [
            ("send_message", " send message "),
            ("sendMessage", " send message "),
            ("SendMessage", " send message "),
            ("mcp__chat.send-message", " mcp chat send message "),
            ("getHTTPPage", " get http page "),
            ("s3_put", " s 3 put "),
            ("send", " send "),
            ("", " "),
        ] {
            assert_eq!(words(name), expected, "{name}");
        }
    }

    #[test]
    fn an_overlong_tool_name_may_match_any_tool() {
        let tool = Tool::of("fetch", &"get".repeat(MOST_NAME)).or_maybe("read");
        assert_eq!(tool.is(&Glob::new("send")), Truth::Maybe);
        assert_eq!(tool.is(&Glob::new("*")), Truth::Yes);
        assert_eq!(Tool::named("get").is(&Glob::new("send")), Truth::No);
    }

    /// A rule for `mcp__fetch__*` did not match a call with the namespace `mcp__fetch__` and the name `get`.
    #[test]
    fn a_tool_name_matches_together_with_its_namespace() {
        for space in ["mcp__fetch__", "mcp__fetch", "fetch"] {
            let tool = Tool::of(space, "get");
            for pattern in ["mcp__fetch__*", "mcp__fetch__get", "*fetch*"] {
                assert_eq!(
                    tool.is(&Glob::new(pattern)),
                    Truth::Yes,
                    "{space} {pattern}"
                );
            }
            assert_eq!(tool.is(&Glob::new("get")), Truth::Maybe, "{space}");
            assert_eq!(tool.is(&Glob::new("mcp__db__*")), Truth::No, "{space}");
        }
        assert_eq!(
            Tool::of("fetch", "get").is(&Glob::new("fetch.get")),
            Truth::Yes
        );
        assert_eq!(Tool::named("get").is(&Glob::new("get")), Truth::Yes);
        assert_eq!(Tool::of("__", "get").is(&Glob::new("get")), Truth::Yes);
    }
}
