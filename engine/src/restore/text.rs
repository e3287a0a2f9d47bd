//! Restores whole texts, and JSON that they hold.

use crate::json::{Edit, Tape, edits_in_string, escaped, held_json};
use crate::session::Mapping;

use super::tokens::{Found, Tokens};

/// JSON held in a string, held in a string, …: deeper than this it is text.
const MAX_HELD_JSON: u32 = 6;

/// What a text is, which decides how values are written into it (decisions, 3.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Context {
    /// Text, whatever it looks like.
    Plain,
    /// Text that is JSON because the request asked for it, and may arrive in pieces.
    JsonText,
    /// JSON if it parses as an object or array, else plain text.
    MayBeJson,
    /// JSON, also when it was cut off.
    Json,
}

/// The edits that restore a text.
#[derive(Debug, Default)]
pub(crate) struct TextEdits {
    /// In order, in the text's own coordinates.
    pub(crate) edits: Vec<Edit>,
    pub(crate) restored: u64,
    pub(crate) unknown: u64,
}

/// Restores a whole text.
pub(crate) fn restore_text(tokens: &Tokens, text: &str, context: Context) -> TextEdits {
    restore_level(tokens, text, context, MAX_HELD_JSON)
}

fn restore_level(tokens: &Tokens, text: &str, context: Context, levels: u32) -> TextEdits {
    if !tokens.may_occur_in(text.as_bytes()) {
        return TextEdits::default();
    }
    let may_parse = levels > 0 && matches!(context, Context::MayBeJson | Context::Json);
    match held_json(text).filter(|_| may_parse) {
        Some(tape) => restore_held(tokens, text, &tape, levels),
        None => TextEdits::from_found(tokens.find(text, None, true), context),
    }
}

fn restore_held(tokens: &Tokens, text: &str, tape: &Tape, levels: u32) -> TextEdits {
    let mut out = TextEdits::default();
    for string in tape.strings(text) {
        let inner = restore_level(tokens, &string.text(), Context::MayBeJson, levels - 1);
        out.restored += inner.restored;
        out.unknown += inner.unknown;
        edits_in_string(
            string.raw_content(),
            string.start() + 1,
            inner.edits,
            &mut out.edits,
        );
    }
    out
}

impl TextEdits {
    pub(super) fn from_found(found: Found, context: Context) -> Self {
        let restored = found.tokens.len() as u64;
        let edits = found.tokens.into_iter().map(|(range, mapping)| Edit {
            start: range.start,
            end: range.end,
            text: written(&mapping, context),
        });
        Self {
            edits: edits.collect(),
            restored,
            unknown: found.unknown,
        }
    }
}

/// A value as it is written where it lands.
fn written(mapping: &Mapping, context: Context) -> String {
    let value = mapping.value().expose().clone();
    match context {
        Context::Plain | Context::MayBeJson => value,
        Context::JsonText | Context::Json => escaped(value),
    }
}
