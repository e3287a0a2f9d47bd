//! Writes and recognizes tokens.
//!
//! A token is `<MASK_EMAIL_1>`. Its *core* is what is between the delimiters: `MASK_`, the entity
//! type, `_` and the id. Recognized forms (decisions, 3.2 and 7.7): with delimiters; the core alone
//! if no word character touches it, also in emphasis; the id alone if it has [`LONG_ID`] characters
//! or more. Any of them may be escaped, which a [`View`] undoes.

mod mapping;
mod spellings;
mod view;

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem::Finder;

pub use mapping::Mapping;
pub(crate) use spellings::{Spelled, Spellings};
pub(crate) use view::{Spelling, View};

use crate::EntityType;

/// What every core begins with.
pub(crate) const PREFIX: &str = "MASK_";

/// Finds [`PREFIX`]: built once, because that takes longer than most searches.
static PREFIXES: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(PREFIX));

/// Finds the part of every core in which no letter is escaped.
static UNESCAPED: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("MASK"));

/// Finds what precedes an escaped letter.
static ESCAPED: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("u00"));

/// No core is longer: the prefix, a type of 64 characters, and a counter of 64 bits.
pub(crate) const LONGEST_CORE: usize = PREFIX.len() + 64 + 1 + 20;

/// No core is shorter: the prefix, a type of one letter, and a digit.
const SHORTEST_CORE: usize = PREFIX.len() + "A_1".len();

/// Ids of this many characters are recognised alone.
pub(crate) const LONG_ID: usize = 12;

/// The lowest number that is derived from a value: no session counts so far.
pub(crate) const FIRST_DERIVED: u64 = 1_000_000;

/// Ids that are derived from values have this many upper-case hex digits.
pub(crate) const DERIVED_ID: usize = 16;

/// Up to this many underscores on either side are emphasis: `__MASK_EMAIL_1__`.
pub(crate) const MOST_EMPHASIS: usize = 3;

/// This many bytes of its end are enough to know a text, for tokens that follow it: the longest
/// escape, which is a pair of two, and emphasis.
pub(crate) const CONTEXT: usize = 36;

/// The beginning of an id that is a surrogate, which is then its own core.
pub(crate) const SURROGATE: char = '=';

/// The core of a token.
pub(crate) fn core(entity: &EntityType, id: &str) -> String {
    if id.starts_with(SURROGATE) {
        return id.to_owned();
    }
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

/// The same as `concat`, in a third of the time: every masked value needs two.
fn joined<const N: usize>(parts: [&str; N]) -> String {
    let mut text = String::with_capacity(parts.iter().map(|part| part.len()).sum());
    for part in parts {
        text.push_str(part);
    }
    text
}

/// Whether a core or id next to this character is a part of something longer.
///
/// Letters that are not ASCII do not count, because some scripts put no space between words.
fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || (!c.is_ascii() && c.is_numeric())
}

/// The characters of cores and ids.
pub(crate) fn is_core_byte(byte: u8) -> bool {
    static CORE: [bool; 256] = {
        let mut core = [false; 256];
        let mut byte = 0u8;
        while byte < 128 {
            core[byte as usize] = byte.is_ascii_alphanumeric() || byte == b'_';
            byte += 1;
        }
        core
    };
    CORE[usize::from(byte)]
}

/// The end of the run of core characters that begins at `from`.
pub(crate) fn run_end(text: &str, from: usize) -> usize {
    let rest = text.as_bytes().get(from..).unwrap_or_default();
    from + rest
        .iter()
        .position(|&b| !is_core_byte(b))
        .unwrap_or(rest.len())
}

/// Where the last run of core characters begins; the text's length if it ends with none.
pub(crate) fn last_run(text: &str) -> usize {
    let other = text.bytes().rposition(|b| !is_core_byte(b));
    other.map_or(0, |at| at + 1)
}

/// Whether a text may contain a core, in any spelling: a quick check.
pub(crate) fn may_hold_core(text: &[u8]) -> bool {
    /// In shorter texts, a search takes longer to begin.
    const SHORT: usize = 24;
    let may_begin = |letters: &[u8; 3]| matches!(letters, b"MAS" | b"u00");
    match text.len() {
        ..SHORTEST_CORE => false,
        SHORTEST_CORE..SHORT => text.array_windows().any(may_begin),
        _ => UNESCAPED.find(text).is_some() || ESCAPED.find(text).is_some(),
    }
}

