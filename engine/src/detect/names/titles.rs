//! How people are addressed: words before a name that are no part of it.

use crate::detect::bytes;

#[rustfmt::skip]
static TITLES: bytes::Words = bytes::Words::of(&[
    "capt", "captain", "dipl", "doamna", "doctor", "doktor", "dom", "domnul", "don", "dona", "dott", "dott.ssa", "dottor",
    "dottoressa", "doña", "dr", "dra", "father", "fr", "frau", "fru", "fräulein", "herr", "herren", "herrn", "hr", "ing", "ingeniero",
    "kommissar", "lady", "lord", "madame", "mademoiselle", "mag", "maître", "me", "meneer", "mevrouw", "mgr", "miss", "mister", "mlle",
    "mme", "monsieur", "mr", "mrs", "ms", "mx", "pan", "pana", "pani", "panie", "panią", "panu", "prof", "profesor", "profesora",
    "professeur", "professor", "père", "rev", "seigneur", "senhor", "senhora", "señor", "señora", "señorita", "sig", "sig.ra",
    "signor", "signora", "signore", "signorina", "sir", "sister", "sr", "sra", "srta",
]);

pub(super) fn is_title(word: &str) -> bool {
    TITLES.hold(word.as_bytes())
}
