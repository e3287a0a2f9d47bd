//! Values that look like ids, which agents need to read.

use super::value_class::Value;
use super::{technical, words};
use crate::detect::bytes::{self, at};

/// Farthest that the name of a resource is followed back.
const LONGEST: usize = 160;
/// Digits of a sum (SHA-1).
pub(in crate::detect) const SUM: usize = 40;

/// Whether a value is the address of a contract, the name of a pod or of a resource, or a path of words.
pub(super) fn is_id(class: &Value<'_>) -> bool {
    let value = class.bytes();
    is_named_id(value)
        || is_contract(value)
        || is_pod(value)
        || is_resource(value)
        || is_word_path(value)
        || class.is_algorithm()
        || is_ssh_key(value)
}

/// Types of integers, as code writes them.
#[rustfmt::skip]
const TYPES: &[&str] = &[
    "u8", "u16", "u32", "u64", "usize", "i8", "i16", "i32", "i64", "isize",
];

/// Whether what is between a name and its value is the type of an integer: `: u32 = `.
pub(in crate::detect) fn is_integer_type(between: &[u8]) -> bool {
    let kind = between.strip_suffix(b"=").unwrap_or(between).trim_ascii();
    let kind = kind.strip_prefix(b":").map(<[u8]>::trim_ascii);
    kind.is_some_and(|kind| TYPES.iter().any(|known| known.as_bytes() == kind))
}

/// Whether a value is an integer of code: in hexadecimal digits, or with its type (`2150858820u32`).
pub(in crate::detect) fn is_literal(value: &str) -> bool {
    const LONGEST: usize = 16;
    let value = value.strip_prefix('-').unwrap_or(value);
    if !value.starts_with(|first: char| first.is_ascii_digit() || matches!(first, 'u' | 'i')) {
        return false;
    }
    let suffix = TYPES.iter().find_map(|suffix| value.strip_suffix(suffix));
    let number = suffix.unwrap_or(value);
    let hexadecimal = number
        .strip_prefix("0x")
        .or_else(|| number.strip_prefix("0X"));
    match hexadecimal {
        Some(digits) => {
            let digits = digits.trim_end_matches(['u', 'U', 'l', 'L']);
            (1..=LONGEST).contains(&digits.len())
                && digits
                    .bytes()
                    .all(|byte| byte.is_ascii_hexdigit() || byte == b'_')
        }
        None => suffix.is_some() && number.bytes().all(|byte| byte.is_ascii_digit()),
    }
}

/// Whether a place is in the name of a resource: `arn:aws:kms:us-east-1:…:key/…`.
pub(in crate::detect) fn is_in_resource_name(text: &[u8], at: usize) -> bool {
    let back = bytes::run_back(text, at, LONGEST, |byte| {
        byte.is_ascii_alphanumeric()
            || matches!(byte, b':' | b'/' | b'-' | b'_' | b'.' | b'*' | b'+' | b'@')
    });
    bytes::slice(text, at - back, at).starts_with(b"arn:")
}

/// Whether the line of a name is one of sums, below a heading that says so: the lock file of `CocoaPods`.
pub(in crate::detect) fn is_listed_sum(text: &[u8], name: usize) -> bool {
    const HEADING: &[u8] = b"CHECKSUMS:";
    const MOST_LINES: usize = 64;
    let mut end = name - bytes::line_back(text, name, LONGEST);
    for _ in 0..MOST_LINES {
        let Some(last) = end.checked_sub(1) else {
            return false;
        };
        let line = bytes::slice(text, last - bytes::line_back(text, last, LONGEST), last);
        if line.ends_with(HEADING) {
            return true;
        }
        let sum = bytes::run_back(line, line.len(), SUM, |byte| byte.is_ascii_hexdigit());
        if sum < SUM || at(line, 0) != b' ' {
            return false;
        }
        end = last - line.len();
    }
    false
}

/// `request-id=4c1f7a52-…`
fn is_named_id(value: &[u8]) -> bool {
    let Some(equals) = memchr::memchr(b'=', value) else {
        return false;
    };
    let (name, id) = value.split_at(equals);
    name.ends_with(b"id")
        && id
            .iter()
            .skip(1)
            .all(|byte| byte.is_ascii_hexdigit() || *byte == b'-')
}

