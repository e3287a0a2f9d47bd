//! Tracks JSON in a text and JSON in its strings: how often a value must be escaped.
//!
//! A text is JSON as far as it reads like JSON: objects and lists, one after the other. From the
//! first character that does not belong there it is plain text. What comes later changes nothing,
//! so a whole text and its pieces are read alike.

use memchr::{memchr2, memchr3};

/// JSON held in a string, held in a string, …: deeper than this it is text.
pub(crate) const MAX_HELD_JSON: u32 = 6;

/// The kind of a text, which decides how values are written into it (decisions, 3.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Context {
    /// Text, whatever it looks like.
    Plain,
    /// JSON as far as it reads like JSON, then plain text.
    MayBeJson,
    /// JSON, also where it does not read like JSON.
    Json,
}

/// Where a text has come to.
#[derive(Debug, Clone)]
pub(crate) struct Nesting {
    place: Place,
    /// How many objects and lists are open.
    depth: usize,
    string: Option<Box<Nesting>>,
    escape: Escape,
    /// How many texts in one another may still be JSON.
    levels: u32,
    /// How often a value is escaped at least.
    least: u32,
    quoted: Quoted,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Outside,
    /// After `{`.
    Object,
    /// After `[`.
    List,
    /// After a comma or a colon.
    Next,
    /// In a number, a word, or a token in its place.
    Scalar,
    /// After a value.
    Value,
    /// This is no JSON.
    Text,
}

/// The escape that a string of the text has begun.
#[derive(Debug, Clone, Copy)]
enum Escape {
    None,
    Begun,
    Unicode { digits: u32, code: u32 },
}

/// Whether the last characters of a text stand in a string of JSON, as a member's value or in a list, also where the text
/// is no JSON as a whole.
#[derive(Debug, Clone, Copy)]
struct Quoted {
    place: QuotedPlace,
    /// The string is of a list, so that another one may follow a comma.
    is_of_list: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum QuotedPlace {
    /// Nothing was read of a text that may be a value.
    Start,
    /// A value may begin.
    Next,
    /// A string has begun, and nothing of it was read.
    Begun,
    /// Further on in its line.
    Inside,
    /// After a backslash in it.
    Escaped,
    /// After another quote.
    Ended,
    No,
}

impl Quoted {
    const fn at(place: QuotedPlace) -> Self {
        Self {
            place,
            is_of_list: false,
        }
    }

    fn after_all(self, text: &str) -> Self {
        let mut quoted = self;
        let mut rest = text;
        while let Some(next) = quoted.next_in(rest.as_bytes()) {
            let mut characters = rest.get(next..).unwrap_or_default().chars();
            let Some(character) = characters.next() else {
                break;
            };
            quoted = quoted.after(character);
            rest = characters.as_str();
        }
        quoted
    }

    /// Where the next character is that matters.
    fn next_in(self, text: &[u8]) -> Option<usize> {
        match self.place {
            QuotedPlace::No => memchr2(b'"', b'[', text),
            QuotedPlace::Inside => memchr3(b'"', b'\\', b'\n', text),
            _ => (!text.is_empty()).then_some(0),
        }
    }

    fn after(self, character: char) -> Self {
        use QuotedPlace::{Begun, Ended, Escaped, Inside, Next, No, Start};
        let place = match (self.place, character) {
            (Begun | Inside | Escaped, '\n') => No,
            (Escaped, _) => Inside,
            (Begun | Inside, '\\') => Escaped,
            (Start | Next, '"') => Begun,
            (_, '"') => Ended,
            (Begun | Inside, _) => Inside,
            (Ended, ',') if self.is_of_list => Next,
            (Ended, ':') | (_, '[') => Next,
            (Start, space) if space.is_ascii_whitespace() => Next,
            (Next | Ended, space) if space.is_ascii_whitespace() => self.place,
            _ => No,
        };
        let is_of_list = match (place, character) {
            (No, _) | (Next, ':') => false,
            (Next, '[') => true,
            _ => self.is_of_list,
        };
        Self { place, is_of_list }
    }
}

impl Nesting {
    /// The beginning of a text in which so many texts in one another may be JSON.
    pub(crate) const fn new(context: Context, levels: u32) -> Self {
        let is_text = levels == 0 || matches!(context, Context::Plain);
        Self {
            place: if is_text { Place::Text } else { Place::Outside },
            depth: 0,
            string: None,
            escape: Escape::None,
            levels,
            least: matches!(context, Context::Json) as u32,
            quoted: match context {
                Context::Plain => Quoted::at(QuotedPlace::No),
                Context::MayBeJson | Context::Json => Quoted::at(QuotedPlace::Start),
            },
        }
    }

