//! Values that stand for a secret and are none.

use super::bytes;

/// Whole values that documents use for "your password here"; compared without case and punctuation. Sorted.
#[rustfmt::skip]
const WHOLE: &[&[u8]] = &[
    b"abc", b"accesskey", b"accesstoken", b"anything", b"apikey", b"asdf", b"auth", b"authtoken",
    b"badpassword", b"bar", b"basic", b"baz", b"bearer", b"blah", b"change", b"changeit",
    b"changeme", b"clientsecret", b"credential", b"credentials", b"default", b"dummy", b"empty",
    b"env", b"environment", b"example", b"failed", b"failure", b"false", b"fixme", b"foo", b"foobar",
    b"hashed", b"hidden", b"input", b"insertyourapikeyhere", b"invalid", b"jwt", b"key", b"keyhere",
    b"masked", b"myapikey", b"mykey", b"mypassword", b"mysecret", b"mytoken", b"na", b"nil", b"none",
    b"notarealtoken", b"notset", b"null", b"oauth", b"oauth2", b"optional", b"pass", b"passed",
    b"passphrase", b"passwd", b"password", b"passwordhere", b"placeholder", b"privatekey", b"prompt",
    b"pwd", b"qwerty", b"redacted", b"removed", b"required", b"sample", b"secret", b"secrethere",
    b"secretkey", b"somepassword", b"something", b"stdin", b"str", b"string", b"succeeded",
    b"success", b"tbd", b"text", b"thepassword", b"todo", b"token", b"tokenhere", b"true",
    b"undefined", b"unset", b"user", b"username", b"value", b"whatever", b"wrong", b"wrongpassword",
    b"xxx", b"yourapikey", b"yourapikeyhere", b"yourkey", b"yourpassword", b"yourpasswordhere",
    b"yoursecret", b"yourtoken", b"yyy", b"zzz",
];

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
pub(super) fn is_placeholder(value: &str) -> bool {
    is_marker(value) || is_named(value) || is_column(value) || is_rule(value)
}

/// Whether a value is a reference (`${NAME}`) or mostly one character.
pub(super) fn is_marker(value: &str) -> bool {
    let bytes = value.as_bytes();
    is_reference(bytes) || is_filler(bytes) || is_shortened(bytes)
}

/// `3745e48...08d59ae`: two ends of a hash, or two hashes.
fn is_shortened(value: &[u8]) -> bool {
    let Some(dots) = memchr::memmem::find(value, b"...") else {
        return false;
    };
    let [first, last] = [
        bytes::slice(value, 0, dots),
        bytes::slice(value, dots + 3, value.len()),
    ];
    [first, last]
        .iter()
        .all(|end| !end.is_empty() && end.iter().all(u8::is_ascii_hexdigit))
}

/// Longest identifier that counts as an example when it says so, in bytes; a longer value is of the form of a secret.
const LONGEST_MARKED: usize = 24;

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
        || value.len() <= LONGEST_MARKED && value.ends_with(b"EXAMPLE")
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
        _ => bytes::holds(value, b"${") || bytes::holds(value, b"{{"),
    }
}

/// `VARCHAR(255)`: the type of a column.
fn is_column(value: &str) -> bool {
    #[rustfmt::skip]
    const TYPES: &[&str] = &[
        "char", "varchar", "varchar2", "nchar", "nvarchar", "nvarchar2", "text", "string", "binary",
        "varbinary", "character varying", "bpchar", "blob",
    ];
    let Some((kind, size)) = value
        .strip_suffix(')')
        .and_then(|value| value.split_once('('))
    else {
        return false;
    };
    TYPES.iter().any(|known| kind.eq_ignore_ascii_case(known))
        && size
            .bytes()
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b',' | b' '))
}

/// `required|string|min:8|confirmed`: what a form checks.
fn is_rule(value: &str) -> bool {
    #[rustfmt::skip]
    const RULES: &[&str] = &[
        "required", "nullable", "string", "min", "max", "confirmed", "sometimes", "present", "filled",
        "bail", "between", "regex", "same", "different", "alpha_num",
    ];
    let mut known = false;
    let mut parts = value.split('|');
    let checks = |part: &str| {
        let (name, options) = part.split_once(':').unwrap_or((part, ""));
        known |= RULES.contains(&name);
        !name.is_empty()
            && name
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte == b'_')
            && options.bytes().all(|byte| byte.is_ascii_graphic())
    };
    value.contains('|') && parts.all(checks) && known
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
    if value.len() > LONGEST {
        return false;
    }
    let mut plain = Short::default();
    for letter in value.chars().filter(|letter| letter.is_alphanumeric()) {
        plain.push(letter.encode_utf8(&mut [0; 4]).as_bytes());
    }
    let mut lower = Short::default();
    lower.push(value.as_bytes());
    plain.length == 0 || WHOLE.binary_search(&plain.get()).is_ok() || holds_part(lower.get())
}

/// Longest value that names a placeholder, in bytes.
const LONGEST: usize = 64;

/// A short text in lower case.
struct Short {
    bytes: [u8; LONGEST],
    length: usize,
}

impl Default for Short {
    fn default() -> Self {
        Self {
            bytes: [0; LONGEST],
            length: 0,
        }
    }
}

impl Short {
    fn push(&mut self, text: &[u8]) {
        for (to, from) in self.bytes.iter_mut().skip(self.length).zip(text) {
            *to = from.to_ascii_lowercase();
        }
        self.length += text.len();
    }

    fn get(&self) -> &[u8] {
        bytes::slice(&self.bytes, 0, self.length)
    }
}

fn holds_part(value: &[u8]) -> bool {
    value.array_windows().enumerate().any(|(index, &triple)| {
        let (word, bit) = place(triple);
        TRIPLES[word] & bit != 0
            && PARTS
                .iter()
                .any(|part| bytes::slice(value, index, index + part.len()) == part.as_bytes())
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

const TRIPLE_WORDS: usize = 32;

/// Where three bytes stand in the set.
const fn place([first, second, third]: [u8; 3]) -> (usize, u64) {
    let bit = first ^ second.rotate_left(3) ^ third.rotate_left(5);
    (second as usize % TRIPLE_WORDS, 1 << (bit & 63))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_placeholders_are_sorted() {
        assert!(WHOLE.is_sorted());
    }

    #[test]
    fn every_word_of_the_lists_is_a_placeholder() {
        for word in WHOLE {
            let word = str::from_utf8(word).expect("a word");
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
