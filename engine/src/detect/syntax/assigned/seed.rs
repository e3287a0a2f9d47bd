//! Seed phrases of wallets (BIP-39).

use super::assignment;
use crate::detect::bytes::{self, at, before};
use std::ops::Range;

/// Stems of names that a seed phrase is assigned to.
#[rustfmt::skip]
pub(super) const NAMES: &[&str] = &[
    "mnemonic", "seed_phrase", "seed phrase", "seedphrase", "recovery phrase", "recovery_phrase", "recoveryphrase", "seed words",
    "backup phrase",
];
/// Words of a phrase; its length is a multiple of three.
const FEWEST: usize = 12;
const MOST: usize = 24;
/// Letters of a word that is not short; three of four words of the list are not.
const LONG: usize = 5;
/// Longest remark between a name and its phrase, in bytes.
const LONGEST_REMARK: usize = 24;
/// Words that sentences have, and phrases have not.
#[rustfmt::skip]
const SENTENCE_WORDS: &[&[u8]] = &[
    b"and", b"are", b"but", b"for", b"from", b"has", b"not", b"the", b"was", b"with", b"your",
];

/// How the words of a phrase are set apart, and written.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Style {
    is_numbered: bool,
    has_commas: bool,
    is_upper: bool,
}

/// The phrase after the name that ends at `end`, with a colon, an equals sign, a quote or a line
/// end between.
pub(super) fn phrase(text: &[u8], end: usize) -> Option<Range<usize>> {
    let start = start(text, end + bytes::run(text, end, 24, bytes::is_word))?;
    let mut stop = start;
    let (mut style, mut first_plain) = (None, None);
    let (mut count, mut long) = (0, 0);
    loop {
        let length = bytes::run(text, stop, 9, |byte| byte.is_ascii_alphabetic());
        let word = bytes::slice(text, stop, stop + length);
        if !(3..=8).contains(&length)
            || SENTENCE_WORDS
                .iter()
                .any(|common| word.eq_ignore_ascii_case(common))
        {
            return None;
        }
        count += 1;
        long += usize::from(length >= LONG);
        stop += length;
        let is_whole = count >= FEWEST && count % 3 == 0;
        let Some((next, own)) = next_word(text, stop) else {
            break;
        };
        let between = bytes::slice(text, stop, next);
        let is_plain = between == b" ";
        let changes = *first_plain.get_or_insert(is_plain) != is_plain;
        // What follows a whole phrase on another line, or after a quote, is something else.
        let is_over = is_whole && !own.is_numbered && (changes || between.contains(&b'\n'));
        if *style.get_or_insert(own) != own || is_over {
            break;
        }
        if count == MOST {
            return None;
        }
        stop = next;
    }
    let is_phrase = (FEWEST..=MOST).contains(&count) && count.is_multiple_of(3);
    // The instructions of a processor are short: `add sub mul`.
    let ends = !bytes::is_word(at(text, stop)) && before(text, stop) != b' ';
    (is_phrase && ends && long * 3 >= count).then_some(start..stop)
}

/// Where the first word after a name that ends at `name` begins.
fn start(text: &[u8], name: usize) -> Option<usize> {
    let mut from = assignment::spaces(text, name);
    // `seed phrase (12 words): …`
    if at(text, from) == b'(' {
        let remark = bytes::run(text, from, LONGEST_REMARK, |byte| {
            byte != b')' && byte != b'\n'
        });
        from = assignment::spaces(
            text,
            from + remark + usize::from(at(text, from + remark) == b')'),
        );
    }
    let has_is = bytes::begins(text, from, b"is") && !bytes::is_word(at(text, from + 2));
    let verb = if has_is { 2 } else { 0 };
    let from = from + verb;
    let gap = bytes::run(text, from, 16, |byte| {
        byte.is_ascii_whitespace() || b":=\"'`\\[>*(".contains(&byte)
    });
    let between = bytes::slice(text, from, from + gap);
    let separates = verb > 0 || between.iter().any(|byte| b":=\"'`\n".contains(byte));
    separates.then(|| after_number(text, from + gap).unwrap_or(from + gap))
}

/// Where the next word of a phrase begins after one that ends at `end`, and the separator.
fn next_word(text: &[u8], end: usize) -> Option<(usize, Style)> {
    let gap = bytes::run(text, end, 12, |byte| {
        byte.is_ascii_whitespace() || matches!(byte, b',' | b'"' | b'\'')
    });
    let numbered = after_number(text, end + gap);
    let next = numbered.unwrap_or(end + gap);
    let between = bytes::slice(text, end, next);
    let is_apart = between
        .iter()
        .any(|byte| byte.is_ascii_whitespace() || *byte == b',');
    let style = Style {
        is_numbered: numbered.is_some(),
        has_commas: between.contains(&b','),
        is_upper: at(text, next).is_ascii_uppercase(),
    };
    (is_apart && at(text, next).is_ascii_alphabetic()).then_some((next, style))
}

/// Where the text continues after a word's number: `1. `, `12) `.
fn after_number(text: &[u8], from: usize) -> Option<usize> {
    let digits = bytes::run(text, from, 2, |byte| byte.is_ascii_digit());
    let sign = usize::from(matches!(at(text, from + digits), b'.' | b')' | b':'));
    let next = assignment::spaces(text, from + digits + sign);
    (digits > 0 && next > from + digits).then_some(next)
}
