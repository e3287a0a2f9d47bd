//! Opens connections to the provider.

use std::error::Error;
use std::future::{Future, poll_fn};
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use http::Uri;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{self, ClientConfig, RootCertStore};
use tower_service::Service;

use super::driver::Driver;
use super::egress::Egress;
use super::liveness::Lifeline;
use super::pool::{Exclusive, Multiplexed, ReplyStarted, Sender};
use crate::base::observed_stream::ObservedStream;
use crate::config::Origin;
use crate::error::{Fault, ProviderAddress};
use crate::system::descriptors;

/// How long to wait before a refused connection is tried again.
const RETRY_AFTER: [Duration; 2] = [Duration::from_millis(500), Duration::from_secs(1)];

/// The largest reply head. Over HTTP/1.1 it also limits how much of a body is read at a time. The
/// buffer begins small, because thousands of slow streams may be open.
const MAX_HEAD: u32 = 64 << 10;

/// The ways to the provider.
#[derive(Debug)]
pub(super) struct Connector {
    way: Way,
    address: ProviderAddress,
    tls: Option<Tls>,
    timeout: Duration,
}

/// How a byte stream to the provider is opened.
#[derive(Debug)]
enum Way {
    /// To this URL: the provider's, or that of a proxy which gets the provider's address.
    Direct { tcp: HttpConnector, url: Uri },
    /// Through a proxy that passes on encrypted bytes.
    Tunnelled {
        tunnel: Tunnel<HttpConnector>,
        url: Uri,
    },
}

impl Way {
    fn new(origin: &Origin, egress: &Egress, is_encrypted: bool) -> Self {
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        let url = origin.at(http::uri::PathAndQuery::from_static("/"));
        let Some(proxy) = egress.proxy() else {
            return Self::Direct { tcp, url };
        };
        let proxy_url = proxy.uri().clone();
        if !is_encrypted {
            let url = proxy_url;
            return Self::Direct { tcp, url };
        }
        let tunnel = Tunnel::new(proxy_url, tcp);
        let tunnel = match proxy.basic_auth() {
            Some(credential) => tunnel.with_auth(credential.clone()),
            None => tunnel,
        };
        Self::Tunnelled { tunnel, url }
    }

    async fn open(&self) -> Result<TokioIo<TcpStream>, Failure> {
        match self {
            Self::Direct { tcp, url } => {
                let opened = tcp.clone().call(url.clone()).await;
                opened.map_err(|error| Failure::of_opening(&error))
            }
            Self::Tunnelled { tunnel, url } => {
                let opened = tunnel.clone().call(url.clone()).await;
                opened.map_err(|error| {
                    // The tunnel's own errors have no source, or an I/O error.
                    match error.source() {
                        Some(source) if !source.is::<io::Error>() => Failure::of_opening(&error),
                        _ => Failure::Final(Fault::TunnelRefused),
                    }
                })
            }
        }
    }
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

impl Failure {
    fn of_opening(error: &(dyn Error + 'static)) -> Self {
        let lacks_descriptor = |error: &(dyn Error + 'static)| {
            error.downcast_ref().is_some_and(descriptors::are_missing)
        };
        if std::iter::successors(Some(error), |&error| error.source()).any(lacks_descriptor) {
            Self::Final(Fault::NoDescriptor)
        } else {
            Self::NotOpened
        }
    }
}

impl Connector {
    pub(super) fn new(
        origin: &Origin,
        egress: &Egress,
        tls: Option<Arc<ClientConfig>>,
        timeout: Duration,
    ) -> Self {
        let name = ServerName::try_from(origin.host().to_owned()).ok();
        let tls = tls.zip(name).map(|(config, name)| Tls {
            connector: TlsConnector::from(config),
            name,
        });
        Self {
            address: ProviderAddress::of(origin),
            way: Way::new(origin, egress, tls.is_some()),
            tls,
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
            match attempt.unwrap_or(Err(Failure::Final(Fault::ConnectTimeout(self.address)))) {
                Ok(sender) => return Ok(sender),
                Err(Failure::Final(fault)) => return Err(fault),
                Err(Failure::NotOpened) => match waits.next() {
                    Some(wait) => tokio::time::sleep(*wait).await,
                    None => return Err(Fault::Unreachable(self.address)),
                },
            }
        }
    }

    async fn attempt(&self) -> Result<Sender, Failure> {
        let tcp = self.way.open().await?.into_inner();
        let lifeline = Lifeline::new(self.timeout);
        let tcp = ObservedStream::new(tcp, lifeline.clone());
        let Some(tls) = &self.tls else {
            return handshake_http1(tcp, lifeline).await;
        };
        let stream = tls
            .connector
            .connect(tls.name.clone(), tcp)
            .await
            .map_err(|_| Failure::Final(Fault::TlsFailed(self.address)))?;
        let is_http2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
        if is_http2 {
            handshake_http2(TokioIo::new(stream), lifeline).await
        } else {
            handshake_http1(stream, lifeline).await
        }
    }
}

async fn handshake_http1<T>(stream: T, lifeline: Lifeline) -> Result<Sender, Failure>
where
    T: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let heard = ReplyStarted::default();
    let stream = TokioIo::new(ObservedStream::new(stream, heard.clone()));
    let (sender, mut connection) = hyper::client::conn::http1::Builder::new()
        .max_buf_size(MAX_HEAD as usize)
        .handshake(stream)
        .await
        .map_err(|_| Failure::Final(Fault::InvalidReply))?;
    // How it ends is seen by the exchange that uses it.
    let driver = Driver::spawn(poll_fn(move |cx| {
        Pin::new(&mut connection).poll(cx).map(drop)
    }));
    Ok(Sender::Http1(Exclusive::new(
        sender, driver, heard, lifeline,
    )))
}

async fn handshake_http2(
    stream: TokioIo<TlsStream<ObservedStream<TcpStream, Lifeline>>>,
    lifeline: Lifeline,
) -> Result<Sender, Failure> {
    let (sender, mut connection) = hyper::client::conn::http2::Builder::new(TokioExecutor::new())
        .initial_stream_window_size(1 << 20)
        .initial_connection_window_size(4 << 20)
        .max_header_list_size(MAX_HEAD)
        .handshake(stream)
        .await
        .map_err(|_| Failure::Final(Fault::InvalidReply))?;
    let multiplexed = Multiplexed::new(sender, lifeline);
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
