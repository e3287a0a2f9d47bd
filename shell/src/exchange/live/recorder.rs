//! Keeps the latest exchanges for the live page, in memory only.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use engine::{Mapping, MaskSummary, Sensitive, Session, Sighting};
use http::StatusCode;
use tokio::sync::Notify;

use super::access::Access;
use super::values::{self, TooMany};
use crate::base::clock;
use crate::session::RequestId;
use crate::upstream::Outgoing;

/// The number of exchanges that are kept.
const MOST: usize = 200;

/// The maximum size of each text that is shown.
const MOST_OF_TEXT: usize = 256 << 10;

/// The maximum size of all texts and values. The last exchange is kept in any case.
const MOST_BYTES: usize = 64 << 20;

/// About what a value takes beside its text and its token.
const OF_VALUE: usize = size_of::<Mapping>() + 64;

/// Keeps the latest exchanges for the live page. The default keeps none and costs nothing.
#[derive(Debug, Clone, Default)]
pub(crate) struct Recorder(Option<Arc<Live>>);

#[derive(Debug)]
pub(super) struct Live {
    pub(super) access: Access,
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Debug, Default)]
pub(super) struct State {
    exchanges: VecDeque<Exchange>,
    /// The number of the next exchange.
    next: u64,
    changes: u64,
    bytes: usize,
}

/// One exchange, as it can be kept at the least cost: what is shown is worked out when the page
/// asks. Its `Debug` shows no text.
#[derive(Debug, Clone)]
pub(super) struct Exchange {
    pub(super) number: u64,
    /// The change after which it is as it is now.
    change: u64,
    pub(super) request: RequestId,
    /// In milliseconds since the epoch.
    pub(super) began: i64,
    pub(super) path: Arc<str>,
    pub(super) status: Option<u16>,
    /// What became of it, where it was not masked or failed.
    pub(super) note: Option<&'static str>,
    pub(super) restored: u64,
    pub(super) has_ended: bool,
    /// Whether something was masked.
    pub(super) is_masked: bool,
    /// Of its session, or only those that may be in the request.
    pub(super) mappings: Vec<Arc<Mapping>>,
    pub(super) too_many: Option<TooMany>,
    pub(super) sightings: Vec<Sighting>,
    /// What the provider got. With the values in the place of their tokens it is what the client sent.
    pub(super) to_provider: Bytes,
    /// What the provider answered.
    pub(super) from_provider: Text,
    /// What the client got.
    pub(super) to_client: Text,
}

/// The beginning of a reply.
#[derive(Debug, Clone, Default)]
pub(super) struct Text {
    bytes: Sensitive<Vec<u8>>,
    is_cut: bool,
}

impl Text {
    /// Adds a piece as far as there is room.
    fn push(&mut self, piece: &[u8]) {
        let room = MOST_OF_TEXT - self.bytes.expose().len();
        let kept = piece.get(..room).unwrap_or(piece);
        self.is_cut |= kept.len() < piece.len();
        self.bytes.append(kept);
    }

    /// How much it takes.
    fn size(&self) -> usize {
        self.bytes.expose().capacity()
    }

    pub(super) fn shown(&self) -> Shown<'_> {
        Shown {
            bytes: self.bytes.expose(),
            is_cut: self.is_cut,
        }
    }
}

/// The beginning of a text that the page shows.
#[derive(Clone, Copy)]
pub(super) struct Shown<'t> {
    bytes: &'t [u8],
    pub(super) is_cut: bool,
}

impl<'t> Shown<'t> {
    pub(super) fn of(text: &'t [u8]) -> Self {
        let beginning = text.get(..MOST_OF_TEXT);
        Self {
            bytes: beginning.unwrap_or(text),
            is_cut: beginning.is_some_and(|beginning| beginning.len() < text.len()),
        }
    }

    pub(super) fn text(self) -> Sensitive<String> {
        Sensitive::new(String::from_utf8_lossy(self.bytes).into_owned())
    }
}

impl Recorder {
    /// One that keeps exchanges.
    pub(crate) fn keeping() -> Self {
        Self(Some(Arc::new(Live {
            access: Access::new(),
            state: Mutex::default(),
            changed: Notify::new(),
        })))
    }

    /// The link that opens the page, which is served at this port of loopback.
    pub(crate) fn link(&self, port: u16) -> Option<String> {
        self.0.as_ref().map(|live| live.access.link(port))
    }

    pub(super) fn live(&self) -> Option<&Arc<Live>> {
        self.0.as_ref()
    }

    /// An exchange was masked, and this is what the provider gets.
    pub(in crate::exchange) fn begin(
        &self,
        request: RequestId,
        path: &Arc<str>,
        body: &Outgoing,
        summary: MaskSummary,
        session: &Session,
    ) -> Recording {
        let Some(live) = &self.0 else {
            return Recording(None);
        };
        let to_provider = body.whole().cloned().unwrap_or_default();
        let (mappings, too_many) = values::to_keep(session, &to_provider);
        let exchange = Exchange {
            is_masked: summary.transformations > 0,
            sightings: summary.sightings,
            to_provider,
            mappings,
            too_many,
            ..Exchange::begun(request, Arc::clone(path))
        };
        let number = live.add(exchange);
        Recording(Some((Arc::clone(live), number)))
    }

    /// Whether exchanges are kept.
    pub(in crate::exchange) fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// An exchange ended so that there is nothing to show of it, or failed. `path` is as it may be shown.
    pub(in crate::exchange) fn note(
        &self,
        request: RequestId,
        path: &str,
        status: Option<StatusCode>,
        note: &'static str,
    ) {
        let Some(live) = &self.0 else { return };
        let noted = |exchange: &mut Exchange| {
            exchange.status = status.map(|status| status.as_u16()).or(exchange.status);
            exchange.note = Some(note);
            exchange.has_ended = true;
        };
        let known = live.with(|state| state.number_of(request));
        if let Some(number) = known {
            return live.change(number, noted);
        }
        let mut exchange = Exchange::begun(request, path.into());
        noted(&mut exchange);
        live.add(exchange);
    }
}

