//! The second half of an exchange: restores a reply as it arrives.

use std::collections::BTreeSet;

use crate::framing::json_values::{self, Layout, Values};
use crate::history::SignedBlock;
use crate::json::{Context, spliced};
use crate::restore::{
    Counts, End, EventStream, HeldText, Reply, RunningText, Tokens, restore_document, restore_text,
};
use crate::{HistoryName, Session};

use super::transcode::Transcoder;

/// Restores the reply of one exchange. Independent of the request: may be moved to another thread.
#[derive(Debug, Clone)]
pub struct Restoring(pub(super) Reply);

impl Restoring {
    /// The tokens that the reply may bring back: what a later request with this history starts from.
    #[must_use]
    pub fn session(&self) -> &Session {
        self.0.tokens.session()
    }

    /// Begins a reply, once its head is known. `content_type` is the header's value.
    ///
    /// An event stream is restored event by event, JSON lines and the objects of a JSON list one by
    /// one, any other JSON as a whole, and other text as it arrives. The content type decides only
    /// if the first bytes are not conclusive.
    #[must_use]
    pub fn reply(&self, content_type: Option<&str>) -> Restorer {
        Restorer {
            reply: self.0.clone(),
            transcoder: Transcoder::new(content_type.unwrap_or_default()),
            body: Body::Undecided {
                declared: Declared::by(content_type.unwrap_or_default()),
                start: String::new(),
                searched: 0,
            },
            summary: RestoreSummary::default(),
            signed: Vec::new(),
            names: Names::default(),
        }
    }
}

impl Session {
    /// Puts values in the place of this session's tokens in a text that
    /// [`mask_text`](crate::Engine::mask_text) masked. JSON stays JSON; tokens of other sessions stay.
    ///
    /// ```
    /// let (engine, mut session) = (engine::Engine::new(Default::default()), engine::Session::new());
    /// let masked = engine.mask_text("to alice@example.com", &mut session);
    /// assert_eq!(session.restore_text(&masked).0, "to alice@example.com");
    /// ```
    #[must_use]
    pub fn restore_text(&self, text: &str) -> (String, RestoreSummary) {
        let tokens = Tokens::new(self.clone());
        let restored = restore_text(&tokens, text, Context::MayBeJson);
        let summary = RestoreSummary {
            restored: restored.restored,
            unknown_tokens: restored.unknown,
            ..RestoreSummary::default()
        };
        (spliced(text, &restored.edits), summary)
    }

    /// The same for the beginning of a text that may go on, and how many characters at the end of what it becomes may
    /// still change: the start of a token that is not complete yet. However the text goes on, what is restored of it begins
    /// with the others.
    ///
    /// ```
    /// let (engine, mut session) = (engine::Engine::new(Default::default()), engine::Session::new());
    /// let masked = engine.mask_text("to alice@example.com", &mut session);
    /// assert_eq!(session.restore_so_far(&masked[..8]).1, "<MASK".len());
    /// ```
    #[must_use]
    pub fn restore_so_far(&self, text: &str) -> (String, usize, RestoreSummary) {
        let tokens = Tokens::new(self.clone());
        let mut held = HeldText::new(Context::MayBeJson);
        let delivered = held.push(&tokens, text, End::Open);
        let mut restored = spliced(text, &delivered.edits);
        let (rest, remaining) = held.finish(&tokens);
        restored.push_str(&rest);
        let summary = RestoreSummary {
            restored: delivered.restored + remaining.restored,
            unknown_tokens: delivered.unknown + remaining.unknown,
            ..RestoreSummary::default()
        };
        (restored, rest.chars().count(), summary)
    }
}

/// What a reply can be named by, each once.
#[derive(Debug, Default)]
struct Names {
    seen: BTreeSet<HistoryName>,
    new: Vec<HistoryName>,
}

impl Names {
    fn add(&mut self, names: Vec<HistoryName>) {
        let new = names.into_iter().filter(|name| self.seen.insert(*name));
        self.new.extend(new);
    }
}

/// What a content type says about a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Declared {
    Events,
    /// One JSON value a line.
    Lines,
    Nothing,
}

impl Declared {
    fn by(content_type: &str) -> Self {
        if content_type.eq_ignore_ascii_case("application/json") {
            return Self::Nothing;
        }
        let kind = content_type.to_ascii_lowercase();
        if kind.contains("event-stream") {
            return Self::Events;
        }
        let lines = ["ndjson", "jsonl", "json-seq", "stream+json"];
        if lines.iter().any(|name| kind.contains(name)) {
            return Self::Lines;
        }
        Self::Nothing
    }
}

