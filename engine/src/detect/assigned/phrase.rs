//! Passwords of several words: `passphrase: correct horse battery staple`.

use std::ops::Range;

use crate::detect::bytes;
use crate::detect::judge::Form;

/// The most words.
const MOST: usize = 24;
const LONGEST: usize = 256;

/// What sentences have and phrases of chosen words do not.
#[rustfmt::skip]
const OF_SENTENCES: &[&[u8]] = &[
    b"a", b"an", b"and", b"are", b"as", b"at", b"be", b"but", b"by", b"das", b"de", b"der", b"die", b"el", b"en", b"et", b"for", b"from",
    b"has", b"if", b"in", b"is", b"it", b"la", b"le", b"must", b"not", b"of", b"on", b"or", b"para", b"per", b"please", b"pour", b"should",
    b"that", b"the", b"then", b"this", b"to", b"und", b"was", b"when", b"will", b"with", b"y", b"your",
];

/// The password that begins with a word, up to the end of its line, if that has nothing but such words.
pub(super) fn whole(text: &[u8], form: Form, first: &Range<usize>) -> Option<Range<usize>> {
    let is_word = |word: &[u8]| !word.is_empty() && word.iter().all(u8::is_ascii_lowercase);
    let own = bytes::slice(text, first.start, first.end);
    if !matches!(form, Form::Colon | Form::Spaced) || !is_word(own) {
        return None;
    }
    let length = bytes::run(text, first.end, LONGEST, |byte| {
        !matches!(byte, b'\r' | b'\n')
    });
    if length == LONGEST {
        return None;
    }
    let rest = bytes::slice(text, first.end, first.end + length).trim_ascii_end();
    let mut words = rest.strip_prefix(b" ")?.split(|byte| *byte == b' ');
    let is_phrase = words.clone().count() < MOST
        && words.all(|word| is_word(word) && !OF_SENTENCES.contains(&word));
    is_phrase.then_some(first.start..first.end + rest.len())
}
