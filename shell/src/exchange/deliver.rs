//! The reply on its way to the client.

use std::mem;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use engine::{RestoreSummary, Restorer};
use http::HeaderMap;
use http_body::{Body, Frame, SizeHint};
use tokio::time::Sleep;

use super::context::Shared;
use super::passthrough;
use super::trail::Trail;
use crate::error::{Fault, Phase};
use crate::session::{Owner, RequestId, SignedBlocks};
use crate::upstream::{Decoder, ReplyBody};

/// How long output may be held back before a comment keeps the client's watchdog quiet.
const QUIET_TIME: Duration = Duration::from_secs(15);

/// The body of a reply to a client.
#[derive(Debug)]
pub(crate) enum Delivered {
    /// All of it is known.
    Whole(Bytes),
    /// Passed on byte for byte.
    Relayed(Relayed),
    /// Restored as it arrives.
    Restored(Box<Restored>),
}

impl Delivered {
    pub(super) fn restored(restoration: Restoration, trail: Trail) -> Self {
        Self::Restored(Box::new(Restored {
            restoration,
            trail,
            bytes: 0,
            ended: false,
        }))
    }
}

impl Body for Delivered {
    type Data = Bytes;
    type Error = Fault;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut TaskContext<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Fault>>> {
        match self.get_mut() {
            Self::Whole(bytes) => {
                let bytes = mem::take(bytes);
                Poll::Ready((!bytes.is_empty()).then(|| Ok(Frame::data(bytes))))
            }
            Self::Relayed(relayed) => relayed.poll_next(cx),
            Self::Restored(restored) => restored.poll_next(cx),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Whole(bytes) => bytes.is_empty(),
            Self::Relayed(relayed) => relayed.body.is_at_end(),
            Self::Restored(_) => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(bytes) => {
                SizeHint::with_exact(u64::try_from(bytes.len()).unwrap_or(u64::MAX))
            }
            Self::Relayed(relayed) => relayed.body.size_hint(),
            Self::Restored(_) => SizeHint::default(),
        }
    }
}

/// The reply to an unrouted request.
#[derive(Debug)]
pub(crate) struct Relayed {
    pub(super) body: ReplyBody,
    pub(super) shared: Arc<Shared>,
    pub(super) request: RequestId,
}

impl Relayed {
    fn poll_next(&mut self, cx: &mut TaskContext<'_>) -> Poll<Option<Result<Frame<Bytes>, Fault>>> {
        let frame = ready!(self.body.poll_next(cx));
        if let Some(Err(fault)) = &frame {
            passthrough::record_failure(&self.shared, self.request, *fault, Phase::Stream);
        }
        Poll::Ready(frame)
    }
}

/// A reply that is delivered while it is restored.
///
/// An error from it breaks the client's connection without a proper end.
#[derive(Debug)]
pub(crate) struct Restored {
    restoration: Restoration,
    trail: Trail,
    bytes: u64,
    ended: bool,
}

impl Restored {
    fn poll_next(&mut self, cx: &mut TaskContext<'_>) -> Poll<Option<Result<Frame<Bytes>, Fault>>> {
        loop {
            if let Some(bytes) = self.restoration.take_ready() {
                self.bytes += u64::try_from(bytes.len()).unwrap_or(u64::MAX);
                return Poll::Ready(Some(Ok(Frame::data(bytes))));
            }
            if self.ended {
                let trailers = self.restoration.trailers.take();
                return Poll::Ready(trailers.map(|trailers| Ok(Frame::trailers(trailers))));
            }
            match ready!(self.restoration.poll_restore(cx)) {
                Some(Ok(())) => {}
                Some(Err(fault)) => {
                    self.ended = true;
                    self.trail.failed(fault, Phase::Stream);
                    return Poll::Ready(Some(Err(fault)));
                }
                None => {
                    self.ended = true;
                    let rest = u64::try_from(self.restoration.ready.len()).unwrap_or(u64::MAX);
                    let bytes = self.bytes + rest;
                    self.trail.delivered(self.restoration.summary(), bytes);
                }
            }
        }
    }
}

impl Drop for Restored {
    fn drop(&mut self) {
        if !self.ended {
            self.trail.aborted(self.restoration.summary(), self.bytes);
        }
    }
}

