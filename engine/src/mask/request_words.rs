//! The words of a request, so that no surrogate equals one of them.

/// Longer words are in no surrogate.
const LONGEST: usize = 40;

/// The words of texts, as hashes: a word more is one surrogate less.
#[derive(Debug, Default)]
pub(super) struct RequestWords {
    hashes: Vec<u64>,
}

impl RequestWords {
    /// Adds the words of a text. After a backslash a word may begin with the escape: `\\nAnna`.
    pub(super) fn add(&mut self, text: &str) {
        let mut before = 0;
        let bytes = text.as_bytes();
        let mut start = 0;
        while let Some(rest) = bytes.get(start..).filter(|rest| !rest.is_empty()) {
            let length = rest
                .iter()
                .take_while(|byte| byte.is_ascii_alphanumeric())
                .count();
            if length == 0 {
                before = rest.first().copied().unwrap_or_default();
                start += 1;
                continue;
            }
            let word = rest.get(..length).unwrap_or_default();
            self.add_word(word);
            if before == b'\\' {
                self.add_word(word.get(1..).unwrap_or_default());
                self.add_word(word.get(5..).unwrap_or_default());
            }
            start += length;
        }
    }

    fn add_word(&mut self, word: &[u8]) {
        if (1..=LONGEST).contains(&word.len()) {
            self.hashes.push(hash(word));
        }
    }

    /// Makes the words searchable.
    pub(super) fn sort(&mut self) {
        self.hashes.sort_unstable();
        self.hashes.dedup();
    }

    /// Whether all words of a text are among these.
    pub(super) fn hold(&self, text: &str) -> bool {
        let mut words = text
            .as_bytes()
            .split(|byte| !byte.is_ascii_alphanumeric())
            .filter(|word| !word.is_empty());
        words.all(|word| self.hashes.binary_search(&hash(word)).is_ok())
    }
}

/// FNV-1a, whatever the case.
fn hash(word: &[u8]) -> u64 {
    word.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte.to_ascii_lowercase())).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_match_in_any_case_and_after_escapes() {
        let mut words = RequestWords::default();
        words.add("Dear Marie,\\nAnna \\u0022Berta 555-0142");
        words.sort();
        for text in ["MARIE", "Anna", "berta", "0142-555"] {
            assert!(words.hold(text), "{text}");
        }
        assert!(!words.hold("Mari") && !words.hold("Marie Curie"));
    }
}
