//! Values in Kubernetes Secret manifests, whatever their names are.

use crate::EntityType;
use crate::detect::bytes::{self, at, before};
use crate::detect::lexicon::value_class::Value;
use crate::detect::text::scanner::Scanner;
use crate::detect::{Detection, Score};
use std::ops::Range;

/// How a manifest says that it is of this kind, in YAML and in JSON.
pub(in crate::detect) const KINDS: &[&str] = &[
    "kind: Secret",
    "\"kind\": \"Secret\"",
    "\"kind\":\"Secret\"",
];
/// Fields that hold the values.
const FIELDS: &[&[u8]] = &[b"data", b"stringData"];
/// Farthest that its fields are indented, in bytes.
const DEEPEST: usize = 64;
const SHORTEST: usize = 4;

/// Examines the manifest whose kind is at `start`.
pub(in crate::detect) fn scan(scanner: &mut Scanner<'_, '_>, start: usize) {
    let text = scanner.text;
    let is_json = at(text, start) == b'"';
    let end = start
        + bytes::run(text, start, 20, |byte| {
            !matches!(byte, b'\n' | b'\r' | b',' | b'}')
        });
    let is_whole = bytes::slice(text, start, end)
        .trim_ascii_end()
        .ends_with(if is_json { b"Secret\"" } else { b"Secret" });
    if !is_whole {
        return;
    }
    if is_json {
        in_object(scanner, start, end);
        return;
    }
    let indent = bytes::line_back(text, start, DEEPEST);
    let known = scanner.marks.manifests.in_lines.get(indent);
    if known.is_none_or(|&until| until <= start) {
        let until = in_lines(scanner, start, indent);
        scanner.marks.manifests.read(indent, until);
    }
}

/// The lines of the object that the kind is a field of: as far as they are indented so, or more; where they end.
fn in_lines(scanner: &mut Scanner<'_, '_>, start: usize, indent: usize) -> usize {
    let text = scanner.text;
    let mut begin = start - indent;
    while begin > 0 && !is_item(text, begin, indent) {
        let above = begin - 1 - bytes::line_back(text, begin - 1, begin - 1);
        if !belongs(text, above, indent) && !is_item(text, above, indent) {
            break;
        }
        begin = above;
    }
    // The indentation of the values, once the first one is below its field.
    let mut of_values = None;
    let mut from = begin;
    while from < text.len() {
        let end = from + bytes::run(text, from, usize::MAX, |byte| byte != b'\n');
        if from > start && !belongs(text, from, indent) {
            break;
        }
        let depth = bytes::run(text, from + indent, usize::MAX, |byte| byte == b' ');
        if depth == 0 {
            let name = bytes::slice(text, from + indent, end).trim_ascii_end();
            let name = name.strip_suffix(b":").unwrap_or_default();
            of_values = FIELDS.contains(&name).then_some(0);
        } else if let Some(known) = &mut of_values {
            // What is indented further belongs to a value of several lines.
            if *known == 0 {
                *known = depth;
            }
            if *known == depth
                && let Some(value) = behind_colon(text, &(from..end))
            {
                report(scanner, &value);
            }
        }
        from = end + 1;
    }
    from
}

/// Whether a line belongs to an object whose fields have this indentation.
fn belongs(text: &[u8], line: usize, indent: usize) -> bool {
    let spaces = bytes::run(text, line, indent + 1, |byte| byte == b' ');
    spaces >= indent && !bytes::begins(text, line, b"---") || at(text, line + spaces) == b'\n'
}

/// Whether the object begins at a line, after a list's dash.
fn is_item(text: &[u8], line: usize, indent: usize) -> bool {
    indent > 1 && bytes::slice(text, line + indent - 2, line + indent) == b"- "
}

/// The value of a field, without its quotes; `None` if it is on the next lines.
fn behind_colon(text: &[u8], line: &Range<usize>) -> Option<Range<usize>> {
    let own = bytes::slice(text, line.start, line.end);
    let value = line.start + bytes::run(own, 0, own.len(), |byte| byte != b':') + 1;
    let value = value + bytes::run(text, value, 8, |byte| byte == b' ');
    let own = bytes::slice(text, value, line.end).trim_ascii_end();
    match own {
        [] | [b'|' | b'>' | b'#' | b'*' | b'&', ..] => None,
        [quote @ (b'"' | b'\''), .., last] if quote == last => {
            Some(value + 1..value + own.len() - 1)
        }
        _ => Some(value..value + own.len()),
    }
}

/// The fields of the objects `data` and `stringData` next to the kind at `start`.
fn in_object(scanner: &mut Scanner<'_, '_>, start: usize, end: usize) {
    let text = scanner.text;
    // Tools write fields in the order of their names: `data` ends right before `kind`.
    let closed = start
        - bytes::run_back(text, start, 64, |byte| {
            byte.is_ascii_whitespace() || byte == b','
        });
    let inside = bytes::run_back(text, closed.saturating_sub(1), usize::MAX, |byte| {
        !matches!(byte, b'{' | b'}')
    });
    let object = closed.saturating_sub(inside + 2);
    if before(text, closed) == b'}' && at(text, object) == b'{' && is_field(text, object) {
        each_field(scanner, object..closed);
    }
    // What follows was read with the surrounding manifest.
    if start < scanner.marks.manifests.in_object {
        return;
    }
    // Up to the brace that closes the manifest: another one may follow.
    let mut depth = 0_usize;
    let mut from = end;
    while let Some(brace) = memchr::memchr2(b'{', b'}', bytes::slice(text, from, text.len())) {
        let brace = from + brace;
        from = brace + 1;
        if at(text, brace) == b'{' {
            depth += 1;
        } else if let Some(outer) = depth.checked_sub(1) {
            depth = outer;
        } else {
            scanner.marks.manifests.in_object = from;
            return;
        }
        if is_field(text, brace) {
            let inner = |byte| !matches!(byte, b'{' | b'}');
            let end = from + bytes::run(text, from, usize::MAX, inner);
            each_field(scanner, brace..end);
        }
    }
    scanner.marks.manifests.in_object = text.len();
}

/// Whether `"data":` or `"stringData":` comes before a brace.
fn is_field(text: &[u8], brace: usize) -> bool {
    let lead = bytes::slice(text, brace.saturating_sub(24), brace).trim_ascii_end();
    let name = lead
        .strip_suffix(b":")
        .map(<[u8]>::trim_ascii_end)
        .unwrap_or_default();
    FIELDS.iter().any(|field| {
        let quoted = name
            .strip_suffix(b"\"")
            .and_then(|name| name.strip_suffix(*field));
        quoted.is_some_and(|rest| rest.ends_with(b"\""))
    })
}

/// Examines every second quoted text, which follow the names.
fn each_field(scanner: &mut Scanner<'_, '_>, object: Range<usize>) {
    let text = scanner.text;
    let quotes: Vec<_> = memchr::memchr_iter(b'"', bytes::slice(text, object.start, object.end))
        .map(|quote| object.start + quote)
        .filter(|&quote| before(text, quote) != b'\\')
        .collect();
    let (fields, _) = quotes.as_chunks();
    for &[_, _, opening, closing] in fields {
        report(scanner, &(opening + 1..closing));
    }
}

fn report(scanner: &mut Scanner<'_, '_>, value: &Range<usize>) {
    let class = Value::of(scanner.str(value.start, value.end));
    if class.length >= SHORTEST && !class.is_placeholder() {
        scanner.push(Detection {
            start: value.start,
            end: value.end,
            entity: EntityType::SECRET,
            score: Score::percent(75),
            rule: "kubernetes-secret",
        });
    }
}
