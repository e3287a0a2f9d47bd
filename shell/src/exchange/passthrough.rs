//! An unrouted exchange: both ways byte for byte, unmasked, in constant memory.

use std::sync::Arc;

use http::{HeaderValue, Request, Response, header};
use http_body::Body;
use hyper::body::Incoming;

use super::context::{Context, Shared};
use super::deliver::{Delivered, Relayed};
use super::headers;
use crate::audit::Event;
use crate::error::{self, Fault, Phase};
use crate::session::RequestId;
use crate::upstream::Outgoing;

/// Forwards a request as it is.
pub(super) async fn relay(context: &Context, request: Request<Incoming>) -> Response<Delivered> {
    let shared = &context.shared;
    let id = RequestId::random();
    shared.metrics.count_passed();
    let (mut parts, body) = request.into_parts();
    let method = parts.method.clone();
    headers::to_provider(&mut parts.headers, &shared.credentials, None);
    if !body.is_end_stream() && !parts.headers.contains_key(header::CONTENT_LENGTH) {
        let chunked = HeaderValue::from_static("chunked");
        parts.headers.insert(header::TRANSFER_ENCODING, chunked);
    }
    let request = Request::from_parts(parts, Outgoing::pass_through(body));
    match context.upstream.send(request).await {
        Ok(mut reply) => {
            shared.record(Event::ProxyPassthrough, id, |line| {
                line.text("method", method.as_str())
                    .number("status", reply.head.status.as_u16().into())
            });
            headers::to_client(&mut reply.head.headers);
            let relayed = Relayed {
                body: reply.body,
                shared: Arc::clone(shared),
                request: id,
            };
            Response::from_parts(reply.head, Delivered::Relayed(relayed))
        }
        Err(fault) => {
            record_failure(shared, id, fault, Phase::Upstream);
            error::answer(fault, id).map(Delivered::Whole)
        }
    }
}

/// Answers a request to an unrouted path that may not be forwarded.
pub(super) fn block(shared: &Shared, request: &Request<Incoming>) -> Response<Delivered> {
    shared.metrics.count_blocked();
    shared.record(Event::ProxyBlocked, RequestId::random(), |line| {
        line.text("method", request.method().as_str())
    });
    error::blocked(request.uri().path()).map(Delivered::Whole)
}

/// Records an unrouted exchange that failed, without its path.
pub(super) fn record_failure(shared: &Shared, request: RequestId, fault: Fault, phase: Phase) {
    if fault == Fault::ClientLeft {
        return;
    }
    shared.metrics.count_error(phase);
    tracing::warn!(
        request = request.as_str(),
        phase = phase.as_str(),
        error = fault.class(),
        "{}",
        fault.code()
    );
    shared.record(Event::ProxyError, request, |line| {
        line.text("phase", phase.as_str())
            .text("error_type", fault.class())
            .text("code", fault.code())
    });
}
