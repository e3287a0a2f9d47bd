//! Terminal escape sequences, raw and spelled out, zero-width characters, and spaces and hyphens outside ASCII.

use super::map::Builder;
use super::seek::SetFinder;
use super::{Unframed, compose};
use crate::detect::bytes::{self, at, before};
use std::ops::Range;

/// Longest control sequence (ECMA-48, section 5.4), in bytes.
const LONGEST_CONTROL: usize = 64;
/// Longest control string, as the address of a link is one, in bytes.
const LONGEST_STRING: usize = 4096;
const ESCAPE: u8 = 0x1B;
const BELL: u8 = 0x07;

/// The escape character as scripts and tools spell it, after a backslash.
#[rustfmt::skip]
const SPELLINGS: &[&[u8]] = &[b"033", b"x1b", b"x1B", b"e", b"E", b"u001b", b"u001B", b"u{1b}", b"u{1B}"];
/// How a control string may end.
#[rustfmt::skip]
const ENDS: &[&[u8]] = &[b"\x07", b"\x1B\\", b"\\a", b"\\007", b"\\x07", b"\\u0007", b"\\033\\", b"\\e\\", b"\\x1b\\", b"\\u001b\\"];

/// Text that a reader does not see, or sees as a space or the end of a line.
struct Invisible {
    end: usize,
    seen: Option<char>,
    /// Whether words may end at it: at a terminal's sequence, and where a line may be broken.
    is_border: bool,
    /// The text that a control string holds, as the address of a link.
    held: Option<Range<usize>>,
}

impl Invisible {
    const fn until(end: usize) -> Self {
        Self {
            end,
            seen: None,
            is_border: true,
            held: None,
        }
    }

    const fn seen_as(seen: char, end: usize) -> Self {
        Self {
            end,
            seen: Some(seen),
            is_border: false,
            held: None,
        }
    }
}

/// A text without escape sequences and characters without width, all of its spaces ASCII and its letters composed; `None`
/// where it is so already. What stands between two words may be within one value, `al\x1b[31mice@…`, or part two of them,
/// `…1111\x1b[0mVISA`: then there is a second way to read it, with a space.
pub(super) fn strip(source: &str) -> Option<Unframed> {
    let (unframed, joins_words) = read(source, "")?;
    if !joins_words {
        return Some(unframed);
    }
    let apart = read(source, " ").map(|(apart, _)| apart.main);
    Some(Unframed {
        other: apart.unwrap_or_default(),
        ..unframed
    })
}

/// The text, with what is to stand between words that only something invisible parts, and whether there are any.
fn read(source: &str, between: &str) -> Option<(Unframed, bool)> {
    let text = source.as_bytes();
    let sets = [
        [ESCAPE, b'\\', b'^'],
        [0xE2, 0xC2, 0xEF],
        [ideographic_space(text), 0xCC, 0xCD],
        [0xD8, 0xE1, 0xF3],
    ];
    let mut seek = SetFinder::new(text, sets);
    let (mut main, mut aside) = (Builder::default(), Builder::default());
    let (mut kept, mut from) = (0, 0);
    let (mut is_composed, mut joins_words) = (false, false);
    while let Some(start) = seek.next(from) {
        let composed = compose::letter(text, start).filter(|_| start > kept);
        if let Some((letter, end)) = composed {
            is_composed = true;
            main.keep(source, kept..start - 1);
            main.put(letter, start - 1..end);
            (kept, from) = (end, end);
            continue;
        }
        let Some(Invisible {
            end,
            seen,
            is_border,
            held,
        }) = invisible(text, start)
        else {
            from = start + bytes::run(text, start, usize::MAX, |byte| byte == b'\\').max(1);
            continue;
        };
        main.keep(source, kept..start);
        let parts_words = is_border && start > kept && parts_words(text, start..end);
        joins_words |= parts_words;
        let space = between.chars().next().filter(|_| parts_words);
        if let Some(letter) = seen.or(space) {
            main.put(letter, start..end);
        }
        if let Some(held) = held {
            aside.keep(source, held);
            aside.end_line();
        }
        (kept, from) = (end, end);
    }
    if kept == 0 {
        return None;
    }
    main.keep(source, kept..text.len());
    let unframed = Unframed {
        is_sure: !is_composed,
        ..Unframed::surely(main, aside)
    };
    Some((unframed, joins_words))
}

