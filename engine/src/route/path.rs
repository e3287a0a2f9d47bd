//! The ways in which servers interpret a path.

use std::borrow::Cow;

use percent_encoding::percent_decode;

/// How many layers of percent-encoding are decoded. No server decodes more.
const LAYERS: usize = 8;

/// Calls `find` with every reading that a server could give `path`, until it finds something.
///
/// Servers differ: some decode twice, some drop `;parameters`, some treat a backslash as a slash,
/// some merge slashes before they resolve `..`. Each reading is a canonical path: decoded, lower
/// case, without dot segments, empty segments and a trailing slash.
pub(super) fn readings<T>(path: &str, mut find: impl FnMut(&[u8]) -> Option<T>) -> Option<T> {
    let mut decoded = path.as_bytes().to_ascii_lowercase();
    for _ in 0..=LAYERS {
        if let Some(found) = styles(&decoded).find_map(|style| find(&resolve(&decoded, style))) {
            return Some(found);
        }
        let next = Cow::from(percent_decode(&decoded)).to_ascii_lowercase();
        if next == decoded {
            return None;
        }
        decoded = next;
    }
    None
}

/// The one spelling that readings of a path have: decoded, lower case, no empty and no dot segments.
pub(super) fn canonical(path: &str) -> Vec<u8> {
    let decoded = Cow::from(percent_decode(path.as_bytes()));
    let style = Style {
        cuts_query: false,
        drops_parameters: false,
        backslash_is_slash: false,
        merges_slashes_first: true,
    };
    resolve(&decoded.to_ascii_lowercase(), style)
}

/// A canonical path without the format or the verb at the end of its last name: `/messages.json`, `/responses:stream`.
pub(super) fn stem(canonical: &[u8]) -> Option<&[u8]> {
    let name = memchr::memrchr(b'/', canonical)? + 1;
    let sign = memchr::memrchr2(b':', b'.', canonical)?;
    canonical.get(..sign).filter(|_| sign > name)
}

/// On what servers disagree.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "four independent choices")]
struct Style {
    cuts_query: bool,
    drops_parameters: bool,
    backslash_is_slash: bool,
    merges_slashes_first: bool,
}

/// The styles that can make a difference for this path: a plain path has only one reading.
fn styles(path: &[u8]) -> impl Iterator<Item = Style> + use<> {
    let has = |bytes: &[u8]| path.iter().any(|byte| bytes.contains(byte));
    let choices = |matters: bool| if matters { &[true, false][..] } else { &[true] };
    let queries = choices(has(b"?#"));
    let parameters = choices(has(b";"));
    let backslashes = choices(has(b"\\"));
    let merges = choices(has(b"."));
    queries.iter().flat_map(move |&cuts_query| {
        parameters.iter().flat_map(move |&drops_parameters| {
            backslashes.iter().flat_map(move |&backslash_is_slash| {
                merges.iter().map(move |&merges_slashes_first| Style {
                    cuts_query,
                    drops_parameters,
                    backslash_is_slash,
                    merges_slashes_first,
                })
            })
        })
    })
}

fn resolve(path: &[u8], style: Style) -> Vec<u8> {
    let path = if style.cuts_query {
        before(path, b"?#")
    } else {
        path
    };
    let is_separator = |byte: &u8| *byte == b'/' || (style.backslash_is_slash && *byte == b'\\');
    let mut segments: Vec<&[u8]> = Vec::new();
    for segment in path.split(is_separator) {
        let segment = if style.drops_parameters {
            before(segment, b";")
        } else {
            segment
        };
        match trim(segment) {
            b"." => {}
            b".." => {
                segments.pop();
            }
            b"" if style.merges_slashes_first => {}
            segment => segments.push(without_dots(segment)),
        }
    }
    segments.retain(|segment| !segment.is_empty());
    join(&segments)
}

/// Joins the segments; a doubled version prefix, which clients send when their base URL has one
/// too many, counts once.
fn join(segments: &[&[u8]]) -> Vec<u8> {
    let doubled = segments
        .windows(2)
        .take_while(|pair| pair == &[b"v1", b"v1"])
        .count();
    let length = segments.iter().map(|segment| 1 + segment.len()).sum();
    let mut path = Vec::with_capacity(length);
    for segment in segments.iter().skip(doubled) {
        path.push(b'/');
        path.extend_from_slice(segment);
    }
    path
}

fn before<'a>(text: &'a [u8], stops: &[u8]) -> &'a [u8] {
    text.split(|byte| stops.contains(byte))
        .next()
        .unwrap_or_default()
}

/// Without the dots at its end, which some servers drop with what they ignore there.
fn without_dots(segment: &[u8]) -> &[u8] {
    let end = segment
        .iter()
        .rposition(|byte| *byte != b'.' && *byte > b' ');
    end.and_then(|end| segment.get(..=end)).unwrap_or(segment)
}

/// Without the spaces and control characters that some servers ignore at a segment's ends.
fn trim(segment: &[u8]) -> &[u8] {
    let is_ignored = |byte: &u8| *byte <= b' ' || *byte == 0x7f;
    let start = segment.iter().position(|byte| !is_ignored(byte));
    let end = segment.iter().rposition(|byte| !is_ignored(byte));
    match (start, end) {
        (Some(start), Some(end)) => segment.get(start..=end).unwrap_or_default(),
        _ => b"",
    }
}
