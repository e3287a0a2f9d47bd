//! What kind of text a value is.

use std::cell::OnceCell;

use super::words;
use crate::detect::bytes;

/// Features of a value.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent features")]
pub(in crate::detect) struct Value<'v> {
    text: &'v [u8],
    pub(in crate::detect) length: usize,
    pub(in crate::detect) has_letter: bool,
    pub(in crate::detect) has_digit: bool,
    pub(super) has_upper: bool,
    pub(super) has_lower: bool,
    pub(super) has_symbol: bool,
    pub(in crate::detect) has_space: bool,
    pub(super) digits: usize,
    entropy: OnceCell<u8>,
    looks_like_words: OnceCell<bool>,
}

impl<'v> Value<'v> {
    pub(in crate::detect) fn of(text: &'v str) -> Self {
        let text = text.as_bytes();
        let mut class = Self {
            text,
            length: text.len(),
            has_letter: false,
            has_digit: false,
            has_upper: false,
            has_lower: false,
            has_symbol: false,
            has_space: false,
            digits: 0,
            entropy: OnceCell::new(),
            looks_like_words: OnceCell::new(),
        };
        for &byte in text {
            match byte {
                b'0'..=b'9' => class.digits += 1,
                b'A'..=b'Z' => class.has_upper = true,
                b'a'..=b'z' => class.has_lower = true,
                b'_' | b'-' | b'.' => {}
                b' ' | b'\t' | b'\n' | b'\r' => class.has_space = true,
                0x80.. => class.has_letter = true,
                _ => class.has_symbol |= byte.is_ascii_punctuation(),
            }
        }
        class.has_letter |= class.has_upper || class.has_lower;
        class.has_digit = class.digits > 0;
        class
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

    /// Whether this is too irregular for anything but a generated value.
    pub(in crate::detect) fn is_random(&self) -> bool {
        self.length >= 16
            && self.has_letter
            && self.digits >= 2
            && self.entropy() >= 30
            && !(self.is_words() && self.digits * 8 < self.length)
            && !(self.is_identifier() && self.digits * 3 <= self.length && self.looks_like_words())
            && !self.is_compound()
            && !is_constant(self.text)
            && !self.is_numbered_name()
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
            && !words::are_mostly_words(self.text)
            && self.entropy() >= 38
            && !self.is_path()
            && !self.has_space
            && self
                .text
                .iter()
                .all(|&byte| bytes::is_word(byte) || matches!(byte, b'-' | b'+' | b'/' | b'='))
            && alternates(self.text)
    }

    /// Letters whose case changes as it does in no name, and no words: `JwjFqCpkWwJs`, `F6IPEv9fyTUg`.
    pub(super) fn is_irregular(&self) -> bool {
        self.length >= 10
            && self.has_upper
            && self.has_lower
            && self.is_alphanumeric()
            && !words::are_mostly_words(self.text)
            && ((self.length >= 16 || self.length >= 12 && !self.is_words())
                && alternates(self.text)
                || self.is_mixed() && words::share(self.text) < 60)
    }

    /// Upper and lower case and digits change often, as in few names: `Base64UrlSafe`.
    pub(super) fn is_mixed(&self) -> bool {
        let inner_digit = self.text.windows(2).any(
            |pair| matches!(pair, [digit, letter] if digit.is_ascii_digit() && letter.is_ascii_alphabetic()),
        );
        let share = if self.length < 14 { 2 } else { 3 };
        inner_digit
            && self.has_upper
            && self.has_lower
            && self.length >= 10
            && self.is_alphanumeric()
            && kind_changes(self.text) * share >= self.length
            && words::share(self.text) < 82
    }

    /// Letters, digits and symbols that change too often for words, code or a path: a generated password, or Base64.
    pub(super) fn is_scrambled(&self) -> bool {
        let kinds = u8::from(self.has_upper)
            + u8::from(self.has_lower)
            + u8::from(self.has_digit)
            + u8::from(self.has_symbol);
        kinds >= 3
            && self.length >= 10
            && self.has_letter
            && self.entropy() >= 28
            && kind_changes(self.text) * 5 >= self.length * 2
            && words::share(self.text) < if self.digits < 3 { 72 } else { 84 }
            && !is_expression(self.text)
    }

    /// Words with a number behind them, as people make passwords of: `SunsetTiger42`.
    pub(super) fn is_numbered_word(&self) -> bool {
        let (letters, number) = self.numbered();
        letters >= 5 && self.length >= 8 && (2..=4).contains(&number.len()) && !is_size(number)
    }

    /// `Curve25519`, `Bytes32`: a type.
    pub(super) fn is_sized_type(&self) -> bool {
        let (letters, number) = self.numbered();
        letters >= 1 && self.has_upper && self.has_lower && is_size(number)
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

    /// Words and numbers with separators between them: `issue-231861138`, `5432/shop`.
    fn is_compound(&self) -> bool {
        let parts = || {
            self.text
                .split(|byte| matches!(byte, b'-' | b'_' | b'.' | b'/' | b'#' | b':' | b'+'))
        };
        parts().count() > 1
            && parts().all(|part| {
                part.iter().all(u8::is_ascii_digit)
                    || part.len() < 4
                    || part.iter().filter(|byte| byte.is_ascii_digit()).count() < 2
                        && words::look_like_words(part)
            })
    }

    /// `xmlSecPkcs12LoadMemory`, `nettle_cmac_aes128_set_key`: an identifier with a few numbers in it.
    fn is_numbered_name(&self) -> bool {
        let numbered = |part: &[u8]| {
            let letters = bytes::run(part, 0, part.len(), |byte| byte.is_ascii_lowercase());
            part.len() <= 14 && part.iter().skip(letters).all(u8::is_ascii_digit)
        };
        let snake = || self.text.split(|&byte| byte == b'_').all(numbered);
        let camel = || self.digits * 6 <= self.length && words::are_mostly_words(self.text);
        self.is_identifier() && (self.text.contains(&b'_') && snake() || camel())
    }

    /// One run of letters or digits too long for a word or a count.
    pub(super) fn is_opaque(&self) -> bool {
        self.length >= 20
            && self.text.iter().all(u8::is_ascii_alphanumeric)
            && self.entropy() >= 25
            && (self.digits == self.length
                || !(self.is_words() || self.has_upper && self.has_lower)
                || self.is_hex())
    }

    /// Letters and digits of hexadecimal numbers alone.
    pub(super) fn is_hex(&self) -> bool {
        self.text.iter().all(u8::is_ascii_hexdigit)
    }

    /// `1979-05-27T07:32:00Z`
    fn is_time(&self) -> bool {
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

    pub(super) fn is_alphanumeric(&self) -> bool {
        self.text.iter().all(u8::is_ascii_alphanumeric)
    }

    pub(super) fn is_uuid(&self) -> bool {
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

    /// `name`, `some_name`, `a.b.c`, `Type::member`.
    pub(super) fn is_dotted_name(&self) -> bool {
        let receiver = [&b"self."[..], b"this.", b"cls."]
            .iter()
            .any(|head| self.text.starts_with(head));
        if receiver {
            return true;
        }
        let mut parts = self
            .text
            .split(|byte| matches!(byte, b'.' | b':' | b'>' | b'?' | b'!'));
        self.text.contains(&b'.')
            && parts.all(|part| {
                part.is_empty()
                    || is_identifier(part)
                        && (words::may_be_words(part) || is_constant(part) || part.len() < 6)
            })
            || bytes::holds(self.text, b"::")
            || bytes::holds(self.text, b"->")
    }

    pub(super) fn is_identifier(&self) -> bool {
        is_identifier(self.text)
    }

    /// A path, URL or file name.
    pub(in crate::detect) fn is_path(&self) -> bool {
        let text = self.text;
        let begins = [
            &b"/"[..],
            b"./",
            b"../",
            b"~/",
            b"\\\\",
            b"file:",
            b"arn:",
            b"http:",
            b"https:",
            b"data:",
            b"urn:",
            b"s3:",
            b"gs:",
        ]
        .iter()
        .any(|head| text.starts_with(head));
        let slashes = memchr::memchr_iter(b'/', text).count();
        let drive =
            matches!(text, [letter, b':', b'\\' | b'/', ..] if letter.is_ascii_alphabetic());
        begins
            && (slashes != 1
                || self.length < 12
                || self.looks_like_words()
                || memchr::memchr(b':', text).is_some())
            || drive
            || bytes::holds(text, b"://")
            || slashes > 0
                && text.split(|&byte| byte == b'/').all(|part| {
                    part.len() < 24
                        && (words::look_like_words(part)
                            || part.len() < 3
                            || part.iter().all(u8::is_ascii_digit))
                })
            || self.has_file_extension()
    }

    fn has_file_extension(&self) -> bool {
        #[rustfmt::skip]
        const EXTENSIONS: &[&[u8]] = &[
            b".txt", b".json", b".yaml", b".yml", b".pem", b".key", b".crt", b".cer", b".cert",
            b".der", b".jks", b".p12", b".pfx", b".py", b".js", b".ts", b".rs", b".go", b".java",
            b".rb", b".php", b".sh", b".conf", b".cfg", b".ini", b".env", b".xml", b".html",
            b".md", b".properties", b".toml", b".pub", b".png", b".com", b".org", b".io", b".net",
            b".local", b".sock", b".db", b".log", b".csv", b".gpg", b".keystore", b".zip",
            b".gz", b".tgz", b".tar", b".jar", b".pdf", b".jpg", b".jpeg", b".gif", b".webp", b".svg",
            b".mp4", b".parquet",
        ];
        let dot = memchr::memrchr(b'.', self.text);
        let extension = dot.map(|dot| bytes::slice(self.text, dot, self.length));
        self.length < 128
            && extension.is_some_and(|own| {
                EXTENSIONS
                    .iter()
                    .any(|extension| own.eq_ignore_ascii_case(extension))
            })
    }

    /// In tenths of a bit a byte.
    pub(super) fn entropy(&self) -> u8 {
        *self.entropy.get_or_init(|| bytes::entropy(self.text))
    }

    pub(super) const fn bytes(&self) -> &'v [u8] {
        self.text
    }
}

/// `RSA_PKCS1_SHA256`
fn is_constant(text: &[u8]) -> bool {
    let digits = text.iter().filter(|byte| byte.is_ascii_digit()).count();
    text.contains(&b'_')
        && digits * 3 <= text.len()
        && is_identifier(text)
        && !text.iter().any(u8::is_ascii_lowercase)
}

fn is_identifier(text: &[u8]) -> bool {
    let starts = text.first().is_some_and(|byte| {
        byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$' | b'@' | b'&' | b'*')
    });
    starts
        && text
            .iter()
            .skip(1)
            .all(|&byte| bytes::is_word(byte) || byte == b'$')
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

/// How often an upper-case letter, lower-case letter, digit or symbol stands beside one of another kind.
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

/// Whether marks of a regular expression stand in a text.
fn is_expression(text: &[u8]) -> bool {
    [
        &b"(?"[..],
        b"[A-",
        b"[a-",
        b"[0-",
        b"[^",
        b".*",
        b".+",
        b"\\d",
        b"\\w",
        b"\\s",
        b"{1,",
        b"+)",
    ]
    .iter()
    .any(|mark| bytes::holds(text, mark))
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
