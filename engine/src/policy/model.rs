//! Finds the model that a request asks for.

use std::borrow::Cow;
use std::iter;

use percent_encoding::percent_decode_str;

use crate::json::{Kind, Value};

/// What names a model, without its signs: `model_id`, `deploymentName`.
const NAMES: [&str; 8] = [
    "deployment",
    "deploymentid",
    "deploymentname",
    "engine",
    "engineid",
    "model",
    "modelid",
    "modelname",
];

/// The model named by a body or a path; `None` if that is unclear, or the request may go to another one.
pub(crate) fn model<'m>(
    root: Option<Value<'m>>,
    target: &'m str,
    headers: &[(&str, &[u8])],
) -> Option<Cow<'m, str>> {
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
    let mut batched = members()
        .filter(|(key, _)| key.is_text("requests"))
        .flat_map(|(_, requests)| requests.elements().flat_map(Value::members))
        .flat_map(|(key, member)| iter::once((key, member)).chain(member.members()));
    let is_sole = named(path).is_none_or(|named| named == model)
        && named_in(query).all(|named| named == model)
        && in_headers(headers).all(|named| named == model.as_bytes())
        && others.all(|(_, others)| names_only(others, &model))
        // `{"extra_body": {"model": …}}` replaces the one at the top.
        && settings.all(|(key, other)| !chooses(&key.text()) || names_only(other, &model))
        // `{"requests": [{"params": {"model": …}}]}`
        && batched.all(|(key, other)| !chooses(&key.text()) || names_only(other, &model));
    is_sole.then_some(model)
}

fn is_model(name: &str) -> bool {
    name.eq_ignore_ascii_case("model")
}

/// Whether a member or a parameter names a model in some server's words.
fn names_model(name: &str) -> bool {
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    let name: String = letters.map(|letter| letter.to_ascii_lowercase()).collect();
    NAMES.contains(&&*name)
}

/// Whether a member names or lists models that a server may choose instead: `models`, `fallbacks`, `deployment`.
fn holds_others(name: &str) -> bool {
    !is_model(name) && (chooses(name) || names_model(name))
}

/// Whether a setting chooses models: `model`, `models`, `context_window_fallbacks`.
fn chooses(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    matches!(&*name, "model" | "models") || name.contains("fallback")
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

/// The models that headers name: `azureml-model-deployment: NAME`, `x-model-id: NAME`.
fn in_headers<'h>(headers: &[(&str, &'h [u8])]) -> impl Iterator<Item = &'h [u8]> {
    let named = headers.iter().filter(|(name, _)| {
        let mut words = name.split(['-', '_']);
        words.any(names_model)
    });
    named.map(|(_, value)| value.trim_ascii())
}

/// The models that a query names: `?model=NAME`, `?deployment=NAME`.
fn named_in(query: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let models =
        pairs.filter(|(name, _)| names_model(&percent_decode_str(name).decode_utf8_lossy()));
    models.map(|(_, model)| percent_decode_str(model).decode_utf8_lossy())
}

/// The model of a path such as `/v1beta/models/NAME:generateContent`, `/model/NAME/invoke`, `/deployments/NAME/…`,
/// `/engines/NAME/…`, `/ai/run/@cf/meta/NAME`.
fn named(path: &str) -> Option<Cow<'_, str>> {
    const ABOVE: [&str; 4] = ["models", "model", "deployments", "engines"];
    let is_above = |segment: &&str| {
        ABOVE
            .iter()
            .any(|above| segment.eq_ignore_ascii_case(above))
    };
    let path = path.split('#').next()?;
    if let Some(catalogued) = catalogued(path) {
        return percent_decode_str(catalogued).decode_utf8().ok();
    }
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

/// A model by its catalogue, its maker and its name, as Cloudflare has it: `@cf/meta/NAME`.
fn catalogued(path: &str) -> Option<&str> {
    const PARTS: usize = 3;
    let starts = ["/@", "/%40"].iter().filter_map(|sign| path.find(sign));
    let model = path.get(starts.min()? + 1..)?;
    let end = model.match_indices('/').nth(PARTS - 1);
    model.get(..end.map_or(model.len(), |(end, _)| end))
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
            let found = model(Some(tape.root(body)), path, &[]);
            assert_eq!(found.as_deref(), expected, "{body} {path}");
        }
    }

    /// A rule for one model let a request pass unmasked that the server sent to another.
    #[test]
    fn a_model_is_named_in_the_words_of_every_server() {
        for (member, query, header, expected) in [
            ("", "?deployment=b", None, None),
            ("", "?deployment=a", None, Some("a")),
            ("", "?api-version=1&Model-ID=b", None, None),
            ("", "", Some(("azureml-model-deployment", "b")), None),
            ("", "", Some(("azureml-model-deployment", " a ")), Some("a")),
            ("", "", Some(("x-model", "b")), None),
            ("", "", Some(("x-remodelled", "b")), Some("a")),
            (r#","deployment":"b""#, "", None, None),
            (r#","modelId":"b""#, "", None, None),
            (r#","model_id":"a""#, "", None, Some("a")),
            (r#","engine":"b""#, "", None, None),
            (r#","engines":"b""#, "", None, Some("a")),
            (r#","extra_body":{"models":["b"]}"#, "", None, None),
            (r#","metadata":{"deployment":"b"}"#, "", None, Some("a")),
            (
                r#","requests":[{"params":{"model":"a"}},{"params":{"model":"b"}}]"#,
                "",
                None,
                None,
            ),
            (
                r#","requests":[{"params":{"model":"a"}},{"model":"a"}]"#,
                "",
                None,
                Some("a"),
            ),
        ] {
            let body = format!(r#"{{"model":"a"{member}}}"#);
            let target = format!("/v1/messages{query}");
            let header = header.map(|(name, value)| (name, value.as_bytes()));
            let tape = Tape::scan(&body, 8).unwrap();
            let found = model(Some(tape.root(&body)), &target, header.as_slice());
            assert_eq!(found.as_deref(), expected, "{body} {query} {header:?}");
        }
        for (path, expected) in [
            (
                "/client/v4/accounts/1/ai/run/@cf/meta/m-8b",
                "@cf/meta/m-8b",
            ),
            ("/v1/1/g/workers-ai/@hf/x/m/stream", "@hf/x/m"),
            ("/accounts/1/ai/run/%40cf/meta/m%2D8b?x=1", "@cf/meta/m-8b"),
        ] {
            let tape = Tape::scan("{}", 8).unwrap();
            let found = model(Some(tape.root("{}")), path, &[]);
            assert_eq!(found.as_deref(), Some(expected), "{path}");
            let tape = Tape::scan(r#"{"model":"a"}"#, 8).unwrap();
            assert_eq!(model(Some(tape.root(r#"{"model":"a"}"#)), path, &[]), None);
        }
    }

    /// A rule for local models let a request pass unmasked that a gateway sent to its fallback.
    #[test]
    fn a_request_with_fallback_models_has_no_single_model() {
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
            let found = model(Some(tape.root(&body)), &target, &[]);
            assert_eq!(found.as_deref(), expected, "{body} {query}");
        }
        let body = r#"{"models":["a","b"]}"#;
        let tape = Tape::scan(body, 8).unwrap();
        assert_eq!(model(Some(tape.root(body)), "/model/a/invoke", &[]), None);
    }
}
