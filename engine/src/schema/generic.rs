//! Where text lives in JSON of no known format: in every string, but for those under structural keys.
//!
//! Read for what the formats of other providers have in common: Gemini and Vertex, Bedrock
//! `converse`, Ollama, Cohere, and the other endpoints of the known providers. A structural key
//! protects a value that looks like one of its kind. Ids are read like text: no detector takes one
//! for a secret because of its name, and what proves itself is masked.

use super::Form;
use super::json_schema::{self, looks_like_schema};
use super::rule::{Object, Rule};
use super::settings::{Setting, setting};
use super::walk::{Below, Parent, Sink, any, file, leave_opaque, list, signed};
use crate::json::{Kind, Value};

/// Models, media types, names that the provider issued, and what a sampler holds on to.
const LEFT: &[&str] = &[
    "allowedFunctionNames",
    "anthropic_version",
    "cachedContent",
    "cached_content",
    "deployment",
    "engine",
    "media_type",
    "mimeType",
    "mime_type",
    "model",
    "modelId",
    "model_id",
    "prompt_cache_key",
    "responseMimeType",
    "response_mime_type",
    "stop",
    "stopSequences",
    "stop_sequences",
    "toolChoice",
    "tool_choice",
];

/// Enumerations, where their value is a word.
const WORDS: &[&str] = &[
    "encoding_format",
    "finish_reason",
    "format",
    "input_type",
    "method",
    "mode",
    "object",
    "purpose",
    "quality",
    "response_format",
    "role",
    "size",
    "status",
    "taskType",
    "task_type",
    "type",
    "voice",
];

/// URLs that the provider fetches.
const URLS: &[&str] = &[
    "audio_url",
    "fileUri",
    "file_uri",
    "file_url",
    "gcsUri",
    "image_url",
    "server_url",
    "uri",
    "url",
    "video_url",
];

/// Images and the like: base64, or a URL.
const MEDIA: &[&str] = &["audio", "image", "images", "mask", "video"];

/// Schemas beside those of settings.
const SCHEMAS: &[&str] = &[
    "format",
    "guided_json",
    "json_schema",
    "responseJsonSchema",
    "responseSchema",
    "response_json_schema",
    "response_schema",
];

/// What a caller, a tool or a model made up.
const DATA: &[&str] = &[
    "args",
    "arguments",
    "attributes",
    "documents",
    "input",
    "json",
    "labels",
    "metadata",
    "response",
    "variables",
];

/// Members that an object has beside the name of a tool.
const BESIDE_A_TOOLS_NAME: &[&str] = &[
    "args",
    "arguments",
    "functionDeclarations",
    "inputSchema",
    "input_schema",
    "parameters",
    "parametersJsonSchema",
    "toolUseId",
];

/// A reply: every string is restored but for what can only be opaque.
pub(super) static REPLY: Object = Object {
    members: &[
        ("thinking", Rule::Signed("signature")),
        ("signature", Rule::Opaque),
    ],
    others: Rule::Generic,
    bare: Rule::Generic,
    ..Object::MASKED
};

/// Reads JSON of a request or a reply.
pub(super) fn walk<'t, S: Sink<'t>>(sink: &mut S, value: Value<'t>, name: Option<Value<'t>>) {
    match value.kind() {
        Kind::Object => object(sink, value),
        Kind::Array => list(value, name, |element, name| walk(sink, element, name)),
        _ => any(sink, value, name, Below::Unknown),
    }
}

/// Whether the model's text is to be JSON (R11).
pub(super) fn asks_for_json(root: Value<'_>) -> bool {
    let is_json = |value: Value<'_>| {
        ["json", "json_object", "json_schema", "application/json"]
            .iter()
            .any(|word| value.is_text(word))
    };
    let of_config = ["generationConfig", "generation_config"]
        .iter()
        .filter_map(|name| root.member(name))
        .flat_map(Value::members)
        .filter(|(key, _)| key.is_text("responseMimeType") || key.is_text("response_mime_type"))
        .any(|(_, mime)| is_json(mime));
    let format = root.member("format");
    let response_format = root.member("response_format");
    of_config
        || format.is_some_and(|format| is_json(format) || format.is_object())
        || response_format.is_some_and(|format| format.member("type").is_some_and(is_json))
}

