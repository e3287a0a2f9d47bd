//! Values that a command writes to a file named after them: `echo x > /run/secrets/db_password`.

use super::assignment::Assignment;
use super::value_span::Span;
use crate::detect::bytes::{self, at, before};
use crate::detect::judge::Form;
use crate::detect::syntax::arguments;
use std::ops::Range;

/// Longest path to a file, in bytes.
const LONGEST_PATH: usize = 128;
/// Longest kind of a file: `.txt`.
const LONGEST_KIND: usize = 5;

/// The value, and the name of its file without the kind.
pub(super) fn into_file(text: &[u8], name: &Range<usize>) -> Option<(Range<usize>, Assignment)> {
    let in_path = |byte: u8| bytes::is_word(byte) || b"-./~${}\"'".contains(&byte);
    let path = name.start - bytes::run_back(text, name.start, LONGEST_PATH, in_path);
    let end = path - bytes::run_back(text, path, 2, |byte| byte == b' ');
    let signs = bytes::run_back(text, end, 2, |byte| byte == b'>');
    // `->`, `=>`, and the end of a tag.
    let follows_space = before(text, end - signs) == b' ';
    if signs == 0 || end == path && signs == 1 || !follows_space {
        return None;
    }
    let value = arguments::written(text, end - signs)?;
    let own = bytes::slice(text, name.start, name.end);
    let dot = memchr::memrchr(b'.', own).filter(|dot| *dot > 0 && own.len() - dot <= LONGEST_KIND);
    let form = Form::Argument;
    let span = Span::quoted(value);
    let end = dot.map_or(name.end, |dot| name.start + dot);
    let ends = at(text, name.end) != b'/';
    ends.then_some((name.start..end, Assignment { form, span }))
}
