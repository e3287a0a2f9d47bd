//! Private key blocks.

use crate::EntityType;
use crate::detect::bytes::{self, at};
use crate::detect::text::scanner::{self, Scanner};
use crate::detect::{Detection, Score};

/// Farthest that the lines of a block without dashes are followed, in bytes.
const LONGEST: usize = scanner::LONG;
/// Fewest characters of a body; anything shorter is a placeholder.
const SHORTEST_BODY: usize = 24;
const LONGEST_LABEL: usize = 48;
const OPENING: usize = 10;
const KIND: &[u8] = b"PRIVATE KEY";

/// Examines the block whose `-----BEGIN`, or `---- BEGIN` (RFC 4716), is at `start`.
pub(in crate::detect) fn scan(scanner: &mut Scanner<'_, '_>, start: usize) {
    let text = scanner.text;
    let label_start = start + OPENING;
    let label = bytes::run(text, label_start, LONGEST_LABEL, |byte| {
        byte != b'-' && byte != b'\n'
    });
    let label = bytes::slice(text, label_start, label_start + label);
    let body = label_start
        + label.len()
        + bytes::run(text, label_start + label.len(), 5, |byte| byte == b'-');
    if !bytes::holds(label, KIND) {
        pass_over(scanner, label, body);
        return;
    }
    // A body holds no four dashes: the next ones end the block, or begin another one. So no text is searched twice.
    let dashes = memchr::memmem::find(bytes::slice(text, body, text.len()), b"----");
    let next = dashes.map_or(text.len(), |index| body + index);
    if next - body < SHORTEST_BODY {
        return;
    }
    let ends = matches!(
        bytes::slice(text, next, next + 8),
        b"-----END" | b"---- END"
    );
    let end = if ends {
        closing(text, next)
    } else {
        broken_off(text, body, next)
    };
    let body_end = next.min(end);
    scanner.marks.blocks_until = scanner.marks.blocks_until.max(end);
    if body_length(bytes::slice(text, body, body_end)) < SHORTEST_BODY {
        return;
    }
    report(scanner, start, end);
}

/// Remembers the body of a certificate or a public key, whose Base64 may hold the names of secrets.
fn pass_over(scanner: &mut Scanner<'_, '_>, label: &[u8], body: usize) {
    const PUBLIC: [&[u8]; 2] = [b"CERTIFICATE", b"PUBLIC KEY"];
    let text = scanner.text;
    if !PUBLIC.iter().any(|kind| label.ends_with(kind)) {
        return;
    }
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'\\');
    let is_padding = |byte: u8| byte == b'=' || byte.is_ascii_whitespace();
    let end = body
        + bytes::run(text, body, text.len(), |byte| {
            is_base64(byte) || byte.is_ascii_whitespace()
        });
    let end = end + bytes::run(text, end, 8, is_padding);
    if bytes::begins(text, end, b"-----END ") {
        scanner.marks.public_until = end;
    }
}

/// Examines the lines before the `-----END` at `start`, if the block has lost its beginning.
pub(in crate::detect) fn scan_end(scanner: &mut Scanner<'_, '_>, start: usize) {
    let text = scanner.text;
    let length = bytes::run(text, start + 8, LONGEST_LABEL, |byte| byte != b'-');
    let label = bytes::slice(text, start + 8, start + 8 + length);
    if start < scanner.marks.blocks_until || !bytes::holds(label, KIND) {
        return;
    }
    let length = bytes::run_back(text, start, usize::MAX, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'\n' | b'\r')
    });
    let first = start - length;
    let first = first + bytes::run(text, first, length, |byte| byte.is_ascii_whitespace());
    let end = closing(text, start);
    scanner.marks.blocks_until = end;
    if body_length(bytes::slice(text, first, start)) >= 2 * SHORTEST_BODY {
        report(scanner, first, end);
    }
}

/// Examines the lines of a `PuTTY` key, whose number follows `Private-Lines:` at `start`.
pub(in crate::detect) fn scan_lines(scanner: &mut Scanner<'_, '_>, start: usize) {
    let text = scanner.text;
    let number = start + b"private-lines:".len();
    let first = number
        + bytes::run(text, number, 8, |byte| {
            byte == b' ' || byte.is_ascii_digit()
        });
    let first = first + bytes::run(text, first, 2, |byte| byte.is_ascii_whitespace());
    let mut end = first;
    while end < start + LONGEST {
        let line = bytes::run(text, end, LONGEST, |byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
        });
        let ends = bytes::run(text, end + line, 2, |byte| matches!(byte, b'\r' | b'\n'));
        if line == 0 || ends == 0 && end + line < text.len() {
            break;
        }
        end += line + ends;
    }
    end -= bytes::run_back(text, end, 2, |byte| byte.is_ascii_whitespace());
    if body_length(bytes::slice(text, first, end)) >= SHORTEST_BODY {
        report(scanner, first, end);
    }
}

/// Examines the Base64 of a whole block, as in a Kubernetes configuration.
pub(in crate::detect) fn scan_encoded(scanner: &mut Scanner<'_, '_>, start: usize) {
    /// `PRIVATE KE` in Base64, by how many bytes precede it in its group of three.
    const KINDS: [&[u8]; 3] = [b"UFJJVkFURSBLR", b"BSSVZBVEUgS0", b"QUklWQVRFIEtF"];
    let text = scanner.text;
    let label = bytes::slice(text, start, text.len().min(start + 2 * LONGEST_LABEL));
    if !KINDS.iter().any(|kind| bytes::holds(label, kind)) {
        return;
    }
    let base64 = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    let end = scanner.marks.encoded_key.end(text, start, LONGEST, base64);
    if end - start >= 2 * SHORTEST_BODY + LONGEST_LABEL {
        report(scanner, start, end);
    }
}

fn report(scanner: &mut Scanner<'_, '_>, start: usize, end: usize) {
    scanner.push(Detection {
        start,
        end,
        entity: EntityType::PRIVATE_KEY,
        score: Score::percent(99),
        rule: "private-key",
    });
}

/// The end of the line `-----END … -----`.
fn closing(text: &[u8], at: usize) -> usize {
    let label_start = at + 8;
    let label = label_start
        + bytes::run(text, label_start, LONGEST_LABEL, |byte| {
            byte != b'-' && byte != b'\n'
        });
    label + bytes::run(text, label, 5, |byte| byte == b'-')
}

/// The end of a body without its last line: the last byte that may belong to a key.
fn broken_off(text: &[u8], body: usize, reach: usize) -> usize {
    let mut end = body;
    let mut index = body;
    while index < reach {
        let line = bytes::run(text, index, reach - index, |byte| byte != b'\n');
        let content = bytes::slice(text, index, index + line).trim_ascii();
        let belongs = content.iter().all(|&byte| is_body(byte)) || is_header(content);
        if !belongs {
            end = end.max(index + bytes::run(text, index, line, is_body));
            break;
        }
        if !content.is_empty() {
            end = index + line;
        }
        index += line + 1;
    }
    end
}

const fn is_body(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'\\' | b'-' | b'_')
}

/// `Proc-Type: 4,ENCRYPTED` and its like.
fn is_header(line: &[u8]) -> bool {
    let name = bytes::run(line, 0, 24, |byte| {
        byte.is_ascii_alphabetic() || byte == b'-'
    });
    name > 2 && at(line, name) == b':' && line.len() < 120
}

fn body_length(body: &[u8]) -> usize {
    body.iter()
        .filter(|byte| byte.is_ascii_alphanumeric())
        .count()
}
