//! Who wrote each text of a request, and which tool returned it.
//!
//! Based on shape alone, so that it works for every format: messages have a role, results of tools
//! a type or a name. If the shape is ambiguous, the speaker is unknown.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::BTreeMap;

use super::calls::{GIVEN, GIVEN_BUILT_IN, space_of};
use crate::Origin;
use crate::base::word_list::WordList;
use crate::json::{Kind, Value};
use crate::schema::tool::Tool;

/// Top-level members that the developer of the client writes.
const INSTRUCTIONS: &[&str] = &[
    "system",
    "instructions",
    "additional_instructions",
    "systemInstruction",
    "system_instruction",
    "tools",
    "functions",
    "toolConfig",
    "preamble",
];

/// Those that hold a conversation.
const CONVERSATION: &[&str] = &[
    "messages",
    "input",
    "contents",
    "items",
    "chat_history",
    "additional_messages",
    "instances",
];

/// Those that hold what the user wrote, as one text.
const PROMPTS: &[&str] = &["prompt", "query", "message", "text", "inputText", "inputs"];

/// Members with retrieved content.
const LOOKED_UP: &[&str] = &["documents", "data_sources"];

/// Members with one or more whole requests.
const REQUESTS: &[&str] = &["requests", "params", "body", "request", "thread"];

/// The words of a name for what a tool gave: one of each, such as `tool_outputs` or `functionResponse`.
const DOES: &[&str] = &[
    "tool",
    "function",
    "call",
    "search",
    "invocation",
    "execution",
];
const GAVE: &[&str] = &["result", "output", "response", "return"];

/// How a result names its call.
pub(super) const CALL_IDS: &[&str] = &[
    "tool_use_id",
    "tool_call_id",
    "call_id",
    "toolUseId",
    "toolCallId",
];

/// Who wrote a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum Speaker {
    /// It is unknown.
    #[default]
    Unknown,
    System,
    User,
    /// The model, in an earlier turn.
    Model,
    /// This tool, or an unknown one.
    Tool(Option<Tool>),
}

/// Who wrote the texts of a body.
#[derive(Debug)]
pub(crate) struct Speakers<'t> {
    root: Value<'t>,
    /// Apart from each other, in the order of the body.
    stretches: Vec<Stretch<'t>>,
    /// Read only once a tool's result asks for its call.
    calls: OnceCell<Calls<'t>>,
}

/// A part of a body with one author.
#[derive(Debug)]
struct Stretch<'t> {
    start: usize,
    end: usize,
    author: Author<'t>,
    /// Looked up only once a rule asks: origins need no names of tools.
    speaker: OnceCell<Speaker>,
}

/// Who wrote a text; of a tool, the result in which it stands.
#[derive(Debug, Clone, Copy)]
pub(super) enum Author<'t> {
    Unknown,
    System,
    User,
    Model,
    Tool(Value<'t>),
}

/// The tools by the ids of their calls; none where two calls have one id.
#[derive(Debug, Default)]
struct Calls<'t>(BTreeMap<Cow<'t, str>, Option<Tool>>);

