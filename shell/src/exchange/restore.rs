//! Decodes and restores a reply as its bytes arrive.

use std::mem;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use engine::{RestoreSummary, Restorer};
use http::HeaderMap;
use tokio::time::Sleep;

use super::heavy::{Heavy, Work};
use super::live::Recording;
use super::reply_links::Links;
use crate::error::Fault;
use crate::session::{Owner, SignedBlocks};
use crate::upstream::{Decoder, ReplyBody};

/// How long output may be held back before a comment keeps the client's watchdog quiet.
const QUIET_TIME: Duration = Duration::from_secs(15);

/// How long a reply's head waits for its first bytes, so that a failure before them can still be reported by a status.
const HEAD_TIME: Duration = Duration::from_millis(300);

/// How long an event may wait for the next one.
const EVENT_TIME: Duration = Duration::from_millis(300);

/// What lines begin after: the end of another, or the byte order mark that a stream may begin with.
const BEFORE_LINES: [&[u8]; 3] = [b"\n", b"\r", "\u{feff}".as_bytes()];

/// Decodes and restores a reply as its bytes come.
pub(super) struct Restoration {
    body: ReplyBody,
    /// What was polled of the body and is not dealt with yet.
    polled: Option<Polled>,
    decoder: Option<Decoder>,
    restorer: Restorer,
    /// Bytes that went into the restorer.
    restored: usize,
    ready: Vec<u8>,
    /// Whether what was made ready ends in the middle of a line.
    is_in_line: bool,
    trailers: Option<HeaderMap>,
    signed_blocks: SignedBlocks,
    owner: Owner,
    links: Links,
    recording: Recording,
    /// Rings when an event or other output has been held back for long enough.
    quiet: Option<Pin<Box<Sleep>>>,
}

/// What a poll of a body brought; `None` at its end.
type Polled = Option<Result<(), Fault>>;

/// A batch reply that is about to be delivered.
pub(super) enum Collected {
    /// All of it came.
    Whole {
        bytes: Bytes,
        summary: RestoreSummary,
    },
    /// It is too large to wait for, or comes value by value.
    Begun(Box<Restoration>),
}

impl Restoration {
    pub(super) fn new(
        body: ReplyBody,
        decoder: Option<Decoder>,
        restorer: Restorer,
        signed_blocks: SignedBlocks,
        owner: Owner,
        links: Links,
        recording: Recording,
    ) -> Box<Self> {
        Box::new(Self {
            body,
            polled: None,
            decoder,
            restorer,
            restored: 0,
            ready: Vec::new(),
            is_in_line: false,
            trailers: None,
            signed_blocks,
            owner,
            links,
            recording,
            quiet: None,
        })
    }

    /// Waits for the whole reply, as long as no more than `limit` bytes are ready, and no value of a list or of a line is
    /// ready while the next one is not there.
    ///
    /// # Errors
    /// The fault that broke the reply.
    pub(super) async fn collect(
        mut self: Box<Self>,
        limit: usize,
        heavy: &Heavy,
    ) -> Result<Collected, Fault> {
        while self.ready.len() < limit {
            match std::future::poll_fn(|cx| self.poll_next_part(cx)).await {
                Some(Some(pushed)) => pushed?,
                Some(None) => return self.finish_whole(heavy).await,
                None => break,
            }
        }
        Ok(Collected::Begun(self))
    }

    /// What a poll of the body brings; `None` if values are ready and it brings nothing yet.
    fn poll_next_part(&mut self, cx: &mut Context<'_>) -> Poll<Option<Polled>> {
        match self.poll_push(cx) {
            Poll::Pending if !self.ready.is_empty() && self.restorer.summary().frames > 0 => {
                Poll::Ready(None)
            }
            polled => polled.map(Some),
        }
    }

    /// Waits a moment for the first bytes of a stream.
    ///
    /// # Errors
    /// The fault that broke the reply before any of it could be delivered.
    pub(super) async fn begin(&mut self) -> Result<(), Fault> {
        let mut moment = None;
        std::future::poll_fn(|cx| {
            while self.ready.is_empty() {
                let Poll::Ready(polled) = self.poll_push(cx) else {
                    let sleep = || Box::pin(tokio::time::sleep(HEAD_TIME));
                    return moment.get_or_insert_with(sleep).as_mut().poll(cx).map(Ok);
                };
                let has_nothing = self.ready.is_empty() && !self.restorer.waits();
                match polled {
                    Some(Ok(())) => {}
                    Some(Err(fault)) if has_nothing => return Poll::Ready(Err(fault)),
                    over => {
                        self.polled = Some(over);
                        break;
                    }
                }
            }
            Poll::Ready(Ok(()))
        })
        .await
    }

    async fn finish_whole(mut self: Box<Self>, heavy: &Heavy) -> Result<Collected, Fault> {
        let bytes = self.restored;
        let finish = move || {
            self.finish();
            self
        };
        let mut finished = heavy.run(Work::Restore, bytes, finish).await?;
        std::future::poll_fn(|cx| finished.links.poll_done(cx)).await;
        Ok(Collected::Whole {
            bytes: mem::take(&mut finished.ready).into(),
            summary: finished.restorer.summary().clone(),
        })
    }

