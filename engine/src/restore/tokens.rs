//! Finds a session's tokens in a text, and the tail that may still become one.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use memchr::{memchr, memchr_iter, memchr3};

use crate::operator::surrogate::Shape;
use crate::session::PlacedSurrogate;
use crate::token::{
    self, MOST_EMPHASIS, PREFIX, Sighting, Spelling, View, emphasis_before, last_run,
    may_hold_core, run_end,
};
use crate::token::{Mapping, Spelled, Spellings};
use crate::{EntityType, Origins, Session};

/// How many bytes are examined at once.
const BLOCK: usize = 256;

/// The tokens that one exchange may restore.
#[derive(Debug, Clone)]
pub(crate) struct Tokens {
    session: Session,
    spellings: Arc<Spellings>,
    /// The reply broke off: a token at its end may be the beginning of another.
    broke_off: bool,
    /// The origins of values whose tokens stay.
    withheld: Origins,
}

/// How a text ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// More may follow.
    Open,
    /// Nothing follows, but the text may have been cut: by a limit, or by another kind of text.
    Reached,
    /// It is complete.
    Whole,
}

/// A token with its value.
#[derive(Debug)]
pub(crate) struct Restorable {
    pub(crate) range: Range<usize>,
    pub(crate) mapping: Arc<Mapping>,
    /// How it is written, where it is a surrogate.
    pub(crate) shape: Shape,
    /// It is written as in a URL, and so is its value.
    pub(crate) is_percent_encoded: bool,
    /// How the value is written where it is a string of JSON.
    pub(crate) spelled: Option<Spelled>,
}

/// What a scan finds.
#[derive(Debug)]
pub(crate) struct Found {
    /// Tokens, in order, apart from each other.
    pub(crate) tokens: Vec<Restorable>,
    /// How many more there are that stay as they are.
    pub(crate) withheld: u64,
    /// How often the text looks like a token but is not one of the session's; `None` if that was not counted.
    pub(crate) unknown: Option<u64>,
    /// Where the tail begins that may still become a token; the text's length if none does.
    pub(crate) hold_from: usize,
}

impl Tokens {
    pub(crate) fn new(session: Session) -> Self {
        Self {
            session,
            spellings: Arc::default(),
            broke_off: false,
            withheld: Origins::default(),
        }
    }

    /// The same, with how the request spells values in JSON.
    pub(crate) fn spelled(mut self, spellings: Spellings) -> Self {
        self.spellings = Arc::new(spellings);
        self
    }

