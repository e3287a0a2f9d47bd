//! Fields of a form as a URL or the body of a request has them: `name=Anna+Schmidt&city=Bern`
//! (WHATWG, URL, section 5).

use crate::detect::bytes::{self, at, before};
use std::ops::Range;

/// Bytes of such fields, and of a URL before them.
const BELONG: bytes::Set = bytes::Set::word().with(b"+%.-*~=&?/:@,[]$!");

/// Tells which parts of a text are fields of a form, from its beginning to its end.
pub(super) struct Form<'t> {
    text: &'t [u8],
    /// The last run of such bytes that was examined, and where its fields begin.
    run: Range<usize>,
    fields: Option<usize>,
}

impl<'t> Form<'t> {
    pub(super) const fn new(text: &'t [u8]) -> Self {
        Self {
            text,
            run: 0..0,
            fields: None,
        }
    }

    /// Whether `index` is within fields of a form.
    pub(super) fn holds(&mut self, index: usize) -> bool {
        if !self.run.contains(&index) {
            let known = index.saturating_sub(self.run.end);
            let belongs = |byte: u8| BELONG.holds(byte);
            let start = index - bytes::run_back(self.text, index, known, belongs);
            let end = index + bytes::run(self.text, index, self.text.len(), belongs);
            self.run = start..end;
            self.fields = fields(self.text, &self.run);
        }
        self.fields.is_some_and(|first| first <= index)
    }
}

/// Where the fields of a run begin, if it has nothing else, but the URL before them.
fn fields(text: &[u8], run: &Range<usize>) -> Option<usize> {
    let is_bound = |byte: u8| {
        byte == 0
            || byte.is_ascii_whitespace()
            || matches!(
                byte,
                b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\' | b')' | b'#'
            )
    };
    if !is_bound(before(text, run.start)) || !is_bound(at(text, run.end)) {
        return None;
    }
    let all = bytes::slice(text, run.start, run.end);
    let first = memchr::memchr(b'?', all).map_or(0, |mark| mark + 1);
    let mut own = bytes::slice(all, first, all.len()).split(|byte| *byte == b'&');
    own.all(is_field).then_some(run.start + first)
}

/// `name=value`; only code and padding have another equals sign.
fn is_field(field: &[u8]) -> bool {
    let name = bytes::run(field, 0, field.len(), |byte| {
        bytes::is_word(byte) || matches!(byte, b'-' | b'.' | b'[' | b']' | b'%')
    });
    name > 0
        && at(field, name) == b'='
        && memchr::memchr(b'=', bytes::slice(field, name + 1, field.len())).is_none()
}
