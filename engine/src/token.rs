//! How a token is written and recognised.
//!
//! A token is `<MASK_EMAIL_1>`. Its *core* is what stands between the delimiters: `MASK_`, the
//! entity type, `_` and the id. Recognised forms (decisions, 3.2): full, with the delimiters also
//! written as JSON or HTML escapes; the core alone where no word character touches it; the id alone
//! when it has [`LONG_ID`] characters or more.

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::EntityType;

/// What every core begins with.
pub(crate) const PREFIX: &str = "MASK_";

/// Finds [`PREFIX`]: made once, because that takes longer than most searches.
static PREFIXES: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(PREFIX));

/// No core is longer: the prefix, a type of 64 characters, and a counter of 64 bits.
pub(crate) const LONGEST_CORE: usize = PREFIX.len() + 64 + 1 + 20;

/// Ids of this many characters are recognised alone.
pub(crate) const LONG_ID: usize = 12;

/// Ids that are derived from values have this many upper-case hex digits.
pub(crate) const DERIVED_ID: usize = 16;

/// The ways in which models and servers write `<`.
pub(crate) const OPENERS: [&str; 7] = [
    "<", "\\u003c", "\\u003C", "&lt;", "&#60;", "&#x3c;", "&#x3C;",
];

/// The ways in which models and servers write `>`.
pub(crate) const CLOSERS: [&str; 7] = [
    ">", "\\u003e", "\\u003E", "&gt;", "&#62;", "&#x3e;", "&#x3E;",
];

/// The longest of them.
pub(crate) const LONGEST_DELIMITER: usize = 6;

/// The core of a token.
pub(crate) fn core(entity: &EntityType, id: &str) -> String {
    joined([PREFIX, entity.as_str(), "_", id])
}

/// The token as it is sent.
pub(crate) fn full(core: &str) -> String {
    joined(["<", core, ">"])
}

/// What `redact` writes.
pub(crate) fn redacted(entity: &EntityType) -> String {
    joined(["[REDACTED_", entity.as_str(), "]"])
}

/// What `concat` gives, in a third of its time: every masked value takes two.
fn joined<const N: usize>(parts: [&str; N]) -> String {
    let mut text = String::with_capacity(parts.iter().map(|part| part.len()).sum());
    for part in parts {
        text.push_str(part);
    }
    text
}

/// Whether a character belongs to a word, so that a core or id which it touches is no token.
pub(crate) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The characters of cores and ids.
pub(crate) fn is_core_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The end of the run of core characters that begins at `from`.
pub(crate) fn run_end(text: &str, from: usize) -> usize {
    let rest = text.as_bytes().get(from..).unwrap_or_default();
    from + rest
        .iter()
        .position(|&b| !is_core_byte(b))
        .unwrap_or(rest.len())
}

/// The start of the opener that ends at `at`, if one does.
pub(crate) fn opener_before(text: &str, at: usize) -> Option<usize> {
    let before = text.get(..at)?;
    OPENERS
        .iter()
        .find(|opener| before.ends_with(**opener))
        .map(|opener| at - opener.len())
}

/// The end of the closer that begins at `at`, if one does.
pub(crate) fn closer_after(text: &str, at: usize) -> Option<usize> {
    let after = text.get(at..)?;
    CLOSERS
        .iter()
        .find(|closer| after.starts_with(**closer))
        .map(|closer| at + closer.len())
}

/// Whether word characters touch neither end of a range. `before` stands before the text.
pub(crate) fn stands_alone(text: &str, range: &Range<usize>, before: Option<char>) -> bool {
    let left = text
        .get(..range.start)
        .and_then(|t| t.chars().next_back())
        .or(before);
    let right = text.get(range.end..).and_then(|t| t.chars().next());
    !left.is_some_and(is_word) && !right.is_some_and(is_word)
}

/// Whether a text may hold a core: a quick look.
pub(crate) fn may_hold_core(text: &[u8]) -> bool {
    PREFIXES.find(text).is_some()
}

/// Every run of core characters that begins with [`PREFIX`] and may be a core.
pub(crate) fn cores(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut end = 0;
    PREFIXES
        .find_iter(text.as_bytes())
        .filter_map(move |start| {
            // Prefixes in one run end with it, wherever they begin.
            if start >= end {
                end = run_end(text, start);
            }
            (end - start <= LONGEST_CORE).then_some(start..end)
        })
}

