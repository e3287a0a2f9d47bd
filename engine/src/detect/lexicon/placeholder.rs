//! Recognizes placeholders for secrets.

use super::value_class::Value;
use crate::detect::bytes;

/// Whole values that documents use for "your password here"; compared without case and punctuation.
#[rustfmt::skip]
static WHOLE: bytes::Words = bytes::Words::of(&[
    "abc", "accesskey", "accesstoken", "anything", "apikey", "asdf", "auth", "authtoken",
    "badpassword", "bar", "basic", "baz", "bearer", "blah", "change", "changeit",
    "changeme", "clientsecret", "credential", "credentials", "default", "dummy", "empty",
    "env", "environment", "example", "failed", "failure", "false", "fixme", "foo", "foobar",
    "hashed", "hidden", "input", "insertyourapikeyhere", "invalid", "jwt", "key", "keyhere",
    "masked", "myapikey", "mykey", "mypassword", "mysecret", "mytoken", "na", "nil", "none",
    "notarealtoken", "notset", "null", "oauth", "oauth2", "optional", "pass", "passed",
    "passphrase", "passwd", "password", "passwordhere", "placeholder", "privatekey", "prompt",
    "pwd", "qwerty", "redacted", "removed", "required", "sample", "secret", "secrethere",
    "secretkey", "somepassword", "something", "stdin", "str", "string", "succeeded",
    "success", "tbd", "text", "thepassword", "todo", "token", "tokenhere", "true",
    "undefined", "unset", "user", "username", "value", "whatever", "wrong", "wrongpassword",
    "xxx", "yourapikey", "yourapikeyhere", "yourkey", "yourpassword", "yourpasswordhere",
    "yoursecret", "yourtoken", "yyy", "zzz",
]);

/// Parts that only placeholders hold; compared in lower case.
#[rustfmt::skip]
const PARTS: &[&str] = &[
    "your-", "your_", "<your", "your ", "yourpass", "-here", "_here", "change_me", "change-me",
    "changeme", "replace_", "replace-", "replaceme", "placeholder", "redacted", "example_",
    "_example", "insert_", "insert-", "goes here", "goes_here", "not_a_real", "not-a-real",
    "notareal", "xxxx", "****", "....", "dummy_", "dummy-", "my_secret", "my-secret",
    "my_password", "my-password", "enter_", "enter your", "todo", "fake_", "fake-", "[masked",
    "_mask_", "some_secret", "some-secret", "super-secret-", "___",
];

/// Whether a value refers to something, or only marks the place of a secret.
pub(super) fn is_placeholder(class: &Value<'_>) -> bool {
    is_marker(class)
        || is_named(class.bytes())
        || is_foreign_key(class.bytes())
        || class.holds_any(b")") && is_column(class.bytes())
        || class.holds_any(b"|") && is_rule(class.bytes())
}

/// `id_usuario`, as columns are named in Romance languages.
fn is_foreign_key(value: &[u8]) -> bool {
    let is_word = |rest: &[u8]| {
        rest.len() > 2
            && rest
                .iter()
                .all(|byte| byte.is_ascii_lowercase() || *byte == b'_')
    };
    value.strip_prefix(b"id_").is_some_and(is_word)
}

/// Whether a value is a reference (`${NAME}`) or mostly one character.
pub(in crate::detect) fn is_marker(class: &Value<'_>) -> bool {
    let value = class.bytes();
    class.holds_any(b"${%<[(&\\@_") && is_reference(value)
        || is_filler(value)
        || class.holds_any(b".") && is_shortened(value)
        || is_elided(value)
}

