//! Sends requests to the provider: connections, their reuse, and retries.

mod body;
mod connect;
mod decode;
mod driver;
mod egress;
mod failure;
mod limit;
mod liveness;
mod pool;
mod reply;

use std::sync::Arc;
use std::time::Duration;

use http::uri::PathAndQuery;
use http::{Request, StatusCode, Uri, header};
use hyper::body::Incoming;
use hyper::client::conn::TrySendError;
use tokio::time::Instant;
use tokio_rustls::rustls::ClientConfig;

pub(crate) use body::Outgoing;
pub(crate) use connect::tls_config;
pub(crate) use decode::{Decoder, accepted};
pub(crate) use egress::{Egress, Unusable as UnusableEgress};
pub(crate) use limit::ConnectionLimit;
pub(crate) use reply::{Reply, ReplyBody};

use crate::config::{Limits, Origin};
use crate::error::Fault;
use body::Upload;
use connect::Connector;
use failure::{Failed, Unsent};
use pool::{Exclusive, Multiplexed, Pool, Sender};
use reply::Lease;

/// How often a request is sent again that the provider did not take.
const MAX_REFUSALS: u32 = 3;

/// How long after a request its idle connection may be closed by a provider that did not know of it yet.
/// Who closes it later may have done what the request asked for.
const CROSSING: Duration = Duration::from_secs(5);

/// How long to wait before a connection is tried again for which there was no file descriptor.
const DESCRIPTOR_WAIT: Duration = Duration::from_millis(50);

/// How much later than its limit the system may give up a connection. Of the requests on a shared one
/// those that were sent earlier may have arrived.
const SLACK: Duration = Duration::from_secs(2);

/// The provider, as one worker reaches it.
#[derive(Debug)]
pub(crate) struct Upstream {
    origin: Origin,
    host: header::HeaderValue,
    connector: Connector,
    /// Set if a proxy must get the whole URL and its password.
    forwarder: Option<Forwarder>,
    pool: Arc<Pool>,
    limit: ConnectionLimit,
    connecting: tokio::sync::Mutex<()>,
    timeout: Duration,
    connect_timeout: Duration,
}

/// A proxy on the way that asks an unencrypted provider itself.
#[derive(Debug)]
struct Forwarder {
    credential: Option<header::HeaderValue>,
}

/// Everything that the workers' ways to the provider have in common.
#[derive(Debug, Clone)]
pub(crate) struct ToProvider {
    pub(crate) origin: Origin,
    pub(crate) tls: Option<Arc<ClientConfig>>,
    pub(crate) egress: Egress,
    pub(crate) limits: Limits,
    pub(crate) connections: ConnectionLimit,
}

impl Upstream {
    pub(crate) fn new(to_provider: ToProvider) -> Self {
        let ToProvider {
            origin,
            tls,
            egress,
            limits,
            connections,
        } = to_provider;
        let proxy = egress.proxy().filter(|_| !origin.is_https());
        let pool = Arc::default();
        connections.watch(&pool);
        Self {
            host: header::HeaderValue::from_str(origin.authority())
                .unwrap_or(header::HeaderValue::from_static("")),
            connector: Connector::new(&origin, &egress, tls, limits.connect_timeout),
            forwarder: proxy.map(|proxy| Forwarder {
                credential: proxy.basic_auth().cloned(),
            }),
            origin,
            pool,
            limit: connections,
            connecting: tokio::sync::Mutex::default(),
            timeout: limits.timeout,
            connect_timeout: limits.connect_timeout,
        }
    }

    /// Sends a request and waits for the head of its reply.
    ///
    /// A request that soon failed on a reused connection before any byte of a reply came is sent once
    /// more on another: the provider had closed the idle connection at the same moment. One that the
    /// provider says it did not take is sent again a few times. On a new connection nothing else is
    /// repeated once bytes were sent.
    ///
    /// # Errors
    /// A fault of the provider's side.
    pub(crate) async fn send(&self, mut request: Request<Outgoing>) -> Result<Reply, Fault> {
        let mut may_reuse = true;
        let mut refusals = 0;
        let turn = self.limit.turn().await?;
        loop {
            let pooled = if may_reuse {
                self.reusable().await
            } else {
                None
            };
            let reused = pooled.is_some();
            let sender = match pooled {
                Some(sender) => sender,
                // Seldom needed and large: kept out of every exchange's future.
                None => Box::pin(self.connect()).await?,
            };
            let sent_at = Instant::now();
            let sent = match sender {
                Sender::Http1(connection) => self.send_http1(connection, request, reused).await,
                // Rarely needed together with the other, so kept apart.
                Sender::Http2(connection) => Box::pin(self.send_http2(&connection, request)).await,
            };
            match sent {
                Ok(mut reply) => {
                    reply.body.occupy(turn);
                    return Ok(reply);
                }
                Err(Unsent::Final(fault)) => return Err(fault),
                Err(Unsent::Refused(copy)) if refusals < MAX_REFUSALS => {
                    refusals += 1;
                    request = copy;
                }
                Err(Unsent::Refused(_)) => return Err(Fault::ClosedBeforeReply),
                Err(_) if !reused => return Err(Fault::ClosedBeforeReply),
                Err(Unsent::NeverSent(unsent)) => request = unsent,
                Err(Unsent::Unanswered(_)) if sent_at.elapsed() > CROSSING => {
                    return Err(Fault::ClosedBeforeReply);
                }
                Err(Unsent::Unanswered(copy) | Unsent::Unacknowledged(copy)) => {
                    request = copy;
                    may_reuse = false;
                }
            }
        }
    }

    /// An open connection that can be used at once.
    async fn reusable(&self) -> Option<Sender> {
        if self.pool.is_empty() {
            return None;
        }
        // Lets the reactor poll, so that connections that the provider has closed are not used.
        tokio::task::yield_now().await;
        self.pool.take()
    }

