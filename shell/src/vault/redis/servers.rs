//! Connections to Redis: one server, Sentinel or a cluster.

use std::error::Error;
use std::future::Future;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use redis::aio::{
    ConnectionLike, ConnectionManager, ConnectionManagerConfig, MultiplexedConnection,
};
use redis::cluster::{ClusterClient, ClusterClientBuilder};
use redis::cluster_async::ClusterConnection;
use redis::cluster_routing::{MultipleNodeRoutingInfo, RoutingInfo, SingleNodeRoutingInfo};
use redis::sentinel::{SentinelClient, SentinelClientBuilder, SentinelServerType};
use redis::{
    AsyncConnectionConfig, Client, Cmd, ConnectionAddr, ErrorKind, FromRedisValue, Pipeline,
    RedisError, RedisFuture, RedisResult, ServerErrorKind, TlsCertificates, TlsMode, Value,
};
use tokio::sync::Mutex;
use tokio::time::{sleep, timeout};
use tokio_rustls::rustls;

use super::super::{ANSWER_TIME, VaultError};
use super::place::Place;
use crate::config::{Address, Login, Nodes, RedisServers, Sentinel};

/// How long one of several servers may take to accept a connection.
const CONNECT_TIME: Duration = Duration::from_secs(1);

/// The pause before looking again for the server that takes over.
const PAUSE: Duration = Duration::from_millis(50);

/// How often a cluster's client retries by itself, before a new client reads the layout again.
const CLUSTER_TRIES: u32 = 3;

/// The servers of a vault.
#[derive(Clone)]
pub(super) struct Servers {
    pub(super) place: Place,
    kind: Kind,
}

#[derive(Clone)]
enum Kind {
    One(Arc<Single>),
    /// Another server takes over if one fails.
    Several(Arc<Several>),
}

/// A connection that reconnects by itself, unless it could not sign in: then it would keep that answer for good.
struct Single {
    client: Client,
    connection: Mutex<ConnectionManager>,
}

struct Several {
    open: Mutex<Open>,
}

struct Open {
    finder: Finder,
    connection: Option<Connection>,
    /// Which connection it is: one that failed is closed once, however many find that it did.
    number: u64,
}

enum Finder {
    Sentinel(Box<SentinelClient>),
    Cluster(Box<ClusterClient>),
}

/// A connection that many requests share.
#[derive(Clone)]
pub(super) enum Connection {
    One(ConnectionManager),
    Primary(MultiplexedConnection),
    Cluster(ClusterConnection),
}

/// A server that stores sessions itself.
#[derive(Debug, Clone)]
pub(super) enum Node {
    Only,
    OfCluster(Address),
}

impl Servers {
    /// Prepares the connection, on the reactor that it is to live on. It is made when it is needed.
    ///
    /// # Errors
    /// When the URL or the certificates can't be used.
    pub(super) fn new(
        servers: &RedisServers,
        certificates: Option<TlsCertificates>,
    ) -> RedisResult<Self> {
        Ok(Self {
            place: Place::of(servers),
            kind: Kind::new(servers, certificates)?,
        })
    }

    pub(super) fn are_several(&self) -> bool {
        matches!(self.kind, Kind::Several(_))
    }

    /// Asks until there is an answer, if the question may be repeated: once more on a single server
    /// whose connection was lost; as long as an answer may take if another server takes over.
    pub(super) async fn ask<T, A>(
        &self,
        ask: impl Fn(Connection) -> A + Send,
    ) -> Result<T, VaultError>
    where
        A: Future<Output = RedisResult<T>> + Send,
    {
        let answer = match &self.kind {
            Kind::One(single) => single.ask(ask).await,
            Kind::Several(several) => several.ask(ask).await,
        };
        answer.map_err(|failure| {
            let (class, kind) = (failure.class(), failure.kind().map(tracing::field::debug));
            tracing::warn!(
                kind,
                "the session vault failed: {}",
                self.place.explain(class)
            );
            class
        })
    }
}

