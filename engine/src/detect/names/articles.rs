//! Words behind an article, which name what someone does: `beim Schneider`.

use super::lists::{Lists, Marks};
use super::token::hash_of;
use crate::detect::bytes;
use std::ops::Range;

/// Articles that people's names hardly follow, and prepositions that contain one.
#[rustfmt::skip]
static ARTICLES: bytes::Words = bytes::Words::of(&[
    "der", "die", "das", "dem", "den", "des", "ein", "eine", "einen", "einem", "einer", "eines", "kein", "keine", "keinen", "beim", "zum", "zur", "vom", "im",
    "the", "an", "le", "du", "au", "un", "une", "des", "les", "aux",
]);
/// Words before an article that is a part of a name: `von der Heide`.
const PARTICLES: [&str; 4] = ["von", "van", "auf", "de"];

/// Whether a name is a word of a language, no first name, and behind an article.
pub(super) fn is_behind_one(text: &str, name: Range<usize>, lists: Lists<'_>) -> bool {
    let own = text.get(name.clone()).unwrap_or_default();
    let Some(lead) = text
        .get(..name.start)
        .and_then(|lead| lead.strip_suffix(' '))
    else {
        return false;
    };
    let mut words = lead.rsplit([' ', '\n', '\t', '"', '(']);
    let article = words.next().unwrap_or_default();
    if own.contains(' ') || !ARTICLES.hold(article.as_bytes()) {
        return false;
    }
    let marks = lists.marks(hash_of(own));
    let is_particle = words.next().is_some_and(|word| PARTICLES.contains(&word));
    marks.has(Marks::COMMON) && !marks.has(Marks::FIRST) && !is_particle
}
