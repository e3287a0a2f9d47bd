//! Splits a byte stream into JSON values: one per line, or the elements of a list.

use std::ops::Range;

use memchr::memchr2;

/// What separates the values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    /// A value ends with its line.
    Lines,
    /// The elements of one list.
    List,
}

/// A part of the bytes that arrived.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Part<'b> {
    Value(&'b [u8]),
    /// White space, commas and the brackets of the list.
    Between(&'b [u8]),
}

/// The code at the beginning of a line, and the JSON after it: `0:"text"`, as in the AI SDK's data
/// streams.
pub(crate) fn code_of(line: &[u8]) -> Option<(&[u8], &[u8])> {
    match line {
        [code, b':', b'"' | b'{' | b'[', ..] if code.is_ascii_alphanumeric() => {
            line.split_at_checked(2)
        }
        _ => None,
    }
}

/// Cuts bytes into values.
#[derive(Debug)]
pub(crate) struct Values {
    layout: Layout,
    buffer: Vec<u8>,
    /// Where the unconsumed part begins.
    start: usize,
    /// How far the value that begins there was read.
    read: usize,
    depth: usize,
    in_string: bool,
    /// The list's own bracket was consumed.
    is_open: bool,
    /// Up to where only separators were found after the first value.
    behind: usize,
    /// Up to where the end of a value that is not an object, list or string was not found.
    searched: usize,
}

impl Values {
    pub(crate) const fn new(layout: Layout) -> Self {
        Self {
            layout,
            buffer: Vec::new(),
            start: 0,
            read: 0,
            depth: 0,
            in_string: false,
            is_open: false,
            behind: 0,
            searched: 0,
        }
    }

    pub(crate) const fn layout(&self) -> Layout {
        self.layout
    }

    /// Adds the next bytes. [`next`](Self::next) returns what is complete.
    pub(crate) fn push(&mut self, chunk: &[u8]) {
        self.buffer.drain(..self.start);
        self.read -= self.start;
        self.searched = self.searched.saturating_sub(self.start);
        self.start = 0;
        self.buffer.extend_from_slice(chunk);
    }

    /// Whether nothing is left.
    pub(crate) fn is_empty(&self) -> bool {
        self.start == self.buffer.len()
    }

    /// The next part.
    pub(crate) fn next(&mut self) -> Option<Part<'_>> {
        let between = self.between(self.start);
        if between > self.start && self.read == self.start {
            self.is_open = true;
            return Some(Part::Between(self.take(between)));
        }
        let end = self.value_end()?;
        Some(Part::Value(self.take(end)))
    }

    /// Whether another object begins on a line after the first value.
    pub(crate) fn begins_another(&mut self) -> bool {
        let Some(end) = self.value_end() else {
            return false;
        };
        let next = self.between(end.max(self.behind));
        self.behind = next;
        self.buffer.get(next) == Some(&b'{') && self.slice(end..next).contains(&b'\n')
    }

    /// What is left at the end.
    pub(crate) fn rest(&mut self) -> Vec<u8> {
        let mut rest = std::mem::take(&mut self.buffer);
        rest.drain(..self.start);
        (self.start, self.read) = (0, 0);
        rest
    }

    fn slice(&self, range: Range<usize>) -> &[u8] {
        self.buffer.get(range).unwrap_or_default()
    }

    /// The end of what separates values from here on.
    fn between(&self, from: usize) -> usize {
        let is_list = self.layout == Layout::List;
        let separates = |&&byte: &&u8| match byte {
            b' ' | b'\t' | b'\r' | b'\n' => true,
            // Of JSON text sequences (RFC 7464, section 2.2).
            0x1e => !is_list,
            b',' | b']' => is_list,
            b'[' => is_list && !self.is_open,
            _ => false,
        };
        let rest = self.slice(from..self.buffer.len());
        from + rest.iter().take_while(separates).count()
    }

    /// The end of the first unconsumed value, once it has arrived.
    fn value_end(&mut self) -> Option<usize> {
        if self.read > self.start && self.depth == 0 && !self.in_string {
            return Some(self.read);
        }
        if !matches!(self.buffer.get(self.start)?, b'{' | b'[' | b'"') {
            return self.text_end();
        }
        while self.read < self.buffer.len() {
            self.step();
            if self.depth == 0 && !self.in_string && self.read <= self.buffer.len() {
                return Some(self.read);
            }
        }
        None
    }

    /// The end of a value that is not an object, list or string.
    fn text_end(&mut self) -> Option<usize> {
        let is_end = |byte: &u8| match self.layout {
            Layout::Lines => *byte == b'\n',
            Layout::List => matches!(byte, b',' | b']' | b'\n'),
        };
        let from = self.searched.max(self.start);
        let rest = self.slice(from..self.buffer.len());
        let found = rest.iter().position(is_end);
        self.searched = self.buffer.len();
        Some(from + found?)
    }

    /// Reads on by one byte, or to the end of a stretch of a string.
    fn step(&mut self) {
        let Some(&byte) = self.buffer.get(self.read) else {
            return;
        };
        if self.in_string {
            let rest = self.slice(self.read..self.buffer.len());
            let Some(at) = memchr2(b'"', b'\\', rest) else {
                self.read = self.buffer.len();
                return;
            };
            self.in_string = rest.get(at) == Some(&b'\\');
            self.read += at + if self.in_string { 2 } else { 1 };
            return;
        }
        self.read += 1;
        match byte {
            b'"' => self.in_string = true,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
    }

    fn take(&mut self, end: usize) -> &[u8] {
        let start = self.start;
        (self.start, self.read, self.searched) = (end, end, end);
        self.slice(start..end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(layout: Layout, chunks: &[&[u8]]) -> Vec<String> {
        let mut values = Values::new(layout);
        let mut out = Vec::new();
        for chunk in chunks {
            values.push(chunk);
            while let Some(part) = values.next() {
                if let Part::Value(value) = part {
                    out.push(String::from_utf8(value.to_vec()).unwrap());
                }
            }
        }
        out.push(String::from_utf8(values.rest()).unwrap());
        out
    }

    #[test]
    fn values_are_separated_however_they_are_chunked() {
        let lines = "{\"a\":\"}\\\"\"}\n\r\n{\"b\":[{}]} {}\nplain text\n\"s\\\\\"\n{\"c\"";
        let expected = [
            "{\"a\":\"}\\\"\"}",
            "{\"b\":[{}]}",
            "{}",
            "plain text",
            "\"s\\\\\"",
            "{\"c\"",
        ];
        let list = "[{\"a\":\"],\"}\n,\r\n{\"b\":[1,2]},3,\"x,\\\"\"\n]\n";
        let elements = ["{\"a\":\"],\"}", "{\"b\":[1,2]}", "3", "\"x,\\\"\"", ""];
        for size in [1, 2, 3, 100] {
            let chunks: Vec<_> = lines.as_bytes().chunks(size).collect();
            assert_eq!(parts(Layout::Lines, &chunks), expected);
            let chunks: Vec<_> = list.as_bytes().chunks(size).collect();
            assert_eq!(parts(Layout::List, &chunks), elements);
        }
    }

    #[test]
    fn a_document_ending_in_a_newline_is_not_a_stream() {
        let begins_another = |text: &[u8]| {
            let mut values = Values::new(Layout::Lines);
            values.push(text);
            values.begins_another()
        };
        assert!(!begins_another(b"{\n \"a\": 1\n}\n"));
        assert!(!begins_another(b"{\"a\": 1} {"));
        assert!(begins_another(b"{\"a\": 1}\n{"));
    }
}
