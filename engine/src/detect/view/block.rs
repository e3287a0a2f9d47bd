//! Lines with the same kind of prefix, and whether they confirm each other.

use super::framed::{Framed, Side};
use super::prefix::{self, Form, Prefix};
use crate::detect::bytes::{self, at};
use std::ops::Range;

/// Lines without a number between numbered ones: parts of long lines, and `--` between matches.
const MOST_BETWEEN: usize = 3;

/// Lines one after another with prefixes of one form.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) form: Form,
    key: Range<usize>,
    number: u64,
    /// The line above.
    above: Range<usize>,
    /// How much was framed before.
    pub(super) first: usize,
    lines: usize,
    /// Numbers that are by one more than those before.
    steps: usize,
    /// Lines with the same key as the previous line.
    alike: usize,
    /// Lines without a number since the last one.
    between: usize,
    /// Lines that look like configuration, or parts of a key, or that are marked as a change.
    confirming: usize,
    /// Whether what the prefixes say may belong to the lines.
    is_doubtful: bool,
    /// What the prefixes say that may be a value.
    pub(super) message: Vec<Range<usize>>,
}

impl Form {
    const fn is_numbered(self) -> bool {
        matches!(
            self,
            Self::Tab
                | Self::Arrow
                | Self::Bar
                | Self::Colon
                | Self::Label
                | Self::Path
                | Self::Item
                | Self::Gutter
                | Self::Blame
        )
    }
}

impl Block {
    /// A block without lines yet, of the form of its first prefix.
    pub(super) fn of(prefix: &Prefix, above: Range<usize>, first: usize) -> Self {
        Self {
            form: prefix.form,
            key: prefix.key.clone(),
            number: prefix.number.unwrap_or_default(),
            above,
            first,
            lines: 0,
            steps: 0,
            alike: 0,
            between: 0,
            confirming: 0,
            is_doubtful: false,
            message: Vec::new(),
        }
    }

    /// The prefix of the next line.
    pub(super) fn next_prefix(&self, text: &[u8], line: &Range<usize>) -> Option<Prefix> {
        let path = bytes::slice(text, self.key.start, self.key.end);
        (self.form == Form::Path)
            .then(|| prefix::around(text, line.start, line.end, path))
            .flatten()
            .or_else(|| prefix::prefix(text, line.start, line.end))
    }

    /// Adds a line with a prefix of the block.
    pub(super) fn add(&mut self, text: &[u8], prefix: &Prefix, line: Range<usize>) -> Framed {
        let number = prefix.number.unwrap_or_default();
        if self.lines > 0 {
            self.steps += usize::from(number == self.number + 1);
            self.alike += usize::from(is_same(text, &self.key, &prefix.key));
        }
        self.lines += 1;
        self.number = number;
        self.key = prefix.key.clone();
        self.between = 0;
        let content = prefix.end..prefix::right_border(text, prefix, line.end).unwrap_or(line.end);
        let rest = bytes::slice(text, content.start, content.end);
        self.confirming += usize::from(match self.form {
            Form::Comment => is_telling(rest),
            Form::Gutter => matches!(bytes::before(text, prefix.end), b'+' | b'-'),
            _ => false,
        });
        self.is_doubtful |= self.form == Form::Colon && is_group(rest);
        let mark = if self.form == Form::Change {
            at(text, line.start)
        } else {
            0
        };
        Framed {
            line,
            content,
            side: Side::of(mark),
        }
    }

    /// The frame of a line without its own prefix, such as an empty one.
    pub(super) fn add_bare(&mut self, text: &[u8], line: &Range<usize>) -> Option<Framed> {
        let (start, end) = (line.start, line.end);
        let from = match self.form {
            Form::Bar => prefix::empty_bar(text, start).filter(|&from| from <= end)?,
            Form::Tab | Form::Arrow | Form::Colon => {
                let number = prefix::bare_number(text, start, end);
                number.filter(|&number| number == self.number + 1)?;
                self.number += 1;
                end
            }
            _ => return None,
        };
        Some(Framed {
            line: start..end,
            content: from..end,
            side: Side::Both,
        })
    }

    /// Whether the block may continue after a line that does not belong to it.
    pub(super) fn outlasts_other(&mut self) -> bool {
        self.between += 1;
        self.form.is_numbered() && self.between <= MOST_BETWEEN
    }

