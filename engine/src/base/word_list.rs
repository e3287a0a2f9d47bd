//! Lists of words that names are compared with.

/// A list of words. Nearly every name that is not among them is ruled out at a glance.
pub(crate) struct WordList {
    words: &'static [&'static str],
    /// A set of bits over the words' lengths, first and last letters.
    shapes: [u64; 4],
}

impl WordList {
    pub(crate) const fn of(words: &'static [&'static str]) -> Self {
        let (mut shapes, mut at) = ([0; 4], 0);
        while at < words.len() {
            let (part, bit) = shape(words[at].as_bytes());
            shapes[part] |= bit;
            at += 1;
        }
        Self { words, shapes }
    }

    #[cfg(test)]
    pub(crate) const fn words(&self) -> &'static [&'static str] {
        self.words
    }

    /// Whether a name may be one of the words.
    #[inline]
    pub(crate) const fn may_hold(&self, name: &str) -> bool {
        self.may_hold_bytes(name.as_bytes())
    }

    #[inline]
    const fn may_hold_bytes(&self, name: &[u8]) -> bool {
        let (part, bit) = shape(name);
        self.shapes[part] & bit != 0
    }

    /// Whether a name is one of the words.
    #[inline]
    pub(crate) fn hold(&self, name: &str) -> bool {
        self.hold_bytes(name.as_bytes())
    }

    /// Whether these are the bytes of one of the words.
    #[inline]
    pub(crate) fn hold_bytes(&self, name: &[u8]) -> bool {
        self.may_hold_bytes(name) && self.words.iter().any(|word| word.as_bytes() == name)
    }
}

/// The place of a word in the set.
#[inline]
const fn shape(word: &[u8]) -> (usize, u64) {
    let (Some(first), Some(last)) = (word.first(), word.last()) else {
        return (0, 1);
    };
    let place = word.len() * 37 + *first as usize * 5 + *last as usize;
    (place / 64 % 4, 1 << (place % 64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_contains_exactly_its_words() {
        const LIST: WordList = WordList::of(&["id", "name", "", "größe"]);
        for word in LIST.words() {
            assert!(LIST.hold(word), "{word}");
        }
        for other in ["ID", "i", "d", "names", "nome", "grösse", "x"] {
            assert!(!LIST.hold(other), "{other}");
        }
    }
}
