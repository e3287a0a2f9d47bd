//! Event stream framing (WHATWG HTML, section 9.2.6), byte for byte.
//!
//! LF, CRLF and CR end lines; a byte order mark may stand first; the last event may lack its blank
//! line. Nothing is normalised: an [`Event`] knows its own bytes.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr2, memchr2_iter};

/// Cuts a stream into events as its bytes arrive.
#[derive(Debug, Default)]
pub(crate) struct Framing {
    buffer: Vec<u8>,
    /// Where the incomplete event begins. Everything before was returned.
    event: usize,
    /// Where its line begins that is not complete yet.
    line: usize,
    /// How far that line is known not to end.
    searched: usize,
    /// Whether there is a field between `event` and `line`.
    has_field: bool,
    /// The last line ended in CR: an LF that follows belongs to it.
    after_cr: bool,
}

impl Framing {
    /// Adds the next bytes. [`next`](Self::next) returns what is complete.
    pub(crate) fn push(&mut self, chunk: &[u8]) {
        let taken = self.event;
        self.buffer.drain(..taken);
        self.event = 0;
        self.line -= taken;
        self.searched -= taken;
        self.buffer.extend_from_slice(chunk);
    }

    /// The next complete event, comment or blank line, unchanged.
    pub(crate) fn next(&mut self) -> Option<&[u8]> {
        if self.after_cr && self.buffer.get(self.line) == Some(&b'\n') {
            self.after_cr = false;
            if self.line == self.event {
                return Some(self.take(self.event + 1));
            }
            self.line += 1;
            self.searched = self.line;
        }
        while let Some(end) = self.line_end() {
            let line = self.buffer.get(self.line..end).unwrap_or_default();
            let content = line.strip_suffix(b"\n").unwrap_or(line);
            let content = content.strip_suffix(b"\r").unwrap_or(content);
            let (blank, comment) = (content.is_empty(), content.starts_with(b":"));
            self.after_cr = line.ends_with(b"\r");
            (self.line, self.searched) = (end, end);
            if blank || (comment && !self.has_field) {
                return Some(self.take(end));
            }
            self.has_field |= !comment;
        }
        None
    }

    /// What is left at the end of the stream: an event without its blank line.
    pub(crate) fn rest(&mut self) -> &[u8] {
        self.take(self.buffer.len())
    }

    /// Whether the next byte begins a new line, outside of any event.
    pub(crate) fn is_between_events(&self) -> bool {
        self.event == self.buffer.len()
    }

    fn line_end(&mut self) -> Option<usize> {
        let open = self.buffer.get(self.searched..)?;
        let Some(found) = memchr2(b'\n', b'\r', open) else {
            self.searched = self.buffer.len();
            return None;
        };
        let at = self.searched + found;
        let is_crlf = self.buffer.get(at..at + 2) == Some(b"\r\n");
        Some(at + if is_crlf { 2 } else { 1 })
    }

    fn take(&mut self, end: usize) -> &[u8] {
        let start = self.event;
        (self.event, self.line, self.searched) = (end, end, end);
        self.has_field = false;
        self.buffer.get(start..end).unwrap_or_default()
    }
}

/// What begins each line of data except for the first.
const NEXT_LINE: &str = "\ndata: ";

/// One event, read.
#[derive(Debug)]
pub(crate) struct Event<'e> {
    raw: &'e str,
    /// The value of its last `event` field.
    pub(crate) name: Option<&'e str>,
    /// The places of the values of its `data` fields.
    data: Vec<Range<usize>>,
}

impl<'e> Event<'e> {
    pub(crate) fn read(raw: &'e str) -> Self {
        let mut event = Self {
            raw,
            name: None,
            data: Vec::new(),
        };
        let mut start = if raw.starts_with('\u{feff}') {
            '\u{feff}'.len_utf8()
        } else {
            0
        };
        while start < raw.len() {
            let line = raw.get(start..).unwrap_or_default();
            let length = memchr2(b'\n', b'\r', line.as_bytes()).unwrap_or(line.len());
            event.field(start, line.get(..length).unwrap_or_default());
            start += length + 1;
        }
        event
    }

    fn field(&mut self, start: usize, line: &'e str) {
        let colon = line.find(':').unwrap_or(line.len());
        let value = line.get(colon + 1..).unwrap_or_default();
        let value = value.strip_prefix(' ').unwrap_or(value);
        let end = start + line.len();
        match line.get(..colon) {
            Some("data") => self.data.push(end - value.len()..end),
            Some("event") => self.name = Some(value),
            _ => {}
        }
    }

    /// Where its data begins, if that is on one line.
    pub(crate) fn data_start(&self) -> Option<usize> {
        match self.data.as_slice() {
            [only] => Some(only.start),
            _ => None,
        }
    }

    /// What stands before its data and behind it, if that is on one line.
    pub(crate) fn around_data(&self) -> Option<(&'e str, &'e str)> {
        match self.data.as_slice() {
            [only] => Some((self.raw.get(..only.start)?, self.raw.get(only.end..)?)),
            _ => None,
        }
    }

