//! One channel of a stream: a text that has begun and not ended.

use std::sync::Arc;

use crate::json::{
    Context, Edit, Tape, decode, decoded, edits_in_string, escaped, has_whole_escapes, held_json,
    spliced,
};
use crate::schema::encoded::{is_of_base64, may_embed_token};
use crate::schema::{
    self, Called, EventState, Except, Form, Last, Piece, Relation, SyntheticEvent,
};

use super::progress::Progress;
use super::text::{TextEdits, restore_files_of_piece, restore_last_string, restore_string};
use super::unnamed_call::LateText;
use super::{End, HeldText, MAX_DEPTH, Reply};

/// A string that is as long as this and begins as the last one at its place begins no next piece: it repeats.
const REPEATS: usize = 8;

/// A tail of this length may begin a token, but usually does not: `%`, `<`, `&`, `MA`.
const HARDLY: usize = 3;

/// What is known of a channel between its events.
#[derive(Debug)]
pub(super) struct Open {
    /// The first that begins is the first that is delivered when several end together.
    pub(super) since: u64,
    form: Form,
    /// The format knows its place: no string there repeats.
    pub(super) is_known: bool,
    /// The key that it came under, which is that of its event where that has one.
    pub(super) key: Option<u64>,
    held: HeldText,
    /// How many pieces came under its key.
    pub(super) pieces: u64,
    /// How many strings the text came in.
    strings: u64,
    /// The collected pieces, as they are written between quotes.
    collected: String,
    progress: Progress,
    /// The provider's own text, while it may yet be signed.
    signable: Option<String>,
    /// The last string at the place, where that is not known.
    previous: String,
    /// The strings at its place repeat.
    repeats: bool,
    /// The call that it is an argument of, where rules ask for that.
    called: Option<Called>,
    last: Option<LastEvent>,
}

/// Whether the calls of an answer have all of their names.
#[derive(Debug, Clone, Copy)]
pub(super) enum Names<'s> {
    Complete(&'s EventState),
    /// More may follow.
    Begun,
}

impl<'s> Names<'s> {
    pub(super) const fn of(state: &'s EventState, are_complete: bool) -> Self {
        if are_complete {
            Self::Complete(state)
        } else {
            Self::Begun
        }
    }
}

impl Names<'_> {
    /// What is known of an argument.
    pub(super) fn called(self, reply: &Reply, called: &Called) -> Called {
        match self {
            Self::Complete(state) if reply.tokens.end_is_whole() => state.called(called),
            _ => called.before_name(),
        }
    }

    /// Whether the name of a call may still decide about a string of it.
    pub(super) fn may_decide(self, called: &Called, restored: &TextEdits) -> bool {
        matches!(self, Self::Begun) && called.growing.is_some() && restored.withheld > 0
    }
}

/// What was held, as written between quotes.
#[derive(Debug, Default)]
pub(super) struct Taken {
    pub(super) written: String,
    pub(super) restored: TextEdits,
    /// What belongs in its place once the name of its tool is complete.
    pub(super) late: Option<LateText>,
}

/// What becomes of what a channel holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// It waits for more under its own key.
    Stays,
    /// It continues under the new key.
    Moves,
    /// It is complete.
    Ends,
    /// It is complete, and no token may be restored in it.
    Shows,
}

/// The last event of a channel, the model for synthesized events.
#[derive(Debug, Default)]
struct LastEvent {
    event: Arc<Seen>,
    /// Where the channel's string begins in its data.
    piece: usize,
}

/// An event that went by. All channels that have their last piece in it share it.
#[derive(Debug, Default, Clone)]
pub(super) struct Seen {
    pub(super) name: Option<String>,
    /// Empty if it is no JSON.
    pub(super) data: String,
}

impl Open {
    pub(super) fn new(reply: &Reply, since: u64, piece: &Piece<'_>) -> Self {
        Self {
            signable: piece.may_be_signed().then(String::new),
            key: piece.key,
            ..Self::of_text(reply, since, piece.form, piece.is_known)
        }
    }

    /// The channel of a text of a form.
    pub(super) fn of_text(reply: &Reply, since: u64, form: Form, is_known: bool) -> Self {
        Self {
            since,
            form,
            is_known,
            key: None,
            held: HeldText::new(reply.context(form)),
            pieces: 0,
            strings: 0,
            collected: String::new(),
            progress: Progress::default(),
            signable: None,
            previous: String::new(),
            repeats: false,
            called: None,
            last: None,
        }
    }

