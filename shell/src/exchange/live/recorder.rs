//! Keeps the latest exchanges for the live page, in memory only.

use std::cell::LazyCell;
use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use engine::{Mapping, Masked, RestoreSummary, Sensitive, Session, Sighting};
use http::StatusCode;
use tokio::sync::watch;

use super::access::Access;
use crate::base::clock;
use crate::session::RequestId;

/// The number of exchanges that are kept.
const MOST: usize = 200;

/// The maximum size of each recorded text of an exchange.
const MOST_OF_TEXT: usize = 256 << 10;

/// The maximum number of values in an exchange. If it has more, the client's reply is not kept.
const MOST_VALUES: usize = 1000;

/// The note on such an exchange.
const TOO_MANY: &str = "more than 1000 values: they and your client's reply are not shown";

/// The note on an exchange whose reply may contain more values than that.
const TOO_MANY_KNOWN: &str =
    "the session has more than 1000 values: your client's reply is not shown";

/// The note on an exchange whose values are not kept, as under `redact`.
const NOT_KEPT: &str =
    "masked values were not kept, so your client's side does not have them either";

/// The maximum size of all recorded texts and values.
const MOST_BYTES: usize = 64 << 20;

/// About what an allocation takes beside its content.
const ALLOCATION: usize = 16;

/// About what a piece of a text takes beside its bytes, in a list with room for more.
const OF_PIECE: usize = 2 * size_of::<Sensitive<Vec<u8>>>() + ALLOCATION;

/// The same of a value, beside its texts.
const OF_VALUE: usize = size_of::<Value>() + 3 * ALLOCATION;

/// How the id of a surrogate begins.
const SURROGATE: char = '=';

/// How every token begins, between its brackets.
const TOKEN: &[u8] = b"MASK_";

/// Keeps the latest exchanges for the live page. The default keeps none and costs nothing.
#[derive(Debug, Clone, Default)]
pub(crate) struct Recorder(Option<Arc<Live>>);

#[derive(Debug)]
pub(super) struct Live {
    pub(super) access: Access,
    state: Mutex<State>,
    /// How many changes there were.
    changes: watch::Sender<u64>,
}

#[derive(Debug, Default)]
pub(super) struct State {
    exchanges: VecDeque<Exchange>,
    /// The number of the next exchange.
    next: u64,
    changes: u64,
    bytes: usize,
}

/// One exchange. Its `Debug` shows no text.
#[derive(Debug, Clone)]
pub(super) struct Exchange {
    pub(super) number: u64,
    /// The change after which it is as it is now.
    pub(super) change: u64,
    pub(super) request: RequestId,
    /// In milliseconds since the epoch.
    pub(super) began: i64,
    pub(super) path: String,
    pub(super) status: Option<u16>,
    /// What became of it, where it was not masked or failed.
    pub(super) note: Option<&'static str>,
    pub(super) restored: u64,
    pub(super) has_ended: bool,
    /// Of its session, those in the request first.
    pub(super) values: Vec<Value>,
    /// How many of them are in the request.
    pub(super) masked: usize,
    pub(super) sightings: Vec<Sighting>,
    /// What the provider got. With the values in the place of their tokens it is what the client sent.
    pub(super) to_provider: Text,
    /// What the provider answered.
    pub(super) from_provider: Text,
    /// What the client got.
    pub(super) to_client: Text,
}

/// A value and its token.
#[derive(Debug, Clone)]
pub(super) struct Value {
    pub(super) token: String,
    pub(super) entity: String,
    pub(super) plain: Sensitive<String>,
}

impl Value {
    /// How much it takes.
    fn bytes(&self) -> usize {
        self.token.len() + self.entity.len() + self.plain.expose().len() + OF_VALUE
    }
}

/// The beginning of a text.
#[derive(Debug, Clone, Default)]
pub(super) struct Text {
    pieces: Vec<Sensitive<Vec<u8>>>,
    length: usize,
    pub(super) is_cut: bool,
}

impl Text {
    /// Adds a piece as far as there is room. How much more it takes.
    fn push(&mut self, piece: &[u8]) -> usize {
        let room = MOST_OF_TEXT - self.length;
        let kept = piece.get(..room).unwrap_or(piece);
        self.is_cut |= kept.len() < piece.len();
        if kept.is_empty() {
            return 0;
        }
        self.pieces.push(Sensitive::new(kept.to_vec()));
        self.length += kept.len();
        kept.len() + OF_PIECE
    }

