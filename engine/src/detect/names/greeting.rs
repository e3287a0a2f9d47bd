//! Names in small letters behind a greeting or an introduction: `hi anna`, `my name is anna schmidt`.

use super::lists::{Lists, Marks};
use super::token::{Kind, Token};
use crate::detect::bytes;
use std::ops::Range;

/// Words that greet, at the beginning of a line.
#[rustfmt::skip]
static GREETINGS: bytes::Words = bytes::Words::of(&[
    "hi", "hello", "hey", "dear", "morning", "thanks", "sorry", "yo", "hallo", "liebe", "lieber", "moin", "servus", "danke",
    "bonjour", "salut", "coucou", "cher", "chère", "merci", "hola", "querido", "querida", "gracias", "oye", "cześć",
    "czesc", "hej", "siema", "witaj", "droga", "drogi", "kochana", "olá", "oi", "obrigado", "obrigada", "ciao", "caro",
    "cara", "grazie", "hoi", "beste", "lieve", "bedankt", "dag", "ahoj", "hei", "привет", "γεια",
]);

/// Words that introductions begin with, and those right before the name.
#[rustfmt::skip]
static OPENINGS: bytes::Words = bytes::Words::of(&[
    "my", "i'm", "i", "ich", "mein", "je", "mon", "me", "mi", "soy", "nazywam", "mam", "jestem", "meu", "chamo-me", "sou",
    "sono", "il", "ik", "mijn", "this",
]);
#[rustfmt::skip]
static INTRODUCTIONS: bytes::Words = bytes::Words::of(&[
    "is", "i'm", "am", "heiße", "heisse", "bin", "ist", "m'appelle", "est", "llamo", "es", "soy", "się", "sie", "imię", "imie",
    "jestem", "é", "chamo", "chamo-me", "sou", "chiamo", "sono", "è", "heet", "ben",
]);

/// Longest word of either, with what follows it, in bytes.
const LONGEST: usize = 12;
/// Most words of an introduction.
const MOST_WORDS: usize = 5;

/// Hands every such name to `found`.
pub(super) fn look(text: &str, lists: Lists<'_>, found: &mut dyn FnMut(Range<usize>)) {
    let lines = memchr::memchr_iter(b'\n', text.as_bytes()).map(|end| end + 1);
    for start in std::iter::once(0).chain(lines) {
        let rest = text.as_bytes().get(start..).unwrap_or_default();
        let rest = rest.get(..LONGEST).unwrap_or(rest);
        if !rest
            .first()
            .is_some_and(|byte| byte.is_ascii_alphabetic() || !byte.is_ascii())
        {
            continue;
        }
        let length = rest
            .iter()
            .position(|byte| matches!(byte, b' ' | b','))
            .unwrap_or(0);
        let word = bytes::slice(rest, 0, length);
        let name = if length == 0 {
            None
        } else if GREETINGS.hold(word) {
            name_at(text, start + length, lists)
        } else if OPENINGS.hold(word) {
            introduced(text, start, lists)
        } else {
            None
        };
        if let Some(name) = name {
            found(name);
        }
    }
}

/// The name at the end of an introduction that begins at `start`.
fn introduced(text: &str, start: usize, lists: Lists<'_>) -> Option<Range<usize>> {
    let mut word = Token::at(text, start);
    for _ in 0..MOST_WORDS {
        let written = text.as_bytes().get(word.start..word.end)?;
        if INTRODUCTIONS.hold(written)
            && let Some(name) = name_at(text, word.end, lists)
        {
            return Some(name);
        }
        word = Token::after(text, word.end);
        if word.kind != Kind::Lower {
            return None;
        }
    }
    None
}

/// A first name in small letters behind `at`, with the surnames behind it.
fn name_at(text: &str, at: usize, lists: Lists<'_>) -> Option<Range<usize>> {
    let at = at + usize::from(text.as_bytes().get(at) == Some(&b','));
    let is_small = |token: &Token, mark: Marks| {
        let marks = lists.marks(token.hash);
        token.kind == Kind::Lower && marks.has(mark) && !marks.has(Marks::COMMON)
    };
    let first = Token::after(text, at);
    if first.end - first.start < 3 || !is_small(&first, Marks::FIRST) {
        return None;
    }
    let mut end = first.end;
    for _ in 0..2 {
        let next = Token::after(text, end);
        if next.start != end + 1 || !is_small(&next, Marks(3)) {
            break;
        }
        end = next.end;
    }
    Some(first.start..end)
}
