//! Finds the strings of a reply that are arguments of calls, and the tool they belong to.
//!
//! Based on shape alone, so that it works for every format: a call names its tool next to its
//! arguments.

use std::borrow::Cow;

use super::Form;
use crate::json::{Kind, Value};

/// What names the tool of a call.
const NAMES: &[&str] = &["name", "toolName", "tool_name", "function"];

/// Names of a call's arguments.
const GIVEN: &[&str] = &["arguments", "input", "args"];

/// More names of arguments, for calls without a name.
const GIVEN_BUILT_IN: &[&str] = &[
    "action",
    "actions",
    "operation",
    "code",
    "queries",
    "command",
    "commands",
];

/// The members that are calls, and may leave out the name while they stream.
const CALLS: &[&str] = &[
    "tool_calls",
    "toolCalls",
    "function_call",
    "functionCall",
    "toolUse",
    "tool_use",
    "function",
    "custom",
];

/// What is known of the call that a string is an argument of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Called {
    pub(crate) tool: Option<String>,
    /// The names on the way to the string; none for a text that holds all arguments.
    pub(crate) argument: Option<String>,
}

/// The calls of a reply, or of an event.
#[derive(Debug, Default)]
pub(crate) struct CallMap<'t> {
    /// In document order, apart from each other.
    given: Vec<Given<'t>>,
    /// The tool of calls that don't name it.
    unnamed: Option<String>,
}

/// Something that a call is given.
#[derive(Debug)]
struct Given<'t> {
    tool: Option<Cow<'t, str>>,
    value: Value<'t>,
    /// The place in the arguments; empty for all of them.
    member: &'static str,
}

impl<'t> CallMap<'t> {
    /// The calls of a document. `unnamed` is the tool of those that don't name it.
    pub(crate) fn of(root: Value<'t>, unnamed: Option<String>) -> Self {
        let mut calls = Self {
            given: Vec::new(),
            unnamed,
        };
        calls.find(root, "");
        calls.given.sort_by_key(|given| given.value.start());
        calls
    }

    /// What is known of the call that a string of this form is an argument of; none when it is of none.
    pub(crate) fn called(&self, string: Value<'t>, form: Form) -> Option<Called> {
        let start = string.start();
        let at = self
            .given
            .partition_point(|given| given.value.end() <= start);
        let given = self
            .given
            .get(at)
            .filter(|given| given.value.start() <= start);
        let Some(given) = given else {
            return matches!(form, Form::Arguments | Form::Input).then(|| Called {
                tool: self.unnamed.clone(),
                argument: None,
            });
        };
        let tool = given.tool.as_deref().map(str::to_owned);
        Some(Called {
            tool: tool.or_else(|| self.unnamed.clone()),
            argument: given.argument(start),
        })
    }

    /// What the calls are given.
    pub(crate) fn arguments(&self) -> impl Iterator<Item = Value<'t>> {
        self.given.iter().map(|given| given.value)
    }

    fn find(&mut self, value: Value<'t>, key: &str) {
        if value.is_array() {
            return value.elements().for_each(|element| self.find(element, key));
        }
        let call = Call::of(value, key);
        for (key, member) in value.members() {
            let name = key.text();
            match call.as_ref().and_then(|call| call.given(&name)) {
                Some(place) => self.given.push(Given {
                    tool: call.as_ref().and_then(|call| call.tool.clone()),
                    value: member,
                    member: place,
                }),
                None if matches!(member.kind(), Kind::Object | Kind::Array) => {
                    self.find(member, &name);
                }
                None => {}
            }
        }
    }
}

impl Given<'_> {
    fn argument(&self, start: usize) -> Option<String> {
        let below = argument_at(self.value, start);
        match (self.member, &*below) {
            ("", "") => None,
            ("", _) => Some(below),
            (member, "") => Some(member.to_owned()),
            (member, below) => Some(format!("{member}.{below}")),
        }
    }
}

/// An object that is a call.
struct Call<'t> {
    tool: Option<Cow<'t, str>>,
    /// It is identified by its type.
    is_typed: bool,
    /// It is in a list of calls.
    is_listed: bool,
}

impl<'t> Call<'t> {
    fn of(object: Value<'t>, key: &str) -> Option<Self> {
        let kind = object.member("type").map(Value::text).unwrap_or_default();
        let is_call = kind.contains("_call") && !kind.contains("_call_output");
        let is_typed = is_call || kind.ends_with("tool_use");
        let is_listed = CALLS.contains(&key);
        let is_given = GIVEN.iter().any(|name| object.member(name).is_some());
        let named = tool_of(object);
        let is_call = is_typed
            || is_listed
            || is_given && named.is_some()
            || object.member("arguments").is_some();
        is_call.then_some(Self {
            tool: named,
            is_typed,
            is_listed,
        })
    }

    /// The place of a member in a call's arguments: empty for all of them; `None` for another
    /// member.
    fn given(&self, name: &str) -> Option<&'static str> {
        let listed: &[&str] = if self.is_listed { &["parameters"] } else { &[] };
        if GIVEN.contains(&name) || listed.contains(&name) {
            return Some("");
        }
        let built_in = GIVEN_BUILT_IN.iter().find(|known| **known == name)?;
        let is_whole = matches!(*built_in, "action" | "operation");
        self.is_typed
            .then_some(if is_whole { "" } else { built_in })
    }
}

/// The tool that an object calls: its name, or its type.
pub(super) fn tool_of(object: Value<'_>) -> Option<Cow<'_, str>> {
    let names = NAMES.iter().filter_map(|name| object.member(name));
    let tool = names.map(Value::text).find(|name| !name.is_empty());
    tool.or_else(|| {
        let kind = object.member("type").filter(|kind| kind.is_string())?;
        let tool = kind.text().strip_suffix("_call")?.to_owned();
        Some(Cow::Owned(tool))
    })
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
        let calls = CallMap::of(tape.root(body), Some("begun".to_owned()));
        let values = tape.strings(body);
        let values = values.filter(|value| value.raw_content().starts_with('V'));
        let told = values.map(|value| match calls.called(value, Form::Text) {
            None => "-".to_owned(),
            Some(Called { tool, argument }) => {
                let tool = tool.unwrap_or_default();
                format!("{tool}:{}", argument.unwrap_or_else(|| "?".to_owned()))
            }
        });
        told.collect()
    }

    #[test]
    fn the_calls_of_every_format_are_told_with_tool_and_argument() {
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
            (
                r#"{"type": "shell_call_output", "output": [{"stdout": "V1"}]}"#,
                &["-"],
            ),
        ] {
            assert_eq!(called(body), expected, "{body}");
        }
    }
}