/// Whether a word ends where the first of some invisible texts begins, and another one begins behind them.
fn parts_words(text: &[u8], first: Range<usize>) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte >= 0x80;
    if !is_word(before(text, first.start)) {
        return false;
    }
    let mut end = first.end;
    while let Some(next) = invisible(text, end).filter(|next| next.is_border) {
        end = next.end;
    }
    is_word(at(text, end))
}

/// The first byte of `U+3000`, with which all kana begin too; if there is none, a byte that no text
/// contains.
fn ideographic_space(text: &[u8]) -> u8 {
    let space = memchr::memmem::find(text, "\u{3000}".as_bytes());
    space.map_or(u8::MAX, |_| 0xE3)
}

fn invisible(text: &[u8], start: usize) -> Option<Invisible> {
    match at(text, start) {
        ESCAPE => Some(raw(text, start)),
        b'^' if at(text, start + 1) == b'[' => spelled_sequence(text, start + 2),
        b'\\' => spelled(text, start),
        _ => typeset(text, start).or_else(|| no_width(text, start)),
    }
}

/// Spaces, hyphens and ends of lines outside ASCII, as typesetters, web pages and word processors write them: `mot de
/// passe\u{A0}:`.
fn typeset(text: &[u8], start: usize) -> Option<Invisible> {
    let (seen, width) = match (at(text, start), at(text, start + 1), at(text, start + 2)) {
        (0xC2, 0xA0, _) => (' ', 2),
        (0xC2, 0x85, _) => ('\n', 2),
        (0xE2, 0x80, 0x80..=0x8A | 0xAF) | (0xE2, 0x81, 0x9F) | (0xE3, 0x80, 0x80) => (' ', 3),
        (0xE2, 0x80, 0x90..=0x92) | (0xE2, 0x88, 0x92) => ('-', 3),
        (0xE2, 0x80, 0xA8 | 0xA9) => ('\n', 3),
        (0xEF, 0xBC, _) => (full_width_sign(text, start)?, 3),
        _ => return None,
    };
    Some(Invisible::seen_as(seen, start + width))
}

/// A full-width sign between ASCII letters or digits, as in `090－1234－5678`. Anywhere else it is the punctuation of a
/// text, and full-width letters and digits are read by a view of their own.
fn full_width_sign(text: &[u8], start: usize) -> Option<char> {
    const WIDTH: usize = 3;
    let sign = at(text, start + 2).checked_sub(0x81)? + b'!';
    let is_between = before(text, start).is_ascii_alphanumeric()
        && at(text, start + WIDTH).is_ascii_alphanumeric();
    (is_between && sign.is_ascii_punctuation()).then(|| char::from(sign))
}

/// Characters that take no place: joiners, marks of direction, of byte order and of languages, hyphens that do not
/// show, and what selects a variant of a letter.
fn no_width(text: &[u8], start: usize) -> Option<Invisible> {
    let (first, second, third) = (at(text, start), at(text, start + 1), at(text, start + 2));
    let end = match (first, second, third) {
        (0xE2, 0x80, 0x8B..=0x8F | 0xAA..=0xAE)
        | (0xE2, 0x81, 0xA0..=0xAF)
        | (0xE1, 0xA0, 0x8E)
        | (0xEF, 0xBB, 0xBF) => start + 3,
        // After anything else it belongs to a sign, such as an emoji.
        (0xEF, 0xB8, 0x80..=0x8F) if matches!(before(text, start), b' '..=b'~') => start + 3,
        (0xF3, 0xA0, 0x80 | 0x81 | 0x84..=0x87) => start + 4,
        (0xC2, 0xAD, _) | (0xCD, 0x8F, _) | (0xD8, 0x9C, _) => start + 2,
        (0xC2, 0x9B, _) => control_end(text, start + 2)?,
        _ => return None,
    };
    // The space without width, the mark of byte order, and a sequence.
    let is_border = matches!(
        (first, second, third),
        (0xE2, 0x80, 0x8B) | (0xEF, 0xBB, 0xBF) | (0xC2, 0x9B, _)
    );
    Some(Invisible {
        is_border,
        ..Invisible::until(end)
    })
}