/// A public key of SSH: it begins with the length and the name of its algorithm.
pub(in crate::detect) fn is_ssh_key(value: &[u8]) -> bool {
    const BEGINNINGS: &[&[u8]] = &[
        b"AAAAB3NzaC1",
        b"AAAAC3NzaC1",
        b"AAAAE2VjZHNhL",
        b"AAAAGnNrL",
        b"AAAAInNrL",
    ];
    BEGINNINGS
        .iter()
        .any(|beginning| value.starts_with(beginning))
}

/// `linux-npm-4f52…`: a cache key of two or more words and a file's SHA-256.
pub(in crate::detect) fn is_cache_key(value: &str) -> bool {
    const DIGITS: usize = 64;
    let is_word = |word: &str| {
        word.len() <= LONGEST_WORD && word.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    value.rsplit_once('-').is_some_and(|(words, sum)| {
        sum.len() == DIGITS
            && sum.bytes().all(|byte| byte.is_ascii_hexdigit())
            && words.contains('-')
            && words.split('-').all(is_word)
    })
}

/// Longest word of the name of a cache, in bytes.
const LONGEST_WORD: usize = 12;

/// `0x` and the forty digits of an address (EIP-55); a private key has sixty-four.
fn is_contract(value: &[u8]) -> bool {
    const DIGITS: usize = 40;
    matches!(value, [b'0', b'x' | b'X', digits @ ..]
        if digits.len() == DIGITS && digits.iter().all(u8::is_ascii_hexdigit))
}

/// `auth-7d9f8b6c5d-x2k4p`: ends as Kubernetes names the pods of a deployment.
fn is_pod(value: &[u8]) -> bool {
    const SUFFIX: usize = 5;
    // Its alphabet omits vowels and the digits that look like letters.
    let is_safe = |byte: &u8| {
        byte.is_ascii_lowercase() && !b"aeiou".contains(byte) || matches!(byte, b'2' | b'4'..=b'9')
    };
    let mut parts = value.rsplit(|&byte| byte == b'-');
    let suffix = parts.next().unwrap_or_default();
    let template = parts.next().unwrap_or_default();
    suffix.len() == SUFFIX
        && (8..=10).contains(&template.len())
        && suffix.iter().chain(template).all(is_safe)
        && parts.all(|part| {
            part.iter()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        })
}

/// `subnet-0a1b2c3d4e5f60718`: a kind and seventeen digits, as AWS names its resources.
fn is_resource(value: &[u8]) -> bool {
    const DIGITS: usize = 17;
    let Some((kind, number)) = value.split_last_chunk::<DIGITS>() else {
        return false;
    };
    let kind = kind.strip_suffix(b"-").unwrap_or_default();
    !kind.is_empty()
        && kind
            .iter()
            .all(|byte| byte.is_ascii_lowercase() || *byte == b'-')
        && number
            .iter()
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f'))
}

/// `color.blue.500`
fn is_word_path(value: &[u8]) -> bool {
    let mut parts = value.split(|&byte| byte == b'.');
    let is_word = |part: &[u8]| {
        part.iter().all(u8::is_ascii_lowercase)
            && (part.len() < 4 || words::look_like_words(part))
            && !part.is_empty()
    };
    let is_step = |part: &[u8]| part.len() <= 4 && part.iter().all(u8::is_ascii_digit);
    let starts = parts.next().is_some_and(is_word) && parts.next().is_some_and(is_word);
    starts && parts.all(|part| is_word(part) || is_step(part) && !part.is_empty())
}

/// `eu-west-1`, `europe-west1`: the name of a region.
pub(in crate::detect) fn is_region(value: &[u8]) -> bool {
    #[rustfmt::skip]
    const PLACES: &[&[u8]] = &[b"af", b"ap", b"asia", b"ca", b"eu", b"europe", b"me", b"sa", b"us"];
    #[rustfmt::skip]
    const DIRECTIONS: &[&[u8]] = &[b"west", b"east", b"north", b"south", b"central"];
    let mut parts = value.split(|&byte| byte == b'-');
    let place = parts.next().unwrap_or_default();
    let is_direction = |part: &[u8]| {
        part.iter().all(u8::is_ascii_alphanumeric)
            && DIRECTIONS.iter().any(|known| part.starts_with(known))
    };
    PLACES.contains(&place)
        && parts.next().is_some_and(is_direction)
        && parts.all(|part| part.len() == 1)
}

/// `sha256-hashed`, `ed25519`: an algorithm, or words that begin with one.
pub(in crate::detect) fn begins_with_algorithm(value: &[u8]) -> bool {
    let length = bytes::run(value, 0, value.len(), |byte| !matches!(byte, b'-' | b'_'));
    let first = bytes::slice(value, 0, length);
    let rest = bytes::slice(value, length, value.len());
    technical::ALGORITHMS.hold(first)
        && rest
            .iter()
            .all(|byte| byte.is_ascii_lowercase() || b"-_".contains(byte))
}

/// `ecdsa-sha2-nistp256`, `hmac-sha1-96`, `id-hmacWithSHA3-224`: named as SSH, TLS and X.509 name algorithms.
pub(super) fn is_algorithm(value: &[u8]) -> bool {
    #[rustfmt::skip]
    const PARTS: &[&str] = &[
        "aes128", "aes192", "aes256", "aes", "and", "cbc", "ccm", "cert", "chacha20", "ctr", "curve25519",
        "dss", "dsa", "ecb", "ecdh", "ecdsa", "ed25519", "ed448", "encryption", "etm", "gcm", "hmac", "id", "md5",
        "nistp256", "nistp384", "nistp521", "none", "oid", "padding", "pkcs", "pkcs#", "plus", "poly1305", "pss", "rsa", "scram", "sha", "sk", "ssh",
        "umac", "v01", "with",
        "1", "2", "3", "5", "7", "8", "11", "12", "64", "96", "128", "192", "224", "256", "384", "512",
    ];
    /// Functions that hash passwords.
    static HASHES: bytes::Words = bytes::Words::of(&[
        "argon2d", "argon2i", "argon2id", "bcrypt", "pbkdf2", "scrypt", "yescrypt",
    ]);
    /// `sk-ecdsa-sha2-nistp256-cert-v01` has 31.
    const LONGEST: usize = 40;
    static NAMES: bytes::WordInitials = bytes::WordInitials::of(PARTS);
    if HASHES.hold(value) {
        return true;
    }
    // `123123` and `rsa123` are passwords.
    if value.len() > LONGEST
        || at(value, 0).is_ascii_digit()
        || memchr::memchr3(b'-', b'_', b'/', value).is_none() && !bytes::begins(value, 0, b"pkcs#")
    {
        return false;
    }
    let mut rest = value;
    let mut parts = 0;
    while !rest.is_empty() {
        let part = NAMES.at(rest, 0).map(str::len).max();
        let length = match (part, at(rest, 0)) {
            (Some(length), _) => length,
            (None, b'-' | b'_' | b'/') => 1,
            _ => return false,
        };
        parts += usize::from(part.is_some());
        rest = bytes::slice(rest, length, rest.len());
    }
    parts > 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_ids_are_recognized_by_their_format() {
        for id in [
            "0x742d35Cc6634C0532925a3b844Bc9e7595f8fE21",
            "auth-service-7d9f8b6c5d-x2k4p",
            "6b8f9d7c5-zx9k2",
            "ap-d85983ec8eb1b7a2a",
            "color.blue.500",
            "ecdsa-sha2-nistp256",
            "hmac-sha1-96",
            "HmacSHA3-224",
            "id-hmacWithSHA3-224",
            "scram-sha-256",
        ] {
            assert!(Value::of(id).is_id(), "{id}");
        }
        for secret in [
            "0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318",
            "k8s-9hJq2vLwZx-B4nM6",
            "tiger-rocket-57",
            "q7RkT2vLw9ZxB4nM6pYs8DfG",
        ] {
            assert!(!Value::of(secret).is_id(), "{secret}");
        }
    }

    #[test]
    fn text_after_an_arn_is_not_part_of_it() {
        let text = b"in \"arn:aws:kms:us-east-1:054443519087:key/x\" the key";
        assert!(is_in_resource_name(text, 39));
        assert!(!is_in_resource_name(text, 52));
    }
}
