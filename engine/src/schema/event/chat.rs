//! `chat_style` chunks.

use std::collections::{BTreeMap, BTreeSet};

use super::ChannelKind::{
    ChatArguments, ChatContent, ChatFunctionCall, ChatInput, ChatReasoning, ChatReasoningContent,
    ChatReasoningDetail, ChatReasoningSummary, ChatRefusal, ChatText, ChatThinking, ChatTranscript,
};
use super::messages::kind;
use super::place::{Places, is_reason, is_whole_event};
use super::progress::Progress;
use super::{Channel, ChannelKind, EventMap, Flow, Flush, is_set, number, says_something};
use crate::json::Value;
use crate::schema::rule::Rule;
use crate::schema::{Form, chat};

/// What comes before the answer.
const REASONING: &[ChannelKind] = &[
    ChatReasoning,
    ChatReasoningContent,
    ChatReasoningDetail,
    ChatReasoningSummary,
    ChatThinking,
];

/// What comes before the first call: clients take the text as complete there.
const BEFORE_CALLS: &[ChannelKind] = &[
    ChatReasoning,
    ChatReasoningContent,
    ChatReasoningDetail,
    ChatReasoningSummary,
    ChatThinking,
    ChatContent,
    ChatRefusal,
];

const TEXT: Flow = Flow::HoldBack(Form::Prose);

pub(super) fn read<'t>(root: Value<'t>, state: &mut State) -> EventMap<'t> {
    let mut map = EventMap::default();
    if is_set(root.member("error")) {
        map.flush_before.insert(Flush::All);
    }
    let choices = root.member("choices").into_iter().flat_map(Value::elements);
    for (position, choice) in choices.enumerate() {
        read_choice(position, choice, state, &mut map);
    }
    map.only_collected = carries_only_collected(root, &map);
    let kind = kind(None, root);
    let places = Places::of(root, &kind, u32::MAX);
    let streams = !is_set(root.member("error")) && !is_whole_event(&kind);
    let rule = Rule::Object(&chat::REPLY);
    map.read_rest(&rule, root, streams.then_some(&places));
    map
}

fn read_choice<'t>(position: usize, choice: Value<'t>, state: &mut State, map: &mut EventMap<'t>) {
    let index = number(choice, "index").unwrap_or_else(|| u32::try_from(position).unwrap_or(0));
    if let Some(delta) = choice.member("delta") {
        read_delta(index, delta, state, map);
    }
    let channel = Channel::new(ChatText, index, 0);
    map.piece(channel, choice.member("text"), Flow::HoldBack(Form::Answer));
}

fn read_delta<'t>(index: u32, delta: Value<'t>, state: &mut State, map: &mut EventMap<'t>) {
    let channel = |kind| Channel::new(kind, index, 0);
    let from = map.pieces.len();
    for (key, value) in delta.members() {
        match &*key.text() {
            "reasoning" => map.piece(channel(ChatReasoning), Some(value), TEXT),
            "reasoning_content" => map.piece(channel(ChatReasoningContent), Some(value), TEXT),
            "reasoning_details" => read_signed(index, value, &DETAIL, map),
            "thinking_blocks" => read_signed(index, value, &THINKING, map),
            "content" => read_content(index, value, map),
            "refusal" => map.piece(channel(ChatRefusal), Some(value), TEXT),
            "audio" => map.piece(channel(ChatTranscript), value.member("transcript"), TEXT),
            "tool_calls" => read_calls(index, value, &mut state.calls, map),
            "function_call" if value.is_object() => {
                map.ends.insert(Flush::Kinds(index, BEFORE_CALLS));
                let flow = Flow::Collect(Form::Arguments);
                map.piece(channel(ChatFunctionCall), value.member("arguments"), flow);
            }
            _ => {}
        }
    }
    end_reasoning(index, from, state, map);
}

