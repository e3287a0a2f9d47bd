//! Finds the strings of a reply that are arguments of calls, and the tool they belong to.
//!
//! Based on shape alone, so that it works for every format: a call names its tool next to its
//! arguments.

use std::borrow::Cow;

use super::Form;
use super::event::Call as GrowingCall;
use super::speakers::sole;
use crate::json::{Kind, Value};
use crate::schema::tool::Tool;

/// What names the tool of a call.
const NAMES: &[&str] = &[
    "name",
    "toolName",
    "tool_name",
    "function",
    "function_name",
    "tool",
    "toolCallName",
    "tool_call_name",
];

/// What identifies a call beside a piece of it, in letters alone.
const CALL_IDS: &[&str] = &["toolcallid", "tooluseid", "functioncallid"];

/// What names the server or the namespace of a tool, beside its name.
const SPACES: &[&str] = &[
    "namespace",
    "server_label",
    "server_name",
    "toolset_name",
    "serverName",
    "actionGroup",
];

/// Names of a call's arguments.
pub(super) const GIVEN: &[&str] = &[
    "arguments",
    "input",
    "args",
    "tool_input",
    "toolInput",
    "tool_args",
    "toolArgs",
    "tool_arguments",
    "tool_kwargs",
    "tool_parameters",
    "toolParameters",
    "function_args",
    "functionArgs",
    "function_arguments",
    "functionArguments",
    "function_input",
    "functionInput",
    "function_parameters",
    "functionParameters",
    "action_input",
];

/// Those of them that others than calls have.
const GIVEN_TO_OTHERS: [&str; 2] = ["input", "args"];

/// What the names of a string have in them that is a piece of arguments, beside the id of the call.
const GIVEN_IN_PIECES: &[&str] = &["delta", "arg", "input", "param", "json", "partial", "chunk"];

/// Names of a list of pieces of arguments.
pub(super) const PIECES: &[&str] = &["partialArgs", "partial_args"];

/// More names of arguments, for calls without a name.
pub(super) const GIVEN_BUILT_IN: &[&str] = &[
    "action",
    "actions",
    "operation",
    "code",
    "queries",
    "command",
    "commands",
];

/// The members that are calls, and may leave out the name while they stream, in letters alone.
const CALLS: &[&str] = &[
    "toolcall",
    "toolcalls",
    "toolcalldelta",
    "toolcalldeltas",
    "toolcallchunk",
    "toolcallchunks",
    "functioncall",
    "functioncalls",
    "tooluse",
    "function",
    "custom",
    "functioninvocationinput",
    "apiinvocationinput",
];

/// What else a call has than its name and what it is given: its kind and its results, and its pieces in an event.
const OTHERS: &[&str] = &[
    "type", "id", "output", "outputs", "result", "results", "error", "delta",
];

/// The kinds of calls that need a name to tell their tool.
const OF_ANY_TOOL: &[&str] = &["function", "custom_tool", "mcp", "tool"];

/// What is known of the call that a string is an argument of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Called {
    pub(crate) tool: Option<Tool>,
    /// The names on the way to the string; none for a text that holds all arguments, and for a member's name.
    pub(crate) argument: Option<String>,
    /// The call itself, where its name may still grow.
    pub(crate) growing: Option<GrowingCall>,
}

impl Called {
    /// The same before the name of its call is complete: it may be of any tool.
    pub(crate) fn before_name(&self) -> Self {
        Self {
            tool: self.tool.clone().filter(|_| self.growing.is_none()),
            ..self.clone()
        }
    }

    /// A string of the JSON that the argument holds, with the names on the way to it.
    pub(crate) fn at(&self, names: &str) -> Self {
        Self {
            argument: below(self.argument.as_deref(), names),
            ..self.clone()
        }
    }
}

/// The calls of a reply, or of an event.
#[derive(Debug, Default)]
pub(crate) struct CallMap<'t> {
    /// In document order, apart from each other.
    given: Vec<Given<'t>>,
    /// The tool of calls that don't name it.
    unnamed: Option<Tool>,
    /// The last tool that a call named in a format in which the pieces of one call are calls.
    last: Option<Tool>,
    /// A name within a `delta` may be the beginning of one.
    are_pieces: bool,
    /// The calls whose names may still grow, in document order.
    growing: Vec<(Value<'t>, GrowingCall)>,
    /// The calls within a `delta`.
    in_delta: Vec<Value<'t>>,
}

/// Something that a call is given.
#[derive(Debug)]
struct Given<'t> {
    tool: Option<Tool>,
    value: Value<'t>,
    /// The place in the arguments; empty for all of them.
    member: Cow<'static, str>,
}

