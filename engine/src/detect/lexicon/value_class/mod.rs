//! Classifies a value by its characters.

mod code;
mod passwords;

use std::cell::OnceCell;

use super::{placeholder, public, technical, words};
use crate::detect::bytes;

/// Features of a value.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent features")]
pub(in crate::detect) struct Value<'v> {
    text: &'v [u8],
    pub(in crate::detect) length: usize,
    pub(in crate::detect) has_letter: bool,
    pub(in crate::detect) has_digit: bool,
    pub(in crate::detect) has_upper: bool,
    pub(in crate::detect) has_lower: bool,
    pub(in crate::detect) has_symbol: bool,
    pub(in crate::detect) has_space: bool,
    pub(in crate::detect) digits: usize,
    /// The bytes of the text, as bits.
    held: [u64; 4],
    entropy: OnceCell<u8>,
    share: OnceCell<usize>,
    looks_like_words: OnceCell<bool>,
    is_random: OnceCell<bool>,
    is_technical: OnceCell<bool>,
    is_algorithm: OnceCell<bool>,
    is_id: OnceCell<bool>,
    is_placeholder: OnceCell<bool>,
}

/// Kinds of bytes, as bits.
const DIGIT: u8 = 1;
const UPPER: u8 = 1 << 1;
const LOWER: u8 = 1 << 2;
const LETTER: u8 = 1 << 3;
const SPACE: u8 = 1 << 4;
const SYMBOL: u8 = 1 << 5;

const KINDS: [u8; 256] = {
    let mut kinds = [LETTER; 256];
    let mut byte = 0;
    while byte < 128 {
        kinds[byte as usize] = match byte {
            b'0'..=b'9' => DIGIT,
            b'A'..=b'Z' => UPPER | LETTER,
            b'a'..=b'z' => LOWER | LETTER,
            b'_' | b'-' | b'.' => 0,
            b' ' | b'\t' | b'\n' | b'\r' => SPACE,
            _ if byte.is_ascii_punctuation() => SYMBOL,
            _ => 0,
        };
        byte += 1;
    }
    kinds
};

impl<'v> Value<'v> {
    pub(in crate::detect) fn of(text: &'v str) -> Self {
        let text = text.as_bytes();
        let (mut kinds, mut digits, mut held) = (0, 0, [0; 4]);
        for &byte in text {
            let kind = KINDS[usize::from(byte)];
            kinds |= kind;
            digits += usize::from(kind & DIGIT);
            held[usize::from(byte >> 6)] |= 1 << (byte & 63);
        }
        Self {
            text,
            length: text.len(),
            has_letter: kinds & LETTER != 0,
            has_digit: kinds & DIGIT != 0,
            has_upper: kinds & UPPER != 0,
            has_lower: kinds & LOWER != 0,
            has_symbol: kinds & SYMBOL != 0,
            has_space: kinds & SPACE != 0,
            digits,
            held,
            entropy: OnceCell::new(),
            share: OnceCell::new(),
            looks_like_words: OnceCell::new(),
            is_random: OnceCell::new(),
            is_technical: OnceCell::new(),
            is_algorithm: OnceCell::new(),
            is_id: OnceCell::new(),
            is_placeholder: OnceCell::new(),
        }
    }

    /// Whether the text contains one of a few bytes.
    pub(in crate::detect) fn holds_any(&self, bytes: &[u8]) -> bool {
        let holds = |byte: u8| self.held[usize::from(byte >> 6)] >> (byte & 63) & 1 == 1;
        bytes.iter().any(|&byte| holds(byte))
    }

    /// Whether the letters form words, so that this is prose or an identifier.
    pub(in crate::detect) fn is_words(&self) -> bool {
        if self.length < 4 {
            return self.has_letter && !self.has_digit;
        }
        self.digits * 5 <= self.length && self.looks_like_words()
    }

    fn looks_like_words(&self) -> bool {
        *self
            .looks_like_words
            .get_or_init(|| words::look_like_words(self.text))
    }

    fn are_mostly_words(&self) -> bool {
        words::are_mostly_words(self.share())
    }

    /// How many of the pairs of letters are common in words, in percent.
    pub(in crate::detect) fn share(&self) -> usize {
        *self.share.get_or_init(|| words::share(self.text))
    }

    /// Whether this is too irregular for anything but a generated value.
    pub(in crate::detect) fn is_random(&self) -> bool {
        *self.is_random.get_or_init(|| self.looks_random())
    }

    fn looks_random(&self) -> bool {
        self.length >= 16
            && self.has_letter
            && self.digits >= 2
            && self.entropy() >= 30
            && !(self.is_words() && self.digits * 8 < self.length)
            && !(self.is_identifier() && self.digits * 3 <= self.length && self.looks_like_words())
            && !self.is_compound()
            && !self.is_constant()
            && !self.is_numbered_name()
            && !self.is_technical()
            && !self.is_time()
            && !self.is_alphabet()
            && !self.is_path()
            && !self.is_dotted_name()
            || self.is_random_letters()
    }

