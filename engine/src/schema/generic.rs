//! JSON of unknown format: every string is text, except those under structural keys.
//!
//! Based on what other providers' formats have in common: Gemini and Vertex, Bedrock `converse`,
//! Ollama, Cohere, and other endpoints of the known providers. A structural key counts only where
//! such formats have it, in an object of the protocol, and protects only a value that looks like
//! one of its kind. All other objects are data. Ids are read like text: no detector takes one for a
//! secret because of its name, but an unmistakable value is masked.

use super::Form;
use super::json_schema::{self, looks_like_schema};
use super::rule::{Object, Rule};
use super::settings::GATEWAY_KEY;
use super::walk::{Parent, Sink, Subtree, any, file, leave_opaque, list, signed};
use crate::json::{Kind, Value};

/// The kind of an object, by the member that contains it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// The request as a whole.
    Root,
    /// A request in it, or settings of one.
    Request,
    /// A message, or a part of one.
    Part,
    /// An image, a file, a server and the like, or where the provider finds it.
    Media,
    /// A tool, or a call of one.
    Tool,
}

/// The members that hold objects of the protocol, or lists of them.
const HOLDERS: &[(Place, &[&str])] = &[
    (
        Place::Request,
        &[
            "agent",
            "body",
            "functionCallingConfig",
            "function_calling_config",
            "generationConfig",
            "generation_config",
            "inferenceConfig",
            "json_schema",
            "options",
            "params",
            "request",
            "requests",
            "response_format",
            "session",
            "thread",
            "toolConfig",
            "tool_config",
        ],
    ),
    (
        Place::Part,
        &[
            "additional_messages",
            "chat_history",
            "content",
            "contents",
            "input",
            "instances",
            "item",
            "items",
            "message",
            "messages",
            "parts",
            "reasoningContent",
            "reasoningText",
            "system",
            "systemInstruction",
            "system_instruction",
        ],
    ),
    (
        Place::Media,
        &[
            "audio",
            "audio_url",
            "document",
            "file",
            "fileData",
            "file_data",
            "files",
            "image",
            "image_url",
            "images",
            "inlineData",
            "inline_data",
            "input_audio",
            "mask",
            "mcp_servers",
            "resources",
            "source",
            "video",
            "video_url",
        ],
    ),
    (
        Place::Tool,
        &[
            "function",
            "functionCall",
            "functionDeclarations",
            "functionResponse",
            "function_call",
            "function_declarations",
            "function_response",
            "functions",
            "toolCalls",
            "toolResult",
            "toolSpec",
            "toolUse",
            "tool_calls",
            "tool_spec",
            "tools",
        ],
    ),
];

/// Models, names issued by the provider, and sampling settings of a request.
const LEFT: &[&str] = &[
    "allowedFunctionNames",
    "anthropic_version",
    "cachedContent",
    "cached_content",
    "deployment",
    "engine",
    "model",
    "modelId",
    "model_id",
    "prompt_cache_key",
    "stop",
    "stopSequences",
    "stop_sequences",
    "toolChoice",
    "tool_choice",
];