impl Kind {
    fn new(servers: &RedisServers, certificates: Option<TlsCertificates>) -> RedisResult<Self> {
        let finder = match servers {
            RedisServers::One(url) => {
                let url = url.expose().as_str();
                let client = match certificates {
                    Some(certificates) => Client::build_with_tls(url, certificates)?,
                    None => Client::open(url)?,
                };
                return Ok(Self::One(Arc::new(Single::new(client)?)));
            }
            RedisServers::Sentinel(sentinel) => {
                Finder::Sentinel(Box::new(of_sentinel(sentinel, certificates)?))
            }
            RedisServers::Cluster(nodes) => {
                Finder::Cluster(Box::new(of_cluster(nodes, certificates)?))
            }
        };
        let open = Open {
            finder,
            connection: None,
            number: 0,
        };
        let open = Mutex::new(open);
        Ok(Self::Several(Arc::new(Several { open })))
    }
}

impl Single {
    fn new(client: Client) -> RedisResult<Self> {
        Ok(Self {
            connection: Mutex::new(Self::manager(&client)?),
            client,
        })
    }

    /// Connects when it is needed.
    fn manager(client: &Client) -> RedisResult<ConnectionManager> {
        let config = ConnectionManagerConfig::new()
            .set_connection_timeout(Some(ANSWER_TIME))
            .set_response_timeout(Some(ANSWER_TIME))
            .set_number_of_retries(0);
        ConnectionManager::new_lazy_with_config(client.clone(), config)
    }

    async fn ask<T, A>(&self, ask: impl Fn(Connection) -> A + Send) -> Result<T, Failure>
    where
        A: Future<Output = RedisResult<T>> + Send,
    {
        let connection = Connection::One(self.connection.lock().await.clone());
        let answer = match in_time(ask(connection.clone())).await {
            Err(Failure::Redis(error)) if is_gone(&error) => in_time(ask(connection)).await,
            answer => answer,
        };
        let class = answer.as_ref().err().map(Failure::class);
        if matches!(class, Some(VaultError::SignIn | VaultError::Untrusted)) {
            *self.connection.lock().await = Self::manager(&self.client).map_err(Failure::Redis)?;
        }
        answer
    }
}

impl Several {
    async fn ask<T, A>(&self, ask: impl Fn(Connection) -> A + Send) -> Result<T, Failure>
    where
        A: Future<Output = RedisResult<T>> + Send,
    {
        let used = AtomicU64::new(0);
        let asked = timeout(ANSWER_TIME, self.until_answered(ask, &used)).await;
        let Ok(answer) = asked else {
            // It may have hung with its server.
            self.forget(used.load(Ordering::Relaxed));
            return Err(Failure::Timeout);
        };
        answer.map_err(Failure::Redis)
    }

    async fn until_answered<T, A>(
        &self,
        ask: impl Fn(Connection) -> A + Send,
        used: &AtomicU64,
    ) -> RedisResult<T>
    where
        A: Future<Output = RedisResult<T>> + Send,
    {
        loop {
            let answer = match self.connection().await {
                Ok((connection, number)) => {
                    used.store(number, Ordering::Relaxed);
                    ask(connection).await
                }
                Err(error) => Err(error),
            };
            match answer {
                Err(error) if passes(&error) => {
                    self.forget(used.load(Ordering::Relaxed));
                    sleep(PAUSE).await;
                }
                answer => return answer,
            }
        }
    }

    async fn connection(&self) -> RedisResult<(Connection, u64)> {
        let mut open = self.open.lock().await;
        if let Some(connection) = &open.connection {
            return Ok((connection.clone(), open.number));
        }
        let connection = open.finder.connect().await?;
        open.number += 1;
        open.connection = Some(connection.clone());
        Ok((connection, open.number))
    }

    /// The next request reconnects. While it is locked, somebody does.
    fn forget(&self, number: u64) {
        if let Ok(mut open) = self.open.try_lock()
            && open.number == number
        {
            open.connection = None;
        }
    }
}

impl Finder {
    async fn connect(&mut self) -> RedisResult<Connection> {
        match self {
            Self::Sentinel(sentinel) => {
                let config = AsyncConnectionConfig::new()
                    .set_connection_timeout(Some(CONNECT_TIME))
                    .set_response_timeout(Some(ANSWER_TIME));
                let connection = sentinel.get_async_connection_with_config(&config).await?;
                Ok(Connection::Primary(connection))
            }
            Self::Cluster(cluster) => cluster
                .get_async_connection()
                .await
                .map(Connection::Cluster),
        }
    }
}

