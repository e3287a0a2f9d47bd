//! A routed exchange under policy shadow: forwarded byte for byte, while what would be masked is
//! counted in the background.

mod scan;

use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use engine::RestoreSummary;
use engine::route::Route;
use http::request::Parts;
use http::{HeaderValue, Request, Response, header};
use hyper::body::Incoming;

use super::context::{Context, Shared};
use super::deliver::{Delivered, Shadowed};
use super::headers;
use super::read::{self, Taken};
use super::survive;
use super::trail::Trail;
use crate::error::{self, Fault, Phase};
use crate::session::RequestId;
use crate::upstream::Outgoing;

use scan::Asked;
pub(super) use scan::Shadow;

/// Forwards a request unchanged, and scans it.
pub(super) async fn exchange(
    context: &Context,
    request: Request<Incoming>,
    route: Route,
) -> Response<Delivered> {
    let id = RequestId::random();
    survive(id, carry_out(context, request, route, id)).await
}

async fn carry_out(
    context: &Context,
    request: Request<Incoming>,
    route: Route,
    id: RequestId,
) -> Response<Delivered> {
    let (mut parts, body) = request.into_parts();
    let shared = &context.shared;
    let span = shared.traces.begin(&mut parts.headers);
    let method = parts.method.clone();
    let mut trail = Trail::begin(Arc::clone(shared), id, route.clone(), method, span);
    trail.shadowed();
    let taken = match read::up_to(body, shared.limits.max_body).await {
        Ok(taken) => taken,
        Err(fault) => return fail(&mut trail, fault, Phase::Transform),
    };
    let arrived = Instant::now();
    let asked = Asked::of(&parts, route.clone(), id);
    let asks_for_report = headers::asks_for_report(&parts.headers);
    let (outgoing, scanning) = match taken {
        Taken::Whole(bytes) => {
            let bytes = Bytes::from(bytes);
            let scanning = scan::begin(shared, asked, Ok(bytes.clone()));
            prepare(shared, &mut parts, &route);
            headers::set_length(&mut parts.headers, bytes.len());
            (Outgoing::pass_through_whole(bytes), scanning)
        }
        Taken::Begun(ahead, rest) => {
            let limit = shared.limits.max_body;
            let scanning = scan::begin(shared, asked, Err(Fault::RequestTooLarge { limit }));
            prepare(shared, &mut parts, &route);
            if !parts.headers.contains_key(header::CONTENT_LENGTH) {
                let chunked = HeaderValue::from_static("chunked");
                parts.headers.insert(header::TRANSFER_ENCODING, chunked);
            }
            (Outgoing::pass_through_after(ahead.into(), rest), scanning)
        }
    };
    shared.metrics.count_delay(arrived.elapsed());
    let sent = context.upstream.send(Request::from_parts(parts, outgoing));
    let mut reply = match sent.await {
        Ok(reply) => reply,
        Err(fault) => return fail(&mut trail, fault, Phase::Upstream),
    };
    let content_type = headers::content_type(&reply.head.headers);
    trail.answered(reply.head.status, headers::is_event_stream(content_type));
    headers::to_client(&mut reply.head.headers);
    if let Some(scanning) = scanning.filter(|_| asks_for_report)
        && let Ok(report) = scanning.await
    {
        reply.head.headers.insert(headers::REPORT, report);
    }
    let shadowed = Shadowed::new(reply.body, trail);
    Response::from_parts(reply.head, Delivered::Shadowed(Box::new(shadowed)))
}

/// Makes the head that of the request to the provider.
fn prepare(shared: &Shared, parts: &mut Parts, route: &Route) {
    headers::join_cookies(&mut parts.headers, parts.version);
    shared
        .outbound
        .prepare(&mut parts.headers, &parts.uri, Some(route.schema));
    if let Some(target) = shared.outbound.target(&parts.uri) {
        parts.uri = target;
    }
}

fn fail(trail: &mut Trail, fault: Fault, phase: Phase) -> Response<Delivered> {
    if fault == Fault::ClientLeft {
        trail.aborted(&RestoreSummary::default(), 0);
    } else {
        trail.failed(fault, phase);
    }
    error::answer(fault, trail.request()).map(Delivered::Whole)
}
