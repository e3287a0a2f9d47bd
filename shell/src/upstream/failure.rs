//! Why a request got no reply, and whether it may be sent again.

use std::error::Error;
use std::io::{self, ErrorKind};

use http::Request;
use hyper::client::conn::TrySendError;

use super::body::Outgoing;
use crate::error::Fault;

/// How a try to send ended badly.
pub(super) enum Unsent {
    /// The connection was closed already, and the request is as it was.
    NeverSent(Request<Outgoing>),
    /// The reused connection was closed before any byte of a reply came; this is a copy.
    Unanswered(Request<Outgoing>),
    /// The system gave up the reused connection, because what was sent on it was not acknowledged;
    /// this is a copy.
    Unacknowledged(Request<Outgoing>),
    /// The provider said that it did not process it; this is a copy.
    Refused(Request<Outgoing>),
    /// Anything else.
    Final(Fault),
}

/// Why no head of a reply came.
pub(super) enum Failed {
    By(Fault),
    /// The connection broke.
    Broken(Box<TrySendError<Request<Outgoing>>>),
}

impl Failed {
    /// What to do now, with a `copy` of the request if no part of a reply arrived.
    pub(super) fn unsent(self, copy: Option<Request<Outgoing>>) -> Unsent {
        let mut error = match self {
            Self::By(fault) => return Unsent::Final(fault),
            Self::Broken(error) => error,
        };
        if let Some(request) = error.take_message() {
            return Unsent::NeverSent(request);
        }
        let error = error.into_error();
        match copy {
            Some(copy) if is_refused(&error) => Unsent::Refused(copy),
            Some(copy) if is_unacknowledged(&error) => Unsent::Unacknowledged(copy),
            Some(copy) if closed_in_silence(&error) => Unsent::Unanswered(copy),
            _ => Unsent::Final(fault_of(&error)),
        }
    }
}

/// Whether the provider said that it did not process a request (RFC 9113, 6.8 and 8.7).
fn is_refused(error: &hyper::Error) -> bool {
    error
        .source()
        .and_then(|source| source.downcast_ref::<h2::Error>())
        .is_some_and(|error| {
            let refused = error.reason() == Some(h2::Reason::REFUSED_STREAM);
            error.is_remote() && (error.is_go_away() || refused)
        })
}

/// Whether the system gave up a connection that did not answer (see [`super::liveness`]).
fn is_unacknowledged(error: &hyper::Error) -> bool {
    // Elsewhere it may have been asked for a sign of life long after the request had arrived.
    cfg!(target_os = "linux")
        && kind_of(error).is_some_and(|kind| {
            matches!(
                kind,
                ErrorKind::TimedOut
                    | ErrorKind::HostUnreachable
                    | ErrorKind::NetworkUnreachable
                    | ErrorKind::NetworkDown
            )
        })
}

/// Whether a connection was closed before any byte of a reply came.
fn closed_in_silence(error: &hyper::Error) -> bool {
    error.is_canceled() || error.is_closed() || error.is_incomplete_message() || is_reset(error)
}

fn is_reset(error: &hyper::Error) -> bool {
    matches!(
        kind_of(error),
        Some(ErrorKind::BrokenPipe | ErrorKind::ConnectionReset)
    )
}

/// The system's error for a broken connection.
fn kind_of(error: &hyper::Error) -> Option<ErrorKind> {
    let source = error.source()?;
    let over_http2 = || source.downcast_ref::<h2::Error>()?.get_io();
    let broken = source.downcast_ref::<io::Error>().or_else(over_http2);
    broken.map(io::Error::kind)
}

fn fault_of(error: &hyper::Error) -> Fault {
    if error.is_parse() {
        Fault::InvalidReply
    } else if error.is_user() {
        // The client's own body failed while it was passed through.
        Fault::of_body(error)
    } else {
        Fault::ClosedBeforeReply
    }
}
