//! Stores lasting sessions, in memory, SQLite or Redis.
//!
//! A request costs one [`load`](Vault::load), or one [`version`](Vault::version) check, and one
//! [`store`](Vault::store) or [`touch`](Vault::touch), however many values it has.

mod link;
mod memory;
mod redis;
mod sqlite;

use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use engine::{EntityType, Mapping, Origin, Sensitive};
use jiff::Timestamp;

use crate::base::clock::now;
use crate::base::random;
use crate::config::{Store, VaultSettings};

pub(crate) use link::{Claim, Link, LinkName};

/// How many mappings a session may hold: each request reads all of them.
pub(crate) const MAX_MAPPINGS: usize = 100_000;

/// How long a vault may take to answer.
const ANSWER_TIME: Duration = Duration::from_secs(5);

/// Where a vault among its links keeps a mark of the instances' secret. No link's name is written so.
const SECRET: &str = "secret";

/// What a vault keeps a session under. Neither part is secret.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Key {
    /// The tag of the session's owner: lower-case hex.
    pub(crate) owner: String,
    /// The session's id.
    pub(crate) id: String,
}

/// Counts the changes of a session, starting from a random number, so that a session that was
/// forgotten and created again is never mistaken for the old one.
pub(crate) type Version = u64;

/// How long an idle session that only continues provider history is kept, and how long its links
/// are kept: as long as providers keep a response.
const HISTORY_TIME: Duration = Duration::from_hours(30 * 24);

/// The properties that a session has from the beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NewSession {
    /// When it was created, in milliseconds: distinguishes it from earlier ones with the same key.
    pub(crate) created: i64,
    /// Its numbers are derived from its values.
    pub(crate) derived: bool,
    /// No request names it: it continues provider history, and is forgotten after 30 days without
    /// use.
    pub(crate) of_history: bool,
}

impl NewSession {
    /// One that counts and that requests name, made now.
    pub(crate) fn plain() -> Self {
        Self {
            created: now(),
            derived: false,
            of_history: false,
        }
    }
}

/// A session as it is kept.
#[derive(Debug, Clone)]
pub(crate) struct Record {
    pub(crate) version: Version,
    pub(crate) made: NewSession,
    /// In the order in which they were issued.
    pub(crate) mappings: Vec<StoredMapping>,
}

/// A token and its value as they are kept.
#[derive(Debug, Clone)]
pub(crate) enum StoredMapping {
    /// With the value itself.
    Open(Arc<Mapping>),
    /// With ciphertext (operator `encrypt`).
    Sealed(Arc<Sealed>),
}

/// A token whose value is stored as ciphertext.
#[derive(Debug)]
pub(crate) struct Sealed {
    pub(crate) entity: EntityType,
    pub(crate) id: String,
    pub(crate) value: Vec<u8>,
    pub(crate) origin: Origin,
}

/// What may be shown of a stored session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Listed {
    pub(crate) key: Key,
    pub(crate) created: Timestamp,
    pub(crate) last_active: Timestamp,
    pub(crate) mappings: u64,
    /// See [`NewSession::of_history`].
    pub(crate) of_history: bool,
}

/// What became of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stored {
    Done,
    /// The session has changed since it was loaded; nothing was changed.
    Conflict,
}

/// Why a vault failed. Never holds content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum VaultError {
    #[error("the session vault can't be reached")]
    Unreachable,
    #[error("the session vault did not answer in time")]
    Timeout,
    #[error("the session vault does not accept the proxy's user or password")]
    SignIn,
    #[error("the proxy's user lacks a right on the session vault")]
    Forbidden,
    #[error("the session vault's certificate is not trusted")]
    Untrusted,
    #[error("the session vault refused the request")]
    Refused,
    #[error("the session's record in the vault is damaged")]
    Corrupt,
    #[error("the session is changed by too many requests at once")]
    Contended,
    #[error("the session would hold more than {MAX_MAPPINGS} values")]
    Full,
}

impl VaultError {
    /// The class name; `error_type` in the audit trail.
    pub(crate) const fn class(self) -> &'static str {
        match self {
            Self::Unreachable => "VaultUnreachable",
            Self::Timeout => "VaultTimeout",
            Self::SignIn => "VaultSignInRefused",
            Self::Forbidden => "VaultForbidden",
            Self::Untrusted => "VaultUntrusted",
            Self::Refused => "VaultRefused",
            Self::Corrupt => "VaultCorrupt",
            Self::Contended => "VaultContended",
            Self::Full => "VaultSessionFull",
        }
    }

    /// Whether the same request may succeed later.
    pub(crate) const fn heals(self) -> bool {
        !self.is_misconfigured() && !matches!(self, Self::Corrupt | Self::Full)
    }

    /// Whether only who runs the proxy can heal it.
    pub(crate) const fn is_misconfigured(self) -> bool {
        matches!(self, Self::SignIn | Self::Forbidden | Self::Untrusted)
    }
}

