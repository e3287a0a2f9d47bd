//! Converts faults into HTTP replies. The only place that does.

use bytes::Bytes;
use engine::Schema;
use http::header::{CONNECTION, CONTENT_TYPE, HeaderValue, RETRY_AFTER, UPGRADE};
use http::{Response, StatusCode, Version};
use serde::Serialize;

use super::Fault;
use crate::session::RequestId;

/// One shape for every client library: each finds its own members in it.
#[derive(Serialize)]
struct Coded<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    error: CodedError,
    request_id: &'a str,
}

#[derive(Serialize)]
struct CodedError {
    #[serde(rename = "type")]
    kind: &'static str,
    code: &'static str,
    message: String,
    param: Option<()>,
}

/// The same as an event of responses, whose members stand outside.
#[derive(Serialize)]
struct CodedEvent<'a> {
    #[serde(flatten)]
    coded: &'a Coded<'a>,
    code: &'static str,
    message: &'a str,
    param: Option<()>,
    sequence_number: u32,
}

/// How a reply whose head was delivered can still say that it failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InBand {
    /// As a server-sent event of a schema.
    Event(Schema),
    /// As a JSON value on a line.
    Line,
}

/// A line with an error, as Ollama writes it.
#[derive(Serialize)]
struct ErrorLine<'a> {
    error: &'a str,
}

/// The shape that the specification gives for refusals.
#[derive(Serialize)]
struct Refusal<'a> {
    error: Message<'a>,
}

#[derive(Serialize)]
struct Message<'a> {
    message: &'a str,
}

/// The reply to an exchange that failed before its reply began (decisions, 5.1).
pub(crate) fn answer(fault: Fault, request: RequestId) -> Response<Bytes> {
    let code = fault.code();
    let mut response = reply(status(fault), &coded(fault, &request));
    let headers = response.headers_mut();
    if !fault.worth_repeating() {
        headers.insert("x-should-retry", HeaderValue::from_static("false"));
    }
    if code == "mask_upstream_busy" {
        headers.insert(RETRY_AFTER, HeaderValue::from_static("10"));
    }
    if let Ok(id) = HeaderValue::from_str(request.as_str()) {
        headers.insert("x-request-id", id);
    }
    response
}

/// What a reply says instead of its first event if it fails before that.
pub(crate) fn in_band(form: InBand, fault: Fault, request: RequestId) -> String {
    let coded = coded(fault, &request);
    let CodedError { code, message, .. } = &coded.error;
    match form {
        InBand::Line => format!("{}\n", json(&ErrorLine { error: message })),
        InBand::Event(Schema::MessagesStyle) => {
            format!("event: error\ndata: {}\n\n", json(&coded))
        }
        InBand::Event(Schema::Responses) => {
            let event = CodedEvent {
                coded: &coded,
                code,
                message,
                param: None,
                sequence_number: 0,
            };
            format!("event: error\ndata: {}\n\n", json(&event))
        }
        // Their clients look for `error` in the data, and some skip events with a name.
        InBand::Event(Schema::ChatStyle | Schema::Generic) => format!("data: {}\n\n", json(&coded)),
    }
}

fn coded(fault: Fault, request: &RequestId) -> Coded<'_> {
    let code = fault.code();
    Coded {
        kind: "error",
        error: CodedError {
            kind: code,
            code,
            message: format!("{code}: {fault}; request {request}"),
            param: None,
        },
        request_id: request.as_str(),
    }
}

fn json(body: &impl Serialize) -> String {
    // Texts, numbers and null always serialize.
    serde_json::to_string(body).unwrap_or_default()
}

/// The refusal of an unrouted path when `proxy.unrouted` is `refuse`.
pub(crate) fn blocked(path: &str) -> Response<Bytes> {
    let message = format!(
        "{path} is not in proxy.routes, so it can't be masked, and proxy.unrouted is refuse (or \
         proxy.passthrough_unknown false): it was not forwarded; to mask it, add it to proxy.add_routes"
    );
    let mut response = refusal(StatusCode::FORBIDDEN, &message);
    response
        .headers_mut()
        .insert("x-should-retry", HeaderValue::from_static("false"));
    response
}

/// The reply to a request that the proxy's mode does not serve, such as `CONNECT`.
pub(crate) fn not_served() -> Response<Bytes> {
    let message = "not served here: the proxy forwards requests to paths only, and in gateway mode \
                   only POST requests to the paths in proxy.routes";
    refusal(StatusCode::NOT_FOUND, message)
}

/// The reply to a call that the guardrail does not have.
pub(crate) fn no_such_call(status: StatusCode) -> Response<Bytes> {
    let message = "not served here: only POST /mask, /restore and /beta/litellm_basic_guardrail_api, and GET /health \
                   and /ready";
    refusal(status, message)
}

