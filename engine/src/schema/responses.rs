//! The text fields of `responses` bodies.

use super::Place::{Conversation, Instructions, Metadata, Tools};
use super::Top;
use super::rule::{
    Object,
    Rule::{
        Answer, Any, Arguments, Each, File, Id, Object as Of, Opaque, Prose, Schema, Sealed,
        Settings, Signature, Signed, Text, Url,
    },
    Type,
};
use super::settings;

pub(super) static REQUEST: &[Top] = &[
    ("input", Conversation, Of(&ITEM)),
    ("instructions", Instructions, Of(&ITEM)),
    ("tools", Tools, Of(&TOOL)),
    ("text", Tools, Of(&TEXT)),
    ("prompt", Instructions, Of(&PROMPT)),
    ("metadata", Metadata, Any),
    ("client_metadata", Metadata, Any),
    ("user", Metadata, Any),
    ("safety_identifier", Metadata, Any),
    // Names under which the other formats take a prompt.
    ("messages", Conversation, Of(&ITEM)),
    ("system", Instructions, Of(&PART)),
];

/// A reply repeats the request (R13).
pub(super) static REPLY: Object = Object {
    members: &[
        ("output", Of(&ITEM)),
        ("output_text", Answer),
        ("instructions", Of(&ITEM)),
        ("tools", Of(&TOOL)),
        ("prompt", Of(&PROMPT)),
        ("metadata", Any),
        ("client_metadata", Any),
    ],
    ..Object::SETTINGS
};

static PROMPT: Object = Object {
    members: &[("variables", Each(&Of(&PART)))],
    others: Settings(&["id", "version"]),
    bare: Text,
    ..Object::SETTINGS
};

static TEXT: Object = Object {
    members: &[("format", Of(&TEXT_FORMAT))],
    others: Settings(&["verbosity"]),
    ..Object::SETTINGS
};

static TEXT_FORMAT: Object = Object {
    members: &[
        ("type", Id),
        ("name", Id),
        ("description", Text),
        ("schema", Schema),
        ("strict", Id),
    ],
    ..Object::MASKED
};

/// An item of the input or the output.
pub(super) static ITEM: Object = Object {
    members: &[
        ("type", Id),
        ("id", Id),
        ("status", Id),
        ("call_id", Id),
        ("agent", Settings(&["agent_name"])),
        ("caller", Settings(&["type", "caller_id"])),
        ("created_by", Id),
    ],
    types: &[
        Type(
            &["message", "agent_message"],
            &[
                ("role", Id),
                ("content", Of(&PART)),
                ("phase", Id),
                ("author", Id),
                ("recipient", Id),
            ],
        ),
        Type(
            &["function_call", "multi_agent_call"],
            &[
                ("name", Id),
                ("arguments", Arguments),
                ("namespace", Id),
                ("action", Id),
            ],
        ),
        Type(
            &[
                "function_call_output",
                "custom_tool_call_output",
                "multi_agent_call_output",
            ],
            &[
                ("output", Of(&RESULT_PART)),
                ("name", Id),
                ("namespace", Id),
                ("action", Id),
            ],
        ),
        Type(
            &["reasoning"],
            &[
                ("summary", Of(&RESULT_PART)),
                ("content", Of(&RESULT_PART)),
                ("encrypted_content", Sealed),
            ],
        ),
        Type(
            &["custom_tool_call"],
            &[("name", Id), ("input", Text), ("namespace", Id)],
        ),
        Type(
            &["local_shell_call", "shell_call"],
            &[("action", Of(&SHELL)), ("environment", Of(&ENVIRONMENT))],
        ),
        Type(
            &["local_shell_call_output", "shell_call_output"],
            &[("output", Of(&SHELL_OUTPUT)), ("max_output_length", Id)],
        ),
        Type(&["apply_patch_call"], &[("operation", Of(&PATCH))]),
        Type(&["apply_patch_call_output"], &[("output", Text)]),
        Type(&["web_search_call"], &[("action", Of(&WEB_SEARCH))]),
        Type(
            &["file_search_call"],
            &[("queries", Text), ("results", Of(&FILE_SEARCH_RESULT))],
        ),
        Type(
            &["computer_call", "computer_call_output"],
            &[
                ("action", Of(&COMPUTER_ACTION)),
                ("actions", Of(&COMPUTER_ACTION)),
                ("output", Of(&SCREENSHOT)),
                ("pending_safety_checks", Of(&SAFETY_CHECK)),
                ("acknowledged_safety_checks", Of(&SAFETY_CHECK)),
            ],
        ),
        Type(
            &["code_interpreter_call"],
            &[
                ("code", Text),
                ("outputs", Of(&CODE_OUTPUT)),
                ("container_id", Id),
            ],
        ),
        Type(
            &["image_generation_call"],
            &[
                ("result", File),
                ("revised_prompt", Text),
                ("error", Of(&IMAGE_ERROR)),
                ("action", Id),
                ("background", Id),
                ("output_format", Id),
                ("quality", Id),
                ("size", Id),
                ("svg_usage", Settings(&["model"])),
            ],
        ),
        Type(
            &["mcp_call", "mcp_approval_request"],
            &[
                ("name", Id),
                ("server_label", Id),
                ("arguments", Arguments),
                ("output", Text),
                ("error", Of(&MCP_ERROR)),
                ("approval_request_id", Id),
            ],
        ),
        Type(
            &["mcp_approval_response"],
            &[
                ("reason", Text),
                ("approve", Id),
                ("approval_request_id", Id),
            ],
        ),
        Type(
            &["mcp_list_tools"],
            &[
                ("server_label", Id),
                ("tools", Of(&MCP_TOOL)),
                ("error", Of(&MCP_ERROR)),
            ],
        ),
        Type(
            &["tool_search_call"],
            &[("arguments", Any), ("execution", Id)],
        ),
        Type(
            &["tool_search_output", "additional_tools"],
            &[("tools", Of(&TOOL)), ("execution", Id), ("role", Id)],
        ),
        Type(
            &["configuration_update"],
            &[("text", Of(&TEXT)), ("reasoning", Settings(&["effort"]))],
        ),
        Type(
            &["program"],
            &[("code", Signed("fingerprint")), ("fingerprint", Signature)],
        ),
        Type(&["program_output"], &[("result", Text)]),
        Type(&["compaction"], &[("encrypted_content", Sealed)]),
    ],
    untyped: "message",
    ..Object::MASKED
};

