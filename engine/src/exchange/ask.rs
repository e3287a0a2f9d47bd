//! Tells the model why a call did not get the values behind its tokens (`ask`).
//!
//! The client ran the call with the tokens in it. In the requests that hold it from then on, what its tool gave is
//! replaced by an error. Only the request is looked at, so it is the same in every turn, after a restart, and with other
//! instances.

use crate::Settings;
use crate::json::{Edit, Kind, Value, held_or_quoted_json};
use crate::mask::looks_like_token;
use crate::schema::{Answers, CallMap, Called, Form, RequestMap, argument_at, given};

/// What the model reads. It has no character that JSON escapes.
const REASON: &str = "Error: maskproxy gave this tool placeholders and not the values behind them, so what it answered is \
left out. A rule of the user's configuration keeps such values from this tool until the user was asked. Do not try another \
way. Tell the user which value you wanted to hand to which tool, for what, and where it would go. The user can write the \
value in a message, or allow it in the configuration.";

/// Replaces the results of calls in which tokens stayed because a rule asks.
pub(super) fn answer<'t>(map: &mut RequestMap<'t>, root: Value<'t>, settings: &Settings) {
    if !settings.restore.may_ask() {
        return;
    }
    let answers = Answers::of(root);
    let results = answers.of_calls(|call| has_asked(call, settings));
    let given: Vec<_> = results.iter().filter_map(|result| given(*result)).collect();
    let texts = map.leaves.take_within(&given);
    let of_lists = texts.into_iter().filter(|text| {
        let at = given.partition_point(|given| given.end() <= text.start());
        !given.get(at).is_some_and(|given| may_be_text(*given))
    });
    let whole = given.iter().copied().filter(|given| may_be_text(*given));
    let errors = results.iter().filter_map(|result| as_error(*result));
    let reason = |value| instead_of(value, format!("\"{REASON}\""));
    map.replaced = whole.chain(of_lists).map(reason).chain(errors).collect();
    map.asked = results.len() as u64;
}

/// Whether an argument of a call looks like a token where a rule asks.
fn has_asked(call: Value<'_>, settings: &Settings) -> bool {
    let calls = CallMap::of(call);
    let has_asked = |argument: Value<'_>| {
        any_string(argument, &mut |string| {
            string_has_asked(&calls, string, settings)
        })
    };
    calls.arguments().any(has_asked)
}

fn string_has_asked(calls: &CallMap<'_>, string: Value<'_>, settings: &Settings) -> bool {
    let called = calls.called(string, Form::Text);
    called.is_some_and(|called| text_has_asked(&string.text(), &called, settings))
}

fn text_has_asked(text: &str, called: &Called, settings: &Settings) -> bool {
    let Some(tape) = held_or_quoted_json(text) else {
        let asks = settings
            .restore
            .asks(called.tool.as_ref(), called.argument.as_deref());
        return asks && looks_like_token(&settings.operator, text);
    };
    tape.strings(text).any(|string| {
        let names = argument_at(tape.root(text), string.start());
        text_has_asked(&string.text(), &called.at(&names), settings)
    })
}

fn any_string<'t>(value: Value<'t>, is_one: &mut impl FnMut(Value<'t>) -> bool) -> bool {
    if matches!(value.kind(), Kind::String | Kind::Key) {
        return is_one(value);
    }
    let mut members = value.members().flat_map(<[_; 2]>::from);
    members.any(|part| any_string(part, is_one))
        || value.elements().any(|element| any_string(element, is_one))
}

/// Whether what a tool gave may be a text: it is one, or a list of typed parts, which may be a text in every format.
fn may_be_text(given: Value<'_>) -> bool {
    given.is_string()
        || given.is_array() && given.elements().all(|part| part.member("type").is_some())
}

/// Says that a result of `messages_style` is an error.
fn as_error(result: Value<'_>) -> Option<Edit> {
    let kind = result.member("type")?;
    if !kind.is_text("tool_result") {
        return None;
    }
    let edit = result.member("is_error").map_or_else(
        || Edit {
            start: result.start() + 1,
            end: result.start() + 1,
            text: "\"is_error\":true,".to_owned(),
        },
        |is_error| instead_of(is_error, "true".to_owned()),
    );
    Some(edit)
}

fn instead_of(value: Value<'_>, text: String) -> Edit {
    Edit {
        start: value.start(),
        end: value.end(),
        text,
    }
}
