//! The channels of a stream: what each one holds, and when it is sent.

mod alike;

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::history::SignedBlock;
use crate::json::{Edit, Value, edits_in_string};
use crate::schema::{Channel, EventMap, EventState, Form, Piece, Span, Unkeyed, text_channel};

use super::channel::{Fate, Names, Open, Seen, Taken};
use super::document::sign_text;
use super::keys::Keys;
use super::unnamed_call::{Delivered, LateText};
use super::{Counts, Reply};

/// Above this number, channels that hold nothing and are identified only by their place are
/// forgotten.
const MANY_CHANNELS: usize = 4096;

#[derive(Debug, Default)]
pub(super) struct Channels {
    /// Boxed, because a map makes room for eleven and most streams have one.
    open: BTreeMap<Channel, Box<Open>>,
    /// Those that hold something.
    holding: BTreeSet<Channel>,
    /// What came at places with keys.
    keys: BTreeMap<u64, Keys>,
    /// How many there were.
    begun: u64,
    pub(super) counts: Counts,
}

/// An event as it arrived.
pub(super) struct Source<'e> {
    pub(super) name: Option<&'e str>,
    pub(super) data: &'e str,
    pub(super) root: Value<'e>,
    /// All of it, and where its data begins there, if that is on one line.
    pub(super) raw: &'e [u8],
    pub(super) data_start: Option<usize>,
    /// What is kept of it, once a channel keeps it.
    pub(super) seen: OnceCell<Arc<Seen>>,
}

impl Source<'_> {
    fn seen(&self) -> Arc<Seen> {
        let seen = self.seen.get_or_init(|| {
            Arc::new(Seen {
                name: self.name.map(str::to_owned),
                data: self.data.to_owned(),
            })
        });
        Arc::clone(seen)
    }
}

impl Channels {
    pub(super) fn is_holding(&self) -> bool {
        !self.holding.is_empty()
    }

    pub(super) fn holds(&self, channel: Channel) -> bool {
        self.holding.contains(&channel)
    }

    /// Whether the format knows the place of a channel.
    pub(super) fn is_known(&self, channel: Channel) -> bool {
        self.open.get(&channel).is_some_and(|open| open.is_known)
    }

    pub(super) fn is_open(&self, channel: Channel) -> bool {
        self.open.contains_key(&channel)
    }

    /// Delivers what is due before the pieces of an event.
    pub(super) fn before(
        &mut self,
        reply: &Reply,
        map: &EventMap<'_>,
        state: &EventState,
    ) -> Vec<Delivered> {
        let mut made = Vec::new();
        self.flush(reply, &map.due, &BTreeSet::new(), state, &mut made);
        for piece in &map.pieces {
            self.go_on_under_key(reply, piece, map.is_typed, state, &mut made);
        }
        if !map.ends.is_empty() {
            let present = map.pieces.iter().map(|piece| piece.channel).collect();
            let ends = self.ends(&map.ends, map.is_typed);
            self.flush(reply, ends, &present, state, &mut made);
        }
        for piece in &map.pieces {
            self.end_repeated(reply, piece, state, &mut made);
        }
        made
    }