    /// How much it takes.
    fn bytes(&self) -> usize {
        self.length + self.pieces.len() * OF_PIECE
    }

    /// The whole of it.
    pub(super) fn whole(&self) -> Sensitive<String> {
        let pieces = self.pieces.iter();
        let bytes: Vec<u8> = pieces
            .flat_map(|piece| piece.expose().iter().copied())
            .collect();
        let bytes = Sensitive::new(bytes);
        Sensitive::new(String::from_utf8_lossy(bytes.expose()).into_owned())
    }
}

impl Recorder {
    /// One that keeps exchanges.
    pub(crate) fn keeping() -> Self {
        Self(Some(Arc::new(Live {
            access: Access::new(),
            state: Mutex::default(),
            changes: watch::Sender::new(0),
        })))
    }

    /// The link that opens the page, which is served at this port of loopback.
    pub(crate) fn link(&self, port: u16) -> Option<String> {
        self.0.as_ref().map(|live| live.access.link(port))
    }

    pub(super) fn live(&self) -> Option<&Arc<Live>> {
        self.0.as_ref()
    }

    /// An exchange was masked and is about to be sent.
    pub(in crate::exchange) fn begin(
        &self,
        request: RequestId,
        path: &str,
        masked: &Masked,
    ) -> Recording {
        let Some(live) = &self.0 else {
            return Recording(None);
        };
        let body = masked.body.as_bytes();
        let mut exchange = Exchange::begun(request, path);
        exchange.sightings.clone_from(&masked.summary.sightings);
        let values = Values::of(body, masked.restoring.session());
        exchange.note = values.note;
        exchange.masked = values.masked.len();
        exchange.values = values.masked;
        exchange.values.extend(values.others);
        if exchange.masked == 0 && masked.summary.transformations > 0 {
            exchange.note = exchange.note.or(Some(NOT_KEPT));
        }
        exchange.to_provider.push(body);
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
            return live.changed(number, noted);
        }
        let mut exchange = Exchange::begun(request, path);
        noted(&mut exchange);
        live.add(exchange);
    }
}

/// The values of a session.
#[derive(Default)]
struct Values {
    /// Those with tokens or surrogates in the request.
    masked: Vec<Value>,
    /// The others, which a reply may contain.
    others: Vec<Value>,
    /// The note if there are too many.
    note: Option<&'static str>,
}

impl Values {
    fn of(masked: &[u8], session: &Session) -> Self {
        let tokens: BTreeSet<&[u8]> = memchr::memmem::find_iter(masked, TOKEN)
            .filter_map(|at| {
                let token = masked.get(at..)?;
                let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
                let end = token.iter().position(|byte| !is_part(byte));
                token.get(..end.unwrap_or(token.len()))
            })
            .collect();
        // A surrogate may stand in capitals.
        let lower = LazyCell::new(|| Sensitive::new(masked.to_ascii_lowercase()));
        let ids: BTreeSet<&[u8]> = tokens.iter().filter_map(|token| id_of(token)).collect();
        let mut values = Self::default();
        let mut known = BTreeSet::new();
        for mapping in session.mappings() {
            let surrogate = mapping.id().strip_prefix(SURROGATE);
            let may_stand = surrogate.is_some() || ids.contains(mapping.id().as_bytes());
            if !may_stand && values.others.len() > MOST_VALUES {
                continue;
            }
            let core = format!("MASK_{}_{}", mapping.entity(), mapping.id());
            let stands = match surrogate {
                Some(surrogate) => {
                    let surrogate = surrogate.to_ascii_lowercase();
                    memchr::memmem::find(lower.expose(), surrogate.as_bytes()).is_some()
                }
                None => tokens.contains(core.as_bytes()),
            };
            let token = surrogate.map_or_else(|| format!("<{core}>"), str::to_owned);
            if known.insert(token.clone()) {
                values.add(stands, token, mapping);
            }
        }
        values.bounded(tokens.len())
    }

    fn add(&mut self, stands: bool, token: String, mapping: &Mapping) {
        let value = Value {
            token,
            entity: mapping.entity().to_string(),
            plain: mapping.value().clone(),
        };
        let of = if stands {
            &mut self.masked
        } else {
            &mut self.others
        };
        if of.len() <= MOST_VALUES {
            of.push(value);
        }
    }

