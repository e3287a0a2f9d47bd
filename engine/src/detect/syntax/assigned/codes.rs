//! Recovery codes for two-factor authentication.

use super::assignment;
use crate::detect::bytes::{self, at, before};
use std::ops::Range;

/// Stems of names that such codes are listed below.
#[rustfmt::skip]
pub(super) const NAMES: &[&str] = &[
    "backup code", "backup_code", "backup-code", "backupcode",
    "recovery code", "recovery_code", "recovery-code", "recoverycode",
];
/// Longest remark between a name and its codes, in bytes.
const LONGEST_REMARK: usize = 64;
const LONGEST_GROUP: usize = 16;

/// The codes after the name that ends at `end`, in brackets, in a row or on separate lines; `None`
/// if the first of them begins before `known`, in a list that was already read.
pub(super) fn codes(text: &[u8], end: usize, known: usize) -> Option<Vec<Range<usize>>> {
    let name = end + bytes::run(text, end, 16, bytes::is_word);
    let remark = bytes::run(text, name, LONGEST_REMARK, |byte| {
        !byte.is_ascii_digit() && !matches!(byte, b':' | b'=' | b'\n' | b'[')
    });
    let mut codes = Vec::new();
    let mut from = name + remark;
    while let Some(code) = code(text, item(text, from)) {
        if code.start < known {
            return None;
        }
        from = code.end;
        codes.push(code);
    }
    let labels = matches!(at(text, name + remark), b':' | b'=' | b'[' | b'\n');
    // One alone may be anything unless the name labels it.
    let fewest = if labels && remark <= 2 { 1 } else { 2 };
    if codes.len() < fewest || !labels {
        codes.clear();
    }
    Some(codes)
}

/// Where the next item of a list begins.
fn item(text: &[u8], from: usize) -> usize {
    let start = from
        + bytes::run(text, from, 32, |byte| {
            byte.is_ascii_whitespace() || b":=[],;\"'`*-|\\".contains(&byte)
        });
    // `1. `, `12) `
    let digits = bytes::run(text, start, 2, |byte| byte.is_ascii_digit());
    let is_numbered = digits > 0 && matches!(at(text, start + digits), b'.' | b')');
    if is_numbered {
        assignment::spaces(text, start + digits + 1)
    } else {
        start
    }
}

/// Groups of letters and digits, all of one length: `a1b2c-3d4e5`, `8372 1920`, `83721920`.
fn code(text: &[u8], start: usize) -> Option<Range<usize>> {
    let group = |from: usize| {
        bytes::run(text, from, LONGEST_GROUP, |byte| {
            byte.is_ascii_alphanumeric()
        })
    };
    let length = group(start);
    let mut end = start + length;
    while length >= 3 && matches!(at(text, end), b'-' | b' ') && group(end + 1) == length {
        let next = bytes::slice(text, end + 1, end + 1 + length);
        if at(text, end) == b' ' && !next.iter().all(u8::is_ascii_digit) {
            break;
        }
        end += 1 + length;
    }
    let code = bytes::slice(text, start, end);
    let digits = code.iter().filter(|byte| byte.is_ascii_digit()).count();
    let is_code = (8..=40).contains(&code.len()) && digits >= 2 && !bytes::is_word(at(text, end));
    (is_code && !bytes::is_word(before(text, start))).then_some(start..end)
}
