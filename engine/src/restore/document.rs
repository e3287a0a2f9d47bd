//! Restores a whole reply: JSON, JSON lines, or text.

use std::borrow::Cow;

use crate::Schema;
use crate::base::utf8::lossy;
use crate::history::HistoryName;
use crate::history::SignedBlock;
use crate::json::{Context, Edit, Tape, Value, edits_in_string, splice};
use crate::schema::{self, CallMap, Called, Form, ReplyLeaf, ReplyMap, SignedText};

use super::rules::Argument;
use super::text::{TextEdits, may_be_restored, restore_last_text, restore_string};
use super::{Counts, End, MAX_DEPTH, Reply, Tokens};

/// What restoring a document gives.
#[derive(Debug, Default)]
pub(crate) struct Document {
    pub(crate) bytes: Vec<u8>,
    pub(crate) counts: Counts,
    pub(crate) signed: Vec<SignedBlock>,
    /// What a later request can name it by.
    pub(crate) names: Vec<HistoryName>,
}

/// Restores a document of the reply's schema, of another shape, or of no shape at all.
pub(crate) fn restore_document(reply: &Reply, source: Vec<u8>) -> Document {
    let text = String::from_utf8(source);
    let text = text.unwrap_or_else(|error| lossy(error.as_bytes()).into_owned());
    let mut out = Document::default();
    if let Ok(tape) = Tape::scan(&text, MAX_DEPTH) {
        schema::names_of_reply(tape.root(&text), reply.kept, &mut out.names);
        let map = reply_map(reply, tape.root(&text));
        let edits = restore_map(reply, &map, &mut out.counts);
        out.signed = map
            .signed
            .iter()
            .filter_map(|signed| sign(reply, signed))
            .collect();
        if edits.is_empty() {
            out.bytes = text.into_bytes();
        } else {
            splice(&text, &edits, &mut out.bytes);
        }
        return out;
    }
    for line in text.split_inclusive('\n') {
        restore_line(reply, line, &mut out);
    }
    out
}

fn reply_map<'t>(reply: &Reply, root: Value<'t>) -> ReplyMap<'t> {
    let mut map = schema::reply(reply.schema, root);
    if !reply.rules.is_empty() {
        map.calls = CallMap::of(root);
    }
    map
}

/// A line of a reply that is not one JSON document: JSON itself, or text.
fn restore_line(reply: &Reply, line: &str, out: &mut Document) {
    let Ok(tape) = Tape::scan(line, MAX_DEPTH) else {
        let looks_like_json = line.trim_start().starts_with(['{', '[', '"']);
        let restored = if looks_like_json {
            let tokens = reply.tokens_for(Some(&Called::default()));
            restore_last_text(&tokens, line, Context::Json)
        } else {
            restore_last_text(&reply.tokens, line, Context::Plain)
        };
        out.counts.add(&restored);
        splice(line, &restored.edits, &mut out.bytes);
        return;
    };
    schema::names_of_reply(tape.root(line), reply.kept, &mut out.names);
    let map = reply_map(reply, tape.root(line));
    let edits = restore_map(reply, &map, &mut out.counts);
    splice(line, &edits, &mut out.bytes);
}

/// The edits that restore the leaves of a reply or of an event.
pub(super) fn restore_map(reply: &Reply, map: &ReplyMap<'_>, counts: &mut Counts) -> Vec<Edit> {
    let mut edits = Vec::new();
    let leaves = map.leaves.iter();
    for leaf in leaves.filter(|leaf| leaf_may_be_restored(reply, leaf)) {
        let (text, called) = (leaf.value.text(), map.calls.called(leaf.value, leaf.form));
        let restored = restore_string(reply, &text, leaf.form, called.as_ref());
        counts.add(&restored);
        add_edits(leaf, restored, &mut edits);
    }
    edits.sort_by_key(|edit| edit.start);
    edits
}

/// Whether a leaf may hold a token.
pub(super) fn leaf_may_be_restored(reply: &Reply, leaf: &ReplyLeaf<'_>) -> bool {
    leaf.form == Form::Base64 || may_be_restored(&reply.tokens, leaf.value.raw_content())
}

pub(super) fn add_edits(leaf: &ReplyLeaf<'_>, restored: TextEdits, edits: &mut Vec<Edit>) {
    let start = leaf.value.start() + 1;
    edits_in_string(leaf.value.raw_content(), start, restored.edits, edits);
}

/// What is remembered of a text with its signature.
pub(super) fn sign(reply: &Reply, signed: &SignedText<'_>) -> Option<SignedBlock> {
    let (text, signature) = (signed.text.text(), signed.signature.text());
    sign_text(reply, text.into_owned(), &signature)
}

/// What is remembered of a signed text; `None` if there is nothing to put back.
pub(super) fn sign_text(reply: &Reply, text: String, signature: &str) -> Option<SignedBlock> {
    if text.is_empty() || signature.is_empty() {
        return None;
    }
    let tokens = reply.tokens.find(&text, 0, End::Reached).tokens;
    let mappings = tokens.into_iter().map(|token| token.mapping).collect();
    Some(SignedBlock::new(signature.to_owned(), text, mappings))
}

impl Reply {
    /// The tokens that may be restored in an argument of a call, or in another text.
    pub(super) fn tokens_for(&self, called: Option<&Called>) -> Cow<'_, Tokens> {
        let Some(called) = called.filter(|_| !self.rules.is_empty()) else {
            return Cow::Borrowed(&self.tokens);
        };
        let argument = called.argument.as_deref();
        let argument = argument.map_or(Argument::FreeText, Argument::At);
        self.tokens
            .without(self.rules.withheld_from(called.tool.as_ref(), argument))
    }

    /// The same in a text that is no JSON, whose place in the arguments may be known.
    pub(super) fn tokens_in(&self, called: &Called, text: &str) -> Cow<'_, Tokens> {
        let argument = called.argument.as_deref();
        let argument = argument.map_or(Argument::FreeText, |names| {
            Argument::of_text_at(names, text)
        });
        self.tokens
            .without(self.rules.withheld_from(called.tool.as_ref(), argument))
    }

    /// The same where a text that is no JSON holds all arguments of a call.
    pub(super) fn tokens_for_text(&self, called: &Called, text: &str) -> Cow<'_, Tokens> {
        let argument = Argument::of_text(text);
        self.tokens
            .without(self.rules.withheld_from(called.tool.as_ref(), argument))
    }

    /// How a whole string of this form ends: texts may have been cut by a limit. Strings that known formats do not
    /// stream are complete, such as those of arguments that are objects.
    pub(super) fn end_of(&self, form: Form) -> End {
        match form {
            Form::Text if self.schema != Schema::Generic => End::Whole,
            Form::Key | Form::Base64 | Form::Left => End::Whole,
            _ => End::Reached,
        }
    }

    /// How values are written into a string of this form.
    pub(super) fn context(&self, form: Form) -> Context {
        match form {
            Form::Answer if self.json_output => Context::Json,
            Form::Answer | Form::Prose | Form::Signed | Form::Base64 | Form::Left => Context::Plain,
            Form::Text | Form::Input | Form::Key => Context::MayBeJson,
            Form::Arguments => Context::Json,
        }
    }
}
