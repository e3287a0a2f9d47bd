//! Bodies that may be sent to the provider.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Instant;

use bytes::Bytes;
use engine::MaskedBody;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;

/// A request body to send: masked by the engine, explicitly passed through, or a question to a
/// detector.
///
/// There is no other way to create one, so an unmasked body can't be sent by mistake.
pub(crate) struct Outgoing(Kind);

enum Kind {
    Whole(Bytes),
    PassThrough {
        /// What was read of the body already.
        ahead: Bytes,
        body: Incoming,
        upload: Upload,
    },
    Empty,
}

impl Outgoing {
    /// The body of a routed request.
    pub(crate) fn masked(body: MaskedBody) -> Self {
        Self(Kind::Whole(body.into_bytes().into()))
    }

    /// A question to a detector's own service, which is shown texts as they are.
    pub(crate) fn to_detector(question: Vec<u8>) -> Self {
        Self(Kind::Whole(question.into()))
    }

    /// Spans of exchanges for a collector of traces.
    #[cfg(feature = "otlp")]
    pub(crate) fn to_collector(spans: Vec<u8>) -> Self {
        Self(Kind::Whole(spans.into()))
    }

    /// A body that is not masked, sent as it comes.
    pub(crate) fn pass_through(body: Incoming) -> Self {
        Self::pass_through_after(Bytes::new(), body)
    }

    /// A body that is not masked: what was already read, and the rest.
    pub(crate) fn pass_through_after(ahead: Bytes, body: Incoming) -> Self {
        if ahead.is_empty() && body.is_end_stream() {
            return Self(Kind::Empty);
        }
        Self(Kind::PassThrough {
            ahead,
            body,
            upload: Upload::default(),
        })
    }

    /// A body that is not masked and was read whole, and so can be sent again.
    pub(crate) fn pass_through_whole(body: Bytes) -> Self {
        Self(Kind::Whole(body))
    }

    /// The body, unless it is sent as it comes.
    pub(crate) const fn whole(&self) -> Option<&Bytes> {
        match &self.0 {
            Kind::Whole(bytes) => Some(bytes),
            Kind::PassThrough { .. } | Kind::Empty => None,
        }
    }

    /// The same body once more, if that is possible.
    pub(super) fn again(&self) -> Option<Self> {
        match &self.0 {
            Kind::Whole(bytes) => Some(Self(Kind::Whole(bytes.clone()))),
            Kind::PassThrough { .. } => None,
            Kind::Empty => Some(Self(Kind::Empty)),
        }
    }

    /// How far a body that is passed through has got.
    pub(super) fn upload(&self) -> Option<Upload> {
        match &self.0 {
            Kind::PassThrough { upload, .. } => Some(upload.clone()),
            Kind::Whole(_) | Kind::Empty => None,
        }
    }
}

impl fmt::Debug for Outgoing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::Whole(bytes) => write!(f, "Outgoing({} bytes)", bytes.len()),
            Kind::PassThrough { .. } => f.write_str("Outgoing(as it comes)"),
            Kind::Empty => f.write_str("Outgoing(empty)"),
        }
    }
}

/// When bytes of an upload last moved: a long upload does not count as silence of the provider.
#[derive(Debug, Clone)]
pub(super) struct Upload {
    began: Instant,
    last_millis: Arc<AtomicU64>,
}

impl Default for Upload {
    fn default() -> Self {
        Self {
            began: Instant::now(),
            last_millis: Arc::default(),
        }
    }
}

impl Upload {
    /// The moment of the last movement.
    pub(super) fn last(&self) -> Instant {
        let millis = self.last_millis.load(Ordering::Relaxed);
        self.began + std::time::Duration::from_millis(millis)
    }

    fn moved(&self) {
        let millis = u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.last_millis.store(millis, Ordering::Relaxed);
    }
}

impl Body for Outgoing {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        match &mut self.0 {
            Kind::Whole(bytes) => {
                let bytes = std::mem::take(bytes);
                self.0 = Kind::Empty;
                Poll::Ready((!bytes.is_empty()).then(|| Ok(Frame::data(bytes))))
            }
            Kind::PassThrough { ahead, .. } if !ahead.is_empty() => {
                Poll::Ready(Some(Ok(Frame::data(std::mem::take(ahead)))))
            }
            Kind::PassThrough { body, upload, .. } => {
                let frame = std::task::ready!(Pin::new(body).poll_frame(cx));
                upload.moved();
                Poll::Ready(frame)
            }
            Kind::Empty => Poll::Ready(None),
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.0 {
            Kind::Whole(bytes) => bytes.is_empty(),
            Kind::PassThrough { ahead, body, .. } => ahead.is_empty() && body.is_end_stream(),
            Kind::Empty => true,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Kind::Whole(bytes) => {
                SizeHint::with_exact(u64::try_from(bytes.len()).unwrap_or(u64::MAX))
            }
            Kind::PassThrough { ahead, body, .. } if ahead.is_empty() => body.size_hint(),
            Kind::PassThrough { .. } => SizeHint::default(),
            Kind::Empty => SizeHint::with_exact(0),
        }
    }
}