/// The reply to a WebSocket upgrade asked for in a version of HTTP.
pub(crate) fn upgrade_refused(version: Version) -> Response<Bytes> {
    let message = "WebSocket frames can't be masked, so the upgrade was not forwarded; use plain \
                   HTTP requests";
    let mut response = refusal(StatusCode::UPGRADE_REQUIRED, message);
    // Which protocol is served instead (RFC 9110, 15.5.22). HTTP/2 has neither header.
    if version <= Version::HTTP_11 {
        let headers = response.headers_mut();
        headers.insert(UPGRADE, HeaderValue::from_static("HTTP/1.1"));
        headers.insert(CONNECTION, HeaderValue::from_static("upgrade"));
    }
    response
}

fn refusal(status: StatusCode, message: &str) -> Response<Bytes> {
    let error = Message { message };
    reply(status, &Refusal { error })
}

fn reply(status: StatusCode, body: &impl Serialize) -> Response<Bytes> {
    let mut response = Response::new(Bytes::from(json(body)));
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// The status for a fault.
pub(crate) fn status(fault: Fault) -> StatusCode {
    if fault == Fault::RequestStalled {
        return StatusCode::REQUEST_TIMEOUT;
    }
    match fault.code() {
        "mask_invalid_request" => StatusCode::BAD_REQUEST,
        "mask_unauthorized" => StatusCode::UNAUTHORIZED,
        "mask_unknown_session" => StatusCode::NOT_FOUND,
        "mask_request_too_large" => StatusCode::PAYLOAD_TOO_LARGE,
        "mask_session_full" => StatusCode::UNPROCESSABLE_ENTITY,
        "mask_scan_failed" | "mask_vault_unavailable" | "mask_upstream_busy" => {
            StatusCode::SERVICE_UNAVAILABLE
        }
        "mask_upstream_timeout" => StatusCode::GATEWAY_TIMEOUT,
        _ => StatusCode::BAD_GATEWAY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Origin;
    use crate::error::ProviderAddress;

    fn address() -> ProviderAddress {
        ProviderAddress::of(&Origin::parse("http://127.0.0.1:9").unwrap())
    }

    fn fields(fault: Fault) -> (Response<Bytes>, serde_json::Value) {
        let response = answer(fault, RequestId::random());
        let body = serde_json::from_slice(response.body()).unwrap();
        (response, body)
    }

    #[test]
    fn the_message_begins_with_the_code_and_ends_with_the_request_id() {
        let (response, body) = fields(Fault::Unreachable(address()));
        assert_eq!(response.status(), 502);
        assert_eq!(body["type"], "error");
        assert_eq!(body["error"]["code"], "mask_upstream_unreachable");
        assert_eq!(body["error"]["type"], body["error"]["code"]);
        assert!(body["error"]["param"].is_null());
        let message = body["error"]["message"].as_str().unwrap();
        let request = body["request_id"].as_str().unwrap();
        assert!(message.starts_with("mask_upstream_unreachable: "));
        assert!(message.contains(" at 127.0.0.1:9; "), "{message}");
        assert!(message.ends_with(request));
        assert!(response.headers().get("x-should-retry").is_none());
    }

    #[test]
    fn errors_that_retrying_cannot_fix_forbid_retries() {
        for (fault, status) in [
            (Fault::CompressedRequest, 400),
            (Fault::SessionName, 400),
            (Fault::RequestTooLarge { limit: 1 }, 413),
            (Fault::WorkStopped, 503),
            (Fault::Request(engine::Error::TooDeep), 400),
            (Fault::Request(engine::Error::TooLarge), 413),
            (Fault::from(engine::Error::TooManyValues), 422),
            (Fault::from(crate::vault::VaultError::Full), 422),
        ] {
            let (response, _) = fields(fault);
            assert_eq!(response.status(), status, "{fault:?}");
            assert_eq!(response.headers()["x-should-retry"], "false", "{fault:?}");
        }
    }

    #[test]
    fn a_failing_vault_is_503_and_may_be_retried() {
        let (response, body) = fields(Fault::Vault(crate::vault::VaultError::Timeout));
        assert_eq!(response.status(), 503);
        assert_eq!(body["error"]["code"], "mask_vault_unavailable");
        assert!(response.headers().get("x-should-retry").is_none());
    }

    #[test]
    fn a_damaged_record_is_503_and_must_not_be_retried() {
        let (response, body) = fields(Fault::Vault(crate::vault::VaultError::Corrupt));
        assert_eq!(response.status(), 503);
        assert_eq!(body["error"]["code"], "mask_vault_unavailable");
        assert_eq!(response.headers()["x-should-retry"], "false");
        let message = body["error"]["message"].as_str().unwrap();
        assert!(!message.contains("try again") && message.contains("session prune"));
    }

    #[test]
    fn a_busy_provider_error_has_retry_after() {
        for fault in [Fault::Busy, Fault::NoDescriptor] {
            let (response, body) = fields(fault);
            assert_eq!(
                (response.status().as_u16(), &body["error"]["code"]),
                (503, &"mask_upstream_busy".into())
            );
            assert_eq!(response.headers()["retry-after"], "10");
            assert!(response.headers().get("x-should-retry").is_none());
        }
    }

    #[test]
    fn timeouts_are_504() {
        for fault in [Fault::ConnectTimeout(address()), Fault::ReplyTimeout] {
            assert_eq!(fields(fault).0.status(), 504);
        }
    }
}