impl Connection {
    /// Every server that may hold sessions.
    pub(super) async fn nodes(self) -> RedisResult<Vec<Node>> {
        let Self::Cluster(mut cluster) = self else {
            return Ok(vec![Node::Only]);
        };
        let primaries = RoutingInfo::MultiNode((MultipleNodeRoutingInfo::AllMasters, None));
        let answers = cluster.route_command(redis::cmd("PING"), primaries).await?;
        let answers: Vec<(String, Value)> = FromRedisValue::from_redis_value(answers)?;
        let nodes = answers.into_iter().map(|(address, _)| {
            let (host, port) = address.rsplit_once(':')?;
            let (host, port) = (host.to_owned(), port.parse().ok()?);
            Some(Node::OfCluster(Address { host, port }))
        });
        let nodes: Option<_> = nodes.collect();
        nodes.ok_or_else(|| (ErrorKind::Parse, "a node without an address").into())
    }

    /// Asks one of [`Connection::nodes`].
    pub(super) async fn ask_node<T: FromRedisValue>(self, node: Node, ask: Cmd) -> RedisResult<T> {
        match (self, node) {
            (Self::Cluster(mut cluster), Node::OfCluster(Address { host, port })) => {
                let node = SingleNodeRoutingInfo::ByAddress { host, port };
                let answer = cluster
                    .route_command(ask, RoutingInfo::SingleNode(node))
                    .await?;
                Ok(T::from_redis_value(answer)?)
            }
            (mut connection, _) => ask.query_async(&mut connection).await,
        }
    }
}

impl ConnectionLike for Connection {
    fn req_packed_command<'a>(&'a mut self, command: &'a Cmd) -> RedisFuture<'a, Value> {
        match self {
            Self::One(one) => one.req_packed_command(command),
            Self::Primary(primary) => primary.req_packed_command(command),
            Self::Cluster(cluster) => cluster.req_packed_command(command),
        }
    }

    fn req_packed_commands<'a>(
        &'a mut self,
        commands: &'a Pipeline,
        offset: usize,
        count: usize,
    ) -> RedisFuture<'a, Vec<Value>> {
        match self {
            Self::One(one) => one.req_packed_commands(commands, offset, count),
            Self::Primary(primary) => primary.req_packed_commands(commands, offset, count),
            Self::Cluster(cluster) => cluster.req_packed_commands(commands, offset, count),
        }
    }

    fn get_db(&self) -> i64 {
        match self {
            Self::One(one) => one.get_db(),
            Self::Primary(primary) => primary.get_db(),
            Self::Cluster(cluster) => cluster.get_db(),
        }
    }
}

fn of_sentinel(
    sentinel: &Sentinel,
    certificates: Option<TlsCertificates>,
) -> RedisResult<SentinelClient> {
    let Sentinel {
        sentinels,
        primary,
        database,
        login: Login { username, password },
    } = sentinel;
    let kind = SentinelServerType::Master;
    let mut client = SentinelClientBuilder::new(addresses(sentinels), primary, kind)?
        .set_client_to_redis_db(*database);
    if let Some(username) = username {
        client = client.set_client_to_redis_username(username);
    }
    if let Some(password) = password {
        client = client.set_client_to_redis_password(password.expose());
    }
    if let Some(username) = &sentinels.login.username {
        client = client.set_client_to_sentinel_username(username);
    }
    if let Some(password) = &sentinels.login.password {
        client = client.set_client_to_sentinel_password(password.expose());
    }
    if sentinels.is_tls {
        client = client.set_client_to_redis_tls_mode(TlsMode::Secure);
    }
    if let Some(certificates) = certificates {
        client = client
            .set_client_to_redis_certificates(certificates.clone())
            .set_client_to_sentinel_certificates(certificates);
    }
    client.build()
}

