//! Restores an event stream as it arrives.
//!
//! A text that arrives in pieces is a *channel*. Its tail is held back while it may still become a
//! token; arguments of calls are collected and delivered in one piece. Events that hold nothing to
//! restore pass byte for byte.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::Schema;
use crate::history::HistoryName;
use crate::json::{Edit, Kind, Tape, Value, edits_in_string, spliced};
use crate::remembered::SignedBlock;
use crate::schema::{self, Channel, EventMap, EventState, Flow, Flush, Form, Made, Piece};
use crate::sse::{Event, Framing};
use crate::values::{Layout, Part, Values};

use super::channel::{Open, Seen};
use super::document::{restore_map, sign_text};
use super::template::Template;
use super::text::TextEdits;
use super::{Context, Counts, MAX_DEPTH, Reply, restore_text};

/// The end of a chat stream: data that is no JSON.
const DONE: &str = "[DONE]";

/// Of so many channels those are forgotten that hold nothing and are known by their place alone.
const MANY_CHANNELS: usize = 4096;

/// An event stream in the middle of being restored.
#[derive(Debug)]
pub(crate) struct EventStream {
    frames: Frames,
    restorer: EventRestorer,
}

/// How events are told from each other.
#[derive(Debug)]
enum Frames {
    Events(Framing),
    Values(Values),
}

impl EventStream {
    /// A stream of server-sent events.
    pub(crate) fn of_events() -> Self {
        Self {
            frames: Frames::Events(Framing::default()),
            restorer: EventRestorer::default(),
        }
    }

    /// A stream of JSON values.
    pub(crate) fn of_values(values: Values) -> Self {
        Self {
            frames: Frames::Values(values),
            restorer: EventRestorer::default(),
        }
    }

    pub(crate) fn push(&mut self, reply: &Reply, chunk: &[u8], out: &mut Vec<u8>) {
        match &mut self.frames {
            Frames::Events(framing) => {
                framing.push(chunk);
                while let Some(frame) = framing.next() {
                    self.restorer.frame(reply, frame, out);
                }
            }
            Frames::Values(values) => {
                values.push(chunk);
                let layout = values.layout();
                while let Some(part) = values.next() {
                    self.restorer.part(reply, layout, &part, out);
                }
            }
        }
    }

    /// Ends the stream: the last event may lack its end, and what is held goes out.
    pub(crate) fn finish(&mut self, reply: &Reply, out: &mut Vec<u8>) {
        let restorer = &mut self.restorer;
        match &mut self.frames {
            Frames::Events(framing) => {
                let rest = framing.rest();
                let unended = !rest.is_empty();
                if unended {
                    restorer.frame(reply, rest, out);
                }
                if unended && restorer.is_holding() {
                    out.extend_from_slice(b"\n\n");
                }
                restorer.flush_all(reply, &write_event, out);
            }
            Frames::Values(values) => {
                let layout = values.layout();
                let rest = values.rest();
                if !rest.is_empty() {
                    restorer.part(reply, layout, &Part::Value(&rest), out);
                }
                let write: &Write = match layout {
                    Layout::Lines if restorer.is_on_line => &write_next_line,
                    Layout::Lines => &write_line,
                    Layout::List => &write_last_element,
                };
                restorer.end_values(reply, write, out);
            }
        }
    }

    pub(crate) fn is_holding(&self) -> bool {
        self.restorer.is_holding()
    }

