//! The listeners: the proxy's address, and the guardrail's.

use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};

use futures_util::future::select_all;

use super::StartError;
use super::accept::Acceptor;
use super::connection_limit::LimitState;
use super::worker::Worker;
use crate::base::io_error;
use crate::config::{Config, authority};
use crate::exchange::Recorder;

/// What a listener serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ListenerKind {
    Proxy,
    Guardrail,
    Live,
}

/// Where the process listens.
#[derive(Debug, Clone)]
pub(crate) struct Listening {
    pub(crate) proxy: SocketAddr,
    pub(crate) guardrail: Option<SocketAddr>,
    /// The link that opens the live page.
    pub(crate) live: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    kind: ListenerKind,
    host: String,
    port: u16,
}

impl Place {
    fn all_of(config: &Config) -> Vec<Self> {
        let proxy = Self {
            kind: ListenerKind::Proxy,
            host: config.host.clone(),
            port: config.port,
        };
        let guardrail = config.guardrail.as_ref().map(|guardrail| Self {
            kind: ListenerKind::Guardrail,
            host: guardrail.host.clone(),
            port: guardrail.port,
        });
        let live = config.live.map(|port| Self {
            kind: ListenerKind::Live,
            host: Ipv4Addr::LOCALHOST.to_string(),
            port,
        });
        [proxy].into_iter().chain(guardrail).chain(live).collect()
    }

    /// Needs a running reactor.
    fn bind(self) -> Result<Listener, StartError> {
        match Acceptor::bind(self.kind, &self.host, self.port) {
            Ok(acceptor) => Ok(Listener {
                place: self,
                acceptor,
            }),
            Err(error) => Err(StartError::Listen {
                address: authority(&self.host, self.port),
                reason: self.reason(&error),
            }),
        }
    }

    fn reason(&self, error: &io::Error) -> String {
        let reason = io_error::in_words(error);
        let setting = match self.kind {
            ListenerKind::Proxy => "--port",
            ListenerKind::Guardrail => "--guardrail",
            ListenerKind::Live => "--ui",
        };
        match error.kind() {
            io::ErrorKind::AddrInUse => format!("{reason}, choose another ({setting})"),
            _ => reason,
        }
    }
}

#[derive(Debug)]
struct Listener {
    place: Place,
    acceptor: Acceptor,
}

/// All addresses at which the process listens: one at least.
#[derive(Debug)]
pub(super) struct Listeners(Vec<Listener>);

/// The addresses of another configuration: those that are new are bound already.
#[derive(Debug)]
pub(super) struct Changed {
    places: Vec<Place>,
    new: Vec<Listener>,
}

impl Listeners {
    /// Needs a running reactor.
    pub(super) fn bind(config: &Config) -> Result<Self, StartError> {
        let places = Place::all_of(config).into_iter();
        Ok(Self(places.map(Place::bind).collect::<Result<_, _>>()?))
    }

    pub(super) fn listening(&self, recorder: &Recorder) -> io::Result<Listening> {
        let address = |kind| {
            let mut of_kind = self.0.iter().filter(|listener| listener.place.kind == kind);
            of_kind.next().map(|listener| listener.acceptor.address())
        };
        let live = address(ListenerKind::Live).transpose()?;
        let no_listener = || io::Error::from(io::ErrorKind::AddrNotAvailable);
        Ok(Listening {
            proxy: address(ListenerKind::Proxy).ok_or_else(no_listener)??,
            guardrail: address(ListenerKind::Guardrail).transpose()?,
            live: live.and_then(|live| recorder.link(live.port())),
        })
    }

    /// Binds the new addresses of a changed configuration. Needs a running reactor.
    pub(super) fn prepare(&self, config: &Config) -> Result<Changed, StartError> {
        let places = Place::all_of(config);
        let is_new = |place: &&Place| self.0.iter().all(|listener| listener.place != **place);
        let new = places.iter().filter(is_new).cloned().map(Place::bind);
        Ok(Changed {
            new: new.collect::<Result<_, _>>()?,
            places,
        })
    }

    /// Listens where the changed configuration says, and nowhere else.
    pub(super) fn adopt(&mut self, changed: Changed, workers: &[Worker]) {
        let Changed { places, new } = changed;
        let former: Vec<_> = self
            .0
            .extract_if(.., |listener| !places.contains(&listener.place))
            .collect();
        for listener in former {
            listener.acceptor.accept_waiting(workers);
        }
        self.0.extend(new);
    }

    /// Accepts for as long as it is polled.
    pub(super) async fn accept(&self, workers: &[Worker], limit_state: &LimitState) -> Infallible {
        let accepting = self.0.iter();
        let accepting =
            accepting.map(|listener| Box::pin(listener.acceptor.accept(workers, limit_state)));
        select_all(accepting).await.0
    }
}
