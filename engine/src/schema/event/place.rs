//! The places of strings in an event, which identify texts.
//!
//! A place is the path of member names to a string, with counting members (`index`, `item_id`, …)
//! instead of list positions, and the types on the way. A string continues the previous event's
//! string at the same place (decisions, 7.6).

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use super::named::{ID, Names};
use super::words::{
    ANSWERS, IDS, INDEXES, OUTPUT_INDEX, REPORTS, counts_tokens, is_reason, is_whole,
};
use super::{Call, Calls, Channel, Span, Stage, is_filled, kind_of_name, number};
use crate::json::{Kind, Tape, Value};
use crate::schema::calls::{GIVEN, PIECES};

/// The members that may count, nested in an event, what is a part of something.
const PARTS: [&str; 3] = ["content_index", "summary_index", "command_index"];

/// What a signature signs.
const SIGNED: [&str; 2] = ["thinking", "text"];

/// Lists whose elements follow each other in one text: the last is continued by the first of the next event.
const SEQUENCES: [&str; 2] = ["parts", "content"];

/// The place of a string that has keys on its way, without them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unkeyed {
    pub(crate) place: u64,
    /// The only key is the event's `id`, which more often names the event than a text in it.
    pub(crate) by_event_id: bool,
    /// The first of its keys.
    pub(crate) key: u64,
}

/// What names an object that says that its text is over.
pub(super) enum Ender {
    /// An element of a list, which has this key.
    Element(u64),
    /// Whatever names the event.
    Event,
}

/// A string at its place.
#[derive(Clone, Copy)]
pub(super) struct Placed<'t> {
    value: Value<'t>,
    pub(super) channel: Channel,
    pub(super) unkeyed: Option<Unkeyed>,
    /// The key of what names it.
    pub(super) key: Option<u64>,
    /// It is in a member called `delta`, or is one.
    pub(super) is_in_delta: bool,
    /// It is in a part that another one follows, and so is complete.
    pub(super) is_followed: bool,
}

/// The strings of an event that may be pieces of texts, and what the event says about texts.
pub(super) struct Places<'t, 's> {
    /// In document order.
    strings: Vec<Placed<'t>>,
    /// The answers that end with it.
    pub(super) ended: BTreeSet<u32>,
    /// What names the objects that say so, where no list of answers does.
    pub(super) enders: Vec<Ender>,
    /// How far the answers have come.
    pub(super) reached: BTreeMap<u32, Stage>,
    pub(super) signatures: Vec<(Channel, Value<'t>)>,
    /// What goes out before the event.
    pub(super) due: Vec<Span>,
    /// The tool calls, where the format has them and knows the stages of an answer.
    calls: Option<&'s mut Calls>,
    /// Whether the names of members say what they are, because no format does.
    is_generic: bool,
    /// The calls whose names may still grow, in document order.
    pub(super) growing: Vec<(Value<'t>, Call)>,
    /// What keys are made of, where no format says which texts an event is about.
    pub(super) names: Vec<Names>,
    /// The keys of elements of lists, where that is so.
    pub(super) elements: BTreeSet<u64>,
}

/// The way to a value.
#[derive(Clone)]
struct At {
    place: DefaultHasher,
    /// The same without the keys of objects outside lists.
    unkeyed: DefaultHasher,
    keys: Keys,
    first_key: Option<u64>,
    /// The key of the last element on the way that has one, if nothing before it has.
    element: Option<u64>,
    is_in_answer: bool,
    outer: u32,
    stage: Stage,
    inner: u32,
    is_in_call: bool,
    is_followed: bool,
    delta: Delta,
}

/// The keys on the way to a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keys {
    None,
    /// Only the event's `id`.
    OfEvent,
    OfTexts,
}

/// The relation of a value to a member called `delta`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Delta {
    Outside,
    Itself,
    Inside,
}