    /// Records what the latest piece says about the call to which these arguments belong.
    pub(super) fn belong_to(&mut self, piece: &Piece<'_>) {
        if let Some(called) = &piece.called {
            self.called = Some(called.clone());
        }
    }

    /// What is known of that call.
    fn called(&self, reply: &Reply, names: Names<'_>) -> Option<Called> {
        let called = self.called.as_ref()?;
        Some(names.called(reply, called))
    }

    pub(super) fn is_holding(&self) -> bool {
        !self.held.is_empty() || !self.collected.is_empty()
    }

    /// Whether a string waits for what follows: it is of arguments that are delivered as a whole.
    pub(super) fn collects(&self, piece: &Piece<'_>) -> bool {
        piece.is_collected()
            || !self.collected.is_empty()
            || self.held.is_new() && piece.begins_arguments()
    }

    /// Whether what is collected is JSON.
    fn collects_json(&self) -> bool {
        self.form == Form::Arguments || !self.is_known
    }

    /// Whether something in it is not complete: arguments that are no whole JSON yet, or what may still become a token.
    fn may_go_on(&self, reply: &Reply) -> bool {
        let collects = !self.is_known && !self.collected.is_empty();
        if self.form == Form::Arguments || !self.held.is_empty() || collects {
            return true;
        }
        let text = decoded(&self.collected);
        reply.tokens.find(&text, 0, End::Open).hold_from < text.len()
    }

    /// Whether it continues behind the others of a span.
    pub(super) fn is_excepted(&self, reply: &Reply, except: Except, state: &EventState) -> bool {
        match except {
            Except::None => false,
            Except::BegunTokens => self.expects_token(reply),
            Except::Unfinished => self.may_go_on(reply),
            Except::Others => state.relation(self.key) == Relation::Apart,
            Except::OthersAndTokens => match state.relation(self.key) {
                Relation::About => false,
                Relation::Unsaid => self.begins_token(reply) && !self.has_hardly_begun_token(),
                Relation::Apart => true,
            },
            Except::OthersAndBegunTokens => {
                state.relation(self.key) == Relation::Apart || self.expects_token(reply)
            }
        }
    }

    /// Whether what is held is the beginning of a token.
    fn begins_token(&self, reply: &Reply) -> bool {
        !self.held.is_empty() && !self.held.is_token(&reply.tokens)
    }

    /// The same, if the rest of the token may come behind something else.
    fn expects_token(&self, reply: &Reply) -> bool {
        self.begins_token(reply) && !self.ends_as_texts_do()
    }

    /// Whether it came in one piece and ends as texts do, so that it is whole unless the next event goes on with it.
    pub(super) fn seems_whole(&self) -> bool {
        self.strings == 1 && self.ends_as_texts_do()
    }

    /// Begins another text at the same place.
    pub(super) fn begin_again(&mut self) {
        self.strings = 0;
    }

    /// Whether so little is held that texts usually end so: `5 %`, `PM`, `C:\`. A token in brackets is often cut behind
    /// the first one.
    fn ends_as_texts_do(&self) -> bool {
        self.has_hardly_begun_token() && self.held.ends_as_texts_do()
    }

    /// Whether a piece, in its written form, has nothing to restore, leaves nothing held and goes on with the text.
    pub(super) fn lets_pass(&self, reply: &Reply, written: &str) -> bool {
        if !self.held.is_at_rest() || !self.collected.is_empty() {
            return false;
        }
        let is_plain = reply.tokens.is_plain(written)
            || reply.tokens.has_no_marks(written)
                && self.held.is_unaffected(&reply.tokens, &decoded(written));
        if self.is_known || !is_plain {
            return is_plain;
        }
        // In a text of its own, or one that repeats, more must be checked.
        !self.held.is_new() && !may_embed_token(written.as_bytes()) && {
            let text = decoded(written);
            self.is_repetition(&text) || !self.is_repeated(reply, &text)
        }
    }

    /// Whether a string is the same again, as it was before.
    fn is_repetition(&self, text: &str) -> bool {
        self.repeats && text == self.previous
    }

    /// Whether a piece, in its written form, needs no more than restoring.
    pub(super) fn takes_whole(&self, written: &str) -> bool {
        self.is_known
            && self.called.is_none()
            && self.collected.is_empty()
            && has_whole_escapes(written)
    }