/// Decodes and restores a reply as its bytes come.
#[derive(Debug)]
pub(super) struct Restoration {
    body: ReplyBody,
    decoder: Option<Decoder>,
    restorer: Restorer,
    ready: Vec<u8>,
    trailers: Option<HeaderMap>,
    signed_blocks: SignedBlocks,
    owner: Owner,
    /// Rings when output has been held back for long.
    quiet: Option<Pin<Box<Sleep>>>,
}

/// A batch reply that came to its end.
#[derive(Debug)]
pub(super) struct Collected {
    pub(super) bytes: Bytes,
    pub(super) summary: RestoreSummary,
}

impl Restoration {
    pub(super) fn new(
        body: ReplyBody,
        decoder: Option<Decoder>,
        restorer: Restorer,
        signed_blocks: SignedBlocks,
        owner: Owner,
    ) -> Self {
        Self {
            body,
            decoder,
            restorer,
            ready: Vec::new(),
            trailers: None,
            signed_blocks,
            owner,
            quiet: None,
        }
    }

    /// Waits for the whole reply, as long as no more than `limit` bytes are ready.
    ///
    /// # Errors
    /// The fault that broke the reply.
    pub(super) async fn collect(&mut self, limit: usize) -> Result<Option<Collected>, Fault> {
        while self.ready.len() < limit {
            match std::future::poll_fn(|cx| self.poll_push(cx)).await {
                Some(Ok(())) => {}
                Some(Err(fault)) => return Err(fault),
                None => {
                    return Ok(Some(Collected {
                        bytes: mem::take(&mut self.ready).into(),
                        summary: self.restorer.summary().clone(),
                    }));
                }
            }
        }
        Ok(None)
    }

    /// What can be delivered now.
    fn take_ready(&mut self) -> Option<Bytes> {
        if self.ready.is_empty() {
            return None;
        }
        self.quiet = None;
        Some(mem::take(&mut self.ready).into())
    }

    fn summary(&self) -> &RestoreSummary {
        self.restorer.summary()
    }

    /// Waits until more is ready, if only a comment. `None` is the proper end.
    fn poll_restore(&mut self, cx: &mut TaskContext<'_>) -> Poll<Option<Result<(), Fault>>> {
        match self.poll_push(cx) {
            Poll::Pending => self.poll_quiet(cx).map(|()| Some(Ok(()))),
            ready @ Poll::Ready(_) => ready,
        }
    }

    /// Waits for the provider's next bytes and restores them.
    fn poll_push(&mut self, cx: &mut TaskContext<'_>) -> Poll<Option<Result<(), Fault>>> {
        let frame = match ready!(self.body.poll_next(cx)) {
            Some(Ok(frame)) => frame,
            Some(Err(fault)) => return Poll::Ready(Some(Err(fault))),
            None => return Poll::Ready(self.finish().err().map(Err)),
        };
        match frame.into_data() {
            Ok(data) => Poll::Ready(Some(self.push(&data))),
            Err(frame) => {
                self.trailers = frame.into_trailers().ok();
                Poll::Ready(Some(Ok(())))
            }
        }
    }

    fn push(&mut self, data: &[u8]) -> Result<(), Fault> {
        if let Some(decoder) = &mut self.decoder {
            let decoded = decoder.push(data).map_err(|_| Fault::UndecodableReply)?;
            self.restorer.push(&decoded, &mut self.ready);
        } else {
            self.restorer.push(data, &mut self.ready);
        }
        self.remember_signed();
        Ok(())
    }

    fn finish(&mut self) -> Result<(), Fault> {
        if let Some(decoder) = self.decoder.take() {
            decoder.finish().map_err(|_| Fault::ReplyBroke)?;
        }
        self.restorer.finish(&mut self.ready);
        self.remember_signed();
        Ok(())
    }

    fn remember_signed(&mut self) {
        let blocks = self.restorer.take_signed_blocks();
        self.signed_blocks.remember(self.owner, blocks);
    }

    /// Ready when a comment was written because output has been held back for long.
    fn poll_quiet(&mut self, cx: &mut TaskContext<'_>) -> Poll<()> {
        if !self.restorer.holds_back() {
            self.quiet = None;
            return Poll::Pending;
        }
        let quiet = self
            .quiet
            .get_or_insert_with(|| Box::pin(tokio::time::sleep(QUIET_TIME)));
        ready!(quiet.as_mut().poll(cx));
        self.restorer.keep_alive(&mut self.ready);
        self.quiet = None;
        Poll::Ready(())
    }
}
