//! Words and punctuation around a position.

use crate::detect::bytes;

/// The shape of a word or symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// The beginning or end of the text.
    Edge,
    /// The end of a line.
    Line,
    /// `word`
    Lower,
    /// `Word`, `O'Neil`, `McDonald`, `Anne-Marie`
    Capital,
    /// `WORD`
    Capitals,
    /// A single capital letter.
    Initial,
    /// `42`
    Number,
    /// `camelCase`, `snake_case`, `v2`
    Identifier,
    /// Any other character.
    Sign,
}

/// A word or sign.
#[derive(Debug, Clone, Copy)]
pub struct Token {
    /// First byte.
    pub start: usize,
    /// The byte after it.
    pub end: usize,
    /// Its shape.
    pub kind: Kind,
    /// Hash of its letters in lower case.
    pub hash: u64,
}

/// The longest word, in bytes; anything longer is not a word.
const LONGEST: usize = 64;

impl Token {
    const fn edge(at: usize) -> Self {
        Self {
            start: at,
            end: at,
            kind: Kind::Edge,
            hash: 1,
        }
    }

    /// Whether it begins with a capital letter and may be a part of a name.
    #[must_use]
    pub const fn is_capital(&self) -> bool {
        matches!(self.kind, Kind::Capital | Kind::Capitals | Kind::Initial)
    }

    /// Whether it is written in letters.
    #[must_use]
    pub const fn is_word(&self) -> bool {
        self.is_capital() || matches!(self.kind, Kind::Lower)
    }

    /// The word or sign that begins at `start`.
    #[must_use]
    pub fn at(text: &str, start: usize) -> Self {
        let Some(first) = letter_at(text, start) else {
            return Self::edge(start);
        };
        if let Some(token) = plain(text.as_bytes(), start) {
            token
        } else if is_part(first) {
            Word::read(text, start).token(text)
        } else {
            Self::sign(start, first)
        }
    }

    fn sign(start: usize, sign: char) -> Self {
        let is_line = sign == '\n';
        Self {
            start,
            end: start + sign.len_utf8(),
            kind: if is_line { Kind::Line } else { Kind::Sign },
            hash: mix(OFFSET, u32::from(sign)),
        }
    }

    /// The word or symbol after `at`.
    #[must_use]
    pub fn after(text: &str, at: usize) -> Self {
        let bytes = text.as_bytes();
        let mut start = at;
        while bytes.get(start).is_some_and(|byte| is_space(*byte)) {
            start += 1;
        }
        Self::at(text, start)
    }

    /// The word or sign before `at`.
    #[must_use]
    pub fn before(text: &str, at: usize) -> Self {
        let bytes = text.as_bytes();
        let mut end = at;
        while end > 0 && bytes.get(end - 1).is_some_and(|byte| is_space(*byte)) {
            end -= 1;
        }
        let lead = text.get(..end).unwrap_or_default();
        let Some(last) = lead.chars().next_back() else {
            return Self::edge(0);
        };
        if !is_part(last) {
            return Self::sign(end - last.len_utf8(), last);
        }
        let token = match start_of_ascii(bytes, end) {
            Some(start) => Self::at(text, start),
            None => Word::read(text, start_of_word(lead)).token(text),
        };
        Self { end, ..token }
    }
}

/// Where a word of ASCII letters begins that ends before `end` and that nothing joins to another: the usual case, found
/// faster.
fn start_of_ascii(text: &[u8], end: usize) -> Option<usize> {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let start = end - bytes::run_back(text, end, LONGEST, is_part);
    let before = bytes::before(text, start);
    let goes_on = !before.is_ascii() || is_part(before) || is_joint(before.into());
    (!goes_on).then_some(start)
}

/// Where the word begins that a text ends with.
fn start_of_word(text: &str) -> usize {
    let end = text.len();
    let mut start = end;
    let mut letters = text.char_indices().rev().peekable();
    while let Some((index, letter)) = letters.next() {
        let joins = is_joint(letter)
            && start < end
            && letters
                .peek()
                .is_some_and(|(_, other)| other.is_alphabetic());
        if !(is_part(letter) || joins) || end - index > LONGEST {
            break;
        }
        start = index;
    }
    start
}

/// A separate word of ASCII letters with at most one capital: the usual case, read faster.
#[inline]
fn plain(text: &[u8], start: usize) -> Option<Token> {
    let rest = text.get(start..)?;
    let mut hash = OFFSET;
    let mut length = 0;
    while let Some(&byte) = rest.get(length).filter(|byte| byte.is_ascii_alphabetic()) {
        if byte.is_ascii_uppercase() && length > 0 {
            return None;
        }
        hash = mix(hash, u32::from(byte | 0x20));
        length += 1;
    }
    let behind = rest.get(length).copied().unwrap_or(b' ');
    let is_whole = behind.is_ascii() && !matches!(behind, b'0'..=b'9' | b'_' | b'\'' | b'-');
    let is_capital = rest.first().is_some_and(u8::is_ascii_uppercase);
    let kind = match length {
        1 if is_capital => Kind::Initial,
        _ if is_capital => Kind::Capital,
        _ => Kind::Lower,
    };
    ((1..LONGEST).contains(&length) && is_whole).then_some(Token {
        start,
        end: start + length,
        kind,
        hash,
    })
}

