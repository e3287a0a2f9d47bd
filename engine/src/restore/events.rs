//! Restores an event stream as it arrives.
//!
//! A text that arrives in pieces is a *channel*. Its tail is held back while it may still become a
//! token; arguments of calls are collected and delivered in one piece. Events that hold nothing to
//! restore pass byte for byte.

use std::collections::BTreeMap;

use crate::Schema;
use crate::history::HistoryName;
use crate::json::{Edit, Tape, Value, decode, edits_in_string, escaped, spliced};
use crate::remembered::SignedBlock;
use crate::schema::{self, Channel, EventMap, EventState, Flow, Flush, Form, Piece};
use crate::sse::{Event, Framing};

use super::document::{restore_map, sign_text};
use super::template::Template;
use super::{Context, Counts, HeldText, Reply, restore_text};

const MAX_DEPTH: usize = 1024;

/// The end of a chat stream: data that is no JSON.
const DONE: &str = "[DONE]";

/// An event stream in the middle of being restored.
#[derive(Debug, Default)]
pub(crate) struct EventStream {
    framing: Framing,
    restorer: EventRestorer,
}

impl EventStream {
    pub(crate) fn push(&mut self, reply: &Reply, chunk: &[u8], out: &mut Vec<u8>) {
        self.framing.push(chunk);
        while let Some(frame) = self.framing.next() {
            self.restorer.frame(reply, frame, out);
        }
    }

    /// Ends the stream: the last event may lack its blank line, and what is held goes out.
    pub(crate) fn finish(&mut self, reply: &Reply, out: &mut Vec<u8>) {
        let rest = self.framing.rest();
        let unended = !rest.is_empty();
        if unended {
            self.restorer.frame(reply, rest, out);
        }
        if unended && self.restorer.is_holding() {
            out.extend_from_slice(b"\n\n");
        }
        self.restorer.flush(reply, &[Flush::All], out);
    }

    pub(crate) fn is_holding(&self) -> bool {
        self.restorer.is_holding()
    }

    pub(crate) fn keep_alive(&self, out: &mut Vec<u8>) {
        if self.framing.is_between_events() {
            out.extend_from_slice(b": keep-alive\n");
        }
    }

    pub(crate) fn counts(&self) -> Counts {
        self.restorer.counts.total()
    }

    pub(crate) fn frames(&self) -> u64 {
        self.restorer.frames
    }

    pub(crate) fn take_signed(&mut self) -> Vec<SignedBlock> {
        std::mem::take(&mut self.restorer.signed)
    }

    /// Takes what a later request can name the reply by, as far as it is known.
    pub(crate) fn take_names(&mut self) -> Vec<HistoryName> {
        std::mem::take(&mut self.restorer.names)
    }
}

#[derive(Debug, Default)]
struct EventRestorer {
    state: EventState,
    channels: BTreeMap<Channel, Open>,
    counts: StreamCounts,
    frames: u64,
    signed: Vec<SignedBlock>,
    names: Vec<HistoryName>,
    /// The shape of the last event, while the next may be like it.
    template: Option<Template>,
    /// The last event was dropped, and with it an LF that may yet end its CR.
    dropped: bool,
}

/// A channel that has begun and not ended.
#[derive(Debug, Default)]
struct Open {
    held: HeldText,
    /// The collected pieces, as they are written between quotes.
    collected: Option<String>,
    /// The provider's own text, while it may yet be signed.
    signable: String,
    form: Option<Form>,
    /// The data and name of its last event, which a synthesized one is copied from.
    last: (String, Option<String>),
}

impl Open {
    fn is_holding(&self) -> bool {
        !self.held.is_empty() || self.collected.as_ref().is_some_and(|raw| !raw.is_empty())
    }
}

/// Counts of a stream that may repeat its texts in later events.
#[derive(Debug, Clone, Copy, Default)]
struct StreamCounts {
    pieces: Counts,
    /// Of the event that repeats most.
    whole: Counts,
}

impl StreamCounts {
    /// Each token once for the text it is delivered in, not once for every event that repeats it.
    fn total(self) -> Counts {
        Counts {
            restored: self.pieces.restored.max(self.whole.restored),
            unknown: self.pieces.unknown.max(self.whole.unknown),
        }
    }
}

impl EventRestorer {
    fn is_holding(&self) -> bool {
        self.channels.values().any(Open::is_holding)
    }