/// `sk-...`, `ghp_xxx`: how a key begins, and a sign for the rest of it.
fn is_elided(value: &[u8]) -> bool {
    const LONGEST: usize = 16;
    let (last, fewest) = match value.last() {
        Some(&last @ (b'x' | b'X' | b'.')) => (last, 3),
        _ if value.ends_with("…".as_bytes()) => (0xA6, 1),
        _ => return false,
    };
    let rest = bytes::run_back(value, value.len(), value.len(), |byte| byte == last);
    let lead = bytes::slice(value, 0, value.len() - rest);
    let lead = lead.strip_suffix(&[0xE2, 0x80]).unwrap_or(lead);
    rest >= fewest
        && lead.len() <= LONGEST
        && matches!(lead, [.., b'-' | b'_'])
        && lead
            .iter()
            .all(|byte| bytes::is_word(*byte) || *byte == b'-')
}

/// `3745e48...08d59ae`: two ends of a hash, or two hashes.
fn is_shortened(value: &[u8]) -> bool {
    let dots = value.windows(3).position(|window| window == b"...");
    dots.is_some_and(|dots| {
        let ends = [
            bytes::slice(value, 0, dots),
            bytes::slice(value, dots + 3, value.len()),
        ];
        ends.iter()
            .all(|end| !end.is_empty() && end.iter().all(u8::is_ascii_hexdigit))
    })
}

/// Longest identifier that counts as an example when it says so, in bytes; a longer value is of the form of a secret.
const LONGEST_MARKED: usize = 24;

/// Whether a value is mostly one character, or a marked example.
pub(in crate::detect) fn is_filler(value: &[u8]) -> bool {
    let length = value.len();
    let longest = longest_run(value);
    longest * 2 > length
        || length >= 12 && (is_of_few(value) || longest >= 10 && longest * 3 > length)
        || is_filled(value)
        || length <= LONGEST_MARKED && value.ends_with(b"EXAMPLE")
}

/// Length of the longest run of one byte.
fn longest_run(value: &[u8]) -> usize {
    let (mut longest, mut run, mut last) = (0, 0, None);
    for byte in value {
        run = if last == Some(byte) { run + 1 } else { 1 };
        longest = longest.max(run);
        last = Some(byte);
    }
    longest
}

/// Whether at most three different bytes make up a value.
fn is_of_few(value: &[u8]) -> bool {
    let mut kinds: [Option<&u8>; 3] = [None; 3];
    value.iter().all(|byte| {
        let place = kinds
            .iter_mut()
            .find(|kind| kind.is_none_or(|own| own == byte));
        place.is_some_and(|kind| {
            *kind = Some(byte);
            true
        })
    })
}

/// Whether five bytes in a row only fill a place.
fn is_filled(value: &[u8]) -> bool {
    const FILLERS: usize = 5;
    let fills = |byte: &u8| matches!(byte, b'x' | b'X' | b'*' | b'.');
    // As many in a row have one at every fifth place.
    value.iter().skip(FILLERS - 1).step_by(FILLERS).any(fills)
        && value.windows(FILLERS).any(|five| five.iter().all(fills))
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
        _ => memchr::memchr_iter(b'{', value).any(|index| {
            bytes::before(value, index) == b'$' || bytes::at(value, index + 1) == b'{'
        }),
    }
}

/// `VARCHAR(255)`: the type of a column.
fn is_column(value: &[u8]) -> bool {
    #[rustfmt::skip]
    const TYPES: &[&str] = &[
        "char", "varchar", "varchar2", "nchar", "nvarchar", "nvarchar2", "text", "string", "binary",
        "varbinary", "character varying", "bpchar", "blob",
    ];
    let Some((kind, size)) = str::from_utf8(value)
        .ok()
        .and_then(|value| value.strip_suffix(')')?.split_once('('))
    else {
        return false;
    };
    TYPES.iter().any(|known| kind.eq_ignore_ascii_case(known))
        && size
            .bytes()
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b',' | b' '))
}