    /// Its data, lines joined by LF; `None` when it has none.
    pub(crate) fn data(&self) -> Option<Cow<'e, str>> {
        let line = |range: &Range<usize>| self.raw.get(range.clone()).unwrap_or_default();
        match self.data.as_slice() {
            [] => None,
            [only] => Some(Cow::Borrowed(line(only))),
            several => {
                let lines: Vec<_> = several.iter().map(line).collect();
                Some(Cow::Owned(lines.join("\n")))
            }
        }
    }

    /// Where in the event with other data a place of that data is.
    pub(crate) fn place_of(&self, data: &str, place: usize) -> usize {
        let before = data.get(..place).unwrap_or_default();
        let lines = before.matches(['\n', '\r']).count();
        let start = self.data.first().map_or(0, |first| first.start);
        start + place + lines * (NEXT_LINE.len() - 1)
    }

    /// Appends the event with other data instead of its own.
    pub(crate) fn write_with(&self, data: &str, out: &mut Vec<u8>) {
        let (Some(first), Some(last)) = (self.data.first(), self.data.last()) else {
            return;
        };
        out.extend_from_slice(self.raw.get(..first.start).unwrap_or_default().as_bytes());
        let mut from = 0;
        for end in memchr2_iter(b'\n', b'\r', data.as_bytes()) {
            out.extend_from_slice(data.get(from..end).unwrap_or_default().as_bytes());
            out.extend_from_slice(NEXT_LINE.as_bytes());
            from = end + 1;
        }
        out.extend_from_slice(data.get(from..).unwrap_or_default().as_bytes());
        // Fields between two data lines are moved after them, because their order does not matter.
        for between in self.data.windows(2) {
            let [one, two] = between else { continue };
            let line = self.raw.get(one.end..two.start).unwrap_or_default();
            let fields = line
                .rfind(['\n', '\r'])
                .map_or("", |at| line.get(..at).unwrap_or_default());
            out.extend_from_slice(fields.trim_end_matches(['\n', '\r']).as_bytes());
        }
        out.extend_from_slice(self.raw.get(last.end..).unwrap_or_default().as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(chunks: &[&[u8]]) -> Vec<String> {
        let mut framing = Framing::default();
        let mut out: Vec<String> = Vec::new();
        for chunk in chunks {
            framing.push(chunk);
            while let Some(frame) = framing.next() {
                out.push(String::from_utf8(frame.to_vec()).unwrap());
            }
        }
        out.push(String::from_utf8(framing.rest().to_vec()).unwrap());
        out
    }

    #[test]
    fn a_blank_line_ends_an_event_with_any_line_ending() {
        for end in ["\n", "\r\n", "\r"] {
            let stream = [
                "event: a", "data: 1", "", ": ping", "data:2", "data:3", "", "data: 4",
            ]
            .join(end);
            let expected = [
                ["event: a", "data: 1", "", ""].join(end),
                [": ping", ""].join(end),
                ["data:2", "data:3", "", ""].join(end),
                "data: 4".to_owned(),
            ];
            assert_eq!(frames(&[stream.as_bytes()]), expected);
            let bytes: Vec<_> = stream.as_bytes().chunks(1).collect();
            assert_eq!(frames(&bytes).concat(), stream);
        }
    }

    #[test]
    fn fields_are_read_as_the_standard_says() {
        let raw = "\u{feff}event:x\r\ndata: a\r\nid: 1\r\ndata:  b\r\ndata\r\n: c\r\n\r\n";
        let event = Event::read(raw);
        assert_eq!(event.name, Some("x"));
        assert_eq!(event.data().unwrap(), "a\n b\n");
        assert!(Event::read(": only a comment\n\n").data().is_none());
    }

    #[test]
    fn single_line_data_is_separated_from_the_other_fields() {
        let around = |raw| Event::read(raw).around_data();
        assert_eq!(
            around("event: x\ndata: a\nid: 7\n\n"),
            Some(("event: x\ndata: ", "\nid: 7\n\n"))
        );
        assert_eq!(around("data: a\ndata: b\n\n"), None);
        assert_eq!(around(": only a comment\n\n"), None);
    }

    #[test]
    fn replacing_data_keeps_the_other_fields() {
        let replaced = |raw: &str, data: &str| {
            let mut out = Vec::new();
            Event::read(raw).write_with(data, &mut out);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(
            replaced("event: x\r\ndata:a\r\n\r\n", "b"),
            "event: x\r\ndata:b\r\n\r\n"
        );
        let lines = replaced("data: a\nid: 7\ndata: b\n: c\n\n", "1\n2\n3");
        let event = Event::read(&lines);
        assert_eq!(event.data().unwrap(), "1\n2\n3");
        assert!(
            lines.contains("\nid: 7\n") && lines.ends_with("\n: c\n\n"),
            "{lines:?}"
        );
    }
}