/// A part of a body.
pub(super) enum Part<'t> {
    Attributed(Value<'t>, Author<'t>),
    Message(Value<'t>),
    /// What a tool gave.
    Result(Value<'t>),
    /// A member that no format has there.
    Other(Value<'t>),
}

/// The parts of a body with texts, in order.
pub(super) fn parts<'t>(root: Value<'t>, each: &mut impl FnMut(Part<'t>)) {
    if root.member("role").is_some() {
        return each(Part::Message(root));
    }
    for (key, member) in root.members() {
        let name = key.text();
        let name = &*name;
        if INSTRUCTIONS.contains(&name) {
            each(Part::Attributed(member, Author::System));
        } else if LOOKED_UP.contains(&name) || names_result(name) {
            each(Part::Result(member));
        } else if PROMPTS.contains(&name) && member.is_string() {
            each(Part::Attributed(member, Author::User));
        } else if CONVERSATION.contains(&name) {
            message(member, each);
            member.elements().for_each(|element| message(element, each));
        } else if REQUESTS.contains(&name) {
            parts(member, each);
            member.elements().for_each(|request| parts(request, each));
        } else {
            each(Part::Other(member));
        }
    }
}

/// A message of a conversation, or a body in its place, such as the state of a graph.
fn message<'t>(value: Value<'t>, each: &mut impl FnMut(Part<'t>)) {
    const OF_MESSAGES: [&str; 5] = ["role", "type", "content", "parts", "text"];
    let is_of_message = |key: Value<'_>| OF_MESSAGES.iter().any(|name| key.is_text(name));
    let is_body = value.is_object()
        && !value.members().any(|(key, _)| is_of_message(key))
        && !is_result(value);
    if is_body {
        parts(value, each);
    } else {
        each(Part::Message(value));
    }
}

/// Whether the name of a member or a type says that a tool gave it.
fn names_result(name: &str) -> bool {
    // One word of each, which share a letter at most.
    const SHORTEST: usize = "output".len() + "tool".len() - 1;
    name.len() >= SHORTEST
        && may_say_gave(name)
        && contains_any(name, GAVE)
        && contains_any(name, DOES)
}

/// Whether a name holds what a word of [`GAVE`] begins with.
fn may_say_gave(name: &str) -> bool {
    let mut pairs = name.as_bytes().array_windows();
    pairs
        .any(|[first, second]| matches!((first | 0x20, second | 0x20), (b'r', b'e') | (b'o', b'u')))
}

fn contains_any(name: &str, words: &[&str]) -> bool {
    let mut rest = name.as_bytes();
    while let Some(first) = rest.first().map(u8::to_ascii_lowercase) {
        let begins = |word: &[u8]| {
            // Nearly always the first letter tells.
            word.first() == Some(&first)
                && rest
                    .get(..word.len())
                    .is_some_and(|text| text.eq_ignore_ascii_case(word))
        };
        if words.iter().any(|word| begins(word.as_bytes())) {
            return true;
        }
        rest = rest.get(1..).unwrap_or_default();
    }
    false
}

/// The names that tell whether an object is what a tool gave: all of those below.
static TELLING: WordList = WordList::of(&[
    "action",
    "action_input",
    "actions",
    "args",
    "arguments",
    "call_id",
    "code",
    "command",
    "commands",
    "functionArgs",
    "functionArguments",
    "functionInput",
    "functionParameters",
    "function_args",
    "function_arguments",
    "function_input",
    "function_parameters",
    "input",
    "operation",
    "output",
    "queries",
    "result",
    "toolArgs",
    "toolCallId",
    "toolInput",
    "toolParameters",
    "toolUseId",
    "tool_args",
    "tool_arguments",
    "tool_call_id",
    "tool_input",
    "tool_kwargs",
    "tool_parameters",
    "tool_use_id",
    "type",
]);

/// Whether an object is what a tool gave or a search found: its type says so, or it names a call and is none.
pub(super) fn is_result(object: Value<'_>) -> bool {
    let (mut names_call, mut is_call, mut gave) = (false, false, false);
    for (key, member) in object.members() {
        let name = key.text();
        let name = &*name;
        if !TELLING.may_hold(name) {
            continue;
        }
        if name == "type" && member.is_string() && names_result(&member.text()) {
            return true;
        }
        names_call |= CALL_IDS.contains(&name);
        is_call |= GIVEN.contains(&name) || GIVEN_BUILT_IN.contains(&name);
        gave |= name == "output" || name == "result";
    }
    names_call && (gave || !is_call)
}

/// The outermost results of tools within a value, in order. What a call is given holds none.
fn results<'t>(value: Value<'t>, found: &mut Vec<Value<'t>>) {
    if is_result(value) {
        found.push(value);
    } else {
        results_within(value, found);
    }
}

/// Those within a value that is none itself.
fn results_within<'t>(value: Value<'t>, found: &mut Vec<Value<'t>>) {
    let holds_any = |value: Value<'_>| matches!(value.kind(), Kind::Object | Kind::Array);
    for (key, member) in value.members() {
        let name = key.text();
        if names_result(&name) {
            found.push(member);
        } else if holds_any(member) && !GIVEN.contains(&&*name) {
            results(member, found);
        }
    }
    let elements = value.elements().filter(|element| holds_any(*element));
    elements.for_each(|element| results(element, found));
}

