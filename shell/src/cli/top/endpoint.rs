//! Finds and reads the metrics endpoint of a proxy.

use std::future::poll_fn;
use std::time::Duration;

use http::header::{ACCEPT_ENCODING, HeaderValue};
use http::uri::PathAndQuery;
use http::{Request, StatusCode};

use super::counters::Counters;
use crate::cli::Failure;
use crate::config::{Limits, Origin};
use crate::error::Fault;
use crate::upstream::{self, ConnectionLimit, Egress, Outgoing, Reply, ToProvider, Upstream};

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(3);

/// A longer page is not the service's.
const MAX_PAGE: usize = 8 << 20;

/// A service that is asked.
#[derive(Debug)]
pub(super) struct Endpoint {
    url: String,
    upstream: Upstream,
}

impl Endpoint {
    /// The service at a URL.
    ///
    /// # Errors
    /// When the URL is none, or can't be asked securely.
    pub(super) fn at(url: &str) -> Result<Self, Failure> {
        let origin = Origin::parse(url)
            .ok_or_else(|| Failure::usage("--url must be a URL such as http://127.0.0.1:8000"))?;
        let tls = origin.is_https().then(upstream::tls_config).transpose()?;
        let egress = Egress::from_environment(&origin)?;
        Ok(Self {
            url: origin.url(),
            upstream: Upstream::new(ToProvider {
                origin,
                tls,
                egress,
                limits: Limits {
                    timeout: PATIENCE,
                    connect_timeout: PATIENCE,
                    max_connections: None,
                    max_body: 0,
                    findings_cache: 0,
                },
                connections: ConnectionLimit::default(),
            }),
        })
    }

    /// Its URL, without a path.
    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// Asks for the metrics.
    ///
    /// # Errors
    /// Why there are none, in words.
    pub(super) async fn counters(&self) -> Result<Counters, String> {
        let url = &self.url;
        let page = self.page().await.map_err(|why| match why {
            Unasked::Fault(fault) => format!("no service answers at {url}: {}", in_words(fault)),
            Unasked::Status(status) => format!(
                "{url}/metrics answers with {}: is it maskproxy's address?",
                status.as_u16()
            ),
        })?;
        Counters::read(&String::from_utf8_lossy(&page)).ok_or_else(|| {
            format!("{url}/metrics is not maskproxy's; give the proxy's address with --url")
        })
    }

    async fn page(&self) -> Result<Vec<u8>, Unasked> {
        let mut request = Request::new(Outgoing::to_detector(Vec::new()));
        *request.uri_mut() = PathAndQuery::from_static("/metrics").into();
        let identity = HeaderValue::from_static("identity");
        request.headers_mut().insert(ACCEPT_ENCODING, identity);
        let Reply { head, mut body } = self.upstream.send(request).await?;
        if head.status != StatusCode::OK {
            return Err(Unasked::Status(head.status));
        }
        let mut page = Vec::new();
        while let Some(frame) = poll_fn(|cx| body.poll_next(cx)).await {
            if let Ok(data) = frame?.into_data() {
                page.extend_from_slice(&data);
            }
            if page.len() > MAX_PAGE {
                return Err(Fault::InvalidReply.into());
            }
        }
        Ok(page)
    }
}

/// Why there is no page.
enum Unasked {
    Fault(Fault),
    Status(StatusCode),
}

impl From<Fault> for Unasked {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

/// The faults of a provider as those of this service.
fn in_words(fault: Fault) -> &'static str {
    match fault {
        Fault::Unreachable(_) => {
            "nothing is listening there; start it with `maskproxy proxy`, or give another address with --url"
        }
        Fault::TlsFailed(_) => {
            "its certificate can't be verified; set SSL_CERT_FILE to its authority"
        }
        Fault::ConnectTimeout(_) | Fault::ReplyTimeout => "it takes too long",
        _ => "its answer is not valid HTTP; does it use HTTPS?",
    }
}