    /// Skips a piece that it [lets pass](Self::lets_pass).
    pub(super) fn pass_over(&mut self, written: &str) {
        self.pieces += 1;
        self.strings += 1;
        if !self.is_known {
            let text = decoded(written);
            if self.is_repetition(&text) {
                return;
            }
            self.repeats &= text.starts_with(&self.previous);
            self.previous.clear();
            self.previous.push_str(&text);
        }
        self.held.pass_over(written);
        if let Some(signable) = &mut self.signable {
            signable.push_str(&decoded(written));
        }
    }

    /// Whether a string repeats the previous text at this place instead of continuing it.
    ///
    /// This distinguishes a piece of a text from a text that every event repeats in full, or up to
    /// its current length.
    ///
    /// A short string may be either. Then it need not begin with what is held and can't be
    /// continued here.
    pub(super) fn is_repeated(&self, reply: &Reply, text: &str) -> bool {
        let holds_its_end = !self.held.is_empty() && self.held.len() < self.previous.len();
        !self.is_known
            && (self.previous.len() >= REPEATS || holds_its_end)
            && text.starts_with(&self.previous)
            && !self.held.goes_on(&reply.tokens, text)
    }

    /// Whether what is held becomes a token with a string, or may still become one.
    pub(super) fn goes_on(&self, reply: &Reply, text: &str) -> bool {
        !self.collected.is_empty()
            || !self.held.is_empty() && self.held.goes_on(&reply.tokens, text)
    }

    /// What becomes of what is held where a string comes under a key that may count events or name
    /// another text.
    ///
    /// A token that is whole belongs to its own event either way. If the string makes another token
    /// of it, or is its number, nobody knows which was meant.
    pub(super) fn under_another_key(&self, reply: &Reply, text: &str) -> Fate {
        let (held, tokens) = (&self.held, &reply.tokens);
        if held.is_empty() {
            return Fate::Stays;
        }
        let more = held.lengthened(tokens, text);
        let is_token = held.is_token(tokens);
        let is_number = || held.is_bare() && more.bytes().all(|byte| byte.is_ascii_digit());
        let is_last =
            || ('0'..='9').all(|digit| held.lengthened(tokens, &digit.to_string()).is_empty());
        match (more, is_token) {
            ("", true) if is_last() => Fate::Ends,
            ("", _) => Fate::Stays,
            (_, true) => Fate::Shows,
            (_, false) if is_number() => Fate::Shows,
            (_, false) => Fate::Moves,
        }
    }

    /// Whether so little is held that it most likely begins no token.
    pub(super) fn has_hardly_begun_token(&self) -> bool {
        (1..=HARDLY).contains(&self.held.len()) && self.collected.is_empty()
    }

    /// Starts again with a string that repeats the previous one.
    pub(super) fn repeat(&mut self, reply: &Reply) {
        self.held = HeldText::new(reply.context(self.form));
        self.repeats |= self.previous.len() >= REPEATS;
    }

    /// Adds a piece of a text that is delivered as it arrives.
    pub(super) fn push(
        &mut self,
        reply: &Reply,
        text: &str,
        mut ended: bool,
        names: Names<'_>,
    ) -> TextEdits {
        if let Some(signable) = &mut self.signable {
            signable.push_str(text);
        }
        let context = reply.context(self.form);
        let called = self.called(reply, names);
        let tokens = reply.tokens_for(called.as_ref());
        self.pieces += 1;
        self.strings += 1;
        if self.is_known {
            return self.held.push(&tokens, text, end_if(ended));
        }
        ended |= self.is_percentage(text);
        self.repeats &= text.starts_with(&self.previous);
        ended |= self.repeats;
        let begins = self.repeats || !self.previous.bytes().next_back().is_some_and(is_of_base64);
        text.clone_into(&mut self.previous);
        if self.held.is_new() && held_json(text).is_some() {
            return restore_string(reply, text, self.form, called.as_ref());
        }
        let mut restored = self.held.push(&tokens, text, end_if(ended));
        if context == Context::MayBeJson {
            let held = text.len().saturating_sub(self.held.len());
            restore_files_of_piece(&tokens, text, begins, ended, held, &mut restored);
        }
        restored
    }

    /// Adds a piece of a text that is delivered at its end, and returns whether this is the end.
    pub(super) fn collect(&mut self, raw: &str) -> bool {
        self.pieces += 1;
        self.strings += 1;
        self.collected.push_str(raw);
        self.collects_json() && self.progress.feed(&decoded(raw))
    }

