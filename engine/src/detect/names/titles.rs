//! How people are addressed: words before a name that are no part of it.

use super::lists::Lists;
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
    "signorina", "sir", "sister", "sr", "sra", "srta",
]);

pub(super) fn is_title(word: &str) -> bool {
    TITLES.hold(word.as_bytes())
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
