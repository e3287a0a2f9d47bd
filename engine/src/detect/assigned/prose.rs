//! Values in sentences.

use super::syntax::{self, Assignment};
use super::value_span::{self, Span};
use crate::detect::bytes::{self, WordInitials, at, before};
use crate::detect::judge::Form;
use crate::detect::lexicon::vocabulary::{self, TAIL};
use crate::detect::scanner::Scanner;
use crate::detect::table;
use crate::detect::text::Text;
use std::ops::Range;

/// Words that may come between a name and its value.
const MAX_WORDS: usize = 5;
const LONGEST_WORD: usize = 16;
/// Longest number that counts things, in digits.
const LONGEST_NUMBER: usize = 3;
/// How far to search for a digit, in bytes.
const REACH: usize = 112;

/// Verbs between a name and its value.
#[rustfmt::skip]
const VERBS: &[&str] = &[
    "is:", "is set to", "is now", "is", "lautet", "=", "was", "ist", "es", "est", "è", "é", "are", "are:", "это", "jest", "は",
    "war", "fue", "era", "était", "是", "为", "는", "은", "を", "je", "er", "là", "este", "adalah", "هي", "είναι", "คือ", "היא",
];
/// What else may precede a value, once words come between.
#[rustfmt::skip]
const LINKS: &[&str] = &[
    "to", "to:", "from", "auf", "zu", "c'est", "c’est", "será", "är", "on", "to be", "be", "as", "→", "—", "–", ":",
    "：", "=", "->", "-", "with",
];

/// What may come between the verb and its value.
#[rustfmt::skip]
const ADVERBS: &[&str] = &[
    "actualmente ", "actuellement ", "agora ", "ahora ", "aktuell ", "attualmente ", "currently ", "derzeit ", "jetzt ", "just ",
    "maintenant ", "momentan ", "now ", "nun ", "nyní ", "obecnie ", "ora ", "simply ", "still ", "teraz ", "weiterhin ", "übrigens ",
    "сейчас ", "теперь ",
];

static VERB: WordInitials = WordInitials::of(VERBS);
static ADVERB: WordInitials = WordInitials::of(ADVERBS);
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
    if let Some(span) = value_before(text, name.start) {
        return Some(with(Form::Far, span));
    }
    if let Some(span) = only_word_of_cell(text, name, closed) {
        return Some(with(Form::Next, span));
    }
    let near = near.map(|span| with(Form::Prose, span));
    // Few sentences contain a digit, and the values here do.
    let goes_on = matches!(at(text, closed), b' ' | b'\t' | b':' | b'=' | 0x80..);
    if !goes_on || !scanner.digit_follows(closed, REACH) {
        return near;
    }
    further(text, closed)
        .or(near)
        .or_else(|| beside(text, name, closed).map(|span| with(Form::Next, span)))
}

/// `use "x" as the password`, `x is my password`: the value before its name.
fn value_before(text: &[u8], name: usize) -> Option<Span> {
    const LONGEST: usize = 96;
    const LINKS: &[&[u8]] = &[b" as", b" is"];
    #[rustfmt::skip]
    const ARTICLES: &[&[u8]] = &[b"the", b"my", b"a", b"your", b"our", b"their", b"new", b"an", b"its"];
    if before(text, name) != b' ' {
        return None;
    }
    let line = name - bytes::line_back(text, name, LONGEST);
    let lead = bytes::slice(text, line, name - 1);
    let mut article = lead.len();
    let has_article = lead
        .rsplit(|&byte| byte == b' ')
        .take(MAX_WORDS)
        .any(|word| {
            article = article.saturating_sub(word.len() + 1);
            ARTICLES.contains(&word)
        });
    if !has_article {
        return None;
    }
    let phrase = bytes::slice(lead, 0, article);
    let value = LINKS.iter().find_map(|link| phrase.strip_suffix(*link))?;
    let end = value.len();
    let quote = value
        .last()
        .copied()
        .filter(|quote| matches!(quote, b'"' | b'\'' | b'`'));
    let (start, end) = match quote {
        Some(quote) => {
            let inner = bytes::slice(value, 0, end - 1);
            (memchr::memrchr(quote, inner)? + 1, end - 1)
        }
        None => (
            end - bytes::run_back(value, end, end, |byte| byte.is_ascii_graphic()),
            end,
        ),
    };
    let range = line + start..line + end;
    let span = Span {
        quoted: quote.is_some(),
        ..Span::quoted(range)
    };
    (start < end
        && (start > 0 || line == 0 || before(text, line) == b'\n')
        && is_value(text, &span))
    .then_some(span)
}