impl At {
    fn channel(&self) -> Channel {
        Channel {
            outer: self.outer,
            stage: self.stage,
            inner: self.inner,
            place: self.place.finish(),
        }
    }

    fn add(&mut self, step: impl Hash) {
        step.hash(&mut self.place);
        step.hash(&mut self.unkeyed);
    }

    fn without_keys(&self) -> Option<Unkeyed> {
        self.first_key.map(|key| Unkeyed {
            place: self.unkeyed.finish(),
            by_event_id: self.keys == Keys::OfEvent,
            key,
        })
    }

    fn member(&self, name: &str) -> Self {
        let mut at = self.clone();
        at.add(name);
        at.delta = match self.delta {
            Delta::Outside if name == "delta" => Delta::Itself,
            Delta::Outside => Delta::Outside,
            Delta::Itself | Delta::Inside => Delta::Inside,
        };
        at
    }
}

impl<'t, 's> Places<'t, 's> {
    /// Reads an event. `outer` is the answer of texts that are in no list of answers.
    pub(super) fn of(
        root: Value<'t>,
        kind: &str,
        outer: u32,
        calls: Option<&'s mut Calls>,
    ) -> Self {
        Self::read(root, kind, outer, calls, false)
    }

    /// The same of an event of no known format.
    pub(super) fn of_generic(root: Value<'t>, kind: &str, outer: u32) -> Self {
        Self::read(root, kind, outer, None, true)
    }

    fn read(
        root: Value<'t>,
        kind: &str,
        outer: u32,
        calls: Option<&'s mut Calls>,
        is_generic: bool,
    ) -> Self {
        let mut places = Self {
            strings: Vec::new(),
            ended: BTreeSet::new(),
            enders: Vec::new(),
            reached: BTreeMap::new(),
            signatures: Vec::new(),
            due: Vec::new(),
            calls,
            is_generic,
            growing: Vec::new(),
            names: Vec::new(),
            elements: BTreeSet::new(),
        };
        let at = places.origin(root, kind, outer);
        if root.is_object() {
            places.object(root, &at);
        } else {
            places.value(root, "", at);
        }
        places
    }

    /// The way to the members of an event.
    fn origin(&mut self, root: Value<'t>, kind: &str, outer: u32) -> At {
        let mut at = At {
            place: DefaultHasher::new(),
            unkeyed: DefaultHasher::new(),
            keys: Keys::None,
            first_key: None,
            element: None,
            is_in_answer: false,
            outer,
            stage: Stage::Other,
            inner: PARTS
                .iter()
                .find_map(|name| number(root, name))
                .unwrap_or(0),
            is_in_call: false,
            is_followed: false,
            delta: Delta::Outside,
        };
        let has_answers = ANSWERS.iter().any(|name| root.member(name).is_some());
        if has_answers {
            // Answers name their texts. The id of a chunk is that of its reply, and some servers give each chunk its own,
            // or name the events of some chunks only.
            at.add(root.member("type").map(Value::text).unwrap_or_default());
            return at;
        }
        at.add(kind);
        if !counts_tokens(root) {
            self.add_keys(&mut at, names_of(root));
            if at.keys != Keys::None && names_of_texts(root).is_none() {
                at.keys = Keys::OfEvent;
            }
        }
        at
    }

    /// Adds the keys of an object outside lists: they name a text, or count events.
    fn add_keys(&mut self, at: &mut At, names: Option<Names>) {
        let Some(names) = names else { return };
        let key = names.key();
        key.hash(&mut at.place);
        at.keys = Keys::OfTexts;
        if at.first_key.is_none() {
            at.first_key = Some(key);
            if self.is_generic {
                self.names.push(names);
            }
        }
    }

