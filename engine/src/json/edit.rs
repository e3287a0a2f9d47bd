//! Edits of a text, applied in one pass.

/// Replaces a range of a text.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Edit {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) text: String,
}

impl Edit {
    /// The same in a text that begins so much earlier.
    pub(crate) fn moved_by(self, by: usize) -> Self {
        Self {
            start: self.start + by,
            end: self.end + by,
            text: self.text,
        }
    }
}

impl std::fmt::Debug for Edit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{}..{} by {} bytes",
            self.start,
            self.end,
            self.text.len()
        )
    }
}

/// Appends `source` with the edits applied. They must be in order and apart from each other.
pub(crate) fn splice(source: &str, edits: &[Edit], out: &mut Vec<u8>) {
    let growth: usize = edits.iter().map(|edit| edit.text.len()).sum();
    out.reserve(source.len() + growth);
    let mut copied = 0;
    for edit in edits {
        out.extend_from_slice(
            source
                .get(copied..edit.start)
                .unwrap_or_default()
                .as_bytes(),
        );
        out.extend_from_slice(edit.text.as_bytes());
        copied = edit.end;
    }
    out.extend_from_slice(source.get(copied..).unwrap_or_default().as_bytes());
}

/// `source` with the edits applied.
pub(crate) fn spliced(source: &str, edits: &[Edit]) -> String {
    let mut out = Vec::new();
    splice(source, edits, &mut out);
    // Edits begin and end between characters, so that the rest of the source is text.
    String::from_utf8(out).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_outside_the_edits_are_copied() {
        let edit = |start, end, text: &str| Edit {
            start,
            end,
            text: text.to_owned(),
        };
        let mut out = Vec::new();
        splice(
            "abcdef",
            &[edit(0, 1, "X"), edit(3, 3, "+"), edit(5, 6, "")],
            &mut out,
        );
        assert_eq!(out, b"Xbc+de");
    }
}