/// `from x to y`: the second value, after the end of the first.
pub(super) fn second(text: &Text<'_>, end: usize) -> Option<Span> {
    let follows = bytes::begins(text, end, b" to ");
    let span = follows.then(|| value_span::value(text, end + 4, false))??;
    is_value(text, &span).then_some(span)
}

const fn with(form: Form, span: Span) -> Assignment {
    Assignment { form, span }
}

/// Whether a value is not one of the sentence's words.
fn is_value(text: &[u8], span: &Span) -> bool {
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
    let start = after_one_of(&VERB, text, from, from > closed)?;
    let start = start + bytes::run(text, start, 1, |byte| byte == b':');
    let start = syntax::spaces(text, start);
    let adverb = ADVERB.at(text, start).next().map_or(0, str::len);
    value_span::value(text, syntax::spaces(text, start + adverb), false)
}

/// Where the text after a link at `from` continues. An ASCII link must be a separate word.
fn after_one_of(links: &WordInitials, text: &[u8], from: usize, apart: bool) -> Option<usize> {
    links.at(text, from).find_map(|link| {
        let end = from + link.len();
        let is_word = link.len() > 2 && at(text, end) == b':';
        let end = end + usize::from(is_word);
        let stands = (apart || matches!(link, ":" | "=")) && at(text, end) == b' ';
        (stands || !link.is_ascii()).then(|| syntax::spaces(text, end))
    })
}

/// `password for bob is value`, `password (db): value`: with a few plain words between that do not
/// change the name's meaning.
fn further(text: &Text<'_>, closed: usize) -> Option<Assignment> {
    if !matches!(at(text, closed), b' ' | b':' | b'=' | 0x80..) {
        return None;
    }
    let mut from = closed;
    for words in 0..=MAX_WORDS {
        let next = syntax::spaces(text, from);
        let apart = next > from;
        let spoken = || after_one_of(&VERB, text, next, apart).filter(|_| words > 0);
        let linked = spoken().map(|start| (Form::BeforeName, start)).or_else(|| {
            let start = after_one_of(&LINK, text, next, apart)?;
            let colon = words > 0 && at(text, next) == b':';
            Some((if colon { Form::BeforeName } else { Form::Far }, start))
        });
        if let Some((form, start)) = linked
            && let Some(span) = value_span::value(text, start, false)
            && (span.quoted || is_value(text, &span))
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
    } else {
        bytes::run(text, first, LONGEST_WORD, |byte| {
            byte.is_ascii_alphabetic() || byte == b'\'' || byte >= 0x80
        })
    };
    let end = first + length;
    let word = bytes::slice(text, first, end);
    let is_tail =
        is_first && vocabulary::roles(bytes::lowered(word, &mut [0; LONGEST_WORD])) & TAIL != 0;
    let closed = bracket == 0 || at(text, end) == b')';
    (length > 0 && closed && !is_tail).then_some(end + bracket)
}

/// `password value`, `password (value)`, and `key value` of a key in two words.
fn beside(text: &Text<'_>, name: &Range<usize>, closed: usize) -> Option<Span> {
    let cell = next_cell(text, name, closed);
    let start = cell.unwrap_or_else(|| syntax::spaces(text, closed));
    if start == closed || start > closed + 2 && cell.is_none() {
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
    if own.eq_ignore_ascii_case(b"pass") && !listed {
        return None;
    }
    let start = start + usize::from(at(text, start) == b'(');
    let span = value_span::value(text, start, false)?;
    (!span.quoted && is_value(text, &span)).then_some(span)
}

/// `| Password | x |`: the cell next to a name, in its row, or in a record on separate lines.
fn next_cell(text: &[u8], name: &Range<usize>, closed: usize) -> Option<usize> {
    const EMPHASIS: &[u8] = b" *`";
    let emphasis = |byte: u8| EMPHASIS.contains(&byte);
    let own = name.start - bytes::run_back(text, name.start, 4, emphasis);
    let stroke = syntax::spaces(text, closed);
    let width = table::stroke_at(text, stroke);
    let is_cell = || table::stroke_before(text, own) > 0 || is_record(text, own, stroke);
    if width == 0 || !is_cell() {
        return None;
    }
    let start = syntax::spaces(text, stroke + width);
    Some(start + bytes::run(text, start, 1, |byte| byte == b'`'))
}

/// `| Password | sunflower |`: a cell of one word, which may have no digit.
fn only_word_of_cell(text: &Text<'_>, name: &Range<usize>, closed: usize) -> Option<Span> {
    let span = value_span::value(text, next_cell(text, name, closed)?, false)?;
    let closing = usize::from(at(text, span.end) == b'`');
    let end = syntax::spaces(text, span.end + closing);
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
