//! Classifies a value by its characters.

use std::cell::OnceCell;

use super::{placeholder, public, technical, vocabulary, words};
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

    /// Letters with case changes that no name has, and no words: `JwjFqCpkWwJs`, `F6IPEv9fyTUg`.
    pub(in crate::detect) fn is_irregular(&self) -> bool {
        self.length >= 10
            && self.has_upper
            && self.has_lower
            && self.is_alphanumeric()
            && !self.are_mostly_words()
            && ((self.length >= 16 || self.length >= 12 && !self.is_words())
                && alternates(self.text)
                || self.is_mixed() && self.share() < 60)
    }

    /// Upper and lower case and digits change often, as in few names: `Base64UrlSafe`.
    pub(in crate::detect) fn is_mixed(&self) -> bool {
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
            && self.share() < 82
    }

    /// Letters, digits and symbols that change too often for words, code or a path: a generated password, or Base64.
    pub(in crate::detect) fn is_scrambled(&self) -> bool {
        let kinds = u8::from(self.has_upper)
            + u8::from(self.has_lower)
            + u8::from(self.has_digit)
            + u8::from(self.has_symbol);
        kinds >= 3
            && self.length >= 10
            && self.has_letter
            && self.entropy() >= 28
            && kind_changes(self.text) * 5 >= self.length * 2
            && self.share() < if self.digits < 3 { 72 } else { 84 }
            && !self.is_expression()
    }

    /// `secret2024X!`, `contraseña99x`, `密码abc123`: one word with a number, and signs or letters that no label of a program or translation has
    /// together.
    pub(in crate::detect) fn is_made_up(&self) -> bool {
        let is_mixed = self.has_upper || self.holds_any(b"!@#$%^&*+=") || !self.text.is_ascii();
        self.digits >= 2
            && !self.has_space
            && !self.is_identifier()
            && (self.has_lower || self.has_upper)
            && is_mixed
    }

    /// `кT9-пароль-77`: letters of ASCII and others, numbers and signs in one word.
    pub(in crate::detect) fn mixes_scripts(&self) -> bool {
        let has_other = || {
            let value = str::from_utf8(self.text).unwrap_or_default();
            value
                .chars()
                .any(|letter| !letter.is_ascii() && letter.is_alphabetic())
        };
        self.has_digit
            && !self.has_space
            && self.text.iter().any(u8::is_ascii_alphabetic)
            && self.text.iter().any(u8::is_ascii_punctuation)
            && !self.holds_any(b"{}<>()%:")
            && has_other()
    }

    /// Words followed by a number, a common kind of password: `SunsetTiger42`.
    pub(in crate::detect) fn is_numbered_word(&self) -> bool {
        let (letters, number) = self.numbered();
        letters >= 5 && self.length >= 8 && (2..=4).contains(&number.len()) && !is_size(number)
    }

    /// `S3cretPassw0rd`: digits in place of letters, which names do not have.
    pub(in crate::detect) fn is_respelt(&self) -> bool {
        let inner = |triple: &[u8]| {
            matches!(triple, [first, digit, last] if first.is_ascii_alphabetic() && digit.is_ascii_digit()
                && last.is_ascii_lowercase())
        };
        self.is_alphanumeric() && self.text.windows(3).filter(|triple| inner(triple)).count() >= 2
    }

    /// `correct-horse-battery-staple`: four or more words, none of which names anything.
    pub(in crate::detect) fn is_dashed_phrase(&self) -> bool {
        let mut words = self.text.split(|&byte| byte == b'-');
        words.clone().count() >= 4
            && words.all(|word| {
                (3..=10).contains(&word.len())
                    && word.iter().all(u8::is_ascii_lowercase)
                    && !vocabulary::is_known(word)
            })
    }

    /// `Winter-is-here`: three or more words, of which the first has a capital, and none names anything.
    pub(in crate::detect) fn is_titled_phrase(&self) -> bool {
        let words = self.text.split(|&byte| byte == b'-');
        let is_small = |word: &[u8]| word.iter().all(u8::is_ascii_lowercase);
        self.text.first().is_some_and(u8::is_ascii_uppercase)
            && words.clone().count() >= 3
            && words.enumerate().all(|(index, word)| {
                let rest = bytes::slice(word, usize::from(index == 0), word.len());
                (2..=12).contains(&word.len())
                    && is_small(rest)
                    && !vocabulary::is_known(&word.to_ascii_lowercase())
            })
    }

    /// `Curve25519`, `Bytes32`: a type.
    pub(in crate::detect) fn is_sized_type(&self) -> bool {
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
        if !self.holds_any(b"-_./#:+") {
            return false;
        }
        let separates = |byte: &u8| matches!(byte, b'-' | b'_' | b'.' | b'/' | b'#' | b':' | b'+');
        self.text.split(separates).all(|part| {
            part.iter().all(u8::is_ascii_digit)
                || part.len() < 4
                || part.iter().filter(|byte| byte.is_ascii_digit()).count() < 2
                    && words::look_like_words(part)
        })
    }

    /// `xmlSecPkcs12LoadMemory`, `nettle_cmac_aes128_set_key`: an identifier with a few numbers in it.
    fn is_numbered_name(&self) -> bool {
        let snake = || self.text.split(|&byte| byte == b'_').all(is_numbered_part);
        let camel = || self.digits * 6 <= self.length && self.are_mostly_words();
        self.is_identifier() && (self.holds_any(b"_") && snake() && self.may_be_named() || camel())
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

    /// `name`, `some_name`, `a.b.c`, `Type::member`.
    pub(in crate::detect) fn is_dotted_name(&self) -> bool {
        if !self.holds_any(b".:>") {
            return false;
        }
        let receiver = [&b"self."[..], b"this.", b"cls."]
            .iter()
            .any(|head| self.text.starts_with(head));
        if receiver {
            return true;
        }
        let mut parts = self
            .text
            .split(|byte| matches!(byte, b'.' | b':' | b'>' | b'?' | b'!'));
        self.holds_any(b".")
            && parts.all(|part| {
                part.is_empty()
                    || is_identifier(part)
                        && (words::may_be_words(part)
                            || is_constant(part)
                            || part.len() < 6
                            || is_name_with_acronym(part))
            })
            || bytes::holds(self.text, b"::")
            || bytes::holds(self.text, b"->")
    }

    /// `canyon.velvet14`: words and a number, as people make passwords of; a member of code has no such number.
    pub(in crate::detect) fn is_dotted_password(&self) -> bool {
        let letters =
            |part: &[u8]| bytes::run(part, 0, part.len(), |byte| byte.is_ascii_alphabetic());
        let mut parts = self.text.rsplit(|&byte| byte == b'.');
        let last = parts.next().unwrap_or_default();
        let number = bytes::slice(last, letters(last), last.len());
        let words = parts.clone().count();
        let is_word = |part: &[u8]| {
            let length = letters(part);
            let word = bytes::slice(part, 0, length).to_ascii_lowercase();
            length >= 3 && !vocabulary::is_known(&word)
        };
        (2..=4).contains(&number.len())
            && number.iter().all(u8::is_ascii_digit)
            && !is_size(number)
            && is_word(last)
            && (1..=2).contains(&words)
            && parts.all(|part| is_word(part) && letters(part) == part.len())
    }

    pub(in crate::detect) fn is_identifier(&self) -> bool {
        is_identifier(self.text)
    }

    /// `RSA_PKCS1_SHA256`
    pub(in crate::detect) fn is_constant(&self) -> bool {
        is_constant(self.text) && self.may_be_named()
    }

    /// Whether the letters follow each other as they do in names, those of constants too.
    fn may_be_named(&self) -> bool {
        const COMMON: usize = 56;
        self.share() >= COMMON && !alternates(self.text)
    }

    /// A path, URL or file name.
    pub(in crate::detect) fn is_path(&self) -> bool {
        // Every such expression begins with, or continues with, one of them.
        if !self.holds_any(b"/.:\\") {
            return false;
        }
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
        static EXTENSIONS: bytes::Words = bytes::Words::of(&[
            ".txt", ".json", ".yaml", ".yml", ".pem", ".key", ".crt", ".cer", ".cert",
            ".der", ".jks", ".p12", ".pfx", ".py", ".js", ".ts", ".rs", ".go", ".java",
            ".rb", ".php", ".sh", ".conf", ".cfg", ".ini", ".env", ".xml", ".html",
            ".md", ".properties", ".toml", ".pub", ".png", ".com", ".org", ".io", ".net",
            ".local", ".sock", ".db", ".log", ".csv", ".gpg", ".keystore", ".zip",
            ".gz", ".tgz", ".tar", ".jar", ".pdf", ".jpg", ".jpeg", ".gif", ".webp", ".svg",
            ".mp4", ".parquet", ".c", ".h", ".cc", ".cpp", ".hpp", ".o", ".so", ".css", ".tsx",
        ]);
        let dot = memchr::memrchr(b'.', self.text);
        let extension = dot.map(|dot| bytes::slice(self.text, dot, self.length));
        self.length < 128
            && extension.is_some_and(|own| EXTENSIONS.hold(own))
            && !dot.is_some_and(|dot| is_respelt_word(bytes::slice(self.text, 0, dot)))
    }

    /// Whether the text contains characters of a regular expression.
    fn is_expression(&self) -> bool {
        self.holds_any(b"([.\\{+")
            && [
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
            .any(|mark| bytes::holds(self.text, mark))
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

/// `ctr32`, `64bits`, `prime192v1`: a short part of a name with a number or two.
fn is_numbered_part(part: &[u8]) -> bool {
    const LONGEST: usize = 14;
    if part.len() > LONGEST {
        return false;
    }
    let changes = part
        .windows(2)
        .filter(|pair| matches!(pair, [first, second] if first.is_ascii_digit() != second.is_ascii_digit()))
        .count();
    let digits = part.iter().filter(|byte| byte.is_ascii_digit()).count();
    let trails = part
        .iter()
        .skip_while(|byte| byte.is_ascii_lowercase())
        .all(u8::is_ascii_digit);
    trails || changes <= 3 && digits <= 3
}

/// `4dmin64`, `p4ssw0rd!`: letters and digits in place of letters, which files do not have.
fn is_respelt_word(text: &[u8]) -> bool {
    const SHORTEST: usize = 6;
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"!@#$%&*".contains(byte);
    let digits = text.iter().filter(|byte| byte.is_ascii_digit()).count();
    let inner = text.windows(3).any(
        |triple| matches!(triple, [digit, letters @ ..] if digit.is_ascii_digit() && letters.iter().all(u8::is_ascii_lowercase)),
    );
    text.len() >= SHORTEST && digits >= 2 && inner && text.iter().all(plain)
}

/// `RSA_PKCS1_SHA256`
fn is_constant(text: &[u8]) -> bool {
    let digits = || text.iter().filter(|byte| byte.is_ascii_digit()).count();
    !text.iter().any(u8::is_ascii_lowercase)
        && memchr::memchr(b'_', text).is_some()
        && is_identifier(text)
        && digits() * 3 <= text.len()
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

/// `McpOauthTokenEndpoint`: words in camel case, with few other letters.
fn is_name_with_acronym(text: &[u8]) -> bool {
    const SHORTEST: usize = 12;
    const WORD: usize = 4;
    let begins_word =
        |first: &u8, second: &u8| first.is_ascii_lowercase() && second.is_ascii_uppercase();
    let parts = text.chunk_by(|first, second| !begins_word(first, second));
    let words = parts.filter(|part| part.len() >= WORD && words::may_be_words(part));
    text.len() >= SHORTEST
        && text.iter().all(u8::is_ascii_alphabetic)
        && words.map(<[u8]>::len).sum::<usize>() * 4 >= text.len() * 3
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
