//! The positions of the values in a document.

use std::borrow::Cow;

use super::scan::{self, ScanError};
use super::string::decode;

/// A scanned document: its values and member names in document order.
///
/// Each is written in words of 32 bits, as few as it needs, for a body may hold one value for every two of
/// its bytes. The first byte in the document identifies the kind.
///
/// | what | words |
/// |---|---|
/// | a number, `true`, … | start |
/// | a string, a member name | start (flag: it is a name), end (flag: it has escapes) |
/// | an empty object or array | start (flag) |
/// | any other object or array | start, the place of what comes after it in the tape, end |
#[derive(Debug, Clone)]
pub(crate) struct Tape {
    pub(super) words: Vec<u32>,
    pub(super) strings: u32,
}

/// The bit of a word that does not belong to the offset.
pub(super) const FLAG: u32 = 1 << 31;

/// How many words come before the first child of an object or array.
pub(super) const CONTAINER_WORDS: u32 = 3;

/// The kind of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Object,
    Array,
    /// A member name; the next node is its value.
    Key,
    String,
    /// A number, `true`, `false`, `null`, and the `NaN` and `Infinity` of lenient writers.
    Scalar,
}

impl Tape {
    /// Scans a document.
    ///
    /// Accepts RFC 8259 and, as lenient writers produce them, a leading byte order mark, `NaN`,
    /// `Infinity` and raw control characters in strings.
    pub(crate) fn scan(source: &str, max_depth: usize) -> Result<Self, ScanError> {
        scan::scan(source, max_depth)
    }

    /// Every string and member name, in document order.
    pub(crate) fn strings<'t>(&'t self, source: &'t str) -> impl Iterator<Item = Value<'t>> {
        let mut at = 0;
        let values = std::iter::from_fn(move || {
            self.words.get(at as usize)?;
            let value = Value {
                tape: self,
                source,
                at,
            };
            at = value.first_child().unwrap_or_else(|| value.next());
            Some(value)
        });
        values.filter(|value| matches!(value.kind(), Kind::String | Kind::Key))
    }

    /// How many bytes it takes.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&*self.words)
    }

    /// The number of strings besides member names.
    pub(crate) fn string_count(&self) -> u64 {
        self.strings.into()
    }

    /// The outermost value.
    pub(crate) fn root<'t>(&'t self, source: &'t str) -> Value<'t> {
        Value {
            tape: self,
            source,
            at: 0,
        }
    }
}

/// A value in a scanned document.
#[derive(Clone, Copy)]
pub(crate) struct Value<'t> {
    tape: &'t Tape,
    source: &'t str,
    at: u32,
}

impl<'t> Value<'t> {
    /// The value follows the member name at this distance in words.
    pub(crate) const KEY_WORDS: u32 = 2;

    /// Its place in the tape, for [`at_node`](Self::at_node).
    pub(crate) fn node(self) -> u32 {
        self.at
    }

    /// The value of the same document that has this place in the tape.
    pub(crate) fn at_node(self, node: u32) -> Self {
        Self { at: node, ..self }
    }

    pub(crate) fn kind(self) -> Kind {
        match self.first_byte() {
            Some(b'{') => Kind::Object,
            Some(b'[') => Kind::Array,
            Some(b'"') if self.is_flagged(0) => Kind::Key,
            Some(b'"') => Kind::String,
            _ => Kind::Scalar,
        }
    }

    pub(crate) fn is_object(self) -> bool {
        self.kind() == Kind::Object
    }

    pub(crate) fn is_array(self) -> bool {
        self.kind() == Kind::Array
    }

    pub(crate) fn is_string(self) -> bool {
        self.kind() == Kind::String
    }

    /// Offset of the first byte in the document.
    pub(crate) fn start(self) -> usize {
        self.offset(0)
    }

    /// Offset of the byte after the value.
    pub(crate) fn end(self) -> usize {
        match self.first_byte() {
            Some(b'"') => self.offset(1),
            Some(b'{' | b'[') if self.is_flagged(0) => self.end_of_empty(),
            Some(b'{' | b'[') => self.offset(2),
            _ => self.end_of_scalar(),
        }
    }

