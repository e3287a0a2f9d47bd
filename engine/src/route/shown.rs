//! A request path as a log may show it.

use std::ops::Range;

use percent_encoding::{CONTROLS, utf8_percent_encode};

use crate::{Detection, Engine};

/// The path with types in the place of what would be masked in it, percent-encoded or not. Holds
/// nothing that a terminal obeys: HTTP lets control characters beyond ASCII through.
#[must_use]
pub fn shown(engine: &Engine, path: &str) -> String {
    let mut hidden = found_in(engine, path);
    if path.contains(['%', '+']) {
        let (decoded, places) = decoded(path);
        let found = found_in(engine, &decoded).into_iter();
        hidden.extend(found.filter_map(|detection| encoded(detection, &places)));
    }
    hidden.sort_by_key(|detection| detection.start);
    let mut out = String::with_capacity(path.len());
    let mut end = 0;
    for detection in hidden {
        if detection.start >= end {
            show(&mut out, path, end..detection.start);
            out.push('[');
            out.push_str(detection.entity.as_str());
            out.push(']');
        }
        end = end.max(detection.end);
    }
    show(&mut out, path, end..path.len());
    out
}

/// What is found in a path as a whole, and in each of its parts alone: between slashes a number proves little.
fn found_in(engine: &Engine, path: &str) -> Vec<Detection> {
    let mut found = engine.detect(path);
    let mut start = 0;
    for part in path.split(['/', '?', '&', '=', ';']) {
        found.extend(engine.detect(part).into_iter().map(|detection| Detection {
            start: start + detection.start,
            end: start + detection.end,
            ..detection
        }));
        start += part.len() + 1;
    }
    found
}

fn show(out: &mut String, path: &str, part: Range<usize>) {
    let part = path.get(part).unwrap_or_default();
    out.extend(utf8_percent_encode(part, CONTROLS));
}

/// A path without its percent-encoding, `+` as a space, and where each of its bytes stands in the path, and the
/// path's end.
fn decoded(path: &str) -> (String, Vec<usize>) {
    let mut bytes = Vec::with_capacity(path.len());
    let mut places = Vec::with_capacity(path.len() + 1);
    let mut rest = path.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        places.push(path.len() - rest.len());
        let plain = if *first == b'+' { b' ' } else { *first };
        let (byte, behind) = encoded_byte(rest).unwrap_or((plain, behind));
        bytes.push(byte);
        rest = behind;
    }
    places.push(path.len());
    let decoded = String::from_utf8(bytes).unwrap_or_else(|error| {
        let bytes = error.into_bytes().into_iter();
        let ascii = bytes.map(|byte| {
            if byte.is_ascii() {
                char::from(byte)
            } else {
                '?'
            }
        });
        ascii.collect()
    });
    (decoded, places)
}

/// The byte whose percent-encoding begins here, and what stands behind that.
fn encoded_byte(text: &[u8]) -> Option<(u8, &[u8])> {
    let (code, behind) = text.strip_prefix(b"%")?.split_at_checked(2)?;
    let code = std::str::from_utf8(code).ok()?;
    let is_hex = code.bytes().all(|digit| digit.is_ascii_hexdigit());
    let byte = u8::from_str_radix(code, 16).ok()?;
    is_hex.then_some((byte, behind))
}

/// A detection in the decoded path as one in the path.
fn encoded(detection: Detection, places: &[usize]) -> Option<Detection> {
    Some(Detection {
        start: *places.get(detection.start)?,
        end: *places.get(detection.end)?,
        ..detection
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Settings;

    fn default_shown(text: &str) -> String {
        shown(&Engine::new(Settings::default()), text)
    }

    /// An address in a path was logged when its `@` was percent-encoded.
    #[test]
    fn a_percent_encoded_value_is_not_logged() {
        for (text, expected) in [
            ("/users/alice@example.com/x", "/users/[EMAIL]/x"),
            ("/users/alice%40example.com/x", "/users/[EMAIL]/x"),
            ("/%61lice%40example.com", "/[EMAIL]"),
            ("/%ff/alice%40example.com", "/%ff/[EMAIL]"),
            ("/a@example.com/b%40example.com", "/[EMAIL]/[EMAIL]"),
            ("/100%/%4/%zz/%+1", "/100%/%4/%zz/%+1"),
        ] {
            assert_eq!(default_shown(text), expected);
        }
    }

    /// They were found in a query and shown in a path.
    #[test]
    fn numbers_between_slashes_are_not_logged() {
        for (text, expected) in [
            ("/cards/4111-1111-1111-1111/x", "/cards/[CREDIT_CARD]/x"),
            ("/cards/4111%201111%201111%201111", "/cards/[CREDIT_CARD]"),
            ("/cards/4111+1111+1111+1111", "/cards/[CREDIT_CARD]"),
            ("/x/536-90-4399", "/x/[SSN]"),
            ("/x/DE89370400440532013000/y", "/x/[IBAN]/y"),
        ] {
            assert_eq!(default_shown(text), expected);
        }
    }

    /// A path of a client could colour, move or turn what a terminal shows.
    #[test]
    fn control_characters_beyond_ascii_are_not_logged_as_they_are() {
        assert_eq!(
            default_shown("/\u{9b}31m/\u{202e}x"),
            "/%C2%9B31m/%E2%80%AEx"
        );
    }
}
