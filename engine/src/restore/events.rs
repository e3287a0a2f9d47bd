//! Restores the events of a stream.
//!
//! A text that arrives in pieces is a *channel*. Its tail is held back while it may still become a
//! token. Arguments of calls are collected and delivered in one piece. Events without anything to
//! restore pass byte for byte.

use std::borrow::Cow;
use std::cell::OnceCell;

use crate::Schema;
use crate::base::utf8::lossy;
use crate::framing::json_values::{Layout, Part, code_of};
use crate::framing::sse::Event;
use crate::history::HistoryName;
use crate::history::SignedBlock;
use crate::json::{Context, Edit, Kind, Tape, splice, spliced};
use crate::schema::{self, Called, Channel, EventMap, EventState, Piece, ReplyLeaf};

use super::channel::Names;
use super::channels::{Channels, Source};
use super::document::{add_edits, leaf_may_be_restored, sign};
use super::lookahead::{Held, Lookahead};
use super::pending::{Pending, write_event};
use super::stream::EventStyle;
use super::template::{Template, Templates};
use super::text::{restore_last_text, restore_string};
use super::unnamed_call::{Late, LateText};
use super::{Counts, MAX_DEPTH, Reply};

/// The end of a chat stream, which is not JSON.
pub(super) const DONE: &str = "[DONE]";

#[derive(Debug, Default)]
pub(super) struct EventRestorer {
    state: EventState,
    channels: Channels,
    /// Of the event that repeats most.
    whole: Counts,
    pub(super) frames: u64,
    pub(super) signed: Vec<SignedBlock>,
    pub(super) names: Vec<HistoryName>,
    templates: Templates,
    /// The last event was dropped, and with it an LF that may yet end its CR.
    dropped: bool,
    /// The last value's line has not ended.
    is_on_line: bool,
    /// The last event, while a text in it may still continue. If it does not, the event gets back
    /// what is held of it.
    pending: Option<Pending>,
    /// What waits for the name of a tool.
    late: Late,
    /// The same in streams of no known format.
    ahead: Lookahead,
}

/// What becomes of an event's data.
#[derive(Default)]
struct Restored {
    edits: Vec<Edit>,
    /// The channels that hold something, and where their strings end.
    cut: Vec<(Channel, usize)>,
    /// The event has no content left, and may be dropped.
    may_be_dropped: bool,
    /// What is restored later, and where it belongs in the data.
    late: Vec<(usize, LateText)>,
}

impl Restored {
    /// Where in the edited data the texts belong that are restored later.
    fn places(&mut self) -> Vec<(usize, LateText)> {
        let mut late = std::mem::take(&mut self.late);
        late.sort_by_key(|(at, _)| *at);
        let mut edits = self.edits.iter().peekable();
        let (mut added, mut removed) = (0, 0);
        for (at, _) in &mut late {
            while let Some(edit) = edits.next_if(|edit| edit.start < *at) {
                added += edit.text.len();
                removed += edit.end - edit.start;
            }
            *at = *at + added - removed;
        }
        late
    }
}

impl EventRestorer {
    pub(super) fn is_holding(&self) -> bool {
        self.holds_texts() || !self.late.is_empty() || !self.ahead.is_empty()
    }

    /// Whether it holds the end of a text, or arguments that are not complete.
    pub(super) fn holds_texts(&self) -> bool {
        self.channels.is_holding()
    }

    /// Delivers what something writes behind all that waits.
    pub(super) fn in_order(
        &mut self,
        out: &mut Vec<u8>,
        write: impl FnOnce(&mut Self, &mut Vec<u8>),
    ) {
        let start = out.len();
        write(self, out);
        self.late.put_in_order(start, out);
    }

    /// Restores what waits for names, of which no more follow.
    pub(super) fn finish_calls(&mut self, reply: &Reply) {
        let counts = self.late.finish_calls(reply, &self.state, 0..=u32::MAX);
        self.count(counts);
    }

    const fn count(&mut self, counts: Counts) {
        self.channels.counts.restored += counts.restored;
        self.channels.counts.unknown += counts.unknown;
        self.channels.counts.withheld += counts.withheld;
    }

