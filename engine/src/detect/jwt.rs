//! JSON Web Tokens.

use super::bytes::{self, at};
use super::pass::{self, Pass};
use super::{Detection, Score};
use crate::EntityType;

/// Shortest header and payload, in base64url characters.
const SHORTEST: usize = 10;
const LONGEST: usize = pass::LONG;
/// An encrypted token has five parts.
const MAX_PARTS: usize = 5;

/// Looks at the token whose `eyJ` (`{"` in base64) stands at `start`.
pub(super) fn look(pass: &mut Pass<'_, '_>, start: usize) {
    let text = pass.text;
    if !bytes::begins_word(text, start) || pass.marks.credentials.is_spent(start) {
        return;
    }
    let header = part(text, start);
    if !pass.marks.credentials.admits(start, start + header) {
        return;
    }
    if header < SHORTEST || at(text, start + header) != b'.' {
        return;
    }
    let payload_start = start + header + 1;
    let payload = part(text, payload_start);
    if payload < SHORTEST {
        return;
    }
    let mut end = payload_start + payload;
    let mut parts = 2;
    while parts < MAX_PARTS && at(text, end) == b'.' {
        let next = part(text, end + 1);
        if next == 0 && parts > 2 {
            break;
        }
        end += 1 + next;
        parts += 1;
    }
    let payload_is_json = bytes::slice(text, payload_start, payload_start + 3) == b"eyJ";
    if parts == 2 && !payload_is_json {
        return;
    }
    pass.push(Detection {
        start,
        end,
        entity: EntityType::JWT,
        score: Score::percent(98),
        rule: "jwt",
    });
}

fn part(text: &[u8], start: usize) -> usize {
    let length = bytes::run(text, start, LONGEST, |byte| {
        bytes::is_word(byte) || byte == b'-'
    });
    length + bytes::run(text, start + length, 2, |byte| byte == b'=')
}
