//! Reads the arguments of a command, from a shell line or a list of strings.

use crate::detect::bytes::{self, at, before};
use crate::detect::text::scanner;
use std::ops::Range;

/// The maximum distance of an argument from its command, in bytes.
pub(in crate::detect) const REACH: usize = 4096;
/// Longest argument, in bytes.
const LONGEST: usize = scanner::LONG;
/// The most spaces between two arguments.
const MOST_SPACES: usize = 64;

/// The arguments from a place on. Each still has its quotes.
#[derive(Debug)]
pub(in crate::detect) struct Arguments<'t> {
    text: &'t [u8],
    from: usize,
    limit: usize,
    /// Whether they are strings of a list: `["mysql", "-px"]`.
    is_list: bool,
}

impl<'t> Arguments<'t> {
    /// The arguments of the command whose words end at `from`; `None` if there are none.
    pub(in crate::detect) fn behind(text: &'t [u8], from: usize) -> Option<Self> {
        let close = quote_at(text, from).map_or(from, |quote| from + quote);
        let comma = close + bytes::run(text, close, MOST_SPACES, |byte| byte == b' ');
        let is_list = close > from && at(text, comma) == b',';
        if !is_list && !matches!(at(text, from), b' ' | b'\t' | b'<') {
            return None;
        }
        let from = if is_list { comma } else { from };
        Some(Self {
            text,
            from,
            limit: from + REACH,
            is_list,
        })
    }

    /// Those of a line from `from` to `limit`.
    pub(in crate::detect) const fn within(text: &'t [u8], from: usize, limit: usize) -> Self {
        Self {
            text,
            from,
            limit,
            is_list: false,
        }
    }

    fn next_in_line(&mut self) -> Option<Range<usize>> {
        let text = self.text;
        let start = argument_start(text, self.from);
        let ends = match at(text, start) {
            b'\n' | b'\r' | b'|' | b';' | b'`' | 0 => true,
            b'&' => matches!(at(text, start + 1), b'&' | b' '),
            _ => false,
        };
        let end = end(text, start);
        self.from = end;
        (!ends && end > start).then_some(start..end)
    }

    fn next_in_list(&mut self) -> Option<Range<usize>> {
        let text = self.text;
        let gap = |byte: u8| byte.is_ascii_whitespace() || matches!(byte, b',' | b'[');
        let start = self.from + bytes::run(text, self.from, MOST_SPACES, gap);
        quote_at(text, start)?;
        let end = quoted_end(text, start)?;
        self.from = end;
        Some(start..end)
    }
}

impl Iterator for Arguments<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.from >= self.limit {
            return None;
        }
        if self.is_list {
            self.next_in_list()
        } else {
            self.next_in_line()
        }
    }
}

/// Skips spaces, and a line end after a backslash or, in `PowerShell`, a backquote.
fn argument_start(text: &[u8], from: usize) -> usize {
    let space = |byte: u8| matches!(byte, b' ' | b'\t');
    let mut start = from + bytes::run(text, from, MOST_SPACES, space);
    while matches!(at(text, start), b'\\' | b'`') {
        let line = start + 1 + usize::from(at(text, start + 1) == b'\r');
        if at(text, line) != b'\n' {
            break;
        }
        start = line + 1 + bytes::run(text, line + 1, MOST_SPACES, space);
    }
    start
}

/// Where the argument ends that begins at `start`: it may be quoted as a whole or in part, or hold a quote.
fn end(text: &[u8], start: usize) -> usize {
    let mut end = start;
    let is_share = at(text, start) == b'\\';
    while end < start + LONGEST {
        if let Some(quote) = quote_at(text, end) {
            match quoted_end(text, end).filter(|_| opens(text, start, end)) {
                Some(closed) => end = closed,
                None if end == start => {
                    return start + quote + bare_length(text, start + quote, false);
                }
                None if quote == 1 && bytes::is_within_value(text, start, end) => end += 1,
                None => break,
            }
            continue;
        }
        let length = bare_length(text, end, is_share);
        if length == 0 {
            break;
        }
        end += length;
    }
    without_closers(text, start, end)
}

/// Characters up to a space, a quote or an escape. Backslashes belong to what begins with one, such
/// as a network share.
fn bare_length(text: &[u8], start: usize, is_share: bool) -> usize {
    const STOPS: bytes::Set = bytes::Set::none().with_all(0, b' ').with(b"\"'`\\\x7F");
    let length = bytes::run(text, start, LONGEST, |byte| !STOPS.holds(byte));
    let next = at(text, start + length + 1);
    let is_escape = !is_share && matches!(next, b'n' | b'r' | b't' | b'u' | b'\\');
    let goes_on = at(text, start + length) == b'\\' && next.is_ascii_graphic() && !is_escape;
    length + usize::from(goes_on)
}

/// Whether a quote within an argument opens a part of it: after punctuation, or directly after a
/// short option.
fn opens(text: &[u8], start: usize, quote: usize) -> bool {
    quote == start
        || matches!(
            before(text, quote),
            b':' | b'=' | b',' | b'%' | b'/' | b'$' | b'<'
        )
        || quote == start + 2 && at(text, start) == b'-'
}

