//! Runs of bytes that form words.

/// How many bytes are examined together.
const BLOCK: usize = u64::BITS as usize;
const WORD: usize = size_of::<u64>();
const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// A run of letters, digits, underscores and bytes outside ASCII, as long as it goes.
pub(super) struct Run {
    pub(super) start: usize,
    pub(super) end: usize,
    /// Whether all of it is ASCII.
    pub(super) is_ascii: bool,
}

/// Calls `take` with every run of the text.
#[inline]
pub(super) fn each(text: &[u8], mut take: impl FnMut(Run)) {
    // Where the run began that the last block ended with.
    let mut open = None;
    let mut padded = [0; BLOCK];
    for index in (0..text.len()).step_by(BLOCK) {
        let rest = text.get(index..).unwrap_or_default();
        let block = rest.first_chunk().unwrap_or_else(|| {
            for (to, from) in padded.iter_mut().zip(rest) {
                *to = *from;
            }
            &padded
        });
        let (mut marks, block_is_ascii) = word_marks(block);
        if let Some(start) = open {
            let length = marks.trailing_ones() as usize;
            if length == BLOCK {
                continue;
            }
            take(Run::new(text, start, index + length));
            open = None;
            marks &= marks.wrapping_add(1);
        }
        while marks != 0 {
            let offset = marks.trailing_zeros();
            let length = (marks >> offset).trailing_ones();
            let start = index + offset as usize;
            if (offset + length) as usize == BLOCK {
                open = Some(start);
                break;
            }
            let end = start + length as usize;
            take(if block_is_ascii {
                Run {
                    start,
                    end,
                    is_ascii: true,
                }
            } else {
                Run::new(text, start, end)
            });
            // Propagates carries through the run and removes it.
            marks &= marks + (1 << offset);
        }
    }
    if let Some(start) = open {
        take(Run::new(text, start, text.len()));
    }
}

impl Run {
    fn new(text: &[u8], start: usize, end: usize) -> Self {
        Self {
            start,
            end,
            is_ascii: text.get(start..end).is_some_and(<[u8]>::is_ascii),
        }
    }
}

/// A bit for each byte that belongs to a run, and whether all bytes are ASCII.
#[inline]
fn word_marks(block: &[u8; BLOCK]) -> (u64, bool) {
    let (words, _) = block.as_chunks::<WORD>();
    let mut all = 0;
    let mut marks = 0;
    for &word in words.iter().rev() {
        let word = u64::from_le_bytes(word);
        all |= word;
        marks = marks << WORD | compress(belongs(word));
    }
    (marks, all & HIGHS == 0)
}

/// The high bit of every byte that belongs to a run.
#[inline]
const fn belongs(word: u64) -> u64 {
    let low = word & !HIGHS;
    // Letters become 1 to 26, in either case, and everything else more.
    let letter = (low | (ONES * 0x20)) ^ (ONES * 0x60);
    let letters = (letter + ONES * 0x7F) & !(letter + ONES * (0x80 - 27));
    let digits = !((low ^ (ONES * 0x30)) + ONES * (0x80 - 10));
    let underscores = !((low ^ (ONES * 0x5F)) + ONES * 0x7F);
    (letters | digits | underscores | word) & HIGHS
}

/// The high bits of eight bytes as eight bits.
#[inline]
const fn compress(marks: u64) -> u64 {
    (marks >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::bytes;

    #[test]
    fn runs_match_a_byte_by_byte_scan() {
        let mut text = Vec::new();
        for byte in 0..=u8::MAX {
            text.extend([b' ', byte, b'a', byte, b'.']);
            text.extend([byte; 3]);
        }
        for length in 0..text.len() {
            let text = &text[..length];
            let mut runs = Vec::new();
            each(text, |run| runs.push((run.start, run.end, run.is_ascii)));
            let belongs = |byte: &u8| bytes::is_word(*byte) || !byte.is_ascii();
            let mut expected = Vec::new();
            let mut start = 0;
            for part in text.split(|byte| !belongs(byte)) {
                if !part.is_empty() {
                    expected.push((start, start + part.len(), part.is_ascii()));
                }
                start += part.len() + 1;
            }
            assert_eq!(runs, expected);
        }
    }
}
