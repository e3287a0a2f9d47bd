//! Reads a request body.

use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame};
use http_body_util::BodyExt;
use hyper::body::Incoming;

use crate::error::Fault;

/// The maximum number of bytes read from a refused body.
const MAX_DISCARDED: usize = 1 << 30;

/// How long a client may pause within a body.
const PAUSE: Duration = Duration::from_secs(30);

/// How long a refused body may still arrive.
const DISCARD_TIME: Duration = Duration::from_secs(30);

/// Reads a body into one buffer of its size.
///
/// # Errors
/// [`Fault::RequestTooLarge`] above `limit` bytes, [`Fault::ClientLeft`] when the client goes away,
/// [`Fault::RequestStalled`] when it pauses for too long, [`Fault::MalformedRequest`] when the body is
/// framed wrongly.
pub(super) async fn whole(mut body: Incoming, limit: usize) -> Result<Vec<u8>, Fault> {
    let too_large = Fault::RequestTooLarge { limit };
    let Some(announced) = announced(&body).filter(|announced| *announced <= limit) else {
        discard(body);
        return Err(too_large);
    };
    let mut bytes = Vec::with_capacity(announced);
    while let Some(frame) = next(&mut body).await? {
        let Ok(data) = frame.into_data() else {
            continue;
        };
        if bytes.len() + data.len() > limit {
            discard(body);
            return Err(too_large);
        }
        bytes.extend_from_slice(&data);
    }
    Ok(bytes)
}

/// A body that was read as far as a limit.
pub(super) enum Taken {
    Whole(Vec<u8>),
    /// It is larger: what was read, and the rest.
    Begun(Vec<u8>, Incoming),
}

/// Reads a body into one buffer, up to about `limit` bytes.
///
/// # Errors
/// Those of [`whole`], but [`Fault::RequestTooLarge`].
pub(super) async fn up_to(mut body: Incoming, limit: usize) -> Result<Taken, Fault> {
    let Some(announced) = announced(&body).filter(|announced| *announced <= limit) else {
        return Ok(Taken::Begun(Vec::new(), body));
    };
    let mut bytes = Vec::with_capacity(announced);
    while let Some(frame) = next(&mut body).await? {
        let Ok(data) = frame.into_data() else {
            continue;
        };
        bytes.extend_from_slice(&data);
        if bytes.len() > limit {
            return Ok(Taken::Begun(bytes, body));
        }
    }
    Ok(Taken::Whole(bytes))
}

async fn next(body: &mut Incoming) -> Result<Option<Frame<Bytes>>, Fault> {
    let frame = tokio::time::timeout(PAUSE, body.frame()).await;
    let frame = frame.map_err(|_| Fault::RequestStalled)?;
    frame.transpose().map_err(|error| Fault::of_body(&error))
}

/// Reads and discards the rest of a refused body.
///
/// Many clients read the reply only after they have sent everything. Closing the connection before
/// that would lose the error message.
pub(super) fn discard(mut body: Incoming) {
    if body.is_end_stream() {
        return;
    }
    tokio::spawn(tokio::time::timeout(DISCARD_TIME, async move {
        let mut discarded = 0;
        while let Some(Ok(frame)) = body.frame().await {
            discarded += frame.data_ref().map_or(0, Bytes::len);
            if discarded > MAX_DISCARDED {
                return;
            }
        }
    }));
}

/// The size that the client announced, 0 when it did not; `None` when no buffer could hold it.
fn announced(body: &Incoming) -> Option<usize> {
    usize::try_from(body.size_hint().lower()).ok()
}
