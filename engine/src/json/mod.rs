//! Lossless JSON: scan once, read, and edit in place.
//!
//! Nothing is parsed into a tree and printed again. A [`Tape`] notes the positions of values, and
//! an [`Edit`] rewrites a part of a string. Every other byte stays as it was: key order,
//! whitespace, number spelling, escapes, duplicate keys.

mod edit;
mod near;
mod nesting;
mod scan;
mod string;
mod tape;

pub(crate) use edit::{Edit, splice, spliced};
pub(crate) use nesting::{Context, MAX_HELD_JSON, Nesting};
pub(crate) use scan::ScanError;
pub(crate) use string::{
    decode, decoded, edits_in_string, escape, escape_into, escaped, has_whole_escapes,
    holds_replaced, is_replaced,
};
pub(crate) use tape::{Kind, Tape, Value};

/// Scans a text that is a JSON object or array as a whole.
pub(crate) fn held_json(text: &str) -> Option<Tape> {
    const MAX_DEPTH: usize = 256;
    let start = text.trim_start_matches('\u{feff}').trim_start();
    if !start.starts_with(['{', '[']) {
        return None;
    }
    Tape::scan(text, MAX_DEPTH).ok()
}

/// The same, or a JSON string that holds such a text and nothing else: it was encoded twice or more often.
pub(crate) fn held_or_quoted_json(text: &str) -> Option<Tape> {
    if !text.trim_start().starts_with('"') {
        return held_json(text);
    }
    let tape = Tape::scan(text, 1).ok()?;
    let held = tape.root(text).text();
    held_or_quoted_json(&held).map(|_| tape)
}