/// `required|string|min:8|confirmed`: what a form checks.
fn is_rule(value: &[u8]) -> bool {
    #[rustfmt::skip]
    const RULES: &[&str] = &[
        "required", "nullable", "string", "min", "max", "confirmed", "sometimes", "present", "filled",
        "bail", "between", "regex", "same", "different", "alpha_num",
    ];
    let mut known = false;
    let mut parts = str::from_utf8(value).unwrap_or_default().split('|');
    let checks = |part: &str| {
        let (name, options) = part.split_once(':').unwrap_or((part, ""));
        known |= RULES.contains(&name);
        !name.is_empty()
            && name
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte == b'_')
            && options.bytes().all(|byte| byte.is_ascii_graphic())
    };
    parts.all(checks) && known
}

/// Names, paths of names and subscripts.
fn is_name(value: &[u8]) -> bool {
    !value.is_empty()
        && value.iter().all(|&byte| {
            bytes::is_word(byte)
                || matches!(byte, b'.' | b':' | b'-' | b'[' | b']' | b'>' | b'\'' | b'"')
        })
}

fn is_named(value: &[u8]) -> bool {
    let mut lower = [0; LONGEST];
    let Some(lower) = lower.get_mut(..value.len()) else {
        return false;
    };
    lower.copy_from_slice(value);
    lower.make_ascii_lowercase();
    is_whole(lower) || holds_part(lower)
}

/// Longest value that names a placeholder, in bytes.
const LONGEST: usize = 64;
/// Longest of [`WHOLE`], in bytes.
const LONGEST_WORD: usize = 20;

/// Whether a lower-case value is only punctuation and at most one of [`WHOLE`].
fn is_whole(lower: &[u8]) -> bool {
    let is_foreign = |letter: char| !letter.is_ascii() && letter.is_alphanumeric();
    if !lower.is_ascii() && str::from_utf8(lower).is_ok_and(|lower| lower.contains(is_foreign)) {
        return false;
    }
    let mut plain = [0; LONGEST_WORD];
    let mut length = 0;
    for &byte in lower.iter().filter(|byte| byte.is_ascii_alphanumeric()) {
        let Some(slot) = plain.get_mut(length) else {
            return false;
        };
        *slot = byte;
        length += 1;
    }
    let plain = bytes::slice(&plain, 0, length);
    plain.is_empty() || WHOLE.hold(plain)
}

fn holds_part(value: &[u8]) -> bool {
    value.array_windows().enumerate().any(|(index, &triple)| {
        let (word, bit) = place(triple);
        TRIPLES[word] & bit != 0
            && PARTS
                .iter()
                .any(|part| bytes::begins(value, index, part.as_bytes()))
    })
}

/// The first three bytes of every part, as a set of bits: hardly any three bytes of a value begin one.
const TRIPLES: [u64; TRIPLE_WORDS] = {
    let mut triples = [0; TRIPLE_WORDS];
    let mut index = 0;
    while index < PARTS.len() {
        if let Some(triple) = PARTS[index].as_bytes().first_chunk() {
            let (word, bit) = place(*triple);
            triples[word] |= bit;
        }
        index += 1;
    }
    triples
};

const TRIPLE_WORDS: usize = 128;

/// The position of three bytes in the set.
const fn place([first, second, third]: [u8; 3]) -> (usize, u64) {
    let bit = first ^ third.rotate_left(3);
    (second as usize % TRIPLE_WORDS, 1 << (bit & 63))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_placeholder(value: &str) -> bool {
        super::is_placeholder(&Value::of(value))
    }

    #[test]
    fn every_word_of_the_lists_is_a_placeholder() {
        for word in WHOLE.all() {
            assert!(is_placeholder(&word.to_uppercase()), "{word}");
        }
        for part in PARTS {
            assert!(
                is_placeholder(&format!("k9{}q7", part.to_uppercase())),
                "{part}"
            );
        }
        for value in ["••••••", "<your-key>", "${TOKEN}", "my_password"] {
            assert!(is_placeholder(value), "{value}");
        }
        for value in ["k9q7Zr-4xW", "hunter2", "пароль7"] {
            assert!(!is_placeholder(value), "{value}");
        }
    }
}
