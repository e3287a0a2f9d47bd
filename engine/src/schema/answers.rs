//! Pairs the calls of a request with their results.
//!
//! Based on shape alone, so that it works for every format: both name the call by its id.

use std::borrow::Cow;

use super::speakers::{CALL_IDS, Part, is_result, parts, sole};
use crate::json::Value;

/// Where a result holds what the tool gave.
const GIVEN: &[&str] = &["content", "output", "response"];

/// How Gemini's formats name a call and its result, where both have an id.
const FUNCTION_CALLS: [&str; 2] = ["functionCall", "function_call"];
const FUNCTION_RESPONSES: [&str; 2] = ["functionResponse", "function_response"];

/// The calls of a request, and the results.
#[derive(Debug, Default)]
pub(crate) struct Answers<'t> {
    calls: Vec<(Cow<'t, str>, Value<'t>)>,
    results: Vec<(Cow<'t, str>, Value<'t>)>,
}

impl<'t> Answers<'t> {
    /// Of a request with this body.
    pub(crate) fn of(root: Value<'t>) -> Self {
        let mut answers = Self::default();
        parts(root, &mut |part| match part {
            Part::Message(message) => answers.message(message),
            Part::Result(results) => results.elements().for_each(|result| answers.result(result)),
            Part::Attributed(..) | Part::Other(_) => {}
        });
        answers
    }

    /// The results of the calls that match.
    pub(crate) fn of_calls(&self, is_one: impl Fn(Value<'t>) -> bool) -> Vec<Value<'t>> {
        let calls = self.calls.iter().filter(|(_, call)| is_one(*call));
        let mut ids: Vec<_> = calls.map(|(id, _)| id).collect();
        ids.sort_unstable();
        let results = self.results.iter();
        let results = results.filter(|(id, _)| ids.binary_search(&id).is_ok());
        results.map(|(_, result)| *result).collect()
    }

    fn message(&mut self, message: Value<'t>) {
        if !message.is_object() {
            return;
        }
        let role = message.member("role").map(Value::text);
        let gives = matches!(role.as_deref(), Some("tool" | "function"));
        if gives && sole_id(message, CALL_IDS).is_some() || is_result(message) {
            return self.result(message);
        }
        self.call(message, "call_id");
        for name in ["tool_calls", "content", "parts"] {
            let parts = sole(message, name).into_iter().flat_map(Value::elements);
            parts.for_each(|part| self.part(part));
        }
    }

    fn part(&mut self, part: Value<'t>) {
        if is_result(part) || sole(part, "toolResult").is_some() {
            return self.result(part);
        }
        let of = |names: [&str; 2]| names.iter().find_map(|name| sole(part, name));
        if let Some(call) = sole(part, "toolUse") {
            self.call(call, "toolUseId");
        } else if let Some(id) = of(FUNCTION_CALLS).and_then(|call| sole_id(call, &["id"])) {
            self.calls.push((id, part));
        } else if let Some(result) = of(FUNCTION_RESPONSES) {
            let id = sole_id(result, &["id"]);
            self.results.extend(id.map(|id| (id, result)));
        } else {
            self.call(part, "id");
        }
    }

    fn call(&mut self, call: Value<'t>, id: &str) {
        if let Some(id) = sole_id(call, &[id]) {
            self.calls.push((id, call));
        }
    }

    fn result(&mut self, result: Value<'t>) {
        let result = sole(result, "toolResult").unwrap_or(result);
        if let Some(id) = sole_id(result, CALL_IDS) {
            self.results.push((id, result));
        }
    }
}

/// What the tool gave in a result.
pub(crate) fn given(result: Value<'_>) -> Option<Value<'_>> {
    GIVEN.iter().find_map(|name| sole(result, name))
}

/// The only one of these members, where it is a text.
fn sole_id<'t>(object: Value<'t>, names: &[&str]) -> Option<Cow<'t, str>> {
    let mut found = names.iter().filter_map(|name| sole(object, name));
    let id = found.next().filter(|id| id.is_string())?;
    found.next().is_none().then(|| id.text())
}