    /// The value as it is written.
    pub(crate) fn raw(self) -> &'t str {
        self.source
            .get(self.start()..self.end())
            .unwrap_or_default()
    }

    /// The content between the quotes of a string or member name, as written; empty for other kinds.
    pub(crate) fn raw_content(self) -> &'t str {
        self.content().map_or("", |(raw, _)| raw)
    }

    /// The decoded text of a string or member name; empty for other kinds.
    pub(crate) fn text(self) -> Cow<'t, str> {
        match self.content() {
            Some((raw, true)) => Cow::Owned(decode(raw)),
            Some((raw, false)) => Cow::Borrowed(raw),
            None => Cow::Borrowed(""),
        }
    }

    /// Whether this is a string or a member name whose decoded text is exactly this.
    #[inline]
    pub(crate) fn is_text(self, text: &str) -> bool {
        // Nearly always the length tells, whatever the word means in a value of another kind.
        let end = self.word(1);
        let may_be = end & FLAG != 0 || end as usize == self.start() + text.len() + 2;
        may_be && self.has_text(text)
    }

    #[inline(never)]
    fn has_text(self, text: &str) -> bool {
        if self.is_escaped() {
            return self.text() == text;
        }
        let start = self.start() + 1;
        let content = self.source.as_bytes().get(start..start + text.len());
        self.first_byte() == Some(b'"') && content == Some(text.as_bytes())
    }

    /// The content of a string or member name, and whether it has escapes.
    #[inline]
    fn content(self) -> Option<(&'t str, bool)> {
        let [start, end, ..] = self.tape.words.get(self.at as usize..)? else {
            return None;
        };
        let (start, is_escaped) = ((start & !FLAG) as usize, end & FLAG != 0);
        if self.source.as_bytes().get(start) != Some(&b'"') {
            return None;
        }
        let end = (end & !FLAG) as usize;
        let raw = self.source.get(start + 1..end - 1)?;
        Some((raw, is_escaped))
    }

    /// The members of an object in order, duplicates included; none for other kinds.
    pub(crate) fn members(self) -> impl Iterator<Item = (Self, Self)> {
        let (mut at, end) = self.places(Kind::Object);
        std::iter::from_fn(move || {
            let (key, value) = (self.at_node(at), self.at_node(at + Self::KEY_WORDS));
            (at < end).then(|| {
                at = value.next();
                (key, value)
            })
        })
    }

    /// The elements of an array in order; none for other kinds.
    pub(crate) fn elements(self) -> impl Iterator<Item = Self> {
        let (mut at, end) = self.places(Kind::Array);
        std::iter::from_fn(move || {
            let element = self.at_node(at);
            (at < end).then(|| {
                at = element.next();
                element
            })
        })
    }

    /// The last member of this name: the one that most parsers take.
    pub(crate) fn member(self, name: &str) -> Option<Self> {
        self.members()
            .filter(|(key, _)| key.is_text(name))
            .map(|(_, value)| value)
            .last()
    }

    /// The last member of each name, in one pass.
    pub(crate) fn members_named<const N: usize>(self, names: [&str; N]) -> [Option<Self>; N] {
        let mut found = [None; N];
        for (key, value) in self.members() {
            for (found, name) in found.iter_mut().zip(names) {
                if key.is_text(name) {
                    *found = Some(value);
                }
            }
        }
        found
    }

    /// This value and all below it that are objects, in document order.
    pub(crate) fn objects(self) -> impl Iterator<Item = Self> {
        let end = self.next();
        let mut at = self.at;
        std::iter::from_fn(move || {
            while at < end {
                let value = self.at_node(at);
                let is_object = value.first_byte() == Some(b'{');
                at = value.first_child().unwrap_or_else(|| value.next());
                if is_object {
                    return Some(value);
                }
            }
            None
        })
    }

    /// Where the values within an object or array of this kind begin and end in the tape.
    fn places(self, kind: Kind) -> (u32, u32) {
        let first = self.first_child().filter(|_| self.kind() == kind);
        first.map_or((0, 0), |first| (first, self.word(1)))
    }

    /// The place of the first value within an object or array that is not empty.
    fn first_child(self) -> Option<u32> {
        let is_container = matches!(self.first_byte(), Some(b'{' | b'['));
        (is_container && !self.is_flagged(0)).then_some(self.at + CONTAINER_WORDS)
    }

    /// The place after this value and all within it.
    fn next(self) -> u32 {
        match self.first_byte() {
            Some(b'"') => self.at + Self::KEY_WORDS,
            Some(b'{' | b'[') if !self.is_flagged(0) => self.word(1),
            _ => self.at + 1,
        }
    }

    fn is_escaped(self) -> bool {
        self.first_byte() == Some(b'"') && self.is_flagged(1)
    }

    fn end_of_empty(self) -> usize {
        let inside = self.start() + 1;
        let space = self.source.as_bytes().get(inside..).unwrap_or_default();
        inside + space.iter().take_while(|byte| is_space(**byte)).count() + 1
    }

    fn end_of_scalar(self) -> usize {
        let rest = self.source.as_bytes().get(self.start()..);
        let is_within = |byte: &&u8| !matches!(byte, b',' | b']' | b'}') && !is_space(**byte);
        self.start()
            + rest
                .unwrap_or_default()
                .iter()
                .take_while(is_within)
                .count()
    }

    fn first_byte(self) -> Option<u8> {
        self.source.as_bytes().get(self.start()).copied()
    }

    fn offset(self, word: u32) -> usize {
        (self.word(word) & !FLAG) as usize
    }

    fn is_flagged(self, word: u32) -> bool {
        self.word(word) & FLAG != 0
    }

    /// One of the words of this value.
    fn word(self, number: u32) -> u32 {
        let at = self.at as usize + number as usize;
        // There is one, unless the tape is of another document.
        self.tape.words.get(at).copied().unwrap_or(u32::MAX)
    }
}

