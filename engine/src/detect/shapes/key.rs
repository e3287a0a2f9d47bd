//! Keys of any vendor, by how vendors write them: `acme_live_` and a long generated part.

use crate::detect::bytes::{self, at, before};
use crate::detect::lexicon::technical;
use crate::detect::lexicon::value_class::Value;
use crate::detect::text::scanner::Scanner;
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
/// Fewest letters of its first part, in small and in capital letters: what is generated may begin with fewer.
const FEWEST_LETTERS: [usize; 2] = [3, 4];
/// Fewest characters of the generated part that no sign parts.
const SHORTEST_RUN: usize = 16;
/// Fewest changes between the kinds of these characters, in hundredths of their number: letters of both cases and
/// digits, and small letters and digits.
const CHANGES: [usize; 2] = [35, 25];
/// Letters or digits in their order from which on somebody typed them: `abcde`, `aAbBcCdDeE`, `12345`.
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

/// The length of a prefix with the sign that ends it: words in letters of one case, the first of which names no sum.
fn prefix(key: &[u8]) -> Option<usize> {
    let first = first_part(key);
    let [small, large] = FEWEST_LETTERS;
    let letters = bytes::run(first, 0, first.len(), |byte| byte.is_ascii_alphabetic());
    let fewest = if at(first, 0).is_ascii_lowercase() {
        small
    } else {
        large
    };
    if letters < fewest || technical::ALGORITHMS.hold(first) {
        return None;
    }
    let parts = key.split(|byte| is_joint(*byte)).take(MOST_PARTS);
    let length = parts
        .take_while(|part| is_part(part))
        .map(|part| part.len() + 1)
        .sum();
    (length > 0).then_some(length)
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
    let runs = value.split(['_', '-']);
    let longest = runs.max_by_key(|run| run.len()).unwrap_or_default();
    let class = Value::of(longest);
    let [both, small] = CHANGES;
    let changes = if class.has_upper { both } else { small };
    value.len() >= SHORTEST
        && class.length >= SHORTEST_RUN
        && class.has_lower
        && class.is_random()
        && !class.is_hex()
        && !class.is_placeholder()
        && class.kind_changes() * 100 >= class.length * changes
        && !is_typed(class.bytes())
}

/// Whether letters or digits follow one another in their order, or are doubled.
fn is_typed(value: &[u8]) -> bool {
    let mut run = 1;
    value.array_windows().any(|[first, second]| {
        let [first, second] = [first, second].map(u8::to_ascii_lowercase);
        run = match second.checked_sub(first) {
            Some(0) => run,
            Some(1) => run + 1,
            _ => 1,
        };
        run >= TYPED
    })
}