impl<'t> Speakers<'t> {
    /// Of a request with this body.
    pub(crate) fn of(root: Value<'t>) -> Self {
        let mut speakers = Self {
            root,
            stretches: Vec::new(),
            calls: OnceCell::new(),
        };
        parts(root, &mut |part| match part {
            Part::Attributed(text, author) => speakers.add(text, author),
            Part::Message(message) => speakers.message(message),
            Part::Result(result) => speakers.add(result, Author::Tool(result)),
            Part::Other(member) => speakers.results_in(member),
        });
        speakers
    }

    /// Who wrote the text that begins here.
    pub(crate) fn of_text(&self, start: usize) -> &Speaker {
        let stretch = self.stretch_at(start);
        stretch.map_or(&Speaker::Unknown, |stretch| {
            stretch.speaker.get_or_init(|| self.speaker(stretch.author))
        })
    }

    /// Who brought the text that begins here. A member that no format has beside the conversation is the client's
    /// own, but not where the format itself is unknown.
    pub(crate) fn origin(&self, start: usize, is_generic: bool) -> Origin {
        match self.stretch_at(start).map(|stretch| stretch.author) {
            Some(Author::User) => Origin::User,
            Some(Author::System) => Origin::System,
            Some(_) => Origin::Tool,
            None if is_generic => Origin::Tool,
            None => Origin::User,
        }
    }