    pub(super) fn is_waiting(&self) -> bool {
        self.pending.is_some()
    }

    /// Each token once for the text it is delivered in, not once for every event that repeats it.
    pub(super) fn counts(&self) -> Counts {
        let pieces = self.channels.counts;
        Counts {
            restored: pieces.restored.max(self.whole.restored),
            unknown: pieces.unknown.max(self.whole.unknown),
            withheld: pieces.withheld.max(self.whole.withheld),
        }
    }

    /// Restores one frame: an event, a comment or a blank line.
    pub(super) fn frame(&mut self, reply: &Reply, raw: &[u8], out: &mut Vec<u8>) {
        if !self.ahead.holds_frame(reply, raw) {
            self.catch_up(reply, out);
            self.next_frame(reply, raw, out);
        }
    }

    /// Restores what waits for names that are complete now.
    fn catch_up(&mut self, reply: &Reply, out: &mut Vec<u8>) {
        if self.ahead.is_new() {
            return;
        }
        let Lookahead { names, held } = std::mem::take(&mut self.ahead);
        self.state.name_items(names, reply.tokens.end_is_whole());
        for held in held {
            match held {
                Held::Frame(raw) => self.next_frame(reply, &raw, out),
                Held::Value(layout, raw) => {
                    self.next_part(reply, layout, &Part::Value(&raw), out);
                }
                Held::Between(layout, bytes) => {
                    self.next_part(reply, layout, &Part::Between(&bytes), out);
                }
            }
        }
    }

    fn next_frame(&mut self, reply: &Reply, raw: &[u8], out: &mut Vec<u8>) {
        if std::mem::take(&mut self.dropped) && raw == b"\n" {
            self.dropped = true;
            return;
        }
        if self.is_like_earlier(reply, raw, out) {
            self.frames += 1;
            return;
        }
        self.templates.forget_keys();
        let text = lossy(raw);
        let event = Event::read(&text);
        let Some(data) = event.data() else {
            // A comment, or a text that its head calls a stream of events.
            let edits = self.text(reply, &text);
            let behind = self.pending.as_mut().map(Pending::behind);
            return write_edited(raw, &text, &edits, behind.unwrap_or(out));
        };
        self.frames += 1;
        if data.trim() == DONE {
            self.end_pending(reply, out);
            self.finish_calls(reply);
            self.flush_all(reply, EventStyle::Event, out);
            return out.extend_from_slice(raw);
        }
        let mut restored = self.restored(reply, &event, &text, &data, out);
        for (at, text) in restored.places() {
            let edited = spliced(&data, &restored.edits);
            self.late.add(out.len() + event.place_of(&edited, at), text);
            restored.cut.clear();
        }
        if restored.may_be_dropped {
            self.dropped = true;
        } else if restored.edits.is_empty() {
            out.extend_from_slice(raw);
        } else {
            self.put_edited(&event, &text, data, restored, out);
        }
    }

    /// Restores the data of an event.
    fn restored(
        &mut self,
        reply: &Reply,
        event: &Event<'_>,
        text: &str,
        data: &str,
        out: &mut Vec<u8>,
    ) -> Restored {
        if let Ok(tape) = Tape::scan(data, MAX_DEPTH)
            && tape.root(data).kind() != Kind::Scalar
        {
            let source = Source {
                name: event.name,
                data,
                root: tape.root(data),
                raw: text.as_bytes(),
                data_start: event.data_start(),
                seen: OnceCell::new(),
            };
            return self.json_event(reply, &source, EventStyle::Event, out);
        }
        // A number may be a piece of a text, too.
        if event.name.is_some_and(schema::ends_texts) {
            self.end_pending(reply, out);
            self.flush_all(reply, EventStyle::Event, out);
        }
        self.release(out);
        Restored {
            edits: self.text_event(reply, event.name, data),
            ..Restored::default()
        }
    }

    /// Delivers an event whose data was edited, or lets it wait where its texts may go on.
    fn put_edited(
        &mut self,
        event: &Event<'_>,
        text: &str,
        data: Cow<'_, str>,
        restored: Restored,
        out: &mut Vec<u8>,
    ) {
        let Restored { edits, mut cut, .. } = restored;
        cut.retain(|(channel, _)| !self.channels.is_known(*channel));
        if cut.is_empty() {
            return write_event(event, &data, &edits, out);
        }
        let pending = Pending::value(data.into_owned(), edits, cut);
        self.pending = Some(pending.in_event(text));
    }