    /// The string that begins here, if it may be a piece.
    pub(super) fn at(&self, start: usize) -> Option<&Placed<'t>> {
        let strings = &self.strings;
        let found = strings.binary_search_by_key(&start, |placed| placed.value.start());
        strings.get(found.ok()?)
    }

    fn value(&mut self, value: Value<'t>, name: &str, mut at: At) {
        match value.kind() {
            Kind::Object | Kind::Array if REPORTS.contains(&name) => {}
            // A call in one event: what it is given is whole.
            Kind::Object if self.is_generic && GIVEN.contains(&name) => self.given(at),
            Kind::Object => {
                at.add(type_of(value));
                if self.is_generic && is_thought(value) {
                    at.add(Stage::Thought);
                    at.stage = Stage::Thought;
                }
                self.add_keys(&mut at, names_of_texts(value));
                self.object(value, &at);
            }
            Kind::Array => self.list(value, name, &at),
            Kind::String if is_reason(name, value) => {
                self.ended.insert(at.outer);
                if self.is_generic && !at.is_in_answer {
                    self.enders
                        .push(at.element.map_or(Ender::Event, Ender::Element));
                }
            }
            Kind::String if !is_whole(name) => self.string(value, &at),
            _ => {}
        }
    }

    /// Reads what a call is given.
    fn given(&mut self, mut at: At) {
        if at.is_in_answer && !at.is_followed {
            at.stage = Stage::Call;
            self.reach(&at);
        }
    }

    fn string(&mut self, value: Value<'t>, at: &At) {
        if is_filled(value) {
            self.reach(at);
        }
        self.strings.push(Placed {
            value,
            channel: at.channel(),
            unkeyed: at.without_keys(),
            key: at.first_key.or(at.element),
            is_in_delta: at.delta != Delta::Outside,
            is_followed: at.is_followed,
        });
    }

    fn object(&mut self, object: Value<'t>, at: &At) {
        for (key, member) in object.members() {
            let name = key.text();
            let mut to = self.member(at, &name, member.is_string());
            if to.stage == Stage::Call && member.is_object() {
                self.reach(&to);
                let is_call = name == "function_call" && !at.is_in_call;
                if let Some(calls) = self.calls.as_mut().filter(|_| is_call) {
                    to.is_in_call = true;
                    let call = calls.name(at.outer, u32::MAX, member);
                    self.growing.push((member, call));
                }
            }
            if name == "signature" && is_filled(member) {
                self.signature(object, member, at);
            } else {
                self.value(member, &name, to);
            }
        }
    }

    /// The way to a member.
    fn member(&self, at: &At, name: &str, is_text: bool) -> At {
        let mut to = at.member(name);
        if self.calls.is_some() && at.delta == Delta::Itself {
            to.stage = stage(name);
        } else if self.is_generic && at.stage == Stage::Other {
            to.stage = stage_by_name(name, is_text);
        }
        to
    }

    fn list(&mut self, list: Value<'t>, name: &str, at: &At) {
        let are_answers = ANSWERS.contains(&name);
        let are_calls = name == "tool_calls" && at.stage == Stage::Call && !at.is_in_call;
        let is_sequence = SEQUENCES.contains(&name);
        let several = list.elements().nth(1).is_some();
        let start_of_last = || list.elements().last().map(Value::start);
        let final_start = is_sequence.then(start_of_last).flatten();
        for (position, element) in (0_u32..).zip(list.elements()) {
            let mut to = at.clone();
            if are_answers {
                to.outer = number(element, "index").unwrap_or(position);
                to.is_in_answer = true;
            }
            if PIECES.contains(&name) {
                let goes_on = element.member("willContinue");
                to.is_followed |= goes_on.is_none_or(|goes_on| goes_on.raw() != "true");
            }
            if are_calls {
                self.call(element, several.then_some(position), to);
            } else if let Some(names) = names_of(element) {
                to.add(names.key());
                if self.is_generic && !are_answers && to.first_key.is_none() {
                    to.element = Some(names.key());
                    self.elements.insert(names.key());
                }
                self.object(element, &to);
            } else if is_sequence {
                to.is_followed |= final_start != Some(element.start());
                self.value(element, name, to);
            } else {
                to.add(position);
                self.value(element, name, to);
            }
        }
    }

    fn call(&mut self, call: Value<'t>, position: Option<u32>, mut at: At) {
        self.reach(&at);
        let Some(calls) = &mut self.calls else { return };
        let (index, found) = calls.find(at.outer, position, call, &mut self.due);
        self.growing.push((call, found));
        (at.inner, at.is_in_call) = (index, true);
        at.add(at.inner);
        self.object(call, &at);
    }

    /// Records what a signature signs that is not next to it.
    fn signature(&mut self, object: Value<'t>, signature: Value<'t>, at: &At) {
        let is_elsewhere = |name: &&str| !object.member(name).is_some_and(is_filled);
        let texts = SIGNED.into_iter().filter(is_elsewhere);
        let channels = texts.map(|name| (self.member(at, name, true).channel(), signature));
        let channels: Vec<_> = channels.collect();
        self.signatures.extend(channels);
    }

    fn reach(&mut self, at: &At) {
        if matches!(at.stage, Stage::Answer | Stage::Call) {
            let reached = self.reached.entry(at.outer).or_insert(at.stage);
            *reached = at.stage.max(*reached);
        }
    }
}

