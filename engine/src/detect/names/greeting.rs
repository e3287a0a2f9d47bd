//! Names behind a greeting, a goodbye or an introduction, in small letters too: `hi anna`, `my name is anna schmidt`,
//! `un saludo, Álvaro`.

use super::lists::{Lists, Marks};
use super::token::{Kind, Token};
use crate::detect::bytes;
use std::ops::Range;

/// Words that greet or take leave, where a sentence begins.
#[rustfmt::skip]
static GREETINGS: bytes::WordInitials = bytes::WordInitials::of(&[
    "hi", "hello", "hey", "dear", "morning", "thanks", "sorry", "yo", "hallo", "liebe", "lieber", "moin", "servus", "danke",
    "bonjour", "salut", "coucou", "cher", "chère", "merci", "hola", "querido", "querida", "gracias", "oye", "cześć",
    "czesc", "hej", "siema", "witaj", "droga", "drogi", "kochana", "olá", "oi", "obrigado", "obrigada", "ciao", "caro",
    "cara", "grazie", "hoi", "beste", "lieve", "bedankt", "dag", "ahoj", "hei", "привет", "γεια",
    "regards", "best regards", "kind regards", "cheers", "grüße", "viele grüße", "liebe grüße", "gruß",
    "mit freundlichen grüßen", "cordialement", "saludos", "un saludo", "un abrazo", "abraço", "um abraço", "saluti",
    "un saluto", "cordiali saluti", "groet", "groeten", "groetjes", "met vriendelijke groet", "pozdrawiam",
]);

/// Words that introductions begin with, and those right before the name.
#[rustfmt::skip]
static OPENINGS: bytes::WordInitials = bytes::WordInitials::of(&[
    "my", "i'm", "i", "ich", "mein", "je", "mon", "me", "mi", "soy", "nazywam", "mam", "jestem", "meu", "chamo-me", "sou",
    "sono", "il", "ik", "mijn", "this",
]);
#[rustfmt::skip]
static INTRODUCTIONS: bytes::Words = bytes::Words::of(&[
    "is", "i'm", "am", "heiße", "heisse", "bin", "ist", "m'appelle", "est", "llamo", "es", "soy", "się", "sie", "imię", "imie",
    "jestem", "é", "chamo", "chamo-me", "sou", "chiamo", "sono", "è", "heet", "ben",
]);

/// What ends such a word.
const ENDS: [u8; 3] = *b" ,\n";

/// The first three bytes of these words, the shorter ones with what ends them.
static STARTS: Starts = Starts::none()
    .with(GREETINGS.words())
    .with(OPENINGS.words());

/// How words begin: by the low five bits of each byte, the same for either case.
struct Starts([u32; 1 << 10]);

impl Starts {
    const fn none() -> Self {
        Self([0; 1 << 10])
    }

    const fn with(mut self, words: &[&str]) -> Self {
        let mut rest = words;
        while let [word, others @ ..] = rest {
            match word.as_bytes() {
                [first, second, third, ..] => self.add(*first, *second, 1 << (*third & 31)),
                [first, second] => self.add(*first, *second, Self::ends()),
                [first] => {
                    let mut place = 0;
                    while place < ENDS.len() {
                        self.add(*first, ENDS[place], u32::MAX);
                        place += 1;
                    }
                }
                [] => {}
            }
            rest = others;
        }
        self
    }

    const fn ends() -> u32 {
        let mut bits = 0;
        let mut place = 0;
        while place < ENDS.len() {
            bits |= 1 << (ENDS[place] & 31);
            place += 1;
        }
        bits
    }

    const fn add(&mut self, first: u8, second: u8, thirds: u32) {
        self.0[Self::place(first, second)] |= thirds;
    }

    const fn place(first: u8, second: u8) -> usize {
        ((first & 31) as usize) << 5 | (second & 31) as usize
    }

    /// Whether one of the words may begin with three bytes.
    #[inline]
    const fn hold(&self, [first, second, third]: [u8; 3]) -> bool {
        self.0[Self::place(first, second)] >> (third & 31) & 1 == 1
    }
}

/// Most words of an introduction.
const MOST_WORDS: usize = 5;

/// Hands every such name to `found`.
pub(super) fn scan(text: &str, lists: Lists<'_>, found: &mut dyn FnMut(Range<usize>)) {
    let mut begin = |start| {
        if let Some(name) = greeted(text, start, lists) {
            found(name);
        }
    };
    begin(0);
    let bytes = text.as_bytes();
    for index in bytes::places(bytes, is_sign) {
        if let Some(start) = beginning(bytes, index) {
            begin(start);
        }
    }
}

/// Whether a sentence may follow.
const fn is_sign(byte: u8) -> bool {
    matches!(byte, b'\n' | b'.' | b'!' | b'?' | b':' | b',' | b'"' | b'>')
}

/// Where a line, a sentence or a quotation begins after a sign; `None` if no word of interest may
/// begin there.
#[inline]
fn beginning(text: &[u8], sign: usize) -> Option<usize> {
    let mut start = sign + 1;
    let is_apart = bytes::at(text, start) == b' ';
    start += usize::from(is_apart);
    start += usize::from(is_apart && bytes::at(text, start) == b' ');
    let is_free = is_apart || matches!(bytes::at(text, sign), b'\n' | b'"' | b'>');
    let first = [0, 1, 2].map(|index| bytes::at(text, start + index));
    let may_begin = STARTS.hold(first);
    (is_free && may_begin).then_some(start)
}

/// The name after the greeting or introduction that begins at `start`.
fn greeted(text: &str, start: usize, lists: Lists<'_>) -> Option<Range<usize>> {
    if let Some(end) = word_end(text.as_bytes(), start, &GREETINGS) {
        return name_at(text, end, lists);
    }
    word_end(text.as_bytes(), start, &OPENINGS)?;
    introduced(text, start, lists)
}

/// Where one of the words ends, if it is at `start` as a whole word.
fn word_end(text: &[u8], start: usize, words: &bytes::WordInitials) -> Option<usize> {
    let mut ends = words.at(text, start).map(|word| start + word.len());
    ends.find(|end| ENDS.contains(&bytes::at(text, *end)))
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

/// A first name behind `at`, with the surnames behind it.
fn name_at(text: &str, at: usize, lists: Lists<'_>) -> Option<Range<usize>> {
    let at = at + usize::from(text.as_bytes().get(at) == Some(&b','));
    let at = at + usize::from(text.as_bytes().get(at) == Some(&b'\n'));
    let is_name = |token: &Token, mark: Marks| {
        let marks = lists.marks(token.hash);
        matches!(token.kind, Kind::Lower | Kind::Capital)
            && marks.has(mark)
            && !marks.has(Marks::COMMON)
    };
    let first = Token::after(text, at);
    if first.end - first.start < 3 || !is_name(&first, Marks::FIRST) {
        return None;
    }
    let mut end = first.end;
    for _ in 0..2 {
        let next = Token::after(text, end);
        if next.start != end + 1 || next.kind != first.kind || !is_name(&next, Marks(3)) {
            break;
        }
        end = next.end;
    }
    Some(first.start..end)
}
