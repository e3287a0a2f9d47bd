//! Codes of a few digits that let someone in: `your code is 482 913`, `482913 is your verification code`.

use super::assignment;
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

/// Words that begin what a code is for, between a phrase and its verb: `the code for the gate is 1974`.
#[rustfmt::skip]
const PURPOSES: &[&str] = &[
    "for", "of", "to", "für", "zum", "zur", "vom", "von", "pour", "de", "du", "del", "della", "para", "do", "da", "dla", "voor", "van", "till", "til",
];

/// How far a phrase says what its number is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phrase {
    /// `verification code`
    Named,
    /// `pin code`: in India that of a town, of six digits.
    Pin,
    /// `your code`: only verbs come between.
    Own,
    /// `the code`: the same, and an error has one, too.
    Any,
}

/// The code behind a phrase or before it.
pub(super) fn code(text: &[u8], phrase: &Range<usize>, says: Phrase) -> Option<Range<usize>> {
    let code = behind(text, phrase.end, says).or_else(|| ahead(text, phrase))?;
    let is_usual = code.len() == USUAL;
    let is_code = match says {
        Phrase::Named | Phrase::Own => true,
        Phrase::Pin => !is_usual || at(text, code.start) == b'0',
        Phrase::Any => is_usual && !counts(text, code.end) || opens(text, phrase.start, code.end),
    };
    is_code.then_some(code)
}

fn behind(text: &[u8], from: usize, says: Phrase) -> Option<Range<usize>> {
    let is_own = matches!(says, Phrase::Own | Phrase::Any);
    let mut end = from;
    let mut is_linked = true;
    let mut is_direct = !is_own;
    let mut has_purpose = false;
    for _ in 0..=MOST_WORDS {
        let start = after_signs(text, end);
        is_linked |= start > assignment::spaces(text, end);
        if says == Phrase::Named
            && is_linked
            && let Some(code) = lettered(text, start)
        {
            return Some(code);
        }
        if let Some(code) = digits(text, start) {
            let is_sure = code.len() >= USUAL && is_direct || is_code(text, &code);
            return (is_linked && is_sure).then_some(code);
        }
        end = start + bytes::run(text, start, LONGEST_WORD, is_letter);
        let word = bytes::slice(text, start, end);
        let is_link = is_one_of(word, LINKS);
        is_linked = is_link;
        is_direct &= is_link;
        has_purpose |= is_one_of(word, PURPOSES);
        if word.is_empty() || is_own && !is_link && !has_purpose {
            return None;
        }
    }
    None
}

fn is_one_of(word: &[u8], words: &[&str]) -> bool {
    words
        .iter()
        .any(|known| word.eq_ignore_ascii_case(known.as_bytes()))
}

/// Where a word or a code begins behind spaces, a colon, quotes and the like.
fn after_signs(text: &[u8], from: usize) -> usize {
    let from = assignment::spaces(text, from);
    let wide = if bytes::begins(text, from, "：".as_bytes()) {
        "：".len()
    } else {
        bytes::run(text, from, 4, |byte| b":=-\"'`*#(".contains(&byte))
    };
    assignment::spaces(text, from + wide)
}

const fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'\'' || byte >= 0x80
}

/// Whether what surrounds a code says that it opens something, or came in a message.
fn opens(text: &[u8], start: usize, end: usize) -> bool {
    const REACH: usize = 60;
    #[rustfmt::skip]
    const WORDS: &[&[u8]] = &[
        b"door", b"gate", b"alarm", b"lock", b"safe", b"garage", b"login", b"log in", b"sign in", b"sms", b"verif", b"confirm", b"2fa", b"porte",
        b"portail", b"porta", b"puerta", b"drzwi", b"bram", b"anmeld", b"connexion", b"t\xC3\xBCr",
    ];
    let near = bytes::slice(
        text,
        start.saturating_sub(REACH),
        text.len().min(end + REACH),
    );
    let near = near.to_ascii_lowercase();
    WORDS.iter().any(|word| bytes::holds(&near, word))
}

/// `482913 is your …`, `482913 ist dein …`
fn ahead(text: &[u8], phrase: &Range<usize>) -> Option<Range<usize>> {
    const REACH: usize = 40;
    #[rustfmt::skip]
    const LINKS: &[&[u8]] = &[b" is your ", b" is the ", b" as your ", b" as the ", b" ist dein", b" ist ihr", b" est votre ", b" es tu ", b" is je "];
    let start = phrase.start;
    let lead = bytes::slice(text, start - bytes::line_back(text, start, REACH), start);
    let first = start - lead.len();
    let link = (0..lead.len())
        .rev()
        .find(|&index| LINKS.iter().any(|link| bytes::begins(lead, index, link)))?;
    let is_code = |byte: u8| byte.is_ascii_digit() || matches!(byte, b' ' | b'-');
    let length = bytes::run_back(lead, link, REACH, is_code);
    let start =
        link - length + bytes::run(lead, link - length, REACH, |byte| !byte.is_ascii_digit());
    let code = digits(text, first + start).filter(|code| code.end == first + link)?;
    (code.len() >= USUAL || !counts(text, phrase.end)).then_some(code)
}

/// Whether a code is told, and no number of things: `4826 lines`.
fn is_code(text: &[u8], code: &Range<usize>) -> bool {
    code.len() == USUAL || !counts(text, code.end)
}

/// Whether a noun follows.
fn counts(text: &[u8], end: usize) -> bool {
    #[rustfmt::skip]
    const ON: &[&str] = &["for", "to", "and", "für", "pour", "para", "per", "dla", "voor", "do"];
    let next = bytes::slice(text, end + 1, text.len().min(end + 8));
    let follows = at(text, end) == b' '
        && next
            .first()
            .is_some_and(|byte| byte.is_ascii_lowercase() || *byte >= 0x80);
    follows
        && !ON
            .iter()
            .any(|word| bytes::begins(next, 0, word.as_bytes()))
}

/// `B4519`: the code of a door, as keypads in France have letters.
fn lettered(text: &[u8], start: usize) -> Option<Range<usize>> {
    const DIGITS: usize = 4;
    let end = start + 1 + DIGITS;
    let is_code = matches!(at(text, start), b'A' | b'B')
        && bytes::run(text, start + 1, DIGITS + 1, |byte| byte.is_ascii_digit()) == DIGITS
        && !bytes::is_word(at(text, end))
        && !bytes::is_word(before(text, start));
    is_code.then_some(start..end)
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