/// A part of a message or a prompt variable.
pub(super) static PART: Object = Object {
    types: &[
        Type(
            &["output_text"],
            &[
                ("text", Answer),
                ("annotations", Of(&ANNOTATION)),
                ("logprobs", Opaque),
            ],
        ),
        WRITTEN,
        REASONED,
        REFUSAL,
        IMAGE,
        FILE,
        AUDIO,
        ENCRYPTED,
    ],
    ..RESULT_PART_BASE
};

/// A part of a call's result or of reasoning: text that is not the model's answer.
static RESULT_PART: Object = Object {
    types: &[
        WRITTEN,
        REASONED,
        Type(
            &["output_text"],
            &[
                ("text", Text),
                ("annotations", Of(&ANNOTATION)),
                ("logprobs", Opaque),
            ],
        ),
        REFUSAL,
        IMAGE,
        FILE,
        AUDIO,
        ENCRYPTED,
    ],
    ..RESULT_PART_BASE
};

const RESULT_PART_BASE: Object = Object {
    members: &[
        ("type", Id),
        ("prompt_cache_breakpoint", Settings(&["mode", "ttl"])),
    ],
    ..Object::MASKED
};

const WRITTEN: Type = Type(&["input_text", "text"], &[("text", Text)]);

const REASONED: Type = Type(&["summary_text", "reasoning_text"], &[("text", Prose)]);

const REFUSAL: Type = Type(&["refusal"], &[("refusal", Prose)]);

const IMAGE: Type = Type(
    &["input_image", "computer_screenshot"],
    &[("image_url", Url), ("file_id", Id), ("detail", Id)],
);

const FILE: Type = Type(
    &["input_file"],
    &[
        ("file_data", File),
        ("file_id", Id),
        ("file_url", Url),
        ("filename", Id),
        ("detail", Id),
    ],
);

const AUDIO: Type = Type(&["input_audio"], &[("input_audio", Of(&INPUT_AUDIO))]);

const ENCRYPTED: Type = Type(&["encrypted_content"], &[("encrypted_content", Sealed)]);

static INPUT_AUDIO: Object = Object {
    members: &[("data", File), ("format", Id)],
    ..Object::MASKED
};

pub(super) static ANNOTATION: Object = Object {
    members: &[
        ("type", Id),
        ("title", Text),
        ("url", Id),
        ("file_id", Id),
        ("filename", Id),
        ("container_id", Id),
        ("index", Id),
        ("start_index", Id),
        ("end_index", Id),
    ],
    ..Object::MASKED
};

