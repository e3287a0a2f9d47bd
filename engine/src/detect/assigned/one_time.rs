//! Codes of a few digits that let someone in: `your code is 482 913`, `482913 is your verification code`.

use super::syntax;
use crate::detect::bytes::{self, at, before};
use std::ops::Range;

/// Words between a phrase and its code, at most.
const MOST_WORDS: usize = 5;
const LONGEST_WORD: usize = 24;
/// How many digits a code has.
const DIGITS: std::ops::RangeInclusive<usize> = 4..=8;
/// How many digits a code has that any text may follow; another number may count something.
const USUAL: usize = 6;

/// Words before a code.
#[rustfmt::skip]
const LINKS: &[&str] = &[
    "is", "was", "be", "ist", "lautet", "war", "est", "le", "es", "é", "è", "to", "jest", "är", "er", "je", "this", "є", "это", "now",
    "jetzt", "c'est", "是", "为", "は", "는", "은",
];

/// The code behind a phrase or before it. Behind one that names no code alone, only verbs come between.
pub(super) fn code(text: &[u8], phrase: &Range<usize>, is_own: bool) -> Option<Range<usize>> {
    behind(text, phrase.end, is_own).or_else(|| ahead(text, phrase.start))
}

fn behind(text: &[u8], from: usize, is_own: bool) -> Option<Range<usize>> {
    let mut end = from;
    let mut is_linked = true;
    let mut is_direct = !is_own;
    for _ in 0..=MOST_WORDS {
        let start = after_signs(text, end);
        is_linked |= start > syntax::spaces(text, end);
        if let Some(code) = digits(text, start) {
            return (is_linked && (is_direct || is_told(text, &code))).then_some(code);
        }
        end = start + bytes::run(text, start, LONGEST_WORD, is_letter);
        let word = bytes::slice(text, start, end);
        let is_link = LINKS
            .iter()
            .any(|link| word.eq_ignore_ascii_case(link.as_bytes()));
        is_linked = is_link;
        is_direct &= is_link;
        if word.is_empty() || is_own && !is_link {
            return None;
        }
    }
    None
}

/// Where a word or a code begins behind spaces, a colon, quotes and the like.
fn after_signs(text: &[u8], from: usize) -> usize {
    let from = syntax::spaces(text, from);
    let wide = if bytes::begins(text, from, "：".as_bytes()) {
        "：".len()
    } else {
        bytes::run(text, from, 4, |byte| b":=-\"'`*#(".contains(&byte))
    };
    syntax::spaces(text, from + wide)
}

const fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'\'' || byte >= 0x80
}

/// `482913 is your …`, `482913 ist dein …`
fn ahead(text: &[u8], phrase: usize) -> Option<Range<usize>> {
    const REACH: usize = 40;
    #[rustfmt::skip]
    const LINKS: &[&[u8]] = &[b" is your ", b" is the ", b" as your ", b" as the ", b" ist dein", b" ist ihr", b" est votre ", b" es tu ", b" is je "];
    let lead = bytes::slice(text, phrase - bytes::line_back(text, phrase, REACH), phrase);
    let first = phrase - lead.len();
    let link = (0..lead.len())
        .rev()
        .find(|&index| LINKS.iter().any(|link| bytes::begins(lead, index, link)))?;
    let is_code = |byte: u8| byte.is_ascii_digit() || matches!(byte, b' ' | b'-');
    let length = bytes::run_back(lead, link, REACH, is_code);
    let start =
        link - length + bytes::run(lead, link - length, REACH, |byte| !byte.is_ascii_digit());
    digits(text, first + start).filter(|code| code.end == first + link)
}

/// Whether a code of one's own is told, and no number of things: `4826 lines`.
fn is_told(text: &[u8], code: &Range<usize>) -> bool {
    #[rustfmt::skip]
    const ON: &[&str] = &["for", "to", "and", "für", "pour", "para", "per", "dla", "voor", "do"];
    let next = bytes::slice(text, code.end + 1, text.len().min(code.end + 8));
    let follows = at(text, code.end) == b' '
        && next
            .first()
            .is_some_and(|byte| byte.is_ascii_lowercase() || *byte >= 0x80);
    code.len() == USUAL
        || !follows
        || ON
            .iter()
            .any(|word| bytes::begins(next, 0, word.as_bytes()))
}

/// Digits in one group, or in several of one length: `482913`, `482 913`, `48-29-13`, `G-482913`.
fn digits(text: &[u8], start: usize) -> Option<Range<usize>> {
    let group = |from: usize| bytes::run(text, from, 9, |byte| byte.is_ascii_digit());
    let brand = start
        + if at(text, start).is_ascii_uppercase() && at(text, start + 1) == b'-' {
            2
        } else {
            0
        };
    let length = group(brand);
    let mut end = brand + length;
    let mut count = length;
    while length >= 2 && matches!(at(text, end), b' ' | b'-') && group(end + 1) == length {
        end += 1 + length;
        count += length;
    }
    let is_key = matches!(at(text, end), b'#' | b'*') && !bytes::is_word(at(text, end + 1));
    let goes_on = bytes::is_word(at(text, end))
        || at(text, end) == b'%'
        || matches!(at(text, end), b'.' | b',' | b':' | b'/' | b'-')
            && bytes::is_word(at(text, end + 1));
    let is_code = DIGITS.contains(&count) && !goes_on && !bytes::is_word(before(text, start));
    is_code.then(|| brand..end + usize::from(is_key))
}
