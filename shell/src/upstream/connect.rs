//! Opening a connection to the provider.

use std::future::{Future, poll_fn};
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{self, ClientConfig, RootCertStore};
use tower_service::Service;

use super::pool::{Multiplexed, Sender};
use crate::config::Origin;
use crate::error::Fault;

/// How long to wait before a refused connection is tried again.
const RETRY_AFTER: [Duration; 2] = [Duration::from_millis(500), Duration::from_secs(1)];

/// How large the head of a reply may be, and how much of its body is read at a time at most. The
/// buffer begins small, for thousands of streams may be open that bring little at a time.
const READ_BUFFER: usize = 64 << 10;

/// How many headers a reply may have.
const MAX_HEADERS: usize = 256;

/// The ways to the provider.
#[derive(Debug)]
pub(super) struct Connector {
    tcp: HttpConnector,
    tls: Option<Tls>,
    url: http::Uri,
    timeout: Duration,
}

struct Tls {
    connector: TlsConnector,
    name: ServerName<'static>,
}

impl std::fmt::Debug for Tls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tls")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// Why one try failed.
enum Failure {
    /// The connection could not be opened: worth another try.
    NotOpened,
    /// Anything else.
    Final(Fault),
}

impl Connector {
    pub(super) fn new(origin: &Origin, tls: Option<Arc<ClientConfig>>, timeout: Duration) -> Self {
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        let name = ServerName::try_from(origin.host().to_owned()).ok();
        Self {
            tcp,
            tls: tls.zip(name).map(|(config, name)| Tls {
                connector: TlsConnector::from(config),
                name,
            }),
            url: origin.at(http::uri::PathAndQuery::from_static("/")),
            timeout,
        }
    }

    /// Opens a connection, trying again when it is refused.
    ///
    /// # Errors
    /// The fault of the last try.
    pub(super) async fn connect(&self) -> Result<Sender, Fault> {
        let mut waits = RETRY_AFTER.iter();
        loop {
            let attempt = tokio::time::timeout(self.timeout, self.attempt()).await;
            match attempt.unwrap_or(Err(Failure::Final(Fault::ConnectTimeout))) {
                Ok(sender) => return Ok(sender),
                Err(Failure::Final(fault)) => return Err(fault),
                Err(Failure::NotOpened) => match waits.next() {
                    Some(wait) => tokio::time::sleep(*wait).await,
                    None => return Err(Fault::Unreachable),
                },
            }
        }
    }

    async fn attempt(&self) -> Result<Sender, Failure> {
        let tcp = self
            .tcp
            .clone()
            .call(self.url.clone())
            .await
            .map_err(|_| Failure::NotOpened)?;
        let Some(tls) = &self.tls else {
            return handshake_http1(tcp).await;
        };
        let stream = tls
            .connector
            .connect(tls.name.clone(), tcp.into_inner())
            .await
            .map_err(|_| Failure::Final(Fault::TlsFailed))?;
        let is_http2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
        let stream = TokioIo::new(stream);
        if is_http2 {
            handshake_http2(stream).await
        } else {
            handshake_http1(stream).await
        }
    }
}

async fn handshake_http1<T>(stream: T) -> Result<Sender, Failure>
where
    T: hyper::rt::Read + hyper::rt::Write + Send + Unpin + 'static,
{
    let (sender, mut connection) = hyper::client::conn::http1::Builder::new()
        .max_buf_size(READ_BUFFER)
        .max_headers(MAX_HEADERS)
        .handshake(stream)
        .await
        .map_err(|_| Failure::Final(Fault::InvalidReply))?;
    // How it ends is seen by the exchange that uses it.
    tokio::spawn(poll_fn(move |cx| {
        Pin::new(&mut connection).poll(cx).map(drop)
    }));
    Ok(Sender::Http1(sender))
}

async fn handshake_http2(
    stream: TokioIo<tokio_rustls::client::TlsStream<TcpStream>>,
) -> Result<Sender, Failure> {
    let (sender, mut connection) = hyper::client::conn::http2::Builder::new(TokioExecutor::new())
        .initial_stream_window_size(1 << 20)
        .initial_connection_window_size(4 << 20)
        .handshake(stream)
        .await
        .map_err(|_| Failure::Final(Fault::InvalidReply))?;
    let multiplexed = Multiplexed::new(sender);
    let limit = multiplexed.limit();
    tokio::spawn(poll_fn(move |cx| {
        let ended = Pin::new(&mut connection).poll(cx);
        limit.set(connection.current_max_send_streams());
        ended.map(drop)
    }));
    Ok(Sender::Http2(multiplexed))
}

/// TLS towards the provider: the system's roots, HTTP/2 where it is offered.
///
/// # Errors
/// When the system has no usable root certificate.
pub(crate) fn tls_config() -> io::Result<Arc<ClientConfig>> {
    let mut roots = RootCertStore::empty();
    let found = rustls_native_certs::load_native_certs();
    roots.add_parsable_certificates(found.certs);
    if roots.is_empty() {
        return Err(io::Error::other(
            "the system has no root certificates to check the provider with; install them (on \
             Debian: the package ca-certificates)",
        ));
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}
