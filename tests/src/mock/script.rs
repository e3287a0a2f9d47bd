//! What a well-behaved provider answers.

use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::held::Held;
use super::record::Recorded;
use super::wire::{self, Head, Schema};
use super::{Response, agent};

/// How long a delta is when the model doesn't say.
const DELTA: usize = 7;

/// How many of the stored texts are repeated, the latest ones.
const RECALLED: usize = 6;

/// What is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Script {
    /// The text of the last turn.
    Echo,
    /// A reasoning or thinking block about it, then the text.
    Thinking,
    /// A tool call whose arguments contain the text; after its result, an echo of the result.
    Tools,
    /// Thinking, text and two tool calls.
    Everything,
    /// The text as a member of a JSON document.
    Json,
    /// The text after the `/` of the model's name.
    Says,
    /// A tool call with the text after the `/` of the model's name.
    Calls,
    /// The provider's stored texts of earlier turns, one per line, then the text.
    Recalls,
    /// What a page asks for: a fetch of a URL with every token of the request, and a file with the same.
    Obeys,
    /// The model of an agent: see [`super::agent`]. Without tools an echo.
    Agent,
    /// The same for one whose page makes it send what it read to a stranger.
    Misled,
    /// An HTTP error that quotes the request.
    Error(u16),
}

impl Script {
    pub(super) fn named(name: &str) -> Self {
        match name {
            "thinking" => Self::Thinking,
            "tools" => Self::Tools,
            "everything" => Self::Everything,
            "json" => Self::Json,
            "says" => Self::Says,
            "calls" => Self::Calls,
            "recalls" => Self::Recalls,
            "obeys" => Self::Obeys,
            "agent" => Self::Agent,
            "misled" => Self::Misled,
            _ => match name.strip_prefix("error-").map(str::parse) {
                Some(Ok(status)) => Self::Error(status),
                _ => Self::Echo,
            },
        }
    }

    /// What an agent's model answers; none of another model, or without a tool to run commands with.
    pub(super) fn of_agent(self, body: &Value) -> Option<Answer> {
        match self {
            Self::Agent => agent::answer(body),
            Self::Misled => agent::misled(body),
            _ => None,
        }
    }
}

/// One request in one of the wire formats.
#[derive(Debug)]
pub(super) struct Turn {
    pub(super) schema: Schema,
    path: String,
    pub(super) body: Value,
    /// The id of its response.
    id: String,
    /// The texts of the history that it names.
    before: Vec<String>,
}

/// What the model says in one turn.
#[derive(Debug, Clone, Default)]
pub(super) struct Answer {
    pub(super) thinking: Option<String>,
    pub(super) text: String,
    pub(super) calls: Vec<Call>,
}

/// A tool call.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) name: String,
    pub(super) arguments: Value,
    /// A rule may keep its tokens from the client, who then sends other arguments back.
    pub(super) may_be_kept: bool,
}

impl Call {
    pub(super) fn new(name: impl Into<String>, arguments: Value) -> Self {
        Self {
            name: name.into(),
            arguments,
            may_be_kept: false,
        }
    }

    /// A call of the tool that the scripts make up.
    fn run(arguments: Value) -> Self {
        Self::new("run", arguments)
    }

    pub(super) fn id(&self) -> String {
        if self.may_be_kept {
            return format!("kept_{}", digest(&self.arguments.to_string()));
        }
        call_id(&self.arguments)
    }
}

impl Turn {
    /// Reads a request and stores its text; `None` if its body is not a JSON object.
    pub(super) fn read(schema: Schema, request: &Recorded, held: &Held) -> Option<Self> {
        let body = request.json();
        let turn = Self {
            schema,
            path: request.path().to_owned(),
            id: wire::id("resp"),
            before: held.before(&body),
            body,
        };
        if schema == Schema::Responses {
            held.keep(&turn.body, &turn.id, turn.before.clone(), turn.prompt());
        }
        turn.body.is_object().then_some(turn)
    }

    fn model(&self) -> &str {
        self.body["model"].as_str().unwrap_or_default()
    }

    /// The model's name without its delta size.
    pub(super) fn script_name(&self) -> &str {
        self.model().split('/').next().unwrap_or_default()
    }

    fn delta(&self) -> usize {
        let size = self
            .model()
            .split('/')
            .nth(1)
            .and_then(|size| size.parse().ok());
        size.unwrap_or(DELTA).max(1)
    }

    /// Whether the reply is an event stream.
    pub(super) fn streams(&self) -> bool {
        self.body["stream"] == true
    }

    /// The whole reply.
    pub(super) fn respond(&self) -> Response {
        if let Some(counted) = wire::counted(&self.path, &self.prompt()) {
            return Response::json(200, &counted);
        }
        if let Err(reason) = check_history(&self.body) {
            return Response::json(400, &wire::error(400, &reason));
        }
        match Script::named(self.script_name()) {
            Script::Error(status) => {
                let message = format!("cannot answer '{}'", self.prompt());
                Response::json(status, &wire::error(status, &message))
            }
            script => self.render(&self.answer(script)),
        }
    }

    /// The events of an echo, for a misbehaviour to spoil.
    pub(super) fn echo_events(&self) -> Vec<String> {
        wire::events(self.head(), &self.answer(Script::Echo), self.delta())
    }

    /// The batch reply of an echo, for a misbehaviour to spoil.
    pub(super) fn echo_batch(&self) -> Value {
        wire::batch(self.head(), &self.answer(Script::Echo))
    }