/// Where letters stand of which every core has some, in any spelling.
pub(crate) fn places_of_letters(text: &str) -> impl Iterator<Item = usize> {
    let escaped = ESCAPED.find_iter(text.as_bytes());
    UNESCAPED.find_iter(text.as_bytes()).chain(escaped)
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
            (end - start <= LONGEST_CORE + MOST_EMPHASIS).then_some(start..end)
        })
}

/// Where the beginning of a core that reaches the text's end starts; the text's length if there is
/// none.
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

/// A token in a text.
#[derive(Debug)]
pub(crate) struct Sighting {
    /// Its core, or its id if that is alone, in the view.
    pub(crate) name: Range<usize>,
    /// All of it in the source, with delimiters.
    pub(crate) range: Range<usize>,
    /// It is written as in a URL.
    pub(crate) is_percent_encoded: bool,
}

/// Every place with a separate core: with both delimiters, or alone.
///
/// A core after an opening delimiter that is not closed was cut or altered, and does not count.
fn sightings<'v>(view: &'v View<'_>) -> impl Iterator<Item = Sighting> + 'v {
    cores(view.text()).filter_map(|run| sighting(view, run))
}

/// The separate core of a run of core characters, if it is one.
pub(crate) fn sighting(view: &View<'_>, run: Range<usize>) -> Option<Sighting> {
    let text = view.text();
    if text.get(..run.start)?.ends_with('<') {
        return text
            .get(run.end..)?
            .starts_with('>')
            .then(|| delimited(view, run));
    }
    let name = unemphasised(text, run.start, run.end)?;
    (name.start == run.start).then(|| alone(view, name))
}

fn delimited(view: &View<'_>, name: Range<usize>) -> Sighting {
    let (opener, end) = (name.start - 1, name.end + 1);
    let spelling = view.spelling_of(opener);
    let (mut start, core) = (view.source_of(opener), view.source_of(name.start));
    // A backslash before `<` may be the end of a path. As an escape it is not the only one.
    if spelling == Some(Spelling::Markdown)
        && !view.is_spelled(&(name.start..end), Spelling::Markdown)
    {
        start = core - 1;
    }
    Sighting {
        range: start..view.source_of(end),
        name,
        is_percent_encoded: spelling == Some(Spelling::Percent),
    }
}

fn alone(view: &View<'_>, name: Range<usize>) -> Sighting {
    let before = name
        .start
        .checked_sub(1)
        .and_then(|at| view.spelling_of(at));
    Sighting {
        range: view.source_of(name.start)..view.source_of(name.end),
        name,
        is_percent_encoded: before == Some(Spelling::Percent),
    }
}

/// The part of a run of core characters that is not emphasis, if no word touches it.
///
/// `start` may be after the beginning of the run, and `end` is its end. Emphasis has the same
/// number of underscores on both sides.
fn unemphasised(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    let (before, run) = (text.get(..start)?, text.get(start..end)?);
    let behind = run.len() - run.trim_start_matches('_').len();
    let lead = emphasis_before(before, MOST_EMPHASIS.checked_sub(behind)?)? + behind;
    let trail = run.len() - run.trim_end_matches('_').len();
    let next = text.get(end..)?.chars().next();
    let name = start + behind..end.checked_sub(trail)?;
    (lead == trail && name.start < name.end && !next.is_some_and(is_word)).then_some(name)
}

/// How many underscores of emphasis end a text, `most` at most; none if a word touches what follows.
pub(crate) fn emphasis_before(before: &str, most: usize) -> Option<usize> {
    let outside = before.trim_end_matches('_');
    let lead = before.len() - outside.len();
    let touches = outside.chars().next_back().is_some_and(is_word);
    (lead <= most && !touches).then_some(lead)
}

/// Every place where a text looks like a token of any session.
pub(crate) fn look_alikes<'v>(view: &'v View<'_>) -> impl Iterator<Item = Range<usize>> + 'v {
    let is_whole = |found: &Sighting| view.text().get(found.name.clone()).is_some_and(is_core);
    sightings(view).filter(is_whole).map(|found| found.range)
}

