//! Stops the server: five seconds of grace, then the cut.

use std::future::pending;
use std::io;
use std::pin::Pin;
use std::time::Duration;

use tokio::sync::watch;

use crate::system::signals::{self, Signal};

/// How long requests under way may take to finish.
pub(super) const GRACE: Duration = Duration::from_secs(5);

/// Notifies all connections that the proxy stops.
#[derive(Debug)]
pub(super) struct Stop(watch::Sender<Stage>);

/// The other end of [`Stop`].
#[derive(Debug, Clone)]
pub(super) struct Watch(watch::Receiver<Stage>);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Stage {
    Serving,
    Grace,
    Cut,
}

impl Default for Stop {
    fn default() -> Self {
        Self(watch::Sender::new(Stage::Serving))
    }
}

impl Stop {
    pub(super) fn watch(&self) -> Watch {
        Watch(self.0.subscribe())
    }

    /// Begins the grace.
    pub(super) fn begin(&self) {
        self.0.send_replace(Stage::Grace);
    }

    /// Ends the grace.
    pub(super) fn cut(&self) {
        self.0.send_replace(Stage::Cut);
    }
}

impl Watch {
    /// Waits until the proxy stops.
    pub(super) async fn begun(&mut self) {
        self.reached(Stage::Grace).await;
    }

    /// Waits until the grace was ended.
    pub(super) async fn cut(&mut self) {
        self.reached(Stage::Cut).await;
    }

    async fn reached(&mut self, awaited: Stage) {
        // It also stops if the other side is gone.
        let _ = self.0.wait_for(|stage| *stage >= awaited).await;
    }
}

/// An order to the proxy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// Read the configuration again.
    Reload,
    /// Stop, with grace for running requests.
    Stop,
    /// Stop now.
    Cut,
}

/// Where orders come from.
pub(super) enum Orders<'a> {
    Signals(Signals),
    /// The end of a future is the only order.
    Until(Option<Pin<Box<dyn Future<Output = ()> + 'a>>>),
}

impl Orders<'_> {
    /// Waits for the next order. May be dropped and called again.
    pub(super) async fn next(&mut self) -> Order {
        match self {
            Self::Signals(signals) => signals.next().await,
            Self::Until(until) => {
                match until {
                    Some(until) => until.await,
                    None => pending().await,
                }
                *until = None;
                Order::Stop
            }
        }
    }
}

/// The signals of the system (decisions, 7.11).
#[derive(Debug)]
pub(super) struct Signals {
    caught: signals::Signals,
    interrupted: bool,
    /// What a hang-up means.
    on_hang_up: Order,
}

impl Signals {
    /// Catches them. If `reloads` is true, a hang-up reloads the configuration. Needs a running reactor.
    ///
    /// # Errors
    /// When the system refuses.
    pub(super) fn catch(reloads: bool) -> io::Result<Self> {
        let (caught, on_hang_up) = if reloads {
            (signals::Signals::catch_all()?, Order::Reload)
        } else {
            (signals::Signals::catch()?, Order::Stop)
        };
        Ok(Self {
            caught,
            interrupted: false,
            on_hang_up,
        })
    }

    async fn next(&mut self) -> Order {
        match self.caught.next().await {
            Signal::Terminate => Order::Stop,
            Signal::Interrupt if self.interrupted => Order::Cut,
            Signal::Interrupt => {
                self.interrupted = true;
                Order::Stop
            }
            Signal::HangUp => self.on_hang_up,
        }
    }
}
