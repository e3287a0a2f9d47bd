//! The state of one pass over one text.

use super::assigned::LastName;
use super::table::Seen;
use super::vendor::Attempts;
use super::{Detection, bytes};
use std::ops::Range;

/// The text, and what was found in it so far.
pub(super) struct Pass<'t, 'f> {
    pub(super) text: &'t [u8],
    source: &'t str,
    found: &'f mut Vec<Detection>,
    /// Digit runs before this place belong to a number that was looked at.
    pub(super) numbers_until: usize,
    pub(super) addresses: Guard,
    pub(super) assigned: Guard,
    pub(super) last_name: LastName,
    /// The last value that was found near a name.
    pub(super) nearby_value: Range<usize>,
    /// The last value near a name that was judged, and whether it was accepted.
    pub(super) nearby_judged: (Range<usize>, bool),
    /// A part of the text that no long word begins in.
    pub(super) short_words: Range<usize>,
    pub(super) attempts: Attempts,
    pub(super) blocks: Guard,
    pub(super) commands: Guard,
    pub(super) credentials: Guard,
    pub(super) nearby: Guard,
    pub(super) tables: Seen,
    pub(super) personal_tables: Seen,
    pub(super) urls: Guard,
    pub(super) web_keys: Guard,
    /// Text without digits and line ends.
    no_digits: Run,
    /// Text of a value that is read over.
    pub(super) others: Run,
    /// A place up to which it is known where the next `@` stands, and that place.
    next_sign: (usize, usize),
}

/// Bounds how often overlapping ranges are looked at, so that repeated anchors cost linear time.
#[derive(Debug, Default)]
pub(super) struct Guard {
    until: usize,
    tries: u8,
}

/// Ranges that may overlap one another before the rest of them is skipped.
const MAX_OVERLAPPING: u8 = 3;

impl Guard {
    /// Whether what starts at `start` lies in a range that was looked at often enough.
    pub(super) const fn is_spent(&self, start: usize) -> bool {
        start < self.until && self.tries >= MAX_OVERLAPPING
    }

    /// Where what was looked at ends.
    pub(super) const fn until(&self) -> usize {
        self.until
    }

    /// Notes that everything from `start` to `reach` was looked at.
    pub(super) fn spend(&mut self, start: usize, reach: usize) {
        if start >= self.until {
            self.tries = 0;
        }
        self.tries = self.tries.saturating_add(1);
        self.until = self.until.max(reach);
    }

    /// Whether to look at what starts at `start` and reaches `reach`.
    pub(super) fn admits(&mut self, start: usize, reach: usize) -> bool {
        if self.is_spent(start) {
            return false;
        }
        self.spend(start, reach);
        true
    }
}

/// A run of bytes of one kind, which is looked through once, from wherever it is asked for.
#[derive(Debug, Default)]
pub(super) struct Run(Range<usize>);

impl Run {
    /// Where the run from `start` on ends, of at most `limit` bytes.
    pub(super) fn end(
        &mut self,
        text: &[u8],
        start: usize,
        limit: usize,
        belongs: impl Fn(u8) -> bool,
    ) -> usize {
        let known = &mut self.0;
        if !(known.start..=known.end).contains(&start) {
            *known = start..start;
        }
        let until = start + limit;
        if known.end < until {
            known.end += bytes::run(text, known.end, until - known.end, belongs);
        }
        known.end.min(until)
    }
}

impl<'t, 'f> Pass<'t, 'f> {
    pub(super) fn new(source: &'t str, found: &'f mut Vec<Detection>) -> Self {
        Self {
            text: source.as_bytes(),
            source,
            found,
            numbers_until: 0,
            addresses: Guard::default(),
            assigned: Guard::default(),
            last_name: LastName::default(),
            nearby_value: 0..0,
            nearby_judged: (0..0, false),
            short_words: 0..0,
            attempts: Attempts::default(),
            blocks: Guard::default(),
            commands: Guard::default(),
            credentials: Guard::default(),
            nearby: Guard::default(),
            tables: Seen::default(),
            personal_tables: Seen::default(),
            urls: Guard::default(),
            web_keys: Guard::default(),
            no_digits: Run::default(),
            others: Run::default(),
            next_sign: (0, 0),
        }
    }

    /// Keeps a detection, unless it is empty, cuts a character or touches a token.
    pub(super) fn push(&mut self, detection: Detection) {
        let (start, end) = (detection.start, detection.end);
        let whole = self
            .source
            .get(start..end)
            .is_some_and(|value| !value.is_empty());
        if whole && !touches_token(self.text, start, end) {
            self.found.push(detection);
        }
    }

    /// Where the next `@` stands from `start` on; beyond every text where there is none.
    pub(super) fn next_sign(&mut self, start: usize) -> usize {
        let (from, sign) = self.next_sign;
        if start < from || start > sign || sign == from {
            let rest = bytes::slice(self.text, start, self.text.len());
            let sign = memchr::memchr(b'@', rest).map_or(usize::MAX, |index| start + index);
            self.next_sign = (start, sign);
        }
        self.next_sign.1
    }

    /// Whether a digit stands in the `reach` bytes from `start` on, before the line ends.
    pub(super) fn digit_follows(&mut self, start: usize, reach: usize) -> bool {
        let neither = |byte: u8| byte != b'\n' && !byte.is_ascii_digit();
        let end = self.no_digits.end(self.text, start, reach, neither);
        bytes::at(self.text, end).is_ascii_digit()
    }

    /// The text from `start` to `end`, empty when that cuts a character.
    pub(super) fn str(&self, start: usize, end: usize) -> &'t str {
        self.source.get(start..end).unwrap_or_default()
    }
}

/// Longest token that another module recognises, in bytes.
const TOKEN: usize = 96;
const OPENINGS: &[&[u8]] = &[b"<MASK_", b"[REDACTED_", b"[MASKED"];

/// Whether a range overlaps `<MASK_EMAIL_1>`, `[REDACTED_EMAIL]` or `[MASKED]`.
fn touches_token(text: &[u8], start: usize, end: usize) -> bool {
    let window_start = start.saturating_sub(TOKEN);
    let window = bytes::slice(text, window_start, text.len().min(end));
    memchr::memchr2_iter(b'<', b'[', window).any(|index| {
        let opens = window_start + index;
        let begins = bytes::slice(window, index, window.len());
        OPENINGS.iter().any(|opening| begins.starts_with(opening)) && {
            let closes = bytes::run(text, opens, TOKEN, |byte| byte != b'>' && byte != b']');
            opens + closes >= start
        }
    })
}
