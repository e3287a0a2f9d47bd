//! Sessions in Redis, which several proxies may share.
//!
//! A session is one hash: `v` its version, `c` and `a` when it was made and last used, `d` and `h`
//! whether its numbers are derived and whether it is of history only, `n` how many mappings it has,
//! and `0`, `1`, … the mappings. So one command reads it, one script changes it, and it expires as a
//! whole. What links history to sessions is beside it: see [`links`].

mod links;

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::future::Future;
use std::sync::{Arc, LazyLock};
use std::thread;
use std::time::Duration;

use engine::Sensitive;
use jiff::Timestamp;
use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::{Client, Cmd, ErrorKind, FromRedisValue, RedisError, Script, ScriptInvocation};
use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

use super::{
    ANSWER_TIME, Base, HISTORY_TIME, IdKey, Key, Listed, Making, OpenError, Record, Stored,
    StoredMapping, VaultError, Version, first_version, milliseconds, timestamp,
};
use crate::clock::now;

const SESSIONS: &str = "mask:session:";
const ID_KEY: &str = "mask:id_key";

/// How many keys a step of a listing looks at.
const SCANNED: usize = 2000;

/// Separates the parts of a mapping.
const PART: u8 = 0;
const OPEN: u8 = b'o';
const SEALED: u8 = b's';

/// Arguments: the version that the session must have, empty for none; its next version; the time;
/// the time to live in milliseconds, 0 for ever; how many mappings it has then; when it was made,
/// whether its numbers are derived, whether it is of history; the place and the text of each new
/// mapping.
static STORE: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "if (redis.call('HGET', KEYS[1], 'v') or '') ~= ARGV[1] then return 0 end
         if ARGV[1] == '' then 
           redis.call('HSET', KEYS[1], 'c', ARGV[6], 'd', ARGV[7], 'h', ARGV[8])
         end
         redis.call('HSET', KEYS[1], 'v', ARGV[2], 'a', ARGV[3], 'n', ARGV[5])
         for i = 9, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
         if ARGV[4] == '0' then redis.call('PERSIST', KEYS[1])
         else redis.call('PEXPIRE', KEYS[1], ARGV[4]) end
         return 1",
    )
});

/// Arguments: the time; the time to live in milliseconds, 0 for ever.
static TOUCH: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "if redis.call('HEXISTS', KEYS[1], 'v') == 0 then return 0 end
         redis.call('HSET', KEYS[1], 'a', ARGV[1])
         if ARGV[2] == '0' then redis.call('PERSIST', KEYS[1])
         else redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
         return 1",
    )
});

/// Arguments: where to go on, which keys, how many to look at. Returns where to go on then, and a
/// line for each session: when it was made and last used, how many mappings it has, whether it is of
/// history, its key.
static LIST: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "local found = redis.call('SCAN', ARGV[1], 'MATCH', ARGV[2], 'COUNT', ARGV[3])
         local lines = {}
         for _, name in ipairs(found[2]) do
           local session = redis.pcall('HMGET', name, 'c', 'a', 'n', 'h')
           if session[1] and session[2] and session[3] then
             session[4] = session[4] or '0'
             lines[#lines + 1] = table.concat(session, ' ') .. ' ' .. name
           end
         end
         return {found[1], table.concat(lines, '\\n')}",
    )
});

/// Argument: a time.
static DELETE_IDLE: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "local active = redis.call('HGET', KEYS[1], 'a')
         if not active or tonumber(active) >= tonumber(ARGV[1]) then return 0 end
         return redis.call('DEL', KEYS[1])",
    )
});

/// The vault `redis`.
///
/// Its connection lives on a thread of its own, so that it does not end with the thread of an
/// exchange that happened to make it.
pub(crate) struct Redis {
    connection: ConnectionManager,
    reactor: Handle,
    /// Ends the thread when it is dropped.
    _running: oneshot::Sender<()>,
    /// In milliseconds, 0 for ever.
    ttl: i64,
}