impl<'t> CallMap<'t> {
    /// The calls of a document.
    pub(crate) fn of(root: Value<'t>) -> Self {
        Self::default().found(root)
    }

    /// The calls of an event. `unnamed` is the tool of those that don't name it.
    pub(crate) fn of_event(
        root: Value<'t>,
        unnamed: Option<Tool>,
        growing: Vec<(Value<'t>, GrowingCall)>,
    ) -> Self {
        let calls = Self {
            last: unnamed.clone(),
            unnamed,
            are_pieces: true,
            growing,
            ..Self::default()
        };
        calls.found(root)
    }

    /// The calls of an event of which it may name a part.
    pub(super) fn calls_in_delta(root: Value<'t>) -> Vec<Value<'t>> {
        Self::of_event(root, None, Vec::new()).in_delta
    }

    fn found(mut self, root: Value<'t>) -> Self {
        self.find(root, "", false);
        self.given.sort_by_key(|given| given.value.start());
        self
    }

    /// What is known of the call that a string of this form is an argument of; none when it is of none.
    pub(crate) fn called(&self, string: Value<'t>, form: Form) -> Option<Called> {
        let start = string.start();
        let Some(given) = around(&self.given, start, |given| given.value) else {
            return matches!(form, Form::Arguments | Form::Input).then(|| Called {
                tool: self.unnamed.clone(),
                argument: None,
                growing: self.growing(start),
            });
        };
        Some(Called {
            tool: given.tool.clone(),
            argument: given.argument(start),
            growing: self.growing(start),
        })
    }

    fn growing(&self, start: usize) -> Option<GrowingCall> {
        around(&self.growing, start, |(value, _)| *value).map(|(_, call)| *call)
    }

    /// Names the tool of a call that names none, or that may name more of it in the next event.
    fn name(&mut self, call: &mut Call, key: &str, in_delta: bool) {
        if in_delta {
            return call.tool.clone_from(&self.unnamed);
        }
        match (key, &call.tool) {
            ("functionCall" | "function_call", None) => call.tool.clone_from(&self.last),
            ("functionCall" | "function_call", tool) => self.last.clone_from(tool),
            (_, None) => call.tool.clone_from(&self.unnamed),
            _ => {}
        }
    }

    /// Arguments in pieces, each with its place.
    fn pieces(&mut self, list: Value<'t>, tool: Option<&Tool>) {
        for piece in list.elements() {
            let path = sole(piece, "jsonPath").map(Value::text).unwrap_or_default();
            for (key, member) in piece.members() {
                let is_path = key.is_text("jsonPath");
                let names = if is_path {
                    String::new()
                } else {
                    names_of_path(&path)
                };
                self.given.push(Given {
                    tool: tool.cloned(),
                    value: member,
                    member: names.into(),
                });
            }
        }
    }

    /// The tool whose call the next event may go on with.
    pub(super) fn last(&self) -> Option<&Tool> {
        self.last.as_ref()
    }

    /// What the calls are given.
    pub(crate) fn arguments(&self) -> impl Iterator<Item = Value<'t>> {
        self.given.iter().map(|given| given.value)
    }

    fn find(&mut self, value: Value<'t>, key: &str, in_delta: bool) {
        let in_delta = in_delta || self.are_pieces && key == "delta";
        if value.is_array() {
            let are_several = key == "candidates" && value.elements().nth(1).is_some();
            for element in value.elements() {
                self.last = self.last.take().filter(|_| !are_several);
                self.find(element, key, in_delta);
            }
            return;
        }
        let mut call = Call::of(value, key, self.are_pieces, in_delta);
        if let Some(call) = &mut call {
            self.name(call, key, in_delta);
            self.in_delta.extend(in_delta.then_some(value));
        }
        let tool = call.as_ref().and_then(|call| call.tool.as_ref());
        for (key, member) in value.members() {
            let name = key.text();
            if call.is_some() && PIECES.contains(&&*name) {
                self.pieces(member, tool);
                continue;
            }
            if let Some(place) = call.as_ref().and_then(|call| call.given(&name, member)) {
                self.give(member, tool, place.into());
                continue;
            }
            let found = self.given.len();
            if matches!(member.kind(), Kind::Object | Kind::Array) {
                self.find(member, &name, in_delta);
            }
            let may_be_given = call.as_ref().is_some_and(|call| call.may_be_given(&name));
            if may_be_given && self.given.len() == found {
                self.give(member, tool, name.into_owned().into());
            }
        }
    }

    fn give(&mut self, value: Value<'t>, tool: Option<&Tool>, member: Cow<'static, str>) {
        let tool = tool.cloned();
        self.given.push(Given {
            tool,
            value,
            member,
        });
    }
}

/// The one of these values, in document order and apart from each other, in which a string begins.
fn around<'l, 't, T>(
    list: &'l [T],
    start: usize,
    value: impl Fn(&T) -> Value<'t>,
) -> Option<&'l T> {
    let at = list.partition_point(|one| value(one).end() <= start);
    list.get(at).filter(|one| value(one).start() <= start)
}