fn of_cluster(nodes: &Nodes, certificates: Option<TlsCertificates>) -> RedisResult<ClusterClient> {
    let mut client = ClusterClientBuilder::new(addresses(nodes))
        .connection_timeout(CONNECT_TIME)
        .response_timeout(ANSWER_TIME)
        .retries(CLUSTER_TRIES);
    if let Some(username) = &nodes.login.username {
        client = client.username(username);
    }
    if let Some(password) = &nodes.login.password {
        client = client.password(password.expose());
    }
    if nodes.is_tls {
        client = client.tls(TlsMode::Secure);
    }
    if let Some(certificates) = certificates {
        client = client.certs(certificates);
    }
    client.build()
}

fn addresses(nodes: &Nodes) -> Vec<ConnectionAddr> {
    let address = |address: &Address| {
        let Address { host, port } = address.clone();
        if nodes.is_tls {
            ConnectionAddr::TcpTls {
                host,
                port,
                insecure: false,
                tls_params: None,
            }
        } else {
            ConnectionAddr::Tcp(host, port)
        }
    };
    nodes.addresses.iter().map(address).collect()
}

/// The codes of servers that want a user or a password, or others.
const NO_SIGN_IN: [&str; 2] = ["NOAUTH", "WRONGPASS"];

/// What servers say about a script whose user lacks a right: from 7.2 on, and before.
const FORBIDDEN_IN_SCRIPT: &[&str] = &[
    "ACL failure in script",
    "The user executing the script can't",
];

enum Failure {
    Redis(RedisError),
    Timeout,
}

impl Failure {
    fn class(&self) -> VaultError {
        let Self::Redis(error) = self else {
            return VaultError::Timeout;
        };
        match error.kind() {
            _ if error.is_timeout() => VaultError::Timeout,
            _ if is_untrusted(error) => VaultError::Untrusted,
            _ if error.is_io_error() => VaultError::Unreachable,
            ErrorKind::AuthenticationFailed => VaultError::SignIn,
            _ if error.code().is_some_and(|code| NO_SIGN_IN.contains(&code)) => VaultError::SignIn,
            _ if says(error, &["unauthenticated"]) => VaultError::SignIn,
            ErrorKind::Server(ServerErrorKind::NoPerm) => VaultError::Forbidden,
            _ if says(error, FORBIDDEN_IN_SCRIPT) => VaultError::Forbidden,
            ErrorKind::UnexpectedReturnType | ErrorKind::Parse => VaultError::Corrupt,
            _ => VaultError::Refused,
        }
    }

    /// None if there was no answer.
    fn kind(&self) -> Option<ErrorKind> {
        match self {
            Self::Redis(error) => Some(error.kind()),
            Self::Timeout => None,
        }
    }
}

async fn in_time<T>(answer: impl Future<Output = RedisResult<T>>) -> Result<T, Failure> {
    match timeout(ANSWER_TIME, answer).await {
        Ok(answer) => answer.map_err(Failure::Redis),
        Err(_) => Err(Failure::Timeout),
    }
}

fn says(error: &RedisError, texts: &[&str]) -> bool {
    let detail = error.detail().unwrap_or_default();
    texts.iter().any(|text| detail.contains(text))
}

/// Whether the server's certificate can't be verified.
fn is_untrusted(error: &RedisError) -> bool {
    type Shared = Arc<dyn Error + Send + Sync>;
    let source = error
        .source()
        .and_then(|source| source.downcast_ref::<Shared>());
    let io = source.and_then(|source| source.downcast_ref::<io::Error>());
    let tls = io.and_then(|error| error.get_ref()?.downcast_ref());
    matches!(tls, Some(rustls::Error::InvalidCertificate(_)))
}

/// Whether a new connection may help.
fn is_gone(error: &RedisError) -> bool {
    !error.is_timeout() && (error.is_io_error() || error.is_connection_dropped())
}

/// Whether another server may answer soon.
fn passes(error: &RedisError) -> bool {
    let is_of_failover = matches!(
        error.kind(),
        ErrorKind::MasterNameNotFoundBySentinel
            | ErrorKind::ClusterConnectionNotFound
            | ErrorKind::Server(
                ServerErrorKind::ReadOnly
                    | ServerErrorKind::BusyLoading
                    | ServerErrorKind::MasterDown
                    | ServerErrorKind::ClusterDown
                    | ServerErrorKind::TryAgain
            )
    );
    is_of_failover || error.is_io_error() || error.is_connection_dropped()
}
