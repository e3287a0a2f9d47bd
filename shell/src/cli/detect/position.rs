//! Positions in a text as people count them.

/// Turns ascending byte offsets into characters, lines and columns, in one pass.
pub(super) struct Position<'a> {
    text: &'a str,
    byte: usize,
    characters: usize,
    line: usize,
    column: usize,
}

impl<'a> Position<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            byte: 0,
            characters: 0,
            line: 1,
            column: 1,
        }
    }

    /// The number of Unicode characters before a byte.
    pub(super) fn of(&mut self, byte: usize) -> usize {
        self.go_to(byte);
        self.characters
    }

    /// Line and column of a byte, both from 1; columns count Unicode characters.
    pub(super) fn line_and_column(&mut self, byte: usize) -> (usize, usize) {
        self.go_to(byte);
        (self.line, self.column)
    }

    fn go_to(&mut self, byte: usize) {
        if byte < self.byte {
            *self = Self::new(self.text);
        }
        for character in self.text.get(self.byte..byte).unwrap_or_default().chars() {
            self.characters += 1;
            if character == '\n' {
                self.line += 1;
                self.column = 1;
            } else {
                self.column += 1;
            }
        }
        self.byte = byte;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_count_characters() {
        let mut position = Position::new("añb€c");
        assert_eq!([1, 3, 4, 7].map(|byte| position.of(byte)), [1, 2, 3, 4]);
        assert_eq!(position.of(3), 2);
    }

    #[test]
    fn lines_and_columns_begin_at_one() {
        let text = "é\r\nab\n\nc";
        let mut position = Position::new(text);
        let mut at = |mark| position.line_and_column(text.find(mark).unwrap());
        assert_eq!(at("é"), (1, 1));
        assert_eq!(at("b"), (2, 2));
        assert_eq!(at("c"), (4, 1));
        assert_eq!(at("a"), (2, 1));
    }
}