/// Why a vault can't be opened, in one line.
#[derive(Debug, thiserror::Error)]
#[error("can't open the vault {vault}: {reason}")]
pub(crate) struct OpenError {
    pub(crate) vault: String,
    pub(crate) reason: String,
}

/// Where sessions that last are kept.
#[derive(Debug)]
pub(crate) enum Vault {
    Memory(memory::Memory),
    Sqlite(sqlite::Sqlite),
    Redis(redis::Redis),
}

impl Vault {
    /// Opens the configured vault. A Redis server is asked only when it is needed.
    ///
    /// # Errors
    /// When it can't be used.
    pub(crate) fn open(settings: &VaultSettings) -> Result<Self, OpenError> {
        let ttl = settings.ttl;
        match &settings.store {
            Store::Memory => Ok(Self::Memory(memory::Memory::new(ttl))),
            Store::Sqlite { path } => sqlite::Sqlite::open(path, ttl).map(Self::Sqlite),
            Store::Redis(settings) => redis::Redis::open(settings, ttl).map(Self::Redis),
            Store::Unusable(error) => Err(OpenError {
                vault: "redis".to_owned(),
                reason: error.to_string(),
            }),
        }
    }

    /// Why the vault failed, for those who run it. Never shows a user or a password.
    pub(crate) fn explain(&self, error: VaultError) -> String {
        match self {
            Self::Memory(_) => error.to_string(),
            Self::Sqlite(_) => format!("{error} (vault.dsn)"),
            Self::Redis(redis) => redis.explain(error),
        }
    }

    /// Whether a completed change may be lost later, because a server that takes over may not have
    /// received it.
    pub(crate) fn may_lose_changes(&self) -> bool {
        match self {
            Self::Memory(_) | Self::Sqlite(_) => false,
            Self::Redis(redis) => redis.may_lose_changes(),
        }
    }

    /// The key that derives ids and owner tags; made at random on first use and kept. It changes if the vault lost it
    /// and another process made another one.
    ///
    /// # Errors
    /// When the vault fails.
    pub(crate) async fn id_key(&self) -> Result<IdKey, VaultError> {
        match self {
            Self::Memory(memory) => Ok(memory.id_key()),
            Self::Sqlite(sqlite) => sqlite.id_key().await,
            Self::Redis(redis) => redis.id_key().await,
        }
    }

    /// What an instance [noted](Self::note_secret) last; nothing in memory, which has one instance.
    ///
    /// # Errors
    /// When the vault fails.
    pub(crate) async fn noted_secret(&self) -> Result<Option<String>, VaultError> {
        match self {
            Self::Memory(_) => Ok(None),
            Self::Sqlite(sqlite) => {
                let noted = sqlite.follow(vec![SECRET.to_owned()]).await?;
                let noted = noted.into_iter().flatten().next();
                Ok(noted.map(|noted| noted.session.id))
            }
            Self::Redis(redis) => redis.noted_secret().await,
        }
    }

    /// Notes a mark of the secret that this instance uses, by which others can compare theirs.
    ///
    /// # Errors
    /// When the vault fails.
    pub(crate) async fn note_secret(&self, mark: String) -> Result<(), VaultError> {
        match self {
            Self::Memory(_) => Ok(()),
            Self::Sqlite(sqlite) => {
                let session = Key {
                    owner: SECRET.to_owned(),
                    id: mark,
                };
                let link = Link {
                    session,
                    created: now(),
                };
                sqlite
                    .link(vec![SECRET.to_owned()], link, Claim::Taken)
                    .await
            }
            Self::Redis(redis) => redis.note_secret(mark).await,
        }
    }

    /// Reads a session; none when there is none, or it was forgotten.
    ///
    /// # Errors
    /// When the vault fails.
    pub(crate) async fn load(&self, key: &Key) -> Result<Option<Record>, VaultError> {
        match self {
            Self::Memory(memory) => Ok(memory.load(key)),
            Self::Sqlite(sqlite) => sqlite.load(key).await,
            Self::Redis(redis) => redis.load(key).await,
        }
    }

