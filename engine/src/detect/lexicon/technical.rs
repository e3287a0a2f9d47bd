//! Names in programs that usually hold numbers.

use super::words;
use crate::detect::bytes::{self, at};

/// `CachedX509Token`, `Utf8PathBuf`, `PrivateFormat.PKCS12`, `auth_1.isX509Identity`: words, and numbers only in known
/// ones and alone.
pub(in crate::detect) fn is_name(value: &[u8]) -> bool {
    let mut is_numbered = false;
    let mut parts = value.split(|byte| matches!(byte, b'_' | b'.' | b':'));
    let all_known = parts.all(|part| {
        part.iter().all(u8::is_ascii_digit) && part.len() <= LONGEST_NUMBER
            || is_part(part, &mut is_numbered)
    });
    all_known && is_numbered
}

/// `protobuf_specs_1`, `rsa_2048`
const LONGEST_NUMBER: usize = 4;

/// Whether a part of a name consists of words; notes whether one of them is a known one with a number.
fn is_part(part: &[u8], is_numbered: &mut bool) -> bool {
    let mut rest = part;
    while let Some(digit) = rest.iter().position(u8::is_ascii_digit) {
        let Some((start, end)) = known_word(rest, digit) else {
            return false;
        };
        *is_numbered = true;
        if !may_be_words(bytes::slice(rest, 0, start)) {
            return false;
        }
        rest = bytes::slice(rest, end, rest.len());
    }
    may_be_words(rest)
}

/// Letters: words, or one as short as an abbreviation.
fn may_be_words(text: &[u8]) -> bool {
    const ABBREVIATION: usize = 4;
    text.iter().all(u8::is_ascii_alphabetic)
        && (text.len() <= ABBREVIATION || words::may_be_words(text))
}

/// Where the known word with its first digit at `digit` begins and ends. It begins a hump, and may
/// continue after its number.
fn known_word(text: &[u8], digit: usize) -> Option<(usize, usize)> {
    let number = bytes::run(text, digit, text.len(), |byte| byte.is_ascii_digit());
    let begins = |start: &usize| *start == 0 || at(text, *start).is_ascii_uppercase();
    let nearest = digit.saturating_sub(LONGEST_STEM)..digit;
    nearest.rev().filter(begins).find_map(|start| {
        let ends = (0..=LONGEST_TAIL).rev().map(|tail| digit + number + tail);
        let mut ends = ends.filter(|&end| end <= text.len());
        let end = ends.find(|&end| is_known(bytes::slice(text, start, end)))?;
        Some((start, end))
    })
}

/// The most letters of a known word before its number: `xchacha20`. No more are read for each
/// number.
const LONGEST_STEM: usize = 7;
/// The most letters after it: `argon2id`, `secp256k1`.
const LONGEST_TAIL: usize = 2;

fn is_known(word: &[u8]) -> bool {
    ALGORITHMS.hold(word) || OTHERS.hold(word)
}

/// Algorithms, encodings and formats with a number in their names.
#[rustfmt::skip]
pub(in crate::detect) static ALGORITHMS: bytes::Words = bytes::Words::of(&[
    "aes128", "aes192", "aes256", "argon2", "argon2i", "argon2id", "base32", "base58", "base64", "blake2", "blake2b", "blake3",
    "chacha20", "crc32", "curve25519", "ecdsa256", "ed25519", "ed448", "es256", "es384", "hmacsha256", "hs256", "hs384",
    "hs512", "md5", "oauth2", "p256", "p384", "pbkdf2", "pkcs1", "pkcs12", "pkcs8", "rs256", "rs384", "rs512", "rsa2048", "rsa4096",
    "secp256k1", "sha1", "sha224", "sha256", "sha3", "sha384", "sha512", "utf8", "x25519", "x509", "xchacha20",
]);

/// Types, protocols and systems. Shorter ones also occur in random letters.
#[rustfmt::skip]
static OTHERS: bytes::Words = bytes::Words::of(&[
    "amd64", "arm64", "blake2s", "crc64", "des3", "es512", "float32", "float64", "http1", "http2", "http3", "i18n",
    "int16", "int32", "int64", "int8", "ipv4", "ipv6", "iso8859", "l10n", "latin1", "log4j", "nistp256", "nistp384",
    "nistp521", "oauth1", "p521", "pkcs11", "pkcs5", "pkcs7", "poly1305", "ps256", "ps384", "ps512", "ripemd160",
    "rsa1024", "rsa3072", "salsa20", "secp256r1", "secp384r1", "secp521r1", "sha2", "uint16", "uint32", "uint64",
    "uint8", "utf16", "utf32", "web3", "win32", "win64", "xxh3", "xxh64",
]);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn technical_names_contain_digits_only_in_known_words() {
        for name in [
            "CachedX509Token",
            "x509Authentication",
            "1.isX509WorkloadIdentity",
            "PrivateFormat.PKCS12",
            "Chacha20Poly1305",
            "AES256Key",
            "Http2SecretStore",
            "Utf8PathBuf",
            "Uint8Array",
            "OAuth2Token",
            "Argon2idHash",
            "specs_1.PublicKeyDetails.PKIX_RSA_PKCS1",
        ] {
            assert!(is_name(name.as_bytes()), "{name}");
        }
        for value in [
            "Hunter2",
            "SunsetTiger42",
            "Xk9mQ2v7",
            "S3cretPassw0rd",
            "F6IPEv9fyTUg",
            "PlainName",
            "Aes256Kxqzwv",
            "H2YAVCla",
            "2024",
            "",
        ] {
            assert!(!is_name(value.as_bytes()), "{value}");
        }
    }
}