/// Turns tokens back into values while a reply arrives. Content encodings are decoded before.
#[derive(Debug)]
pub struct Restorer {
    reply: Reply,
    transcoder: Transcoder,
    body: Body,
    summary: RestoreSummary,
    signed: Vec<SignedBlock>,
    names: Names,
}

#[derive(Debug)]
enum Body {
    /// Too few bytes have arrived to decide: `start`.
    Undecided {
        declared: Declared,
        start: String,
        /// How much of `start` is known to be inconclusive.
        searched: usize,
    },
    /// JSON: restored at the end, unless another value follows on another line.
    Document(Values),
    Text(RunningText),
    Events(Box<EventStream>),
}

impl Body {
    /// Decides by the beginning of the reply and by its head.
    fn begun_by(start: &[u8], declared: Declared, searched: &mut usize) -> Option<Self> {
        const FIELDS: [&[u8]; 3] = [b"data:", b"event:", b":"];
        let first = start.first()?;
        match *first {
            b'{' | b'"' | RECORD if declared == Declared::Lines => {
                return Some(Self::values(Layout::Lines));
            }
            b'{' | b'"' => return Some(Self::Document(Values::new(Layout::Lines))),
            b'[' => {
                let rest = start.get(1.max(*searched)..).unwrap_or_default();
                *searched = start.len();
                return Some(match rest.trim_ascii_start().first()? {
                    b'{' => Self::values(Layout::List),
                    _ => Self::Document(Values::new(Layout::Lines)),
                });
            }
            _ => {}
        }
        if let Some(begun) = begins_coded(start) {
            return begun.then(|| Self::values(Layout::Lines));
        }
        if declared == Declared::Events || FIELDS.iter().any(|field| start.starts_with(field)) {
            return Some(Self::Events(Box::new(EventStream::of_events())));
        }
        if FIELDS.iter().any(|field| field.starts_with(start)) {
            return None;
        }
        Some(Self::Text(RunningText::default()))
    }

    fn values(layout: Layout) -> Self {
        Self::Events(Box::new(EventStream::of_values(Values::new(layout))))
    }
}

/// Whether a reply consists of JSON lines that begin with a code, as the AI SDK's data streams do
/// (`0:"text"`); `None` if not, `Some(false)` if it is possible.
fn begins_coded(start: &[u8]) -> Option<bool> {
    match start {
        [code] if code.is_ascii_alphanumeric() => Some(false),
        [code, b':'] if code.is_ascii_alphanumeric() => Some(false),
        _ => json_values::code_of(start).map(|_| true),
    }
}

/// What begins each text of a JSON text sequence (RFC 7464, section 2.2).
const RECORD: u8 = 0x1e;

/// How many bytes at the beginning are inconclusive: white space and byte order marks.
fn insignificant(start: &str) -> usize {
    let is_insignificant = |c: char| c.is_ascii_whitespace() || c == '\u{feff}';
    let rest = start.trim_start_matches(is_insignificant);
    start.len() - rest.len()
}

impl Restorer {
    /// Processes the next bytes of the reply and appends to `out` what can be delivered now.
    pub fn push(&mut self, chunk: &[u8], out: &mut Vec<u8>) {
        let from = out.len();
        let chunk = self.transcoder.decode(chunk);
        self.push_text(&chunk, out);
        self.transcoder.encode(out, from);
    }

    fn push_text(&mut self, chunk: &str, out: &mut Vec<u8>) {
        let Body::Undecided {
            declared,
            start,
            searched,
        } = &mut self.body
        else {
            return self.push_decided(chunk, out);
        };
        if start.is_empty() {
            let (before, chunk) = chunk.split_at(insignificant(chunk));
            out.extend_from_slice(before.as_bytes());
            match Body::begun_by(chunk.as_bytes(), *declared, searched) {
                Some(body) => {
                    self.body = body;
                    self.push_decided(chunk, out);
                }
                None => start.push_str(chunk),
            }
            return;
        }
        start.push_str(chunk);
        if *searched == 0 {
            let before = insignificant(start);
            out.extend(start.drain(..before).as_str().as_bytes());
        }
        if let Some(body) = Body::begun_by(start.as_bytes(), *declared, searched) {
            let start = std::mem::take(start);
            self.body = body;
            self.push_decided(&start, out);
        }
    }

