//! Passwords of several words: `passphrase: correct horse battery staple`.

use std::ops::Range;

use crate::detect::bytes;
use crate::detect::judge::{Form, phrase};

/// A longer line is prose, in bytes.
const LONGEST: usize = 256;

/// The password that begins with a word, up to the end of its line, if that has nothing but words that people choose.
pub(super) fn whole(text: &[u8], form: Form, first: &Range<usize>) -> Option<Range<usize>> {
    let is_word = |word: &[u8]| !word.is_empty() && word.iter().all(u8::is_ascii_lowercase);
    let own = bytes::slice(text, first.start, first.end);
    if !matches!(form, Form::Colon | Form::Spaced) || !is_word(own) {
        return None;
    }
    let length = bytes::run(text, first.end, LONGEST, |byte| {
        !matches!(byte, b'\r' | b'\n')
    });
    let rest = bytes::slice(text, first.end, first.end + length).trim_ascii_end();
    let words = str::from_utf8(rest.strip_prefix(b" ")?).ok()?;
    let are_words = words.split(' ').all(|word| is_word(word.as_bytes()));
    let is_chosen = || !phrase::holds_sentence(words) && !phrase::holds_label(words);
    (length < LONGEST && are_words && is_chosen()).then(|| first.start..first.end + rest.len())
}