    fn stretch_at(&self, start: usize) -> Option<&Stretch<'t>> {
        let at = self
            .stretches
            .partition_point(|stretch| stretch.end <= start);
        let stretch = self.stretches.get(at);
        stretch.filter(|stretch| stretch.start <= start)
    }

    fn speaker(&self, author: Author<'t>) -> Speaker {
        match author {
            Author::Unknown => Speaker::Unknown,
            Author::System => Speaker::System,
            Author::User => Speaker::User,
            Author::Model => Speaker::Model,
            Author::Tool(result) => Speaker::Tool(self.tool(result)),
        }
    }

    fn message(&mut self, message: Value<'t>) {
        if message.is_string() {
            return self.add(message, Author::User);
        }
        if !message.is_object() {
            return;
        }
        let mut roles = message.members().filter(|(key, _)| key.is_text("role"));
        let first = roles.next();
        let has_role = first.is_some();
        let role = match first {
            Some((_, role)) => Some(role).filter(|_| roles.next().is_none()),
            None => sole(message, "type"),
        };
        let role = role.map(|role| lowered(role.text()));
        match role.as_deref() {
            _ if is_result(message) => self.add(message, Author::Tool(message)),
            Some("system" | "developer") => self.attribute(message, Author::System),
            Some("user" | "human") => self.attribute(message, Author::User),
            Some("assistant" | "model" | "chatbot" | "ai") => {
                self.attribute(message, Author::Model);
            }
            Some("tool" | "function") => self.attribute(message, Author::Tool(message)),
            _ if has_role => self.add(message, Author::Unknown),
            kind => self.item(message, kind),
        }
    }

    /// An item without a role.
    fn item(&mut self, item: Value<'t>, kind: Option<&str>) {
        let is_message = match kind {
            None => item.member("type").is_none(),
            Some(kind) => matches!(
                kind,
                "text" | "input_text" | "image_url" | "input_image" | "input_file" | "message"
            ),
        };
        let is_call = kind.is_some_and(|kind| kind.ends_with("_call") || kind == "reasoning");
        if is_message || item.member("parts").is_some() {
            self.attribute(item, Author::User);
        } else if is_call && item.member("output").is_none() {
            self.add(item, Author::Model);
        } else {
            self.add(item, Author::Unknown);
        }
    }

    /// What an author wrote, which is no tool's result: one in it is the tool's.
    fn attribute(&mut self, value: Value<'t>, author: Author<'t>) {
        let mut found = Vec::new();
        results_within(value, &mut found);
        let mut from = value.start();
        for result in found {
            self.add_stretch(from, result.start(), author);
            self.add(result, Author::Tool(result));
            from = result.end();
        }
        self.add_stretch(from, value.end(), author);
    }

    fn results_in(&mut self, value: Value<'t>) {
        let mut found = Vec::new();
        results(value, &mut found);
        for result in found {
            self.add(result, Author::Tool(result));
        }
    }

    /// The tool that gave a result.
    fn tool(&self, result: Value<'t>) -> Option<Tool> {
        let ids = CALL_IDS.iter();
        let ids: Vec<_> = ids
            .flat_map(|id| result.members().filter(move |(key, _)| key.is_text(id)))
            .collect();
        match ids.as_slice() {
            [(_, id)] => {
                let calls = self.calls.get_or_init(|| Calls::of(self.root));
                calls.0.get(&id.text())?.clone()
            }
            [] => named(result),
            _ => None,
        }
    }

    fn add(&mut self, value: Value<'t>, author: Author<'t>) {
        self.add_stretch(value.start(), value.end(), author);
    }

    fn add_stretch(&mut self, start: usize, end: usize, author: Author<'t>) {
        self.stretches.push(Stretch {
            start,
            end,
            author,
            speaker: OnceCell::new(),
        });
    }
}

impl<'t> Calls<'t> {
    fn of(root: Value<'t>) -> Self {
        let mut calls = Self::default();
        parts(root, &mut |part| {
            if let Part::Message(message) = part {
                calls.message(message);
            }
        });
        calls
    }

    fn message(&mut self, message: Value<'t>) {
        self.call(message, "call_id");
        for name in ["tool_calls", "content", "parts"] {
            let parts = sole(message, name).into_iter().flat_map(Value::elements);
            for part in parts {
                self.call(part, "id");
                if let Some(call) = sole(part, "toolUse") {
                    self.call(call, "toolUseId");
                }
            }
        }
    }

    fn call(&mut self, call: Value<'t>, id: &str) {
        let below = ["function", "custom"]
            .into_iter()
            .find_map(|name| call.member(name));
        let named = named(below.unwrap_or(call));
        let id = sole(call, id).filter(|id| id.is_string());
        let (Some(id), Some(_)) = (id, &named) else {
            return;
        };
        let known = self.0.entry(id.text()).or_insert_with(|| named.clone());
        if *known != named {
            *known = None;
        }
    }
}

/// A text in lower case, as most are.
fn lowered(text: Cow<'_, str>) -> Cow<'_, str> {
    if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return Cow::Owned(text.to_ascii_lowercase());
    }
    text
}

/// The tool that a call or a result names, unless in several ways.
fn named(object: Value<'_>) -> Option<Tool> {
    let name = sole(object, "name").filter(|name| name.is_string())?;
    Some(Tool::of(&space_of(object)?, &name.text()))
}

/// The member of this name, unless there are several.
pub(crate) fn sole<'t>(object: Value<'t>, name: &str) -> Option<Value<'t>> {
    let mut found = object.members().filter(|(key, _)| key.is_text(name));
    let (_, first) = found.next()?;
    found.next().is_none().then_some(first)
}

#[cfg(test)]
mod tests;