    /// The same, except for values of these origins.
    pub(super) fn without(&self, withheld: Origins) -> Cow<'_, Self> {
        if withheld == self.withheld {
            return Cow::Borrowed(self);
        }
        Cow::Owned(Self {
            withheld,
            ..self.clone()
        })
    }

    /// Leaves a token at the end of the reply as it is, unless nothing could have followed it.
    pub(crate) const fn break_off(&mut self) {
        self.broke_off = true;
    }

    /// Whether the end of the reply is complete.
    pub(crate) const fn end_is_whole(&self) -> bool {
        !self.broke_off
    }

    /// How a text ends that the reply ends with.
    pub(super) const fn last_end(&self) -> End {
        if self.broke_off {
            End::Open
        } else {
            End::Reached
        }
    }

    pub(crate) fn session(&self) -> &Session {
        &self.session
    }

    /// Whether a text may contain a token, of this session or not: a quick check.
    pub(crate) fn may_occur_in(&self, text: &[u8]) -> bool {
        self.session.has_long_ids() || may_hold_core(text) || self.session.has_surrogates()
    }

    /// Whether a piece of text, as it is written in JSON, can neither hold nor begin a token.
    pub(crate) fn is_plain(&self, written: &str) -> bool {
        let mut bytes = written.bytes();
        self.has_no_marks(written)
            && !(self.session.has_long_ids() && bytes.any(token::is_id_digit))
    }

    /// The same except for ids that stand alone.
    pub(crate) fn has_no_marks(&self, written: &str) -> bool {
        let bytes = written.as_bytes();
        if self.session.has_surrogates() {
            return false;
        }
        // Without an early exit the loop handles many bytes at a time, and little with little.
        let is_mark = |byte: u8| matches!(byte, b'<' | b'&' | b'M' | b'%' | b'\\');
        let any = |block: &[u8]| block.iter().fold(false, |any, byte| any | is_mark(*byte));
        if !bytes.chunks(BLOCK).any(any) {
            return true;
        }
        if memchr3(b'<', b'&', b'M', bytes).is_some() || memchr(b'%', bytes).is_some() {
            return false;
        }
        let mut escapes = memchr_iter(b'\\', bytes);
        escapes.all(|at| !matches!(bytes.get(at + 1), Some(b'\\' | b'u')))
    }

    /// Scans a text from `from` on; what is before was delivered. A token at an end that may be a cut is left if it
    /// is how a longer one begins.
    pub(crate) fn find(&self, text: &str, from: usize, end: End) -> Found {
        let view = View::of(text, end != End::Open);
        let (surrogates, hold_from) = self.surrogates(text, &view, from, end);
        let mut search = Search {
            of: self,
            view: &view,
            end,
            deliverable: from..hold_from,
            tokens: Vec::new(),
            withheld: 0,
            unknown: 0,
        };
        search.take_cores();
        search.take_lone_ids();
        search.take_surrogates(surrogates);
        search.tokens.sort_by_key(|token| token.range.start);
        Found {
            tokens: search.tokens,
            withheld: search.withheld,
            unknown: view.is_source().then_some(search.unknown),
            hold_from,
        }
    }

    /// The surrogates in a text from `from` on, and where the tail begins that may become a token or a surrogate.
    fn surrogates(
        &self,
        text: &str,
        view: &View<'_>,
        from: usize,
        end: End,
    ) -> (Vec<PlacedSurrogate>, usize) {
        let mut found = Vec::new();
        let mut hold_from = self.hold_from(text, view, end);
        if self.session.has_surrogates() {
            let ended = end != End::Open;
            let start = view.at(from);
            let open = self
                .session
                .find_surrogates(view.text(), start, ended, &mut found);
            hold_from = hold_from.min(view.source_of(open));
        }
        (found, hold_from.max(from))
    }

    /// Where the tail of a text begins that may still become a token.
    fn hold_from(&self, text: &str, view: &View<'_>, end: End) -> usize {
        if end != End::Open || self.session.is_empty() {
            return text.len();
        }
        self.tail(view)
            .map_or_else(|| view.open(), |at| view.source_of(at))
    }

    /// How often a text looks like a token but is not one of this session's.
    pub(crate) fn unknown_in(&self, text: &str) -> u64 {
        let cores = token::cores(text).filter(|core| {
            let core = text.get(core.clone()).unwrap_or_default();
            self.session.by_core(core).is_none() && token::is_core(core)
        });
        cores.count() as u64
    }

    /// The same for a text that continues from `begun`, and continues unless it has `ended`.
    /// `begun` is then what this text begins and does not end.
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
        let unknown = self.unknown_in(begun.get(..rest).unwrap_or_default());
        begun.drain(..rest);
        unknown
    }

    /// Where in the view the longest tail begins that may still become a token of this session.
    fn tail(&self, view: &View<'_>) -> Option<usize> {
        let text = view.text();
        let longest = self.session.longest_core() + MOST_EMPHASIS + "<>".len();
        let mut from = text.len().saturating_sub(longest);
        while !text.is_char_boundary(from) {
            from += 1;
        }
        let tail = text.get(from..)?;
        let starts = tail.char_indices().filter(|&(_, c)| matches!(c, '<' | 'M'));
        let core = starts
            .map(|(at, _)| from + at)
            .find(|&at| self.may_become_core(text, at));
        let id = if self.session.has_long_ids() {
            self.id_tail(text)
        } else {
            None
        };
        core.into_iter().chain(id).min()
    }

    /// Whether a text from `at` on is the beginning of a full or bare token, and not yet decided.
    fn may_become_core(&self, text: &str, at: usize) -> bool {
        let (before, tail) = (text.get(..at).unwrap_or_default(), text.get(at..));
        let tail = tail.unwrap_or_default();
        let (lead, start) = match tail.strip_prefix('<') {
            Some(_) => (Some(0), at + 1),
            None => (emphasis_before(before, MOST_EMPHASIS), at),
        };
        let run = text.get(start..).unwrap_or_default();
        let is_open = run_end(text, start) == text.len();
        let begins = |run| PREFIX.starts_with(run) || self.session.begins_core(run);
        is_open && lead.is_some_and(|lead| begins(run) || self.ends_emphasis(run, lead))
    }

    /// Whether some of the underscores follow a core before them.
    fn ends_emphasis(&self, run: &str, lead: usize) -> bool {
        let core = run.trim_end_matches('_');
        run.len() - core.len() <= lead && self.session.by_core(core).is_some()
    }

    /// Where a last run of core characters begins that may still become a long id.
    fn id_tail(&self, text: &str) -> Option<usize> {
        let run = text.get(last_run(text)..)?;
        let id = run.trim_start_matches('_');
        let start = text.len() - id.len();
        let lead = emphasis_before(text.get(..start)?, MOST_EMPHASIS)?;
        let whole = id.trim_end_matches('_');
        let is_emphasised =
            id.len() - whole.len() <= lead && self.session.by_long_id(whole).is_some();
        let may_be = !id.is_empty() && (is_emphasised || self.session.begins_long_id(id));
        may_be.then_some(start)
    }
}

