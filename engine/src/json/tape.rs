//! Where the values of a document stand.

use std::borrow::Cow;

use super::scan::{self, ScanError};
use super::string::decode;

/// A scanned document: one node for each value and each member name, in document order.
#[derive(Debug)]
pub(crate) struct Tape {
    pub(super) nodes: Vec<Node>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    /// First byte: of a string, its quote.
    pub(super) start: u32,
    /// The byte after the value.
    pub(super) end: u32,
    /// The node after this value and all below it.
    pub(super) next: u32,
    pub(super) kind: Kind,
    /// A string that holds a backslash.
    pub(super) escaped: bool,
}

/// What a node is.
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
        let values = (0..).zip(&self.nodes);
        let strings = values.filter(|(_, node)| matches!(node.kind, Kind::String | Kind::Key));
        strings.map(move |(at, _)| Value {
            tape: self,
            source,
            at,
        })
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
    pub(crate) fn kind(self) -> Kind {
        self.node().kind
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
        self.node().start as usize
    }

    /// Offset of the byte after the value.
    pub(crate) fn end(self) -> usize {
        self.node().end as usize
    }

    /// The value as it is written.
    pub(crate) fn raw(self) -> &'t str {
        self.source
            .get(self.start()..self.end())
            .unwrap_or_default()
    }

    /// What stands between the quotes of a string or member name, as written.
    pub(crate) fn raw_content(self) -> &'t str {
        let raw = self.raw();
        raw.get(1..raw.len().saturating_sub(1)).unwrap_or_default()
    }

    /// The decoded text of a string or member name; empty for other kinds.
    pub(crate) fn text(self) -> Cow<'t, str> {
        let node = self.node();
        match node.kind {
            Kind::String | Kind::Key if node.escaped => Cow::Owned(decode(self.raw_content())),
            Kind::String | Kind::Key => Cow::Borrowed(self.raw_content()),
            _ => Cow::Borrowed(""),
        }
    }

    /// Whether the decoded text is exactly this.
    pub(crate) fn is_text(self, text: &str) -> bool {
        if self.node().escaped {
            self.text() == text
        } else {
            self.raw_content() == text
        }
    }

    /// The members of an object in order, duplicates included; none for other kinds.
    pub(crate) fn members(self) -> impl Iterator<Item = (Self, Self)> {
        let mut children = self.children(Kind::Object);
        std::iter::from_fn(move || Some((children.next()?, children.next()?)))
    }

    /// The elements of an array in order; none for other kinds.
    pub(crate) fn elements(self) -> impl Iterator<Item = Self> {
        self.children(Kind::Array)
    }

    /// The last member of this name: the one that most parsers take.
    pub(crate) fn member(self, name: &str) -> Option<Self> {
        self.members()
            .filter(|(key, _)| key.is_text(name))
            .map(|(_, value)| value)
            .last()
    }

    fn children(self, parent: Kind) -> impl Iterator<Item = Self> {
        let node = self.node();
        let end = if node.kind == parent { node.next } else { 0 };
        let mut at = self.at + 1;
        std::iter::from_fn(move || {
            let child = Self { at, ..self };
            (at < end).then(|| {
                at = child.node().next;
                child
            })
        })
    }

    fn node(self) -> Node {
        const NOTHING: Node = Node {
            start: 0,
            end: 0,
            next: u32::MAX,
            kind: Kind::Scalar,
            escaped: false,
        };
        self.tape
            .nodes
            .get(self.at as usize)
            .copied()
            .unwrap_or(NOTHING)
    }
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
    fn values_are_found_where_they_stand() {
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
}
