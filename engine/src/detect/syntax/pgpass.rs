//! Passwords in `.pgpass`.

use crate::EntityType;
use crate::detect::bytes::{self, at, before};
use crate::detect::lexicon::value_class::Value;
use crate::detect::text::scanner::{self, Scanner};
use crate::detect::{Detection, Score};

/// Longest password, in bytes.
const LONGEST: usize = scanner::LONG;

/// Examines a line of `.pgpass` (`host:port:database:user:password`) around its port.
pub(in crate::detect) fn scan(scanner: &mut Scanner<'_, '_>, colon: usize) {
    let text = scanner.text;
    let field =
        |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b':' | b'/' | b'"' | b'\'' | b'@');
    let host = bytes::run_back(text, colon, 64, field);
    let line_start = colon - host;
    let begins = line_start == 0
        || matches!(before(text, line_start), b'\n' | b' ' | b'\'' | b'"')
        || bytes::follows_escape(text, line_start);
    if !begins || host == 0 {
        return;
    }
    let mut from = colon + 2 + bytes::run(text, colon + 1, 5, |byte| byte != b':');
    for _ in 0..2 {
        let length = bytes::run(text, from, 64, field);
        if length == 0 || at(text, from + length) != b':' {
            return;
        }
        from += length + 1;
    }
    let length = bytes::run(text, from, LONGEST, |byte| {
        byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\'' | b'\\')
    });
    if length > 2 && !Value::of(scanner.str(from, from + length)).is_placeholder() {
        scanner.push(Detection {
            start: from,
            end: from + length,
            entity: EntityType::SECRET,
            score: Score::percent(90),
            rule: "pgpass",
        });
    }
}
