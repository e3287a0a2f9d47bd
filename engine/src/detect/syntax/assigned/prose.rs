//! Values in sentences.

use super::assignment::{self, Assignment};
use super::value_span::{self, Span};
use super::{adverbs, ahead, belonging, words};
use crate::detect::bytes::{self, WordInitials, at, before};
use crate::detect::judge::Form;
use crate::detect::lexicon::vocabulary::{self, TAIL};
use crate::detect::syntax::table;
use crate::detect::text::Text;
use crate::detect::text::scanner::Scanner;
use std::ops::Range;

/// Words that may come between a name and its value.
pub(super) const MAX_WORDS: usize = 5;
pub(super) const LONGEST_WORD: usize = 16;
/// Longest number that counts things, in digits.
const LONGEST_NUMBER: usize = 3;
/// How far to search for a digit, in bytes.
const REACH: usize = 112;

/// Verbs between a name and its value.
#[rustfmt::skip]
const VERBS: &[&str] = &[
    "is:", "is set to", "is now", "is", "lautet", "=", "was", "ist", "es", "est", "è", "é", "are", "are:", "это", "jest", "は",
    "c'est", "c’est", "used to be", "will be", "wird", "heißt", "war", "fue", "era", "était", "是", "为", "는", "은", "を", "je", "er", "là", "este", "adalah", "هي", "είναι", "คือ", "היא", "är",
    "теперь", "сейчас", "тепер", "зараз", "artık", "şimdi", "改成", "改为", "改為", "变成", "變成", "設為", "设为",
];
/// What else may precede a value, once words come between.
#[rustfmt::skip]
const LINKS: &[&str] = &[
    "to", "to:", "from", "auf", "zu", "será", "on", "to be", "be", "as", "→", "—", "–", ":",
    "：", "=", "->", "-", "gewijzigd in", "veranderd in", "with", "na", "para", "til", "naar", "на",
];

static VERB: WordInitials = WordInitials::of(VERBS);
static LINK: WordInitials = WordInitials::of(LINKS);

/// `… is value`, in the languages of the name list.
pub(super) fn assignment(
    scanner: &mut Scanner<'_, '_>,
    name: &Range<usize>,
    closed: usize,
) -> Option<Assignment> {
    let text = scanner.text;
    let own = bytes::slice(text, name.start, name.end);
    // `identified by` is of SQL.
    if own.eq_ignore_ascii_case(b"identified") {
        return None;
    }
    let near = after_verb(text, name.end, closed);
    if near.is_some_and(|span| span.quoted || is_value(text, &span)) {
        return near.map(|span| with(Form::Prose, span));
    }
    if let Some(before) = ahead::value_before(text, name.start)
        && !is_tail(text, assignment::spaces(text, closed))
    {
        return Some(before);
    }
    if let Some(span) = only_word_of_cell(text, name, closed) {
        return Some(with(Form::Next, span));
    }
    if let Some(span) = words::only_word_of_line(text, name, closed) {
        return Some(with(Form::Colon, span));
    }
    let near = near.map(|span| with(Form::Prose, span));
    let goes_on = matches!(at(text, closed), b' ' | b'\t' | b':' | b'=' | 0x80..);
    if !goes_on {
        return near;
    }
    // Few sentences contain a digit, and most values here do.
    let found = if scanner.digit_follows(closed, REACH) {
        further(text, closed, |span| span.quoted || is_value(text, span))
            .or(near)
            .or_else(|| beside(text, name, closed).map(|span| with(Form::Next, span)))
    } else {
        near
    };
    found
        .or_else(|| belonging::value(text, closed).map(|span| with(Form::Far, span)))
        .or_else(|| words::word_of_sentence(scanner, name, closed))
}

/// `from x to y`, `von x auf y`: the second value, after the end of the first.
pub(super) fn second(text: &Text<'_>, end: usize) -> Option<Span> {
    const TO: &[&str] = &[
        " to ", " auf ", " zu ", " en ", " à ", " a ", " para ", " per ", " na ", " naar ",
        " til ", " till ", " на ",
    ];
    let link = TO
        .iter()
        .find(|link| bytes::begins(text, end, link.as_bytes()))?;
    let span = value_span::value(text, end + link.len(), false)?;
    is_value(text, &span).then_some(span)
}

pub(super) const fn with(form: Form, span: Span) -> Assignment {
    Assignment { form, span }
}

/// Whether a value is not one of the sentence's words.
pub(super) fn is_value(text: &[u8], span: &Span) -> bool {
    const LONGEST: usize = 256;
    let value = bytes::slice(text, span.start, span.end);
    value.len() > LONGEST || value.iter().any(u8::is_ascii_digit)
}

