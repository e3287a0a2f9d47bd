//! Lasting sessions: loaded from the vault before a request is masked, and saved after it.

use std::sync::Arc;
use std::time::Duration;

use engine::{Cipher, Conversation, Sensitive, Session};

use super::hot::{HotSessions, Opened};
use super::identity::{HistoryOwner, Identities, names_session};
use super::queue::{Turn, Turns};
use super::remembered::Remembered;
use super::{Caller, Identity, SessionId, secret};
use crate::base::clock::now;
use crate::base::random;
use crate::config::{Config, OperatorSettings, SessionSettings, Store, Strategy, VaultSettings};
use crate::vault::{
    Base, IdKey, Key, Link, MAX_MAPPINGS, NewSession, Sealed, Stored, StoredMapping, Vault,
    VaultError,
};

/// How often a change is tried.
const TRIES: u32 = 100;

/// So often others may get ahead of a change. Then who comes has to wait.
const PATIENT_TRIES: u32 = 3;

/// How long a change waits for others of this process.
const TURN_TIME: Duration = Duration::from_secs(15);

/// The pause before a further try, at most.
const MAX_PAUSE: Duration = Duration::from_millis(20);

/// The sessions of the proxy.
#[derive(Debug)]
pub(crate) struct Sessions {
    pub(super) settings: SessionSettings,
    pub(super) vault: Vault,
    pub(super) remembered: Remembered,
    /// For requests that continue without the vault.
    pub(super) local: Identities,
    /// Whether masked values are restored at all.
    pub(super) restores: bool,
    /// Whether tokens are numbered, or surrogates are used, so that the same one may mean different
    /// values in two sessions.
    pub(super) counts: bool,
    cipher: Option<Cipher>,
    /// The key that the configuration gives for ids; else it is the vault's.
    id_key: Option<IdKey>,
    turns: Turns,
    hot: HotSessions,
    kept_as: StorageSettings,
}

/// What of a configuration decides how sessions are kept.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct StorageSettings {
    settings: SessionSettings,
    vault: VaultSettings,
    operator: OperatorSettings,
}

impl StorageSettings {
    pub(crate) fn of(config: &Config) -> Self {
        Self {
            settings: config.session,
            vault: config.vault.clone(),
            operator: config.operator.clone(),
        }
    }
}

/// A session out of the vault.
#[derive(Debug)]
pub(crate) struct Held {
    key: Key,
    base: Option<Base>,
    /// `None` until it is begun, where there was none in the vault.
    made: Option<NewSession>,
    /// The key for derived numbers, if its numbers are derived.
    seed: Option<Sensitive<[u8; 32]>>,
    stored: Vec<StoredMapping>,
    /// The session itself, if it was open and is unchanged: nothing was read.
    opened: Option<Session>,
    /// How many mappings the session had when it was opened.
    known: usize,
    tries: u32,
    turn: Option<Turn>,
}

/// The result of saving a session.
#[derive(Debug)]
pub(crate) enum Saved {
    /// It is a new one.
    Created(Link),
    /// It was there before.
    Kept(Link),
    /// Another request changed it: mask again, with the session as it is now.
    Again(Held),
}

impl Held {
    /// How it was made; `None` for one that is not in the vault yet.
    pub(super) fn made(&self) -> Option<NewSession> {
        self.made
    }

    /// Decides whether a new session derives its numbers, and with which key.
    pub(super) fn begin(&mut self, making: NewSession, seed: Sensitive<[u8; 32]>) {
        let made = self.made.get_or_insert(making);
        self.seed = made.derived.then_some(seed);
    }

    /// Whether it is not in the vault yet.
    pub(crate) fn is_new(&self) -> bool {
        self.base.is_none()
    }

    /// How many values it holds.
    pub(super) fn len(&self) -> usize {
        self.base.map_or(0, |base| base.mappings)
    }

    /// How many values it may hold: no more, unless it does already.
    pub(crate) fn most_values(&self) -> usize {
        self.len().max(MAX_MAPPINGS)
    }

    /// Whether it can take in those of other sessions.
    pub(crate) fn has_room_for(&self, others: &[Session]) -> bool {
        let more = others.iter().map(Session::len).sum::<usize>();
        self.len() + more <= MAX_MAPPINGS / 2
    }

    /// Its approximate size: as much work as this many bytes of a request.
    pub(crate) fn bytes(&self) -> usize {
        let each = if self.opened.is_some() { 1 } else { 256 };
        self.len() * each
    }
}

