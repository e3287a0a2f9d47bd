//! Sessions in Redis, which several proxies may share.
//!
//! A session is one hash: `v` its version, `c` and `a` when it was made and last used, `d` and `h`
//! whether its numbers are derived and whether it is of history only, `n` how many mappings it has,
//! `0`, `1`, … the mappings, and `o0`, `o1`, … where their values came from that are not the user's.
//! So one command reads it, one script changes it, and it expires as a whole. What links history to sessions is beside it: see [`links`].

mod links;
mod place;
mod record;
mod scripts;
mod servers;
mod tls;

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use engine::Origin;
use jiff::Timestamp;
use redis::{Cmd, FromRedisValue, RedisResult, ScriptInvocation};
use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

use self::record::{SESSIONS, name_of, origin_of, read_line, read_record, written};
use self::scripts::{DELETE_IDLE, KEEP, LIST, STORE, TOUCH};
use self::servers::{Connection, Node, Servers};
use super::{
    Base, HISTORY_TIME, IdKey, Key, KnownKey, Listed, NewSession, OpenError, Record, Stored,
    StoredMapping, VaultError, Version, first_version, milliseconds,
};
use crate::base::clock::now;
use crate::config::RedisSettings;

const ID_KEY: &str = "mask:id_key";
const SECRET: &str = "mask:secret";

/// How many keys a step of a listing reads.
const SCANNED: usize = 2000;

/// The vault `redis`.
///
/// Its connection has its own thread, so that it does not end with the thread of the exchange that
/// happened to open it.
pub(crate) struct Redis {
    servers: Servers,
    reactor: Handle,
    /// Ends the thread when it is dropped.
    _running: oneshot::Sender<()>,
    /// In milliseconds; 0 means forever.
    ttl: i64,
    id_key: KnownKey,
}

