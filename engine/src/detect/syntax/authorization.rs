//! Credentials after `Bearer`, `Basic`, `Token` and the like in a header.

use crate::EntityType;
use crate::detect::bytes::{self, at, before};
use crate::detect::lexicon::value_class::Value;
use crate::detect::text::scanner::{self, Scanner};
use crate::detect::{Detection, Score};

/// Farthest that a value is followed, in bytes.
const LONGEST: usize = scanner::LONG;
/// How much of a value is judged, in bytes.
const JUDGED: usize = 256;
/// How far the Base64 of a user and a password is decoded, in bytes: a token may be the user.
const DECODED: usize = 4096;

/// Examines the scheme that starts at `start`.
pub(in crate::detect) fn scan(scanner: &mut Scanner<'_, '_>, start: usize) {
    let text = scanner.text;
    let is_basic = at(text, start + 1) | 0x20 == b'a';
    let name = if is_basic { 5 } else { 6 };
    if !bytes::begins_word(text, start) {
        return;
    }
    let gap = bytes::run(text, start + name, 4, |byte| {
        matches!(byte, b' ' | b':' | b'+')
    })
    .max(
        if bytes::slice(text, start + name, start + name + 3) == b"%20" {
            3
        } else {
            0
        },
    );
    if gap == 0 {
        return;
    }
    let value_start = start + name + gap;
    let mut end = scanner
        .marks
        .credential
        .end(text, value_start, LONGEST, is_credential);
    while matches!(before(text, end), b'.' | b',' | b':') {
        end -= 1;
    }
    if end <= value_start {
        return;
    }
    let value = scanner.str(value_start, end);
    let accepted = if is_basic {
        is_basic_pair(value.as_bytes())
    } else {
        is_bearer(head(value), in_header(text, start))
    };
    if accepted {
        scanner.push(Detection {
            start: value_start,
            end,
            entity: EntityType::AUTH_TOKEN,
            score: Score::percent(90),
            rule: if is_basic { "basic" } else { "bearer" },
        });
    }
}

/// Schemes that are ordinary words: they count only directly after the header's name.
const SCHEMES: [&[u8]; 3] = [b"token", b"apikey", b"api-key"];

/// Examines the header `Authorization` that starts at `start`.
pub(in crate::detect) fn scan_header(scanner: &mut Scanner<'_, '_>, start: usize) {
    let text = scanner.text;
    let name_end = start + b"authorization".len();
    let is_separator = |byte| matches!(byte, b' ' | b':' | b'=' | b'"' | b'\'' | b'\\');
    let scheme = name_end + bytes::run(text, name_end, 8, is_separator);
    let of_scheme = |name: &&&[u8]| bytes::begins(text, scheme, name);
    let Some(name) = SCHEMES.iter().find(of_scheme).filter(|_| scheme > name_end) else {
        return;
    };
    let gap_start = scheme + name.len();
    let value_start = gap_start + bytes::run(text, gap_start, 4, |byte| byte == b' ');
    let credential = &mut scanner.marks.credential;
    let value_end = credential.end(text, value_start, LONGEST, is_credential);
    if value_start == gap_start {
        return;
    }
    let value = scanner.str(value_start, value_end);
    // `Token token=…` is an assignment.
    if is_assignment(head(value)) || !is_bearer(head(value), true) {
        return;
    }
    scanner.push(Detection {
        start: value_start,
        end: value_end,
        entity: EntityType::SECRET,
        score: Score::percent(90),
        rule: "authorization",
    });
}

fn head(value: &str) -> &str {
    value.get(..JUDGED).unwrap_or(value)
}

const fn is_credential(byte: u8) -> bool {
    bytes::is_word(byte) || matches!(byte, b'-' | b'.' | b'~' | b'+' | b'/' | b'=' | b':' | b'|')
}

fn in_header(text: &[u8], start: usize) -> bool {
    let window = bytes::slice(text, start.saturating_sub(24), start);
    window
        .windows(4)
        .any(|word| word.eq_ignore_ascii_case(b"auth"))
}

fn is_bearer(value: &str, in_header: bool) -> bool {
    // `token_type=bearer expires_in=3600`: the next field.
    if !in_header && is_assignment(value) {
        return false;
    }
    let class = Value::of(value);
    if !class.has_digit && class.length < 16 {
        return false;
    }
    if class.is_placeholder() || class.length < 6 {
        return false;
    }
    let mixed = class.has_digit && class.has_letter;
    if in_header {
        mixed || class.length >= 16 && !class.is_words()
    } else {
        class.length >= 12 && mixed && !class.is_words() || class.is_random()
    }
}

/// Whether this is a name and a value; Base64 has equals signs only at its end.
fn is_assignment(value: &str) -> bool {
    value.trim_end_matches('=').contains('=')
}

/// Base64 of `user:password`, as far as it is decoded.
fn is_basic_pair(value: &[u8]) -> bool {
    // `Basic Operation`
    let is_word = value.iter().skip(1).all(u8::is_ascii_lowercase);
    let digits = value.iter().take_while(|&&byte| byte != b'=').count();
    let is_cut = value.len() > DECODED;
    if value.len() < 8 || is_word || digits % 4 == 1 {
        return false;
    }
    let mut colon = false;
    let mut bits = 0u32;
    let mut count = 0;
    for &byte in value.iter().take(DECODED).take_while(|&&byte| byte != b'=') {
        let Some(sextet) = sextet(byte) else {
            return false;
        };
        bits = (bits << 6 | sextet) & 0xFFFF;
        count += 6;
        if count >= 8 {
            count -= 8;
            let decoded = bits >> count & 0xFF;
            if decoded < 0x20 || decoded == 0x7F {
                return false;
            }
            colon |= decoded == u32::from(b':');
        }
    }
    colon || is_cut
}

const fn sextet(byte: u8) -> Option<u32> {
    Some(match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    } as u32)
}
