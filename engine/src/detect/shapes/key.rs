//! Keys of any vendor, by how vendors write them: `acme_live_` and a long generated part.

use crate::detect::bytes::{self, at, before};
use crate::detect::lexicon::technical;
use crate::detect::lexicon::value_class::Value;
use crate::detect::scanner::Scanner;
use std::ops::Range;

/// Fewest characters of the generated part. Ids of providers have up to 29 (`chatcmpl-…`).
const SHORTEST: usize = 30;
/// Longest prefix with what is generated before the word, in bytes.
const LONGEST_LEAD: usize = 64;
/// Longest key that is read, in bytes.
const LONGEST: usize = 1024;
/// Longest part of a prefix, and most parts.
const LONGEST_PART: usize = 15;
const MOST_PARTS: usize = 4;
/// Fewest changes between the kinds of characters, in hundredths of the length: letters of both cases and digits, and small
/// letters and digits.
const CHANGES: [usize; 2] = [35, 25];
/// Letters or digits in their order from which on somebody typed them: `abcde`, `12345`.
const TYPED: usize = 5;

/// The key that a word of letters and digits is a part of.
pub(super) fn around(scanner: &mut Scanner<'_, '_>, word: &Range<usize>) -> Option<Range<usize>> {
    let text = scanner.text;
    let lead = bytes::run_back(text, word.start, LONGEST_LEAD, is_of_key);
    let start = word.start - lead;
    if lead == 0 || lead == LONGEST_LEAD || !may_precede(before(text, start)) {
        return None;
    }
    let end = scanner.marks.key.end(text, start, LONGEST, is_of_key);
    let generated = start + prefix(bytes::slice(text, start, end))?;
    let goes_on = matches!(at(text, end), b'+' | b'/' | b'@') || end - start == LONGEST;
    let is_key = !goes_on && !is_of_sum(text, start) && is_generated(scanner.str(generated, end));
    is_key.then(|| start..end + bytes::run(text, end, 2, |byte| byte == b'='))
}

const fn is_of_key(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || is_joint(byte)
}

const fn is_joint(byte: u8) -> bool {
    matches!(byte, b'_' | b'-')
}

/// Whether a key may follow: not in paths, addresses and longer values.
const fn may_precede(byte: u8) -> bool {
    byte.is_ascii()
        && !matches!(
            byte,
            b'/' | b'+' | b'.' | b'%' | b'&' | b'#' | b'@' | b'$' | b'\\' | b'~'
        )
}

/// The length of a prefix with the sign that ends it: words that are written in one case, and no sum's name.
fn prefix(key: &[u8]) -> Option<usize> {
    let mut length = 0;
    for part in key.split(|byte| is_joint(*byte)).take(MOST_PARTS) {
        if !is_part(part) {
            break;
        }
        length += part.len() + 1;
    }
    let is_word = at(key, 0).is_ascii_alphabetic();
    let own = bytes::slice(key, 0, length.saturating_sub(1));
    (is_word && own.len() > 1 && !technical::ALGORITHMS.hold(first_part(own))).then_some(length)
}

fn first_part(prefix: &[u8]) -> &[u8] {
    let length = bytes::run(prefix, 0, prefix.len(), |byte| !is_joint(byte));
    bytes::slice(prefix, 0, length)
}

fn is_part(part: &[u8]) -> bool {
    let is_small = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let is_large = |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
    (1..=LONGEST_PART).contains(&part.len())
        && (part.iter().all(is_small) || part.iter().all(is_large))
}

/// `sha256=…`
fn is_of_sum(text: &[u8], start: usize) -> bool {
    let name = start.saturating_sub(1);
    let length = bytes::run_back(text, name, LONGEST_PART, |byte| {
        byte.is_ascii_alphanumeric()
    });
    technical::ALGORITHMS.hold(bytes::slice(text, name - length, name))
}

/// Whether a program made the characters: kinds of them change as by chance.
fn is_generated(value: &str) -> bool {
    let class = Value::of(value);
    let [both, small] = CHANGES;
    let changes = if class.has_upper { both } else { small };
    class.length >= SHORTEST
        && class.has_lower
        && class.is_random()
        && !class.is_hex()
        && !class.is_uuid()
        && !class.is_placeholder()
        && class.kind_changes() * 100 >= class.length * changes
        && !is_typed(class.bytes())
}

/// `aBcDe`, `12345`: whether letters or digits follow one another in their order.
fn is_typed(value: &[u8]) -> bool {
    let mut run = 1;
    value.array_windows().any(|[first, second]| {
        let follows = first.to_ascii_lowercase() + 1 == second.to_ascii_lowercase();
        run = if follows { run + 1 } else { 1 };
        run >= TYPED
    })
}