/// Media types.
const MEDIA_TYPES: &[&str] = &[
    "media_type",
    "mimeType",
    "mime_type",
    "responseMimeType",
    "response_mime_type",
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

/// URLs that the provider fetches, or reports to.
const URLS: &[&str] = &[
    "audio_url",
    "callback_url",
    "document_url",
    "fileUri",
    "file_uri",
    "file_url",
    "gcsUri",
    "image_url",
    "server_url",
    "video_url",
    "webhook",
    "webhook_url",
];

/// The same, but only in a request and next to a file: elsewhere they are data.
const PLAIN_URLS: &[&str] = &["uri", "url"];

/// Images and the like: base64, or a URL.
const MEDIA: &[&str] = &["audio", "image", "images", "mask", "video"];

/// Schemas of answers.
const SCHEMAS_OF_ANSWERS: &[&str] = &[
    "format",
    "guided_json",
    "json_schema",
    "responseJsonSchema",
    "responseSchema",
    "response_json_schema",
    "response_schema",
    "schema",
];

/// Schemas of tools.
const SCHEMAS_OF_TOOLS: &[&str] = &[
    "inputSchema",
    "input_schema",
    "outputSchema",
    "output_schema",
    "parameters",
    "parametersJsonSchema",
    "parameters_json_schema",
];

/// Credentials that the provider itself uses, each with the member that has its URL (R7).
const CREDENTIALS: &[(&str, &str)] = &[
    ("authorization", "server_url"),
    ("authorization_token", "url"),
    ("headers", "server_url"),
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

/// Members of objects that have a tool's name.
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

/// A reply: every string is restored except what can only be opaque.
pub(super) static REPLY: Object = Object {
    members: &[
        ("thinking", Rule::Signed("signature")),
        ("signature", Rule::Signature),
    ],
    others: Rule::Generic,
    bare: Rule::Generic,
    ..Object::MASKED
};

/// Reads JSON of a request or a reply.
pub(super) fn walk<'t, S: Sink<'t>>(sink: &mut S, value: Value<'t>, name: Option<Value<'t>>) {
    walk_at(sink, Place::Request, value, name);
}

/// Reads a request.
pub(super) fn request<'t, S: Sink<'t>>(sink: &mut S, root: Value<'t>) {
    walk_at(sink, Place::Root, root, None);
}

fn walk_at<'t, S: Sink<'t>>(sink: &mut S, place: Place, value: Value<'t>, name: Option<Value<'t>>) {
    match value.kind() {
        Kind::Object => object(sink, place, value),
        Kind::Array => list(value, name, |element, name| {
            walk_at(sink, place, element, name);
        }),
        _ => any(sink, value, name, Subtree::Unknown),
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

fn object<'t, S: Sink<'t>>(sink: &mut S, place: Place, object: Value<'t>) {
    let parent = Parent::new(object);
    let names_tool = names_tool(place, object);
    let is_forwarded = place == Place::Root && is_forwarded(object);
    for (key, member) in object.members() {
        let name = key.text();
        let is_left = names_tool && name == "name" && is_identifier(member)
            || is_structural(place, &name, member)
            || is_forwarded && name == "headers"
            || is_credential(place, object, &name);
        if is_left && !S::READS_ALL {
            leave(sink, &name, member);
            continue;
        }
        // Reasoning of Bedrock's `converse` is a text beside its signature.
        if matches!(&*name, "thinking" | "text") {
            signed(sink, member, object.member("signature"));
        }
        if read_as_known(sink, place, &name, key, member)
            || leave_opaque(sink, &parent, key, member, Subtree::Unknown)
        {
            continue;
        }
        sink.leaf(key, None, Form::Key);
        let naming = Some(parent.naming(key));
        match held(&name) {
            _ if is_forwarded && name == "query" => {
                walk_at(sink, Place::Request, member, naming);
            }
            Some(place) => walk_at(sink, place, member, naming),
            None if S::READS_ALL => walk_at(sink, place, member, naming),
            None => any(sink, member, naming, Subtree::Unknown),
        }
    }
}

/// The kind of the objects in a member; `None` if they are data.
fn held(name: &str) -> Option<Place> {
    let holder = HOLDERS.iter().find(|(_, names)| names.contains(&name));
    holder.map(|(place, _)| *place)
}

/// Whether an object is a request that a gateway forwards, with the headers that the provider gets: Cloudflare takes a list
/// of them.
fn is_forwarded(object: Value<'_>) -> bool {
    let is_there = |name| object.member(name).is_some();
    let query = object.member("query");
    is_there("provider") && is_there("endpoint") && query.is_some_and(Value::is_object)
}

/// Whether an object has the name of a tool: of its declaration, or of a call.
fn names_tool(place: Place, object: Value<'_>) -> bool {
    let is_beside = |key: Value<'_>| BESIDE_A_TOOLS_NAME.iter().any(|name| key.is_text(name));
    matches!(place, Place::Tool | Place::Part) && object.members().any(|(key, _)| is_beside(key))
}

/// Whether a string may be the name of a tool: all providers restrict it so.
fn is_identifier(value: Value<'_>) -> bool {
    const LONGEST: usize = 128;
    let text = value.raw_content();
    let mut bytes = text.bytes();
    value.is_string()
        && text.len() <= LONGEST
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || b"_-.:".contains(&byte))
}

fn is_structural(place: Place, name: &str, value: Value<'_>) -> bool {
    let is_of_request = match place {
        Place::Root => LEFT.contains(&name) || name == GATEWAY_KEY,
        Place::Request => LEFT.contains(&name),
        _ => false,
    };
    let may_be_url = URLS.contains(&name)
        || MEDIA.contains(&name)
        || !matches!(place, Place::Part | Place::Tool) && PLAIN_URLS.contains(&name);
    is_of_request && is_list_of_strings(value)
        || MEDIA_TYPES.contains(&name) && is_media_type(value)
        || WORDS.contains(&name) && is_word(value)
        || may_be_url && is_url(value)
}

/// Whether a member holds what the provider itself uses to fetch something.
fn is_credential(place: Place, object: Value<'_>, name: &str) -> bool {
    let url_beside = |url: &str| object.member(url).is_some_and(is_url);
    let credential = CREDENTIALS
        .iter()
        .find(|(credential, _)| *credential == name);
    matches!(place, Place::Media | Place::Tool)
        && credential.is_some_and(|(_, url)| url_beside(url))
}

/// Leaves a structural member. Of these only URLs, and what the model's text is compared with, may hold a value.
fn leave<'t, S: Sink<'t>>(sink: &mut S, name: &str, member: Value<'t>) {
    let is_compared = ["stop", "stopSequences", "stop_sequences"].contains(&name);
    if is_compared || is_url(member) {
        let strings = std::iter::once(member).chain(member.elements());
        strings.for_each(|string| sink.left(string));
    }
}

fn is_media_type(value: Value<'_>) -> bool {
    let text = value.raw_content();
    let is_of_type = |byte: u8| byte.is_ascii_alphanumeric() || b"/.+-;= ".contains(&byte);
    value.is_string() && text.contains('/') && text.bytes().all(is_of_type)
}

/// Reads a member whose name identifies its kind; `false` if it does not.
fn read_as_known<'t, S: Sink<'t>>(
    sink: &mut S,
    place: Place,
    name: &str,
    key: Value<'t>,
    member: Value<'t>,
) -> bool {
    if name == "arguments" && member.is_string() {
        sink.leaf(member, Some(key), Form::Arguments);
    } else if S::READS_ALL {
        return false;
    } else if let Some(schema) = schema(place, name, member) {
        json_schema::walk(sink, schema, None);
    } else if is_data(name, member) {
        any(sink, member, Some(key), Subtree::Any);
    } else if MEDIA.contains(&name) && !member.is_object() {
        media(sink, key, member);
    } else {
        return false;
    }
    true
}

/// The schema in a member, which Bedrock puts into one called `json`.
fn schema<'t>(place: Place, name: &str, member: Value<'t>) -> Option<Value<'t>> {
    let names = match place {
        Place::Root | Place::Request => SCHEMAS_OF_ANSWERS,
        Place::Tool => SCHEMAS_OF_TOOLS,
        Place::Part | Place::Media => return None,
    };
    let schema = member.member("json").unwrap_or(member);
    (names.contains(&name) && looks_like_schema(schema)).then_some(schema)
}

/// An `input` that is a list holds messages or texts.
fn is_data(name: &str, member: Value<'_>) -> bool {
    DATA.contains(&name) && (member.is_object() || member.is_array() && name != "input")
}

fn media<'t, S: Sink<'t>>(sink: &mut S, key: Value<'t>, member: Value<'t>) {
    match member.kind() {
        Kind::String if is_url(member) => {}
        Kind::String => file(sink, member, Some(key)),
        Kind::Array => member.elements().for_each(|element| match element.kind() {
            Kind::String => media(sink, key, element),
            _ => walk_at(sink, Place::Media, element, Some(key)),
        }),
        _ => {}
    }
}

fn is_list_of_strings(value: Value<'_>) -> bool {
    value.is_string() || value.is_array() && value.elements().all(Value::is_string)
}

/// Whether a string may be a word of an enumeration: letters mostly, as `web_search_20260209` is.
pub(super) fn is_word(value: Value<'_>) -> bool {
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

pub(super) fn is_url(value: Value<'_>) -> bool {
    let text = value.text();
    text.split_once("://").is_some_and(|(scheme, _)| {
        !scheme.is_empty() && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}
