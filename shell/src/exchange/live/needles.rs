//! Finds values in a text: as they are spelled, and within base64.

use std::collections::HashMap;
use std::ops::Range;

use aho_corasick::AhoCorasick;
use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use engine::Sensitive;

/// The length of a value's beginning that is searched for first: searching for many long values whole would take seconds.
const BEGIN: usize = 32;

/// How often base64 within base64 is read.
const NESTED: usize = 2;

/// The least number of letters that are read as base64.
const LEAST: usize = 8;

/// The most backslashes before a letter: those of JSON in strings of JSON.
const MOST_ESCAPES: usize = 8;

/// Reads base64 that was cut.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The value at a place of a text, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece {
    Value(usize),
    /// The token, which was not restored.
    Kept(usize),
}

/// What is searched for.
#[derive(Debug)]
pub(super) struct Needles {
    search: AhoCorasick,
    /// Those that begin alike.
    begun: Vec<Vec<(Piece, Sensitive<String>)>>,
    nested: usize,
}

impl Needles {
    /// Values as they are spelled. `None` if they can't be searched for.
    pub(super) fn new(needles: Vec<(Piece, Sensitive<String>)>) -> Option<Self> {
        let mut by_begin = HashMap::<_, Vec<_>>::new();
        for needle in needles {
            let whole = needle.1.expose();
            let begin = whole.get(..whole.floor_char_boundary(BEGIN))?;
            let begin = Sensitive::new(begin.to_ascii_lowercase());
            by_begin.entry(begin).or_default().push(needle);
        }
        let (begins, begun): (Vec<_>, Vec<_>) = by_begin.into_iter().unzip();
        // A surrogate in capitals stands for its value in capitals.
        let search = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .build(begins.iter().map(Sensitive::expose));
        Some(Self {
            search: search.ok()?,
            begun,
            nested: 0,
        })
    }

    /// The same within base64, too.
    pub(super) fn in_base64(self) -> Self {
        Self {
            nested: NESTED,
            ..self
        }
    }

    /// All places of the values.
    pub(super) fn places(&self, text: &str) -> Vec<(Range<usize>, Piece)> {
        let mut places = self.spelled(text);
        if self.nested > 0 {
            places.extend(runs(text).flat_map(|run| self.in_run(&run)));
        }
        places
    }

    /// A text that was cut, without a value that only begins at its end.
    pub(super) fn without_begun<'t>(&self, text: &'t str) -> &'t str {
        let shown = text.get(..text.len() - self.begun_at_end(text));
        let shown = shown.unwrap_or_default();
        let last = runs(shown).last();
        let last = last.filter(|run| self.nested > 0 && run.place.end == shown.len());
        let begins = |run: &Run| {
            let mut read = run.read();
            read.any(|read| self.begun_at_end(read.expose()) > 0)
        };
        match last.filter(begins) {
            Some(run) => shown.get(..run.place.start).unwrap_or_default(),
            None => shown,
        }
    }

    fn begun_at_end(&self, text: &str) -> usize {
        let begun = self.begun.iter().flatten().filter_map(|(_, needle)| {
            let needle = needle.expose();
            let mut ends = needle.char_indices().map(|(at, _)| at).rev();
            ends.find(|end| {
                let start = needle.get(..*end).unwrap_or_default();
                let tail = text.get(text.len().saturating_sub(*end)..);
                tail.is_some_and(|tail| tail.eq_ignore_ascii_case(start))
            })
        });
        begun.max().unwrap_or_default()
    }

    fn spelled(&self, text: &str) -> Vec<(Range<usize>, Piece)> {
        let mut places = Vec::new();
        for found in self.search.find_overlapping_iter(text) {
            let start = found.start();
            let begun = self.begun.get(found.pattern().as_usize());
            for (piece, needle) in begun.into_iter().flatten() {
                let end = start + needle.expose().len();
                let there = text.get(start..end);
                if there.is_some_and(|there| there.eq_ignore_ascii_case(needle.expose())) {
                    places.push((start..end, *piece));
                }
            }
        }
        places
    }

    /// Base64 with values in it, shared among them.
    fn in_run(&self, run: &Run) -> Vec<(Range<usize>, Piece)> {
        let pieces = self.within(run, self.nested);
        let Range { start, end } = run.place;
        let border = |index: usize| start + (end - start) * index / pieces.len().max(1);
        let places = pieces.iter().enumerate();
        places
            .map(|(index, piece)| (border(index)..border(index + 1), *piece))
            .collect()
    }

    /// The values within base64, each once.
    fn within(&self, run: &Run, levels: usize) -> Vec<Piece> {
        let mut pieces: Vec<Piece> = Vec::new();
        for read in run.read() {
            let mut spelled = self.spelled(read.expose());
            spelled.sort_by_key(|(place, _)| place.start);
            let nested = runs(read.expose()).filter(|_| levels > 1);
            let nested = nested.flat_map(|run| self.within(&run, levels - 1));
            for piece in spelled.into_iter().map(|(_, piece)| piece).chain(nested) {
                if matches!(piece, Piece::Value(_)) && !pieces.contains(&piece) {
                    pieces.push(piece);
                }
            }
        }
        pieces
    }
}

/// A stretch of a text that may be base64.
struct Run {
    place: Range<usize>,
    letters: Sensitive<Vec<u8>>,
}

impl Run {
    /// What it holds. It may follow up to three letters that belong to something else.
    fn read(&self) -> impl Iterator<Item = Sensitive<String>> {
        let letters = self.letters.expose();
        (0..4).filter_map(|begin| {
            let letters = letters.get(begin..)?;
            let whole = letters.len() - usize::from(letters.len() % 4 == 1);
            let bytes = LENIENT.decode(letters.get(..whole)?).ok()?;
            Some(Sensitive::new(String::from_utf8_lossy(&bytes).into_owned()))
        })
    }
}

/// The stretches of a text that may be base64, which may be broken into lines.
fn runs(text: &str) -> impl Iterator<Item = Run> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < text.len() {
            let run = run_at(text.as_bytes(), at);
            at = run.place.end.max(at + 1);
            if run.letters.expose().len() >= LEAST {
                return Some(run);
            }
        }
        None
    })
}

fn run_at(text: &[u8], start: usize) -> Run {
    let (mut at, mut end, mut letters) = (start, start, Vec::new());
    while let Some((letter, length)) = letter_of(text.get(at..).unwrap_or_default()) {
        at += length;
        if let Some(letter) = letter {
            letters.push(letter);
            end = at;
        } else if letters.is_empty() {
            break;
        }
    }
    let padding = text.get(end..).unwrap_or_default().iter();
    end += padding.take_while(|byte| **byte == b'=').count();
    Run {
        place: start..end,
        letters: Sensitive::new(letters),
    }
}

/// The next letter of base64, or the end of a line, plain or escaped, and its length.
fn letter_of(text: &[u8]) -> Option<(Option<u8>, usize)> {
    let escapes = text
        .iter()
        .take(MOST_ESCAPES)
        .take_while(|byte| **byte == b'\\')
        .count();
    match (escapes, *text.get(escapes)?) {
        (0, b'-') => Some((Some(b'+'), 1)),
        (0, b'_') => Some((Some(b'/'), 1)),
        (_, b'/') => Some((Some(b'/'), escapes + 1)),
        (0, b'\n' | b'\r') => Some((None, 1)),
        (1.., b'n' | b'r') => Some((None, escapes + 1)),
        (0, letter) if letter.is_ascii_alphanumeric() || letter == b'+' => Some((Some(letter), 1)),
        _ => None,
    }
}