/// A word while it is read.
struct Word {
    start: usize,
    end: usize,
    hash: u64,
    letters: u32,
    capitals: u32,
    /// Parts that hyphens and apostrophes join.
    parts: u32,
    has_other: bool,
    begins_small: bool,
}

impl Word {
    fn read(text: &str, start: usize) -> Self {
        let mut word = Self {
            start,
            end: start,
            hash: OFFSET,
            letters: 0,
            capitals: 0,
            parts: 1,
            has_other: false,
            begins_small: false,
        };
        let mut last = ' ';
        while let Some(letter) = letter_at(text, word.end) {
            let joins = || {
                let next = letter_at(text, word.end + letter.len_utf8());
                is_joint(letter) && last.is_alphabetic() && next.is_some_and(char::is_alphabetic)
            };
            if !(is_part(letter) || joins()) || word.end - start > LONGEST {
                break;
            }
            word.take(letter);
            last = letter;
        }
        word
    }

    #[inline]
    fn take(&mut self, letter: char) {
        self.end += letter.len_utf8();
        if letter.is_ascii_lowercase() {
            self.letters += 1;
            self.begins_small |= self.letters == 1;
            self.hash = mix(self.hash, letter as u32);
            return;
        }
        if letter.is_uppercase() {
            self.capitals += 1;
            self.letters += 1;
        } else if letter.is_alphabetic() {
            self.letters += 1;
            self.begins_small |= self.letters == 1;
        } else {
            self.parts += u32::from(is_joint(letter));
            self.has_other |= !is_joint(letter) && !is_mark(letter);
        }
        self.hash = mix_small(self.hash, letter);
    }

    fn kind(&self, text: &str) -> Kind {
        let begins_as_name = || has_prefix(text.get(self.start..).unwrap_or_default());
        match () {
            () if self.letters == 0 => Kind::Number,
            () if self.has_other => Kind::Identifier,
            () if self.capitals == 0 => Kind::Lower,
            () if self.letters == 1 => Kind::Initial,
            () if self.capitals == self.letters => Kind::Capitals,
            () if self.begins_small || self.capitals > self.parts + 1 => Kind::Identifier,
            () if self.capitals > self.parts && !begins_as_name() => Kind::Identifier,
            () => Kind::Capital,
        }
    }

    fn token(&self, text: &str) -> Token {
        Token {
            start: self.start,
            end: self.end,
            kind: self.kind(text),
            hash: self.hash,
        }
    }
}

/// Whether a capital within a word may follow its beginning: `McDonald`, `DeLuca`.
fn has_prefix(word: &str) -> bool {
    const PREFIXES: [&str; 10] = [
        "Mc", "Mac", "De", "Di", "Du", "La", "Le", "Van", "Fitz", "O",
    ];
    PREFIXES.iter().any(|prefix| {
        let rest = word.strip_prefix(prefix);
        rest.is_some_and(|rest| rest.starts_with(char::is_uppercase))
    })
}

const OFFSET: u64 = 0xCBF2_9CE4_8422_2325;

/// Adds a character to a hash.
#[inline]
pub(super) const fn mix(hash: u64, letter: u32) -> u64 {
    (hash ^ letter as u64)
        .wrapping_mul(0x9E37_79B9_7F4A_7C15)
        .rotate_left(23)
}

/// Adds a letter in lower case, and an apostrophe of either kind as the same, to the hash of a word.
#[inline]
fn mix_small(hash: u64, letter: char) -> u64 {
    if letter.is_ascii() {
        return mix(hash, u32::from(letter.to_ascii_lowercase()));
    }
    let letter = if letter == '’' { '\'' } else { letter };
    let small = letter.to_lowercase();
    small.fold(hash, |hash, letter| mix(hash, u32::from(letter)))
}

/// Hash of a word, as [`Token::hash`] has it.
#[must_use]
pub fn hash_of(word: &str) -> u64 {
    word.chars().fold(OFFSET, mix_small)
}

/// The character that begins at `at`.
#[inline]
fn letter_at(text: &str, at: usize) -> Option<char> {
    let first = *text.as_bytes().get(at)?;
    if first.is_ascii() {
        return Some(char::from(first));
    }
    text.get(at..)?.chars().next()
}

#[inline]
fn is_part(letter: char) -> bool {
    letter.is_ascii_alphanumeric()
        || letter == '_'
        || !letter.is_ascii() && (letter.is_alphanumeric() || is_mark(letter))
}

/// Marks that are written over the letter before.
const fn is_mark(letter: char) -> bool {
    matches!(letter, '\u{300}'..='\u{36F}')
}

/// What joins two parts of a word.
const fn is_joint(letter: char) -> bool {
    matches!(letter, '\'' | '’' | '-')
}

pub(super) const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}