impl Redis {
    /// Prepares the connection. It is made when it is needed.
    ///
    /// # Errors
    /// When the URL can't be used.
    pub(super) fn open(url: &Sensitive<String>, ttl: Option<Duration>) -> Result<Self, OpenError> {
        let refused = |reason: &str| OpenError {
            vault: "redis".to_owned(),
            reason: reason.to_owned(),
        };
        let client =
            Client::open(url.expose().as_str()).map_err(|_| refused("its URL can't be used"))?;
        let config = ConnectionManagerConfig::new()
            .set_connection_timeout(Some(ANSWER_TIME))
            .set_response_timeout(Some(ANSWER_TIME))
            .set_number_of_retries(0);
        let reactor = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| refused(&error.to_string()))?;
        let handle = reactor.handle().clone();
        let connection = {
            let _entered = handle.enter();
            ConnectionManager::new_lazy_with_config(client, config)
                .map_err(|_| refused("its URL can't be used"))?
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
            connection,
            reactor: handle,
            _running: running,
            // Less than one would be for ever.
            ttl: ttl.map_or(0, |ttl| milliseconds(ttl).max(1)),
        })
    }

    pub(super) async fn id_key(&self) -> Result<IdKey, VaultError> {
        let new = IdKey::random();
        let (_, kept): (bool, Vec<u8>) = self
            .ask(move |mut connection| {
                let mut both = redis::pipe();
                both.atomic()
                    .set_nx(ID_KEY, new.expose().as_slice())
                    .get(ID_KEY);
                async move { both.query_async(&mut connection).await }
            })
            .await?;
        IdKey::read(&kept)
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
        made: Making,
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
        for (place, mapping) in (first..).zip(&new) {
            change.arg(place).arg(written(mapping));
        }
        self.change(change).await
    }

    pub(super) async fn touch(&self, key: &Key, made: Making) -> Result<Stored, VaultError> {
        let mut change = TOUCH.key(name_of(key));
        change.arg(now()).arg(self.ttl_of(made));
        self.change(change).await
    }

    /// In milliseconds, 0 for ever.
    fn ttl_of(&self, made: Making) -> i64 {
        let longest = milliseconds(HISTORY_TIME);
        match (made.of_history, self.ttl) {
            (false, ttl) => ttl,
            (true, 0) => longest,
            (true, ttl) => ttl.min(longest),
        }
    }

    pub(super) async fn list(&self) -> Result<Vec<Listed>, VaultError> {
        let mut listed = BTreeMap::new();
        let mut cursor = "0".to_owned();
        loop {
            let mut step = LIST.arg(cursor);
            step.arg(format!("{SESSIONS}*")).arg(SCANNED);
            let (next, lines): (String, String) = self.script(step).await?;
            let sessions = lines.lines().filter_map(read_line);
            // A step may show again what another showed before.
            listed.extend(sessions.map(|session| (session.key.clone(), session)));
            if next == "0" {
                return Ok(listed.into_values().collect());
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
        let ask = move |mut connection| {
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
        let ask = move |mut connection| {
            let script = Arc::clone(&script);
            async move { script.invoke_async(&mut connection).await }
        };
        self.ask(ask).await
    }

    /// Asks on the vault's own thread; once more, over a new connection, when the old one is gone.
    async fn ask<T, A>(
        &self,
        ask: impl Fn(ConnectionManager) -> A + Send + 'static,
    ) -> Result<T, VaultError>
    where
        T: Send + 'static,
        A: Future<Output = Result<T, RedisError>> + Send,
    {
        let connection = self.connection.clone();
        let asking = self.reactor.spawn(async move {
            let first = in_time(ask(connection.clone())).await;
            match first {
                Err(Failure::Redis(error)) if is_gone(&error) => in_time(ask(connection)).await,
                answer => answer,
            }
        });
        let answer = asking.await.map_err(|_| VaultError::Unreachable)?;
        answer.map_err(Failure::class)
    }
}

impl fmt::Debug for Redis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Redis")
    }
}

enum Failure {
    Redis(RedisError),
    Timeout,
}