/// A sequence whose escape character is at `start`.
fn raw(text: &[u8], start: usize) -> Invisible {
    let next = start + 1;
    let end = match at(text, next) {
        b'[' => control_end(text, next + 1),
        b']' | b'P' | b'X' | b'^' | b'_' => {
            return string(text, next).unwrap_or(Invisible::until(next));
        }
        b'(' | b')' | b'*' | b'+' | b'#' if at(text, next + 1).is_ascii_alphanumeric() => {
            Some(next + 2)
        }
        b'7' | b'8' | b'=' | b'>' | b'\\' | b'D' | b'E' | b'H' | b'M' | b'N' | b'O' | b'Z'
        | b'c' => Some(next + 1),
        _ => None,
    };
    Invisible::until(end.unwrap_or(next))
}

/// A sequence whose escape character is spelled out after the backslashes at `start`, of which JSON in JSON has many.
fn spelled(text: &[u8], start: usize) -> Option<Invisible> {
    let name = start + bytes::run(text, start, usize::MAX, |byte| byte == b'\\');
    if !matches!(at(text, name), b'0' | b'x' | b'e' | b'E' | b'u') {
        return None;
    }
    let spelling = SPELLINGS
        .iter()
        .find(|spelling| bytes::slice(text, name, name + spelling.len()) == **spelling)?;
    spelled_sequence(text, name + spelling.len())
}

/// What follows an escape character that is spelled out. Code holds such letters for other ends, too.
fn spelled_sequence(text: &[u8], start: usize) -> Option<Invisible> {
    match at(text, start) {
        b'[' => {
            let numbers = |byte: u8| byte.is_ascii_digit() || matches!(byte, b';' | b':' | b'?');
            let last = start + 1 + bytes::run(text, start + 1, LONGEST_CONTROL, numbers);
            at(text, last)
                .is_ascii_alphabetic()
                .then_some(Invisible::until(last + 1))
        }
        b']' if at(text, start + 1).is_ascii_digit() => string(text, start),
        _ => None,
    }
}

/// Where a control sequence with its parameters at `start` ends.
fn control_end(text: &[u8], start: usize) -> Option<usize> {
    let last = start
        + bytes::run(text, start, LONGEST_CONTROL, |byte| {
            matches!(byte, b' '..=b'?')
        });
    matches!(at(text, last), b'@'..=b'~').then_some(last + 1)
}

/// A control string whose kind is at `kind`: `8;;https://…`.
fn string(text: &[u8], kind: usize) -> Option<Invisible> {
    let first = kind + 1;
    let window = bytes::slice(text, first, text.len().min(first + LONGEST_STRING));
    // What does not end it here begins another one: so no text is searched twice.
    let length = memchr::memchr3(BELL, ESCAPE, b'\\', window)?;
    let rest = bytes::slice(window, length, window.len());
    let ending = ENDS.iter().find(|end| rest.starts_with(end))?.len();
    let is_line = memchr::memchr(b'\n', bytes::slice(window, 0, length)).is_none();
    let (held, end) = (first..first + length, first + length + ending);
    // `\033\\` is the last one's spelling in many languages.
    let end = end + usize::from(ending > 2 && at(text, end) == b'\\');
    is_line.then_some(Invisible {
        held: Some(held),
        ..Invisible::until(end)
    })
}
