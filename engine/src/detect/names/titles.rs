//! How people are addressed: words before a name that are no part of it.

use super::lists::Lists;
use super::particles::is_particle;
use super::token::{Kind, Token};
use crate::detect::bytes;
use std::ops::Range;

#[rustfmt::skip]
static TITLES: bytes::Words = bytes::Words::of(&[
    "capt", "captain", "dhr", "dipl", "doamna", "doctor", "doktor", "dom", "domnul", "don", "dona", "dott", "dott.ssa",
    "dottor", "dottoressa", "doña", "dr", "dra", "familie", "famille", "father", "fr", "frau", "fru", "fräulein", "herr",
    "herren", "herrn", "hr", "ing", "ingeniero", "kommissar", "lady", "lord", "m", "madame", "mademoiselle", "mag", "maître",
    "me", "meneer", "mevr", "mevrouw", "mgr", "miss", "mister", "mlle", "mme", "monsieur", "mr", "mrs", "ms", "mw", "mx", "pan",
    "pana", "pani", "panie", "panią", "panu", "prof", "profesor", "profesora", "professeur", "professor", "père", "rev",
    "seigneur", "senhor", "senhora", "señor", "señora", "señorita", "sig", "sig.ra", "signor", "signora", "signore",
    "signorina", "sir", "sister", "sr", "sra", "srta", "shri", "smt", "lek", "inż", "hab",
]);

pub(super) fn is_title(word: &str) -> bool {
    TITLES.hold(word.as_bytes())
}

/// Where the titles end that follow `at`, one after the other: `Frau Dr.`; `at` if none does.
pub(super) fn end(text: &str, at: usize) -> usize {
    const MOST: usize = 3;
    let mut end = at;
    for _ in 0..MOST {
        let word = Token::after(text, end);
        let is_next = word.start == end + 1 && text.as_bytes().get(end) == Some(&b' ');
        if !is_next || !text.get(word.start..word.end).is_some_and(is_title) {
            break;
        }
        end = word.end + usize::from(text.as_bytes().get(word.end) == Some(&b'.'));
    }
    end
}

/// Titles in small letters before a name in small letters, as the scan searches for them.
#[rustfmt::skip]
pub(in crate::detect) const SMALL: &[&str] = &[
    "mr ", "mrs ", "dr ", "prof ", "frau ", "herr ", "herrn ", "mme ", "madame ", "monsieur ", "mlle ", "señor ", "señora ",
    "sra ", "signor ", "signora ", "senhor ", "senhora ", "dhr ", "mevr ", "mevrouw ", "meneer ", "pani ", "panu ", "panią ",
];

/// The name in small letters behind the title that a text begins with: `mr patel`, `frau özdemir`, `mevr de wit`.
pub(in crate::detect) fn in_small_letters(text: &[u8], lists: Lists<'_>) -> Option<Range<usize>> {
    const LONGEST: usize = 96;
    const MOST: usize = 3;
    let near = bytes::slice(text, 0, text.len().min(LONGEST))
        .utf8_chunks()
        .next()?
        .valid();
    let title = Token::at(near, 0);
    let is_small =
        |token: &Token, after: usize| token.kind == Kind::Lower && token.start == after + 1;
    let written = |token: &Token| near.get(token.start..token.end).unwrap_or_default();
    let mut last = Token::after(near, title.end);
    let start = last.start;
    let mut before = title.end;
    for _ in 0..MOST {
        if !is_particle(written(&last)) {
            break;
        }
        before = last.end;
        last = Token::after(near, before);
    }
    let is_name =
        |token: &Token, after| is_small(token, after) && lists.marks(token.hash).is_only_name();
    if !is_name(&last, before) || last.end - last.start < MOST {
        return None;
    }
    for _ in 1..MOST {
        let next = Token::after(near, last.end);
        if !is_name(&next, last.end) {
            break;
        }
        last = next;
    }
    let closes = !b"_@/\\=(:<-".contains(&bytes::at(text, last.end));
    closes.then_some(start..last.end)
}

/// Short titles that a dot ends, before a name in small letters.
const SHORT: [&str; 11] = [
    "dr", "dra", "prof", "mr", "mrs", "ms", "mme", "sr", "sra", "sig", "hr",
];

/// The name in small letters behind the dot of a title: `dr. patel`.
#[inline]
pub(super) fn behind_dot(text: &str, dot: usize, lists: Lists<'_>) -> Option<Range<usize>> {
    const LONGEST: usize = 5;
    let bytes = text.as_bytes();
    if bytes::at(bytes, dot + 1) != b' ' || !bytes::at(bytes, dot + 2).is_ascii_lowercase() {
        return None;
    }
    let length = bytes::run_back(bytes, dot, LONGEST, |byte| byte.is_ascii_alphanumeric());
    let title = bytes::slice(bytes, dot - length, dot);
    let is_short = || {
        SHORT
            .iter()
            .any(|short| title.eq_ignore_ascii_case(short.as_bytes()))
    };
    if !is_short() {
        return None;
    }
    let name = Token::after(text, dot + 1);
    let is_name = lists.marks(name.hash).is_only_name();
    (is_name && name.kind == Kind::Lower).then_some(name.start..name.end)
}