    /// Restores one frame: an event, a comment or a blank line.
    fn frame(&mut self, reply: &Reply, raw: &[u8], out: &mut Vec<u8>) {
        if std::mem::take(&mut self.dropped) && raw == b"\n" {
            self.dropped = true;
            return;
        }
        if self.is_plain(reply, raw) {
            self.frames += 1;
            return out.extend_from_slice(raw);
        }
        let text = String::from_utf8_lossy(raw);
        let event = Event::read(&text);
        let Some(data) = event.data() else {
            return out.extend_from_slice(raw);
        };
        self.frames += 1;
        self.template = None;
        if data.trim() == DONE {
            self.flush(reply, &[Flush::All], out);
            return out.extend_from_slice(raw);
        }
        let edits = match Tape::scan(&data, MAX_DEPTH) {
            Ok(tape) => self.json_event(reply, &event, &data, &tape, out),
            Err(_) => Some(self.text_event(reply, &data)),
        };
        match edits {
            None => self.dropped = true,
            Some(edits) if edits.is_empty() => out.extend_from_slice(raw),
            Some(edits) => {
                event.write_with(&spliced(&data, &edits), out);
            }
        }
    }

    /// Whether an event is like the last one and its piece can neither hold nor begin a token.
    fn is_plain(&mut self, reply: &Reply, raw: &[u8]) -> bool {
        let Some(template) = &self.template else {
            return false;
        };
        let Some((piece, number)) = template.piece_of(raw) else {
            return false;
        };
        let Some(open) = self.channels.get_mut(&template.channel) else {
            return false;
        };
        if !open.held.is_settled() || !reply.tokens.is_plain(piece) {
            return false;
        }
        open.held.pass_over(piece);
        self.state.pass_over(number);
        if template.channel.may_be_signed() {
            open.signable.push_str(&decode(piece));
        }
        true
    }

    /// Keeps the shape of an event that only carries the next piece of a text.
    fn keep_template(&mut self, event: &Event<'_>, map: &EventMap<'_>, root: Value<'_>) {
        let [piece] = map.pieces.as_slice() else {
            return;
        };
        let goes_on = !map.ends.iter().any(|flush| flush.covers(piece.channel));
        let holds_back = matches!(piece.flow, Flow::HoldBack(_));
        if !goes_on || !holds_back || map.signature.is_some() {
            return;
        }
        let Some(data_start) = event.data_start() else {
            return;
        };
        let raw = event.raw().as_bytes();
        self.template = Template::of(raw, data_start, root, piece.channel, piece.value);
    }

    fn text_event(&mut self, reply: &Reply, data: &str) -> Vec<Edit> {
        let looks_like_json = data.trim_start().starts_with(['{', '[', '"']);
        let context = if looks_like_json {
            Context::JsonText
        } else {
            Context::Plain
        };
        let restored = restore_text(&reply.tokens, data, context);
        self.counts.pieces.add(&restored);
        restored.edits
    }

    /// The edits of an event's data; `None` when the event is dropped.
    fn json_event(
        &mut self,
        reply: &Reply,
        event: &Event<'_>,
        data: &str,
        tape: &Tape,
        out: &mut Vec<u8>,
    ) -> Option<Vec<Edit>> {
        schema::names_of_reply(tape.root(data), reply.kept, &mut self.names);
        let map = schema::event(reply.schema, event.name, tape.root(data), &mut self.state);
        self.flush(reply, &map.flush_before, out);
        self.flush_absent(reply, &map, out);
        self.state.delivered();
        let mut edits = Vec::new();
        for piece in &map.pieces {
            self.piece(reply, piece, &map.ends, (data, event.name), &mut edits);
        }
        if self.whole(reply, &map, &mut edits) == 0 {
            self.keep_template(event, &map, tape.root(data));
        }
        if let Some((channel, signature)) = map.signature {
            let open = self.channels.entry(channel).or_default();
            let text = std::mem::take(&mut open.signable);
            self.signed
                .extend(sign_text(reply, text, &signature.text()));
        }
        let collects = map
            .pieces
            .iter()
            .any(|piece| self.channels.contains_key(&piece.channel));
        if map.only_collected && collects {
            return None;
        }
        edits.sort_by_key(|edit| edit.start);
        Some(edits)
    }

    /// Restores the strings of an event that are no pieces, and says how many tokens they held.
    fn whole(&mut self, reply: &Reply, map: &EventMap<'_>, edits: &mut Vec<Edit>) -> u64 {
        let mut counts = Counts::default();
        edits.extend(restore_map(reply, &map.reply, &mut counts));
        if reply.schema == Schema::Responses {
            if counts.restored >= self.counts.whole.restored {
                self.counts.whole = counts;
            }
        } else {
            self.counts.pieces.restored += counts.restored;
            self.counts.pieces.unknown += counts.unknown;
        }
        let signed = map.reply.signed.iter();
        self.signed.extend(signed.filter_map(|signed| {
            sign_text(
                reply,
                signed.text.text().into_owned(),
                &signed.signature.text(),
            )
        }));
        counts.restored + counts.unknown
    }

