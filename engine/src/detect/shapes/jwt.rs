//! JSON Web Tokens.

use crate::EntityType;
use crate::detect::bytes::{self, at};
use crate::detect::text::scanner::{self, Scanner};
use crate::detect::{Detection, Score};

/// Shortest header and payload, in base64url characters.
const SHORTEST: usize = 10;
/// The length of a signature that identifies a token by itself, in base64url characters.
const LONG_SIGNATURE: usize = 40;
const LONGEST: usize = scanner::LONG;
/// A signed token has three parts (RFC 7515), an encrypted one five (RFC 7516).
const SIGNED: usize = 3;
const ENCRYPTED: usize = 5;

/// Examines the token whose `eyJ` (`{"` in base64) is at `start`.
pub(in crate::detect) fn scan(scanner: &mut Scanner<'_, '_>, start: usize) {
    let text = scanner.text;
    if !bytes::begins_word(text, start) || is_payload(text, start) {
        return;
    }
    let header = scanner.marks.token_part.end(text, start, LONGEST, is_part);
    let header = header + padding(text, header);
    if header - start < SHORTEST || at(text, header) != b'.' {
        return;
    }
    // Several may begin in one header, which ends once.
    if scanner.marks.token_end.0 != header {
        scanner.marks.token_end = (header, end(text, header + 1));
    }
    let Some(end) = scanner.marks.token_end.1 else {
        return;
    };
    scanner.push(Detection {
        start,
        end,
        entity: EntityType::JWT,
        score: Score::percent(98),
        rule: "jwt",
    });
}

/// Whether the header of a token ends with a dot right before `start`.
fn is_payload(text: &[u8], start: usize) -> bool {
    let Some(dot) = start.checked_sub(1).filter(|&dot| at(text, dot) == b'.') else {
        return false;
    };
    let length = bytes::run_back(text, dot, LONGEST, is_part);
    length >= SHORTEST && bytes::slice(text, dot - length, dot).starts_with(b"eyJ")
}

/// Where a token with its payload at `start` ends. Text after a following dot belongs to the next
/// sentence.
fn end(text: &[u8], start: usize) -> Option<usize> {
    let payload = part(text, start);
    let is_json = bytes::slice(text, start, start + 3) == b"eyJ";
    let most = if is_json { SIGNED } else { ENCRYPTED };
    let (mut end, mut count) = (start + payload, 2);
    let mut signed_end = end;
    while count < most && at(text, end) == b'.' {
        let next = part(text, end + 1);
        if next == 0 && count > 2 {
            break;
        }
        (end, count) = (end + 1 + next, count + 1);
        if count == SIGNED {
            signed_end = end;
        }
    }
    let signature = signed_end - (start + payload);
    let is_whole = match payload {
        // Without a wrapped key (RFC 7518, section 4.5), or signed apart from its content (RFC 7797).
        0 => count == ENCRYPTED || count == SIGNED && signature > LONG_SIGNATURE,
        _ => payload >= SHORTEST && (is_json || count >= SIGNED),
    };
    let end = if count == ENCRYPTED { end } else { signed_end };
    is_whole.then_some(end)
}

fn part(text: &[u8], start: usize) -> usize {
    let length = bytes::run(text, start, LONGEST, is_part);
    length + padding(text, start + length)
}

const fn is_part(byte: u8) -> bool {
    bytes::is_word(byte) || byte == b'-'
}

fn padding(text: &[u8], from: usize) -> usize {
    bytes::run(text, from, 2, |byte| byte == b'=')
}
