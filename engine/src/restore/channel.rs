//! One channel of a stream: a text in pieces that has begun and not ended.

use std::sync::Arc;

use crate::json::{Tape, decode, edits_in_string, escaped, held_json, spliced};
use crate::schema::{self, Channel, EventState, Form, Last, Made};

use super::text::TextEdits;
use super::{Context, HeldText, Reply, restore_text};

/// A string that is as long as this and begins as the last one at its place begins no next piece: it repeats.
const REPEATS: usize = 8;

/// What is known of a channel between its events.
#[derive(Debug, Default)]
pub(super) struct Open {
    held: HeldText,
    /// The collected pieces, as they are written between quotes.
    collected: Option<String>,
    /// The provider's own text, while it may yet be signed.
    pub(super) signable: String,
    form: Option<Form>,
    /// How the text begins, white space left out.
    beginning: String,
    /// The last string of a channel that is known by its place alone.
    previous: String,
    /// The strings at its place repeat.
    repeats: bool,
    last: Option<LastEvent>,
}

/// The last event of a channel, which a synthesized one is made after.
#[derive(Debug)]
struct LastEvent {
    event: Arc<Seen>,
    /// Where the channel's string begins in its data.
    piece: usize,
}

/// An event that went by. All channels that have their last piece in it share it.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) name: Option<String>,
    pub(super) data: String,
    /// None where the data is no JSON.
    pub(super) tape: Option<Tape>,
}

impl Open {
    pub(super) fn is_holding(&self) -> bool {
        !self.held.is_empty() || self.collected.as_ref().is_some_and(|raw| !raw.is_empty())
    }

    /// Whether what was collected ends with what may still become a token.
    pub(super) fn may_go_on(&self, reply: &Reply) -> bool {
        let text = decode(self.collected.as_deref().unwrap_or_default());
        reply.tokens.find(&text, 0, false).hold_from < text.len()
    }

    /// Whether a piece that holds nothing may be passed over.
    pub(super) fn is_settled(&self) -> bool {
        self.held.is_settled() && is_decided(&self.beginning)
    }

    /// Passes over a piece, as it is written, that holds nothing.
    pub(super) fn pass_over(&mut self, channel: Channel, written: &str) {
        self.held.pass_over(written);
        if channel.may_be_signed() {
            self.signable.push_str(&decode(written));
        }
        if channel.is_place() {
            self.previous = decode(written);
        }
    }

    /// Whether a string repeats what stood at this place, and does not go on with it.
    ///
    /// Texts that are told apart by nothing else: a piece of a text, and a text that every event has as a whole,
    /// or as far as it has come.
    ///
    /// A short one may be either; then what is held, which nothing here can go on with, need not stand before it.
    pub(super) fn is_repeated(&self, reply: &Reply, text: &str) -> bool {
        let holds_its_end = !self.held.is_empty() && self.held.len() < self.previous.len();
        (self.previous.len() >= REPEATS || holds_its_end)
            && text.starts_with(&self.previous)
            && !self.held.goes_on(&reply.tokens, text)
    }

    /// Begins anew with a string that repeats the last one.
    pub(super) fn repeat(&mut self) {
        self.held = HeldText::default();
        self.repeats |= self.previous.len() >= REPEATS;
    }

    /// Takes a piece of a text that is delivered as it comes.
    pub(super) fn push(
        &mut self,
        reply: &Reply,
        channel: Channel,
        text: &str,
        form: Form,
        ended: bool,
    ) -> TextEdits {
        self.form = Some(form);
        if channel.may_be_signed() {
            self.signable.push_str(text);
        }
        let mut is_whole = false;
        if channel.is_place() {
            is_whole = self.is_percentage(text);
            self.repeats &= text.starts_with(&self.previous);
            self.previous.clear();
            self.previous.push_str(text);
            if self.beginning.is_empty() && held_json(text).is_some() {
                return restore_text(&reply.tokens, text, reply.context(form));
            }
        }
        self.begin(text);
        let context = self.context(reply, form);
        let ended = ended || self.repeats || is_whole;
        self.held.push(&reply.tokens, text, context, ended)
    }

    /// Takes a piece of a text that is delivered at its end.
    pub(super) fn collect(&mut self, raw: &str, form: Form) {
        self.form = Some(form);
        self.collected.get_or_insert_default().push_str(raw);
    }

    /// Everything that is held, restored, as it is written between quotes.
    pub(super) fn take(&mut self, reply: &Reply) -> (String, TextEdits) {
        if self.collected.is_some() {
            return self.take_collected(reply);
        }
        let context = self.context(reply, self.form.unwrap_or(Form::Answer));
        let (text, restored) = self.held.finish(&reply.tokens, context);
        (escaped(text), restored)
    }

    /// What was collected, restored. What is not restored stays as the provider wrote it.
    pub(super) fn take_collected(&mut self, reply: &Reply) -> (String, TextEdits) {
        let raw = self.collected.take().unwrap_or_default();
        let text = decode(&raw);
        let context = reply.context(self.form.unwrap_or(Form::Arguments));
        let mut restored = restore_text(&reply.tokens, &text, context);
        let mut edits = Vec::new();
        edits_in_string(&raw, 0, std::mem::take(&mut restored.edits), &mut edits);
        (spliced(&raw, &edits), restored)
    }

    pub(super) fn remember(&mut self, event: Arc<Seen>, piece: usize) {
        self.last = Some(LastEvent { event, piece });
    }

    pub(super) fn synthesize(
        &self,
        reply: &Reply,
        state: &EventState,
        channel: Channel,
        written: &str,
    ) -> Option<Made> {
        let LastEvent { event, piece } = self.last.as_ref()?;
        let Some(tape) = &event.tape else {
            return Some(Made {
                name: event.name.clone(),
                data: decode(written),
            });
        };
        let last = Last {
            name: event.name.as_deref(),
            root: tape.root(&event.data),
            piece: *piece,
        };
        let made = schema::synthesize(reply.schema, channel, last, state, written);
        Some(made)
    }

    /// Whether a string says how far something has come, as all did at its place: `%` begins no escape there.
    fn is_percentage(&self, text: &str) -> bool {
        let is_percentage = |text: &str| {
            let number = text.strip_suffix('%').map(str::trim_end);
            number.is_some_and(|number| number.parse::<f64>().is_ok())
        };
        let others = self.previous.is_empty() || is_percentage(&self.previous);
        others && self.held.is_empty() && is_percentage(text)
    }

    fn begin(&mut self, text: &str) {
        let mut letters = text.chars().filter(|c| !c.is_whitespace());
        while !is_decided(&self.beginning)
            && let Some(letter) = letters.next()
        {
            self.beginning.push(letter);
        }
    }

    /// How values are written into the text. What is not known to be prose is JSON if it begins so.
    fn context(&self, reply: &Reply, form: Form) -> Context {
        let begins_json = ["{\"", "{}", "[{", "[\"", "[["].contains(&self.beginning.as_str());
        match form {
            Form::Text | Form::Arguments if begins_json => Context::JsonText,
            Form::Text | Form::Arguments => Context::Plain,
            form => reply.context(form),
        }
    }
}

/// Whether the beginning of a text tells whether it is JSON.
fn is_decided(beginning: &str) -> bool {
    beginning.len() > 1 || !(beginning.is_empty() || beginning.starts_with(['{', '[']))
}
