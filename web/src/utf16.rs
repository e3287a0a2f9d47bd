//! Positions in a text as JavaScript counts them.

/// Turns ascending byte offsets into offsets in UTF-16 units, in one pass.
pub(crate) struct Offsets<'t> {
    text: &'t str,
    bytes: usize,
    units: usize,
}

impl<'t> Offsets<'t> {
    pub(crate) const fn new(text: &'t str) -> Self {
        Self {
            text,
            bytes: 0,
            units: 0,
        }
    }

    /// The offset of a byte that begins a character, none before the last one asked for.
    pub(crate) fn of(&mut self, byte: usize) -> usize {
        let between = self.text.get(self.bytes..byte).unwrap_or_default();
        self.units += between.encode_utf16().count();
        self.bytes += between.len();
        self.units
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_beyond_the_basic_plane_count_two() {
        let mut offsets = Offsets::new("aé€😀b");
        assert_eq!(
            [0, 1, 3, 6, 10, 11].map(|byte| offsets.of(byte)),
            [0, 1, 2, 3, 5, 6]
        );
    }
}