    /// The version of a session: whoever knows what it was then need not read it again.
    ///
    /// # Errors
    /// When the vault fails.
    pub(crate) async fn version(&self, key: &Key) -> Result<Option<Version>, VaultError> {
        match self {
            Self::Memory(memory) => Ok(memory.version(key)),
            Self::Sqlite(sqlite) => sqlite.version(key).await,
            Self::Redis(redis) => redis.version(key).await,
        }
    }

    /// Adds mappings to a session that still is as it was loaded: `base` is its version and how
    /// many mappings it has, `None` when there was none. Then it is made like `made`.
    ///
    /// # Errors
    /// When the vault fails. Then nothing was changed, or all of it.
    pub(crate) async fn store(
        &self,
        key: &Key,
        base: Option<Base>,
        made: NewSession,
        new: Vec<StoredMapping>,
    ) -> Result<Stored, VaultError> {
        match self {
            Self::Memory(memory) => Ok(memory.store(key, base, made, new)),
            Self::Sqlite(sqlite) => sqlite.store(key, base, made, new).await,
            Self::Redis(redis) => redis.store(key, base, made, new).await,
        }
    }

    /// Notes that a session was used. A conflict means that it is gone.
    ///
    /// # Errors
    /// When the vault fails.
    pub(crate) async fn touch(&self, key: &Key, made: NewSession) -> Result<Stored, VaultError> {
        match self {
            Self::Memory(memory) => Ok(memory.touch(key)),
            Self::Sqlite(sqlite) => sqlite.touch(key).await,
            Self::Redis(redis) => redis.touch(key, made).await,
        }
    }

    /// Links history to the session that continues it, for its owner. The oldest links are dropped first, and
    /// all after 30 days.
    ///
    /// # Errors
    /// When the vault fails.
    pub(crate) async fn link(
        &self,
        owner: &str,
        names: Vec<LinkName>,
        link: Link,
        claim: Claim,
    ) -> Result<(), VaultError> {
        match self {
            Self::Memory(memory) => {
                memory.link(names, &link, claim);
                Ok(())
            }
            Self::Sqlite(sqlite) => sqlite.link(names, link, claim).await,
            Self::Redis(redis) => redis.link(owner, names, link, claim).await,
        }
    }

    /// Which sessions were linked to names of one owner; in the order of the names.
    ///
    /// # Errors
    /// When the vault fails.
    pub(crate) async fn follow(
        &self,
        owner: &str,
        names: Vec<LinkName>,
    ) -> Result<Vec<Option<Link>>, VaultError> {
        match self {
            Self::Memory(memory) => Ok(memory.follow(&names)),
            Self::Sqlite(sqlite) => sqlite.follow(names).await,
            Self::Redis(redis) => redis.follow(owner, names).await,
        }
    }

    /// Deletes links.
    ///
    /// # Errors
    /// When the vault fails.
    pub(crate) async fn unlink(&self, owner: &str, names: Vec<LinkName>) -> Result<(), VaultError> {
        match self {
            Self::Memory(memory) => {
                memory.unlink(&names);
                Ok(())
            }
            Self::Sqlite(sqlite) => sqlite.unlink(names).await,
            Self::Redis(redis) => redis.unlink(owner, names).await,
        }
    }

    /// Every session, the one that was used last first.
    ///
    /// # Errors
    /// When the vault fails.
    pub(crate) async fn list(&self) -> Result<Vec<Listed>, VaultError> {
        let mut sessions = match self {
            Self::Memory(memory) => memory.list(),
            Self::Sqlite(sqlite) => sqlite.list().await?,
            Self::Redis(redis) => redis.list().await?,
        };
        sessions.sort_by(|a, b| (b.last_active, &a.key).cmp(&(a.last_active, &b.key)));
        Ok(sessions)
    }

    /// Deletes a session that was last used before this time. Returns whether it did.
    ///
    /// # Errors
    /// When the vault fails.
    pub(crate) async fn delete_idle(
        &self,
        key: &Key,
        before: Timestamp,
    ) -> Result<bool, VaultError> {
        match self {
            Self::Memory(memory) => Ok(memory.delete_idle(key, before)),
            Self::Sqlite(sqlite) => sqlite.delete_idle(key, before).await,
            Self::Redis(redis) => redis.delete_idle(key, before).await,
        }
    }

    /// Leaves all that is kept where it can be copied.
    pub(crate) fn close(&self) {
        match self {
            Self::Memory(_) | Self::Redis(_) => {}
            Self::Sqlite(sqlite) => sqlite.close(),
        }
    }

