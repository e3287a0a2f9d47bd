//! Values on the line after their name.

use super::assignment::{self, Assignment};
use super::value_span::{self, Span};
use crate::detect::bytes::{self, at, before};
use crate::detect::judge::Form;
use crate::detect::text::{Text, scanner};
use std::ops::Range;

/// How far the lines of a block are indented at most, in bytes.
const LONGEST_INDENT: usize = 160;

/// Whether the sign at `start` says that the lines below it are the value, as in YAML.
pub(super) fn is_block(text: &[u8], start: usize) -> bool {
    let sign = start + 1 + usize::from(matches!(at(text, start + 1), b'-' | b'+'));
    matches!(at(text, start), b'|' | b'>') && matches!(at(text, sign), b'\n' | b'\r')
}

/// The value on the line below a name that ends at `closed`: a block of YAML, a field of a form, or what was copied
/// from a page.
pub(super) fn below(text: &Text<'_>, name: &Range<usize>, closed: usize) -> Option<Assignment> {
    let from = assignment::spaces(text, closed);
    let colon = at(text, from) == b':';
    let mut end = assignment::spaces(text, from + usize::from(colon));
    let is_block = colon && is_block(text, end);
    if is_block {
        end += 1 + bytes::run(text, end + 1, 2, |byte| matches!(byte, b'-' | b'+'));
    }
    let line = end + usize::from(at(text, end) == b'\r');
    if at(text, line) != b'\n' {
        return None;
    }
    // The content of a form's field is set off by an empty line.
    let empty = bytes::run(text, line + 1, 2, |byte| matches!(byte, b'\r' | b'\n'));
    let start = assignment::spaces(text, line + 1 + empty);
    let start = item(text, name, start).unwrap_or_else(|| fenced(text, start));
    let mut span = value_span::value(text, start, false)?;
    if is_row(text, name, &span) || is_command(text, name) || is_listed(text, name, &span) {
        return None;
    }
    let closed = span.end + usize::from(span.quoted);
    let closed = closed + usize::from(span.quoted && at(text, closed) == b',');
    let ends_line = matches!(at(text, closed), b'\n' | b'\r' | 0);
    let form = if is_block || span.quoted {
        Form::Colon
    } else {
        Form::Apart
    };
    if is_block && !span.quoted {
        span.end = block_end(text, name, &span);
    }
    (ends_line && (colon || !span.quoted)).then_some(Assignment { form, span })
}

/// Where a block of YAML ends whose first line is a value: its lines are indented as far, and farther than its name.
fn block_end(text: &[u8], name: &Range<usize>, first: &Span) -> usize {
    let is_space = |byte: u8| byte == b' ';
    let indent = bytes::run_back(text, first.start, LONGEST_INDENT, is_space);
    let named = name.start - bytes::line_back(text, name.start, LONGEST_INDENT);
    if indent <= bytes::run(text, named, LONGEST_INDENT, is_space) {
        return first.end;
    }
    let rest = bytes::slice(text, first.end, text.len().min(first.end + scanner::LONG));
    let (mut end, mut start) = (first.end, first.end);
    for line in rest.split_inclusive(|&byte| byte == b'\n') {
        let content = line.trim_ascii_end();
        if start > first.end && !content.is_empty() {
            if bytes::run(line, 0, indent, is_space) < indent {
                break;
            }
            end = start + content.len();
        }
        start += line.len();
    }
    end
}

/// `- --password` before `- x`: the next item of a list of arguments.
fn item(text: &[u8], name: &Range<usize>, start: usize) -> Option<usize> {
    let is_option = before(text, name.start) == b'-';
    let is_item = is_option && bytes::slice(text, start, start + 2) == b"- ";
    is_item.then(|| assignment::spaces(text, start + 2))
}

/// Skips the line that opens a block of code.
fn fenced(text: &[u8], start: usize) -> usize {
    const LONGEST: usize = 16;
    if bytes::slice(text, start, start + 3) != b"```" {
        return start;
    }
    let end = start
        + 3
        + bytes::run(text, start + 3, LONGEST, |byte| {
            byte.is_ascii_alphanumeric()
        });
    if at(text, end) == b'\n' {
        end + 1
    } else {
        start
    }
}

/// `` directory=`pwd` ``
fn is_command(text: &[u8], name: &Range<usize>) -> bool {
    bytes::slice(text, name.start.saturating_sub(2), name.start) == b"=`"
}

/// Whether a name and a value are two lines of a sorted list of words, as of the files of a folder.
fn is_listed(text: &[u8], name: &Range<usize>, value: &Span) -> bool {
    /// The lines that are examined on either side.
    const LINES: usize = 3;
    const LONGEST: usize = 160;
    let start = name.start - bytes::line_back(text, name.start, LONGEST);
    let above = bytes::slice(text, start.saturating_sub(LONGEST), start);
    let above = above
        .strip_suffix(b"\n")
        .unwrap_or(above)
        .rsplit(|&byte| byte == b'\n');
    let below = bytes::slice(text, start, text.len().min(value.end + LONGEST));
    let below = below.split(|&byte| byte == b'\n');
    let above = above.take_while(|line| !line.is_empty());
    let mut lines: Vec<&[u8]> = above.take(LINES).collect();
    lines.reverse();
    lines.extend(below.take(2 + LINES));
    let indent = |line: &[u8]| bytes::run(line, 0, line.len(), |byte| byte == b' ');
    let indented = lines.first().map_or(0, |line| indent(line));
    let is_word = |line: &&[u8]| {
        let word = bytes::slice(line, indented, line.len());
        indent(line) == indented && !word.is_empty() && !word.contains(&b' ')
    };
    lines.len() > 2 + LINES && lines.iter().all(is_word) && lines.is_sorted()
}

/// Whether a value is the row of a table that a name ends the header of.
fn is_row(text: &[u8], name: &Range<usize>, span: &Span) -> bool {
    let space = bytes::run_back(text, name.start, 2, |byte| matches!(byte, b' ' | b'"'));
    let delimiter = before(text, name.start - space);
    matches!(delimiter, b',' | b';' | b'\t' | b'|')
        && bytes::slice(text, span.start, span.end).contains(&delimiter)
}
