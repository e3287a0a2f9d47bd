//! Several Redis servers with failover.

use std::future::Future;
use std::time::{Duration, Instant};

use tokio::time::sleep;

use crate::redis::Redis;
use crate::redis_guard::Guard;

/// How long servers may take to find each other on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// The hash slots of a cluster.
const SLOTS: u16 = 16384;

/// Servers that keep the sessions of proxies together.
#[derive(Debug)]
pub struct RedisFleet {
    /// One of them has a replica.
    pub primaries: Vec<Redis>,
    /// Of the first primary.
    pub replica: Redis,
    sentinels: Vec<Redis>,
    /// What keeps others out.
    pub guard: Option<Guard>,
}

impl RedisFleet {
    /// A primary and a replica, which three sentinels watch.
    pub async fn start_sentinel() -> Self {
        Self::sentinel(None).await
    }

    /// The same, with TLS, certificates and users.
    pub async fn start_guarded_sentinel() -> Self {
        Self::sentinel(Some(Guard::new())).await
    }

    /// A cluster of three primaries and a replica of the first.
    pub async fn start_cluster() -> Self {
        Self::cluster(None).await
    }

    /// The same, with TLS, certificates and users.
    pub async fn start_guarded_cluster() -> Self {
        Self::cluster(Some(Guard::new())).await
    }

    async fn sentinel(guard: Option<Guard>) -> Self {
        let primary = Redis::start_member(guard.as_ref()).await;
        let replica = Redis::start_member(guard.as_ref()).await;
        let follow = format!("REPLICAOF 127.0.0.1 {}", primary.member_port());
        assert_eq!(replica.ask(&follow).await.as_deref(), Some("+OK\r\n"));
        until(async || reports(&replica, "INFO replication", "master_link_status:up").await).await;
        let mut sentinels = Vec::new();
        for _ in 0..3 {
            sentinels.push(Redis::start_sentinel(primary.member_port(), guard.as_ref()).await);
        }
        for sentinel in &sentinels {
            until(async || {
                reports(sentinel, "INFO sentinel", "status=ok").await
                    && reports(sentinel, "INFO sentinel", "slaves=1,sentinels=3").await
            })
            .await;
        }
        Self {
            primaries: vec![primary],
            replica,
            sentinels,
            guard,
        }
    }

    async fn cluster(guard: Option<Guard>) -> Self {
        let mut primaries = Vec::new();
        for _ in 0..3 {
            primaries.push(Redis::start_node(guard.as_ref()).await);
        }
        let replica = Redis::start_node(guard.as_ref()).await;
        for (number, primary) in (0..).zip(&primaries) {
            let (from, to) = (SLOTS * number / 3, SLOTS * (number + 1) / 3 - 1);
            command(primary, &format!("CLUSTER ADDSLOTSRANGE {from} {to}")).await;
        }
        let nodes = || primaries.iter().chain([&replica]);
        for node in nodes().skip(1) {
            let meet = format!(
                "CLUSTER MEET 127.0.0.1 {} {}",
                node.member_port(),
                node.bus_port()
            );
            command(&primaries[0], &meet).await;
        }
        for node in nodes() {
            until(async || reports(node, "CLUSTER INFO", "cluster_known_nodes:4").await).await;
        }
        let id = primaries[0].ask("CLUSTER MYID").await.expect("an id");
        let id = id.lines().nth(1).expect("an id").to_owned();
        command(&replica, &format!("CLUSTER REPLICATE {id}")).await;
        for node in nodes() {
            until(async || {
                reports(node, "CLUSTER INFO", "cluster_state:ok").await
                    && reports(node, "CLUSTER NODES", " slave ").await
                    || reports(node, "CLUSTER NODES", ",slave ").await
            })
            .await;
        }
        until(async || reports(&replica, "INFO replication", "master_link_status:up").await).await;
        Self {
            primaries,
            replica,
            sentinels: Vec::new(),
            guard,
        }
    }

    /// The value of `vault.redis_url` for them.
    #[must_use]
    pub fn url(&self) -> String {
        let (scheme, login, query) = match self.guard {
            Some(_) => (
                "rediss",
                format!("{}@", Guard::login()),
                format!("?{}", Guard::login_of_sentinels()),
            ),
            None => ("redis", String::new(), String::new()),
        };
        let addresses = |servers: &[Redis]| {
            let address = |server: &Redis| format!("127.0.0.1:{}", server.member_port());
            servers.iter().map(address).collect::<Vec<_>>().join(",")
        };
        if self.sentinels.is_empty() {
            format!("{scheme}+cluster://{login}{}", addresses(&self.primaries))
        } else {
            let sentinels = addresses(&self.sentinels);
            format!("{scheme}+sentinel://{login}{sentinels}/main{query}")
        }
    }

    /// Keeps the replica, which heard all until now, from hearing of further changes.
    pub async fn cut_off_replica(&self) {
        let is_even = async || {
            let offset = async |server: &Redis, name: &str| {
                let reply = server.ask("INFO replication").await?;
                let line = reply.lines().find_map(|line| line.strip_prefix(name))?;
                Some(line.to_owned())
            };
            let seen = offset(&self.primaries[0], "master_repl_offset:").await;
            seen.is_some() && seen == offset(&self.replica, "slave_repl_offset:").await
        };
        until(is_even).await;
        // The primary has no password, and refuses clients that send one.
        command(&self.replica, "CONFIG SET masterauth wrong").await;
        self.primaries[0].ask("CLIENT KILL TYPE replica").await;
        until(async || reports(&self.replica, "INFO replication", "master_link_status:down").await)
            .await;
    }

    /// Waits until the replica has taken over.
    pub async fn until_taken_over(&self) {
        until(async || reports(&self.replica, "INFO replication", "role:master").await).await;
    }
}

async fn command(server: &Redis, text: &str) {
    assert_eq!(server.ask(text).await.as_deref(), Some("+OK\r\n"), "{text}");
}

async fn reports(server: &Redis, ask: &str, what: &str) -> bool {
    let reply = server.ask(ask).await;
    reply.is_some_and(|reply| reply.contains(what))
}

async fn until<F: Future<Output = bool>>(is_so: impl Fn() -> F) {
    let begin = Instant::now();
    while !is_so().await {
        assert!(begin.elapsed() < PATIENCE, "the servers do not get ready");
        sleep(Duration::from_millis(50)).await;
    }
}