    /// Restores the end of a stream without its blank line. Readers ignore an incomplete event, so
    /// what is held of its texts is delivered before it.
    pub(super) fn last_frame(&mut self, reply: &Reply, raw: &[u8], out: &mut Vec<u8>) {
        let text = lossy(raw);
        let data = Event::read(&text).data();
        if data.is_none_or(|data| data.trim().is_empty() || is_cut(&data)) {
            self.end_pending(reply, out);
            self.flush_all(reply, EventStyle::Event, out);
        }
        self.frame(reply, raw, out);
    }

    /// Restores what a stream of values ends with: a value, or the beginning of one.
    pub(super) fn last_value(
        &mut self,
        reply: &Reply,
        layout: Layout,
        raw: &[u8],
        out: &mut Vec<u8>,
    ) {
        let (_, json) = code_of(raw).unwrap_or((&[], raw));
        if is_cut(&lossy(json)) {
            self.end_pending(reply, out);
            self.flush_all(reply, EventStyle::before(layout), out);
        }
        self.part(reply, layout, &Part::Value(raw), out);
    }

    /// Restores a part of a stream of JSON values.
    pub(super) fn part(
        &mut self,
        reply: &Reply,
        layout: Layout,
        part: &Part<'_>,
        out: &mut Vec<u8>,
    ) {
        if !self.ahead.holds_part(reply, layout, part) {
            self.catch_up(reply, out);
            self.next_part(reply, layout, part, out);
        }
    }

    fn next_part(&mut self, reply: &Reply, layout: Layout, part: &Part<'_>, out: &mut Vec<u8>) {
        match part {
            Part::Between(bytes) => {
                if layout == Layout::List && bytes.contains(&b']') {
                    self.end_values(reply, layout, out);
                }
                self.is_on_line &= !bytes.contains(&b'\n');
                let behind = self.pending.as_mut().map(Pending::behind);
                behind.unwrap_or(out).extend_from_slice(bytes);
            }
            Part::Value(raw) => {
                self.is_on_line = true;
                self.frames += 1;
                self.value(reply, layout, raw, out);
            }
        }
    }

    fn value(&mut self, reply: &Reply, layout: Layout, raw: &[u8], out: &mut Vec<u8>) {
        if self.is_like_earlier(reply, raw, out) {
            return;
        }
        self.templates.forget_keys();
        let (code, json) = code_of(raw).unwrap_or((&[], raw));
        let code = lossy(code);
        let data = lossy(json);
        let Ok(tape) = Tape::scan(&data, MAX_DEPTH) else {
            self.release(out);
            let text = lossy(raw);
            let edits = self.text(reply, &text);
            return write_edited(raw, &text, &edits, out);
        };
        let event = Source {
            name: Some(&*code).filter(|code| !code.is_empty()),
            data: &data,
            root: tape.root(&data),
            raw,
            data_start: Some(code.len()),
            seen: OnceCell::new(),
        };
        let mut restored = self.json_event(reply, &event, EventStyle::before(layout), out);
        if restored.edits.is_empty() {
            return out.extend_from_slice(raw);
        }
        out.extend_from_slice(code.as_bytes());
        for (at, text) in restored.places() {
            self.late.add(out.len() + at, text);
            restored.cut.clear();
        }
        let Restored { edits, cut, .. } = restored;
        let is_cut = !cut.is_empty();
        let pending = Pending::value(data.into_owned(), edits, cut);
        if is_cut {
            self.pending = Some(pending);
        } else {
            pending.write(out);
        }
    }

    /// Ends a stream of values: the last one gets what is held of its texts.
    pub(super) fn end_values(&mut self, reply: &Reply, layout: Layout, out: &mut Vec<u8>) {
        self.end_pending(reply, out);
        let adding = match layout {
            Layout::Lines if self.is_on_line => EventStyle::NextLine,
            Layout::Lines => EventStyle::Line,
            Layout::List => EventStyle::LastElement,
        };
        self.flush_all(reply, adding, out);
    }