/// Whether JSON allows a byte between values (RFC 8259, section 2).
pub(super) const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\t' | b'\r')
}

impl std::fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} at {}..{}", self.kind(), self.start(), self.end())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_and_elements_keep_their_source_text() {
        let source = "\u{feff} {\"a\" : [1.10, \"x\\ny\", {}], \"\\u0062\":NaN, \"a\":null}";
        let tape = Tape::scan(source, 8).unwrap();
        let root = tape.root(source);
        let members: Vec<_> = root
            .members()
            .map(|(k, v)| (k.text().into_owned(), v.raw()))
            .collect();
        assert_eq!(
            members,
            [
                ("a".to_owned(), "[1.10, \"x\\ny\", {}]"),
                ("b".to_owned(), "NaN"),
                ("a".to_owned(), "null")
            ]
        );
        let list = root.members().next().unwrap().1;
        let texts: Vec<_> = list
            .elements()
            .map(|e| (e.raw(), e.text().into_owned()))
            .collect();
        assert_eq!(
            texts,
            [
                ("1.10", String::new()),
                ("\"x\\ny\"", "x\ny".to_owned()),
                ("{}", String::new())
            ]
        );
        assert_eq!(root.member("a").unwrap().raw(), "null");
    }

    #[test]
    fn the_end_of_every_kind_of_value_is_found() {
        let source =
            "[ 0 , { } ,[],\"\", \"a\\n\",[[-1.5e3 ]],{\"k\":[ ] , \"l\" : true}\t,{\"\":[0]}]";
        let tape = Tape::scan(source, 8).unwrap();
        let raws: Vec<_> = tape.root(source).elements().map(Value::raw).collect();
        assert_eq!(
            raws,
            [
                "0",
                "{ }",
                "[]",
                "\"\"",
                "\"a\\n\"",
                "[[-1.5e3 ]]",
                "{\"k\":[ ] , \"l\" : true}",
                "{\"\":[0]}"
            ]
        );
        assert_eq!(tape.root(source).raw(), source);
        let strings: Vec<_> = tape.strings(source).map(|s| (s.kind(), s.raw())).collect();
        assert_eq!(
            strings,
            [
                (Kind::String, "\"\""),
                (Kind::String, "\"a\\n\""),
                (Kind::Key, "\"k\""),
                (Kind::Key, "\"l\""),
                (Kind::Key, "\"\"")
            ]
        );
        for scalar in ["7", " NaN ", "{ }"] {
            let tape = Tape::scan(scalar, 8).unwrap();
            assert_eq!(tape.root(scalar).raw(), scalar.trim());
        }
    }

    /// 20 million messages `{}` once took 320 MB.
    #[test]
    fn the_tape_of_small_values_is_not_much_larger_than_the_document() {
        for value in ["{},", "0,", "\"\",", "[],", "{\"a\":0},"] {
            let source = format!("[{}0]", value.repeat(10_000));
            let tape = Tape::scan(&source, 8).unwrap();
            let bytes = tape.words.len() * size_of::<u32>();
            assert!(bytes <= 3 * source.len() + 64, "{value} {bytes}");
        }
    }
}
