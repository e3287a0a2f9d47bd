//! One request and its reply through the proxy.
//!
//! ```text
//! routed    read ─► mask ─► send ─► restore ─► deliver      (masked.rs)
//! unrouted  send as it comes ─► relay as it comes           (passthrough.rs)
//! shadow    send as it comes ─► relay as it comes, detect beside it  (shadow.rs)
//! own       /health, /ready, /metrics                       (below)
//! gateways  mask ─► answer, restore ─► answer               (guardrail/)
//! live page shows what was recorded                        (live/)
//! policy test  tells what would be done                    (trial.rs)
//! ```

mod context;
mod deliver;
mod guardrail;
mod handling;
mod headers;
mod heavy;
mod live;
mod mask;
mod masked;
mod observed;
mod outbound;
mod passthrough;
mod passthrough_trail;
mod read;
mod read_ahead;
mod redirect;
mod reply_links;
mod report;
mod restore;
mod rules;
mod shadow;
#[cfg(test)]
mod tests;
mod token_watch;
mod trail;
mod trial;
mod upload;

use std::pin::pin;

use bytes::Bytes;
use engine::route::Own;
use http::header::{CONTENT_TYPE, HeaderValue};
use http::{Request, Response, StatusCode};
use hyper::body::Incoming;

use crate::base::panics::contained;
use crate::session::RequestId;
use crate::{error, metrics};
use handling::Handling;

pub(crate) use context::{Context, ProcessState, Shared};
pub(crate) use deliver::Delivered;
pub(crate) use guardrail::answer_gateway;
pub(crate) use live::{Recorder, answer_live};
pub(crate) use observed::{ExchangeCounts, Notice, Observed};
pub(crate) use trial::{Outcome, Scanned, Trial};

/// Answers one request, by whatever it takes.
pub(crate) async fn answer(
    context: &Context,
    mut request: Request<Incoming>,
) -> Response<Delivered> {
    let shared = &context.shared;
    let handling = Handling::of(shared, &request);
    if !matches!(handling, Handling::Own(_)) {
        shared.observed.request();
    }
    match handling {
        Handling::Own(own) => answer_own(shared, own).await,
        Handling::RefusedUpgrade => passthrough::refuse_upgrade(shared, &mut request),
        Handling::NotServed => passthrough::not_served(shared, &mut request),
        Handling::Blocked => passthrough::block(shared, &mut request),
        Handling::Masked(route) => masked::exchange(context, request, route).await,
        Handling::Shadowed(route) => Box::pin(shadow::exchange(context, request, route)).await,
        Handling::Relayed => Box::pin(passthrough::relay(context, request)).await,
    }
}

/// Carries out an exchange, and answers with an error if it panics.
async fn survive(
    id: RequestId,
    exchange: impl Future<Output = Response<Delivered>>,
) -> Response<Delivered> {
    let carried_out = contained(pin!(exchange)).await;
    // The trail has recorded why it stopped.
    carried_out.unwrap_or_else(|panicked| error::answer(panicked.into(), id).map(Delivered::Whole))
}

async fn answer_own(shared: &Shared, own: Own) -> Response<Delivered> {
    const JSON: &str = "application/json";
    // What waits for it is asked seldom: kept out of every exchange's future.
    let vault = Box::pin(shared.sessions.check_vault());
    let (status, content_type, body) = match own {
        Own::Health => (
            StatusCode::OK,
            JSON,
            Bytes::from_static(b"{\"status\":\"ok\"}"),
        ),
        Own::Ready => match vault.await {
            Ok(()) => (
                StatusCode::OK,
                JSON,
                Bytes::from_static(b"{\"status\":\"ready\"}"),
            ),
            Err(error) => (
                StatusCode::SERVICE_UNAVAILABLE,
                JSON,
                format!("{{\"status\":\"{}\"}}", error.class()).into(),
            ),
        },
        Own::Metrics => {
            shared.count_lost();
            shared.metrics.set_ready(vault.await.is_ok());
            let text = shared.metrics.expose().into();
            (StatusCode::OK, metrics::CONTENT_TYPE, text)
        }
    };
    let mut response = Response::new(Delivered::Whole(body));
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}