/// Reasoning ends where the answer begins. `from` is where the pieces of the choice begin.
fn end_reasoning(index: u32, from: usize, state: &mut State, map: &mut EventMap<'_>) {
    let has = |kinds: &[ChannelKind]| {
        let mut pieces = map.pieces.iter().skip(from);
        pieces.any(|piece| kinds.contains(&piece.channel.kind))
    };
    let (reasons, answers) = (has(REASONING), has(&[ChatContent, ChatRefusal]));
    if answers && (state.reasoning.remove(&index) || reasons) {
        map.ends.insert(Flush::Kinds(index, REASONING));
    } else if reasons {
        state.reasoning.insert(index);
    }
}

/// A string; other servers send parts.
fn read_content<'t>(index: u32, content: Value<'t>, map: &mut EventMap<'t>) {
    let texts = content.elements().map(|part| part.member("text"));
    for text in texts.chain([Some(content)]) {
        let channel = Channel::new(ChatContent, index, 0);
        map.piece(channel, text, Flow::HoldBack(Form::Answer));
    }
}

/// The texts of reasoning that is signed at its end.
type SignedTexts = [(ChannelKind, &'static str)];

static DETAIL: [(ChannelKind, &str); 2] = [
    (ChatReasoningDetail, "text"),
    (ChatReasoningSummary, "summary"),
];

static THINKING: [(ChannelKind, &str); 1] = [(ChatThinking, "thinking")];

fn read_signed<'t>(index: u32, list: Value<'t>, texts: &SignedTexts, map: &mut EventMap<'t>) {
    for (position, part) in list.elements().enumerate() {
        let inner = number(part, "index").unwrap_or_else(|| u32::try_from(position).unwrap_or(0));
        let signature = part
            .member("signature")
            .filter(|&value| says_something(value));
        for (kind, name) in texts {
            let channel = Channel::new(*kind, index, inner);
            let text = part.member(name).filter(|&value| says_something(value));
            match signature {
                // With its signature a text is whole.
                Some(_) if text.is_some() => {}
                Some(signature) if channel.may_be_signed() => {
                    map.flush_before.insert(Flush::Channel(channel));
                    map.signature = Some((channel, signature));
                }
                _ => map.piece(channel, text, TEXT),
            }
        }
    }
}

fn read_calls<'t>(choice: u32, list: Value<'t>, calls: &mut Calls, map: &mut EventMap<'t>) {
    let several = list.elements().nth(1).is_some();
    for (position, element) in list.elements().enumerate() {
        map.ends.insert(Flush::Kinds(choice, BEFORE_CALLS));
        let position = several.then(|| u32::try_from(position).unwrap_or(0));
        if let Some(call) = calls.find(choice, position, element, &mut map.flush_before) {
            read_call(choice, element, call, map);
        }
    }
}

fn read_call<'t>(choice: u32, element: Value<'t>, call: &mut Call, map: &mut EventMap<'t>) {
    let input = element
        .member("custom")
        .and_then(|custom| custom.member("input"));
    let channel = Channel::new(ChatInput, choice, call.index);
    map.piece(channel, input, Flow::Collect(Form::Text));

    let function = element.member("function");
    let Some(arguments) = function.and_then(|function| function.member("arguments")) else {
        return;
    };
    let text = arguments.text();
    if call.arguments.is_complete() && text.trim_ascii().is_empty() {
        return;
    }
    let channel = Channel::new(ChatArguments, choice, call.index);
    map.piece(channel, Some(arguments), Flow::Collect(Form::Arguments));
    if call.arguments.feed(&text) {
        map.ends.insert(Flush::Channel(channel));
    }
}

/// What is known of the chunks before.
#[derive(Debug, Default)]
pub(super) struct State {
    calls: Calls,
    /// The choices whose reasoning has begun and not ended.
    reasoning: BTreeSet<u32>,
}

/// The tool calls of a stream.
#[derive(Debug, Default)]
struct Calls {
    all: Vec<Call>,
    by_index: BTreeMap<(u32, u32), usize>,
    by_id: BTreeMap<(u32, String), usize>,
    /// The last call of each choice, and the index after the highest.
    last: BTreeMap<u32, (usize, u32)>,
}