/// The length of the quote at `index`, with the backslashes before it.
fn quote_at(text: &[u8], index: usize) -> Option<usize> {
    let backslashes = bytes::run(text, index, 3, |byte| byte == b'\\');
    matches!(at(text, index + backslashes), b'"' | b'\'').then_some(backslashes + 1)
}

/// Where the string that opens at `start` ends on its line, after its closing quote.
fn quoted_end(text: &[u8], start: usize) -> Option<usize> {
    let width = quote_at(text, start)?;
    let quote = bytes::slice(text, start, start + width);
    let kind = at(text, start + width - 1);
    let first = start + width;
    let line = bytes::slice(text, first, text.len().min(first + LONGEST));
    let mut from = 0;
    loop {
        let close = from + memchr::memchr2(kind, b'\n', line.get(from..)?)?;
        if at(line, close) == b'\n' {
            return None;
        }
        let backslashes = bytes::run_back(line, close, close, |byte| byte == b'\\');
        let closes = if width == 1 {
            backslashes % 2 == 0 || kind == b'\''
        } else {
            backslashes + 1 == quote.len()
        };
        if closes {
            return Some(first + close + 1);
        }
        from = close + 1;
    }
}

/// Drops what ends a statement or an enclosing bracket.
fn without_closers(text: &[u8], start: usize, end: usize) -> usize {
    let argument = bytes::slice(text, start, end);
    let opened = |sign| memchr::memchr(sign, argument).is_some();
    let closers = argument.iter().rev().take_while(|&&byte| match byte {
        b';' | b',' => true,
        b')' => !opened(b'('),
        b']' => !opened(b'['),
        b'}' => !opened(b'{'),
        _ => false,
    });
    end - closers.count()
}

/// An argument, or a part of one, without the quotes around it.
pub(in crate::detect) fn bare(text: &[u8], argument: &Range<usize>) -> Range<usize> {
    let first = argument.start + usize::from(at(text, argument.start) == b'$');
    let Some(width) = quote_at(text, first) else {
        return argument.clone();
    };
    let (start, end) = (first + width, argument.end.saturating_sub(width));
    let closes = end >= start && at(text, argument.end - 1) == at(text, start - 1);
    if closes {
        start..end
    } else {
        start..argument.end
    }
}

/// What the command before the pipe or redirection at `end` writes: `echo x |`, `printf '%s' "x" >`, `"x" |`.
pub(in crate::detect) fn written(text: &[u8], end: usize) -> Option<Range<usize>> {
    let stop = end - bytes::run_back(text, end, MOST_SPACES, |byte| byte == b' ');
    let argument = argument_before(text, stop)?;
    let line = argument.start - bytes::line_back(text, argument.start, LONGEST_LEAD);
    let lead = bytes::slice(text, line, argument.start);
    let is_string = quote_at(text, argument.start).is_some();
    let opens = lead.is_empty() || matches!(lead.last(), Some(b'(' | b'=' | b'\n'));
    (writes(lead) || is_string && opens).then(|| bare(text, &argument))
}

/// Longest command that writes, with its options, in bytes.
const LONGEST_LEAD: usize = 48;

/// Whether a line so far is a command that writes its next argument.
fn writes(lead: &[u8]) -> bool {
    #[rustfmt::skip]
    const OPTIONS: &[&[u8]] = &[
        b"-n", b"-e", b"-ne", b"-en", b"-E", b"--", b"%s", b"'%s'", b"\"%s\"", b"'%s\\n'", b"\"%s\\n\"", b"-r", b"<",
    ];
    const WRITERS: &[&[u8]] = &[b"echo", b"printf", b"print", b"write-output", b"write-host"];
    let words = lead.split(|&byte| byte == b' ').rev();
    let mut words = words.filter(|word| !word.is_empty() && !OPTIONS.contains(word));
    let Some(last) = words.next() else {
        return false;
    };
    let start = bytes::run_back(last, last.len(), last.len(), |byte| {
        byte.is_ascii_alphabetic() || byte == b'-'
    });
    let word = bytes::slice(last, last.len() - start, last.len());
    WRITERS
        .iter()
        .any(|writer| word.eq_ignore_ascii_case(writer))
}

/// The argument that ends at `end`, with its quotes.
fn argument_before(text: &[u8], end: usize) -> Option<Range<usize>> {
    let kind = before(text, end);
    if matches!(kind, b'"' | b'\'') {
        let backslashes = bytes::run_back(text, end - 1, 3, |byte| byte == b'\\');
        let close = end - 1 - backslashes;
        let window = bytes::slice(text, close.saturating_sub(LONGEST), close);
        let open =
            memchr::memrchr2(kind, b'\n', window).filter(|&open| at(window, open) == kind)?;
        let open = close - window.len() + open;
        return Some(
            open - backslashes.min(bytes::run_back(text, open, 3, |byte| byte == b'\\'))..end,
        );
    }
    let length = bytes::run_back(text, end, LONGEST, |byte| {
        byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\'' | b'`')
    });
    (length > 0).then_some(end - length..end)
}