    /// Delivers the events that wait, the last of which its texts end with.
    pub(super) fn end_pending(&mut self, reply: &Reply, out: &mut Vec<u8>) {
        self.catch_up(reply, out);
        self.deliver_pending(
            |channels, _, channel| channels.take_back(reply, channel),
            out,
        );
    }

    /// Delivers the waiting event unchanged: what is held of its texts stays held.
    pub(super) fn release(&mut self, out: &mut Vec<u8>) {
        if let Some(pending) = self.pending.take() {
            pending.write(out);
        }
    }

    /// Delivers the event that waits, and with it what is taken back of its texts.
    fn deliver_pending(
        &mut self,
        take_back: impl Fn(&mut Channels, &EventState, Channel) -> Option<String>,
        out: &mut Vec<u8>,
    ) {
        let Some(mut pending) = self.pending.take() else {
            return;
        };
        for (channel, end) in pending.take_cut() {
            if let Some(written) = take_back(&mut self.channels, &self.state, channel) {
                pending.put_back(end, &written);
            }
        }
        pending.write(out);
    }

    /// Delivers what all channels hold, in separate events, and ends them.
    pub(super) fn flush_all(&mut self, reply: &Reply, adding: EventStyle, out: &mut Vec<u8>) {
        let made = self.channels.flush_all(reply, &self.state);
        adding.write(made, &mut self.late, out);
    }

    fn json_event(
        &mut self,
        reply: &Reply,
        event: &Source<'_>,
        adding: EventStyle,
        out: &mut Vec<u8>,
    ) -> Restored {
        schema::names_of_reply(event.root, reply.kept, &mut self.names);
        let mut map = schema::event(reply.schema, event.name, event.root, &mut self.state);
        if !reply.rules.is_empty() {
            schema::name_calls(&mut map, event.root, &mut self.state);
        }
        let take_back = |channels: &mut Channels, state: &EventState, channel| {
            channels.take_back_before(reply, channel, &map, state)
        };
        self.deliver_pending(take_back, out);
        for ended in map.ended_answers() {
            let counts = self.late.finish_calls(reply, &self.state, ended);
            self.count(counts);
        }
        let made = self.channels.before(reply, &map, &self.state);
        adding.write(made, &mut self.late, out);
        self.state.delivered();
        let (mut edits, mut late) = (Vec::new(), Vec::new());
        for piece in &map.pieces {
            let names = Names::of(&self.state, map.ends_answer(piece.channel.outer()));
            let text = self.channels.piece(reply, piece, event, names, &mut edits);
            late.extend(text.map(|text| (piece.value.start() + 1, text)));
        }
        if self.rest(reply, &map, &mut edits, &mut late) == 0 && late.is_empty() {
            self.keep_template(event, &map);
        }
        for (channel, signature) in &map.signatures {
            let signed = self.channels.sign(reply, *channel, &signature.text());
            self.signed.extend(signed);
        }
        let mut pieces = map.pieces.iter();
        let collects_all = pieces.all(|piece| self.channels.holds(piece.channel));
        self.channels.forget_places();
        edits.sort_by_key(|edit| edit.start);
        let cut = map
            .pieces
            .iter()
            .filter(|piece| !piece.ends && self.channels.holds(piece.channel));
        Restored {
            edits,
            cut: cut
                .map(|piece| (piece.channel, piece.value.end() - 1))
                .collect(),
            may_be_dropped: map.only_collected && collects_all,
            late,
        }
    }