fn after_verb(text: &Text<'_>, name_end: usize, closed: usize) -> Option<Span> {
    let from = closed + bytes::run(text, closed, 2, |byte| byte == b' ');
    // `パスワード「x」`
    if matches!(
        bytes::slice(text, closed, closed + 3),
        [0xE3, 0x80, 0x8C | 0x8E]
    ) {
        return value_span::value(text, closed, false);
    }
    // `key` or `passphrase` are strings: several names have no value of their own.
    if before(text, name_end) != b's' && bytes::begins(text, from, b"are ") {
        return None;
    }
    let start = after_one_of(&VERB, text, from, from > closed)
        .or_else(|| after_apostrophe(text, name_end))?;
    let start = start + bytes::run(text, start, 1, |byte| byte == b':');
    let start = adverbs::end(text, assignment::spaces(text, start));
    value_span::value(text, start, false)
}

/// `the password's x`
fn after_apostrophe(text: &[u8], name_end: usize) -> Option<usize> {
    let width = ["'s ", "’s "]
        .iter()
        .find(|verb| bytes::begins(text, name_end, verb.as_bytes()))?
        .len();
    Some(name_end + width)
}

/// Where the text after a link at `from` continues. An ASCII link must be a separate word.
fn after_one_of(links: &WordInitials, text: &[u8], from: usize, apart: bool) -> Option<usize> {
    links.at(text, from).find_map(|link| {
        let end = from + link.len();
        let is_word = link.len() > 2 && at(text, end) == b':';
        let end = end + usize::from(is_word);
        let stands = (apart || matches!(link, ":" | "=")) && at(text, end) == b' ';
        (stands || !link.is_ascii()).then(|| assignment::spaces(text, end))
    })
}

/// `password for bob is value`, `password (db): value`: with a few plain words between that do not
/// change the name's meaning.
pub(super) fn further(
    text: &Text<'_>,
    closed: usize,
    admits: impl Fn(&Span) -> bool,
) -> Option<Assignment> {
    if !matches!(at(text, closed), b' ' | b':' | b'=' | 0x80..) {
        return None;
    }
    let mut from = closed;
    for words in 0..=MAX_WORDS {
        let next = assignment::spaces(text, from);
        let apart = next > from;
        let spoken = || {
            let start = after_one_of(&VERB, text, next, apart).filter(|_| words > 0)?;
            Some(adverbs::end(text, start))
        };
        let linked = spoken().map(|start| (Form::BeforeName, start)).or_else(|| {
            let start = after_one_of(&LINK, text, next, apart)?;
            let colon = words > 0 && at(text, next) == b':';
            Some((if colon { Form::BeforeName } else { Form::Far }, start))
        });
        if let Some((form, start)) = linked
            && let Some(span) = value_span::value(text, start, false)
            && admits(&span)
            && (form == Form::BeforeName || !is_predicate(text, &span))
        {
            return Some(with(form, span));
        }
        if !apart {
            return None;
        }
        from = word_end(text, next, words == 0)?;
    }
    None
}

/// `password on db01 is x`: whether a verb follows what a link precedes.
fn is_predicate(text: &[u8], span: &Span) -> bool {
    let next = assignment::spaces(text, span.end);
    !span.quoted && next > span.end && bytes::begins(text, next, b"is ")
}

/// Where a plain word ends, which may be in brackets. The first one may change the meaning of a
/// name.
fn word_end(text: &[u8], start: usize, is_first: bool) -> Option<usize> {
    let bracket = usize::from(at(text, start) == b'(');
    let first = start + bracket;
    // `box 12`
    let number = bytes::run(text, first, LONGEST_NUMBER, |byte| byte.is_ascii_digit());
    let is_number = !is_first && number > 0 && at(text, first + number) == b' ';
    let length = if is_number {
        number
    } else if !is_first && at(text, first).is_ascii_alphanumeric() {
        named(text, first)
    } else {
        bytes::run(text, first, LONGEST_WORD, |byte| {
            byte.is_ascii_alphabetic() || byte == b'\'' || byte >= 0x80
        })
    };
    let end = first + length;
    let closed = bracket == 0 || at(text, end) == b')';
    (length > 0 && closed && !(is_first && is_tail(text, first))).then_some(end + bracket)
}

/// Whether the word at `start` makes something else of the name before it: `password hash`.
pub(super) fn is_tail(text: &[u8], start: usize) -> bool {
    let length = bytes::run(text, start, LONGEST_WORD, |byte| byte.is_ascii_alphabetic());
    let word = bytes::slice(text, start, start + length);
    vocabulary::roles(bytes::lowered(word, &mut [0; LONGEST_WORD])) & TAIL != 0
}