    /// Closes connections that have lain idle for too long.
    pub(crate) fn close_stale(&self) {
        self.pool.close_stale();
    }

    /// Closes every connection, as soon as no exchange uses it.
    pub(crate) fn retire(&self) {
        self.pool.retire();
    }

    async fn connect(&self) -> Result<Sender, Fault> {
        // Requests that come at the same time share one new HTTP/2 connection.
        let turn = if self.pool.is_multiplexed() {
            let turn = self.connecting.lock().await;
            if let Some(sender) = self.pool.take() {
                return Ok(sender);
            }
            Some(turn)
        } else {
            None
        };
        self.limit.make_room();
        let sender = self.open().await?;
        if let Sender::Http2(connection) = &sender {
            self.pool.share(connection);
        }
        drop(turn);
        Ok(sender)
    }

    /// Opens a connection, waiting for a file descriptor where none is left.
    async fn open(&self) -> Result<Sender, Fault> {
        let latest = Instant::now() + limit::PATIENCE;
        loop {
            match self.connector.connect().await {
                Err(Fault::NoDescriptor) if Instant::now() < latest => {
                    self.pool.close_idle();
                    tokio::time::sleep(DESCRIPTOR_WAIT).await;
                }
                opened => return opened,
            }
        }
    }

    /// Sends at once; the future waits for the head, and does not hold the request.
    fn send_http1(
        &self,
        mut connection: Exclusive,
        mut request: Request<Outgoing>,
        reused: bool,
    ) -> impl Future<Output = Result<Reply, Unsent>> {
        self.address_http1(&mut request);
        let upload = request.body().upload();
        let copy = if reused { repeat(&request) } else { None };
        let sent = connection.send(request);
        async move {
            match self.head(sent, upload).await {
                Ok(response) => {
                    let lease = Lease::Exclusive {
                        connection: Some(connection),
                        pool: Arc::clone(&self.pool),
                    };
                    Ok(Reply::new(response, lease, self.timeout))
                }
                Err(failed) => Err(failed.unsent(copy.filter(|_| !connection.has_heard()))),
            }
        }
    }

    fn send_http2(
        &self,
        connection: &Multiplexed,
        mut request: Request<Outgoing>,
    ) -> impl Future<Output = Result<Reply, Unsent>> {
        let (mut sender, place) = connection.enter();
        self.address_http2(&mut request);
        let upload = request.body().upload();
        let copy = repeat(&request);
        let latest = Instant::now() + self.connect_timeout + SLACK;
        let sent = sender.try_send_request(request);
        async move {
            match self.head(sent, upload).await {
                Ok(response) => {
                    let lease = Lease::Shared { _place: place };
                    Ok(Reply::new(response, lease, self.timeout))
                }
                Err(failed) => Err(match failed.unsent(copy) {
                    // Others use the connection, too: it need not be new to end at this moment.
                    Unsent::NeverSent(request) => Unsent::Refused(request),
                    Unsent::Unacknowledged(_) if Instant::now() > latest => {
                        Unsent::Final(Fault::ClosedBeforeReply)
                    }
                    unsent => unsent,
                }),
            }
        }
    }

    fn address_http1(&self, request: &mut Request<Outgoing>) {
        *request.version_mut() = http::Version::HTTP_11;
        if let Some(forwarder) = &self.forwarder {
            *request.uri_mut() = self.origin.at(path_of(request.uri()));
            if let Some(credential) = forwarder.credential.clone() {
                let name = header::PROXY_AUTHORIZATION;
                request.headers_mut().insert(name, credential);
            }
        } else if request.uri().authority().is_some() {
            *request.uri_mut() = Uri::from(path_of(request.uri()));
        }
        let host = self.host.clone();
        request.headers_mut().insert(header::HOST, host);
    }

    fn address_http2(&self, request: &mut Request<Outgoing>) {
        *request.version_mut() = http::Version::HTTP_2;
        *request.uri_mut() = self.origin.at(path_of(request.uri()));
        request.headers_mut().remove(header::HOST);
    }

    /// Waits for the head of the reply to what was `sent`.
    async fn head(
        &self,
        sent: impl Future<Output = Result<http::Response<Incoming>, TrySendError<Request<Outgoing>>>>,
        upload: Option<Upload>,
    ) -> Result<http::Response<Incoming>, Failed> {
        tokio::pin!(sent);
        let mut deadline = Instant::now() + self.timeout;
        loop {
            match tokio::time::timeout_at(deadline, &mut sent).await {
                // No upgrade was requested, and its data would have no form.
                Ok(Ok(response)) if response.status() == StatusCode::SWITCHING_PROTOCOLS => {
                    return Err(Failed::By(Fault::InvalidReply));
                }
                Ok(sent) => return sent.map_err(|error| Failed::Broken(Box::new(error))),
                Err(_) => {
                    let moved = upload.as_ref().map(|upload| upload.last() + self.timeout);
                    match moved.map(Instant::from_std) {
                        Some(later) if later > Instant::now() => deadline = later,
                        _ => return Err(Failed::By(Fault::ReplyTimeout)),
                    }
                }
            }
        }
    }
}

/// A copy to send on another connection, where the body can be had twice.
fn repeat(request: &Request<Outgoing>) -> Option<Request<Outgoing>> {
    let mut copy = Request::new(request.body().again()?);
    request.method().clone_into(copy.method_mut());
    *copy.uri_mut() = request.uri().clone();
    *copy.headers_mut() = request.headers().clone();
    Some(copy)
}

fn path_of(uri: &Uri) -> PathAndQuery {
    uri.path_and_query()
        .cloned()
        .unwrap_or_else(|| PathAndQuery::from_static("/"))
}