    /// Whether a line with this prefix belongs to the block.
    pub(super) fn goes_on(&self, text: &[u8], next: &Prefix) -> bool {
        let is_alike = || is_same(text, &self.key, &next.key);
        let rises = || next.number > Some(self.number);
        self.form == next.form
            && match self.form {
                Form::Tab
                | Form::Arrow
                | Form::Bar
                | Form::Colon
                | Form::Label
                | Form::Item
                | Form::Blame => rises(),
                // A removed line has the number of the added one.
                Form::Gutter => next.number >= Some(self.number),
                Form::Path => is_alike() && rises(),
                Form::Comment | Form::Border => is_alike(),
                Form::Origin => {
                    is_alike()
                        || [&self.key, &next.key]
                            .iter()
                            .all(|key| is_numbered(text, key))
                }
                Form::Quote | Form::Change | Form::Stamp => true,
            }
    }

    /// Whether the lines confirm each other.
    pub(super) fn is_framing(&self, lines: &[Framed]) -> bool {
        let added = || lines.iter().filter(|line| line.side == Side::After).count();
        self.lines > 1
            && match self.form {
                Form::Tab | Form::Bar | Form::Colon | Form::Item | Form::Blame => self.steps > 0,
                Form::Gutter => self.steps > 0 && self.confirming > 0,
                Form::Change => added() > 0,
                Form::Comment => self.confirming > 1,
                Form::Origin => self.alike > 0,
                Form::Arrow
                | Form::Label
                | Form::Path
                | Form::Quote
                | Form::Border
                | Form::Stamp => true,
            }
    }

    /// Whether what looks like framing may be a column of a table, or part of a value.
    pub(super) fn is_in_doubt(&self, text: &[u8]) -> bool {
        let above = bytes::slice(text, self.above.start, self.above.end);
        match self.form {
            Form::Tab => above.contains(&b'\t'),
            Form::Bar => above.contains(&b'|') || above.contains(&b'+'),
            Form::Origin => {
                above.contains(&b'|') || above.contains(&b'+') || self.alike + 1 < self.lines
            }
            Form::Colon => self.is_doubtful || self.steps + 1 < self.lines,
            _ => false,
        }
    }
}

/// Whether a line continues like an address in groups, or a time: `db8::1`, `30:00`.
fn is_group(rest: &[u8]) -> bool {
    const LONGEST: usize = 4;
    let group = bytes::run(rest, 0, LONGEST + 1, |byte| byte.is_ascii_hexdigit());
    group <= LONGEST && at(rest, group) == b':' || at(rest, 0).is_ascii_digit()
}

/// `name: x`, `"name": x`, `- x`, `-----END …`, and lines of a key: commented-out code.
pub(super) fn is_telling(rest: &[u8]) -> bool {
    const SHORTEST_KEY: usize = 48;
    let lead = bytes::run(rest, 0, rest.len(), |byte| {
        matches!(byte, b' ' | b'\t' | b'"' | b'\'' | b'{' | b'<' | b'-')
    });
    let word = bytes::run(rest, lead, rest.len(), |byte| {
        bytes::is_word(byte) || matches!(byte, b'-' | b'.' | b'/' | b'+')
    });
    let end = lead + word;
    let closed = end + bytes::run(rest, end, 2, |byte| matches!(byte, b'"' | b'\'' | b' '));
    let is_item = bytes::slice(rest, 0, lead).contains(&b'-');
    is_item || word >= SHORTEST_KEY || word > 0 && matches!(at(rest, closed), b':' | b'=')
}

fn is_same(text: &[u8], first: &Range<usize>, second: &Range<usize>) -> bool {
    bytes::slice(text, first.start, first.end) == bytes::slice(text, second.start, second.end)
}

/// `db-1`, `web_2`: one of several containers of a service.
fn is_numbered(text: &[u8], name: &Range<usize>) -> bool {
    let name = bytes::slice(text, name.start, name.end);
    let digits = bytes::run_back(name, name.len(), name.len(), |byte| byte.is_ascii_digit());
    digits > 0 && matches!(bytes::before(name, name.len() - digits), b'-' | b'_')
}
