//! Replaces tokens with values, in whole texts and in texts that arrive in pieces.

mod channel;
mod channels;
mod document;
mod events;
mod keys;
mod lookahead;
mod partial_text;
mod pending;
mod place;
mod plain;
mod progress;
mod rules;
mod stream;
mod template;
mod text;
mod tokens;
mod unnamed_call;

pub(crate) use document::restore_document;
pub(crate) use partial_text::HeldText;
pub(crate) use plain::RunningText;
pub use rules::{ArgumentTexts, RestoreAction, RestoreRule, RestoreRules, UnreachableRule};
pub(crate) use stream::EventStream;
pub(crate) use text::{TextEdits, restore_text};
pub(crate) use tokens::{End, Tokens};

use crate::Schema;

/// JSON that is nested deeper is restored as text.
const MAX_DEPTH: usize = 1024;

/// What restoring a reply needs to know of its request.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    pub(crate) tokens: Tokens,
    pub(crate) schema: Schema,
    /// The request asked for JSON output, so the model's answer is JSON (R11).
    pub(crate) json_output: bool,
    /// The provider keeps the reply, so that a later request can refer to it.
    pub(crate) kept: bool,
    /// Which values are restored in tool arguments.
    pub(crate) rules: RestoreRules,
}

/// The result of restoring.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counts {
    pub(crate) restored: u64,
    pub(crate) unknown: u64,
    /// Tokens that a rule kept.
    pub(crate) withheld: u64,
}

impl Counts {
    pub(crate) fn add(&mut self, restored: &TextEdits) {
        self.restored += restored.restored;
        self.unknown += restored.unknown;
        self.withheld += restored.withheld;
    }
}