    /// Whether no more of the text is JSON.
    pub(crate) fn is_text(&self) -> bool {
        self.place == Place::Text
    }

    pub(crate) fn feed(&mut self, text: &str) {
        let mut rest = text.chars();
        while !self.is_text() {
            let Some(character) = rest.next() else {
                return;
            };
            self.take(character);
        }
        self.quoted = self.quoted.after_all(rest.as_str());
    }

    /// Goes on as far as values are escaped alike, by one character at least, and returns how far that is.
    pub(crate) fn feed_alike(&mut self, text: &str) -> usize {
        let escapes = self.escapes();
        for (at, character) in text.char_indices() {
            if self.is_text() {
                self.feed(text.split_at(at).1);
                break;
            }
            if at > 0 && self.escapes() != escapes {
                return at;
            }
            self.take(character);
        }
        text.len()
    }

    /// Whether a value in a text that begins here may be escaped.
    pub(crate) fn may_escape(&self, text: &str) -> bool {
        let mut at = self.clone();
        let blank = |c: char| c.is_whitespace() || c == '\u{feff}';
        at.feed(text.trim_start_matches(blank).get(..1).unwrap_or_default());
        at.least > 0 || !at.is_text()
    }

    /// How often a value is escaped that is written here: once in a string of JSON, once more in
    /// JSON in that string.
    pub(crate) fn escapes(&self) -> u32 {
        let inner = self.string.as_ref().map(|string| 1 + string.escapes());
        inner.unwrap_or(0).max(self.least)
    }

    /// How often a value is escaped that is spelled for a string of JSON already, if such a string is open that a person
    /// sees in the text. The strings of a call's arguments are texts themselves.
    pub(crate) fn escapes_in_string(&self) -> Option<u32> {
        let string = self.string.as_ref()?;
        let is_innermost = self.least == 0 && string.string.is_none();
        let inner = string.escapes_in_string().map(|escapes| escapes + 1);
        inner.or(is_innermost.then_some(0))
    }

    /// The same if a string begins here that may be of JSON although the text is none.
    pub(crate) fn escapes_in_begun_string(&self) -> Option<u32> {
        match &self.string {
            Some(string) => string.escapes_in_begun_string().map(|escapes| escapes + 1),
            None => (self.least == 0 && self.quoted.place == QuotedPlace::Begun).then_some(0),
        }
    }

    /// The same anywhere in such a string.
    pub(crate) fn escapes_in_open_string(&self) -> Option<u32> {
        match &self.string {
            Some(string) => string.escapes_in_open_string().map(|escapes| escapes + 1),
            None => (self.least == 0
                && matches!(self.quoted.place, QuotedPlace::Begun | QuotedPlace::Inside))
            .then_some(0),
        }
    }

    /// Whether nothing was read of the innermost string of JSON, or of what may be one.
    pub(crate) fn begins_string(&self) -> bool {
        match &self.string {
            Some(string) => string.quoted.place == QuotedPlace::Start || string.begins_string(),
            None => self.quoted.place == QuotedPlace::Begun,
        }
    }

    fn take(&mut self, character: char) {
        if self.string.is_some() {
            return self.take_in_string(character);
        }
        self.quoted = self.quoted.after(character);
        self.place = match (self.place, character) {
            (Place::Scalar, ' ' | '\t' | '\n' | '\r') => Place::Value,
            (place, ' ' | '\t' | '\n' | '\r') => place,
            (Place::Outside, '\u{feff}') => Place::Outside,
            (Place::Outside | Place::List | Place::Next, '{' | '[') => {
                self.depth += 1;
                if character == '{' {
                    Place::Object
                } else {
                    Place::List
                }
            }
            (Place::Outside | Place::Text, _) => Place::Text,
            (_, '}' | ']') => {
                self.depth -= 1;
                if self.depth == 0 {
                    Place::Outside
                } else {
                    Place::Value
                }
            }
            (Place::Object | Place::List | Place::Next, '"') => {
                self.string = Some(Box::new(Self::new(Context::MayBeJson, self.levels - 1)));
                Place::Value
            }
            (Place::Scalar | Place::Value, ',' | ':') => Place::Next,
            (_, '{' | '[' | '"') | (Place::Object | Place::Value, _) => Place::Text,
            _ => Place::Scalar,
        };
    }