    /// Leaves nothing on the disk of what was deleted; false while others hold on to it.
    ///
    /// # Errors
    /// When the vault fails.
    pub(crate) async fn wipe(&self) -> Result<bool, VaultError> {
        match self {
            Self::Memory(_) | Self::Redis(_) => Ok(true),
            Self::Sqlite(sqlite) => sqlite.wipe().await,
        }
    }
}

/// What a change to a session builds on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Base {
    pub(crate) version: Version,
    pub(crate) mappings: usize,
}

impl Base {
    /// The same after this many are added. Without any there is nothing to store.
    pub(crate) fn after(self, new: usize) -> Self {
        Self {
            version: self.version + u64::from(new > 0),
            mappings: self.mappings + new,
        }
    }
}

impl Record {
    /// What a change to this builds on.
    pub(crate) fn base(&self) -> Base {
        Base {
            version: self.version,
            mappings: self.mappings.len(),
        }
    }
}

impl StoredMapping {
    /// A mapping as a home wrote it.
    ///
    /// # Errors
    /// When it can't have been written like this.
    fn read(
        entity: &str,
        id: &str,
        sealed: bool,
        value: Vec<u8>,
        origin: Origin,
    ) -> Result<Self, VaultError> {
        let entity = EntityType::parse(entity).map_err(|_| VaultError::Corrupt)?;
        if !Mapping::is_id(id) {
            return Err(VaultError::Corrupt);
        }
        let id = id.to_owned();
        if sealed {
            return Ok(Self::Sealed(Arc::new(Sealed {
                entity,
                id,
                value,
                origin,
            })));
        }
        let value = String::from_utf8(value).map_err(|_| VaultError::Corrupt)?;
        let mapping = Mapping::new(entity, &id, Sensitive::new(value));
        Ok(Self::Open(Arc::new(mapping.with_origin(origin))))
    }

    fn entity(&self) -> &EntityType {
        match self {
            Self::Open(mapping) => mapping.entity(),
            Self::Sealed(sealed) => &sealed.entity,
        }
    }

    fn id(&self) -> &str {
        match self {
            Self::Open(mapping) => mapping.id(),
            Self::Sealed(sealed) => &sealed.id,
        }
    }

    fn origin(&self) -> Origin {
        match self {
            Self::Open(mapping) => mapping.origin(),
            Self::Sealed(sealed) => sealed.origin,
        }
    }

    fn is_sealed(&self) -> bool {
        matches!(self, Self::Sealed(_))
    }

    /// What is stored instead of the value.
    fn value(&self) -> &[u8] {
        match self {
            Self::Open(mapping) => mapping.value().expose().as_bytes(),
            Self::Sealed(sealed) => &sealed.value,
        }
    }
}

/// The key of the keyed hashes that make ids and owner tags.
#[derive(Clone)]
pub(crate) struct IdKey(Sensitive<[u8; 32]>);

impl IdKey {
    pub(crate) const fn new(key: [u8; 32]) -> Self {
        Self(Sensitive::new(key))
    }

    pub(crate) fn expose(&self) -> &[u8; 32] {
        self.0.expose()
    }

    fn random() -> Self {
        Self::new(random::bytes())
    }

    fn read(key: &[u8]) -> Result<Self, VaultError> {
        let key = key.try_into().map_err(|_| VaultError::Corrupt)?;
        Ok(Self::new(key))
    }
}

impl fmt::Debug for IdKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("IdKey")
    }
}

/// The key of a vault that several processes share, as far as it is known here.
#[derive(Debug, Clone, Default)]
struct KnownKey(Arc<RwLock<Option<IdKey>>>);

impl KnownKey {
    fn get(&self) -> Option<IdKey> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        known.clone()
    }

    /// Takes over the key that the vault keeps.
    fn set(&self, kept: &IdKey) {
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let replaced = known.replace(kept.clone());
        if replaced.is_some_and(|replaced| replaced.expose() != kept.expose()) {
            tracing::warn!(
                "the session vault was lost and made anew by another process: the sessions that only this process \
                 knows begin anew"
            );
        }
    }
}

/// The first version of a new session: any of 2^48.
fn first_version() -> Version {
    u64::from_be_bytes(random::bytes()) >> 16
}

/// A time as it is kept.
fn milliseconds(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

fn timestamp(milliseconds: i64) -> Result<Timestamp, VaultError> {
    Timestamp::from_millisecond(milliseconds).map_err(|_| VaultError::Corrupt)
}

#[cfg(test)]
mod tests;
