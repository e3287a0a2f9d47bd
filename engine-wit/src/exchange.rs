//! The resources: an engine, a session, and an exchange from its request to the end of its reply.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use engine::{
    Engine, EntityType, Error, Facts, History, HistoryName, Leaves, Mapping, MaskSummary, Masked,
    Memory, Origin, Recall, Request, Restorer, Restoring, Scope, Sensitive, Session, SignedBlock,
};

use crate::bindings::exports::maskproxy::mask::{detection as outside, engine as wit};
use crate::{Component, detections, settings};

/// How many signed blocks a session keeps.
const MAX_BLOCKS: usize = 4096;
/// How much they may hold, in bytes.
const MAX_BYTES: usize = 16 << 20;
/// How many names of history a session keeps.
const MAX_NAMES: usize = 65_536;
/// A session belongs to one caller.
const OWNER: &str = "";

impl wit::Guest for Component {
    type Engine = Configured;
    type Session = Rc<Conversation>;
    type Exchange = Exchange;
    type Reply = Reply;
    type Restorer = RefCell<Running>;

    fn default_settings() -> wit::Settings {
        settings::default()
    }
}

/// A compiled configuration.
pub(crate) struct Configured {
    engine: Engine,
    unseen: Unseen,
}

/// What happens to a request with history that its session does not know.
enum Unseen {
    /// Tokens are derived from values anyway, or nothing is restored.
    Harmless,
    /// Numbers are derived with this key.
    Derived(Sensitive<[u8; 32]>),
    /// None of it is restored.
    Redacted(Engine),
}

impl Configured {
    fn read(settings: wit::Settings) -> Result<Self, String> {
        let key = settings::history_key(settings.history_key.clone())?;
        let redacting = wit::Settings {
            operator: wit::Operator::Redact,
            ..settings.clone()
        };
        let engine = Engine::new(settings::read(settings)?);
        let unseen = match key {
            _ if !engine.settings().operator.counts() => Unseen::Harmless,
            Some(key) => Unseen::Derived(key),
            None => Unseen::Redacted(Engine::new(settings::read(redacting)?)),
        };
        Ok(Self { engine, unseen })
    }
}

impl wit::GuestEngine for Configured {
    fn create(settings: wit::Settings) -> Result<wit::Engine, String> {
        Self::read(settings).map(wit::Engine::new)
    }

    fn detect(&self, text: String) -> Vec<wit::Finding> {
        let found = self.engine.detect(&text);
        found.iter().map(detections::to_host).collect()
    }

    fn exchange(&self, request: wit::Request) -> Result<wit::Exchange, wit::Failure> {
        let unseen = match &self.unseen {
            Unseen::Harmless => UnseenRequest::Harmless,
            Unseen::Derived(key) => UnseenRequest::Derived(key.clone()),
            Unseen::Redacted(engine) => {
                let redacted = read(engine, request.clone())?;
                UnseenRequest::Redacted(Box::new(redacted))
            }
        };
        let request = RefCell::new(read(&self.engine, request)?);
        Ok(wit::Exchange::new(Exchange { request, unseen }))
    }
}

fn read(engine: &Engine, request: wit::Request) -> Result<Request, wit::Failure> {
    let schema = settings::schema(request.schema);
    let scope = match request.scope {
        wit::Scope::Session => Scope::Session,
        wit::Scope::OwnTokens => Scope::OwnTokens,
    };
    let headers = request.headers.iter();
    let headers = headers.map(|(name, value)| (name.as_str(), value.as_slice()));
    let headers: Vec<_> = headers.collect();
    let content_type = headers.iter().find(|(name, _)| *name == "content-type");
    let content_type = content_type.and_then(|(_, value)| std::str::from_utf8(value).ok());
    let read = engine
        .request_of_type(schema, content_type, request.body)
        .map_err(failure)?;
    let keys = request.keys.as_ref();
    let keys: Option<Vec<_>> = keys.map(|keys| keys.iter().map(String::as_str).collect());
    let read = read.under(&Facts {
        target: &request.path,
        route: &request.route,
        schema,
        headers: &headers,
        keys: keys.as_deref(),
    });
    let headers = headers.into_iter();
    let mut read = read.with_path(&request.path).with_headers(headers);
    if let Some(header) = &request.metadata_header {
        read = read.with_metadata_header(header);
    }
    Ok(read.with_scope(scope))
}

/// A request that was read.
pub(crate) struct Exchange {
    request: RefCell<Request>,
    unseen: UnseenRequest,
}