impl Given<'_> {
    fn argument(&self, start: usize) -> Option<String> {
        below(Some(&self.member), &argument_at(self.value, start))
    }
}

/// The way to an argument below another one; none at the top of all of them.
fn below(argument: Option<&str>, names: &str) -> Option<String> {
    match (argument.unwrap_or_default(), names) {
        ("", "") => None,
        ("", names) => Some(names.to_owned()),
        (argument, "") => Some(argument.to_owned()),
        (argument, names) => Some(format!("{argument}.{names}")),
    }
}

/// The names on the way of a `JSONPath`, joined by dots: `$.headers[0]['a b']` is `headers.a b`.
fn names_of_path(path: &str) -> String {
    let steps = path.trim_start_matches('$').split(['.', '[', ']']);
    let names = steps.map(|step| step.trim_matches(['\'', '"']));
    let is_name = |step: &&str| !step.is_empty() && !step.bytes().all(|byte| byte.is_ascii_digit());
    names.filter(is_name).collect::<Vec<_>>().join(".")
}

/// An object that is a call.
struct Call {
    tool: Option<Tool>,
    /// It is identified by its type.
    is_typed: bool,
    /// It is in a list of calls.
    is_listed: bool,
    /// It is neither an event about a call nor a tool that is declared.
    is_certain: bool,
    part: Part,
}

/// How much of a call an object may be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Whole,
    /// A piece of one, beside its id.
    Piece,
    /// In a `delta`.
    InDelta,
}

impl Call {
    fn of(object: Value<'_>, key: &str, are_pieces: bool, is_in_delta: bool) -> Option<Self> {
        let kind = object.member("type").map(Value::text).unwrap_or_default();
        let is_call = kind.contains("_call") && !kind.contains("_call_output");
        let is_typed = is_call || kind.ends_with("tool_use");
        let is_listed = is_call_key(key);
        let given = || GIVEN.iter().filter(|name| object.member(name).is_some());
        let is_given = given().next().is_some();
        let named = tool_of(object).or_else(|| tool_below(object).filter(|_| is_given));
        let is_piece = are_pieces && call_id(object).is_some();
        let has_args = || object.member("args").is_some_and(Value::is_string);
        let is_call = is_typed
            || is_listed
            || is_piece
            || is_in_delta && (is_given || object.member("parameters").is_some())
            || are_pieces && has_args()
            || is_given && named.is_some()
            || given().any(|name| !GIVEN_TO_OTHERS.contains(name));
        is_call.then_some(Self {
            tool: named,
            is_typed,
            is_listed,
            is_certain: is_typed && !kind.contains('.')
                || is_listed && (is_given || !matches!(key, "function" | "custom")),
            part: match (is_piece, is_in_delta) {
                (true, _) => Part::Piece,
                (false, true) => Part::InDelta,
                (false, false) => Part::Whole,
            },
        })
    }

