//! Other ways to write a value, and the parts of one by which it is recognized.

use std::ops::Range;

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;

use crate::EntityType;
use crate::detect::names;
use crate::session::heads;
use crate::token::Mapping;

/// What a person or an account is numbered with: groups of digits only help to read it.
const NUMBERS: [EntityType; 8] = [
    EntityType::BANK_ACCOUNT,
    EntityType::CREDIT_CARD,
    EntityType::DRIVER_LICENSE,
    EntityType::HEALTH_ID,
    EntityType::NATIONAL_ID,
    EntityType::PASSPORT,
    EntityType::SSN,
    EntityType::TAX_ID,
];
/// A number with fewer digits is found only as it was written.
const FEWEST_DIGITS: usize = 7;

/// The types of values that programs write in hex or base64.
const ENCODED: [EntityType; 4] = [
    EntityType::API_KEY,
    EntityType::AUTH_TOKEN,
    EntityType::SECRET,
    EntityType::URL_CREDENTIAL,
];
/// Longer ones are found within their base64.
const LONGEST_ENCODED: usize = 64;

/// What stands for a character within quotes, in SQL, CSV, compose files and in a shell.
const QUOTED: [(&str, &str); 5] = [
    ("'", "''"),
    ("\"", "\"\""),
    ("$", "$$"),
    ("'", r"'\''"),
    ("'", "'\"'\"'"),
];

/// What joins the parts of a name in links and names of files.
const JOINTS: [&str; 3] = ["-", "_", "."];

/// Other ways to write a value: quoted, a name in one case, a secret in hex or base64. Base64 ends before the character
/// that depends on what follows, such as a line end.
pub(super) fn each_written(mapping: &Mapping, mut visit: impl FnMut(String)) {
    let value = mapping.value().expose();
    for (plain, quoted) in QUOTED {
        for (from, to) in [(plain, quoted), (quoted, plain)] {
            if value.contains(from) {
                visit(value.replace(from, to));
            }
        }
    }
    if *mapping.entity() == EntityType::PERSON {
        let lower = value.to_lowercase();
        // `max_power` may name anything.
        if !value.split(' ').all(names::is_common_word) {
            for joint in JOINTS {
                visit(value.replace(' ', joint));
                visit(lower.replace(' ', joint));
            }
        }
        visit(lower);
        visit(value.to_uppercase());
    }
    if ENCODED.contains(mapping.entity()) && value.len() <= LONGEST_ENCODED {
        let mut base64 = STANDARD_NO_PAD.encode(value);
        base64.truncate(value.len() * 8 / 6);
        visit(base64);
        let nibbles = value.bytes().flat_map(|byte| [byte >> 4, byte & 15]);
        let digits = nibbles.filter_map(|nibble| char::from_digit(nibble.into(), 16));
        visit(digits.collect());
    }
}

/// A number without what groups its digits, as it is written elsewhere: `943433537` of `943-43-3537`.
pub(super) fn digits_of(mapping: &Mapping) -> Option<String> {
    let value = mapping.value().expose();
    let is_grouped = |byte: u8| byte.is_ascii_digit() || b" -./".contains(&byte);
    let digits: String = value.chars().filter(char::is_ascii_digit).collect();
    let is_number = NUMBERS.contains(mapping.entity())
        && digits.len() >= FEWEST_DIGITS
        && value.bytes().all(is_grouped);
    (is_number && digits.len() < value.len()).then_some(digits)
}

/// The parts of a private key by which any 24 bytes of one of its lines are found: tools show some lines, or a half of one,
/// and wrap and join them. What surrounds a part is added where it stands.
pub(super) fn parts_of_key(key: &str) -> impl Iterator<Item = Range<usize>> {
    /// Nothing that is as long is equal by chance.
    const LENGTH: usize = 12;
    /// Fewer different bytes fill a field that is nearly empty.
    const FEWEST_BYTES: u32 = 6;
    let bytes = key.as_bytes();
    let is_distinct = move |part: &Range<usize>| {
        let part = bytes.get(part.clone()).unwrap_or_default();
        heads::set(part).count_ones() >= FEWEST_BYTES
    };
    let is_encoding =
        |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    let mut at = 0;
    let lines = bytes.split(move |byte| !is_encoding(byte));
    let places = lines.map(move |line| {
        let start = at;
        at += line.len() + 1;
        // `\n` in code and JSON: its letter is no part of the line.
        let is_escaped = start > 0 && bytes.get(start - 1) == Some(&b'\\');
        start + usize::from(is_escaped)..start + line.len()
    });
    let mut is_first = true;
    let lines = places.filter(|line| line.len() >= LENGTH);
    let parts = lines.flat_map(move |line| {
        let is_first = std::mem::take(&mut is_first);
        let head = if is_first {
            head_length(bytes.get(line.clone()), key.len())
        } else {
            0
        };
        let first = line.start + head;
        let last = line.end - LENGTH;
        (first..last).step_by(LENGTH).chain([last])
    });
    parts.map(|start| start..start + LENGTH).filter(is_distinct)
}

/// The length of what the first line of a key begins with that says what it is, as public keys do.
fn head_length(line: Option<&[u8]>, key_length: usize) -> usize {
    const LONGEST_SHORT_KEY: usize = 256;
    let line = line.unwrap_or_default();
    if !line.starts_with(b"M") && !line.starts_with(b"b3Bl") {
        0
    } else if key_length > LONGEST_SHORT_KEY {
        48
    } else {
        24
    }
}