    /// How many bytes can be delivered now.
    pub(super) fn ready(&self) -> usize {
        self.ready.len()
    }

    /// Waits until what was restored so far may be delivered: `all` of it, up to the end.
    pub(super) fn poll_links(&mut self, cx: &mut Context<'_>, all: bool) -> Poll<()> {
        let done = self.links.poll_done(cx);
        if done.is_pending() && !all && self.links.let_pass() {
            return Poll::Ready(());
        }
        done
    }

    /// Returns what can be delivered now.
    pub(super) fn take_ready(&mut self) -> Option<Bytes> {
        if self.ready.is_empty() {
            return None;
        }
        self.quiet = None;
        Some(mem::take(&mut self.ready).into())
    }

    /// Returns what follows the body.
    pub(super) fn take_trailers(&mut self) -> Option<HeaderMap> {
        self.trailers.take()
    }

    /// Counts so far.
    pub(super) fn summary(&self) -> &RestoreSummary {
        self.restorer.summary()
    }

    /// Restores the next part. Waits for it, and writes a comment if that takes long and nothing
    /// else is ready. `None` is the proper end. After a fault the reply [says](Self::say) so or is [broken off](Self::break_off).
    pub(super) fn poll_restore(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<(), Fault>>> {
        match self.poll_push(cx) {
            Poll::Pending if self.ready.is_empty() => self.poll_quiet(cx).map(|()| Some(Ok(()))),
            polled => polled,
        }
    }

    /// Waits for the provider's next bytes and restores them.
    fn poll_push(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<(), Fault>>> {
        if let Some(polled) = self.polled.take() {
            return Poll::Ready(polled);
        }
        let frame = match ready!(self.body.poll_next(cx)) {
            Some(Ok(frame)) => frame,
            Some(Err(fault)) => return Poll::Ready(Some(Err(fault))),
            None => return Poll::Ready(self.end_decoding().err().map(Err)),
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
        let result = if let Some(decoder) = &mut self.decoder {
            let (bytes, result) = decoder.push(data);
            self.restore(&bytes);
            result
        } else {
            self.restore(data);
            Ok(())
        };
        if self.restorer.waits() {
            self.quiet = None;
        }
        self.remember();
        result.map_err(|_| Fault::UndecodableReply)
    }

    fn restore(&mut self, data: &[u8]) {
        let before = self.ready.len();
        self.restored += data.len();
        self.restorer.push(data, &mut self.ready);
        self.record(data, before);
    }

    /// Records what the provider wrote, and what was made ready since.
    fn record(&mut self, written: &[u8], before: usize) {
        let new = self.ready.get(before..).unwrap_or_default();
        if !new.is_empty() {
            self.is_in_line = !BEFORE_LINES.iter().any(|end| new.ends_with(end));
        }
        self.recording
            .passed(written, new, self.restorer.summary().restored);
    }

    /// Ends the content coding.
    ///
    /// # Errors
    /// When the reply ended in the middle of it.
    fn end_decoding(&mut self) -> Result<(), Fault> {
        let ended = self.decoder.take().map_or(Ok(()), Decoder::finish);
        ended.map_err(|_| Fault::ReplyBroke)
    }

    /// Restores what was held back, after the proper end.
    pub(super) fn finish(&mut self) {
        let before = self.ready.len();
        self.restorer.finish(&mut self.ready);
        self.record(&[], before);
        self.remember();
    }

    /// Whether an event of the proxy's own can be the first one: there were only comments.
    pub(super) fn can_say(&self) -> bool {
        self.summary().frames == 0 && !self.is_in_line
    }

    /// Adds an event of the proxy's own.
    pub(super) fn say(&mut self, event: &str) {
        let before = self.ready.len();
        self.ready.extend_from_slice(event.as_bytes());
        self.record(&[], before);
    }

    /// Restores what was held back when the reply broke off, as far as it can be known.
    pub(super) fn break_off(&mut self) {
        let before = self.ready.len();
        self.restorer.break_off(&mut self.ready);
        self.record(&[], before);
        self.remember();
    }

    fn remember(&mut self) {
        let blocks = self.restorer.take_signed_blocks();
        self.signed_blocks.remember(self.owner, blocks);
        self.links.add(self.restorer.take_history_names());
    }

    /// Ready when an event was written that waited for the next one, or a comment because output has been held back
    /// for long.
    fn poll_quiet(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if !self.restorer.holds_back() {
            self.quiet = None;
            return Poll::Pending;
        }
        let time = if self.restorer.waits() {
            EVENT_TIME
        } else {
            QUIET_TIME
        };
        let quiet = self
            .quiet
            .get_or_insert_with(|| Box::pin(tokio::time::sleep(time)));
        ready!(quiet.as_mut().poll(cx));
        let before = self.ready.len();
        self.restorer.keep_alive(&mut self.ready);
        self.record(&[], before);
        self.quiet = None;
        Poll::Ready(())
    }
}