enum UnseenRequest {
    Harmless,
    Derived(Sensitive<[u8; 32]>),
    Redacted(Box<Request>),
}

impl Exchange {
    /// Masks the request with a session, or with a separate one if its history is not the session's
    /// own.
    fn masked(
        &self,
        conversation: &Rc<Conversation>,
        host: Option<&Leaves>,
    ) -> Result<wit::Masked, Error> {
        let mut request = self.request.borrow_mut();
        let mut session = conversation.session.borrow_mut();
        let memory = &**conversation;
        request.keep_known(|name| conversation.seen.borrow().contains(name));
        let is_seen = conversation.has_seen(request.history());
        request.know_history(is_seen);
        let is_own = match &self.unseen {
            _ if is_seen => true,
            UnseenRequest::Harmless => true,
            UnseenRequest::Redacted(redacted) => {
                let masked = mask(redacted, &mut Session::new(), memory, host)?;
                return Ok(outcome(masked, conversation, false));
            }
            UnseenRequest::Derived(key) => {
                if session.is_empty() && !session.is_derived() {
                    *session = request.history().session(key, OWNER);
                }
                if !session.is_derived() {
                    let mut beside = request.history().session(key, OWNER);
                    let masked = mask(&request, &mut beside, memory, host)?;
                    return Ok(outcome(masked, conversation, false));
                }
                true
            }
        };
        let masked = mask(&request, &mut session, memory, host)?;
        conversation.see(request.history().names());
        Ok(outcome(masked, conversation, is_own))
    }
}

fn mask(
    request: &Request,
    session: &mut Session,
    memory: &dyn Recall,
    host: Option<&Leaves>,
) -> Result<Masked, Error> {
    match host {
        Some(host) => request.mask_with(session, memory, host),
        None => request.mask(session, memory),
    }
}

/// The content of a session.
pub(crate) struct Conversation {
    session: RefCell<Session>,
    signed: RefCell<Memory>,
    /// The ids of history whose tokens the session issued.
    seen: RefCell<BTreeSet<HistoryName>>,
}

impl Conversation {
    fn has_seen(&self, history: &History) -> bool {
        let seen = self.seen.borrow();
        !history.may_hide() && history.names().iter().all(|name| seen.contains(name))
    }

    fn see(&self, names: &[HistoryName]) {
        let mut seen = self.seen.borrow_mut();
        if seen.len() > MAX_NAMES {
            // What is not known any more only keeps its tokens.
            seen.clear();
        }
        seen.extend(names);
    }
}

impl Recall for Conversation {
    fn recall(&self, signature: &str) -> Option<Arc<SignedBlock>> {
        self.signed.borrow().recall(OWNER, signature)
    }
}

impl wit::GuestSession for Rc<Conversation> {
    fn new() -> Self {
        Self::new(Conversation {
            session: RefCell::default(),
            signed: RefCell::new(Memory::new(MAX_BLOCKS, MAX_BYTES)),
            seen: RefCell::default(),
        })
    }

    fn adopt(&self, mapping: wit::Mapping) -> bool {
        let Ok(entity) = EntityType::parse(&mapping.entity) else {
            return false;
        };
        let origin = settings::origin(mapping.origin);
        let mapping =
            Mapping::new(entity, &mapping.id, Sensitive::new(mapping.value)).with_origin(origin);
        self.session.borrow_mut().adopt(Arc::new(mapping))
    }

    fn mappings(&self) -> Vec<wit::Mapping> {
        let session = self.session.borrow();
        let mappings = session.mappings().map(|mapping| wit::Mapping {
            entity: mapping.entity().as_str().to_owned(),
            id: mapping.id().to_owned(),
            value: mapping.value().expose().clone(),
            origin: match mapping.origin() {
                Origin::Tool => wit::Origin::Tool,
                Origin::System => wit::Origin::System,
                Origin::User => wit::Origin::User,
            },
        });
        mappings.collect()
    }
}

impl wit::GuestExchange for Exchange {
    fn texts(&self, session: wit::SessionBorrow<'_>) -> Vec<outside::Text> {
        let request = self.request.borrow();
        let leaves = request.leaves(&**session.get::<Rc<Conversation>>());
        let texts = leaves.iter().map(|leaf| outside::Text {
            content: leaf.text.to_owned(),
            name: leaf.name.map(str::to_owned),
        });
        texts.collect()
    }

