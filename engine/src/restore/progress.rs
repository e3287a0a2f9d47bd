//! Tracks JSON that arrives in pieces.

/// Whether a JSON object or array is complete. It is not checked to be valid.
#[derive(Debug, Default)]
pub(super) struct Progress {
    depth: usize,
    in_string: bool,
    after_backslash: bool,
    complete: bool,
}

impl Progress {
    /// Adds the next piece and returns whether the value is now complete.
    pub(super) fn feed(&mut self, piece: &str) -> bool {
        for byte in piece.bytes() {
            self.take(byte);
        }
        self.complete
    }

    fn take(&mut self, byte: u8) {
        if self.in_string {
            self.in_string = self.after_backslash || byte != b'"';
            self.after_backslash = byte == b'\\' && !self.after_backslash;
            return;
        }
        match byte {
            b'"' => self.in_string = true,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => {
                self.complete = self.depth == 1;
                self.depth = self.depth.saturating_sub(1);
                return;
            }
            _ => {}
        }
        self.complete &= byte.is_ascii_whitespace();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_in_strings_are_text() {
        let mut progress = Progress::default();
        assert!(!progress.feed("{\"a\":\"}\\"));
        assert!(!progress.feed("\"}\\\\\",\"b\":[{}"));
        assert!(progress.feed("]} \n"));
    }

    #[test]
    fn bare_numbers_and_empty_input_are_never_complete() {
        assert!(!Progress::default().feed("12"));
        assert!(!Progress::default().feed(""));
        assert!(!Progress::default().feed("}"));
    }
}
