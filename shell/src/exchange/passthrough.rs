//! An unrouted exchange: both ways byte for byte, unmasked, in constant memory; or a refusal.

use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use http::{HeaderValue, Method, Request, Response, StatusCode, Version, header};
use http_body::Body;
use hyper::body::Incoming;

use super::context::{Context, Shared};
use super::deliver::{Delivered, Relayed};
use super::{headers, read, shown};
use crate::audit::Event;
use crate::error::{self, Fault, Phase};
use crate::log::Access;
use crate::session::RequestId;
use crate::upstream::Outgoing;

/// Up to here a body is read whole, so that it can be sent again when an idle connection to the provider
/// turns out to be closed.
const HELD_BYTES: u64 = 64 << 10;

/// Forwards a request as it is.
pub(super) async fn relay(context: &Context, request: Request<Incoming>) -> Response<Delivered> {
    let shared = &context.shared;
    let mut passage = Passage::begin(shared, &request);
    let (mut parts, body) = request.into_parts();
    headers::join_cookies(&mut parts.headers, parts.version);
    shared.outbound.prepare(&mut parts.headers, None);
    if !body.is_end_stream() && !parts.headers.contains_key(header::CONTENT_LENGTH) {
        let chunked = HeaderValue::from_static("chunked");
        parts.headers.insert(header::TRANSFER_ENCODING, chunked);
    }
    let outgoing = match outgoing(body, parts.version).await {
        Ok(outgoing) => outgoing,
        Err(fault) => return fail(passage, fault, Phase::Transform),
    };
    let request = Request::from_parts(parts, outgoing);
    let sent = context.upstream.send(request).await;
    let failed = sent.as_ref().err();
    if failed.is_none_or(|fault| fault.may_have_been_sent()) {
        shared.metrics.count_passed();
    }
    match sent {
        Ok(mut reply) => {
            passage.answered(reply.head.status);
            headers::to_client(&mut reply.head.headers);
            let relayed = Relayed {
                body: reply.body,
                passage,
            };
            Response::from_parts(reply.head, Delivered::Relayed(relayed))
        }
        Err(fault) => fail(passage, fault, Phase::Upstream),
    }
}

async fn outgoing(body: Incoming, version: Version) -> Result<Outgoing, Fault> {
    let length = body.size_hint().exact();
    // Over HTTP/2 trailers may follow.
    let is_held = version <= Version::HTTP_11 && length.is_some_and(|bytes| bytes <= HELD_BYTES);
    if !is_held {
        return Ok(Outgoing::pass_through(body));
    }
    let bytes = read::whole(body, usize::MAX).await?;
    Ok(Outgoing::pass_through_whole(bytes))
}

fn fail(mut passage: Passage, fault: Fault, phase: Phase) -> Response<Delivered> {
    passage.failed(fault, phase);
    error::answer(fault, passage.request).map(Delivered::Whole)
}

/// Answers a request to an unrouted path that may not be forwarded.
pub(super) fn block(shared: &Arc<Shared>, request: &Request<Incoming>) -> Response<Delivered> {
    refuse(shared, request, error::blocked(request.uri().path()))
}

/// Answers a request that the proxy's mode does not serve.
pub(super) fn not_served(shared: &Arc<Shared>, request: &Request<Incoming>) -> Response<Delivered> {
    refuse(shared, request, error::not_served())
}

fn refuse(
    shared: &Arc<Shared>,
    request: &Request<Incoming>,
    answer: Response<Bytes>,
) -> Response<Delivered> {
    shared.metrics.count_blocked();
    let mut passage = Passage::begin(shared, request);
    shared.record(Event::ProxyBlocked, passage.request, |line| {
        line.text("method", request.method().as_str())
            .number("status", answer.status().as_u16().into())
    });
    passage.status = Some(answer.status());
    answer.map(Delivered::Whole)
}

/// Answers a request for a WebSocket.
pub(super) fn refuse_upgrade(
    shared: &Arc<Shared>,
    request: &Request<Incoming>,
) -> Response<Delivered> {
    shared.metrics.count_refused_upgrade();
    let answer = error::upgrade_refused(request.version());
    Passage::begin(shared, request).status = Some(answer.status());
    answer.map(Delivered::Whole)
}

/// What an unrouted exchange leaves behind. Dropped at its end.
#[derive(Debug)]
pub(super) struct Passage {
    shared: Arc<Shared>,
    request: RequestId,
    method: Method,
    /// For the log, and only where there is one.
    path: Option<String>,
    status: Option<StatusCode>,
    began: Instant,
}

impl Passage {
    fn begin(shared: &Arc<Shared>, request: &Request<Incoming>) -> Self {
        let logged = shared.access.is_on();
        Self {
            shared: Arc::clone(shared),
            request: RequestId::random(),
            method: request.method().clone(),
            path: logged.then(|| shown::path(&shared.engine, request.uri().path())),
            status: None,
            began: Instant::now(),
        }
    }

    fn answered(&mut self, status: StatusCode) {
        self.status = Some(status);
        self.shared
            .record(Event::ProxyPassthrough, self.request, |line| {
                line.text("method", self.method.as_str())
                    .number("status", status.as_u16().into())
            });
    }

    /// The exchange failed. Its path is not said.
    pub(super) fn failed(&mut self, fault: Fault, phase: Phase) {
        if fault == Fault::ClientLeft {
            return;
        }
        self.status = self.status.or(Some(error::status(fault)));
        let took = self.began.elapsed();
        self.shared.record_failure(self.request, fault, phase, took);
    }
}

impl Drop for Passage {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            self.shared.access.write(&Access {
                request: self.request,
                method: &self.method,
                path,
                status: self.status,
                took: self.began.elapsed(),
            });
        }
    }
}
