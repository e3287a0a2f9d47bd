//! Which objects are calls, and what they say about their tools.

use std::borrow::Cow;

use crate::json::Value;
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
pub(in crate::schema) const GIVEN: &[&str] = &[
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
pub(in crate::schema) const PIECES: &[&str] = &["partialArgs", "partial_args"];

/// More names of arguments, for calls without a name.
pub(in crate::schema) const GIVEN_BUILT_IN: &[&str] = &[
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

/// An object that is a call.
pub(super) struct Call {
    pub(super) tool: Option<Tool>,
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
    pub(super) fn of(
        object: Value<'_>,
        key: &str,
        are_pieces: bool,
        is_in_delta: bool,
    ) -> Option<Self> {
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
    pub(super) fn given(&self, name: &str, member: Value<'_>) -> Option<&'static str> {
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
    pub(super) fn may_be_given(&self, name: &str) -> bool {
        let mut known = [OTHERS, NAMES, SPACES].into_iter();
        self.is_certain && !is_call_key(name) && !known.any(|names| names.contains(&name))
    }
}

/// The tool that an object calls: its name, or its type.
pub(in crate::schema) fn tool_of(object: Value<'_>) -> Option<Tool> {
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
pub(in crate::schema) fn call_id(object: Value<'_>) -> Option<Value<'_>> {
    let is_id = |key: Value<'_>| CALL_IDS.contains(&&*letters(&key.text()));
    let mut members = object.members();
    let found = members.find(|(key, id)| id.is_string() && is_id(*key));
    found.map(|(_, id)| id)
}

/// Whether a member of this name is a call, or several.
pub(in crate::schema) fn is_call_key(name: &str) -> bool {
    CALLS.contains(&&*letters(name))
}

/// The letters of a name, in lower case: `toolcallid` of `toolCallId` and `tool_call_id`.
fn letters(name: &str) -> String {
    let letters = name.chars().filter(char::is_ascii_alphabetic);
    letters.map(|letter| letter.to_ascii_lowercase()).collect()
}

/// The name that an object says.
pub(in crate::schema) fn name_of(object: Value<'_>) -> Option<Cow<'_, str>> {
    names_of(object).next()
}

fn names_of(object: Value<'_>) -> impl Iterator<Item = Cow<'_, str>> {
    let names = NAMES.iter().filter_map(move |name| object.member(name));
    let names = names.filter(|name| name.is_string());
    names.map(Value::text).filter(|name| !name.is_empty())
}

/// The server or namespace that an object names; empty where it names none, and none where it names several.
pub(in crate::schema) fn space_of(object: Value<'_>) -> Option<Cow<'_, str>> {
    let is_space = |key: Value<'_>| SPACES.iter().any(|name| key.is_text(name));
    let members = object.members().filter(|(key, _)| is_space(*key));
    let mut spaces = members.map(|(_, space)| space.text());
    let first = spaces.find(|space| !space.is_empty()).unwrap_or_default();
    let is_alike = spaces.all(|space| space.is_empty() || space == first);
    is_alike.then_some(first)
}