impl Sessions {
    /// Whether a header identifies the session itself, so that it refers to nothing else.
    pub(crate) fn is_named_by(&self, header: &str) -> bool {
        names_session(self.settings.strategy, header)
    }

    /// The sessions of this vault.
    pub(crate) fn new(kept_as: StorageSettings, vault: Vault, remembered: Remembered) -> Self {
        let (settings, operator) = (kept_as.settings, &kept_as.operator);
        let cipher = match operator {
            OperatorSettings::Encrypt { key } => Some(Cipher::new(key)),
            OperatorSettings::Pseudonym { .. }
            | OperatorSettings::Redact
            | OperatorSettings::Surrogate { .. } => None,
        };
        let id_key = secret::id_key(operator);
        Self {
            settings,
            vault,
            remembered,
            local: Identities::new(IdKey::new(random::bytes()), settings),
            restores: !matches!(operator, OperatorSettings::Redact),
            counts: matches!(
                operator,
                OperatorSettings::Pseudonym { anchor: None } | OperatorSettings::Surrogate { .. }
            ),
            cipher,
            id_key,
            turns: Turns::default(),
            hot: HotSessions::default(),
            kept_as,
        }
    }

    /// Whether sessions are kept in the same way, and can continue under another configuration.
    pub(crate) fn are_kept_as(&self, other: &StorageSettings) -> bool {
        self.kept_as == *other
    }

    /// Asks the vault for a session that no request can have, to see whether it answers.
    ///
    /// # Errors
    /// When the vault fails.
    pub(crate) async fn check_vault(&self) -> Result<(), VaultError> {
        let key = Key {
            owner: "0".to_owned(),
            id: "ready".to_owned(),
        };
        self.vault.load(&key).await.map(|_| ())
    }

    /// Whether another instance used the vault with another secret. Notes this one's for those that come later.
    ///
    /// # Errors
    /// When the vault fails.
    pub(crate) async fn compare_secret(&self) -> Result<bool, VaultError> {
        let operator = &self.kept_as.operator;
        let is_other = secret::is_other(&self.vault, operator).await?;
        secret::note(&self.vault, operator).await?;
        Ok(is_other)
    }

    /// Why the vault failed, for those who run it.
    pub(crate) fn explain(&self, error: VaultError) -> String {
        self.vault.explain(error)
    }

    /// Where sessions are kept.
    pub(crate) fn store(&self) -> &Store {
        &self.kept_as.vault.store
    }

    /// Leaves all that is kept where it can be copied.
    pub(crate) fn close(&self) {
        self.vault.close();
    }

    /// The session of a request, as far as its headers tell; `None` when its body has to be asked.
    ///
    /// # Errors
    /// When the vault fails.
    pub(crate) async fn by_headers(
        &self,
        named: Option<SessionId>,
        caller: Caller<'_>,
    ) -> Result<Option<Identity>, VaultError> {
        if let Some(name) = named {
            return Ok(Some(self.identities().await?.named(name, caller)));
        }
        Ok(match self.settings.strategy {
            Strategy::Ephemeral => Some(Identity::ephemeral()),
            Strategy::Client => Some(self.identities().await?.of_client(caller)),
            Strategy::Conversation => None,
        })
    }

    /// The session of the conversation that a request belongs to.
    ///
    /// # Errors
    /// When the vault fails.
    pub(crate) async fn by_conversation(
        &self,
        caller: Caller<'_>,
        conversation: &Conversation,
    ) -> Result<Identity, VaultError> {
        Ok(self
            .identities()
            .await?
            .of_conversation(caller, conversation))
    }

    /// The session that a gateway names.
    ///
    /// # Errors
    /// When the vault fails.
    pub(crate) async fn of_gateway(&self, id: SessionId) -> Result<Identity, VaultError> {
        Ok(self.identities().await?.of_gateway(id))
    }

    /// The session of a call that these parts identify.
    ///
    /// # Errors
    /// When the vault fails.
    pub(crate) async fn of_gateway_call(&self, parts: &[&[u8]]) -> Result<Identity, VaultError> {
        Ok(self.identities().await?.of_gateway_call(parts))
    }

    /// Takes a session out of the vault, a new one where there is none.
    ///
    /// # Errors
    /// When the vault fails.
    pub(crate) async fn load(&self, key: Key) -> Result<Held, VaultError> {
        let turn = if self.turns.are_closed(&key) {
            Some(self.turn(&key).await?)
        } else {
            None
        };
        self.load_again(key, 0, turn).await
    }