/// The search of one text.
struct Search<'s> {
    of: &'s Tokens,
    view: &'s View<'s>,
    end: End,
    /// Behind what was delivered, and before what is held back.
    deliverable: Range<usize>,
    tokens: Vec<Restorable>,
    withheld: u64,
    unknown: u64,
}

impl<'s> Search<'s> {
    /// Takes the tokens whose core is written in full.
    fn take_cores(&mut self) {
        let session = &self.of.session;
        for run in token::cores(self.view.text()) {
            let core = self.view.text().get(run.clone()).unwrap_or_default();
            let of_run = session.by_core(core);
            self.unknown += u64::from(of_run.is_none() && token::is_core(core));
            let Some(sighting) = token::sighting(self.view, run.clone()) else {
                continue;
            };
            let mapping = match of_run {
                Some(mapping) if sighting.name == run => Some(mapping),
                _ => session.by_core(self.name(&sighting)),
            };
            if let Some(mapping) = mapping.filter(|_| !self.is_cut(&sighting)) {
                self.take(&sighting, mapping);
            }
        }
    }

    /// Takes the tokens of which only the id is written.
    fn take_lone_ids(&mut self) {
        let session = &self.of.session;
        if !session.has_long_ids() {
            return;
        }
        for sighting in token::lone_names(self.view) {
            if let Some(mapping) = session.by_long_id(self.name(&sighting)) {
                self.take(&sighting, mapping);
            }
        }
    }

    fn take_surrogates(&mut self, surrogates: Vec<PlacedSurrogate>) {
        for surrogate in surrogates {
            let surrogate = surrogate_in(self.view, surrogate);
            if surrogate.range.end > self.deliverable.end {
                continue;
            }
            if self.of.withheld.hold(surrogate.mapping.origin()) {
                self.withheld += 1;
            } else {
                self.tokens.push(surrogate);
            }
        }
    }

    fn take(&mut self, sighting: &Sighting, mapping: &Arc<Mapping>) {
        let Range { start, end } = sighting.range;
        if start < self.deliverable.start || end > self.deliverable.end {
            return;
        }
        // Text that only looks like a token is nobody's value.
        let is_value = *mapping.entity() != EntityType::LITERAL;
        if is_value && self.of.withheld.hold(mapping.origin()) {
            self.withheld += 1;
            return;
        }
        let spelled = self.of.spellings.get(mapping.core());
        self.tokens.push(Restorable {
            range: start..end,
            mapping: Arc::clone(mapping),
            shape: Shape::Own,
            is_percent_encoded: sighting.is_percent_encoded,
            spelled: spelled.filter(|_| !sighting.is_percent_encoded).cloned(),
        });
    }

    /// Whether a token at an end that may be a cut is how a longer one begins.
    fn is_cut(&self, sighting: &Sighting) -> bool {
        self.end == End::Reached
            && sighting.name.end == self.view.text().len()
            && self.of.session.begins_longer_core(self.name(sighting))
    }

    fn name(&self, sighting: &Sighting) -> &'s str {
        let name = self.view.text().get(sighting.name.clone());
        name.unwrap_or_default()
    }
}

fn surrogate_in(view: &View<'_>, surrogate: PlacedSurrogate) -> Restorable {
    let Range { start, end } = surrogate.range;
    let around = start.saturating_sub(1)..end;
    Restorable {
        range: view.source_of(start)..view.source_of(end),
        mapping: surrogate.mapping,
        shape: surrogate.shape,
        is_percent_encoded: view.is_spelled(&around, Spelling::Percent),
        spelled: None,
    }
}