impl Failure {
    fn class(self) -> VaultError {
        let Self::Redis(error) = self else {
            tracing::warn!("the session vault did not answer in time");
            return VaultError::Timeout;
        };
        tracing::warn!(kind = ?error.kind(), "the session vault failed");
        match error.kind() {
            _ if error.is_timeout() => VaultError::Timeout,
            _ if error.is_io_error() => VaultError::Unreachable,
            ErrorKind::UnexpectedReturnType | ErrorKind::Parse => VaultError::Corrupt,
            _ => VaultError::Refused,
        }
    }
}

async fn in_time<T>(answer: impl Future<Output = Result<T, RedisError>>) -> Result<T, Failure> {
    match tokio::time::timeout(ANSWER_TIME, answer).await {
        Ok(answer) => answer.map_err(Failure::Redis),
        Err(_) => Err(Failure::Timeout),
    }
}

/// Whether a new connection may help.
fn is_gone(error: &RedisError) -> bool {
    !error.is_timeout() && (error.is_io_error() || error.is_connection_dropped())
}

fn name_of(key: &Key) -> String {
    format!("{SESSIONS}{}:{}", key.owner, key.id)
}

/// An owner's tag has no colon; an id may have some.
fn key_of(name: &str) -> Option<Key> {
    let (owner, id) = name.strip_prefix(SESSIONS)?.split_once(':')?;
    Some(Key {
        owner: owner.to_owned(),
        id: id.to_owned(),
    })
}

/// A line of a listing; none for a key of another form.
fn read_line(line: &str) -> Option<Listed> {
    let mut parts = line.splitn(5, ' ');
    let mut number = || parts.next()?.parse::<i64>().ok();
    let (created, last_active, mappings) = (number()?, number()?, number()?);
    let of_history = number()? != 0;
    Some(Listed {
        created: timestamp(created).ok()?,
        last_active: timestamp(last_active).ok()?,
        mappings: mappings.cast_unsigned(),
        of_history,
        key: key_of(parts.next()?)?,
    })
}

fn read_record(mut fields: HashMap<String, Vec<u8>>) -> Result<Record, VaultError> {
    let version = number(&fields, "v")?;
    let count = number(&fields, "n")?;
    let is_set = |name| fields.get(name).is_some_and(|flag| flag == b"1");
    let made = Making {
        created: number(&fields, "c")?.cast_signed(),
        derived: is_set("d"),
        of_history: is_set("h"),
    };
    let mapping = |place: u64| {
        let field = fields
            .remove(&place.to_string())
            .ok_or(VaultError::Corrupt)?;
        read_mapping(&field)
    };
    Ok(Record {
        version,
        made,
        mappings: (0..count).map(mapping).collect::<Result<_, _>>()?,
    })
}

fn number(fields: &HashMap<String, Vec<u8>>, name: &str) -> Result<u64, VaultError> {
    let field = fields.get(name).ok_or(VaultError::Corrupt)?;
    let text = std::str::from_utf8(field).map_err(|_| VaultError::Corrupt)?;
    text.parse().map_err(|_| VaultError::Corrupt)
}

/// The type, the id, how the value is kept, the value.
fn written(mapping: &StoredMapping) -> Vec<u8> {
    let how = if mapping.is_sealed() { SEALED } else { OPEN };
    [
        mapping.entity().as_str().as_bytes(),
        &[PART],
        mapping.id().as_bytes(),
        &[PART, how],
        mapping.value(),
    ]
    .concat()
}

fn read_mapping(field: &[u8]) -> Result<StoredMapping, VaultError> {
    let mut parts = field.splitn(3, |byte| *byte == PART);
    let mut text = || std::str::from_utf8(parts.next()?).ok();
    let (Some(entity), Some(id)) = (text(), text()) else {
        return Err(VaultError::Corrupt);
    };
    let Some((how, value)) = parts.next().and_then(|part| part.split_first()) else {
        return Err(VaultError::Corrupt);
    };
    match *how {
        OPEN => StoredMapping::read(entity, id, false, value.to_vec()),
        SEALED => StoredMapping::read(entity, id, true, value.to_vec()),
        _ => Err(VaultError::Corrupt),
    }
}