/// What a member of a `chat_style` delta is.
fn stage(name: &str) -> Stage {
    match name {
        "reasoning" | "reasoning_content" | "reasoning_details" | "thinking_blocks" => {
            Stage::Thought
        }
        "content" | "refusal" | "audio" => Stage::Answer,
        "tool_calls" | "function_call" => Stage::Call,
        _ => Stage::Other,
    }
}

/// The same where no format says it: what is thought comes before what is answered.
fn stage_by_name(name: &str, is_text: bool) -> Stage {
    match name {
        "reasoning" | "reasoning_content" | "reasoningContent" | "thinking" | "thought"
        | "tool_plan" => Stage::Thought,
        "content" | "response" | "text" if is_text => Stage::Answer,
        _ => Stage::Other,
    }
}

/// Whether a part says that it is a thought, as those of Gemini do.
fn is_thought(part: Value<'_>) -> bool {
    let thought = part.member("thought");
    thought.is_some_and(|thought| thought.raw() == "true")
}

/// The channel of the one empty string of an event, and where it begins.
pub(super) fn text_at(kind: &str, data: &str, outer: u32) -> Option<(Channel, usize)> {
    let tape = Tape::scan(data, 16).ok()?;
    let places = Places::of(tape.root(data), kind, outer, None);
    let mut strings = places.strings.iter();
    let text = strings.find(|placed| placed.value.raw_content().is_empty())?;
    Some((text.channel, text.value.start()))
}

/// The channel of events with this name whose data is not JSON.
pub(crate) fn text_channel(name: Option<&str>) -> Channel {
    let mut place = DefaultHasher::new();
    kind_of_name(name).hash(&mut place);
    Channel {
        outer: u32::MAX,
        stage: Stage::Other,
        inner: 0,
        place: place.finish(),
    }
}

/// The type of an object. A signature has the place of what it signs.
fn type_of(object: Value<'_>) -> Option<&str> {
    object.member("type").map(|kind| match kind.raw() {
        "\"signature_delta\"" => "\"thinking_delta\"",
        kind => kind,
    })
}

/// The members of an object that distinguish its texts from others; `None` if it has none.
pub(super) fn names_of(object: Value<'_>) -> Option<Names> {
    let by_id = || Names::of(object, [ID].into_iter()).filled();
    names_of_texts(object).or_else(by_id)
}

fn names_of_texts(object: Value<'_>) -> Option<Names> {
    let ids: &[&str] = match object.member(OUTPUT_INDEX) {
        None => &IDS,
        Some(_) => &[],
    };
    Names::of(object, INDEXES.iter().chain(ids).copied()).filled()
}