static SHELL: Object = Object {
    members: &[
        ("type", Id),
        ("command", Text),
        ("commands", Text),
        ("env", Any),
        ("user", Text),
        ("working_directory", Text),
        ("timeout_ms", Id),
        ("max_output_length", Id),
    ],
    ..Object::MASKED
};

pub(super) static SHELL_OUTPUT: Object = Object {
    members: &[
        ("stdout", Prose),
        ("stderr", Prose),
        ("outcome", Settings(&["type"])),
        ("created_by", Id),
    ],
    ..Object::MASKED
};

static PATCH: Object = Object {
    members: &[("type", Id), ("diff", Text), ("path", Text)],
    ..Object::MASKED
};

static WEB_SEARCH: Object = Object {
    members: &[
        ("type", Id),
        ("query", Text),
        ("queries", Text),
        ("pattern", Text),
        ("url", Id),
        ("sources", Of(&WEB_SOURCE)),
    ],
    ..Object::MASKED
};

static WEB_SOURCE: Object = Object {
    members: &[("type", Id), ("url", Id)],
    ..Object::MASKED
};

static FILE_SEARCH_RESULT: Object = Object {
    members: &[
        ("text", Text),
        ("attributes", Any),
        ("file_id", Id),
        ("filename", Id),
        ("score", Id),
    ],
    ..Object::MASKED
};

static COMPUTER_ACTION: Object = Object {
    members: &[
        ("type", Id),
        ("text", Text),
        ("keys", Settings(&[""])),
        ("path", Settings(&[])),
        ("x", Id),
        ("y", Id),
        ("scroll_x", Id),
        ("scroll_y", Id),
        ("button", Id),
    ],
    ..Object::MASKED
};

static SCREENSHOT: Object = Object {
    members: &[("type", Id), ("image_url", Url), ("file_id", Id)],
    ..Object::MASKED
};

static SAFETY_CHECK: Object = Object {
    members: &[("id", Id), ("code", Id), ("message", Text)],
    ..Object::MASKED
};

static CODE_OUTPUT: Object = Object {
    members: &[("type", Id), ("logs", Text), ("url", Id)],
    ..Object::MASKED
};

static IMAGE_ERROR: Object = Object {
    members: &[
        ("message", Text),
        ("type", Id),
        ("code", Id),
        ("param", Id),
        (
            "moderation_details",
            Settings(&["categories", "moderation_stage"]),
        ),
    ],
    ..Object::MASKED
};

static MCP_ERROR: Object = Object {
    members: &[
        ("type", Id),
        ("message", Text),
        ("code", Id),
        ("content", Any),
    ],
    ..Object::MASKED
};

static MCP_TOOL: Object = Object {
    members: &[
        ("name", Id),
        ("description", Text),
        ("input_schema", Schema),
        ("annotations", Any),
    ],
    ..Object::MASKED
};

static TOOL: Object = Object {
    members: &[
        // The provider itself uses these (R7).
        ("authorization", Opaque),
        ("headers", Opaque),
        ("type", Id),
        ("name", Id),
        ("description", Text),
        ("server_description", Text),
        ("parameters", Schema),
        ("output_schema", Schema),
        ("input_schema", Schema),
        ("tools", Of(&TOOL)),
        ("container", Of(&ENVIRONMENT)),
        ("environment", Of(&ENVIRONMENT)),
    ],
    others: Settings(settings::TOOL),
    ..Object::SETTINGS
};

/// Where a tool runs.
static ENVIRONMENT: Object = Object {
    members: &[
        ("network_policy", Of(&NETWORK_POLICY)),
        ("skills", Of(&SKILL)),
    ],
    others: Settings(&["container_id", "file_ids", "memory_limit", "type"]),
    bare: Settings(&[""]),
    ..Object::SETTINGS
};

static SKILL: Object = Object {
    members: &[("source", Of(&SKILL_SOURCE))],
    others: Settings(&["name", "path", "skill_id", "type", "version"]),
    ..Object::SETTINGS
};

static SKILL_SOURCE: Object = Object {
    members: &[("data", File)],
    others: Settings(&["media_type", "type"]),
    ..Object::SETTINGS
};

static NETWORK_POLICY: Object = Object {
    members: &[("domain_secrets", Of(&DOMAIN_SECRET))],
    others: Settings(&["allowed_domains", "type"]),
    ..Object::SETTINGS
};

static DOMAIN_SECRET: Object = Object {
    members: &[("domain", Id), ("name", Id), ("value", Opaque)],
    ..Object::MASKED
};
