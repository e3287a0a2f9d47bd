//! Firms that are named after persons: `Arthur Price Ltd`, `William Grant & Sons`.

use std::ops::Range;

/// How firms say what they are, behind their name.
#[rustfmt::skip]
const FORMS: &[&str] = &[
    "& co", "& cie", "& fils", "& figli", "& hijos", "& partners", "& sons", "& söhne", "ag", "b.v.", "bv", "corp", "corporation",
    "gmbh", "inc", "incorporated", "kg", "limited", "llc", "llp", "ltd", "ltda", "n.v.", "ohg", "plc", "pty", "s.a.", "s.a.s.", "s.l.", "s.p.a.",
    "s.r.l.", "s.r.o.", "sarl", "sp. z o.o.", "spa", "srl", "ug",
];
/// Words before the name of a firm.
const LEADS: &[&str] = &["fa.", "autohaus", "kanzlei", "sarl", "sas", "eurl", "sasu"];

/// Longest word before a name that is looked at, in bytes.
const LONGEST_LEAD: usize = 16;

/// Whether a name is that of a firm, by what it ends with, or what stands beside it.
pub(super) fn is_one(text: &str, name: Range<usize>) -> bool {
    let own = text.get(name.clone()).unwrap_or_default();
    let behind = text.get(name.end..).unwrap_or_default();
    let behind = behind.strip_prefix(',').unwrap_or(behind);
    // `Drukarnia Nowak Sp. z o.o.`: the form may go on behind the name.
    let last = own
        .rfind(' ')
        .and_then(|space| text.get(name.start + space + 1..));
    last.is_some_and(begins_with_form)
        || behind.strip_prefix(' ').is_some_and(begins_with_form)
        || follows_lead(text, name.start)
}

fn begins_with_form(text: &str) -> bool {
    FORMS.iter().any(|form| {
        let own = text.get(..form.len());
        let next = text.get(form.len()..).and_then(|rest| rest.chars().next());
        own.is_some_and(|own| own.eq_ignore_ascii_case(form))
            && !next.is_some_and(char::is_alphanumeric)
    })
}

fn follows_lead(text: &str, start: usize) -> bool {
    let near = text.floor_char_boundary(start.saturating_sub(LONGEST_LEAD));
    let lead = text.get(near..start).unwrap_or_default();
    let word = lead
        .trim_end_matches(' ')
        .rsplit([' ', '\n', '"', '('])
        .next();
    LEADS
        .iter()
        .any(|known| word.is_some_and(|word| word.eq_ignore_ascii_case(known)))
}