    fn take_in_string(&mut self, character: char) {
        let escape = std::mem::replace(&mut self.escape, Escape::None);
        let character = match (escape, character) {
            (Escape::None, '"') => {
                self.quoted = Quoted::at(QuotedPlace::Ended);
                return self.string = None;
            }
            (Escape::None, '\\') => return self.escape = Escape::Begun,
            (Escape::Begun, 'u') => {
                return self.escape = Escape::Unicode { digits: 4, code: 0 };
            }
            // White space, and what is none.
            (Escape::Begun, 'n' | 'r' | 't') => ' ',
            (Escape::Begun, 'b' | 'f') => '\0',
            (Escape::None | Escape::Begun, character) => character,
            (Escape::Unicode { digits, code }, digit) => {
                let code = code * 16 + digit.to_digit(16).unwrap_or(0);
                if digits > 1 {
                    let digits = digits - 1;
                    return self.escape = Escape::Unicode { digits, code };
                }
                char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
            }
        };
        if let Some(string) = &mut self.string {
            string.take(character);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn escapes(text: &str) -> u32 {
        let mut nesting = Nesting::new(Context::MayBeJson, MAX_HELD_JSON);
        nesting.feed(text);
        nesting.escapes()
    }

    #[test]
    fn each_enclosing_json_string_adds_an_escape_level() {
        for (text, expected) in [
            ("", 0),
            ("see [", 0),
            ("[1] see \"", 0),
            ("[see \"this", 0),
            ("{name} \"", 0),
            (" {", 0),
            ("{\n \"", 1),
            ("[\"a", 1),
            ("[1, null, \"a", 1),
            ("{\"a\": <MASK_SSN_1>, \"b\": \"c", 1),
            ("\u{feff}{\"a", 1),
            ("{\"a\": 1}\n{\"b\": \"c", 1),
            ("{\"a\": 1} says \"b", 0),
            ("{\"a\": \"cut\nhere \"b", 0),
            ("{\"a\": \"two\nlines", 1),
            (r#"{"a": "b {\"c"#, 1),
            (r#"{"a": "{\"c"#, 2),
            (r#"{"a": "\u007b\u0022c"#, 2),
            (r#"{"a": "\n[ {\"c\": \""#, 2),
            (r#"{"a": "{\"c\": \"{\\\"d\\\": \\\"e"#, 3),
            (r#"{"a": "{\"c\": \"d\"}", "e": "f"#, 1),
            (r#"{"a": "\\{\"c"#, 1),
        ] {
            assert_eq!(escapes(text), expected, "{text}");
        }
    }

    #[test]
    fn json_strings_in_text_begin_after_their_member_name() {
        for (text, expected) in [
            ("see \"a\": \"", Some(0)),
            ("x \"a\"\n : \n\"", Some(0)),
            ("x [ \"", Some(0)),
            (" \"", Some(0)),
            ("{\"a\": 1} \"b\":\"", Some(0)),
            (r#"{"a": "x \"b\": \""#, Some(1)),
            ("see \"", None),
            ("x \"a\": ", None),
            ("x \"a\": \" ", None),
            ("x \"a\", \"", None),
            ("x a: \"", None),
            ("x \\\"a\\\": \\\"", None),
            ("{\"a\": \"", None),
        ] {
            for cut in 0..=text.len() {
                let mut nesting = Nesting::new(Context::MayBeJson, MAX_HELD_JSON);
                let (one, other) = text.split_at(cut);
                nesting.feed(one);
                nesting.feed(other);
                assert_eq!(nesting.escapes_in_begun_string(), expected, "{text}");
            }
        }
    }
}
