//! Everything that can end an exchange early: its side, phase and code.

mod address;
mod http;
mod scan;

use engine::Side;
use engine::route::Unmaskable;

use crate::base::panics::Panicked;
use crate::vault::{MAX_MAPPINGS, VaultError};

pub(crate) use address::ProviderAddress;
pub(crate) use http::{
    InBand, answer, blocked, in_band, no_such_call, not_served, status, upgrade_refused,
};
pub(crate) use scan::ScanFailure;

/// Why an exchange failed. Messages never quote the request or the reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Fault {
    #[error("{0}")]
    Request(engine::Error),
    #[error(
        "the session would hold more than {MAX_MAPPINGS} values; begin another session, and send fewer values at once"
    )]
    SessionFull,
    #[error(
        "the request body is compressed and can't be masked; turn request compression off in the \
         client (Codex: -c features.enable_request_compression=false)"
    )]
    CompressedRequest,
    #[error("{0}; the request was not forwarded")]
    Unmaskable(Unmaskable),
    #[error(
        "the request body is larger than {limit} bytes (proxy.max_body); send less, or raise it"
    )]
    RequestTooLarge { limit: usize },
    #[error(
        "the request body has invalid framing (its length or its chunks are wrong); send it again"
    )]
    MalformedRequest,
    #[error(
        "the request head is not valid HTTP; check its headers, and check that the base URL begins with \
         http:// or https:// as the address that the proxy prints at start does"
    )]
    MalformedHead,
    #[error(
        "the request head is too large, or has more than 100 headers; send fewer or shorter headers"
    )]
    HeadTooLarge,
    #[error("the request body stopped arriving; send it again")]
    RequestStalled,
    #[error("the client went away")]
    ClientLeft,
    #[error(
        "the key of proxy.guardrail_key (MASK_GUARDRAIL_KEY) is missing or wrong; send it as authorization: Bearer \
         KEY or as x-api-key"
    )]
    NotAuthorized,
    #[error("the body does not match this call; docs/openapi.yaml describes it")]
    GatewayRequest,
    #[error(
        "a text holds a lone surrogate (an escape from \\ud800 to \\udfff without its other half), which is no character; \
         replace it, or send the request as body instead of texts"
    )]
    GatewayText,
    #[error(
        "the body continues history that the provider holds (such as previous_response_id), whose tokens \
         are not known here; send the whole conversation"
    )]
    GatewayHistory,
    #[error(
        "the session does not exist, or was forgotten; mask first, and restore in the same session"
    )]
    NoSuchSession,
    #[error(
        "x-mask-session must be one name of 1 to 128 characters of A-Z a-z 0-9 . _ : -; correct it \
         or leave it out"
    )]
    SessionName,
    #[error(
        "x-codex-turn-metadata must be one line of UTF-8 text, sent once; correct it or leave it out"
    )]
    MetadataHeader,
    #[error("{0}; the request was not forwarded")]
    Scan(#[from] ScanFailure),
    #[error(
        "the proxy had an internal error, which affected only this exchange; its log says where"
    )]
    WorkStopped,
    #[error("{0}; nothing was forwarded{after}", after = after(*.0))]
    Vault(VaultError),
    #[error("can't connect to the provider at {0}; check --upstream and the network")]
    Unreachable(ProviderAddress),
    #[error(
        "the TLS connection to the provider at {0} failed; check --upstream and its certificate (SSL_CERT_FILE names an authority of your own)"
    )]
    TlsFailed(ProviderAddress),
    #[error(
        "the proxy that HTTPS_PROXY names did not connect to the provider; check its address and \
         password"
    )]
    TunnelRefused,
    #[error(
        "too many requests to the provider are in progress (proxy.max_connections); try again later"
    )]
    Busy,
    #[error(
        "the proxy has no file descriptor left for a connection to the provider (ulimit -n); try again \
         later"
    )]
    NoDescriptor,
    #[error(
        "connecting to the provider at {0} took too long (proxy.connect_timeout); check --upstream and the network"
    )]
    ConnectTimeout(ProviderAddress),
    #[error("the provider closed the connection before it answered; try again")]
    ClosedBeforeReply,
    #[error("the provider's reply is not valid HTTP, or its head is too large; check --upstream")]
    InvalidReply,
    #[error("the provider sent nothing for too long (proxy.timeout); try again, or raise it")]
    ReplyTimeout,
    #[error("the provider's reply broke off; try again")]
    ReplyBroke,
    #[error(
        "the provider's reply has an encoding that can't be decoded, so it can't be restored; try \
         again with the header accept-encoding: identity"
    )]
    UndecodableReply,
    #[error(
        "the provider's reply is an AWS event stream, which can't be restored; use the call without streaming"
    )]
    EventStreamReply,
    #[error(
        "the provider redirects the request to another address, where it would arrive unmasked; set that address as \
         your provider's (--upstream, proxy.upstream or provider.base_url)"
    )]
    RedirectedElsewhere,
}