/// The length of a word or of the name of a machine or a user: `db01`, `10.0.0.1`, `bob@example.com`.
fn named(text: &[u8], start: usize) -> usize {
    const LONGEST: usize = 48;
    let length = bytes::run(text, start, LONGEST, |byte| {
        bytes::is_word(byte) || matches!(byte, b'.' | b'-' | b'@' | b'\'') || byte >= 0x80
    });
    // A sentence ends.
    let is_whole = length < LONGEST && before(text, start + length) != b'.';
    if is_whole { length } else { 0 }
}

/// `password value`, `password (value)`, and `key value` of a key in two words.
fn beside(text: &Text<'_>, name: &Range<usize>, closed: usize) -> Option<Span> {
    let cell = next_cell(text, name, closed);
    let start = cell.unwrap_or_else(|| assignment::spaces(text, closed));
    let is_far = start > closed + 2 && cell.is_none();
    if start == closed || is_far && !is_line_of_two(text, name, start) {
        return None;
    }
    // `scanner` is a verb, unless a list continues with it.
    let own = bytes::slice(text, name.start, name.end);
    let listed = matches!(
        before(
            text,
            name.start - bytes::run_back(text, name.start, 2, |byte| byte == b' ')
        ),
        b',' | b'/' | b';'
    );
    let is_noun = || listed || is_owned(text, name.start) || words::is_of_user(text, name.start);
    if own.eq_ignore_ascii_case(b"pass") && !is_noun() {
        return None;
    }
    let start = start + usize::from(at(text, start) == b'(');
    let span = value_span::value(text, start, false)?;
    (!span.quoted && is_value(text, &span)).then_some(span)
}

/// `db_password      x`: a name and one value are all of a line, as in columns.
fn is_line_of_two(text: &[u8], name: &Range<usize>, start: usize) -> bool {
    const DEEPEST: usize = 16;
    const LONGEST: usize = 256;
    let indent = bytes::run_back(text, name.start, DEEPEST, |byte| byte == b' ');
    let value = bytes::run(text, start, LONGEST, |byte| byte > b' ');
    let end = assignment::spaces(text, start + value);
    matches!(before(text, name.start - indent), b'\n' | 0)
        && matches!(at(text, end), b'\n' | b'\r' | 0)
}

/// `wifi pass`, `my pass`
fn is_owned(text: &[u8], name: usize) -> bool {
    const OWNERS: &[&[u8]] = &[
        b"wifi", b"wlan", b"root", b"admin", b"db", b"vpn", b"my", b"the", b"use",
    ];
    let word = words::before_word(text, name);
    OWNERS.iter().any(|owner| owner.eq_ignore_ascii_case(word))
}

/// `| Password | x |`: the cell next to a name, in its row, or in a record on separate lines.
fn next_cell(text: &[u8], name: &Range<usize>, closed: usize) -> Option<usize> {
    const EMPHASIS: &[u8] = b" *`";
    let emphasis = |byte: u8| EMPHASIS.contains(&byte);
    let own = name.start - bytes::run_back(text, name.start, 4, emphasis);
    let stroke = assignment::spaces(text, closed);
    let width = table::stroke_at(text, stroke);
    let is_cell = || table::stroke_before(text, own) > 0 || is_record(text, own, stroke);
    if width == 0 || !is_cell() {
        return None;
    }
    let start = assignment::spaces(text, stroke + width);
    Some(start + bytes::run(text, start, 1, |byte| byte == b'`'))
}

/// `| Password | sunflower |`: a cell of one word, which may have no digit.
fn only_word_of_cell(text: &Text<'_>, name: &Range<usize>, closed: usize) -> Option<Span> {
    let span = value_span::value(text, next_cell(text, name, closed)?, false)?;
    let closing = usize::from(at(text, span.end) == b'`');
    let end = assignment::spaces(text, span.end + closing);
    let ends = table::stroke_at(text, end) > 0 || matches!(at(text, end), b'\n' | b'\r' | 0);
    (!span.quoted && ends).then_some(span)
}

/// Whether a line is a field of a record that a database prints, as the one before it is: `password | x`.
fn is_record(text: &[u8], line: usize, stroke: usize) -> bool {
    const LONGEST: usize = 256;
    if before(text, line) != b'\n' {
        return false;
    }
    let end = line - 1;
    let above = end - bytes::line_back(text, end, LONGEST);
    let is_head = bytes::holds(bytes::slice(text, above, end), b"[ RECORD ");
    is_head || table::stroke_at(text, above + (stroke - line)) > 0
}
