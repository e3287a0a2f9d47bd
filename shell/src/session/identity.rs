//! Which session a request belongs to.

use engine::{Conversation, HistoryName, Scope, Sensitive};
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

use super::id::hex;
use super::owner::Caller;
use super::{SessionId, SessionSource};
use crate::config::{SessionSettings, Strategy};
use crate::vault::{IdKey, Key, Link, LinkName};

/// The headers in which agents name their session.
const SESSION_HEADERS: [&str; 4] = [
    "x-claude-code-session-id",
    "session-id",
    "session_id",
    "x-session-id",
];

/// Whether a conversation identified by a header is a session of its own under this strategy.
pub(super) fn names_session(strategy: Strategy, header: &str) -> bool {
    strategy == Strategy::Conversation && SESSION_HEADERS.contains(&header)
}

/// The session of a request.
#[derive(Debug, Clone)]
pub(crate) struct Identity {
    pub(crate) id: SessionId,
    pub(crate) source: SessionSource,
    /// Where it is kept; none for one that ends with its exchange.
    pub(crate) stored: Option<Stored>,
}

/// A session that lasts.
#[derive(Debug, Clone)]
pub(crate) struct Stored {
    pub(crate) key: Key,
    pub(crate) scope: Scope,
    /// Whether others may share it by chance: its identity is neither given nor the credential.
    pub(super) is_guess: bool,
}

/// The owner of history: a digest of the request's credential.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct HistoryOwner([u8; 32]);

#[cfg(test)]
impl HistoryOwner {
    pub(super) fn of_test(byte: u8) -> Self {
        Self([byte; 32])
    }
}

impl Identity {
    /// Whether others may share its session by chance.
    pub(crate) fn is_guess(&self) -> bool {
        self.stored.as_ref().is_some_and(|stored| stored.is_guess)
    }

    /// One for this exchange alone.
    pub(crate) fn ephemeral() -> Self {
        Self {
            id: SessionId::random(),
            source: SessionSource::Ephemeral,
            stored: None,
        }
    }
}

/// Distinguishes sessions by keyed hashes of what requests contain.
#[derive(Debug)]
pub(super) struct Identities {
    key: IdKey,
    settings: SessionSettings,
}

/// The purpose of a keyed hash, so that no two purposes share one.
#[derive(Clone, Copy)]
enum Purpose {
    /// Of sessions that requests name.
    Owner,
    /// For sessions with a derived id. Every reply contains that id, so a request that names it
    /// must not get more than one that is assumed to belong to it.
    OwnerOfDerived,
    Client,
    NamedConversation,
    CachedConversation,
    OpenedConversation,
    /// Of names of history.
    Links,
    Link,
    History,
    Seed,
    /// Of sessions that gateways name: apart from those of the proxy's own clients.
    OwnerOfGateway,
    GatewayCall,
}

impl Identities {
    pub(super) fn new(key: IdKey, settings: SessionSettings) -> Self {
        Self { key, settings }
    }

    /// The session that the request named.
    pub(super) fn named(&self, id: SessionId, caller: Caller<'_>) -> Identity {
        let owner = self.owner(Purpose::Owner, caller);
        stored(id, owner, SessionSource::Header, Scope::Session, false)
    }

    /// The session that a gateway names.
    pub(super) fn of_gateway(&self, id: SessionId) -> Identity {
        let owner = self.hash(Purpose::OwnerOfGateway, std::iter::empty());
        let owner = hex(&first::<16>(owner));
        stored(id, owner, SessionSource::Gateway, Scope::Session, false)
    }

    /// The session of a gateway's call: one for each id and caller.
    pub(super) fn of_gateway_call(&self, parts: &[&[u8]]) -> Identity {
        let hash = self.hash(Purpose::GatewayCall, parts.iter().copied());
        let mut id = [0; 8];
        for (byte, of_hash) in id.iter_mut().zip(hash.iter().skip(16)) {
            *byte = *of_hash;
        }
        let (id, owner) = (SessionId::derived(id), hex(&first::<16>(hash)));
        stored(id, owner, SessionSource::Gateway, Scope::Session, false)
    }

    /// The session of the credential, or one for this exchange if there is none: anyone can send the name of a user.
    pub(super) fn of_client(&self, caller: Caller<'_>) -> Identity {
        if !caller.is_authenticated() {
            return Identity::ephemeral();
        }
        let hash = self.hash(Purpose::Client, of_owner(caller));
        let owner = self.owner(Purpose::OwnerOfDerived, caller);
        let id = SessionId::derived(first(hash));
        stored(id, owner, SessionSource::Client, Scope::Session, false)
    }