    /// The mappings of a session. Tokens whose value can't be opened are only kept from being
    /// given again.
    ///
    /// # Errors
    /// When the record contradicts itself.
    pub(crate) fn open(&self, held: &mut Held) -> Result<Session, VaultError> {
        if let Some(session) = held.opened.take() {
            held.known = session.len();
            return Ok(session);
        }
        let seed = held.seed.clone();
        let mut session = seed.map(Session::derived).unwrap_or_default();
        let name = name_for_seal(&held.key);
        for mapping in &held.stored {
            match mapping {
                StoredMapping::Open(mapping) => {
                    if !session.adopt(Arc::clone(mapping)) {
                        return Err(VaultError::Corrupt);
                    }
                }
                StoredMapping::Sealed(sealed) => self.unseal(&name, sealed, &mut session),
            }
        }
        held.known = session.len();
        Ok(session)
    }

    /// Puts a session back with what masking added.
    ///
    /// # Errors
    /// When the vault fails, too many requests change the session, or it would hold too much.
    pub(crate) async fn save(
        &self,
        mut held: Held,
        session: &Session,
    ) -> Result<Saved, VaultError> {
        if session.len() > held.known.max(MAX_MAPPINGS) {
            return Err(VaultError::Full);
        }
        let new: Vec<_> = session
            .mappings()
            .skip(held.known)
            .map(|mapping| self.seal(&held.key, mapping))
            .collect();
        let made = held.made.ok_or(VaultError::Corrupt)?;
        let next = held.base.map(|base| base.after(new.len()));
        let stored = if held.base.is_some() && new.is_empty() {
            self.vault.touch(&held.key, made).await
        } else {
            self.vault.store(&held.key, held.base, made, new).await
        };
        let link = Link {
            session: held.key.clone(),
            created: made.created,
        };
        let stored = noting_silence(&mut held.turn, stored)?;
        if let (Stored::Done, Some(base)) = (stored, next) {
            let session = session.clone();
            let opened = Opened {
                base,
                made,
                session,
            };
            self.hot.keep(&held.key, opened);
        }
        match stored {
            Stored::Done if held.base.is_none() => Ok(Saved::Created(link)),
            Stored::Done => Ok(Saved::Kept(link)),
            Stored::Conflict => self.retry(held).await.map(Saved::Again),
        }
    }

    /// Puts the session of an exchange into the vault, because its provider keeps the reply.
    ///
    /// # Errors
    /// When the vault fails, or the session holds too much.
    pub(super) async fn keep(
        &self,
        holder: HistoryOwner,
        id: &SessionId,
        session: &Session,
    ) -> Result<Link, VaultError> {
        if session.len() > MAX_MAPPINGS {
            return Err(VaultError::Full);
        }
        let key = Key {
            owner: self.identities().await?.links(holder),
            id: id.as_str().to_owned(),
        };
        let made = NewSession {
            created: now(),
            derived: session.is_derived(),
            of_history: true,
        };
        let mappings = session.mappings().map(|mapping| self.seal(&key, mapping));
        let stored = self
            .vault
            .store(&key, None, made, mappings.collect())
            .await?;
        match stored {
            Stored::Done => Ok(Link {
                session: key,
                created: made.created,
            }),
            Stored::Conflict => Err(VaultError::Contended),
        }
    }

    /// The session, if it was opened before and is still as it was then.
    async fn hot(&self, key: &Key) -> Result<Option<Opened>, VaultError> {
        if self.hot.version(key).is_none() {
            return Ok(None);
        }
        let current = self.vault.version(key).await?;
        if current.is_none() {
            self.hot.forget(key);
        }
        Ok(current.and_then(|version| self.hot.get(key, version)))
    }

    async fn retry(&self, held: Held) -> Result<Held, VaultError> {
        if held.tries >= TRIES {
            return Err(VaultError::Contended);
        }
        let turn = match held.turn {
            Some(turn) => {
                if held.tries >= PATIENT_TRIES {
                    self.turns.close(&held.key);
                }
                tokio::time::sleep(pause()).await;
                turn
            }
            None => self.turn(&held.key).await?,
        };
        self.load_again(held.key, held.tries + 1, Some(turn)).await
    }

    async fn turn(&self, key: &Key) -> Result<Turn, VaultError> {
        tokio::time::timeout(TURN_TIME, self.turns.take(key))
            .await
            .unwrap_or(Err(VaultError::Contended))
    }