    fn piece(
        &mut self,
        reply: &Reply,
        piece: &Piece<'_>,
        ends: &[Flush],
        event: (&str, Option<&str>),
        edits: &mut Vec<Edit>,
    ) {
        let ended = ends.iter().any(|flush| flush.covers(piece.channel));
        let open = self.channels.entry(piece.channel).or_default();
        let (raw, start) = (piece.value.raw_content(), piece.value.start() + 1);
        match piece.flow {
            Flow::HoldBack(form) => {
                open.form = Some(form);
                let text = piece.value.text();
                if piece.channel.may_be_signed() {
                    open.signable.push_str(&text);
                }
                let context = reply.context(form);
                let restored = open.held.push(&reply.tokens, &text, context, ended);
                self.counts.pieces.add(&restored);
                edits_in_string(raw, start, restored.edits, edits);
            }
            Flow::Collect(form) => {
                open.form = Some(form);
                open.collected.get_or_insert_default().push_str(raw);
                let text = if ended {
                    open.take_collected(reply, &mut self.counts)
                } else {
                    String::new()
                };
                if text != raw {
                    let end = start + raw.len();
                    edits.push(Edit { start, end, text });
                }
            }
        }
        if ended {
            self.channels.remove(&piece.channel);
        } else if open.is_holding() {
            open.remember_event(event);
        }
    }

    /// Delivers channels that end with this event and have no piece in it.
    fn flush_absent(&mut self, reply: &Reply, map: &EventMap<'_>, out: &mut Vec<u8>) {
        let present = |channel| map.pieces.iter().any(|piece| piece.channel == channel);
        let ending = |channel| map.ends.iter().any(|flush| flush.covers(channel));
        let absent = self.channels.keys().copied();
        let absent: Vec<_> = absent
            .filter(|&c| ending(c) && !present(c))
            .map(Flush::Channel)
            .collect();
        self.flush(reply, &absent, out);
    }

    /// Delivers what channels hold, in events of their own, and ends them.
    fn flush(&mut self, reply: &Reply, flushes: &[Flush], out: &mut Vec<u8>) {
        if flushes.is_empty() || self.channels.is_empty() {
            return;
        }
        let covered = |channel: Channel| flushes.iter().any(|flush| flush.covers(channel));
        let due: Vec<_> = self
            .channels
            .keys()
            .copied()
            .filter(|&c| covered(c))
            .collect();
        for channel in due {
            let Some(open) = self.channels.get_mut(&channel) else {
                continue;
            };
            let is_holding = open.is_holding();
            let written = open.take(reply, &mut self.counts);
            if is_holding {
                let event = open.synthesize(reply, &self.state, channel, &written);
                out.extend_from_slice(event.as_bytes());
            }
            if open.signable.is_empty() {
                self.channels.remove(&channel);
            }
        }
    }
}

impl Open {
    /// Everything that is held, restored, as it is written between quotes.
    fn take(&mut self, reply: &Reply, counts: &mut StreamCounts) -> String {
        if self.collected.is_some() {
            return self.take_collected(reply, counts);
        }
        let context = reply.context(self.form.unwrap_or(Form::Answer));
        let (text, restored) = self.held.finish(&reply.tokens, context);
        counts.pieces.add(&restored);
        escaped(text)
    }

    /// What was collected, restored. What is not restored stays as the provider wrote it.
    fn take_collected(&mut self, reply: &Reply, counts: &mut StreamCounts) -> String {
        let raw = self.collected.take().unwrap_or_default();
        let text = decode(&raw);
        let context = reply.context(self.form.unwrap_or(Form::Arguments));
        let restored = restore_text(&reply.tokens, &text, context);
        counts.pieces.add(&restored);
        let mut edits = Vec::new();
        edits_in_string(&raw, 0, restored.edits, &mut edits);
        spliced(&raw, &edits)
    }

    fn remember_event(&mut self, (data, name): (&str, Option<&str>)) {
        let (last_data, last_name) = &mut self.last;
        last_data.clear();
        last_data.push_str(data);
        *last_name = name.map(str::to_owned);
    }

    fn synthesize(
        &self,
        reply: &Reply,
        state: &EventState,
        channel: Channel,
        written: &str,
    ) -> String {
        let (data, name) = &self.last;
        let Ok(tape) = Tape::scan(data, MAX_DEPTH) else {
            return String::new();
        };
        let envelope = schema::envelope(reply.schema, name.as_deref(), tape.root(data), state);
        schema::synthesize(channel, &envelope, written)
    }
}
