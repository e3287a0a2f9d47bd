//! Distinguishes words from random letters.

/// For each letter, the letters that commonly follow it in words (bit 0 is `a`).
///
/// Counted over English prose and source code; together they make up 96.5 % of the pairs there, and 45 % of all
/// pairs.
const FOLLOWERS: [u32; 26] = [
    0x03fe_bd6e,
    0x0112_4b15,
    0x031e_4db5,
    0x0316_491d,
    0x01ef_ff7f,
    0x011a_4931,
    0x001e_6991,
    0x001a_5111,
    0x02ae_fc7f,
    0x0004_4011,
    0x0004_4111,
    0x013c_c939,
    0x0014_d913,
    0x013c_ed7d,
    0x00fe_fd6f,
    0x011e_c991,
    0x0010_0800,
    0x033e_7d7d,
    0x015f_fd95,
    0x015e_d9bd,
    0x000e_b97f,
    0x0000_4111,
    0x0006_6191,
    0x0008_8115,
    0x000c_e010,
    0x0000_0011,
];

/// Whether every run of letters is a word: its letters follow each other as they do in words, and its case
/// does not change every other letter. A hump (`aB`) begins a new word.
pub(super) fn look_like_words(value: &[u8]) -> bool {
    pairs_in_words(value, true).is_some_and(|pairs| pairs >= 2)
}

/// Whether no letters of a value speak against words, as in `Ed25519KeyEx`.
pub(super) fn may_be_words(value: &[u8]) -> bool {
    pairs_in_words(value, false).is_some()
}

/// Whether a [`share`] is that of words, or of an identifier with acronyms in it.
pub(super) const fn are_mostly_words(share: usize) -> bool {
    share >= 72
}

/// How many of the pairs of neighbouring letters are common in words, in percent; 0 without any.
pub(super) fn share(value: &[u8]) -> usize {
    let (mut pairs, mut common) = (0, 0);
    for &[first, second] in value.array_windows() {
        if first.is_ascii_alphabetic() && second.is_ascii_alphabetic() {
            pairs += 1;
            common += usize::from(follows(first, second));
        }
    }
    common * 100 / pairs.max(1)
}

/// Pairs of neighbouring letters, when all are in words.
fn pairs_in_words(value: &[u8], by_case: bool) -> Option<u32> {
    let mut pairs = 0u32;
    let mut run = Run::default();
    let mut case = Case::default();
    for window in value.windows(2) {
        let &[first, second] = window else { continue };
        let joined = first.is_ascii_alphabetic() && second.is_ascii_alphabetic();
        let hump = first.is_ascii_lowercase() && second.is_ascii_uppercase();
        if joined {
            case.pairs += 1;
            case.changes += u32::from(first.is_ascii_lowercase() != second.is_ascii_lowercase());
        } else if by_case && case.alternates() {
            return None;
        } else {
            case = Case::default();
        }
        if joined && !hump {
            run.pairs += 1;
            run.common += u32::from(follows(first, second));
            continue;
        }
        if !run.is_word() {
            return None;
        }
        pairs += run.pairs;
        run = Run::default();
    }
    (run.is_word() && !(by_case && case.alternates())).then_some(pairs + run.pairs)
}

/// Changes of case within one run of letters.
#[derive(Default)]
struct Case {
    pairs: u32,
    changes: u32,
}

impl Case {
    const fn alternates(&self) -> bool {
        self.pairs >= 5 && self.changes * 2 > self.pairs
    }
}

/// Pairs of neighbouring letters.
#[derive(Default)]
struct Run {
    pairs: u32,
    common: u32,
}

impl Run {
    /// Short runs are abbreviations as often as noise.
    const fn is_word(&self) -> bool {
        self.pairs < 2
            || self.common * 100 >= self.pairs * 75
            || self.pairs == 2 && self.common == 1
    }
}

fn follows(first: u8, second: u8) -> bool {
    let index = |letter: u8| (letter | 0x20).wrapping_sub(b'a');
    FOLLOWERS
        .get(usize::from(index(first)))
        .is_some_and(|followers| followers >> index(second) & 1 == 1)
}