fn object<'t, S: Sink<'t>>(sink: &mut S, object: Value<'t>) {
    let parent = Parent::new(object);
    let names_tool = names_tool(object);
    for (key, member) in object.members() {
        let name = key.text();
        let is_left = names_tool && name == "name" || is_structural(&name, member);
        if is_left && !S::READS_ALL {
            continue;
        }
        if name == "thinking" {
            signed(sink, member, object.member("signature"));
        }
        if read_as_known(sink, &name, key, member)
            || leave_opaque(sink, &parent, key, member, Below::Unknown)
        {
            continue;
        }
        sink.leaf(key, None, Form::Key);
        walk(sink, member, Some(parent.naming(key)));
    }
}

/// Whether an object has the name of a tool: of its declaration, or of a call.
fn names_tool(object: Value<'_>) -> bool {
    object
        .members()
        .any(|(key, _)| BESIDE_A_TOOLS_NAME.iter().any(|name| key.is_text(name)))
}

fn is_structural(name: &str, value: Value<'_>) -> bool {
    LEFT.contains(&name) && is_list_of_strings(value)
        || WORDS.contains(&name) && is_word(value)
        || (URLS.contains(&name) || MEDIA.contains(&name)) && is_url(value)
}

/// Reads a member of which the name says what it is; false when it doesn't.
fn read_as_known<'t, S: Sink<'t>>(
    sink: &mut S,
    name: &str,
    key: Value<'t>,
    member: Value<'t>,
) -> bool {
    if name == "arguments" && member.is_string() {
        sink.leaf(member, Some(key), Form::Arguments);
    } else if S::READS_ALL {
        return false;
    } else if let Some(schema) = schema(name, member) {
        json_schema::walk(sink, schema, None);
    } else if is_data(name, member) {
        any(sink, member, Some(key), Below::Any);
    } else if MEDIA.contains(&name) && !member.is_object() {
        media(sink, key, member);
    } else {
        return false;
    }
    true
}

/// The schema in a member, which Bedrock puts into one called `json`.
fn schema<'t>(name: &str, member: Value<'t>) -> Option<Value<'t>> {
    if !SCHEMAS.contains(&name) && setting(name) != Setting::Schema {
        return None;
    }
    let schema = member.member("json").unwrap_or(member);
    looks_like_schema(schema).then_some(schema)
}

/// An `input` that is a list holds messages or texts.
fn is_data(name: &str, member: Value<'_>) -> bool {
    DATA.contains(&name) && (member.is_object() || member.is_array() && name != "input")
}

fn media<'t, S: Sink<'t>>(sink: &mut S, key: Value<'t>, member: Value<'t>) {
    match member.kind() {
        Kind::String if is_url(member) => {}
        Kind::String => file(sink, member, Some(key), true),
        Kind::Array => member.elements().for_each(|element| match element.kind() {
            Kind::String => media(sink, key, element),
            _ => walk(sink, element, Some(key)),
        }),
        _ => {}
    }
}

fn is_list_of_strings(value: Value<'_>) -> bool {
    value.is_string() || value.is_array() && value.elements().all(Value::is_string)
}

/// Whether a string may be a word of an enumeration: letters mostly, as `web_search_20260209` is.
fn is_word(value: Value<'_>) -> bool {
    const LONGEST: usize = 48;
    const MOST_DIGITS: usize = 8;
    let text = value.raw_content();
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    value.is_string()
        && text.len() <= LONGEST
        && digits <= MOST_DIGITS
        && text.bytes().all(is_plain)
        && is_one_case(text)
}

/// Keys of vendors and passwords mix cases, or letters with digits.
fn is_one_case(text: &str) -> bool {
    let mut words = text.split(['_', '-']);
    words.all(|word| {
        let is_all = |test: fn(&u8) -> bool| word.as_bytes().iter().all(test);
        is_all(u8::is_ascii_lowercase)
            || is_all(u8::is_ascii_uppercase)
            || is_all(u8::is_ascii_digit)
    })
}

fn is_url(value: Value<'_>) -> bool {
    let text = value.text();
    text.split_once("://").is_some_and(|(scheme, _)| {
        !scheme.is_empty() && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}