/// Where the beginning of a core stands that reaches the text's end; the text's length if none does.
pub(crate) fn begun_core(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut from = bytes.len().saturating_sub(LONGEST_CORE);
    let near = bytes.get(from..).unwrap_or_default();
    from += near
        .iter()
        .rposition(|&b| !is_core_byte(b))
        .map_or(0, |at| at + 1);
    let run = bytes.get(from..).unwrap_or_default();
    let whole = PREFIXES.find(run);
    let begins = |at: &usize| {
        let tail = run.get(*at..).unwrap_or_default();
        PREFIX.as_bytes().starts_with(tail)
    };
    let partly = || (0..run.len()).find(begins);
    whole.or_else(partly).map_or(bytes.len(), |at| from + at)
}

/// Every place where a text looks like a token of some session, whichever.
pub(crate) fn look_alikes(text: &str) -> impl Iterator<Item = Range<usize>> {
    cores(text)
        .filter(|core| text.get(core.clone()).is_some_and(is_core))
        .filter_map(|core| whole(text, core, None))
}

/// The range of the token whose core stands here: with both delimiters, or alone.
///
/// A core behind an opener that nothing closes was cut or altered, and is none.
pub(crate) fn whole(text: &str, core: Range<usize>, before: Option<char>) -> Option<Range<usize>> {
    match (
        opener_before(text, core.start),
        closer_after(text, core.end),
    ) {
        (Some(start), Some(end)) => Some(start..end),
        (Some(_), None) => None,
        (None, _) => stands_alone(text, &core, before).then_some(core),
    }
}

/// Whether a run of core characters is a core: a type and an id.
pub(crate) fn is_core(run: &str) -> bool {
    let Some((entity, id)) = run
        .strip_prefix(PREFIX)
        .and_then(|rest| rest.rsplit_once('_'))
    else {
        return false;
    };
    entity.starts_with(|c: char| c.is_ascii_alphabetic()) && is_id(id)
}

fn is_id(id: &str) -> bool {
    let counted = !id.is_empty() && id.bytes().all(|b| b.is_ascii_digit());
    counted || (id.len() == DERIVED_ID && id.bytes().all(is_id_digit))
}

pub(crate) fn is_id_digit(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'A'..=b'F')
}

/// Every maximal run of core characters of at least this length (1 or more).
pub(crate) fn long_runs(text: &str, length: usize) -> impl Iterator<Item = Range<usize>> {
    let bytes = text.as_bytes();
    // A run covers a multiple of its length: the bytes between need not be looked at.
    let mut probe = length - 1;
    std::iter::from_fn(move || {
        while let Some(&byte) = bytes.get(probe) {
            if !is_core_byte(byte) {
                probe += length;
                continue;
            }
            let left = bytes.get(..probe)?;
            let start = left
                .iter()
                .rposition(|&b| !is_core_byte(b))
                .map_or(0, |at| at + 1);
            let end = run_end(text, probe);
            probe = end + length;
            if end - start >= length {
                return Some(start..end);
            }
        }
        None
    })
}

/// Every place where a text looks like an id that was derived from a value and stands alone.
pub(crate) fn lone_ids(text: &str) -> impl Iterator<Item = Range<usize>> {
    long_runs(text, DERIVED_ID).filter(|run| {
        run.len() == DERIVED_ID
            && text
                .get(run.clone())
                .is_some_and(|id| id.bytes().all(is_id_digit))
            && stands_alone(text, run, None)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        look_alikes(text).map(|range| &text[range]).collect()
    }

    #[test]
    fn text_that_looks_like_a_token_is_found_in_every_form() {
        assert_eq!(found("a <MASK_EMAIL_1> b"), ["<MASK_EMAIL_1>"]);
        assert_eq!(found("xMASK_EMAIL_1 x<MASK_EMAIL_1>y"), ["<MASK_EMAIL_1>"]);
        assert_eq!(found("\\u003cMASK_MY_TYPE_0A1B2C3D4E5F6071&gt;").len(), 1);
        assert_eq!(
            found("(MASK_A_12), MASK_A_1é <MASK_B_3 MASK_C_4>"),
            ["MASK_A_12", "MASK_C_4"]
        );
        assert!(
            found("MASK_1 MASK__1 MASK_EMAIL_ MASK_EMAIL_x <MASK_EMAIL> mask_email_1").is_empty()
        );
    }

    #[test]
    fn ids_alone_are_found_only_where_no_word_touches_them() {
        let text = "0A1B2C3D4E5F6071 x0A1B2C3D4E5F6071 (0A1B2C3D4E5F6072), 0A1B2C3D4E5F60711";
        let ids: Vec<_> = lone_ids(text).map(|range| &text[range]).collect();
        assert_eq!(ids, ["0A1B2C3D4E5F6071", "0A1B2C3D4E5F6072"]);
    }
}