    fn push_decided(&mut self, chunk: &str, out: &mut Vec<u8>) {
        match &mut self.body {
            Body::Undecided { .. } => {}
            Body::Document(collected) => {
                collected.push(chunk.as_bytes());
                if collected.begins_another() {
                    let begun = std::mem::replace(collected, Values::new(Layout::Lines));
                    self.body = Body::Events(Box::new(EventStream::of_values(begun)));
                    self.push_decided("", out);
                }
            }
            Body::Text(text) => {
                let counts = text.push(&self.reply, chunk, out);
                self.summary.add(counts);
            }
            Body::Events(events) => {
                events.push(&self.reply, chunk.as_bytes(), out);
                self.signed.append(&mut events.take_signed());
                self.names.add(events.take_names());
                self.summary.set(events.counts(), events.frames());
            }
        }
    }

    /// Ends a reply that broke off: appends what was held back, restored as far as possible. The
    /// host must then break the client's connection, so that half a reply does not look complete.
    ///
    /// A token that another digit could have followed is not restored.
    pub fn break_off(&mut self, out: &mut Vec<u8>) {
        self.reply.tokens.break_off();
        self.finish(out);
    }

    /// Ends a reply that came to its proper end: appends what was held back.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        let from = out.len();
        let last = self.transcoder.finish();
        self.push_text(&last, out);
        self.finish_text(out);
        self.transcoder.encode(out, from);
    }

    fn finish_text(&mut self, out: &mut Vec<u8>) {
        if let Body::Undecided { start, .. } = &mut self.body {
            let start = std::mem::take(start);
            self.body = Body::Text(RunningText::default());
            self.push_decided(&start, out);
        }
        match std::mem::replace(&mut self.body, Body::Text(RunningText::default())) {
            Body::Undecided { .. } => {}
            Body::Document(mut collected) => {
                let mut document = restore_document(&self.reply, collected.rest());
                if out.is_empty() {
                    *out = document.bytes;
                } else {
                    out.append(&mut document.bytes);
                }
                self.signed.append(&mut document.signed);
                self.names.add(document.names);
                self.summary.add(document.counts);
            }
            Body::Text(text) => {
                let counts = text.finish(&self.reply, out);
                self.summary.add(counts);
            }
            Body::Events(mut events) => {
                events.finish(&self.reply, out);
                self.signed.append(&mut events.take_signed());
                self.names.add(events.take_names());
                self.summary.set(events.counts(), events.frames());
            }
        }
    }

    /// Whether output is held back, so that a watchdog may need [`keep_alive`](Self::keep_alive).
    #[must_use]
    pub fn holds_back(&self) -> bool {
        match &self.body {
            Body::Undecided { start, .. } => !start.is_empty(),
            Body::Document(collected) => !collected.is_empty(),
            Body::Text(text) => text.is_holding(),
            Body::Events(events) => events.is_holding(),
        }
    }

    /// Whether a whole event waits for the next one, which may continue one of its texts.
    #[must_use]
    pub fn waits(&self) -> bool {
        matches!(&self.body, Body::Events(events) if events.is_waiting())
    }

    /// Appends the event that [waits](Self::waits), without the part that its texts may continue.
    /// Otherwise appends a comment line, if the reply is an event stream and between two events.
    pub fn keep_alive(&mut self, out: &mut Vec<u8>) {
        let from = out.len();
        if let Body::Events(events) = &mut self.body
            && self.transcoder.is_between_characters()
        {
            events.keep_alive(out);
        }
        self.transcoder.encode(out, from);
    }

    /// Counts so far.
    #[must_use]
    pub const fn summary(&self) -> &RestoreSummary {
        &self.summary
    }

    /// Takes the ids by which a later request can refer to this reply, as far as they are known,
    /// each one once.
    ///
    /// The host links them to the session, so that it continues when one is referred to.
    pub fn take_history_names(&mut self) -> Vec<HistoryName> {
        std::mem::take(&mut self.names.new)
    }

    /// Takes the signed blocks that are complete so far, for [`Memory`](crate::Memory).
    pub fn take_signed_blocks(&mut self) -> Vec<SignedBlock> {
        std::mem::take(&mut self.signed)
    }
}

/// The result of restoring: counts, never content.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RestoreSummary {
    /// Tokens restored, each once for the text it is delivered in.
    pub restored: u64,
    /// Events of a stream.
    pub frames: u64,
    /// Tokens in the reply that the session did not issue.
    pub unknown_tokens: u64,
    /// Tokens that stay in the arguments of tools because a rule [keeps](crate::RestoreAction::Keep) them.
    pub kept: u64,
}

impl RestoreSummary {
    const fn add(&mut self, counts: Counts) {
        self.restored += counts.restored;
        self.unknown_tokens += counts.unknown;
        self.kept += counts.withheld;
    }

    const fn set(&mut self, counts: Counts, frames: u64) {
        self.restored = counts.restored;
        self.unknown_tokens = counts.unknown;
        self.kept = counts.withheld;
        self.frames = frames;
    }
}