    /// The text of the last turn: of the user or a tool.
    pub(super) fn prompt(&self) -> String {
        let turns = match self.schema {
            Schema::Responses => &self.body["input"],
            _ => &self.body["messages"],
        };
        let last = turns
            .as_array()
            .and_then(|turns| turns.last())
            .unwrap_or(turns);
        text_of(last)
    }

    fn head(&self) -> Head<'_> {
        Head {
            schema: self.schema,
            model: self.model(),
            id: &self.id,
        }
    }

    fn render(&self, answer: &Answer) -> Response {
        if self.streams() {
            let events = wire::events(self.head(), answer, self.delta());
            Response::events(&events)
        } else {
            Response::json(200, &wire::batch(self.head(), answer))
        }
    }

    fn answer(&self, script: Script) -> Answer {
        if let Some(answer) = script.of_agent(&self.body) {
            return answer;
        }
        let prompt = self.prompt();
        let run = json!({"command": prompt, "timeout": 1.5});
        let answered = self.last_is_tool_result();
        let given = self.model().split_once('/').unwrap_or_default().1;
        let (thinking, calls) = match script {
            Script::Calls => (false, vec![Call::run(json!({"command": given}))]),
            Script::Obeys => (false, agent::obeyed(&self.body)),
            Script::Thinking => (true, vec![]),
            Script::Tools if !answered => (false, vec![Call::run(run)]),
            Script::Everything if !answered => (
                true,
                vec![
                    Call::run(run),
                    Call::run(json!({"paths": [prompt, "/tmp"], "note": ""})),
                ],
            ),
            _ => (false, vec![]),
        };
        Answer {
            thinking: thinking.then(|| format!("They said: {prompt}")),
            text: match script {
                Script::Json => json!({"said": prompt}).to_string(),
                Script::Says => given.to_owned(),
                Script::Recalls => self.recalled(prompt),
                Script::Tools | Script::Calls | Script::Obeys if !calls.is_empty() => String::new(),
                _ => prompt,
            },
            calls,
        }
    }

    fn recalled(&self, prompt: String) -> String {
        let forgotten = self.before.len().saturating_sub(RECALLED);
        let mut lines = self.before[forgotten..].to_vec();
        lines.push(prompt);
        lines.join("\n")
    }

    fn last_is_tool_result(&self) -> bool {
        let last = |list: &Value| list.as_array().and_then(|list| list.last().cloned());
        let turn = last(&self.body["messages"]).or_else(|| last(&self.body["input"]));
        let turn = turn.unwrap_or_default();
        turn["role"] == "tool"
            || turn["type"] == "function_call_output"
            || last(&turn["content"]).is_some_and(|part| part["type"] == "tool_result")
    }
}

/// A provider rejects history that is not what it wrote: signed blocks, and here calls, too.
pub(super) fn check_history(body: &Value) -> Result<(), String> {
    let mut wrong = None;
    walk(body, &mut |object| {
        if let Some(reason) = wrong_block(object) {
            wrong = Some(reason);
        }
    });
    wrong.map_or(Ok(()), Err)
}

fn wrong_block(object: &Value) -> Option<String> {
    if let (Some(signature), Some(thinking)) =
        (object["signature"].as_str(), object["thinking"].as_str())
        && !signs(signature, thinking)
    {
        return Some("thinking blocks in the latest message cannot be modified".to_owned());
    }
    let ids = ["call_id", "id", "thoughtSignature"];
    let id = ids.iter().find_map(|name| object[name].as_str())?;
    let text = object["arguments"]
        .as_str()
        .or_else(|| object["function"]["arguments"].as_str());
    let arguments = match text {
        Some(text) => serde_json::from_str(text).unwrap_or(Value::Null),
        None if object["functionCall"].is_object() => object["functionCall"]["args"].clone(),
        None => object["input"].clone(),
    };
    let changed = id.starts_with("call_") && !arguments.is_null() && id != call_id(&arguments);
    changed.then(|| format!("the arguments of {id} are not those of the call"))
}

/// A signature of a thinking block. No two are the same.
pub(super) fn signature_of(thinking: &str) -> String {
    static GIVEN: AtomicU64 = AtomicU64::new(0);
    let number = GIVEN.fetch_add(1, Ordering::Relaxed);
    format!("sig{number}.{}", digest(thinking))
}

fn signs(signature: &str, thinking: &str) -> bool {
    let of_text = signature.split_once('.').map(|(_, of_text)| of_text);
    of_text == Some(digest(thinking).as_str())
}

/// The id of a tool call; it depends on the arguments.
fn call_id(arguments: &Value) -> String {
    format!("call_{}", digest(&arguments.to_string()))
}

fn digest(text: &str) -> String {
    Sha256::digest(text)
        .iter()
        .take(12)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// The text of a turn in any of the formats.
pub(super) fn text_of(turn: &Value) -> String {
    match turn {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().map(text_of).collect(),
        Value::Object(_) => ["text", "content", "output"]
            .iter()
            .map(|name| text_of(&turn[name]))
            .collect(),
        _ => String::new(),
    }
}

pub(super) fn walk(value: &Value, visit: &mut impl FnMut(&Value)) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| walk(item, visit)),
        Value::Object(members) => {
            visit(value);
            members.values().for_each(|member| walk(member, visit));
        }
        _ => {}
    }
}
