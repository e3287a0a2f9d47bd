//! Names behind a greeting, a goodbye or an introduction, in small letters too: `hi anna`, `my name is anna schmidt`,
//! `un saludo, Álvaro`.

use super::lists::{Lists, Marks};
use super::threes::Threes;
use super::titles;
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
    "good morning", "good afternoon", "good evening", "sehr geehrte", "sehr geehrter", "guten tag", "guten morgen", "guten abend",
    "estimado", "estimada", "buenos días", "buenas tardes", "buongiorno", "gentile", "egregio", "egregia", "geachte", "szanowny", "szanowna",
    "vážený", "vážená", "Уважаемый", "Уважаемая", "Шановний", "Шановна", "Дорогой", "Дорогая", "Здравствуйте", "Здравствуй", "Добрый день", "Добрый вечер", "Доброго дня", "Добрий день",
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
static STARTS: Threes = with_starts(
    with_starts(Threes::none(), GREETINGS.words()),
    OPENINGS.words(),
);

const fn with_starts(mut starts: Threes, words: &[&str]) -> Threes {
    let mut rest = words;
    while let [word, others @ ..] = rest {
        match word.as_bytes() {
            [first, second, third, ..] => starts.add([*first, *second, *third]),
            short => add_short(&mut starts, short),
        }
        rest = others;
    }
    starts
}

/// A word of one or two letters, with what ends it and any byte behind that.
const fn add_short(starts: &mut Threes, word: &[u8]) {
    let mut place = 0;
    while place < ENDS.len() {
        match word {
            [first, second] => starts.add([*first, *second, ENDS[place]]),
            [first] => {
                let mut byte = 0;
                while byte < 32 {
                    starts.add([*first, ENDS[place], byte]);
                    byte += 1;
                }
            }
            _ => {}
        }
        place += 1;
    }
}

/// Most words of an introduction.
const MOST_WORDS: usize = 5;

/// The name behind the words that a text begins with.
pub(super) fn at_start(text: &str, lists: Lists<'_>) -> Option<Range<usize>> {
    greeted(text, 0, lists)
}

/// The name in the sentence that begins behind a sign.
#[inline]
pub(super) fn behind(text: &str, sign: usize, lists: Lists<'_>) -> Option<Range<usize>> {
    let start = beginning(text.as_bytes(), sign)?;
    greeted(text, start, lists)
}

/// Where a line, a sentence or a quotation begins after a sign; `None` if no word of interest may
/// begin there.
#[inline]
fn beginning(text: &[u8], sign: usize) -> Option<usize> {
    let mut start = sign + 1;
    if bytes::at(text, start) == b' ' {
        start += 1;
        start += usize::from(bytes::at(text, start) == b' ');
    } else if !matches!(bytes::at(text, sign), b'\n' | b'"' | b'>') {
        return None;
    }
    let first = text.get(start..)?.first_chunk()?;
    STARTS.hold(*first).then_some(start)
}

/// The name after the greeting or introduction that begins at `start`.
#[inline(never)]
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

/// A first name behind `at`, with the surnames behind it, or what follows a title.
fn name_at(text: &str, at: usize, lists: Lists<'_>) -> Option<Range<usize>> {
    let at = at + usize::from(text.as_bytes().get(at) == Some(&b','));
    let at = at + usize::from(text.as_bytes().get(at) == Some(&b'\n'));
    let written = |token: &Token| text.get(token.start..token.end).unwrap_or_default();
    let is_name = |token: &Token, mark: Marks| {
        let marks = lists.marks(token.hash);
        matches!(token.kind, Kind::Lower | Kind::Capital)
            && marks.has(mark)
            && !marks.has(Marks::COMMON)
    };
    let untitled = titles::end(text, at);
    let first = Token::after(text, untitled);
    let is_titled = untitled > at && is_behind_title(text, untitled, &first, lists);
    let begins = is_name(&first, Marks::FIRST) && !titles::is_title(written(&first));
    if first.end - first.start < 3 || !(begins || is_titled) {
        return None;
    }
    let mut end = first.end;
    for _ in 0..2 {
        let next = Token::after(text, end);
        let is_next = is_name(&next, Marks(3)) || is_patronymic(written(&next));
        if next.start != end + 1 || next.kind != first.kind || !is_next {
            break;
        }
        end = next.end;
    }
    Some(first.start..end)
}

/// Whether a word right behind a title is a name: a surname, or a word with a capital that is none of the language.
fn is_behind_title(text: &str, at: usize, word: &Token, lists: Lists<'_>) -> bool {
    let gap = text.get(at..word.start).unwrap_or_default();
    let marks = lists.marks(word.hash);
    gap == " "
        && word.kind == Kind::Capital
        && (marks.has(Marks::SURNAME) || !marks.has(Marks::COMMON))
}

/// `Сергеевна`, `Миколайович`
fn is_patronymic(word: &str) -> bool {
    const ENDINGS: [&str; 4] = ["вич", "вна", "ьич", "ївна"];
    ENDINGS.iter().any(|ending| word.ends_with(ending))
}