/// Where in an exchange it failed; `phase` in the audit trail and the metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Phase {
    /// Reading and masking the request.
    Transform,
    /// Asking the session vault.
    Vault,
    /// Connecting, sending, waiting for the reply's head.
    Upstream,
    /// Reading a batch reply.
    Response,
    /// Reading a reply that the client already has in part.
    Stream,
}

impl Phase {
    pub(crate) const ALL: [Self; 5] = [
        Self::Transform,
        Self::Vault,
        Self::Upstream,
        Self::Response,
        Self::Stream,
    ];

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Transform => "transform",
            Self::Vault => "vault",
            Self::Upstream => "upstream",
            Self::Response => "response",
            Self::Stream => "stream",
        }
    }
}

impl From<engine::Error> for Fault {
    fn from(error: engine::Error) -> Self {
        match error {
            engine::Error::TooManyValues => Self::SessionFull,
            error => Self::Request(error),
        }
    }
}

impl From<VaultError> for Fault {
    fn from(error: VaultError) -> Self {
        match error {
            // The vault did not fail.
            VaultError::Full => Self::SessionFull,
            error => Self::Vault(error),
        }
    }
}

impl From<Panicked> for Fault {
    fn from(_: Panicked) -> Self {
        Self::WorkStopped
    }
}

impl Fault {
    /// Whether no connection to the provider could be made.
    pub(crate) fn is_unreachable(self) -> bool {
        matches!(
            self,
            Self::Unreachable(_)
                | Self::TlsFailed(_)
                | Self::TunnelRefused
                | Self::ConnectTimeout(_)
        )
    }

    /// Why the body of a client's request ended early: it is framed wrongly, or the client went away.
    pub(crate) fn of_body(error: &hyper::Error) -> Self {
        use std::error::Error;
        use std::io::ErrorKind::{InvalidData, InvalidInput};
        let is_malformed = |error: &&(dyn Error + 'static)| {
            let error = error.downcast_ref::<std::io::Error>();
            error.is_some_and(|error| matches!(error.kind(), InvalidData | InvalidInput))
        };
        let mut causes = std::iter::successors(error.source(), |&error| error.source());
        if causes.any(|error| is_malformed(&error)) {
            Self::MalformedRequest
        } else {
            Self::ClientLeft
        }
    }

    /// Whether a repeat of the same request could succeed.
    pub(crate) fn worth_repeating(self) -> bool {
        match self {
            Self::RequestStalled => true,
            Self::EventStreamReply | Self::RedirectedElsewhere => false,
            Self::Vault(error) => error.heals(),
            _ => self.code() != "mask_scan_failed" && self.side() != Side::Client,
        }
    }

    /// Whether something of the request may have reached the provider.
    pub(crate) const fn may_have_been_sent(self) -> bool {
        !matches!(
            self,
            Self::Busy
                | Self::NoDescriptor
                | Self::Unreachable(_)
                | Self::ConnectTimeout(_)
                | Self::TlsFailed(_)
                | Self::TunnelRefused
        )
    }

    /// The side at fault.
    pub(crate) const fn side(self) -> Side {
        match self {
            Self::Request(error) => error.side(),
            Self::CompressedRequest
            | Self::Unmaskable(_)
            | Self::RequestTooLarge { .. }
            | Self::MalformedRequest
            | Self::MalformedHead
            | Self::HeadTooLarge
            | Self::RequestStalled
            | Self::ClientLeft
            | Self::NotAuthorized
            | Self::GatewayRequest
            | Self::GatewayText
            | Self::GatewayHistory
            | Self::NoSuchSession
            | Self::SessionName
            | Self::SessionFull
            | Self::MetadataHeader => Side::Client,
            Self::Scan(_) | Self::WorkStopped | Self::Vault(_) => Side::Own,
            Self::Unreachable(_)
            | Self::TlsFailed(_)
            | Self::TunnelRefused
            | Self::Busy
            | Self::NoDescriptor
            | Self::ConnectTimeout(_)
            | Self::ClosedBeforeReply
            | Self::InvalidReply
            | Self::ReplyTimeout
            | Self::ReplyBroke
            | Self::UndecodableReply
            | Self::EventStreamReply
            | Self::RedirectedElsewhere => Side::Upstream,
        }
    }

