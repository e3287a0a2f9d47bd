//! Masking and restoring for gateways that talk to the provider themselves (`proxy.guardrail`).
//!
//! ```text
//! /mask, /restore                        plain.rs      texts or a body, in a session that the caller names
//! /beta/litellm_basic_guardrail_api      litellm.rs    LiteLLM's generic guardrail API, in a session for each call
//! ```
//!
//! Nothing is forwarded: what is masked here leaves by the gateway.

mod call;
mod litellm;
mod plain;
mod prompt;

use bytes::Bytes;
use engine::route::Own;
use http::header::{ALLOW, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use http::{Method, Request, Response, StatusCode};
use http_body::Body;
use hyper::body::Incoming;
use serde::Deserialize;
use serde::de::IgnoredAny;
use sha2::{Digest, Sha256};

use self::call::Call;
use super::context::{Context, Shared};
use super::deliver::Delivered;
use super::{answer_own, headers, read};
use crate::error::{self, Fault};
use crate::session::SessionId;

const API_KEY: HeaderName = HeaderName::from_static("x-api-key");

/// The paths that are served; `docs/openapi.yaml` describes them.
#[derive(Debug, Clone, Copy)]
enum Path {
    Mask,
    Restore,
    LiteLlm,
}

impl Path {
    fn at(path: &str) -> Option<Self> {
        match path {
            "/mask" => Some(Self::Mask),
            "/restore" => Some(Self::Restore),
            "/beta/litellm_basic_guardrail_api" => Some(Self::LiteLlm),
            _ => None,
        }
    }

    const fn as_str(self) -> &'static str {
        match self {
            Self::Mask => "/mask",
            Self::Restore => "/restore",
            Self::LiteLlm => "/beta/litellm_basic_guardrail_api",
        }
    }
}

/// The answer to a call.
struct Answered {
    body: Vec<u8>,
    /// The session, where it has a name that the caller may use.
    session: Option<SessionId>,
}

/// Answers a request of a gateway.
pub(crate) async fn answer_gateway(
    context: &Context,
    request: Request<Incoming>,
) -> Response<Delivered> {
    let shared = &context.shared;
    if let Some(own @ (Own::Health | Own::Ready)) = Own::at(request.uri().path()) {
        return answer_own(shared, own).await;
    }
    let Some(path) = Path::at(request.uri().path()) else {
        return error::no_such_call(StatusCode::NOT_FOUND).map(Delivered::Whole);
    };
    if request.method() != Method::POST {
        let mut refused = error::no_such_call(StatusCode::METHOD_NOT_ALLOWED);
        let post = HeaderValue::from_static("POST");
        refused.headers_mut().insert(ALLOW, post);
        return refused.map(Delivered::Whole);
    }
    let mut call = Call::begin(shared, path.as_str());
    match carry_out(shared, path, request, &mut call).await {
        Ok(answered) => {
            call.answered();
            reply(answered)
        }
        Err(fault) => {
            call.failed(fault);
            error::answer(fault, call.request()).map(Delivered::Whole)
        }
    }
}

async fn carry_out(
    shared: &std::sync::Arc<Shared>,
    path: Path,
    request: Request<Incoming>,
    call: &mut Call,
) -> Result<Answered, Fault> {
    let (head, body) = request.into_parts();
    let named = match check(shared, &head.headers) {
        Ok(named) => named,
        Err(fault) => {
            if !body.is_end_stream() {
                read::discard(body);
            }
            return Err(fault);
        }
    };
    let body = read::whole(body, shared.limits.max_body).await?;
    match path {
        Path::Mask => plain::mask(shared, named, &body, call).await,
        Path::Restore => plain::restore(shared, named, &body, call).await,
        Path::LiteLlm => litellm::answer(shared, &body, call).await,
    }
}

/// What a call asks.
fn asked<'b, T: Deserialize<'b>>(body: &'b [u8]) -> Result<T, Fault> {
    serde_json::from_slice(body).map_err(|error| {
        // Strings that are passed over may hold any escape.
        let is_json = || serde_json::from_slice::<IgnoredAny>(body).is_ok();
        if error.is_syntax() && error.to_string().contains("hex escape") && is_json() {
            Fault::GatewayText
        } else {
            Fault::GatewayRequest
        }
    })
}

/// Refuses what can be refused before the body is read; returns the session that the header names.
fn check(shared: &Shared, headers: &HeaderMap) -> Result<Option<SessionId>, Fault> {
    if !is_authorized(shared, headers) {
        return Err(Fault::NotAuthorized);
    }
    if headers::is_encoded(headers) {
        return Err(Fault::CompressedRequest);
    }
    headers::session(headers)
}

fn is_authorized(shared: &Shared, headers: &HeaderMap) -> bool {
    let Some(key) = &shared.guardrail_key else {
        return true;
    };
    // Digests, so that the comparison's time reveals nothing about the key.
    let digest = |key: &[u8]| -> [u8; 32] { Sha256::digest(key).into() };
    let key = digest(key.expose().as_bytes());
    let bearer = headers.get_all(AUTHORIZATION).iter().filter_map(|value| {
        let (scheme, key) = value.as_bytes().split_at_checked("bearer ".len())?;
        scheme.eq_ignore_ascii_case(b"bearer ").then_some(key)
    });
    let plain = headers.get_all(API_KEY).iter().map(HeaderValue::as_bytes);
    bearer.chain(plain).any(|given| digest(given) == key)
}

fn reply(answered: Answered) -> Response<Delivered> {
    let mut response = Response::new(Delivered::Whole(Bytes::from(answered.body)));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if let Some(session) = answered.session {
        headers.insert(headers::SESSION, session.header());
    }
    response
}