    /// The session of the conversation, or one for this exchange if nothing identifies it.
    pub(super) fn of_conversation(
        &self,
        caller: Caller<'_>,
        conversation: &Conversation,
    ) -> Identity {
        let Some((hash, is_given)) = self.conversation(caller, conversation) else {
            return Identity::ephemeral();
        };
        let owner = self.owner(Purpose::OwnerOfDerived, caller);
        let (id, source) = (SessionId::derived(first(hash)), SessionSource::Conversation);
        stored(id, owner, source, Scope::OwnTokens, !is_given)
    }

    /// The owner of the history that a request continues.
    pub(super) fn holder(settings: SessionSettings, caller: Caller<'_>) -> HistoryOwner {
        let mut digest = Sha256::new();
        for part in of_owner(caller).filter(|_| settings.bind_to_credential) {
            digest.update((part.len() as u64).to_be_bytes());
            digest.update(part);
        }
        HistoryOwner(digest.finalize().into())
    }

    /// The tag under which links of this holder are kept.
    pub(super) fn links(&self, holder: HistoryOwner) -> String {
        hex(&first::<16>(
            self.hash(Purpose::Links, [&holder.0[..]].into_iter()),
        ))
    }

    /// What a name of this holder's history is kept as.
    pub(super) fn link(&self, holder: HistoryOwner, name: &HistoryName) -> LinkName {
        let parts = [&holder.0[..], &[name.kind() as u8], name.digest()];
        hex(&first::<16>(self.hash(Purpose::Link, parts.into_iter())))
    }

    /// The session for history whose tokens are unknown.
    pub(super) fn of_history(&self, holder: HistoryOwner, name: &HistoryName) -> Identity {
        let (id, owner) = (self.history_id(holder, name), self.links(holder));
        stored(id, owner, SessionSource::History, Scope::Session, false)
    }

    /// The key for that session's derived numbers, kept or not.
    pub(super) fn seed_of_history(
        &self,
        holder: HistoryOwner,
        name: &HistoryName,
    ) -> Sensitive<[u8; 32]> {
        let id = self.history_id(holder, name).as_str().to_owned();
        let owner = self.links(holder);
        self.seed(&Key { owner, id })
    }

    fn history_id(&self, holder: HistoryOwner, name: &HistoryName) -> SessionId {
        let parts = [&holder.0[..], &[name.kind() as u8], name.digest()];
        SessionId::derived(first(self.hash(Purpose::History, parts.into_iter())))
    }

    /// The session to which an id is linked.
    pub(super) fn of_link(link: Link) -> Option<Identity> {
        let id = SessionId::kept(&link.session.id)?;
        let Key { owner, .. } = link.session;
        Some(stored(
            id,
            owner,
            SessionSource::History,
            Scope::Session,
            false,
        ))
    }

    /// The key for a session's derived numbers, whenever it is created.
    pub(super) fn seed(&self, key: &Key) -> Sensitive<[u8; 32]> {
        let parts = [key.owner.as_bytes(), key.id.as_bytes()];
        Sensitive::new(self.hash(Purpose::Seed, parts.into_iter()))
    }

    /// What identifies the conversation, and whether that is an id of its own: some clients use one
    /// cache key for all conversations.
    fn conversation(
        &self,
        caller: Caller<'_>,
        conversation: &Conversation,
    ) -> Option<([u8; 32], bool)> {
        let hash = |purpose, id| {
            let owner = of_owner(caller).filter(|_| self.settings.bind_to_credential);
            self.hash(purpose, owner.chain([id]))
        };
        let of_header = SESSION_HEADERS
            .iter()
            .filter_map(|name| caller.headers.get(*name))
            .map(http::HeaderValue::as_bytes)
            .find(|value| !value.is_empty());
        let of_body = conversation.id.as_ref().map(|id| id.expose().as_bytes());
        if let Some(id) = of_header.or(of_body) {
            return Some((hash(Purpose::NamedConversation, id), true));
        }
        if let Some(key) = &conversation.cache_key {
            let hash = hash(Purpose::CachedConversation, key.expose().as_bytes());
            return Some((hash, false));
        }
        let opening = conversation.opening.as_ref().map(Sensitive::expose)?;
        let parts = of_owner(caller).chain([opening.as_slice()]);
        Some((self.hash(Purpose::OpenedConversation, parts), false))
    }

