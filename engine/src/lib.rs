//! The engine of maskproxy: masks secrets and personal data in requests to language models, and
//! restores them in the replies.
//!
//! It reads the three wire formats, and any other JSON, detects sensitive values, and restores tokens in replies, even
//! if they arrive in pieces. It is pure: no clock, no randomness, no files, sockets, environment or
//! threads. A host reads the request, calls the engine, talks to the provider, and hands over the
//! reply as its bytes arrive. The same code runs natively and as WebAssembly.
//!
//! It is not a proxy: it opens no connection, keeps no session between exchanges and writes no audit
//! trail.
//!
//! ```
//! use engine::{Engine, NoMemory, Schema, Session, Settings};
//!
//! # fn main() -> Result<(), engine::Error> {
//! let engine = Engine::new(Settings::default());
//! let body = br#"{"messages": [{"role": "user", "content": "Write to alice@example.com"}]}"#;
//!
//! let request = engine.request(Schema::ChatStyle, body.to_vec())?;
//! let masked = request.mask(&mut Session::new(), &NoMemory)?;
//! // masked.body is what the provider gets: … "Write to <MASK_EMAIL_1>" …
//!
//! let mut reply = masked.restoring.reply(Some("application/json"));
//! let mut out = Vec::new();
//! reply.push(br#"{"choices": [{"message": {"content": "Sent to <MASK_EMAIL_1>."}}]}"#, &mut out);
//! reply.finish(&mut out);
//! # let _ = masked.body;
//! # Ok(())
//! # }
//! ```
//!
//! How data flows, from the entry point inwards:
//!
//! ```text
//! exchange ─► mask    ─► schema ─► json        where text lives, edited in place
//!     │         └──────► detect, policy, operator ─► session ─► token
//!     └─────► restore ─► schema ─► json, framing
//!                └─────► session ─► token
//! route, history                               for hosts: which schema a path has, which session it continues
//! ```

#![forbid(unsafe_code)]

mod base;
pub mod detect;
mod entity;
mod error;
mod exchange;
mod framing;
mod history;
mod json;
mod mask;
mod operator;
mod origin;
mod policy;
mod restore;
pub mod route;
mod schema;
mod session;
mod settings;
mod token;

pub use base::{Glob, Sensitive, Wipe};
pub use detect::{Detection, Detectors, Feature, Judged, Score};
pub use entity::{EntityType, InvalidEntityType};
pub use error::{Error, Side};
pub use exchange::{
    Decision, Engine, Fate, Masked, MaskedBody, Request, RestoreSummary, Restorer, Restoring, Scope,
};
pub use history::{
    History, HistoryKind, HistoryName, Memory, NoMemory, Recall, SealedBlock, SignedBlock,
};
pub use mask::{
    Field, Findings, InvalidSpan, Leaf, Leaves, MaskSummary, Sighting, TextFindings, TextKind,
};
pub use operator::{Cipher, NoSurrogate, Operator, Surrogates};
pub use origin::{Origin, Origins};
pub use policy::{
    ClientKeys, Condition, Facts, KeyHash, Masks, Policy, PolicyRule, PolicyRules, RuleFault,
    RuleMatch, When,
};
pub use restore::{ArgumentTexts, RestoreAction, RestoreRule, RestoreRules, UnreachableRule};
pub use schema::{Conversation, Coverage, Schema, uploaded_files};
pub use session::Session;
pub use settings::{Limits, Settings};
pub use token::Mapping;
