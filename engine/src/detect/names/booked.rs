//! Names of bookings: `OKORO/BLESSING MRS`.

use super::lists::{Lists, Marks};
use super::token::hash_of;
use crate::detect::bytes;
use std::ops::Range;

const TITLES: [&str; 9] = [
    "MR", "MRS", "MS", "MISS", "MSTR", "DR", "CHD", "INF", "PROF",
];
const LONGEST: usize = 30;

/// The name behind a sign, with at most a space between.
#[inline]
pub(super) fn behind(text: &str, sign: usize, lists: Lists<'_>) -> Option<Range<usize>> {
    let space = usize::from(bytes::at(text.as_bytes(), sign + 1) == b' ');
    at(text, sign + 1 + space, lists)
}

/// The name that begins at `start`.
#[inline]
pub(super) fn at(text: &str, start: usize, lists: Lists<'_>) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let is_loud = [start, start + 1]
        .iter()
        .all(|at| bytes::at(bytes, *at).is_ascii_uppercase());
    let surname = || start + bytes::run(bytes, start, LONGEST, |byte| byte.is_ascii_uppercase());
    let booked = (is_loud && bytes::at(bytes, surname()) == b'/')
        .then(|| titled(bytes, start, surname() + 1))??;
    let is_unit = bytes::slice(bytes, booked.end, booked.end + 3) == b" MS";
    (!is_unit || names_person(text.get(booked.clone())?, lists)).then_some(booked)
}

/// Whether words may be a name, and are not what a unit measures: `READ/WRITE MS`, `TCP/IP MS`.
fn names_person(words: &str, lists: Lists<'_>) -> bool {
    const SHORTEST: usize = 4;
    words.split(['/', ' ']).all(|word| {
        let marks = lists.marks(hash_of(word));
        marks.is_only_name() || word.len() >= SHORTEST && !marks.has(Marks::COMMON)
    })
}

/// The name whose first names begin at `first`, if a title ends it.
fn titled(text: &[u8], start: usize, first: usize) -> Option<Range<usize>> {
    let length = bytes::run(text, first, LONGEST, |byte| {
        byte.is_ascii_uppercase() || byte == b' '
    });
    let mut end = first;
    for word in bytes::slice(text, first, first + length).split(|byte| *byte == b' ') {
        if TITLES.iter().any(|title| title.as_bytes() == word) {
            return (end > first).then_some(start..end - 1);
        }
        end += word.len() + 1;
    }
    None
}
