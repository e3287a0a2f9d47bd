//! Values in sentences that come before their names.

use super::assignment::Assignment;
use super::prose::{MAX_WORDS, is_value, with};
use super::value_span::Span;
use super::words::is_word;
use crate::base::word_list::WordList;
use crate::detect::bytes::{self, before};
use crate::detect::judge::Form;
use crate::detect::text::Text;

/// `use "x" as the password`, `x is my password`, `type x at the password prompt`: the value before its name.
pub(super) fn value_before(text: &Text<'_>, name: usize) -> Option<Assignment> {
    const LONGEST: usize = 96;
    if before(text, name) != b' ' {
        return None;
    }
    let line = name - bytes::line_back(text, name, LONGEST);
    let lead = bytes::slice(text, line, name - 1);
    let value = phrase_before(lead)?;
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
    let is_whole = start < end && (start > 0 || line == 0 || before(text, line) == b'\n');
    if is_whole && is_value(text, &span) {
        return Some(with(Form::Far, span));
    }
    // What follows is no part of what is said of the value.
    let is_entered = is_whole && is_asked_for(lead) && is_word(text, &span);
    is_entered.then_some(with(Form::Account, span))
}

/// `enter x when it asks for the`
fn is_asked_for(lead: &[u8]) -> bool {
    bytes::holds(lead, b" asks for ") || bytes::holds(lead, b" asked for ")
}

/// What precedes the link and the articles before a name, and ends with a value.
fn phrase_before(lead: &[u8]) -> Option<&[u8]> {
    /// These need no article.
    const AS: &[&str] = &[" as", " als", " comme", " como", " come", " jako"];
    #[rustfmt::skip]
    static ARTICLES: WordList = WordList::of(&[
        "the", "my", "a", "your", "our", "their", "new", "an", "its", "das", "mein", "unser", "dein", "euer", "ihr", "neue", "le", "mon", "notre",
        "votre", "nouveau", "la", "mi", "el", "tu", "nuestra", "nueva", "minha", "nossa", "moje", "nowe",
    ]);
    if let Some(phrase) = before_one_of(AS, lead) {
        return Some(phrase);
    }
    let mut end = lead.len();
    let mut articles = memchr::memrchr_iter(b' ', lead)
        .take(MAX_WORDS)
        .filter(|&space| {
            let word = bytes::slice(lead, space + 1, end);
            end = space;
            ARTICLES.hold_bytes(word)
        });
    articles.find_map(|space| linked(bytes::slice(lead, 0, space)))
}

/// `x is`, `enter x at`: what precedes the words that link a value to a name.
fn linked(phrase: &[u8]) -> Option<&[u8]> {
    const LINKS: &[&str] = &[
        " as", " is", " was", " ist", " war", " est", " es", " è", " é", " jest",
    ];
    const PROMPTS: &[&str] = &[" at", " asks for", " asked for", " prompted for"];
    const CONJUNCTIONS: &[&str] = &[" when it", " if it", " when", " if", " when you are", ""];
    before_one_of(LINKS, phrase).or_else(|| {
        let entered = before_one_of(CONJUNCTIONS, before_one_of(PROMPTS, phrase)?)?;
        is_entered(entered).then_some(entered)
    })
}

fn before_one_of<'t>(endings: &[&str], text: &'t [u8]) -> Option<&'t [u8]> {
    let last = text.last();
    let mut endings = endings
        .iter()
        .filter(|ending| ending.is_empty() || ending.as_bytes().last() == last);
    endings.find_map(|ending| text.strip_suffix(ending.as_bytes()))
}

/// `type x`, `enter "x"`: whether a verb precedes the last word.
fn is_entered(phrase: &[u8]) -> bool {
    const VERBS: &[&[u8]] = &[
        b"type", b"enter", b"use", b"try", b"give", b"put", b"typed", b"entered",
    ];
    let mut words = phrase.rsplit(|&byte| byte == b' ');
    let verb = words.nth(1).unwrap_or_default();
    VERBS.iter().any(|known| known.eq_ignore_ascii_case(verb))
}