/// Whether a run of core characters is a core.
pub(crate) fn is_core(run: &str) -> bool {
    parts_of_core(run).is_some()
}

/// The type and the id of a core.
pub(crate) fn parts_of_core(run: &str) -> Option<(&str, &str)> {
    let (entity, id) = run.strip_prefix(PREFIX)?.rsplit_once('_')?;
    let is_core = entity.starts_with(|c: char| c.is_ascii_alphabetic()) && is_id(id);
    is_core.then_some((entity, id))
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
    // A run covers a multiple of its length, so the bytes between need not be checked.
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

/// Every place with a separate possible long id.
pub(crate) fn lone_names<'v>(view: &'v View<'_>) -> impl Iterator<Item = Sighting> + 'v {
    long_runs(view.text(), LONG_ID)
        .filter_map(|run| unemphasised(view.text(), run.start, run.end))
        .map(|name| alone(view, name))
}

/// Every place where a text looks like a separate id that was derived from a value.
pub(crate) fn lone_ids<'v>(view: &'v View<'_>) -> impl Iterator<Item = Range<usize>> + 'v {
    let is_id = |found: &Sighting| {
        let id = view.text().get(found.name.clone()).unwrap_or_default();
        id.len() == DERIVED_ID && id.bytes().all(is_id_digit)
    };
    lone_names(view).filter(is_id).map(|found| found.range)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        look_alikes(&View::of(text, true))
            .map(|range| &text[range])
            .collect()
    }

    #[test]
    fn token_lookalikes_are_found_in_every_form() {
        assert_eq!(found("a <MASK_EMAIL_1> b"), ["<MASK_EMAIL_1>"]);
        assert_eq!(found("xMASK_EMAIL_1 x<MASK_EMAIL_1>y"), ["<MASK_EMAIL_1>"]);
        assert_eq!(found("\\u003cMASK_MY_TYPE_0A1B2C3D4E5F6071&gt;").len(), 1);
        assert_eq!(
            found("(MASK_A_12), MASK_A_1é <MASK_B_3 MASK_C_4>"),
            ["MASK_A_12", "MASK_A_1", "MASK_C_4"]
        );
        assert!(
            found("MASK_1 MASK__1 MASK_EMAIL_ MASK_EMAIL_x <MASK_EMAIL> mask_email_1").is_empty()
        );
    }

    #[test]
    fn token_lookalikes_are_found_in_every_spelling() {
        for text in [
            r"\<MASK\_EMAIL\_1\>",
            r"MASK\_EMAIL\_1",
            "%3CMASK_EMAIL_1%3E",
            r"\u004dASK\u005FEMAIL_1",
            r"\\u003cMASK_EMAIL_1\\u003e",
        ] {
            assert_eq!(found(&format!("a {text}.")), [text]);
        }
        assert_eq!(found("_MASK_A_1_ **MASK_A_2** `MASK_A_3`").len(), 3);
        assert_eq!(found("宛先MASK_A_1です %20MASK_A_2 \\nMASK_A_3").len(), 3);
        assert!(found("_MASK_A_1 x_MASK_A_1_ MASK_A_1_ MASK_A_1２ _MASK_A_1__").is_empty());
    }

    #[test]
    fn a_backslash_in_a_path_is_not_an_escape() {
        assert_eq!(
            found(r"C:\<MASK_A_1>\<MASK_A_2>\x"),
            ["<MASK_A_1>", "<MASK_A_2>"]
        );
    }

    #[test]
    fn bare_ids_match_only_between_word_boundaries() {
        let text = "0A1B2C3D4E5F6071 x0A1B2C3D4E5F6071 (_0A1B2C3D4E5F6072_), 0A1B2C3D4E5F60711, 値0A1B2C3D4E5F6073";
        let view = View::of(text, true);
        let ids: Vec<_> = lone_ids(&view).map(|range| &text[range]).collect();
        assert_eq!(
            ids,
            ["0A1B2C3D4E5F6071", "0A1B2C3D4E5F6072", "0A1B2C3D4E5F6073"]
        );
    }
}
