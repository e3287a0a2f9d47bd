//! The resources: an engine, a session, and an exchange from its request to the end of its reply.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use engine::{
    Engine, EntityType, Error, Leaves, Mapping, MaskSummary, Masked, Memory, Recall, Request,
    Restorer, Restoring, Schema, Scope, Sensitive, Session, SignedBlock,
};

use crate::bindings::exports::maskproxy::mask::{detection as outside, engine as wit};
use crate::{Component, detections, settings};

/// How many signed blocks a session keeps.
const MAX_BLOCKS: usize = 4096;
/// How much they may hold, in bytes.
const MAX_BYTES: usize = 16 << 20;
/// A session is no one else's.
const OWNER: &str = "";

impl wit::Guest for Component {
    type Engine = Engine;
    type Session = Rc<Conversation>;
    type Exchange = Request;
    type Reply = Reply;
    type Restorer = RefCell<Running>;

    fn default_settings() -> wit::Settings {
        settings::default()
    }
}

impl wit::GuestEngine for Engine {
    fn create(settings: wit::Settings) -> Result<wit::Engine, String> {
        let settings = settings::read(settings)?;
        Ok(wit::Engine::new(Self::new(settings)))
    }

    fn detect(&self, text: String) -> Vec<wit::Finding> {
        let found = Self::detect(self, &text);
        found.iter().map(detections::to_host).collect()
    }

    fn exchange(&self, request: wit::Request) -> Result<wit::Exchange, wit::Failure> {
        let schema = match request.schema {
            wit::Schema::ChatStyle => Schema::ChatStyle,
            wit::Schema::MessagesStyle => Schema::MessagesStyle,
            wit::Schema::Responses => Schema::Responses,
            wit::Schema::Generic => Schema::Generic,
        };
        let scope = match request.scope {
            wit::Scope::Session => Scope::Session,
            wit::Scope::OwnTokens => Scope::OwnTokens,
        };
        let mut read = self.request(schema, request.body).map_err(failure)?;
        if let Some(header) = &request.metadata_header {
            read = read.with_metadata_header(header);
        }
        Ok(wit::Exchange::new(read.with_scope(scope)))
    }
}

/// What a session holds.
pub(crate) struct Conversation {
    session: RefCell<Session>,
    signed: RefCell<Memory>,
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
        })
    }

    fn adopt(&self, mapping: wit::Mapping) -> bool {
        let Ok(entity) = EntityType::parse(&mapping.entity) else {
            return false;
        };
        let mapping = Mapping::new(entity, &mapping.id, Sensitive::new(mapping.value));
        self.session.borrow_mut().adopt(Arc::new(mapping))
    }

    fn mappings(&self) -> Vec<wit::Mapping> {
        let session = self.session.borrow();
        let mappings = session.mappings().map(|mapping| wit::Mapping {
            entity: mapping.entity().as_str().to_owned(),
            id: mapping.id().to_owned(),
            value: mapping.value().expose().clone(),
        });
        mappings.collect()
    }
}

impl wit::GuestExchange for Request {
    fn texts(&self, session: wit::SessionBorrow<'_>) -> Vec<outside::Text> {
        let leaves = self.leaves(&**session.get::<Rc<Conversation>>());
        let texts = leaves.iter().map(|leaf| outside::Text {
            content: leaf.text.to_owned(),
            name: leaf.name.map(str::to_owned),
        });
        texts.collect()
    }

    fn mask(&self, session: wit::SessionBorrow<'_>) -> Result<wit::Masked, wit::Failure> {
        let conversation = session.get::<Rc<Conversation>>();
        let masked = Self::mask(
            self,
            &mut conversation.session.borrow_mut(),
            &**conversation,
        );
        outcome(masked, conversation)
    }

    fn mask_with(
        &self,
        session: wit::SessionBorrow<'_>,
        found: Vec<wit::HostFinding>,
    ) -> Result<wit::Masked, wit::Failure> {
        let conversation = session.get::<Rc<Conversation>>();
        let mut leaves = self.leaves(&**conversation);
        for found in &found {
            add(&mut leaves, found).map_err(failure)?;
        }
        let masked = Self::mask_with(
            self,
            &mut conversation.session.borrow_mut(),
            &**conversation,
            &leaves,
        );
        outcome(masked, conversation)
    }
}

fn add(leaves: &mut Leaves, found: &wit::HostFinding) -> Result<(), Error> {
    let detection = detections::from_host(&found.detection).map_err(|_| Error::ScanFailed)?;
    let added = leaves.add(found.text as usize, detection);
    added.map_err(|_| Error::ScanFailed)
}

fn outcome(
    masked: Result<Masked, Error>,
    conversation: &Rc<Conversation>,
) -> Result<wit::Masked, wit::Failure> {
    let masked = masked.map_err(failure)?;
    Ok(wit::Masked {
        body: masked.body.into_bytes(),
        metadata_header: masked.metadata_header,
        summary: summary(masked.summary),
        reply: wit::Reply::new(Reply {
            restoring: masked.restoring,
            conversation: Rc::clone(conversation),
        }),
    })
}

/// What the reply to a masked request needs.
pub(crate) struct Reply {
    restoring: Restoring,
    conversation: Rc<Conversation>,
}

impl wit::GuestReply for Reply {
    fn begin(&self, content_type: Option<String>) -> wit::Restorer {
        wit::Restorer::new(RefCell::new(Running {
            restorer: self.restoring.reply(content_type.as_deref()),
            conversation: Rc::clone(&self.conversation),
        }))
    }
}

/// A reply under way.
pub(crate) struct Running {
    restorer: Restorer,
    conversation: Rc<Conversation>,
}

impl Running {
    fn deliver(&mut self, step: impl FnOnce(&mut Restorer, &mut Vec<u8>)) -> Vec<u8> {
        let mut out = Vec::new();
        step(&mut self.restorer, &mut out);
        let mut signed = self.conversation.signed.borrow_mut();
        for block in self.restorer.take_signed_blocks() {
            signed.remember(OWNER, block);
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

    fn holds_back(&self) -> bool {
        self.borrow().restorer.holds_back()
    }

    fn keep_alive(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.borrow().restorer.keep_alive(&mut out);
        out
    }

    fn summary(&self) -> wit::RestoreSummary {
        let running = self.borrow();
        let summary = running.restorer.summary();
        wit::RestoreSummary {
            restored: summary.restored,
            frames: summary.frames,
            unknown_tokens: summary.unknown_tokens,
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
    }
}
