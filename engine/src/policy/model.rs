//! Finds the model that a request asks for.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

use crate::json::{Kind, Value};

/// The model named by a body or a path; `None` if that is unclear, or the request may go to another one.
pub(crate) fn model<'m>(root: Option<Value<'m>>, target: &'m str) -> Option<Cow<'m, str>> {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let members = || root.into_iter().flat_map(Value::members);
    // Some servers don't mind the case of names.
    let mut models = members().filter(|(key, _)| is_model(&key.text()));
    let model = match (models.next(), models.next()) {
        (None, _) => named(path)?,
        (Some((key, model)), None) if key.is_text("model") && model.is_string() => model.text(),
        _ => return None,
    };
    let mut others = members().filter(|(key, _)| holds_others(&key.text()));
    let mut settings = members().flat_map(|(_, member)| member.members());
    let is_sole = named(path).is_none_or(|named| named == model)
        && named_in(query).all(|named| named == model)
        && others.all(|(_, others)| names_only(others, &model))
        // `{"extra_body": {"model": …}}` replaces the one at the top.
        && settings.all(|(key, other)| !is_model(&key.text()) || names_only(other, &model));
    is_sole.then_some(model)
}

fn is_model(name: &str) -> bool {
    name.eq_ignore_ascii_case("model")
}

/// Whether a member lists models that a gateway may choose instead: `models`, `fallbacks`, `context_window_fallbacks`.
fn holds_others(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name == "models" || name.contains("fallback")
}

/// Whether a list names no model but this: each is a name, or an object with its `model`.
fn names_only(value: Value<'_>, model: &str) -> bool {
    match value.kind() {
        Kind::Array => value.elements().all(|element| names_only(element, model)),
        Kind::Object => match value.member("model") {
            Some(named) => names_only(named, model),
            None => value.members().all(|(_, member)| names_only(member, model)),
        },
        Kind::String | Kind::Key => value.is_text(model),
        Kind::Scalar => true,
    }
}

/// The models that a query names: `?model=NAME`.
fn named_in(query: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let models = pairs.filter(|(name, _)| is_model(&percent_decode_str(name).decode_utf8_lossy()));
    models.map(|(_, model)| percent_decode_str(model).decode_utf8_lossy())
}

/// The model of a path such as `/v1beta/models/NAME:generateContent`, `/model/NAME/invoke`, `/deployments/NAME/…`,
/// `/engines/NAME/…`.
fn named(path: &str) -> Option<Cow<'_, str>> {
    const ABOVE: [&str; 4] = ["models", "model", "deployments", "engines"];
    let is_above = |segment: &&str| {
        ABOVE
            .iter()
            .any(|above| segment.eq_ignore_ascii_case(above))
    };
    let path = path.split('#').next()?;
    let mut segments = path.split('/');
    let above = segments.find(is_above)?;
    let name = segments.next().filter(|name| !name.is_empty())?;
    let name = if above.eq_ignore_ascii_case("models") {
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
            (
                r#"{"model":"e"}"#,
                "/openai/Deployments/d/chat/completions",
                None,
            ),
            (r#"{"model":"e"}"#, "/v1/engines/d/completions", None),
        ] {
            let tape = Tape::scan(body, 8).unwrap();
            let found = model(Some(tape.root(body)), path);
            assert_eq!(found.as_deref(), expected, "{body} {path}");
        }
    }

    /// A rule for local models let a request pass unmasked that a gateway sent to its fallback.
    #[test]
    fn a_request_that_names_fallbacks_is_for_no_single_model() {
        for (others, query, expected) in [
            (r#""models":["b"]"#, "", None),
            (r#""models":["a"]"#, "?model=a", Some("a")),
            (r#""models":["a"],"MODELS":["b"]"#, "", None),
            (r#""models":null,"fallbacks":[]"#, "", Some("a")),
            (r#""fallbacks":[{"model":"b"}]"#, "", None),
            (r#""fallbacks":[{"model":"a","key":"k"}]"#, "", Some("a")),
            (r#""fallbacks":["a","b"]"#, "", None),
            (r#""context_window_fallbacks":[{"a":["b"]}]"#, "", None),
            (r#""extra_body":{"model":"b"}"#, "", None),
            (
                r#""extra_body":{"model":"a"},"metadata":{"x":"b"}"#,
                "",
                Some("a"),
            ),
            (r#""tools":[{"model":"b"}]"#, "", Some("a")),
            (r#""n":1"#, "?model=b", None),
            (r#""n":1"#, "?x=1&mod%65l=b", None),
            (r#""n":1"#, "?x=model", Some("a")),
        ] {
            let body = format!(r#"{{"model":"a",{others}}}"#);
            let target = format!("/v1/messages{query}");
            let tape = Tape::scan(&body, 8).unwrap();
            let found = model(Some(tape.root(&body)), &target);
            assert_eq!(found.as_deref(), expected, "{body} {query}");
        }
        let body = r#"{"models":["a","b"]}"#;
        let tape = Tape::scan(body, 8).unwrap();
        assert_eq!(model(Some(tape.root(body)), "/model/a/invoke"), None);
    }
}
