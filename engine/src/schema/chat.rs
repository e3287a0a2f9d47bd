//! The text fields of `chat_style` bodies.

use super::Place::{Conversation, Instructions, Metadata, Tools};
use super::Top;
use super::rule::{
    Object,
    Rule::{
        Answer, Any, Arguments, File, Id, Input, Object as Of, Opaque, Prose, Schema, Sealed,
        Settings, Signature, Signed, Text, Unknown, Url,
    },
    Type,
};
use super::settings;

pub(super) static REQUEST: &[Top] = &[
    ("messages", Conversation, Of(&MESSAGE)),
    ("tools", Tools, Of(&TOOL)),
    ("functions", Tools, Of(&FUNCTION)),
    ("response_format", Tools, Of(&RESPONSE_FORMAT)),
    ("guided_json", Tools, Schema),
    // Changes from turn to turn, so numbered after what stays.
    ("prediction", Metadata, Of(&PREDICTION)),
    ("metadata", Metadata, Any),
    ("client_metadata", Metadata, Any),
    ("user", Metadata, Any),
    ("safety_identifier", Metadata, Any),
    // Names under which other formats and older servers take a prompt.
    ("system", Instructions, Of(&PART)),
    ("instructions", Instructions, Of(&PART)),
    ("prompt", Conversation, Text),
    ("suffix", Conversation, Text),
    ("input", Conversation, Unknown),
    // Sources of an answer, which come before the conversation.
    ("documents", Instructions, Any),
    ("data_sources", Instructions, Of(&DATA_SOURCE)),
];

pub(super) static REPLY: Object = Object {
    members: &[
        ("choices", Of(&CHOICE)),
        ("system_fingerprint", Opaque),
        ("obfuscation", Opaque),
        ("metadata", Any),
    ],
    ..Object::SETTINGS
};

static CHOICE: Object = Object {
    members: &[
        ("message", Of(&MESSAGE)),
        ("delta", Of(&MESSAGE)),
        ("text", Answer),
        ("logprobs", Opaque),
    ],
    ..Object::SETTINGS
};

static MESSAGE: Object = Object {
    members: &[
        ("role", Id),
        ("content", Of(&PART)),
        ("tool_calls", Of(&CALL)),
        ("tool_call_id", Id),
        ("name", Id),
        ("refusal", Prose),
        ("function_call", Of(&FUNCTION_CALL)),
        ("reasoning_content", Prose),
        ("reasoning", Prose),
        ("reasoning_details", Of(&REASONING_DETAIL)),
        ("thinking_blocks", Of(&THINKING_BLOCK)),
        ("annotations", Of(&ANNOTATION)),
        ("audio", Of(&AUDIO)),
    ],
    ..Object::MASKED
};

static PART: Object = Object {
    members: &[
        ("type", Id),
        ("cache_control", Settings(&["type", "ttl"])),
        ("prompt_cache_breakpoint", Settings(&["mode", "ttl"])),
    ],
    types: &[
        Type(&["text"], &[("text", Answer)]),
        Type(&["refusal"], &[("refusal", Prose)]),
        Type(&["image_url"], &[("image_url", Of(&MEDIA_URL))]),
        Type(&["video_url"], &[("video_url", Of(&MEDIA_URL))]),
        Type(&["input_audio"], &[("input_audio", Of(&AUDIO))]),
        Type(&["file"], &[("file", Of(&FILE))]),
    ],
    bare: Answer,
    ..Object::MASKED
};

static MEDIA_URL: Object = Object {
    members: &[("url", Url), ("detail", Id)],
    bare: Id,
    ..Object::MASKED
};

static FILE: Object = Object {
    members: &[("file_data", File), ("file_id", Id), ("filename", Id)],
    ..Object::MASKED
};

static AUDIO: Object = Object {
    members: &[
        ("id", Id),
        ("data", File),
        ("format", Id),
        ("transcript", Prose),
        ("expires_at", Id),
    ],
    ..Object::MASKED
};

static CALL: Object = Object {
    members: &[
        ("id", Id),
        ("type", Id),
        ("index", Id),
        ("function", Of(&FUNCTION_CALL)),
        ("custom", Of(&CUSTOM_CALL)),
        ("extra_content", Unknown),
    ],
    ..Object::MASKED
};

static FUNCTION_CALL: Object = Object {
    members: &[("name", Id), ("arguments", Arguments)],
    ..Object::MASKED
};

static CUSTOM_CALL: Object = Object {
    members: &[("name", Id), ("input", Input)],
    ..Object::MASKED
};

static REASONING_DETAIL: Object = Object {
    members: &[
        ("type", Id),
        ("text", Signed("signature")),
        ("summary", Prose),
        ("data", Sealed),
        ("signature", Signature),
        ("format", Id),
        ("index", Id),
    ],
    ..Object::MASKED
};

static THINKING_BLOCK: Object = Object {
    members: &[
        ("type", Id),
        ("thinking", Signed("signature")),
        ("signature", Signature),
        ("data", Sealed),
    ],
    ..Object::MASKED
};

static ANNOTATION: Object = Object {
    members: &[("type", Id), ("url_citation", Of(&URL_CITATION))],
    ..Object::MASKED
};

static URL_CITATION: Object = Object {
    members: &[
        ("title", Text),
        ("url", Id),
        ("start_index", Id),
        ("end_index", Id),
    ],
    ..Object::MASKED
};

static PREDICTION: Object = Object {
    members: &[("type", Id), ("content", Of(&PART))],
    ..Object::MASKED
};

static TOOL: Object = Object {
    members: &[
        ("type", Id),
        ("function", Of(&FUNCTION)),
        ("custom", Of(&CUSTOM)),
        // The same a level up, as some clients write it.
        ("name", Id),
        ("description", Text),
        ("parameters", Schema),
        ("input_schema", Schema),
    ],
    others: Settings(settings::TOOL),
    ..Object::SETTINGS
};

static FUNCTION: Object = Object {
    members: &[("name", Id), ("description", Text), ("parameters", Schema)],
    ..Object::MASKED
};

static CUSTOM: Object = Object {
    members: &[
        ("name", Id),
        ("description", Text),
        (
            "format",
            Settings(&["type", "grammar.definition", "grammar.syntax"]),
        ),
    ],
    ..Object::MASKED
};

static RESPONSE_FORMAT: Object = Object {
    members: &[
        ("type", Id),
        ("json_schema", Of(&JSON_SCHEMA)),
        ("schema", Schema),
    ],
    ..Object::MASKED
};

static JSON_SCHEMA: Object = Object {
    members: &[("name", Id), ("description", Text), ("schema", Schema)],
    ..Object::MASKED
};

static DATA_SOURCE: Object = Object {
    members: &[("type", Id), ("parameters", Of(&DATA_SOURCE_PARAMETERS))],
    ..Object::MASKED
};

/// Where the provider finds the data, and what lets it in there (R7).
static DATA_SOURCE_PARAMETERS: Object = Object {
    members: &[
        ("endpoint", Id),
        ("authentication", Opaque),
        ("embedding_dependency", Of(&EMBEDDING)),
    ],
    ..Object::MASKED
};

static EMBEDDING: Object = Object {
    members: &[("type", Id), ("endpoint", Id), ("authentication", Opaque)],
    ..Object::MASKED
};
