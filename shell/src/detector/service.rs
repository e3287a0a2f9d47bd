//! The HTTP service of a detector.

use std::future::poll_fn;
use std::time::Duration;

use http::header::{ACCEPT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderValue};
use http::uri::PathAndQuery;
use http::{Method, Request, StatusCode};

use super::StartError;
use crate::config::{Limits, Origin};
use crate::error::{Fault, ScanFailure};
use crate::upstream::{
    self, ConnectionLimit, Decoder, Egress, Outgoing, Reply, ToProvider, Upstream,
};

/// A longer answer is invalid.
const MAX_ANSWER: usize = 8 << 20;

/// How long one try to connect may take.
const CONNECT: Duration = Duration::from_secs(10);

/// One path of a service, asked in JSON. It is asked directly, never through the proxy.
#[derive(Debug)]
pub(super) struct Service {
    detector: &'static str,
    upstream: Upstream,
    path: PathAndQuery,
    headers: HeaderMap,
}

impl Service {
    /// A service of a detector. `headers` go with every request.
    ///
    /// # Errors
    /// [`StartError`] when it can't be reached securely.
    pub(super) fn new(
        detector: &'static str,
        origin: Origin,
        path: PathAndQuery,
        headers: HeaderMap,
        timeout: Duration,
    ) -> Result<Self, StartError> {
        let tls = if origin.is_https() {
            Some(upstream::tls_config().map_err(|_| StartError::NoRoots)?)
        } else {
            None
        };
        let limits = Limits {
            timeout,
            connect_timeout: timeout.min(CONNECT),
            max_connections: None,
            max_body: usize::MAX,
            findings_cache: 0,
        };
        Ok(Self {
            detector,
            upstream: Upstream::new(ToProvider {
                egress: Egress::from_environment(&origin).map_err(|_| StartError::Egress)?,
                origin,
                tls,
                limits,
                connections: ConnectionLimit::default(),
            }),
            path,
            headers,
        })
    }

    /// Posts a body and returns the answer's.
    ///
    /// # Errors
    /// [`ScanFailure`] unless the service answers with 200.
    pub(super) async fn post(&self, body: Vec<u8>) -> Result<Vec<u8>, ScanFailure> {
        let reply = self.upstream.send(self.request(body)).await;
        let Reply { head, mut body } = reply.map_err(|fault| self.failure(fault))?;
        if head.status != StatusCode::OK {
            return Err(ScanFailure::refused(self.detector, head.status.as_u16()));
        }
        let unusable = ScanFailure::unusable(self.detector);
        let mut decoder = Decoder::of(&head.headers).map_err(|_| unusable)?;
        let mut answer = Vec::new();
        while let Some(frame) = poll_fn(|cx| body.poll_next(cx)).await {
            let frame = frame.map_err(|fault| self.failure(fault))?;
            let Ok(data) = frame.into_data() else {
                continue;
            };
            match &mut decoder {
                Some(decoder) => {
                    let (bytes, result) = decoder.push(&data);
                    result.map_err(|_| unusable)?;
                    answer.extend(bytes);
                }
                None => answer.extend_from_slice(&data),
            }
            if answer.len() > MAX_ANSWER {
                return Err(unusable);
            }
        }
        if let Some(decoder) = decoder {
            decoder.finish().map_err(|_| unusable)?;
        }
        Ok(answer)
    }

    fn request(&self, body: Vec<u8>) -> Request<Outgoing> {
        let length = HeaderValue::from(body.len());
        let mut request = Request::new(Outgoing::to_detector(body));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = self.path.clone().into();
        let headers = request.headers_mut();
        *headers = self.headers.clone();
        headers.insert(CONTENT_LENGTH, length);
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        request
    }

    fn failure(&self, fault: Fault) -> ScanFailure {
        match fault {
            Fault::ReplyTimeout | Fault::ConnectTimeout(_) => ScanFailure::timeout(self.detector),
            Fault::InvalidReply => ScanFailure::unusable(self.detector),
            _ => ScanFailure::unreachable(self.detector),
        }
    }
}

/// The origin of a URL, and its path without the slash at its end.
///
/// # Errors
/// [`StartError`] when `setting` is no URL, or one with a user or query, which would not be sent.
pub(super) fn parts_of(url: &str, setting: &'static str) -> Result<(Origin, String), StartError> {
    let invalid = || StartError::InvalidUrl(setting);
    let origin = Origin::parse(url).ok_or_else(invalid)?;
    let uri: http::Uri = url.trim().parse().map_err(|_| invalid())?;
    let has_user = uri
        .authority()
        .is_some_and(|authority| authority.as_str().contains('@'));
    if has_user || uri.query().is_some() {
        return Err(invalid());
    }
    Ok((origin, uri.path().trim_end_matches('/').to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_with_unsupported_parts_is_refused() {
        let parts = parts_of("https://llm.example:8443/v1/", "url").map(|(_, path)| path);
        assert_eq!(parts, Ok("/v1".to_owned()));
        for url in [
            "https://ann:key@llm.example/v1",
            "https://llm.example/v1?key=x",
            "ftp://llm.example",
            "",
        ] {
            assert_eq!(
                parts_of(url, "url").err(),
                Some(StartError::InvalidUrl("url")),
                "{url}"
            );
        }
    }
}
