//! Splits texts into pages for the model.

use std::ops::Range;

/// Between two texts on one page.
const BETWEEN: &str = "\n\n";

/// Texts, or parts of them, that the model is shown together.
#[derive(Default)]
pub(super) struct Page {
    pub(super) text: String,
    pub(super) pieces: Vec<Piece>,
}

/// A part of a text, and its position on the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    /// Which text.
    pub(super) text: usize,
    /// The bytes of that text.
    pub(super) part: Range<usize>,
    /// The characters of the page.
    pub(super) place: Range<usize>,
}

/// Puts texts on pages of a limited number of characters.
///
/// A longer text is split into overlapping parts, so that what is cut by one part is whole in the
/// previous or next one.
pub(super) fn pages(texts: &[&str], max_chars: usize) -> Vec<Page> {
    let mut pages: Vec<Page> = Vec::new();
    let mut used = 0;
    for (index, text) in texts.iter().enumerate() {
        for part in parts(text, max_chars) {
            let content = text.get(part.clone()).unwrap_or_default();
            let length = content.chars().count();
            if pages.is_empty() || used + BETWEEN.len() + length > max_chars {
                pages.push(Page::default());
                used = 0;
            }
            let Some(page) = pages.last_mut() else { break };
            if used > 0 {
                page.text.push_str(BETWEEN);
                used += BETWEEN.len();
            }
            page.text.push_str(content);
            page.pieces.push(Piece {
                text: index,
                part,
                place: used..used + length,
            });
            used += length;
        }
    }
    pages
}

/// Splits a text into parts of a limited number of characters.
fn parts(text: &str, max_chars: usize) -> Vec<Range<usize>> {
    // Bytes are at least as many as characters.
    if text.len() <= max_chars {
        return std::iter::once(0..text.len()).collect();
    }
    let starts: Vec<usize> = text.char_indices().map(|(start, _)| start).collect();
    let byte = |character: usize| starts.get(character).copied().unwrap_or(text.len());
    let overlap = (max_chars / 10).min(500);
    let step = (max_chars - overlap).max(1);
    let mut parts = Vec::new();
    let mut from = 0;
    loop {
        let to = from + max_chars;
        parts.push(byte(from)..byte(to));
        if to >= starts.len() {
            return parts;
        }
        from += step;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_texts_share_a_page() {
        let pages = pages(&["né", "abc", "defghijk", "l"], 8);
        let texts: Vec<_> = pages.iter().map(|page| page.text.as_str()).collect();
        assert_eq!(texts, ["né\n\nabc", "defghijk", "l"]);
        let piece = |text, part, place| Piece { text, part, place };
        assert_eq!(
            pages[0].pieces,
            [piece(0, 0..3, 0..2), piece(1, 0..3, 4..7)]
        );
    }

    #[test]
    fn long_texts_are_split_into_overlapping_parts() {
        let text = "é".repeat(95);
        let cut = parts(&text, 20);
        assert_eq!(cut.first(), Some(&(0..40)));
        assert_eq!(cut.last().map(|part| part.end), Some(190));
        for pair in cut.windows(2) {
            assert_eq!(pair[0].end - pair[1].start, 4, "two characters overlap");
        }
        assert_eq!(parts("abc", 1), [0..1, 1..2, 2..3]);
        assert!(matches!(*parts("", 1), [Range { start: 0, end: 0 }]));
    }
}