#[derive(Debug)]
struct Call {
    index: u32,
    id: String,
    arguments: Progress,
}

impl Calls {
    /// The call that an element belongs to. A call that begins makes others due.
    ///
    /// Other servers leave out the index, or send the same for every call: a new id begins a new
    /// call.
    fn find(
        &mut self,
        choice: u32,
        position: Option<u32>,
        element: Value<'_>,
        due: &mut BTreeSet<Flush>,
    ) -> Option<&mut Call> {
        let id = element.member("id").map(Value::text).unwrap_or_default();
        let index = number(element, "index");
        let found = match (index, position) {
            (Some(index), _) => self.by_index.get(&(choice, index)),
            (None, _) if !id.is_empty() => self.by_id.get(&(choice, id.to_string())),
            (None, Some(position)) => self.by_index.get(&(choice, position)),
            (None, None) => self.last.get(&choice).map(|(last, _)| last),
        };
        let goes_on = |at: &usize| {
            let known = self.all.get(*at).map(|call| call.id.as_str());
            id.is_empty() || known.is_some_and(|known| known.is_empty() || known == id)
        };
        let at = found.copied().filter(goes_on).unwrap_or_else(|| {
            let index = index.or(if id.is_empty() { position } else { None });
            self.begin(choice, index, &id, due)
        });
        self.all.get_mut(at)
    }

    fn begin(
        &mut self,
        choice: u32,
        index: Option<u32>,
        id: &str,
        due: &mut BTreeSet<Flush>,
    ) -> usize {
        let (last, next) = self.last.get(&choice).copied().unzip();
        let next = next.unwrap_or(0);
        let index = index.unwrap_or(next);
        let channel = |kind, index| Flush::Channel(Channel::new(kind, choice, index));
        // Arguments that have begun and not ended go on after this call: they are interleaved.
        if let Some(last) = last.and_then(|last| self.all.get(last))
            && !last.arguments.is_open()
        {
            due.insert(channel(ChatArguments, last.index));
            due.insert(Flush::Settled(Channel::new(ChatInput, choice, last.index)));
        }
        if self.by_index.contains_key(&(choice, index)) {
            due.extend([channel(ChatArguments, index), channel(ChatInput, index)]);
        }
        let at = self.all.len();
        self.all.push(Call {
            index,
            id: id.to_owned(),
            arguments: Progress::default(),
        });
        self.by_index.insert((choice, index), at);
        if !id.is_empty() {
            self.by_id.insert((choice, id.to_owned()), at);
        }
        let next = next.max(index.saturating_add(1));
        self.last.insert(choice, (at, next));
        at
    }
}

/// Whether a client would miss nothing but pieces of arguments if the chunk were dropped.
fn carries_only_collected(root: Value<'_>, map: &EventMap<'_>) -> bool {
    let is_collected = |flow| matches!(flow, Flow::Collect(_));
    let mut choices = root.member("choices").into_iter().flat_map(Value::elements);
    !map.pieces.is_empty()
        && map.pieces.iter().all(|piece| is_collected(piece.flow))
        && !is_set(root.member("usage"))
        && choices.all(|choice| {
            let delta = choice.member("delta");
            !choice.member("finish_reason").is_some_and(is_reason)
                && !is_set(choice.member("logprobs"))
                && delta.is_some_and(|delta| delta.members().all(is_no_news))
        })
}

/// Whether a member of a delta tells a client nothing, but for arguments.
fn is_no_news((key, value): (Value<'_>, Value<'_>)) -> bool {
    match &*key.text() {
        "tool_calls" => value.elements().all(|call| call.members().all(is_no_news)),
        "function_call" | "function" | "custom" => value.members().all(is_no_news),
        "role" | "index" | "type" | "arguments" | "input" => true,
        _ => !is_set(Some(value)) || matches!(value.raw(), "\"\"" | "[]" | "{}"),
    }
}
