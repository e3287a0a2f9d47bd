//! Replies to refused requests: the same bytes as the native proxy's.

use engine::route::Unmaskable;
use serde_json::json;

/// Why an exchange was not carried out. Messages never quote the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    Request(engine::Error),
    CompressedRequest,
    Unmaskable(Unmaskable),
    RequestTooLarge { limit: usize },
    BufferTooSmall,
    SessionName,
    MetadataHeader,
    Unreachable,
    ReplyTimeout,
    UndecodableReply,
    EventStreamReply,
    RedirectedElsewhere,
}

impl Fault {
    pub(crate) fn code(self) -> &'static str {
        match self {
            Self::Request(error) => error.code(),
            Self::CompressedRequest
            | Self::Unmaskable(_)
            | Self::SessionName
            | Self::MetadataHeader => "mask_invalid_request",
            Self::RequestTooLarge { .. } | Self::BufferTooSmall => "mask_request_too_large",
            Self::ReplyTimeout => "mask_upstream_timeout",
            Self::Unreachable
            | Self::UndecodableReply
            | Self::EventStreamReply
            | Self::RedirectedElsewhere => "mask_upstream_unreachable",
        }
    }

    pub(crate) fn status(self) -> u32 {
        match self.code() {
            "mask_invalid_request" => 400,
            "mask_request_too_large" => 413,
            "mask_scan_failed" => 503,
            "mask_upstream_timeout" => 504,
            _ => 502,
        }
    }

    /// Whether a repeat of the same request could succeed.
    pub(crate) fn is_worth_repeating(self) -> bool {
        let is_lasting = matches!(self, Self::EventStreamReply | Self::RedirectedElsewhere);
        !is_lasting && (self.status() > 503 || self.status() == 502)
    }

    fn message(self) -> String {
        match self {
            Self::Request(error) => error.to_string(),
            Self::CompressedRequest => {
                "the request body is compressed and can't be masked; turn request compression off \
                 in the client (Codex: -c features.enable_request_compression=false)"
                    .to_owned()
            }
            Self::Unmaskable(why) => format!("{why}; the request was not forwarded"),
            Self::EventStreamReply => {
                "the provider's reply is an AWS event stream, which can't be restored; use the call without streaming"
                    .to_owned()
            }
            Self::RedirectedElsewhere => {
                "the provider redirects the request to another address, where it would arrive unmasked; set that address in \
                 Envoy's cluster and host_rewrite_literal"
                    .to_owned()
            }
            Self::RequestTooLarge { limit } => format!(
                "the request body is larger than {limit} bytes (proxy.max_body); send less, or \
                 raise it"
            ),
            Self::BufferTooSmall => {
                "the request body is larger than Envoy's buffer (per_connection_buffer_limit_bytes); \
                 send less, or raise it"
                    .to_owned()
            }
            Self::SessionName => {
                "x-mask-session must be one name of 1 to 128 characters of A-Z a-z 0-9 . _ : -; \
                 correct it or leave it out"
                    .to_owned()
            }
            Self::MetadataHeader => {
                "x-codex-turn-metadata must be one line of UTF-8 text, sent once; correct it or \
                 leave it out"
                    .to_owned()
            }
            Self::Unreachable => {
                "can't connect to the provider; check Envoy's cluster and the network"
                    .to_owned()
            }
            Self::ReplyTimeout => "the provider sent nothing for too long; try again, or raise the route's timeout".to_owned(),
            Self::UndecodableReply => {
                "the provider's reply has an encoding that can't be decoded, so it can't be \
                 restored; try again with the header accept-encoding: identity"
                    .to_owned()
            }
        }
    }

    /// The body of the reply: one shape for every client library.
    pub(crate) fn body(self, request: &str) -> Vec<u8> {
        let code = self.code();
        let message = format!("{code}: {}; request {request}", self.message());
        // Members in the order of the native proxy's.
        format!(
            r#"{{"type":"error","error":{{"type":"{code}","code":"{code}","message":{},"param":null}},"request_id":"{request}"}}"#,
            json!(message)
        )
        .into_bytes()
    }
}

/// The refusal of an unrouted path when `proxy.unrouted` is `refuse`.
pub(crate) fn blocked(path: &str) -> Vec<u8> {
    refusal(&format!(
        "{path} is not in proxy.routes, so it can't be masked, and proxy.unrouted is refuse (or \
         proxy.passthrough_unknown false): it was not forwarded; to mask it, add it to proxy.add_routes"
    ))
}

/// The reply to a request for the metrics, which Envoy shows elsewhere.
pub(crate) fn no_metrics() -> Vec<u8> {
    refusal("the counters stand among those of Envoy, at its admin address: /stats/prometheus")
}

/// The reply to a WebSocket upgrade.
pub(crate) fn upgrade_refused() -> Vec<u8> {
    refusal(
        "WebSocket frames can't be masked, so the upgrade was not forwarded; use plain HTTP requests",
    )
}

fn refusal(message: &str) -> Vec<u8> {
    json!({"error": {"message": message}})
        .to_string()
        .into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_begins_with_the_code_and_ends_with_the_request_id() {
        let body = Fault::Unreachable.body("req_1");
        let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
        let message = body["error"]["message"].as_str().unwrap();
        assert!(message.starts_with("mask_upstream_unreachable: "));
        assert!(message.ends_with(" req_1"));
        assert_eq!(body["error"]["type"], body["error"]["code"]);
    }

    #[test]
    fn errors_that_retrying_cannot_fix_forbid_retries() {
        for fault in [
            Fault::SessionName,
            Fault::Request(engine::Error::ScanFailed),
        ] {
            assert!(!fault.is_worth_repeating(), "{fault:?}");
        }
        assert!(
            Fault::Unreachable.is_worth_repeating() && Fault::ReplyTimeout.is_worth_repeating()
        );
    }
}