    /// Letters of both cases, hardly any digit, and no words.
    fn is_random_letters(&self) -> bool {
        self.length >= 20
            && self.has_upper
            && self.has_lower
            && !self.is_words()
            && !self.are_mostly_words()
            && self.entropy() >= 38
            && !self.is_path()
            && !self.has_space
            && self
                .text
                .iter()
                .all(|&byte| bytes::is_word(byte) || matches!(byte, b'-' | b'+' | b'/' | b'='))
            && alternates(self.text)
    }

    /// How many letters a value begins with, and the number that is the rest of it.
    fn numbered(&self) -> (usize, &[u8]) {
        let letters = bytes::run(self.text, 0, self.length, |byte| byte.is_ascii_alphabetic());
        let rest = bytes::slice(self.text, letters, self.length);
        let number = if rest.iter().all(u8::is_ascii_digit) {
            rest
        } else {
            &[]
        };
        (letters, number)
    }

    /// One run of letters or digits too long for a word or a count.
    pub(in crate::detect) fn is_opaque(&self) -> bool {
        self.length >= 20
            && self.text.iter().all(u8::is_ascii_alphanumeric)
            && self.entropy() >= 25
            && (self.digits == self.length
                || !(self.is_words() || self.has_upper && self.has_lower)
                || self.is_hex())
    }

    /// Letters and digits of hexadecimal numbers alone.
    pub(in crate::detect) fn is_hex(&self) -> bool {
        self.text.iter().all(u8::is_ascii_hexdigit)
    }

    /// `1979-05-27T07:32:00Z`
    pub(in crate::detect) fn is_time(&self) -> bool {
        let part = |byte: &u8| {
            byte.is_ascii_digit()
                || matches!(byte, b'-' | b':' | b'.' | b'T' | b'Z' | b'+' | b't' | b'z')
        };
        matches!(
            self.text,
            [b'0'..=b'9', b'0'..=b'9', b'0'..=b'9', b'0'..=b'9', b'-', ..]
        ) && self.text.iter().all(part)
    }

    /// The alphabet, as encoders spell it.
    fn is_alphabet(&self) -> bool {
        self.text
            .starts_with(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
    }

    pub(in crate::detect) fn is_alphanumeric(&self) -> bool {
        self.text.iter().all(u8::is_ascii_alphanumeric)
    }

    pub(in crate::detect) fn is_uuid(&self) -> bool {
        self.length == 36
            && self
                .text
                .iter()
                .enumerate()
                .all(|(index, byte)| match index {
                    8 | 13 | 18 | 23 => *byte == b'-',
                    _ => byte.is_ascii_hexdigit(),
                })
    }

    pub(in crate::detect) fn is_number(&self) -> bool {
        self.text
            .iter()
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+' | b'_'))
    }

    /// How often characters of different kinds (upper case, lower case, digit, symbol) are next to
    /// each other.
    pub(in crate::detect) fn kind_changes(&self) -> usize {
        kind_changes(self.text)
    }

    /// A name from programs with a number in it, such as an algorithm's.
    pub(in crate::detect) fn is_technical(&self) -> bool {
        *self
            .is_technical
            .get_or_init(|| technical::is_name(self.text))
    }

    /// An algorithm, as SSH, TLS and X.509 name them.
    pub(in crate::detect) fn is_algorithm(&self) -> bool {
        *self
            .is_algorithm
            .get_or_init(|| public::is_algorithm(self.text))
    }

    /// An id that agents need to read.
    pub(in crate::detect) fn is_id(&self) -> bool {
        *self.is_id.get_or_init(|| public::is_id(self))
    }

    /// A reference, or what only marks the place of a secret.
    pub(in crate::detect) fn is_placeholder(&self) -> bool {
        *self
            .is_placeholder
            .get_or_init(|| placeholder::is_placeholder(self))
    }

    /// In tenths of a bit a byte.
    pub(in crate::detect) fn entropy(&self) -> u8 {
        *self.entropy.get_or_init(|| bytes::entropy(self.text))
    }

    pub(in crate::detect) const fn bytes(&self) -> &'v [u8] {
        self.text
    }
}

/// A number of bits, or of bytes, as types have it in their names.
fn is_size(number: &[u8]) -> bool {
    #[rustfmt::skip]
    const SIZES: &[&[u8]] = &[
        b"16", b"32", b"64", b"128", b"192", b"224", b"256", b"384", b"512", b"521", b"1024", b"2048",
        b"4096", b"25519",
    ];
    SIZES.contains(&number)
}

/// How often characters of different kinds (upper case, lower case, digit, symbol) are next to each
/// other.
fn kind_changes(text: &[u8]) -> usize {
    let kind = |byte: u8| match byte {
        b'A'..=b'Z' => 0,
        b'a'..=b'z' => 1,
        b'0'..=b'9' => 2,
        b' ' => 3,
        _ => 4,
    };
    text.windows(2)
        .filter(|pair| matches!(pair, [first, second] if kind(*first) != kind(*second)))
        .count()
}

/// Whether the case changes more often than it does in `CamelCase`.
fn alternates(text: &[u8]) -> bool {
    let changes = text
        .windows(2)
        .filter(|pair| matches!(pair, [first, second] if first.is_ascii_uppercase() && second.is_ascii_lowercase()
            || first.is_ascii_lowercase() && second.is_ascii_uppercase()))
        .count();
    changes * 4 >= text.len()
}
