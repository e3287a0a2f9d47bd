//! An unrouted exchange: forwarded byte for byte in both directions, in constant memory, or
//! refused.

use std::sync::Arc;

use bytes::Bytes;
use engine::route::Content;
use http::request::Parts;
use http::{HeaderValue, Request, Response, Version, header};
use http_body::Body;
use hyper::body::Incoming;

use super::context::{Context, Shared};
use super::deliver::{Delivered, Relayed};
use super::passthrough_trail::PassthroughTrail;
use super::token_watch::TokenWatch;
use super::upload::Upload;
use super::{headers, read, redirect};
use crate::audit::Event;
use crate::error::{self, Fault, Phase};
use crate::upstream::Outgoing;

/// Up to this size a body is read whole, so that it can be sent again if an idle connection turns
/// out to be closed.
const HELD_BYTES: u64 = 64 << 10;

/// Forwards a request as it is.
pub(super) async fn relay(
    context: &Context,
    mut request: Request<Incoming>,
) -> Response<Delivered> {
    let shared = &context.shared;
    let mut passage = PassthroughTrail::begin(shared, &mut request);
    let (mut parts, body) = request.into_parts();
    headers::join_cookies(&mut parts.headers, parts.version);
    let upload = Upload::begin(shared, &mut parts);
    shared
        .outbound
        .prepare(&mut parts.headers, &parts.uri, None);
    shared.warn_of_headers(&parts.headers);
    if !body.is_end_stream() && !parts.headers.contains_key(header::CONTENT_LENGTH) {
        let chunked = HeaderValue::from_static("chunked");
        parts.headers.insert(header::TRANSFER_ENCODING, chunked);
    }
    let (outgoing, unmasked) = match outgoing(body, &parts).await {
        Ok(read) => read,
        Err(fault) => return fail(passage, fault, Phase::Transform),
    };
    let path = parts.uri.path().to_owned();
    let asked = headers::target(&parts.uri).to_owned();
    if let Some(target) = shared.outbound.target(&parts.uri) {
        parts.uri = target;
    }
    let request = Request::from_parts(parts, outgoing);
    let sent = context.upstream.send(request).await;
    let failed = sent.as_ref().err();
    if failed.is_none_or(|fault| fault.may_have_been_sent()) {
        shared.metrics.count_passed();
        match unmasked {
            Some(kind) => passage.unmasked(&path, kind),
            None => shared.warn_of_unrouted(&asked),
        }
    }
    match sent {
        Ok(mut reply) => {
            passage.answered(reply.head.status);
            redirect::keep_at_proxy(&shared.outbound, &mut reply.head);
            headers::to_client(&mut reply.head.headers);
            let relayed = Relayed {
                body: reply.body,
                passage,
                tokens: TokenWatch::of(path),
                upload: upload.filter(|_| reply.head.status.is_success()),
            };
            Response::from_parts(reply.head, Delivered::Relayed(Box::new(relayed)))
        }
        Err(fault) => fail(passage, fault, Phase::Upstream),
    }
}

/// The body to forward, and its kind; `None` if there is none.
async fn outgoing(body: Incoming, head: &Parts) -> Result<(Outgoing, Option<Content>), Fault> {
    let content_type = headers::content_type(&head.headers);
    let length = body.size_hint().exact();
    // Over HTTP/2 trailers may follow.
    let is_held =
        head.version <= Version::HTTP_11 && length.is_some_and(|bytes| bytes <= HELD_BYTES);
    if !is_held {
        let content = (!body.is_end_stream()).then(|| Content::of(content_type, b""));
        return Ok((Outgoing::pass_through(body), content));
    }
    let bytes = read::whole(body, usize::MAX).await?;
    let content = (!bytes.is_empty()).then(|| Content::of(content_type, &bytes));
    Ok((Outgoing::pass_through_whole(bytes.into()), content))
}

fn fail(mut passage: PassthroughTrail, fault: Fault, phase: Phase) -> Response<Delivered> {
    passage.failed(fault, phase);
    error::answer(fault, passage.request).map(Delivered::Whole)
}

/// Answers a request to an unrouted path that may not be forwarded.
pub(super) fn block(shared: &Arc<Shared>, request: &mut Request<Incoming>) -> Response<Delivered> {
    let answer = error::blocked(request.uri().path());
    refuse(shared, request, answer)
}

/// Answers a request that the proxy's mode does not serve.
pub(super) fn not_served(
    shared: &Arc<Shared>,
    request: &mut Request<Incoming>,
) -> Response<Delivered> {
    refuse(shared, request, error::not_served())
}

fn refuse(
    shared: &Arc<Shared>,
    request: &mut Request<Incoming>,
    answer: Response<Bytes>,
) -> Response<Delivered> {
    shared.metrics.count_blocked();
    let mut passage = PassthroughTrail::begin(shared, request);
    shared.record(Event::ProxyBlocked, passage.request, |line| {
        line.text("method", request.method().as_str())
            .number("status", answer.status().as_u16().into())
    });
    passage.refused(answer.status());
    answer.map(Delivered::Whole)
}

/// Answers a request for a WebSocket.
pub(super) fn refuse_upgrade(
    shared: &Arc<Shared>,
    request: &mut Request<Incoming>,
) -> Response<Delivered> {
    shared.metrics.count_refused_upgrade();
    let answer = error::upgrade_refused(request.version());
    PassthroughTrail::begin(shared, request).refused(answer.status());
    answer.map(Delivered::Whole)
}
