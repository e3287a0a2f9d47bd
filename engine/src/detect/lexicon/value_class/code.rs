//! The ways in which code and files name things.

use super::{Value, alternates, is_size};
use crate::detect::bytes;
use crate::detect::lexicon::words;

impl Value<'_> {
    /// `Curve25519`, `Bytes32`: a type.
    pub(in crate::detect) fn is_sized_type(&self) -> bool {
        let (letters, number) = self.numbered();
        letters >= 1 && self.has_upper && self.has_lower && is_size(number)
    }

    /// Words and numbers with separators between them: `issue-231861138`, `5432/shop`.
    pub(super) fn is_compound(&self) -> bool {
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
    pub(super) fn is_numbered_name(&self) -> bool {
        let snake = || self.text.split(|&byte| byte == b'_').all(is_numbered_part);
        let camel = || self.digits * 6 <= self.length && self.are_mostly_words();
        self.is_identifier() && (self.holds_any(b"_") && snake() && self.may_be_named() || camel())
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

    pub(in crate::detect) fn is_identifier(&self) -> bool {
        is_identifier(self.text)
    }

    /// `RSA_PKCS1_SHA256`
    pub(in crate::detect) fn is_constant(&self) -> bool {
        is_constant(self.text) && self.may_be_named()
    }

    /// Whether the letters follow each other as they do in names, those of constants too.
    pub(super) fn may_be_named(&self) -> bool {
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

    pub(super) fn has_file_extension(&self) -> bool {
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
    pub(super) fn is_expression(&self) -> bool {
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
