//! Finds the tokens of a session in a text, and the tail that may still become one.

use std::ops::Range;
use std::sync::Arc;

use memchr::{memchr, memchr_iter, memchr3};

use crate::Session;
use crate::session::Mapping;
use crate::token::{
    self, CLOSERS, LONG_ID, LONGEST_DELIMITER, OPENERS, PREFIX, may_hold_core, run_end,
    stands_alone,
};

/// The tokens that one exchange may restore.
#[derive(Debug, Clone)]
pub(crate) struct Tokens(Session);

/// What a scan finds.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Tokens, in order, apart from each other.
    pub(crate) tokens: Vec<(Range<usize>, Arc<Mapping>)>,
    /// Where the tail begins that may still become a token; the text's length if none does.
    pub(crate) hold_from: usize,
    /// Text that looks like a token, of another session or of none.
    pub(crate) unknown: u64,
}

impl Tokens {
    pub(crate) fn new(session: Session) -> Self {
        Self(session)
    }

    /// Whether a text may hold a token, of this session or not: a quick look.
    pub(crate) fn may_occur_in(&self, text: &[u8]) -> bool {
        self.0.has_long_ids() || may_hold_core(text)
    }

    /// The same for text as it is written in JSON, where any character may be escaped.
    pub(crate) fn may_occur_in_json(&self, written: &[u8]) -> bool {
        self.may_occur_in(written) || holds_escape(written)
    }

    /// Whether a piece of text, as it is written in JSON, can neither hold nor begin a token.
    pub(crate) fn is_plain(&self, written: &str) -> bool {
        let bytes = written.as_bytes();
        if memchr3(b'<', b'&', b'M', bytes).is_some() {
            return false;
        }
        let mut escapes = memchr_iter(b'\\', bytes);
        let simple = escapes.all(|at| !matches!(bytes.get(at + 1), Some(b'\\' | b'u')));
        simple && !(self.0.has_long_ids() && bytes.iter().any(|&byte| token::is_id_digit(byte)))
    }

    /// Scans a text that `before` stands before. More may follow unless it has `ended`.
    pub(crate) fn find(&self, text: &str, before: Option<char>, ended: bool) -> Found {
        let hold_from = if ended {
            text.len()
        } else {
            self.hold_from(text, before)
        };
        let mut found = Found {
            hold_from,
            ..Found::default()
        };
        self.find_cores(text, before, &mut found);
        if self.0.has_long_ids() {
            self.find_ids(text, before, &mut found);
        }
        found
    }

    /// Counts what looks like a token and is none of this session's, in a text that goes on from `begun` and goes on
    /// unless it has `ended`. `begun` then is what this text begins and does not end.
    pub(crate) fn count_unknown(&self, begun: &mut String, text: &str, ended: bool) -> u64 {
        if begun.is_empty() && memchr(b'M', text.as_bytes()).is_none() {
            return 0;
        }
        begun.push_str(text);
        let rest = if ended {
            begun.len()
        } else {
            token::begun_core(begun)
        };
        let decided = token::cores(begun).filter(|core| core.start < rest);
        let unknown = decided.filter(|core| {
            let core = begun.get(core.clone()).unwrap_or_default();
            token::is_core(core) && self.0.by_core(core).is_none()
        });
        let unknown = unknown.count() as u64;
        begun.drain(..rest);
        unknown
    }

    fn find_cores(&self, text: &str, before: Option<char>, found: &mut Found) {
        for range in token::cores(text) {
            if range.start >= found.hold_from {
                return;
            }
            let core = text.get(range.clone()).unwrap_or_default();
            let Some(mapping) = self.0.by_core(core) else {
                found.unknown += u64::from(token::is_core(core));
                continue;
            };
            if let Some(range) = token::whole(text, range, before) {
                found.tokens.push((range, Arc::clone(mapping)));
            }
        }
    }

    fn find_ids(&self, text: &str, before: Option<char>, found: &mut Found) {
        let ids = token::long_runs(text, LONG_ID).filter(|run| run.end <= found.hold_from);
        let known = ids.filter_map(|run| Some((self.0.by_long_id(text.get(run.clone())?)?, run)));
        let alone = known.filter(|(_, run)| stands_alone(text, run, before));
        found
            .tokens
            .extend(alone.map(|(mapping, run)| (run, Arc::clone(mapping))));
        found.tokens.sort_by_key(|(range, _)| range.start);
    }

    /// Where the longest tail begins that may still become a token of this session.
    fn hold_from(&self, text: &str, before: Option<char>) -> usize {
        if self.0.is_empty() {
            return text.len();
        }
        let longest = self.0.longest_core() + 2 * LONGEST_DELIMITER;
        let mut from = text.len().saturating_sub(longest);
        while !text.is_char_boundary(from) {
            from += 1;
        }
        let tail = text.get(from..).unwrap_or_default();
        let starts = tail
            .char_indices()
            .filter(|&(_, c)| matches!(c, '<' | '&' | '\\' | 'M'));
        let core = starts
            .map(|(at, _)| from + at)
            .find(|&at| self.may_become_core(text, at, before));
        let id = if self.0.has_long_ids() {
            self.id_tail(text, before)
        } else {
            None
        };
        core.into_iter().chain(id).min().unwrap_or(text.len())
    }

    /// Whether the text from `at` on is the beginning of a full or bare token, and not yet decided.
    fn may_become_core(&self, text: &str, at: usize, before: Option<char>) -> bool {
        let tail = text.get(at..).unwrap_or_default();
        if OPENERS
            .iter()
            .any(|opener| opener.len() > tail.len() && opener.starts_with(tail))
        {
            return true;
        }
        let opener = OPENERS.iter().find(|opener| tail.starts_with(**opener));
        let start = at + opener.map_or(0, |opener| opener.len());
        if opener.is_none() && !stands_alone(text, &(at..text.len()), before) {
            return false;
        }
        let rest = text.get(start..).unwrap_or_default();
        let end = run_end(text, start);
        if end == text.len() {
            return PREFIX.starts_with(rest) || self.0.begins_core(rest);
        }
        let after = text.get(end..).unwrap_or_default();
        let closes = CLOSERS
            .iter()
            .any(|c| c.len() > after.len() && c.starts_with(after));
        opener.is_some()
            && closes
            && self
                .0
                .by_core(text.get(start..end).unwrap_or_default())
                .is_some()
    }

    /// Where a last run of core characters begins that may still become a long id.
    fn id_tail(&self, text: &str, before: Option<char>) -> Option<usize> {
        let bytes = text.as_bytes();
        let start = bytes
            .iter()
            .rposition(|&b| !token::is_core_byte(b))
            .map_or(0, |at| at + 1);
        let run = text.get(start..).filter(|run| !run.is_empty())?;
        let alone = stands_alone(text, &(start..text.len()), before);
        (alone && self.0.begins_long_id(run)).then_some(start)
    }
}

/// Whether a character is written as an escape that may stand for one of a token.
fn holds_escape(written: &[u8]) -> bool {
    memchr_iter(b'\\', written).any(|at| {
        let escape = written.get(at + 1..at + 4);
        escape == Some(b"u00")
    })
}
