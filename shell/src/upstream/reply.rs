//! The provider's reply, and the connection that it holds until its end.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http::Response;
use http::response::Parts;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use tokio::time::{Instant, Sleep, sleep_until};

use super::limit::Turn;
use super::pool::{Exclusive, Place, Pool};
use crate::error::Fault;

/// The provider's reply: its head, and its body as it arrives.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) head: Parts,
    pub(crate) body: ReplyBody,
}

impl Reply {
    /// `timeout` is for the silence between two parts of the body.
    pub(super) fn new(response: Response<Incoming>, lease: Lease, timeout: Duration) -> Self {
        let (head, incoming) = response.into_parts();
        let mut body = ReplyBody {
            incoming,
            lease,
            turn: None,
            timeout,
            silent_since: None,
            alarm: None,
        };
        body.release_at_end();
        Self { head, body }
    }
}

/// The body of a reply. Returns its connection to the pool when it has come to its end.
#[derive(Debug)]
pub(crate) struct ReplyBody {
    incoming: Incoming,
    lease: Lease,
    turn: Option<Turn>,
    timeout: Duration,
    /// When the provider fell silent, if it is.
    silent_since: Option<Instant>,
    /// Set for the end of a silence, which may be over by then: for each part to set and remove one costs
    /// as much as to restore the part.
    alarm: Option<Pin<Box<Sleep>>>,
}

/// The connection that it holds until its end.
#[derive(Debug)]
pub(super) enum Lease {
    Exclusive {
        connection: Option<Exclusive>,
        pool: Arc<Pool>,
    },
    Shared {
        _place: Place,
    },
}

impl ReplyBody {
    /// Waits for the next part. `None` is the proper end.
    pub(crate) fn poll_next(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Fault>>> {
        match self.poll_incoming(cx) {
            Poll::Ready(frame) => {
                self.silent_since = None;
                match &frame {
                    Some(Ok(_)) => self.release_at_end(),
                    Some(Err(_)) => {}
                    None => self.release(),
                }
                Poll::Ready(frame)
            }
            Poll::Pending => {
                ready!(self.poll_silence(cx));
                Poll::Ready(Some(Err(Fault::ReplyTimeout)))
            }
        }
    }

    /// Pending only if nothing more has arrived.
    fn poll_incoming(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Fault>>> {
        let mut polled = Pin::new(&mut self.incoming).poll_frame(cx);
        if polled.is_pending()
            && let Lease::Exclusive {
                connection: Some(connection),
                ..
            } = &self.lease
        {
            connection.drive(cx);
            polled = Pin::new(&mut self.incoming).poll_frame(cx);
        }
        polled.map(|frame| frame.map(|frame| frame.map_err(|_| Fault::ReplyBroke)))
    }

    /// Keeps a place at the provider until all of the reply has come.
    pub(super) fn occupy(&mut self, turn: Turn) {
        if !self.incoming.is_end_stream() {
            self.turn = Some(turn);
        }
    }

    /// How many bytes are still to come, where that is known.
    pub(crate) fn remaining(&self) -> Option<u64> {
        self.incoming.size_hint().exact()
    }

    /// Whether all of it has come.
    pub(crate) fn is_at_end(&self) -> bool {
        self.incoming.is_end_stream()
    }

    pub(crate) fn size_hint(&self) -> SizeHint {
        self.incoming.size_hint()
    }

    /// Ready when the provider has been silent for too long.
    fn poll_silence(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let over = *self.silent_since.get_or_insert_with(Instant::now) + self.timeout;
        let alarm = self
            .alarm
            .get_or_insert_with(|| Box::pin(sleep_until(over)));
        ready!(alarm.as_mut().poll(cx));
        if Instant::now() >= over {
            return Poll::Ready(());
        }
        alarm.as_mut().reset(over);
        alarm.as_mut().poll(cx)
    }

    fn release_at_end(&mut self) {
        if self.incoming.is_end_stream() {
            self.release();
        }
    }

    fn release(&mut self) {
        if let Lease::Exclusive { connection, pool } = &mut self.lease
            && let Some(connection) = connection.take()
        {
            pool.put(connection);
        }
        self.turn = None;
    }
}