    /// The code of the specification, section 7, and decisions, 5.1.
    pub(crate) const fn code(self) -> &'static str {
        match self {
            Self::Request(error) => error.code(),
            Self::CompressedRequest
            | Self::Unmaskable(_)
            | Self::MalformedRequest
            | Self::MalformedHead
            | Self::HeadTooLarge
            | Self::RequestStalled
            | Self::ClientLeft
            | Self::GatewayRequest
            | Self::GatewayText
            | Self::GatewayHistory
            | Self::SessionName
            | Self::MetadataHeader => "mask_invalid_request",
            Self::SessionFull => "mask_session_full",
            Self::NotAuthorized => "mask_unauthorized",
            Self::NoSuchSession => "mask_unknown_session",
            Self::RequestTooLarge { .. } => "mask_request_too_large",
            Self::Scan(_) | Self::WorkStopped => "mask_scan_failed",
            Self::Vault(_) => "mask_vault_unavailable",
            Self::Busy | Self::NoDescriptor => "mask_upstream_busy",
            Self::ConnectTimeout(_) | Self::ReplyTimeout => "mask_upstream_timeout",
            Self::Unreachable(_)
            | Self::TlsFailed(_)
            | Self::TunnelRefused
            | Self::ClosedBeforeReply
            | Self::InvalidReply
            | Self::ReplyBroke
            | Self::UndecodableReply
            | Self::EventStreamReply
            | Self::RedirectedElsewhere => "mask_upstream_unreachable",
        }
    }

    /// The class name; `error_type` in the audit trail.
    pub(crate) const fn class(self) -> &'static str {
        match self {
            Self::Request(error) => match error {
                engine::Error::NotUtf8 => "NotUtf8",
                engine::Error::NotJson { .. } => "NotJson",
                engine::Error::NotAForm => "NotAForm",
                engine::Error::NotAnObject => "NotAnObject",
                engine::Error::TokenIds => "TokenIds",
                engine::Error::TooDeep => "TooDeep",
                engine::Error::TooLarge => "TooLarge",
                engine::Error::TooManyValues => "SessionFull",
                engine::Error::ScanFailed => "ScanFailed",
                engine::Error::UnknownHistory => "UnknownHistory",
            },
            Self::SessionFull => "SessionFull",
            Self::CompressedRequest => "CompressedRequest",
            Self::Unmaskable(why) => match why {
                Unmaskable::Signed | Unmaskable::SignedOtherwise => "SignedRequest",
                Unmaskable::EventStream => "EventStreamAsked",
                Unmaskable::Multipart => "MultipartRequest",
                Unmaskable::Call => "CallRequest",
            },
            Self::RequestTooLarge { .. } => "RequestTooLarge",
            Self::MalformedRequest => "MalformedRequest",
            Self::MalformedHead => "MalformedHead",
            Self::HeadTooLarge => "HeadTooLarge",
            Self::RequestStalled => "RequestStalled",
            Self::ClientLeft => "ClientLeft",
            Self::NotAuthorized => "NotAuthorized",
            Self::GatewayRequest => "GatewayRequest",
            Self::GatewayText => "GatewayText",
            Self::GatewayHistory => "GatewayHistory",
            Self::NoSuchSession => "NoSuchSession",
            Self::SessionName => "SessionName",
            Self::MetadataHeader => "MetadataHeader",
            Self::Scan(failure) => failure.class(),
            Self::WorkStopped => "WorkStopped",
            Self::Vault(error) => error.class(),
            Self::Unreachable(_) => "Unreachable",
            Self::TlsFailed(_) => "TlsFailed",
            Self::TunnelRefused => "TunnelRefused",
            Self::Busy => "Busy",
            Self::NoDescriptor => "NoDescriptor",
            Self::ConnectTimeout(_) => "ConnectTimeout",
            Self::ClosedBeforeReply => "ClosedBeforeReply",
            Self::InvalidReply => "InvalidReply",
            Self::ReplyTimeout => "ReplyTimeout",
            Self::ReplyBroke => "ReplyBroke",
            Self::UndecodableReply => "UndecodableReply",
            Self::EventStreamReply => "EventStreamReply",
            Self::RedirectedElsewhere => "RedirectedElsewhere",
        }
    }
}

/// What the client may do after the vault failed.
fn after(error: VaultError) -> &'static str {
    if error.heals() {
        ", try again"
    } else if error.is_misconfigured() {
        "; the settings of the proxy or its vault must be corrected, see the proxy's log"
    } else {
        "; use another session (x-mask-session), or delete this one with `maskproxy session prune`"
    }
}