    /// The channels that end with an event: all if keys count events, and so name no texts.
    fn ends<'e>(&self, ends: &'e [Span], is_typed: bool) -> &'e [Span] {
        let mut keys = self.keys.values();
        if !ends.is_empty() && keys.any(|keys| keys.count_events(is_typed)) {
            return &[Span::ALL];
        }
        ends
    }

    /// Delivers what all hold, and ends them.
    pub(super) fn flush_all(&mut self, reply: &Reply, state: &EventState) -> Vec<Delivered> {
        let mut made = Vec::new();
        self.flush(reply, &[Span::ALL], &BTreeSet::new(), state, &mut made);
        made
    }

    fn flush(
        &mut self,
        reply: &Reply,
        spans: &[Span],
        but: &BTreeSet<Channel>,
        state: &EventState,
        made: &mut Vec<Delivered>,
    ) {
        let mut due = BTreeMap::new();
        for span in spans {
            for (channel, open) in self.open.range(span.first..=span.last) {
                let stays = but.contains(channel) || open.is_excepted(reply, span.except, state);
                if !stays {
                    let (_, is_ended) = due.entry(open.since).or_insert((*channel, false));
                    *is_ended |= span.is_all_of(channel.outer());
                }
            }
        }
        for (channel, is_ended) in due.into_values() {
            made.extend(self.deliver(reply, channel, state, Names::of(state, is_ended)));
            let open = self.open.get(&channel);
            if !open.is_some_and(|open| open.may_be_signed()) {
                self.open.remove(&channel);
            }
        }
    }

    /// Moves what a channel holds into a separate event.
    fn deliver(
        &mut self,
        reply: &Reply,
        channel: Channel,
        state: &EventState,
        names: Names<'_>,
    ) -> Option<Delivered> {
        let open = self.open.get_mut(&channel)?;
        let Taken {
            written,
            restored,
            late,
        } = open.take(reply, names);
        self.counts.add(&restored);
        let held = self.holding.remove(&channel);
        let made = held.then(|| open.synthesize(reply, state, &written))??;
        Some(Delivered { made, late })
    }

    /// The same without restoring it.
    fn show(&mut self, reply: &Reply, channel: Channel, state: &EventState) -> Option<Delivered> {
        let is_held = self.holds(channel);
        let written = self.let_go(reply, channel).filter(|_| is_held)?;
        let made = self
            .open
            .get(&channel)?
            .synthesize(reply, state, &written)?;
        Some(Delivered { made, late: None })
    }

    /// What is held of a string at a place that no format knows, for the end of the event that it was cut off, where
    /// nothing of the next event goes on with it.
    pub(super) fn take_back_before(
        &mut self,
        reply: &Reply,
        channel: Channel,
        map: &EventMap<'_>,
        state: &EventState,
    ) -> Option<String> {
        if self.is_known(channel) {
            return None;
        }
        let open = self.open.get(&channel);
        let is_excepted = |except| open.is_some_and(|open| open.is_excepted(reply, except, state));
        if map.ends_before(channel, is_excepted) || self.is_whole_before(reply, channel, map) {
            return self.take_back(reply, channel);
        }
        let (mut shows, mut goes_on) = (false, false);
        for piece in &map.pieces {
            let is_here = piece.channel == channel;
            goes_on |= is_here;
            if let Some((latest, fate)) = self.under_key(reply, piece, map.is_typed) {
                shows |= latest == channel && fate == Fate::Shows;
                goes_on |= latest == channel && fate == Fate::Moves;
            } else {
                shows |= is_here && !self.goes_on(reply, piece);
            }
        }
        if shows {
            return self.let_go(reply, channel);
        }
        let is_whole = !goes_on && open.is_some_and(|open| open.seems_whole());
        is_whole.then(|| self.take_whole(reply, channel))?
    }

    /// What a channel holds of a text that is whole. What comes at its place later is another one.
    fn take_whole(&mut self, reply: &Reply, channel: Channel) -> Option<String> {
        let written = self.take_back(reply, channel);
        if let Some(open) = self.open.get_mut(&channel) {
            open.begin_again();
        }
        written
    }

    /// What a channel holds, without restoring it.
    fn let_go(&mut self, reply: &Reply, channel: Channel) -> Option<String> {
        let open = self.open.get_mut(&channel)?;
        self.holding.remove(&channel);
        let (written, unknown) = open.let_go(reply);
        self.counts.unknown += unknown;
        Some(written)
    }

    fn goes_on(&self, reply: &Reply, piece: &Piece<'_>) -> bool {
        let open = self.open.get(&piece.channel);
        open.is_some_and(|open| open.goes_on(reply, &piece.value.text()))
    }

    /// Whether a string is whole: it repeats in the next event, or was left behind.
    fn is_whole_before(&self, reply: &Reply, channel: Channel, map: &EventMap<'_>) -> bool {
        map.pieces.iter().any(|piece| {
            let ends = Some((channel, Fate::Ends));
            piece.channel == channel && self.is_repeated(reply, piece)
                || self.under_key(reply, piece, map.is_typed) == ends
        })
    }

    fn is_repeated(&self, reply: &Reply, piece: &Piece<'_>) -> bool {
        let open = self.open.get(&piece.channel);
        open.is_some_and(|open| open.is_repeated(reply, &piece.value.text()))
    }

    /// The channel under the previous key, where a new key may count events or name another text,
    /// and what becomes of what it holds.
    ///
    /// An `id` more often names the event. Then a little that is held belongs before this piece.
    fn under_key(
        &self,
        reply: &Reply,
        piece: &Piece<'_>,
        is_typed: bool,
    ) -> Option<(Channel, Fate)> {
        let unkeyed = piece.unkeyed.filter(|_| !piece.is_known)?;
        let keys = self.keys.get(&unkeyed.place)?;
        let latest = self.open.get(&keys.latest)?;
        if !keys.may_go_on(piece.channel, latest.pieces > 1, is_typed) {
            return None;
        }
        let fate = match latest.under_another_key(reply, &piece.value.text()) {
            Fate::Stays if unkeyed.by_event_id && latest.has_hardly_begun_token() => Fate::Ends,
            fate => fate,
        };
        Some((keys.latest, fate))
    }

    /// Continues a text whose key counts events under this event's key, or ends it before.
    fn go_on_under_key(
        &mut self,
        reply: &Reply,
        piece: &Piece<'_>,
        is_typed: bool,
        state: &EventState,
        made: &mut Vec<Delivered>,
    ) {
        let Some(Unkeyed { place, .. }) = piece.unkeyed.filter(|_| !piece.is_known) else {
            return;
        };
        let fate = self.under_key(reply, piece, is_typed);
        match fate {
            Some((latest, Fate::Ends)) => {
                made.extend(self.deliver(reply, latest, state, Names::Begun));
            }
            Some((latest, Fate::Shows)) => made.extend(self.show(reply, latest, state)),
            _ => {}
        }
        let channel = piece.channel;
        let Some(keys) = self.keys.get_mut(&place) else {
            self.keys.insert(place, Keys::new(channel));
            return;
        };
        let latest = self.open.get(&keys.latest);
        let came_again = latest.is_some_and(|open| open.pieces > 1);
        let Some(from) = keys.previous(channel, came_again) else {
            return;
        };
        if keys.count_events(is_typed) {
            let before =
                |key: &Channel| *key != from && *key != channel && self.holding.contains(key);
            let late: Vec<_> = keys.seen().filter(before).collect();
            made.extend(
                late.into_iter()
                    .filter_map(|key| self.deliver(reply, key, state, Names::Begun)),
            );
        } else if !fate.is_some_and(|(_, fate)| fate == Fate::Moves) {
            return;
        }
        if let Some(mut open) = self.open.remove(&from) {
            open.pieces = 0;
            self.open.insert(channel, open);
        }
        if self.holding.remove(&from) {
            self.holding.insert(channel);
        }
    }

    /// Delivers what was held of a string that turns out to repeat instead of continue.
    fn end_repeated(
        &mut self,
        reply: &Reply,
        piece: &Piece<'_>,
        state: &EventState,
        made: &mut Vec<Delivered>,
    ) {
        if !self.is_repeated(reply, piece) {
            return;
        }
        if self.holds(piece.channel) {
            made.extend(self.deliver(reply, piece.channel, state, Names::Begun));
        }
        if let Some(open) = self.open.get_mut(&piece.channel) {
            open.repeat(reply);
        }
    }

    /// Restores a piece of an event. Returns what belongs in its place later.
    pub(super) fn piece(
        &mut self,
        reply: &Reply,
        piece: &Piece<'_>,
        event: &Source<'_>,
        names: Names<'_>,
        edits: &mut Vec<Edit>,
    ) -> Option<LateText> {
        let channel = piece.channel;
        let is_blank = || piece.value.text().trim_ascii().is_empty();
        if piece.form == Form::Arguments
            && piece.is_collected()
            && !self.is_open(channel)
            && is_blank()
        {
            return None;
        }
        let begun = &mut self.begun;
        let open = self.open.entry(channel).or_insert_with(|| {
            *begun += 1;
            Box::new(Open::new(reply, *begun, piece))
        });
        open.belong_to(piece);
        let (raw, start) = (piece.value.raw_content(), piece.value.start() + 1);
        let end = start + raw.len();
        let mut ended = piece.ends;
        let late;
        if open.collects(piece) {
            ended |= open.collect(raw);
            let taken = ended.then(|| open.take(reply, names));
            let taken = taken.unwrap_or_default();
            self.counts.add(&taken.restored);
            late = taken.late;
            let text = taken.written;
            if text != raw {
                edits.push(Edit { start, end, text });
            }
        } else {
            late = open.late_string(reply, raw, names);
            let text = piece.value.text();
            let restored = open.push(reply, &text, ended || late.is_some(), names);
            if late.is_some() {
                let text = String::new();
                edits.push(Edit { start, end, text });
            } else {
                self.counts.add(&restored);
                edits_in_string(raw, start, restored.edits, edits);
            }
        }
        if ended {
            self.open.remove(&channel);
            self.holding.remove(&channel);
            return late;
        }
        if !open.is_holding() {
            self.holding.remove(&channel);
            return late;
        }
        self.holding.insert(channel);
        match &piece.next {
            None => open.remember(event.seen(), piece.value.start()),
            Some(next) => {
                let seen = Seen {
                    name: event.name.map(|_| next.name.clone()),
                    data: next.data.clone(),
                };
                open.remember(Arc::new(seen), next.piece);
            }
        }
        late
    }

    /// Restores the data of an event that is a bare text: a piece of the one before.
    pub(super) fn text(&mut self, reply: &Reply, name: Option<&str>, data: &str) -> Vec<Edit> {
        let channel = text_channel(name);
        let begun = &mut self.begun;
        let open = self.open.entry(channel).or_insert_with(|| {
            *begun += 1;
            Box::new(Open::of_text(reply, *begun, Form::Prose, false))
        });
        let restored = open.push(reply, data, false, Names::Begun);
        self.counts.add(&restored);
        if open.is_holding() {
            let seen = Seen {
                name: name.map(str::to_owned),
                data: String::new(),
            };
            open.remember(Arc::new(seen), 0);
            self.holding.insert(channel);
        } else {
            self.holding.remove(&channel);
        }
        restored.edits
    }

    /// What a channel holds, restored, for the end of the event that it was cut from.
    pub(super) fn take_back(&mut self, reply: &Reply, channel: Channel) -> Option<String> {
        let open = self.open.get_mut(&channel)?;
        self.holding.remove(&channel);
        let taken = open.take(reply, Names::Begun);
        self.counts.add(&taken.restored);
        Some(taken.written)
    }

    /// What is remembered of the text that a signature signs.
    pub(super) fn sign(
        &mut self,
        reply: &Reply,
        channel: Channel,
        signature: &str,
    ) -> Option<SignedBlock> {
        let text = self.open.get_mut(&channel)?.take_signable()?;
        sign_text(reply, text, signature)
    }

    /// Limits memory if every event has its own places.
    pub(super) fn forget_places(&mut self) {
        if self.open.len() < MANY_CHANNELS.max(2 * self.holding.len()) {
            return;
        }
        self.keys.clear();
        let holding = &self.holding;
        self.open
            .retain(|channel, open| open.is_known || holding.contains(channel));
    }
}