impl Redis {
    /// Prepares the connection. It is made when it is needed.
    ///
    /// # Errors
    /// When the URL or the certificates can't be used.
    pub(super) fn open(settings: &RedisSettings, ttl: Option<Duration>) -> Result<Self, OpenError> {
        let refused = |reason: &str| OpenError {
            vault: "redis".to_owned(),
            reason: reason.to_owned(),
        };
        let reactor = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| refused(&error.to_string()))?;
        let handle = reactor.handle().clone();
        let certificates = tls::certificates(&settings.tls).map_err(|error| refused(&error))?;
        let servers = {
            let _entered = handle.enter();
            Servers::new(&settings.servers, certificates)
                .map_err(|_| refused("its URL or its key can't be used"))?
        };
        let (running, ended) = oneshot::channel::<()>();
        thread::Builder::new()
            .name("vault".to_owned())
            .spawn(move || {
                // Ends with the vault, in an error.
                let _ = reactor.block_on(ended);
                reactor.shutdown_background();
            })
            .map_err(|error| refused(&error.to_string()))?;
        Ok(Self {
            servers,
            reactor: handle,
            _running: running,
            // A smaller value would mean forever.
            ttl: ttl.map_or(0, |ttl| milliseconds(ttl).max(1)),
            id_key: KnownKey::default(),
        })
    }

    pub(super) fn may_lose_changes(&self) -> bool {
        self.servers.are_several()
    }

    pub(super) fn explain(&self, error: VaultError) -> String {
        self.servers.place.explain(error)
    }

    pub(super) async fn id_key(&self) -> Result<IdKey, VaultError> {
        if let Some(known) = self.id_key.get() {
            return Ok(known);
        }
        let kept = IdKey::read(&self.ask(kept_or(IdKey::random())).await?)?;
        self.id_key.set(&kept);
        Ok(kept)
    }

    pub(super) async fn noted_secret(&self) -> Result<Option<String>, VaultError> {
        self.command(Cmd::get(SECRET)).await
    }

    pub(super) async fn note_secret(&self, mark: String) -> Result<(), VaultError> {
        self.command(Cmd::set(SECRET, mark)).await
    }

    /// Puts the key back if the server has lost it, or takes over the one that another process has made since then: with
    /// two keys, neither would find the other's sessions. Nobody waits for it: the key may be on a node that does not
    /// answer.
    fn keep_id_key(&self) {
        let Some(known) = self.id_key.get() else {
            return;
        };
        let (servers, id_key) = (self.servers.clone(), self.id_key.clone());
        self.reactor.spawn(async move {
            let kept = servers.ask(kept_or(known)).await?;
            id_key.set(&IdKey::read(&kept)?);
            Ok::<_, VaultError>(())
        });
    }

    pub(super) async fn load(&self, key: &Key) -> Result<Option<Record>, VaultError> {
        let read = Cmd::hgetall(name_of(key));
        let fields: HashMap<String, Vec<u8>> = self.command(read).await?;
        if fields.is_empty() {
            return Ok(None);
        }
        read_record(fields).map(Some)
    }

    pub(super) async fn version(&self, key: &Key) -> Result<Option<Version>, VaultError> {
        let read = Cmd::hget(name_of(key), "v");
        let version: Option<String> = self.command(read).await?;
        let version = version.map(|version| version.parse().map_err(|_| VaultError::Corrupt));
        version.transpose()
    }

    pub(super) async fn store(
        &self,
        key: &Key,
        base: Option<Base>,
        made: NewSession,
        new: Vec<StoredMapping>,
    ) -> Result<Stored, VaultError> {
        let first = base.map_or(0, |base| base.mappings);
        let next = base.map_or_else(first_version, |base| base.version + 1);
        let mut change = STORE.key(name_of(key));
        change
            .arg(
                base.map(|base| base.version.to_string())
                    .unwrap_or_default(),
            )
            .arg(next)
            .arg(now())
            .arg(self.ttl_of(made))
            .arg(first + new.len())
            .arg(made.created)
            .arg(u8::from(made.derived))
            .arg(u8::from(made.of_history));
        for (place, mapping) in (first as u64..).zip(&new) {
            change.arg(place).arg(written(mapping));
            if mapping.origin() != Origin::User {
                change.arg(origin_of(place)).arg(mapping.origin().as_str());
            }
        }
        // After a loss every session is new.
        if base.is_none() {
            self.keep_id_key();
        }
        self.change(change).await
    }

    pub(super) async fn touch(&self, key: &Key, made: NewSession) -> Result<Stored, VaultError> {
        let mut change = TOUCH.key(name_of(key));
        change.arg(now()).arg(self.ttl_of(made));
        self.change(change).await
    }

    /// In milliseconds; 0 means forever.
    fn ttl_of(&self, made: NewSession) -> i64 {
        let longest = milliseconds(HISTORY_TIME);
        match (made.of_history, self.ttl) {
            (false, ttl) => ttl,
            (true, 0) => longest,
            (true, ttl) => ttl.min(longest),
        }
    }

    pub(super) async fn list(&self) -> Result<Vec<Listed>, VaultError> {
        let mut listed = BTreeMap::new();
        for node in self.ask(Connection::nodes).await? {
            self.list_node(&node, &mut listed).await?;
        }
        Ok(listed.into_values().collect())
    }

    async fn list_node(
        &self,
        node: &Node,
        listed: &mut BTreeMap<Key, Listed>,
    ) -> Result<(), VaultError> {
        let mut cursor = "0".to_owned();
        loop {
            let mut step = redis::cmd("EVAL");
            step.arg(LIST).arg(0).arg(cursor);
            step.arg(format!("{SESSIONS}*")).arg(SCANNED);
            let node = node.clone();
            let ask = move |connection: Connection| connection.ask_node(node.clone(), step.clone());
            let (next, lines): (String, String) = self.ask(ask).await?;
            let sessions = lines.lines().filter_map(read_line);
            // A step may show again what another showed before.
            listed.extend(sessions.map(|session| (session.key.clone(), session)));
            if next == "0" {
                return Ok(());
            }
            cursor = next;
        }
    }

    pub(super) async fn delete_idle(
        &self,
        key: &Key,
        before: Timestamp,
    ) -> Result<bool, VaultError> {
        let mut delete = DELETE_IDLE.key(name_of(key));
        delete.arg(before.as_millisecond());
        Ok(self.change(delete).await? == Stored::Done)
    }

    async fn command<T: FromRedisValue + Send + 'static>(
        &self,
        command: Cmd,
    ) -> Result<T, VaultError> {
        let ask = move |mut connection: Connection| {
            let command = command.clone();
            async move { command.query_async(&mut connection).await }
        };
        self.ask(ask).await
    }

    async fn change(&self, script: ScriptInvocation<'static>) -> Result<Stored, VaultError> {
        Ok(match self.script::<u64>(script).await? {
            0 => Stored::Conflict,
            _ => Stored::Done,
        })
    }

    async fn script<T: FromRedisValue + Send + 'static>(
        &self,
        script: ScriptInvocation<'static>,
    ) -> Result<T, VaultError> {
        let script = Arc::new(script);
        let ask = move |mut connection: Connection| {
            let script = Arc::clone(&script);
            async move { script.invoke_async(&mut connection).await }
        };
        self.ask(ask).await
    }

    /// Asks on the vault's own thread.
    async fn ask<T, A>(
        &self,
        ask: impl Fn(Connection) -> A + Send + 'static,
    ) -> Result<T, VaultError>
    where
        T: Send + 'static,
        A: Future<Output = RedisResult<T>> + Send + 'static,
    {
        let servers = self.servers.clone();
        let asking = self.reactor.spawn(async move { servers.ask(ask).await });
        asking.await.map_err(|_| VaultError::Unreachable)?
    }
}

/// Asks for the key that the server keeps; where it keeps none, for this one, which it then keeps.
fn kept_or(
    key: IdKey,
) -> impl Fn(Connection) -> Pin<Box<dyn Future<Output = RedisResult<Vec<u8>>> + Send>> {
    move |mut connection| {
        let mut keep = KEEP.key(ID_KEY);
        keep.arg(key.expose().as_slice());
        Box::pin(async move { keep.invoke_async(&mut connection).await })
    }
}

impl fmt::Debug for Redis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Redis")
    }
}
