//! Finds the strings of a reply that are arguments of calls, and the tool they belong to.
//!
//! Based on shape alone, so that it works for every format: a call names its tool next to its
//! arguments.

mod object;

use std::borrow::Cow;

use super::Form;
use super::event::Call as GrowingCall;
use super::speakers::sole;
use crate::json::{Kind, Value};
use crate::schema::tool::Tool;
use object::Call;

pub(super) use object::{
    GIVEN, GIVEN_BUILT_IN, PIECES, call_id, is_call_key, name_of, space_of, tool_of,
};

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
mod tests;
