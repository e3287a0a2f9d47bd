//! Delivers the reply to the client.

use std::fmt;
use std::mem;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use engine::RestoreSummary;
use http_body::{Body, Frame, SizeHint};

use super::live::Events;
use super::passthrough_trail::PassthroughTrail;
use super::restore::Restoration;
use super::token_watch::TokenWatch;
use super::trail::Trail;
use super::upload::Upload;
use crate::base::panics::contain;
use crate::error::{self, Fault, InBand, Phase};
use crate::upstream::ReplyBody;

/// The most that is delivered at a time, if more has arrived.
const PIECE: usize = 64 << 10;

/// The body of a reply to a client.
pub(crate) enum Delivered {
    /// All of it is known.
    Whole(Bytes),
    /// Passed on byte for byte.
    Relayed(Box<Relayed>),
    /// The same, for a routed exchange whose request was only scanned.
    Shadowed(Box<Shadowed>),
    /// Restored as it arrives.
    Restored(Box<Restored>),
    /// What is recorded for the live page.
    Events(Events),
}

impl Delivered {
    pub(super) fn restored(
        restoration: Box<Restoration>,
        in_band: Option<InBand>,
        trail: Trail,
    ) -> Self {
        Self::Restored(Box::new(Restored {
            restoration,
            in_band,
            trail,
            bytes: 0,
            end: End::ToCome,
        }))
    }

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Fault>>> {
        match self {
            Self::Whole(bytes) => {
                let bytes = mem::take(bytes);
                Poll::Ready((!bytes.is_empty()).then(|| Ok(Frame::data(bytes))))
            }
            Self::Relayed(relayed) => relayed.poll_next(cx),
            Self::Shadowed(shadowed) => shadowed.poll_next(cx),
            Self::Restored(restored) => restored.poll_next(cx),
            Self::Events(events) => {
                let next = ready!(events.as_mut().poll_next(cx));
                Poll::Ready(next.map(|events| Ok(Frame::data(events))))
            }
        }
    }

    /// It panicked, so its state can't be trusted any more.
    fn stopped(&mut self, fault: Fault) -> Poll<Option<Result<Frame<Bytes>, Fault>>> {
        match self {
            Self::Whole(_) | Self::Events(_) => {}
            Self::Relayed(relayed) => relayed.passage.failed(fault, Phase::Stream),
            Self::Shadowed(shadowed) => shadowed.broke_off(fault),
            Self::Restored(restored) => return restored.broke_off(fault),
        }
        Poll::Ready(Some(Err(fault)))
    }
}

impl fmt::Debug for Delivered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(bytes) => write!(f, "Whole({} bytes)", bytes.len()),
            Self::Relayed(_) => f.write_str("Relayed"),
            Self::Shadowed(_) => f.write_str("Shadowed"),
            Self::Restored(_) => f.write_str("Restored"),
            Self::Events(_) => f.write_str("Events"),
        }
    }
}

impl Body for Delivered {
    type Data = Bytes;
    type Error = Fault;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Fault>>> {
        let body = self.get_mut();
        contain(|| body.poll_next(cx)).unwrap_or_else(|panicked| body.stopped(panicked.into()))
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Whole(bytes) => bytes.is_empty(),
            Self::Relayed(relayed) => relayed.body.is_at_end(),
            Self::Shadowed(shadowed) => shadowed.body.is_at_end(),
            Self::Restored(_) | Self::Events(_) => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(bytes) => {
                SizeHint::with_exact(u64::try_from(bytes.len()).unwrap_or(u64::MAX))
            }
            Self::Relayed(relayed) => relayed.body.size_hint(),
            Self::Shadowed(shadowed) => shadowed.body.size_hint(),
            Self::Restored(_) | Self::Events(_) => SizeHint::default(),
        }
    }
}

/// The reply to an unrouted request.
pub(crate) struct Relayed {
    pub(super) body: ReplyBody,
    pub(super) passage: PassthroughTrail,
    pub(super) tokens: TokenWatch,
    /// What it answers, where that is a file.
    pub(super) upload: Option<Upload>,
}

impl Relayed {
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Fault>>> {
        let frame = ready!(self.body.poll_next(cx));
        let piece = frame.as_ref().and_then(|it| it.as_ref().ok()?.data_ref());
        let piece = piece.map_or(&[][..], |piece| piece);
        if let Some(path) = self.tokens.read(piece) {
            self.passage.has_tokens(path);
        }
        if let Some(Err(fault)) = &frame {
            self.passage.failed(*fault, Phase::Stream);
        } else if let Some(upload) = &mut self.upload {
            upload.read(piece);
            // Nobody polls for the end of a body whose length was known.
            if frame.is_none() || self.body.is_at_end() {
                upload.finish();
            }
        }
        Poll::Ready(frame)
    }
}

