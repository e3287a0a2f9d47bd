//! Secrets in the columns of tables.

use crate::detect::bytes;
use crate::detect::judge::Form;
use crate::detect::lexicon::name::Name;
use crate::detect::syntax::table;
use crate::detect::text::marks::Kind;
use crate::detect::text::scanner::Scanner;
use std::ops::Range;

/// Whether a name is in the header of a table, whose cells are then examined.
pub(super) fn scan(scanner: &mut Scanner<'_, '_>, name: &Range<usize>) -> bool {
    table::each_below(
        scanner,
        Kind::Secrets,
        name,
        heading,
        |scanner, name, cell| {
            let value = super::head(scanner.str(cell.start, cell.end));
            if is_documented(name, value.as_bytes()) {
                return;
            }
            let span = super::Span {
                start: cell.start,
                end: cell.end,
                quoted: true,
                is_template: false,
            };
            let candidate = super::candidate(scanner.text, name, Form::Cell, &span, value);
            if let Some(score) = super::judged_alone(&mut scanner.judged, &candidate) {
                super::push(scanner, &cell, score, "column");
            }
        },
    )
}

/// The name of a column of secrets: the last of its words.
fn heading(text: &[u8], label: Range<usize>) -> Option<Name> {
    if is_member(text, label.end) {
        return None;
    }
    let word = bytes::run_back(text, label.end, label.len(), |byte| byte != b' ');
    Name::of(text, label.end - word..label.end)
}

/// Whether a line is the first one in braces, which code opens on the line above: a member of a type, and no header.
fn is_member(text: &[u8], at: usize) -> bool {
    const LONGEST: usize = 64;
    let length = bytes::line_back(text, at, LONGEST);
    length < LONGEST && bytes::slice(text, 0, at - length).ends_with(b"{\n")
}

/// Whether a cell is about secrets, or about passing tests, but contains none.
fn is_documented(name: &Name, cell: &[u8]) -> bool {
    let several = cell.contains(&b' ') && cell.split(|&byte| byte == b' ').all(is_constant);
    name.is_verb && is_figure(cell)
        || is_expression(cell)
        || is_end_of_code(cell)
        || several
        || is_constant(cell)
        || TYPES.hold(cell)
}

/// Types of columns, as databases and data frames print them below the names.
#[rustfmt::skip]
static TYPES: bytes::Words = bytes::Words::of(&[
    "bpchar", "bytea", "char", "clob", "nvarchar", "object", "str", "string", "text", "utf8", "varbinary", "varchar", "varchar2",
]);

/// `98.5%`, `12/14`, `0.5s`.
fn is_figure(cell: &[u8]) -> bool {
    let figures = |byte: u8| byte.is_ascii_digit() || b".,/%+- ".contains(&byte);
    let number = bytes::run(cell, 0, cell.len(), figures);
    number > 0 && number + 2 >= cell.len()
}

/// `[A-Z]+`, `\d{4}`, and what precedes a code comment.
fn is_expression(cell: &[u8]) -> bool {
    #[rustfmt::skip]
    const PARTS: &[&[u8]] = &[b"[A-Z", b"[a-z", b"[0-9", b"[^", b"\\d", b"\\w", b"\\s", b"\\h", b" /*"];
    memchr::memchr3(b'[', b'\\', b'/', cell).is_some()
        && PARTS.iter().any(|part| bytes::holds(cell, part))
}

/// `"--recursive"]`, `"x64")`: a string, and the bracket that closes what was opened before it.
fn is_end_of_code(cell: &[u8]) -> bool {
    matches!(
        cell,
        [b'"', .., b'"', b')' | b']' | b'}'] | [b'\'', .., b'\'', b')' | b']' | b'}']
    )
}

/// `STRIPE_KEY_V2`: the name that a secret is kept under.
fn is_constant(cell: &[u8]) -> bool {
    let written = |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_';
    let words = || cell.split(|&byte| byte == b'_');
    let is_word = |word: &[u8]| {
        let letters = bytes::run(word, 0, word.len(), |byte| byte.is_ascii_uppercase());
        letters > 0 && word.len() - letters <= 3 && word.len() <= 16
    };
    cell.iter().all(written) && words().count() > 1 && words().all(is_word)
}