    pub(crate) fn keep_alive(&self, out: &mut Vec<u8>) {
        if let Frames::Events(framing) = &self.frames
            && framing.is_between_events()
        {
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

/// Writes an event that was made where the next event is about to begin.
type Write = dyn Fn(&Made, &mut Vec<u8>);

fn write_event(made: &Made, out: &mut Vec<u8>) {
    if let Some(name) = &made.name {
        out.extend_from_slice(format!("event: {name}\n").as_bytes());
    }
    out.extend_from_slice(format!("data: {}\n\n", made.data).as_bytes());
}

fn write_line(made: &Made, out: &mut Vec<u8>) {
    out.extend_from_slice(made.data.as_bytes());
    out.push(b'\n');
}

fn write_next_line(made: &Made, out: &mut Vec<u8>) {
    out.push(b'\n');
    out.extend_from_slice(made.data.as_bytes());
}

fn write_element(made: &Made, out: &mut Vec<u8>) {
    out.extend_from_slice(made.data.as_bytes());
    out.push(b',');
}

fn write_last_element(made: &Made, out: &mut Vec<u8>) {
    out.push(b',');
    out.extend_from_slice(made.data.as_bytes());
}

#[derive(Debug, Default)]
struct EventRestorer {
    state: EventState,
    channels: BTreeMap<Channel, Open>,
    /// Those that hold something.
    holding: BTreeSet<Channel>,
    counts: StreamCounts,
    frames: u64,
    signed: Vec<SignedBlock>,
    names: Vec<HistoryName>,
    /// The shape of the last event, while the next may be like it.
    template: Option<Template>,
    /// The last event was dropped, and with it an LF that may yet end its CR.
    dropped: bool,
    /// The last value's line has not ended.
    is_on_line: bool,
    /// The last value, while a text in it may still go on: where none follows, it takes what is held.
    pending: Option<Pending>,
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
        !self.holding.is_empty()
    }

    /// Restores a part of a stream of JSON values.
    fn part(&mut self, reply: &Reply, layout: Layout, part: &Part<'_>, out: &mut Vec<u8>) {
        match part {
            Part::Between(bytes) => {
                if layout == Layout::List && bytes.contains(&b']') {
                    self.end_values(reply, &write_last_element, out);
                }
                self.is_on_line &= !bytes.contains(&b'\n');
                let behind = self.pending.as_mut().map(|pending| &mut pending.behind);
                behind.unwrap_or(out).extend_from_slice(bytes);
            }
            Part::Value(raw) => {
                if let Some(pending) = self.pending.take() {
                    pending.write(out);
                }
                self.is_on_line = true;
                self.frames += 1;
                self.value(reply, layout, raw, out);
            }
        }
    }

    fn value(&mut self, reply: &Reply, layout: Layout, raw: &[u8], out: &mut Vec<u8>) {
        if self.is_plain(reply, raw) {
            return out.extend_from_slice(raw);
        }
        self.template = None;
        let data = String::from_utf8_lossy(raw);
        let write: &Write = match layout {
            Layout::Lines => &write_line,
            Layout::List => &write_element,
        };
        let Ok(tape) = Tape::scan(&data, MAX_DEPTH) else {
            let edits = self.text(reply, &data);
            return out.extend_from_slice(spliced(&data, &edits).as_bytes());
        };
        let event = Source {
            name: None,
            data: &data,
            tape: &tape,
            root: tape.root(&data),
            raw,
            data_start: Some(0),
            seen: OnceCell::new(),
        };
        let Restored { edits, cut, .. } = self.json_event(reply, &event, write, out);
        if edits.is_empty() {
            return out.extend_from_slice(raw);
        }
        let pending = Pending {
            data: data.into_owned(),
            edits,
            cut,
            behind: Vec::new(),
        };
        if pending.cut.is_empty() {
            pending.write(out);
        } else {
            self.pending = Some(pending);
        }
    }

    /// Ends a stream of values: the last one takes what is held of its texts.
    fn end_values(&mut self, reply: &Reply, write: &Write, out: &mut Vec<u8>) {
        if let Some(mut pending) = self.pending.take() {
            for (channel, end) in std::mem::take(&mut pending.cut) {
                let Some(mut open) = self.channels.remove(&channel) else {
                    continue;
                };
                self.holding.remove(&channel);
                let (written, restored) = open.take(reply);
                self.counts.pieces.add(&restored);
                pending.put_back(end, &written);
            }
            pending.write(out);
        }
        self.flush_all(reply, write, out);
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
            // A comment, or a text that its head calls a stream of events.
            return self.unread(reply, raw, &text, out);
        };
        self.frames += 1;
        self.template = None;
        if data.trim() == DONE {
            self.flush_all(reply, &write_event, out);
            return out.extend_from_slice(raw);
        }
        let restored = match Tape::scan(&data, MAX_DEPTH) {
            Ok(tape) if tape.root(&data).kind() != Kind::Scalar => {
                let source = Source {
                    name: event.name,
                    data: &data,
                    tape: &tape,
                    root: tape.root(&data),
                    raw: text.as_bytes(),
                    data_start: event.data_start(),
                    seen: OnceCell::new(),
                };
                self.json_event(reply, &source, &write_event, out)
            }
            // A number may be a piece of a text, too.
            _ => Restored {
                edits: self.text_event(reply, event.name, &data),
                ..Restored::default()
            },
        };
        if restored.says_nothing {
            self.dropped = true;
        } else if restored.edits.is_empty() {
            out.extend_from_slice(raw);
        } else {
            event.write_with(&spliced(&data, &restored.edits), out);
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
        if !open.is_settled() || !reply.tokens.is_plain(piece) {
            return false;
        }
        open.pass_over(template.channel, piece);
        self.state.pass_over(number);
        true
    }

    /// Keeps the shape of an event that only carries the next piece of a text, and strings that repeat.
    fn keep_template(&mut self, event: &Source<'_>, map: &EventMap<'_>) {
        let known = map.pieces.iter().filter(|piece| !piece.channel.is_place());
        let known: Vec<_> = known.collect();
        let piece = match (known.as_slice(), map.pieces.as_slice()) {
            ([piece], _) => piece,
            ([], [piece]) => piece,
            _ => return,
        };
        let goes_on = !Flush::any_covers(&map.ends, piece.channel);
        let holds_back = matches!(piece.flow, Flow::HoldBack(_));
        let others = map.pieces.iter().map(|piece| piece.channel);
        let mut others = others.filter(|channel| *channel != piece.channel);
        let is_alone = !others.any(|channel| self.holding.contains(&channel));
        if !goes_on || !holds_back || !is_alone || map.signature.is_some() {
            return;
        }
        let Some(data_start) = event.data_start else {
            return;
        };
        self.template = Template::of(
            event.raw,
            data_start,
            event.root,
            piece.channel,
            piece.value,
        );
    }

    /// Restores an event of which the data is text: a piece of the one before.
    fn text_event(&mut self, reply: &Reply, name: Option<&str>, data: &str) -> Vec<Edit> {
        if looks_like_json(data) {
            return self.text(reply, data);
        }
        let channel = schema::text_channel(name);
        let open = self.channels.entry(channel).or_default();
        let restored = open.push(reply, channel, data, Form::Prose, false);
        self.counts.pieces.add(&restored);
        if open.is_holding() {
            let seen = Seen {
                name: name.map(str::to_owned),
                data: String::new(),
                tape: None,
            };
            open.remember(Arc::new(seen), 0);
            self.holding.insert(channel);
        } else {
            self.holding.remove(&channel);
        }
        restored.edits
    }

    /// Restores a frame that is no event.
    fn unread(&mut self, reply: &Reply, raw: &[u8], text: &str, out: &mut Vec<u8>) {
        let edits = self.text(reply, text);
        if edits.is_empty() {
            out.extend_from_slice(raw);
        } else {
            out.extend_from_slice(spliced(text, &edits).as_bytes());
        }
    }

    /// Restores a text that nothing goes on with.
    fn text(&mut self, reply: &Reply, data: &str) -> Vec<Edit> {
        let context = if looks_like_json(data) {
            Context::JsonText
        } else {
            Context::Plain
        };
        let restored = restore_text(&reply.tokens, data, context);
        self.counts.pieces.add(&restored);
        restored.edits
    }

    fn json_event(
        &mut self,
        reply: &Reply,
        event: &Source<'_>,
        write: &Write,
        out: &mut Vec<u8>,
    ) -> Restored {
        schema::names_of_reply(event.root, reply.kept, &mut self.names);
        let map = schema::event(reply.schema, event.name, event.root, &mut self.state);
        self.flush(reply, &map.flush_before, &BTreeSet::new(), write, out);
        let present = map.pieces.iter().map(|piece| piece.channel).collect();
        self.flush(reply, &map.ends, &present, write, out);
        self.end_repeated(reply, &map, write, out);
        self.state.delivered();
        let mut edits = Vec::new();
        for piece in &map.pieces {
            self.piece(reply, piece, &map.ends, event, &mut edits);
        }
        if self.whole(reply, &map, &mut edits) == 0 {
            self.keep_template(event, &map);
        }
        if let Some((channel, signature)) = map.signature {
            let open = self.channels.entry(channel).or_default();
            let text = std::mem::take(&mut open.signable);
            self.signed
                .extend(sign_text(reply, text, &signature.text()));
        }
        let mut pieces = map.pieces.iter();
        let collects = pieces.any(|piece| self.channels.contains_key(&piece.channel));
        self.forget_places();
        edits.sort_by_key(|edit| edit.start);
        let is_cut = |piece: &&Piece<'_>| self.holding.contains(&piece.channel);
        let cut = map.pieces.iter().filter(is_cut);
        Restored {
            edits,
            cut: cut
                .map(|piece| (piece.channel, piece.value.end() - 1))
                .collect(),
            says_nothing: map.only_collected && collects,
        }
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
        ends: &BTreeSet<Flush>,
        event: &Source<'_>,
        edits: &mut Vec<Edit>,
    ) {
        let channel = piece.channel;
        let ended = Flush::any_covers(ends, channel);
        let open = self.channels.entry(channel).or_default();
        let (raw, start) = (piece.value.raw_content(), piece.value.start() + 1);
        match piece.flow {
            Flow::HoldBack(form) => {
                let text = piece.value.text();
                let restored = open.push(reply, channel, &text, form, ended);
                self.counts.pieces.add(&restored);
                edits_in_string(raw, start, restored.edits, edits);
            }
            Flow::Collect(form) => {
                open.collect(raw, form);
                let (mut text, mut restored) = (String::new(), TextEdits::default());
                if ended {
                    (text, restored) = open.take_collected(reply);
                }
                self.counts.pieces.add(&restored);
                if text != raw {
                    let end = start + raw.len();
                    edits.push(Edit { start, end, text });
                }
            }
        }
        let is_holding = open.is_holding();
        if is_holding {
            open.remember(event.seen(), piece.value.start());
        }
        if is_holding && !ended {
            self.holding.insert(channel);
        } else {
            self.holding.remove(&channel);
        }
        if ended {
            self.channels.remove(&channel);
        }
    }

    /// Delivers what was held of strings that turn out to repeat and not to go on.
    fn end_repeated(
        &mut self,
        reply: &Reply,
        map: &EventMap<'_>,
        write: &Write,
        out: &mut Vec<u8>,
    ) {
        for piece in map.pieces.iter().filter(|piece| piece.channel.is_place()) {
            let open = self.channels.get_mut(&piece.channel);
            let Some(open) = open.filter(|open| open.is_repeated(reply, &piece.value.text()))
            else {
                continue;
            };
            if open.is_holding() {
                let (written, restored) = open.take(reply);
                self.counts.pieces.add(&restored);
                let made = open.synthesize(reply, &self.state, piece.channel, &written);
                if let Some(made) = made {
                    write(&made, out);
                }
            }
            open.repeat();
            self.holding.remove(&piece.channel);
        }
    }

    /// Delivers what all channels hold, in events of their own, and ends them.
    fn flush_all(&mut self, reply: &Reply, write: &Write, out: &mut Vec<u8>) {
        self.flush(
            reply,
            &BTreeSet::from([Flush::All]),
            &BTreeSet::new(),
            write,
            out,
        );
    }

    /// Delivers what channels hold, but for some, in events of their own, and ends them.
    fn flush(
        &mut self,
        reply: &Reply,
        flushes: &BTreeSet<Flush>,
        but: &BTreeSet<Channel>,
        write: &Write,
        out: &mut Vec<u8>,
    ) {
        let mut due = BTreeSet::new();
        for flush in flushes {
            if let Flush::Settled(channel) = flush {
                let open = self.channels.get(channel);
                due.extend(open.filter(|open| !open.may_go_on(reply)).map(|_| *channel));
                continue;
            }
            let covered = self
                .channels
                .range(flush.range())
                .map(|(channel, _)| *channel);
            due.extend(
                covered.filter(|&channel| {
                    !but.contains(&channel) && Flush::any_covers(flushes, channel)
                }),
            );
        }
        for channel in due {
            let Some(open) = self.channels.get_mut(&channel) else {
                continue;
            };
            let (written, restored) = open.take(reply);
            self.counts.pieces.add(&restored);
            if self.holding.remove(&channel) {
                let made = open.synthesize(reply, &self.state, channel, &written);
                if let Some(made) = made {
                    write(&made, out);
                }
            }
            if open.signable.is_empty() {
                self.channels.remove(&channel);
            }
        }
    }

    /// Keeps memory in bounds where every event has places of its own.
    fn forget_places(&mut self) {
        if self.channels.len() < MANY_CHANNELS.max(2 * self.holding.len()) {
            return;
        }
        let holding = &self.holding;
        self.channels
            .retain(|channel, _| !channel.is_place() || holding.contains(channel));
    }
}

fn looks_like_json(data: &str) -> bool {
    data.trim_start().starts_with(['{', '[', '"'])
}

/// An event as it came.
struct Source<'e> {
    name: Option<&'e str>,
    data: &'e str,
    tape: &'e Tape,
    root: Value<'e>,
    /// All of it, and where its data begins there, if that is on one line.
    raw: &'e [u8],
    data_start: Option<usize>,
    /// What is kept of it, once a channel keeps it.
    seen: OnceCell<Arc<Seen>>,
}

impl Source<'_> {
    fn seen(&self) -> Arc<Seen> {
        let seen = self.seen.get_or_init(|| {
            Arc::new(Seen {
                name: self.name.map(str::to_owned),
                data: self.data.to_owned(),
                tape: Some(self.tape.clone()),
            })
        });
        Arc::clone(seen)
    }
}

/// A value that was restored and not delivered.
#[derive(Debug)]
struct Pending {
    data: String,
    edits: Vec<Edit>,
    /// The channels of which something is held, and where their strings end.
    cut: Vec<(Channel, usize)>,
    /// What follows it and is no value.
    behind: Vec<u8>,
}

impl Pending {
    /// Puts what was cut off back at the end of a string.
    fn put_back(&mut self, end: usize, written: &str) {
        let cut = self.edits.iter_mut().rev().find(|edit| edit.end == end);
        if let Some(cut) = cut {
            cut.text.push_str(written);
        }
    }

    fn write(self, out: &mut Vec<u8>) {
        out.extend_from_slice(spliced(&self.data, &self.edits).as_bytes());
        out.extend_from_slice(&self.behind);
    }
}

/// What becomes of an event's data.
#[derive(Default)]
struct Restored {
    edits: Vec<Edit>,
    /// The channels of which something is held, and where their strings end.
    cut: Vec<(Channel, usize)>,
    /// The event has nothing left to say, and may be dropped.
    says_nothing: bool,
}