    /// Restores the strings of an event that are not pieces, and returns the number of their tokens that are not late.
    fn rest(
        &mut self,
        reply: &Reply,
        map: &EventMap<'_>,
        edits: &mut Vec<Edit>,
        late: &mut Vec<(usize, LateText)>,
    ) -> u64 {
        let mut counts = Counts::default();
        let leaves = map.reply.leaves.iter();
        for leaf in leaves.filter(|leaf| leaf_may_be_restored(reply, leaf)) {
            let called = map.reply.calls.called(leaf.value, leaf.form);
            let call = called.as_ref().and_then(|called| called.growing);
            let are_complete = call.is_some_and(|call| map.ends_answer(call.choice));
            let names = Names::of(&self.state, are_complete);
            let called = called.map(|called| names.called(reply, &called));
            let text = leaf.value.text();
            let restored = restore_string(reply, &text, leaf.form, called.as_ref());
            match called.filter(|called| names.may_decide(called, &restored)) {
                None => {
                    counts.add(&restored);
                    add_edits(leaf, restored, edits);
                }
                Some(called) => late.push(late_leaf(leaf, called, edits)),
            }
        }
        if reply.schema != Schema::Responses {
            self.count(counts);
        } else if counts.restored + counts.withheld >= self.whole.restored + self.whole.withheld {
            self.whole = counts;
        }
        let signed = map.reply.signed.iter();
        self.signed
            .extend(signed.filter_map(|signed| sign(reply, signed)));
        counts.restored + counts.unknown + counts.withheld
    }

    /// Restores an event that is like an earlier one without reading it. False when it has to be read.
    fn is_like_earlier(&mut self, reply: &Reply, raw: &[u8], out: &mut Vec<u8>) -> bool {
        if self.pending.is_some() {
            return false;
        }
        let Some((template, next)) = self.templates.find(&reply.tokens, raw) else {
            return false;
        };
        let Some(edits) = self.channels.pieces_like(reply, template, &next) else {
            return false;
        };
        self.state.pass_over(next.number);
        if edits.is_empty() {
            out.extend_from_slice(raw);
        } else {
            let before = raw.get(..template.data_start);
            out.extend_from_slice(before.unwrap_or_default());
            let data = next.data().unwrap_or_default();
            splice(data, &edits, out);
            let behind = raw.get(template.data_start + data.len()..);
            out.extend_from_slice(behind.unwrap_or_default());
        }
        true
    }

    /// Keeps the shape of an event that only brings the next pieces of texts, and strings that repeat.
    fn keep_template(&mut self, event: &Source<'_>, map: &EventMap<'_>) {
        let is_more = |piece: &Piece<'_>| {
            !piece.ends && !piece.is_collected() && piece.next.is_none() && piece.called.is_none()
        };
        let is_like_next =
            map.due.is_empty() && map.signatures.is_empty() && map.pieces.iter().all(is_more);
        if is_like_next && let Some(template) = Template::of(event, map) {
            self.templates.keep(template);
        }
    }

    /// Restores an event with text data: a piece of the previous one.
    fn text_event(&mut self, reply: &Reply, name: Option<&str>, data: &str) -> Vec<Edit> {
        if looks_like_json(data) {
            return self.text(reply, data);
        }
        self.channels.text(reply, name, data)
    }

    /// Restores a text that nothing continues.
    fn text(&mut self, reply: &Reply, data: &str) -> Vec<Edit> {
        let restored = if looks_like_json(data) {
            let tokens = reply.tokens_for(Some(&Called::default()));
            restore_last_text(&tokens, data, Context::Json)
        } else {
            restore_last_text(&reply.tokens, data, Context::Plain)
        };
        self.channels.counts.add(&restored);
        restored.edits
    }
}

/// Cuts a string out of its event until the name of its call is complete.
fn late_leaf(leaf: &ReplyLeaf<'_>, called: Called, edits: &mut Vec<Edit>) -> (usize, LateText) {
    let raw = leaf.value.raw_content().to_owned();
    let start = leaf.value.start() + 1;
    edits.push(Edit {
        start,
        end: start + raw.len(),
        text: String::new(),
    });
    let form = leaf.form;
    (start, LateText { raw, form, called })
}

fn looks_like_json(data: &str) -> bool {
    data.trim_start().starts_with(['{', '[', '"'])
}

/// Whether data is the beginning of JSON and no more.
fn is_cut(data: &str) -> bool {
    looks_like_json(data) && Tape::scan(data, MAX_DEPTH).is_err()
}

/// Writes bytes unchanged unless there is something to edit; `text` is their readable part.
fn write_edited(raw: &[u8], text: &str, edits: &[Edit], out: &mut Vec<u8>) {
    if edits.is_empty() {
        out.extend_from_slice(raw);
    } else {
        out.extend_from_slice(spliced(text, edits).as_bytes());
    }
}
