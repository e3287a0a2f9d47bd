//! Values that stand for a secret and are none.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use super::bytes;

/// Whole values that documents use for "your password here"; compared without case and punctuation.
#[rustfmt::skip]
const WHOLE: &[&str] = &[
    "password", "passwd", "pass", "pwd", "passphrase", "secret", "token", "key", "apikey",
    "changeme", "changeit", "change", "redacted", "masked", "hidden", "removed", "none", "null",
    "nil", "true", "false", "undefined", "empty", "unset", "notset", "na", "todo", "tbd", "fixme",
    "xxx", "yyy", "zzz", "foo", "bar", "baz", "foobar", "string", "str", "text", "value",
    "example", "sample", "placeholder", "dummy", "mypassword", "mysecret", "mytoken", "mykey",
    "yourpassword", "yoursecret", "yourtoken", "yourkey", "somepassword", "thepassword",
    "passwordhere", "secrethere", "tokenhere", "keyhere", "username", "user", "required",
    "optional", "default", "secretkey", "accesskey", "accesstoken", "authtoken", "clientsecret",
    "privatekey", "insertyourapikeyhere", "yourapikey", "yourapikeyhere", "myapikey", "bearer",
    "basic", "oauth", "oauth2", "jwt", "env", "environment", "input", "stdin", "prompt",
    "yourpasswordhere", "notarealtoken", "abc", "asdf", "qwerty", "blah", "something", "anything",
    "whatever", "credentials", "credential", "auth", "invalid", "wrong", "wrongpassword",
    "badpassword",
];

/// Parts that only placeholders hold, in any case.
#[rustfmt::skip]
const PARTS: &[&str] = &[
    "your-", "your_", "<your", "your ", "yourpass", "-here", "_here", "change_me", "change-me",
    "changeme", "replace_", "replace-", "replaceme", "placeholder", "redacted", "example_",
    "_example", "insert_", "insert-", "goes here", "goes_here", "not_a_real", "not-a-real",
    "notareal", "xxxx", "****", "....", "dummy_", "dummy-", "my_secret", "my-secret",
    "my_password", "my-password", "enter_", "enter your", "todo", "fake_", "fake-", "[masked",
    "_mask_", "some_secret", "some-secret", "super-secret-", "___",
];

static PARTS_SEARCH: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    AhoCorasick::builder()
        .kind(Some(AhoCorasickKind::DFA))
        .ascii_case_insensitive(true)
        .build(PARTS)
        .ok()
});

/// Whether a value refers to something, or only marks the place of a secret.
pub(super) fn is_placeholder(value: &str) -> bool {
    is_marker(value) || is_named(value)
}

/// Whether a value is a reference (`${NAME}`) or mostly one character.
pub(super) fn is_marker(value: &str) -> bool {
    let bytes = value.as_bytes();
    is_reference(bytes) || is_filler(bytes)
}

/// Whether a value is mostly one character, or a marked example.
pub(super) fn is_filler(value: &[u8]) -> bool {
    let mut seen = [0u64; 4];
    let (mut longest, mut current, mut filler) = (0, 0, 0);
    let mut is_filled = false;
    let mut last = None;
    for &byte in value {
        if let Some(word) = seen.get_mut(usize::from(byte >> 6)) {
            *word |= 1 << (byte & 63);
        }
        current = if last == Some(byte) { current + 1 } else { 1 };
        longest = longest.max(current);
        last = Some(byte);
        filler = if matches!(byte, b'x' | b'X' | b'*' | b'.') {
            filler + 1
        } else {
            0
        };
        is_filled |= filler >= 5;
    }
    let distinct: u32 = seen.iter().map(|word| word.count_ones()).sum();
    is_filled
        || longest * 2 > value.len()
        || value.len() >= 12 && (distinct <= 3 || longest >= 10 && longest * 3 > value.len())
        || value.ends_with(b"EXAMPLE")
        || value.ends_with(b"EXAMPLEKEY")
}

/// `${NAME}`, `$NAME`, `{{ name }}`, `<name>`, `%NAME%`, `#{name}`, `$(command)`, `@name@`.
fn is_reference(value: &[u8]) -> bool {
    match value {
        [b'$', b'{' | b'(', ..]
        | [b'{' | b'#' | b'%' | b'@', b'{', ..]
        | [b'<', .., b'>']
        | [b'[', .., b']']
        | [b'{', .., b'}']
        | [b'(', .., b')']
        | [b'%', b's' | b'd' | b'v' | b'@']
        | [b'&', b'l', b't', b';', ..] => true,
        [b'$', rest @ ..]
        | [b'\\', b'$', rest @ ..]
        | [b'%', rest @ .., b'%']
        | [b'@', rest @ .., b'@']
        | [b'_', b'_', rest @ .., b'_', b'_'] => is_name(rest),
        _ => {
            memchr::memmem::find(value, b"${").is_some()
                || memchr::memmem::find(value, b"{{").is_some()
        }
    }
}

/// Names, paths of names and subscripts.
fn is_name(value: &[u8]) -> bool {
    !value.is_empty()
        && value.iter().all(|&byte| {
            bytes::is_word(byte)
                || matches!(byte, b'.' | b':' | b'-' | b'[' | b']' | b'>' | b'\'' | b'"')
        })
}

fn is_named(value: &str) -> bool {
    if value.len() > 64 {
        return false;
    }
    let letters = || value.chars().filter(|letter| letter.is_alphanumeric());
    let length = letters().count();
    let is_whole = |name: &&&str| {
        name.len() == length
            && letters()
                .zip(name.chars())
                .all(|(letter, of_name)| letter.to_ascii_lowercase() == of_name)
    };
    length == 0
        || WHOLE.iter().find(is_whole).is_some()
        || PARTS_SEARCH
            .as_ref()
            .is_some_and(|parts| parts.is_match(value))
}
