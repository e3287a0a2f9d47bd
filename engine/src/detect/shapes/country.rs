//! National phone number formats, and the words that identify a language. The records are in
//! `rules/countries`.

use crate::detect::bytes;
use std::ops::Range;

/// A country: its telephone numbers without key words, and the words of its language.
struct Country {
    id: &'static str,
    forms: &'static [Form],
    words: bytes::Words,
}

/// How telephone numbers are grouped.
pub(in crate::detect) struct Form {
    /// The digits of each group.
    pub(in crate::detect) groups: &'static [u8],
    /// The separators between two groups.
    pub(in crate::detect) gaps: &'static [u8],
    /// What such a number begins with, one of these.
    prefixes: &'static [&'static str],
    /// How many different words have to show the country.
    least: u8,
}

include!(concat!(env!("OUT_DIR"), "/countries.rs"));

/// How far before and after a number to search for words, in bytes.
const BEFORE: usize = 160;
const BEHIND: usize = 96;

/// Whether the words around `span` are of the language of a country, by two different ones.
pub(in crate::detect) fn is_shown(text: &[u8], span: &Range<usize>, id: &str) -> bool {
    const LEAST: u8 = 2;
    let mut countries = COUNTRIES.iter();
    countries.any(|country| country.id == id && shown(text, span, &country.words, LEAST) >= LEAST)
}

/// Whether a number with such groups can be a phone number, in any context.
pub(in crate::detect) fn may_be_telephone(groups: impl Fn(&Form) -> bool) -> bool {
    forms().any(|(_, form)| groups(form))
}

/// Whether the number at `span` is a telephone's by its groups, what it begins with, and the words around it.
pub(in crate::detect) fn is_telephone(
    text: &[u8],
    span: &Range<usize>,
    groups: impl Fn(&Form) -> bool,
) -> bool {
    let number = bytes::slice(text, span.start, span.end);
    let digits = || number.iter().copied().filter(u8::is_ascii_digit);
    let begins = |prefix: &str| digits().take(prefix.len()).eq(prefix.bytes());
    forms().any(|(country, form)| {
        groups(form)
            && form.prefixes.iter().any(|prefix| begins(prefix))
            && shown(text, span, &country.words, form.least) >= form.least
    })
}

fn forms() -> impl Iterator<Item = (&'static Country, &'static Form)> {
    let forms = |country: &'static Country| country.forms.iter().map(move |form| (country, form));
    COUNTRIES.iter().flat_map(forms)
}

/// How many different words are around a span, counting up to `most`, which is at most three.
fn shown(text: &[u8], span: &Range<usize>, words: &bytes::Words, most: u8) -> u8 {
    let lead = bytes::slice(text, span.start.saturating_sub(BEFORE), span.start);
    let rest = bytes::slice(text, span.end, text.len().min(span.end + BEHIND));
    let is_letter = |byte: &u8| byte.is_ascii_alphabetic() || *byte >= 0x80;
    let around = lead
        .split(|byte| !is_letter(byte))
        .chain(rest.split(|byte| !is_letter(byte)));
    let mut found: [&[u8]; 3] = [&[]; 3];
    let mut count = 0;
    for word in around.filter(|word| words.hold(word)) {
        let is_new = found.iter().all(|known| !known.eq_ignore_ascii_case(word));
        let Some(free) = found.get_mut(usize::from(count)) else {
            break;
        };
        if is_new {
            *free = word;
            count += 1;
        }
        if count >= most {
            break;
        }
    }
    count
}