    async fn load_again(
        &self,
        key: Key,
        tries: u32,
        mut turn: Option<Turn>,
    ) -> Result<Held, VaultError> {
        let mut held = Held {
            key,
            base: None,
            made: None,
            seed: None,
            stored: Vec::new(),
            opened: None,
            known: 0,
            tries,
            turn: None,
        };
        if let Some(opened) = noting_silence(&mut turn, self.hot(&held.key).await)? {
            held.base = Some(opened.base);
            held.made = Some(opened.made);
            held.opened = Some(opened.session);
        } else if let Some(record) = noting_silence(&mut turn, self.vault.load(&held.key).await)? {
            held.base = Some(record.base());
            held.made = Some(record.made);
            held.stored = record.mappings;
        }
        held.turn = turn;
        Ok(held)
    }

    fn seal(&self, key: &Key, mapping: &engine::Mapping) -> StoredMapping {
        let Some(cipher) = &self.cipher else {
            return StoredMapping::Open(Arc::new(mapping.clone()));
        };
        StoredMapping::Sealed(Arc::new(Sealed {
            entity: mapping.entity().clone(),
            id: mapping.id().to_owned(),
            value: cipher.seal(&name_for_seal(key), mapping, random::bytes()),
            origin: mapping.origin(),
        }))
    }

    fn unseal(&self, name: &str, sealed: &Sealed, session: &mut Session) {
        let Sealed {
            entity,
            id,
            value,
            origin,
        } = sealed;
        let opened = self
            .cipher
            .as_ref()
            .and_then(|cipher| cipher.open(name, entity, id, value));
        let opened = opened.map(|mapping| Arc::new(mapping.with_origin(*origin)));
        if !opened.is_some_and(|mapping| session.adopt(mapping)) {
            session.reserve(entity, id);
        }
    }

    /// The vault's may change: see [`Vault::id_key`].
    pub(super) async fn identities(&self) -> Result<Identities, VaultError> {
        let key = match &self.id_key {
            Some(given) => given.clone(),
            None => self.vault.id_key().await?,
        };
        Ok(Identities::new(key, self.settings))
    }
}

/// The vault's answer. If there is none, those in line learn it too.
fn noting_silence<T>(
    turn: &mut Option<Turn>,
    answer: Result<T, VaultError>,
) -> Result<T, VaultError> {
    if let (Some(turn), Err(VaultError::Timeout)) = (turn, &answer) {
        turn.vault_was_silent();
    }
    answer
}

/// What ciphertext is bound to: neither part can contain a slash.
fn name_for_seal(key: &Key) -> String {
    format!("{}/{}", key.owner, key.id)
}

fn pause() -> Duration {
    let [share] = random::bytes();
    MAX_PAUSE.mul_f64(f64::from(share) / 255.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::{EntityType, Mapping, Sensitive};

    /// It once grew until no request could read it in time.
    #[tokio::test]
    async fn an_oversized_session_is_refused_and_left_unchanged() {
        let memory = VaultSettings {
            store: Store::Memory,
            ttl: None,
        };
        let settings = SessionSettings {
            strategy: Strategy::Client,
            bind_to_credential: true,
        };
        let operator = OperatorSettings::Pseudonym { anchor: None };
        let vault = Vault::open(&memory).unwrap();
        let kept_as = StorageSettings {
            settings,
            vault: memory,
            operator,
        };
        let sessions = Sessions::new(kept_as, vault, Remembered::default());
        let key = Key {
            owner: "a".to_owned(),
            id: "s".to_owned(),
        };
        let begun = async |key: &Key| {
            let mut held = sessions.load(key.clone()).await.unwrap();
            held.begin(NewSession::plain(), Sensitive::new([0; 32]));
            held
        };
        let mut held = begun(&key).await;
        let mut session = sessions.open(&mut held).unwrap();
        let mut issue = |numbers: std::ops::Range<usize>| {
            for number in numbers {
                let value = Sensitive::new(format!("v{number}"));
                let mapping = Mapping::new(EntityType::SECRET, &number.to_string(), value);
                assert!(session.adopt(Arc::new(mapping)));
            }
            session.clone()
        };
        let full = issue(0..MAX_MAPPINGS);
        let saved = sessions.save(held, &full).await.unwrap();
        assert!(matches!(saved, Saved::Created(_)));

        let mut held = begun(&key).await;
        sessions.open(&mut held).unwrap();
        let more = issue(MAX_MAPPINGS..MAX_MAPPINGS.saturating_add(1));
        let refused = sessions.save(held, &more).await;
        assert_eq!(refused.unwrap_err(), VaultError::Full);

        let mut held = begun(&key).await;
        assert_eq!(sessions.open(&mut held).unwrap().len(), MAX_MAPPINGS);
        let saved = sessions.save(held, &full).await.unwrap();
        assert!(matches!(saved, Saved::Kept(_)), "what it holds still goes");
    }
}