    /// The tag of the credential; the same for all when sessions are not bound to one.
    fn owner(&self, purpose: Purpose, caller: Caller<'_>) -> String {
        let bound = of_owner(caller).filter(|_| self.settings.bind_to_credential);
        hex(&first::<16>(self.hash(purpose, bound)))
    }

    fn hash<'p>(&self, purpose: Purpose, parts: impl Iterator<Item = &'p [u8]>) -> [u8; 32] {
        // HMAC accepts keys of any length.
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(self.key.expose()) else {
            return [0; 32];
        };
        mac.update(&[purpose as u8]);
        for part in parts {
            let length = u64::try_from(part.len()).unwrap_or(u64::MAX);
            mac.update(&length.to_be_bytes());
            mac.update(part);
        }
        mac.finalize().into_bytes().into()
    }
}

fn stored(
    id: SessionId,
    owner: String,
    source: SessionSource,
    scope: Scope,
    is_guess: bool,
) -> Identity {
    let key = Key {
        owner,
        id: id.as_str().to_owned(),
    };
    Identity {
        id,
        source,
        stored: Some(Stored {
            key,
            scope,
            is_guess,
        }),
    }
}

fn of_owner(caller: Caller<'_>) -> impl Iterator<Item = &[u8]> {
    let identity = caller.identity().into_iter();
    identity.flat_map(|(name, value)| [name.as_bytes(), value])
}

