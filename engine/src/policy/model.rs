//! Finds the model that a request asks for.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

use crate::json::Value;

/// The model named by a body or a path; `None` if that is unclear, or the two differ.
pub(crate) fn model<'m>(root: Option<Value<'m>>, path: &'m str) -> Option<Cow<'m, str>> {
    let named = named(path);
    let members = root.into_iter().flat_map(Value::members);
    // Some servers don't mind the case of names.
    let mut models = members.filter(|(key, _)| key.text().eq_ignore_ascii_case("model"));
    let Some((key, model)) = models.next() else {
        return named;
    };
    if models.next().is_some() || !key.is_text("model") || !model.is_string() {
        return None;
    }
    let model = model.text();
    let is_same = named.is_none_or(|named| named == model);
    is_same.then_some(model)
}

/// The model of a path such as `/v1beta/models/NAME:generateContent`, `/model/NAME/invoke`, `/deployments/NAME/…`.
fn named(path: &str) -> Option<Cow<'_, str>> {
    let path = path.split(['?', '#']).next()?;
    let mut segments = path.split('/');
    let above = segments.find(|segment| ["models", "model", "deployments"].contains(segment))?;
    let name = segments.next().filter(|name| !name.is_empty())?;
    let name = if above == "models" {
        name.rsplit_once(':')?.0
    } else {
        name
    };
    percent_decode_str(name).decode_utf8().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Tape;

    #[test]
    fn the_model_is_read_from_the_body_or_the_path_unless_ambiguous() {
        for (body, path, expected) in [
            (r#"{"model":"a"}"#, "/v1/messages", Some("a")),
            (r#"{"model":"a","model":"b"}"#, "/v1/messages", None),
            (r#"{"model":"a","Model":"b"}"#, "/v1/messages", None),
            (r#"{"Model":"a"}"#, "/v1/messages", None),
            (r#"{"model":["a"]}"#, "/v1/messages", None),
            ("{}", "/v1/messages", None),
            (
                "{}",
                "/v1beta/models/gemini-x:generateContent?key=1",
                Some("gemini-x"),
            ),
            ("{}", "/model/x%3A0/converse", Some("x:0")),
            ("{}", "/openai/deployments/d/chat/completions", Some("d")),
            (
                r#"{"model":"e"}"#,
                "/openai/deployments/d/chat/completions",
                None,
            ),
            (
                r#"{"model":"d"}"#,
                "/openai/deployments/d/chat/completions",
                Some("d"),
            ),
        ] {
            let tape = Tape::scan(body, 8).unwrap();
            let found = model(Some(tape.root(body)), path);
            assert_eq!(found.as_deref(), expected, "{body} {path}");
        }
    }
}