    /// Everything that is held, restored, as written between quotes.
    ///
    /// What was collected and is not restored stays as the provider wrote it.
    pub(super) fn take(&mut self, reply: &Reply, names: Names<'_>) -> Taken {
        let called = self.called(reply, names);
        if self.collected.is_empty() {
            let tokens = reply.tokens_for(called.as_ref());
            let (text, restored) = self.held.finish(&tokens);
            return Taken {
                written: escaped(text),
                restored,
                late: None,
            };
        }
        let raw = std::mem::take(&mut self.collected);
        let (written, restored) = restored(reply, &raw, self.form, called.as_ref());
        match called.filter(|called| names.may_decide(called, &restored)) {
            None => Taken {
                written,
                restored,
                late: None,
            },
            Some(called) => Taken {
                late: Some(LateText {
                    raw,
                    form: self.form,
                    called,
                }),
                ..Taken::default()
            },
        }
    }

    /// A whole string, if it has a token that the name of its tool decides about, and that may still grow.
    pub(super) fn late_string(
        &self,
        reply: &Reply,
        raw: &str,
        names: Names<'_>,
    ) -> Option<LateText> {
        let called = self.called(reply, names)?;
        if self.is_known || !self.held.is_empty() {
            return None;
        }
        let (_, restored) = restored(reply, raw, self.form, Some(&called));
        names.may_decide(&called, &restored).then(|| LateText {
            raw: raw.to_owned(),
            form: self.form,
            called,
        })
    }

    /// What is held and begins no token, as it is written between quotes, and how much of it only looks like tokens.
    pub(super) fn let_go(&mut self, reply: &Reply) -> (String, u64) {
        let (text, unknown) = self.held.let_go(&reply.tokens);
        (escaped(text), unknown)
    }

    /// All that came on it, if it may be signed.
    pub(super) fn take_signable(&mut self) -> Option<String> {
        self.signable.as_mut().map(std::mem::take)
    }

    /// Whether a signature of what came on it may follow.
    pub(super) fn may_be_signed(&self) -> bool {
        self.signable.as_ref().is_some_and(|text| !text.is_empty())
    }

    pub(super) fn remember(&mut self, event: Arc<Seen>, piece: usize) {
        self.last = Some(LastEvent { event, piece });
    }

    /// Remembers an event that nobody else does.
    pub(super) fn remember_like(&mut self, name: Option<&str>, data: &str, piece: usize) {
        let mut last = self.last.take().unwrap_or_default();
        let seen = Arc::make_mut(&mut last.event);
        data.clone_into(&mut seen.data);
        if seen.name.as_deref() != name {
            seen.name = name.map(str::to_owned);
        }
        last.piece = piece;
        self.last = Some(last);
    }

    pub(super) fn synthesize(
        &self,
        reply: &Reply,
        state: &EventState,
        written: &str,
    ) -> Option<SyntheticEvent> {
        let LastEvent { event, piece } = self.last.as_ref()?;
        let Ok(tape) = Tape::scan(&event.data, MAX_DEPTH) else {
            return Some(SyntheticEvent {
                name: event.name.clone(),
                data: decode(written),
                at: 0,
            });
        };
        let last = Last {
            name: event.name.as_deref(),
            root: tape.root(&event.data),
            piece: *piece,
        };
        Some(schema::synthesize(reply.schema, last, state, written))
    }

    /// Whether a string says how far something has come, as the last one at its place did: `%` begins no escape there.
    fn is_percentage(&self, text: &str) -> bool {
        let is_percentage = |text: &str| {
            let number = text.strip_suffix('%').map(str::trim_end);
            number.is_some_and(|number| number.parse::<f64>().is_ok())
        };
        is_percentage(&self.previous) && self.held.is_empty() && is_percentage(text)
    }
}

const fn end_if(ended: bool) -> End {
    if ended { End::Reached } else { End::Open }
}

/// A text as it is written between quotes, restored.
pub(super) fn restored(
    reply: &Reply,
    raw: &str,
    form: Form,
    called: Option<&Called>,
) -> (String, TextEdits) {
    let mut restored = restore_last_string(reply, &decoded(raw), form, called);
    let mut edits: Vec<Edit> = Vec::new();
    edits_in_string(raw, 0, std::mem::take(&mut restored.edits), &mut edits);
    (spliced(raw, &edits), restored)
}