impl Live {
    pub(super) fn with<T>(&self, work: impl FnOnce(&mut State) -> T) -> T {
        work(&mut self.lock())
    }

    /// Waits until something changes after this change.
    pub(super) async fn changed_after(&self, change: u64) {
        loop {
            let changed = self.changed.notified();
            if self.with(|state| state.changes) > change {
                return;
            }
            changed.await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, mut exchange: Exchange) -> u64 {
        let mut state = self.lock();
        let number = state.next;
        state.next += 1;
        state.changes += 1;
        exchange.number = number;
        exchange.change = state.changes;
        state.bytes += exchange.size();
        state.exchanges.push_back(exchange);
        let forgotten = state.forget();
        drop(state);
        drop(forgotten);
        self.changed.notify_waiters();
        number
    }

    /// Changes an exchange, if it is still kept.
    fn change(&self, number: u64, change: impl FnOnce(&mut Exchange)) {
        let mut state = self.lock();
        state.changes += 1;
        let changes = state.changes;
        if let Some(exchange) = state.get_mut(number) {
            change(exchange);
            exchange.change = changes;
        }
        drop(state);
        self.changed.notify_waiters();
    }

    /// Adds to the texts of an exchange, if it is still kept.
    fn add_to(&self, number: u64, add: impl FnOnce(&mut Exchange)) {
        let mut state = self.lock();
        let Some(exchange) = state.get_mut(number) else {
            return;
        };
        let before = exchange.texts_size();
        add(exchange);
        let added = exchange.texts_size() - before;
        state.bytes += added;
        let forgotten = state.forget();
        drop(state);
        drop(forgotten);
    }
}

impl State {
    /// An exchange that is not forgotten.
    pub(super) fn get(&self, number: u64) -> Option<&Exchange> {
        self.exchanges.get(self.place(number)?)
    }

    /// Those that changed since, in order.
    pub(super) fn since(&self, change: u64) -> impl Iterator<Item = &Exchange> {
        self.exchanges
            .iter()
            .filter(move |exchange| exchange.change > change)
    }

    /// How many changes there were.
    pub(super) fn changes(&self) -> u64 {
        self.changes
    }

    /// The number of an exchange by the id of its request, if it is not forgotten.
    fn number_of(&self, request: RequestId) -> Option<u64> {
        let mut latest = self.exchanges.iter().rev();
        let exchange = latest.find(|exchange| exchange.request.as_str() == request.as_str())?;
        Some(exchange.number)
    }

    fn get_mut(&mut self, number: u64) -> Option<&mut Exchange> {
        let place = self.place(number)?;
        self.exchanges.get_mut(place)
    }

    fn place(&self, number: u64) -> Option<usize> {
        let first = self.exchanges.front()?.number;
        usize::try_from(number.checked_sub(first)?).ok()
    }

    /// Takes out the oldest until all is within its bounds.
    fn forget(&mut self) -> Vec<Exchange> {
        let mut forgotten = Vec::new();
        while self.exchanges.len() > MOST || (self.bytes > MOST_BYTES && self.exchanges.len() > 1) {
            let Some(oldest) = self.exchanges.pop_front() else {
                break;
            };
            self.bytes -= oldest.size();
            forgotten.push(oldest);
        }
        forgotten
    }
}

impl Exchange {
    fn begun(request: RequestId, path: Arc<str>) -> Self {
        Self {
            number: 0,
            change: 0,
            request,
            began: clock::now(),
            path,
            status: None,
            note: None,
            restored: 0,
            has_ended: false,
            is_masked: false,
            mappings: Vec::new(),
            too_many: None,
            sightings: Vec::new(),
            to_provider: Bytes::new(),
            from_provider: Text::default(),
            to_client: Text::default(),
        }
    }

    /// About how much it takes.
    fn size(&self) -> usize {
        let values = self
            .mappings
            .iter()
            .map(|mapping| mapping.value().expose().len() + mapping.core().len() + OF_VALUE);
        let sightings = self.sightings.len() * size_of::<Sighting>();
        values.sum::<usize>() + sightings + self.to_provider.len() + self.texts_size()
    }

    fn texts_size(&self) -> usize {
        self.from_provider.size() + self.to_client.size()
    }
}

/// An exchange that is being recorded. Dropping it ends it.
#[derive(Debug, Default)]
pub(in crate::exchange) struct Recording(Option<(Arc<Live>, u64)>);

impl Recording {
    /// The reply's head arrived.
    pub(in crate::exchange) fn answered(&self, status: StatusCode) {
        if let Some((live, number)) = &self.0 {
            live.change(*number, |exchange| exchange.status = Some(status.as_u16()));
        }
    }

    /// A piece of the reply, as the provider wrote it, and what the client gets after it. So many
    /// tokens were restored so far.
    pub(in crate::exchange) fn passed(&self, written: &[u8], delivered: &[u8], restored: u64) {
        let Some((live, number)) = &self.0 else {
            return;
        };
        live.add_to(*number, |exchange| {
            exchange.restored = restored;
            exchange.from_provider.push(written);
            // Values that can't be told apart must not be shown.
            if exchange.too_many.is_none() {
                exchange.to_client.push(delivered);
            }
        });
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        if let Some((live, number)) = &self.0 {
            live.change(*number, |exchange| exchange.has_ended = true);
        }
    }
}

#[cfg(test)]
pub(super) mod tests;
