//! Tracks JSON in a text and JSON in its strings: how often a value must be escaped.

/// JSON held in a string, held in a string, …: deeper than this it is text.
pub(super) const MAX_HELD_JSON: u32 = 6;

/// Where a text that may be JSON has come to.
#[derive(Debug, Clone, Default)]
pub(super) struct Nesting {
    /// The beginning of the text, without white space: two characters show whether it is JSON.
    beginning: String,
    string: Option<Box<Nesting>>,
    escape: Escape,
    level: u32,
}

/// The escape that a string of the text has begun.
#[derive(Debug, Clone, Copy, Default)]
enum Escape {
    #[default]
    None,
    Begun,
    /// This many digits follow.
    Unicode(u32),
}

impl Nesting {
    pub(super) fn feed(&mut self, text: &str) {
        for character in text.chars() {
            if self.is_text() {
                return;
            }
            self.take(character);
        }
    }

    /// How often a value is escaped that is written here: once in a JSON text, once more in JSON in a string of it.
    pub(super) fn escapes(&self) -> u32 {
        let inner = self.string.as_ref().map_or(0, |string| string.escapes());
        if self.is_json() { 1 + inner } else { 0 }
    }

    fn is_json(&self) -> bool {
        ["{\"", "{}", "[{", "[\"", "[["].contains(&self.beginning.as_str())
    }

    /// Whether it is known to be no JSON.
    fn is_text(&self) -> bool {
        let is_open = self.beginning.is_empty() || ["{", "["].contains(&self.beginning.as_str());
        self.level > MAX_HELD_JSON || !(is_open || self.is_json())
    }

    fn take(&mut self, character: char) {
        if self.beginning.chars().count() < 2 && !character.is_whitespace() {
            self.beginning.push(character);
        }
        if self.is_text() {
            return;
        }
        let Some(string) = &mut self.string else {
            if character == '"' {
                self.string = Some(Box::new(Self {
                    level: self.level + 1,
                    ..Self::default()
                }));
            }
            return;
        };
        match (self.escape, character) {
            (Escape::None, '"') => self.string = None,
            (Escape::None, '\\') => self.escape = Escape::Begun,
            (Escape::None, character) => string.take(character),
            (Escape::Begun, 'u') => self.escape = Escape::Unicode(4),
            (Escape::Begun, character) => {
                self.escape = Escape::None;
                // The others stand for white space.
                let is_itself = matches!(character, '"' | '\\' | '/');
                string.take(if is_itself { character } else { ' ' });
            }
            (Escape::Unicode(1), _) => {
                self.escape = Escape::None;
                string.take('u');
            }
            (Escape::Unicode(digits), _) => self.escape = Escape::Unicode(digits - 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn escapes(text: &str) -> u32 {
        let mut nesting = Nesting::default();
        nesting.feed(text);
        nesting.escapes()
    }

    #[test]
    fn each_string_that_holds_json_adds_an_escape() {
        for (text, expected) in [
            ("", 0),
            ("see [", 0),
            ("[1] see \"", 0),
            ("{name} \"", 0),
            (" {", 0),
            ("{\n \"", 1),
            ("[\"a", 1),
            (r#"{"a": "b {\"c"#, 1),
            (r#"{"a": "{\"c"#, 2),
            (r#"{"a": "\n[ {\"c\": \""#, 2),
            (r#"{"a": "{\"c\": \"{\\\"d\\\": \\\"e"#, 3),
            (r#"{"a": "{\"c\": \"d\"}", "e": "f"#, 1),
            (r#"{"a": "\\{\"c"#, 1),
        ] {
            assert_eq!(escapes(text), expected, "{text}");
        }
    }
}