    fn mask(&self, session: wit::SessionBorrow<'_>) -> Result<wit::Masked, wit::Failure> {
        let conversation = session.get::<Rc<Conversation>>();
        self.masked(conversation, None).map_err(failure)
    }

    fn shadow(&self) -> Result<wit::MaskSummary, wit::Failure> {
        let shadowed = self.request.borrow().shadow(None);
        shadowed.map(summary).map_err(failure)
    }

    fn mask_with(
        &self,
        session: wit::SessionBorrow<'_>,
        found: Vec<wit::HostFinding>,
    ) -> Result<wit::Masked, wit::Failure> {
        let conversation = session.get::<Rc<Conversation>>();
        let mut leaves = self.request.borrow().leaves(&**conversation);
        for found in &found {
            add(&mut leaves, found).map_err(failure)?;
        }
        self.masked(conversation, Some(&leaves)).map_err(failure)
    }
}

fn add(leaves: &mut Leaves, found: &wit::HostFinding) -> Result<(), Error> {
    let detection = detections::from_host(&found.detection).map_err(|_| Error::ScanFailed)?;
    let added = leaves.add(found.text as usize, detection);
    added.map_err(|_| Error::ScanFailed)
}

fn outcome(masked: Masked, conversation: &Rc<Conversation>, is_own: bool) -> wit::Masked {
    wit::Masked {
        body: masked.body.into_bytes(),
        metadata_header: masked.metadata_header,
        query: masked.query,
        summary: summary(masked.summary),
        reply: wit::Reply::new(Reply {
            restoring: masked.restoring,
            conversation: Rc::clone(conversation),
            is_own,
        }),
    }
}

/// What the reply to a masked request needs.
pub(crate) struct Reply {
    restoring: Restoring,
    conversation: Rc<Conversation>,
    /// Whether the conversation's session issued the tokens of its history.
    is_own: bool,
}

impl wit::GuestReply for Reply {
    fn begin(&self, content_type: Option<String>) -> wit::Restorer {
        wit::Restorer::new(RefCell::new(Running {
            restorer: self.restoring.reply(content_type.as_deref()),
            conversation: Rc::clone(&self.conversation),
            is_own: self.is_own,
        }))
    }
}

/// A reply in progress.
pub(crate) struct Running {
    restorer: Restorer,
    conversation: Rc<Conversation>,
    is_own: bool,
}

impl Running {
    fn deliver(&mut self, step: impl FnOnce(&mut Restorer, &mut Vec<u8>)) -> Vec<u8> {
        let mut out = Vec::new();
        step(&mut self.restorer, &mut out);
        let mut signed = self.conversation.signed.borrow_mut();
        for block in self.restorer.take_signed_blocks() {
            signed.remember(OWNER, block);
        }
        let names = self.restorer.take_history_names();
        if self.is_own {
            self.conversation.see(&names);
        }
        out
    }
}

impl wit::GuestRestorer for RefCell<Running> {
    fn push(&self, chunk: Vec<u8>) -> Vec<u8> {
        self.borrow_mut()
            .deliver(|restorer, out| restorer.push(&chunk, out))
    }

    fn finish(&self) -> Vec<u8> {
        self.borrow_mut().deliver(Restorer::finish)
    }

    fn break_off(&self) -> Vec<u8> {
        self.borrow_mut().deliver(Restorer::break_off)
    }

    fn holds_back(&self) -> bool {
        self.borrow().restorer.holds_back()
    }

    fn keep_alive(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.borrow_mut().restorer.keep_alive(&mut out);
        out
    }

    fn summary(&self) -> wit::RestoreSummary {
        let running = self.borrow();
        let summary = running.restorer.summary();
        wit::RestoreSummary {
            restored: summary.restored,
            frames: summary.frames,
            unknown_tokens: summary.unknown_tokens,
            kept: summary.kept,
        }
    }
}

fn failure(error: Error) -> wit::Failure {
    wit::Failure {
        code: error.code().to_owned(),
        message: error.to_string(),
    }
}

fn summary(summary: MaskSummary) -> wit::MaskSummary {
    let counts = summary.entity_counts.into_iter();
    wit::MaskSummary {
        entity_counts: counts
            .map(|(entity, count)| wit::EntityCount {
                entity: entity.as_str().to_owned(),
                count,
            })
            .collect(),
        transformations: summary.transformations,
        mapping_count: summary.mapping_count,
        unread: summary.unread,
        asked: summary.asked,
    }
}