/// The reply to a routed request that was only scanned.
pub(crate) struct Shadowed {
    body: ReplyBody,
    trail: Trail,
    bytes: u64,
}

impl Shadowed {
    pub(super) fn new(body: ReplyBody, trail: Trail) -> Self {
        Self {
            body,
            trail,
            bytes: 0,
        }
    }

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Fault>>> {
        let frame = ready!(self.body.poll_next(cx));
        match &frame {
            Some(Ok(frame)) => {
                let bytes = frame.data_ref().map_or(0, Bytes::len);
                self.bytes += u64::try_from(bytes).unwrap_or(u64::MAX);
            }
            Some(Err(fault)) => self.broke_off(*fault),
            None => self.delivered(),
        }
        Poll::Ready(frame)
    }

    fn delivered(&mut self) {
        self.trail.delivered(&RestoreSummary::default(), self.bytes);
    }

    fn broke_off(&mut self, fault: Fault) {
        self.trail.broke_off(&RestoreSummary::default(), fault);
    }
}

impl Drop for Shadowed {
    fn drop(&mut self) {
        // Nobody polls for the end of a body whose length was known.
        if self.body.is_at_end() {
            self.delivered();
        } else {
            self.trail.aborted(&RestoreSummary::default(), self.bytes);
        }
    }
}

/// A reply that is delivered while it is restored.
///
/// An error from it breaks the client's connection without a proper end.
pub(crate) struct Restored {
    restoration: Box<Restoration>,
    /// How it says that it failed before its first event.
    in_band: Option<InBand>,
    trail: Trail,
    bytes: u64,
    end: End,
}

/// How far a reply is from its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    ToCome,
    /// The provider broke it off. What arrived before is delivered first.
    Broken(Fault),
    /// The same before its first event, and it says so. Then it ends properly.
    Said(Fault),
    /// All of it was restored, or its failure was reported.
    Reached,
}

impl Restored {
    /// Restores all that has come, up to a piece, and hands it on.
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Fault>>> {
        loop {
            let has_ended = self.end == End::Reached;
            ready!(self.restoration.poll_links(cx, has_ended));
            match self.end {
                End::Broken(fault) if self.restoration.ready() == 0 => {
                    return self.broke_off(fault);
                }
                End::Said(fault) if self.restoration.ready() == 0 => {
                    self.reached(fault);
                    return Poll::Ready(None);
                }
                End::ToCome if self.restoration.ready() < PIECE => {}
                _ => return Poll::Ready(self.hand_on()),
            }
            match self.restoration.poll_restore(cx) {
                Poll::Ready(Some(Ok(()))) => {}
                Poll::Ready(Some(Err(fault))) => self.fail(fault),
                Poll::Ready(None) => {
                    self.restoration.finish();
                    self.end = End::Reached;
                    let rest = u64::try_from(self.restoration.ready()).unwrap_or(u64::MAX);
                    let bytes = self.bytes + rest;
                    self.trail.delivered(self.restoration.summary(), bytes);
                }
                Poll::Pending if self.restoration.ready() > 0 => {
                    return Poll::Ready(self.hand_on());
                }
                Poll::Pending => return Poll::Pending,
            }
        }
    }

    /// What can be delivered now, or after it the trailers.
    fn hand_on(&mut self) -> Option<Result<Frame<Bytes>, Fault>> {
        let Some(bytes) = self.restoration.take_ready() else {
            let trailers = self.restoration.take_trailers();
            return trailers.map(|trailers| Ok(Frame::trailers(trailers)));
        };
        self.bytes += u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        Some(Ok(Frame::data(bytes)))
    }

    /// Makes ready what the client still gets.
    fn fail(&mut self, fault: Fault) {
        let in_band = self.in_band.filter(|_| self.restoration.can_say());
        let Some(form) = in_band else {
            self.restoration.break_off();
            self.end = End::Broken(fault);
            return;
        };
        let event = error::in_band(form, fault, self.trail.request());
        self.restoration.say(&event);
        self.end = End::Said(fault);
    }

    fn broke_off(&mut self, fault: Fault) -> Poll<Option<Result<Frame<Bytes>, Fault>>> {
        self.reached(fault);
        Poll::Ready(Some(Err(fault)))
    }

    fn reached(&mut self, fault: Fault) {
        self.end = End::Reached;
        self.trail.broke_off(self.restoration.summary(), fault);
    }
}

impl Drop for Restored {
    fn drop(&mut self) {
        if self.end != End::Reached {
            self.trail.aborted(self.restoration.summary(), self.bytes);
        }
    }
}