pub(super) fn first<const N: usize>(hash: [u8; 32]) -> [u8; N] {
    let mut bytes = [0; N];
    for (byte, of_hash) in bytes.iter_mut().zip(hash) {
        *byte = of_hash;
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::{HeaderMap, HeaderName, HeaderValue};

    fn identities(strategy: Strategy, bind_to_credential: bool) -> Identities {
        let settings = SessionSettings {
            strategy,
            bind_to_credential,
        };
        Identities::new(IdKey::new([7; 32]), settings)
    }

    fn headers(lines: &[(&'static str, &'static str)]) -> HeaderMap {
        let lines = lines.iter().map(|(name, value)| {
            (
                HeaderName::from_static(name),
                HeaderValue::from_static(value),
            )
        });
        lines.collect()
    }

    fn opened(text: &str) -> Conversation {
        Conversation {
            opening: Some(Sensitive::new(text.as_bytes().to_vec())),
            ..Conversation::default()
        }
    }

    fn key(identity: &Identity) -> &Key {
        &identity.stored.as_ref().unwrap().key
    }

    const ALICE: (&str, &str) = ("authorization", "Bearer a");
    const BOB: (&str, &str) = ("authorization", "Bearer b");

    #[test]
    fn the_same_name_under_another_credential_is_another_session() {
        let name = || SessionId::from_header(&HeaderValue::from_static("team")).unwrap();
        let bound = identities(Strategy::Ephemeral, true);
        let alice = bound.named(name(), Caller::of_headers(&headers(&[ALICE])));
        assert_eq!(alice.source.as_str(), "header");
        assert_eq!(key(&alice).id, "team");
        assert_ne!(
            key(&alice),
            key(&bound.named(name(), Caller::of_headers(&headers(&[BOB]))))
        );
        assert_ne!(
            key(&alice),
            key(&bound.named(name(), Caller::of_headers(&headers(&[]))))
        );
        assert!(!key(&alice).owner.contains("Bearer"));

        let unbound = identities(Strategy::Ephemeral, false);
        let alice = unbound.named(name(), Caller::of_headers(&headers(&[ALICE])));
        assert_eq!(
            key(&alice),
            key(&unbound.named(name(), Caller::of_headers(&headers(&[BOB]))))
        );
    }

    #[test]
    fn a_client_is_identified_by_its_credential() {
        let identities = identities(Strategy::Client, true);
        let alice =
            identities.of_client(Caller::of_headers(&headers(&[ALICE, ("user-agent", "x")])));
        assert_eq!(alice.source.as_str(), "client");
        assert_eq!(alice.id.as_str().len(), 20);
        assert_eq!(
            key(&alice),
            key(&identities.of_client(Caller::of_headers(&headers(&[ALICE]))))
        );
        assert_ne!(
            alice.id.as_str(),
            identities
                .of_client(Caller::of_headers(&headers(&[BOB])))
                .id
                .as_str()
        );
        for anyone in [&[][..], &[("x-forwarded-user", "alice")]] {
            assert!(
                identities
                    .of_client(Caller::of_headers(&headers(anyone)))
                    .stored
                    .is_none()
            );
        }
    }

    #[test]
    fn a_conversation_is_identified_by_id_or_opening_and_credential() {
        let identities = identities(Strategy::Conversation, true);
        let id = |lines: &[_], conversation: &Conversation| {
            let identity =
                identities.of_conversation(Caller::of_headers(&headers(lines)), conversation);
            identity.id.as_str().to_owned()
        };
        let hi = opened("hi");
        assert_eq!(id(&[ALICE], &hi), id(&[ALICE], &opened("hi")));
        assert_ne!(id(&[ALICE], &hi), id(&[BOB], &hi));
        assert_ne!(id(&[ALICE], &hi), id(&[ALICE], &opened("ho")));
        let session = ("session-id", "s1");
        assert_ne!(id(&[ALICE, session], &hi), id(&[ALICE], &hi));
        assert_eq!(
            id(&[ALICE, session], &hi),
            id(&[ALICE, session], &opened("ho"))
        );
        assert_eq!(id(&[], &hi), id(&[], &hi));
        let nothing = identities.of_conversation(
            Caller::of_headers(&headers(&[ALICE])),
            &Conversation::default(),
        );
        assert!(nothing.stored.is_none());
    }

    #[test]
    fn a_conversation_without_its_own_id_is_guessed() {
        let identities = identities(Strategy::Conversation, true);
        let is_guess = |lines: &[_], conversation: &Conversation| {
            let identity =
                identities.of_conversation(Caller::of_headers(&headers(lines)), conversation);
            let stored = identity.stored.unwrap();
            assert_eq!(stored.scope, Scope::OwnTokens);
            stored.is_guess
        };
        assert!(is_guess(&[ALICE], &opened("hi")));
        assert!(!is_guess(&[ALICE, ("x-session-id", "s1")], &opened("hi")));
        let by_cache = Conversation {
            cache_key: Some(Sensitive::new("app".to_owned())),
            ..opened("hi")
        };
        assert!(is_guess(&[ALICE], &by_cache));
    }

    #[test]
    fn history_is_bound_to_a_credential_unless_disabled() {
        let link = |bind, lines: &[_]| {
            let identities = identities(Strategy::Ephemeral, bind);
            let holder =
                Identities::holder(identities.settings, Caller::of_headers(&headers(lines)));
            let name = engine_name();
            (
                identities.links(holder),
                identities.link(holder, &name),
                identities.of_history(holder, &name).id.as_str().to_owned(),
            )
        };
        assert_eq!(link(true, &[ALICE]), link(true, &[ALICE]));
        let (alice, bob) = (link(true, &[ALICE]), link(true, &[BOB]));
        assert!(alice.0 != bob.0 && alice.1 != bob.1 && alice.2 != bob.2);
        assert_eq!(link(false, &[ALICE]), link(false, &[BOB]));
    }

    fn engine_name() -> HistoryName {
        let engine = engine::Engine::new(engine::Settings::default());
        let body = br#"{"previous_response_id": "resp_1"}"#.to_vec();
        let request = engine.request(engine::Schema::Responses, body).unwrap();
        request.history().names()[0]
    }

    #[test]
    fn naming_a_derived_id_gives_another_session() {
        let identities = identities(Strategy::Conversation, true);
        let alice = headers(&[ALICE]);
        let guessed = identities.of_conversation(Caller::of_headers(&alice), &opened("hi"));
        let named = identities.named(guessed.id.clone(), Caller::of_headers(&alice));
        assert_eq!(key(&named).id, key(&guessed).id);
        assert_ne!(key(&named), key(&guessed));
    }

    #[test]
    fn a_cache_key_and_an_equal_id_are_different_sessions() {
        let identities = identities(Strategy::Conversation, true);
        let cached = Conversation {
            cache_key: Some(Sensitive::new("app".to_owned())),
            ..Conversation::default()
        };
        let cached = identities.of_conversation(Caller::of_headers(&headers(&[ALICE])), &cached);
        let sent = headers(&[ALICE, ("session-id", "app")]);
        let named = identities.of_conversation(Caller::of_headers(&sent), &Conversation::default());
        assert_ne!(cached.id.as_str(), named.id.as_str());
    }

    #[test]
    fn derived_ids_depend_on_the_key() {
        let other = Identities::new(
            IdKey::new([8; 32]),
            identities(Strategy::Client, true).settings,
        );
        let alice = headers(&[ALICE]);
        assert_ne!(
            other.of_client(Caller::of_headers(&alice)).id.as_str(),
            identities(Strategy::Client, true)
                .of_client(Caller::of_headers(&alice))
                .id
                .as_str()
        );
    }
}
