//! The state of one pass over one text.

use crate::detect::lexicon::value_class::Value;
use crate::detect::text::Text;
use crate::detect::text::marks::{Marks, Run};
use crate::detect::{Detection, bytes};
use crate::token;
use std::ops::Range;
use std::rc::Rc;

/// The longest continuation of a value that is followed, in bytes.
pub(in crate::detect) const LONG: usize = 16 * 1024;

/// The text, and what was found in it so far.
pub(in crate::detect) struct Scanner<'t, 'f> {
    pub(in crate::detect) text: &'t Text<'t>,
    found: &'f mut Vec<Detection>,
    pub(in crate::detect) marks: Marks,
    /// The last value near a name that was judged, and whether it was accepted.
    pub(in crate::detect) nearby_judged: Option<(Range<usize>, bool)>,
    /// The last value that was classified, and where it begins.
    classified: Option<(usize, Rc<Value<'t>>)>,
    /// A part of the text that no long word begins in.
    pub(in crate::detect) short_words: Range<usize>,
    /// Text without digits and line ends.
    no_digits: Run,
    /// Text of a value that is read over.
    pub(in crate::detect) others: Run,
    /// The last run of letters and digits that was searched for a number.
    word: Range<usize>,
    /// What was judged, if requested.
    pub(in crate::detect) judged: Option<Vec<crate::detect::Judged>>,
    /// A position up to which the next `@` is known, and its position.
    next_sign: (usize, usize),
}

impl<'t, 'f> Scanner<'t, 'f> {
    pub(in crate::detect) fn new(text: &'t Text<'t>, found: &'f mut Vec<Detection>) -> Self {
        Self {
            text,
            found,
            marks: Marks::default(),
            nearby_judged: None,
            classified: None,
            short_words: 0..0,
            no_digits: Run::default(),
            others: Run::default(),
            word: 0..0,
            judged: None,
            next_sign: (0, 0),
        }
    }

    /// Keeps a detection, unless it is empty, cuts a character or is a token already.
    pub(in crate::detect) fn push(&mut self, detection: Detection) {
        let (start, end) = (detection.start, detection.end);
        let whole = !self.text.str(start..end).is_empty();
        if whole && !is_token(self.text, start, end) {
            self.found.push(detection);
        }
    }

    /// Extends values found after the first `first`, as Base64 and the like, if they were not
    /// followed to their ends.
    pub(in crate::detect) fn follow_long_values(&mut self, first: usize) {
        let text = self.text;
        let mut rest = Run::default();
        let found = self.found.iter_mut().skip(first);
        for value in found.filter(|value| value.end - value.start >= LONG) {
            value.end = rest.end(text, value.end, text.len() - value.end, |byte| {
                bytes::is_word(byte) || matches!(byte, b'+' | b'/' | b'=' | b'-' | b'.' | b'~')
            });
        }
    }

    /// The position of the next `@` from `start` on; beyond every text if there is none.
    pub(in crate::detect) fn next_sign(&mut self, start: usize) -> usize {
        let (from, sign) = self.next_sign;
        if start < from || start > sign || sign == from {
            let rest = bytes::slice(self.text, start, self.text.len());
            let sign = memchr::memchr(b'@', rest).map_or(usize::MAX, |index| start + index);
            self.next_sign = (start, sign);
        }
        self.next_sign.1
    }

    /// The letters and digits around `start`, once: `None` if they were already examined.
    pub(in crate::detect) fn next_word(&mut self, start: usize) -> Option<Range<usize>> {
        if self.word.contains(&start) {
            return None;
        }
        let belongs = |byte: u8| byte.is_ascii_alphanumeric();
        let begin = start - bytes::run_back(self.text, start, start, belongs);
        let end = start + bytes::run(self.text, start, self.text.len(), belongs);
        self.word = begin..end;
        Some(begin..end)
    }

    /// Whether a place is in the word that [`Self::next_word`] gave last.
    pub(in crate::detect) fn knows_word(&self, start: usize) -> bool {
        self.word.contains(&start)
    }

    /// Whether there is a digit in the `reach` bytes from `start` on, before the line ends.
    pub(in crate::detect) fn digit_follows(&mut self, start: usize, reach: usize) -> bool {
        let neither = |byte: u8| byte != b'\n' && !byte.is_ascii_digit();
        let end = self.no_digits.end(self.text, start, reach, neither);
        bytes::at(self.text, end).is_ascii_digit()
    }

    /// The class of a value that begins at `start`. Several names in a row often have the same value.
    pub(in crate::detect) fn class(&mut self, start: usize, value: &'t str) -> Rc<Value<'t>> {
        if let Some((known, class)) = &self.classified
            && (*known, class.length) == (start, value.len())
        {
            return Rc::clone(class);
        }
        let class = Rc::new(Value::of(value));
        self.classified = Some((start, Rc::clone(&class)));
        class
    }

    /// The text from `start` to `end`, empty when that cuts a character.
    pub(in crate::detect) fn str(&self, start: usize, end: usize) -> &'t str {
        self.text.str(start..end)
    }
}

/// Whether all letters and digits of a value belong to tokens: inside `<MASK_EMAIL_1>`, or the
/// whole content of `[REDACTED_EMAIL]` or `[MASKED]`. Text around a token, or after the beginning
/// of one, is a value.
fn is_token(text: &[u8], start: usize, end: usize) -> bool {
    let name = start - bytes::run_back(text, start, token::LONGEST_CORE, token::is_core_byte);
    let bracket = name.saturating_sub(1);
    let around =
        token_end(text, bracket).filter(|_| name == start || bytes::at(text, bracket) == b'<');
    let mut at = around.unwrap_or(start);
    let mut has_token = around.is_some();
    while at < end {
        if let Some(token_end) = token_end(text, at) {
            at = token_end;
            has_token = true;
        } else if bytes::at(text, at).is_ascii_alphanumeric() || !bytes::at(text, at).is_ascii() {
            return false;
        } else {
            at += 1;
        }
    }
    has_token
}

/// Where the token ends that begins at `start`.
fn token_end(text: &[u8], start: usize) -> Option<usize> {
    let run = |belongs: fn(u8) -> bool| {
        let length = bytes::run(text, start + 1, token::LONGEST_CORE, belongs);
        bytes::slice(text, start + 1, start + 1 + length)
    };
    let (closing, name) = match bytes::at(text, start) {
        b'<' => (b'>', run(token::is_core_byte)),
        b'[' => (
            b']',
            run(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_'),
        ),
        _ => return None,
    };
    let is_named = match closing {
        b'>' => str::from_utf8(name).is_ok_and(token::is_core),
        _ => name.starts_with(b"REDACTED_") || name.starts_with(b"MASKED"),
    };
    let end = start + 1 + name.len();
    (is_named && bytes::at(text, end) == closing).then_some(end + 1)
}