    /// The place of a member in a call's arguments: empty for all of them; `None` for another
    /// member.
    fn given(&self, name: &str, member: Value<'_>) -> Option<&'static str> {
        let is_listed = self.is_listed || self.part == Part::InDelta;
        let is_piece = || {
            let letters = letters(name);
            GIVEN_IN_PIECES.iter().any(|part| letters.contains(part))
        };
        if GIVEN.contains(&name)
            || is_listed && name == "parameters"
            || self.part == Part::Piece && member.is_string() && is_piece()
        {
            return Some("");
        }
        let built_in = GIVEN_BUILT_IN.iter().find(|known| **known == name)?;
        let is_whole = matches!(*built_in, "action" | "operation");
        self.is_typed
            .then_some(if is_whole { "" } else { built_in })
    }

    /// Whether a member that no format knows may be another form of the arguments.
    fn may_be_given(&self, name: &str) -> bool {
        let mut known = [OTHERS, NAMES, SPACES].into_iter();
        self.is_certain && !is_call_key(name) && !known.any(|names| names.contains(&name))
    }
}

/// The tool that an object calls: its name, or its type.
pub(super) fn tool_of(object: Value<'_>) -> Option<Tool> {
    name_of(object).map_or_else(
        || {
            let kind = object.member("type").filter(|kind| kind.is_string())?;
            let kind = kind.text();
            let tool = kind.strip_suffix("_call")?;
            (!OF_ANY_TOOL.contains(&tool)).then(|| Tool::named(tool))
        },
        |name| {
            let tool = Tool::of(&space_of(object)?, &name);
            let others = names_of(object).filter(|other| *other != name);
            Some(others.fold(tool, |tool, other| tool.or_maybe(&other)))
        },
    )
}

/// The tool whose description an object holds: `"function": {"name": "f"}`.
fn tool_below(object: Value<'_>) -> Option<Tool> {
    let mut below = NAMES.iter().filter_map(|name| object.member(name));
    below.find_map(|below| name_of(below).and_then(|_| tool_of(below)))
}

/// The id of the call that an object is a piece of.
pub(super) fn call_id(object: Value<'_>) -> Option<Value<'_>> {
    let is_id = |key: Value<'_>| CALL_IDS.contains(&&*letters(&key.text()));
    let mut members = object.members();
    let found = members.find(|(key, id)| id.is_string() && is_id(*key));
    found.map(|(_, id)| id)
}

/// Whether a member of this name is a call, or several.
pub(super) fn is_call_key(name: &str) -> bool {
    CALLS.contains(&&*letters(name))
}

/// The letters of a name, in lower case: `toolcallid` of `toolCallId` and `tool_call_id`.
fn letters(name: &str) -> String {
    let letters = name.chars().filter(char::is_ascii_alphabetic);
    letters.map(|letter| letter.to_ascii_lowercase()).collect()
}

/// The name that an object says.
pub(super) fn name_of(object: Value<'_>) -> Option<Cow<'_, str>> {
    names_of(object).next()
}

fn names_of(object: Value<'_>) -> impl Iterator<Item = Cow<'_, str>> {
    let names = NAMES.iter().filter_map(move |name| object.member(name));
    let names = names.filter(|name| name.is_string());
    names.map(Value::text).filter(|name| !name.is_empty())
}

/// The server or namespace that an object names; empty where it names none, and none where it names several.
pub(super) fn space_of(object: Value<'_>) -> Option<Cow<'_, str>> {
    let is_space = |key: Value<'_>| SPACES.iter().any(|name| key.is_text(name));
    let members = object.members().filter(|(key, _)| is_space(*key));
    let mut spaces = members.map(|(_, space)| space.text());
    let first = spaces.find(|space| !space.is_empty()).unwrap_or_default();
    let is_alike = spaces.all(|space| space.is_empty() || space == first);
    is_alike.then_some(first)
}

/// The names on the way to the string that begins here, joined by dots, positions in lists left out.
pub(crate) fn argument_at(mut value: Value<'_>, start: usize) -> String {
    let mut path = String::new();
    loop {
        let within = |value: &Value<'_>| value.start() <= start && start < value.end();
        if value.is_array() {
            match value.elements().find(within) {
                Some(element) => value = element,
                None => return path,
            }
            continue;
        }
        let Some((key, member)) = value.members().find(|(_, member)| within(member)) else {
            return path;
        };
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(&key.text());
        value = member;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Tape;

    /// The tool and the argument of each string that begins with a capital V.
    fn called(body: &str) -> Vec<String> {
        let tape = Tape::scan(body, 64).unwrap();
        let calls = CallMap::of_event(tape.root(body), Some(Tool::named("begun")), Vec::new());
        let values = tape.strings(body);
        let values = values.filter(|value| value.raw_content().starts_with('V'));
        let found = values.map(|value| match calls.called(value, Form::Text) {
            None => "-".to_owned(),
            Some(Called { tool, argument, .. }) => {
                let tool = tool.as_ref().map(Tool::shown).unwrap_or_default();
                format!("{tool}:{}", argument.unwrap_or_else(|| "?".to_owned()))
            }
        });
        found.collect()
    }

    #[test]
    fn the_calls_of_every_format_are_found_with_tool_and_argument() {
        for (body, expected) in [
            (
                r#"{"content": [{"type": "text", "text": "V1"}, {"type": "tool_use", "name": "fetch", "input": {"url": "V2", "headers": [{"a": "V3"}]}}]}"#,
                &["-", "fetch:url", "fetch:headers.a"][..],
            ),
            (
                r#"{"choices": [{"message": {"content": "V1", "tool_calls": [{"function": {"name": "fetch", "arguments": "V2"}}, {"custom": {"name": "sh", "input": "V3"}}]}}]}"#,
                &["-", "fetch:?", "sh:?"],
            ),
            (
                r#"{"output": [{"type": "local_shell_call", "action": {"command": ["V1"]}}, {"type": "code_interpreter_call", "code": "V2"},
                {"type": "mcp_call", "name": "m", "arguments": "V3", "output": "V4"}, {"type": "shell_call", "action": {"commands": ["V5"]}}]}"#,
                &[
                    "local_shell:command",
                    "code_interpreter:code",
                    "m:?",
                    "-",
                    "shell:commands",
                ],
            ),
            (
                r#"{"candidates": [{"content": {"parts": [{"functionCall": {"args": {"url": "V1"}, "name": "f"}}, {"text": "V2"}]}}]}"#,
                &["f:url", "-"],
            ),
            (
                r#"{"output": {"message": {"content": [{"toolUse": {"name": "f", "input": {"a": {"b": "V1"}}}}]}}}"#,
                &["f:a.b"],
            ),
            (
                r#"{"message": {"tool_calls": [{"name": "f", "parameters": {"a": "V1"}}]}, "tools": [{"name": "g", "parameters": {"a": "V2"}}]}"#,
                &["f:a", "-"],
            ),
            (
                r#"{"type": "response.function_call_arguments.done", "arguments": "V1"}"#,
                &["begun:?"],
            ),
            (
                r#"{"type": "response.custom_tool_call_input.done", "input": "V1"}"#,
                &["begun:?"],
            ),
            // The name of a tool in two parts.
            (
                r#"{"output": [{"type": "function_call", "namespace": "mcp__web__", "name": "get", "arguments": "V1"},
                {"type": "mcp_call", "server_label": "web", "name": "get", "arguments": "V2"}]}"#,
                &["mcp__web__get:?", "web__get:?"],
            ),
            // Arguments in pieces (Vertex), the tool named before.
            (
                r#"{"candidates": [{"content": {"parts": [{"functionCall": {"name": "f", "willContinue": true}},
                {"functionCall": {"partialArgs": [{"jsonPath": "$.to[0]['a b']", "stringValue": "V1"}]}}]}}]}"#,
                &["f:to.a b"],
            ),
            (
                r#"{"candidates": [{"content": {"parts": [{"functionCall": {"partialArgs": [{"jsonPath": "$.url", "stringValue": "V1"}]}}]}}]}"#,
                &["begun:url"],
            ),
            (
                r#"{"returnControl": {"invocationInputs": [{"functionInvocationInput": {"actionGroup": "web", "function": "get",
                "parameters": [{"name": "url", "value": "V1"}]}}]}}"#,
                &["web__get:value"],
            ),
            (
                r#"{"type": "shell_call_output", "output": [{"stdout": "V1"}]}"#,
                &["-"],
            ),
            // Frameworks' own calls. They were none.
            (
                r#"{"tool": "http_request", "args": {"url": "V1"}, "log": "V2"}"#,
                &["http_request:url", "-"],
            ),
            (
                r#"{"type": "AgentAction", "tool": "fetch", "tool_input": "V1"}"#,
                &["fetch:?"],
            ),
            (
                r#"{"action": "fetch", "action_input": {"url": "V1"}}"#,
                &["begun:url"],
            ),
            // No calls.
            (r#"{"tool": "V1", "output": "V2"}"#, &["-", "-"]),
        ] {
            assert_eq!(called(body), expected, "{body}");
        }
    }

    /// They were no calls.
    #[test]
    fn pieces_and_rare_names_are_found() {
        for (body, expected) in [
            (r#"{"function": {"name": "f"}, "args": "V1"}"#, &["f:?"][..]),
            (
                r#"{"function_name": "f", "function_args": {"url": "V1"}}"#,
                &["f:url"],
            ),
            // Pieces beside the id of their call: Cohere, AI SDK, AG-UI.
            (
                r#"{"event_type": "tool-calls-chunk", "tool_call_delta": {"index": 0, "parameters": "V1"}}"#,
                &["begun:?"],
            ),
            (
                r#"{"toolCallId": "1", "argsTextDelta": "V1"}"#,
                &["begun:?"],
            ),
            (
                r#"{"type": "TOOL_CALL_ARGS", "toolCallId": "1", "delta": "V1"}"#,
                &["begun:?"],
            ),
            (
                r#"{"index": 0, "delta": {"parameters": "V1"}}"#,
                &["begun:?"],
            ),
            (r#"{"index": 0, "args": "V1"}"#, &["begun:?"]),
            // A result.
            (
                r#"{"type": "TOOL_CALL_RESULT", "toolCallId": "1", "content": "V1"}"#,
                &["-"],
            ),
        ] {
            assert_eq!(called(body), expected, "{body}");
        }
    }
}