    fn bounded(mut self, tokens: usize) -> Self {
        if tokens.max(self.masked.len()) > MOST_VALUES {
            self.masked.clear();
            self.others.clear();
            self.note = Some(TOO_MANY);
        } else if self.masked.len() + self.others.len() > MOST_VALUES {
            self.others.clear();
            self.note = Some(TOO_MANY_KNOWN);
        }
        self
    }
}

/// The last part of a token.
fn id_of<'t>(token: &&'t [u8]) -> Option<&'t [u8]> {
    let start = token.iter().rposition(|byte| *byte == b'_')? + 1;
    token.get(start..)
}

impl Live {
    pub(super) fn with<T>(&self, work: impl FnOnce(&mut State) -> T) -> T {
        work(&mut self.lock())
    }

    /// Wakes when something changed.
    pub(super) fn watch(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, mut exchange: Exchange) -> u64 {
        let mut state = self.lock();
        let number = state.next;
        exchange.number = number;
        state.next += 1;
        state.bytes += exchange.bytes();
        state.exchanges.push_back(exchange);
        state.forget();
        drop(state);
        self.changed(number, |_| {});
        number
    }

    /// Changes an exchange, if it is still kept, and notifies watchers.
    fn changed(&self, number: u64, change: impl FnOnce(&mut Exchange)) {
        let mut state = self.lock();
        state.changes += 1;
        let changes = state.changes;
        if let Some(exchange) = state.get_mut(number) {
            change(exchange);
            exchange.change = changes;
        }
        drop(state);
        self.changes.send_replace(changes);
    }

    /// Adds a piece to a text of an exchange, where it is to be kept.
    fn push(
        &self,
        number: u64,
        piece: &[u8],
        text: impl FnOnce(&mut Exchange) -> Option<&mut Text>,
    ) {
        let mut state = self.lock();
        let added = state
            .get_mut(number)
            .and_then(text)
            .map(|text| text.push(piece));
        state.bytes += added.unwrap_or(0);
        state.forget();
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

    /// Drops the oldest until all is within its bounds.
    fn forget(&mut self) {
        while self.exchanges.len() > MOST || (self.bytes > MOST_BYTES && self.exchanges.len() > 1) {
            let Some(oldest) = self.exchanges.pop_front() else {
                return;
            };
            self.bytes -= oldest.bytes();
        }
    }
}

impl Exchange {
    fn begun(request: RequestId, path: &str) -> Self {
        Self {
            number: 0,
            change: 0,
            request,
            began: clock::now(),
            path: path.to_owned(),
            status: None,
            note: None,
            restored: 0,
            has_ended: false,
            values: Vec::new(),
            masked: 0,
            sightings: Vec::new(),
            to_provider: Text::default(),
            from_provider: Text::default(),
            to_client: Text::default(),
        }
    }

    fn bytes(&self) -> usize {
        let texts = [&self.to_provider, &self.from_provider, &self.to_client];
        let texts = texts.iter().map(|text| text.bytes());
        let values = self.values.iter().map(Value::bytes);
        let sightings = self.sightings.len() * size_of::<Sighting>();
        texts.chain(values).sum::<usize>() + sightings + self.path.len()
    }
}

/// An exchange that is being recorded. Dropping it ends it.
#[derive(Debug, Default)]
pub(in crate::exchange) struct Recording(Option<(Arc<Live>, u64)>);

impl Recording {
    /// The reply's head arrived.
    pub(in crate::exchange) fn answered(&self, status: StatusCode) {
        if let Some((live, number)) = &self.0 {
            live.changed(*number, |exchange| exchange.status = Some(status.as_u16()));
        }
    }

    /// A piece of the reply, as the provider wrote it.
    pub(in crate::exchange) fn provider_wrote(&self, piece: &[u8]) {
        if let Some((live, number)) = &self.0 {
            live.push(*number, piece, |exchange| Some(&mut exchange.from_provider));
        }
    }

    /// A piece of the reply, as the client gets it.
    pub(in crate::exchange) fn client_gets(&self, piece: &[u8], summary: &RestoreSummary) {
        if let Some((live, number)) = &self.0 {
            live.push(*number, piece, |exchange| {
                exchange.restored = summary.restored;
                let is_bounded = ![Some(TOO_MANY), Some(TOO_MANY_KNOWN)].contains(&exchange.note);
                is_bounded.then_some(&mut exchange.to_client)
            });
        }
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        if let Some((live, number)) = &self.0 {
            live.changed(*number, |exchange| exchange.has_ended = true);
        }
    }
}

#[cfg(test)]
mod tests;
