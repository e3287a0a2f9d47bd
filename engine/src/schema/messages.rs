//! The text fields of `messages_style` bodies.

use super::Place::{Conversation, Instructions, Metadata, Tools};
use super::Top;
use super::rule::{
    Object,
    Rule::{
        self, Answer, Any, File, Id, Object as Of, Opaque, Schema, Sealed, Settings, Signature,
        Signed, Text, Unknown, Url,
    },
    Type,
};
use super::settings;

pub(super) static REQUEST: &[Top] = &[
    ("messages", Conversation, Of(&MESSAGE)),
    ("system", Instructions, Of(&PART)),
    ("tools", Tools, Of(&TOOL)),
    ("output_config", Tools, Of(&OUTPUT_CONFIG)),
    ("output_format", Tools, Of(&OUTPUT_FORMAT)),
    ("fallbacks", Tools, Of(&FALLBACK)),
    ("mcp_servers", Tools, Of(&MCP_SERVER)),
    (
        "fallback_credit_token",
        Tools,
        Settings(&["", "mode", "token"]),
    ),
    ("metadata", Metadata, Any),
    // A coding agent's description of its machine.
    ("safeguards", Metadata, Any),
    ("client_metadata", Metadata, Any),
    // A prompt outside the conversation, so numbered after it.
    ("compaction", Metadata, Of(&COMPACTION)),
    // Names under which other formats and older servers take a prompt.
    ("instructions", Instructions, Of(&PART)),
    ("prompt", Conversation, Text),
    ("input", Conversation, Unknown),
];

pub(super) static REPLY: Object = Object {
    members: &[
        ("content", Of(&BLOCK)),
        ("stop_details", Of(&STOP_DETAILS)),
        ("metadata", Any),
    ],
    ..Object::SETTINGS
};

pub(super) static STOP_DETAILS: Object = Object {
    members: &[("fallback_credit_token", Opaque)],
    ..Object::SETTINGS
};

static COMPACTION: Object = Object {
    members: &[("type", Id), ("instructions", Text)],
    ..Object::MASKED
};

static MESSAGE: Object = Object {
    members: &[
        ("role", Id),
        ("content", Of(&BLOCK)),
        ("output_config", Of(&OUTPUT_CONFIG)),
        ("clear_at", Settings(&[""])),
    ],
    ..Object::MASKED
};

/// A block of a message.
pub(super) static BLOCK: Object = Object {
    members: &[("type", Id), ("cache_control", Settings(&["type", "ttl"]))],
    types: &[
        Type(&["text"], &[("text", Answer), ("citations", Of(&CITATION))]),
        Type(
            &["tool_use", "server_tool_use", "mcp_tool_use"],
            &[
                ("id", Id),
                ("name", Id),
                ("input", Any),
                ("caller", Settings(&["type", "tool_id"])),
                ("server_name", Id),
                ("toolset_name", Id),
            ],
        ),
        Type(
            &["tool_result", "mcp_tool_result"],
            &[
                ("tool_use_id", Id),
                ("content", Of(&PART)),
                ("is_error", Id),
                ("toolset_name", Id),
            ],
        ),
        Type(
            &["thinking"],
            &[("thinking", Signed("signature")), ("signature", Signature)],
        ),
        Type(&["redacted_thinking"], &[("data", Sealed)]),
        Type(&["image"], &IMAGE),
        Type(&["document"], &DOCUMENT),
        Type(&["search_result"], &SEARCH_RESULT),
        Type(
            &[
                "web_search_tool_result",
                "web_fetch_tool_result",
                "code_execution_tool_result",
                "bash_code_execution_tool_result",
                "text_editor_code_execution_tool_result",
                "tool_search_tool_result",
                "advisor_tool_result",
            ],
            &[
                ("tool_use_id", Id),
                ("content", Of(&RESULT)),
                ("caller", Settings(&["type", "tool_id"])),
            ],
        ),
        Type(&["container_upload"], &[("file_id", Id)]),
        Type(
            &["compaction"],
            &[
                ("content", Signed("signature")),
                ("encrypted_content", Sealed),
                ("signature", Signature),
                ("tool_changes", Of(&TOOL_CHANGE)),
            ],
        ),
        Type(
            &["tool_addition", "tool_removal"],
            &[("tool", Of(&TOOL_REFERENCE))],
        ),
        Type(
            &["mcp_tool_listing"],
            &[("mcp_server_name", Id), ("tools", Of(&TOOL))],
        ),
        Type(
            &["fallback"],
            &[
                ("from", Settings(&["model"])),
                ("to", Settings(&["model"])),
                ("trigger", Settings(&["type", "category"])),
            ],
        ),
    ],
    bare: Answer,
    ..Object::MASKED
};

/// A part of a system prompt, a tool result or a document: text that the model did not write.
static PART: Object = Object {
    members: &[("type", Id), ("cache_control", Settings(&["type", "ttl"]))],
    types: &[
        Type(&["text"], &[("text", Text), ("citations", Of(&CITATION))]),
        Type(&["image"], &IMAGE),
        Type(&["document"], &DOCUMENT),
        Type(&["search_result"], &SEARCH_RESULT),
        Type(&["tool_reference"], &[("tool_name", Id)]),
        Type(
            &["browser_state"],
            &[
                ("tabs", Of(&BROWSER_TAB)),
                ("state_changes", Of(&BROWSER_CHANGE)),
            ],
        ),
    ],
    ..Object::MASKED
};

static IMAGE: [(&str, Rule); 2] = [
    ("source", Of(&SOURCE)),
    ("transformations", Settings(&["oversized_image"])),
];

static DOCUMENT: [(&str, Rule); 4] = [
    ("source", Of(&SOURCE)),
    ("title", Text),
    ("context", Text),
    ("citations", Settings(&[])),
];

static SEARCH_RESULT: [(&str, Rule); 4] = [
    ("source", Id),
    ("title", Text),
    ("content", Of(&PART)),
    ("citations", Settings(&[])),
];

static SOURCE: Object = Object {
    members: &[("type", Id), ("media_type", Id)],
    types: &[
        Type(&["base64"], &[("data", File)]),
        Type(&["text"], &[("data", Text)]),
        Type(&["content"], &[("content", Of(&PART))]),
        Type(&["url"], &[("url", Url)]),
        Type(&["file"], &[("file_id", Id)]),
    ],
    ..Object::MASKED
};

pub(super) static CITATION: Object = Object {
    members: &[
        ("type", Id),
        ("cited_text", Text),
        ("document_title", Text),
        ("title", Text),
        ("url", Id),
        ("source", Id),
        ("file_id", Id),
        ("encrypted_index", Signature),
        ("enabled", Id),
        ("document_index", Id),
        ("search_result_index", Id),
        ("start_char_index", Id),
        ("end_char_index", Id),
        ("start_page_number", Id),
        ("end_page_number", Id),
        ("start_block_index", Id),
        ("end_block_index", Id),
    ],
    ..Object::MASKED
};

static BROWSER_TAB: Object = Object {
    members: &[("tab_id", Id), ("title", Text), ("url", Id)],
    ..Object::MASKED
};

static BROWSER_CHANGE: Object = Object {
    members: &[
        ("type", Id),
        ("tab_id", Id),
        ("download_id", Id),
        ("url", Id),
        ("path", Text),
        ("error", Text),
    ],
    ..Object::MASKED
};

/// What a tool that the provider runs gave back.
static RESULT: Object = Object {
    members: &[
        ("type", Id),
        ("error_code", Id),
        ("error_message", Text),
        ("encrypted_content", Sealed),
    ],
    types: &[
        Type(
            &["web_search_result"],
            &[("title", Text), ("url", Id), ("page_age", Id)],
        ),
        Type(
            &["web_fetch_result"],
            &[("url", Id), ("retrieved_at", Id), ("content", Of(&FETCHED))],
        ),
        Type(
            &[
                "code_execution_result",
                "encrypted_code_execution_result",
                "bash_code_execution_result",
            ],
            &[
                ("stdout", Text),
                ("stderr", Text),
                ("encrypted_stdout", Sealed),
                ("content", Of(&OUTPUT_FILE)),
                ("return_code", Id),
            ],
        ),
        Type(
            &["text_editor_code_execution_view_result"],
            &[("content", Text), ("file_type", Id)],
        ),
        Type(
            &["text_editor_code_execution_str_replace_result"],
            &[("lines", Text)],
        ),
        Type(
            &["tool_search_tool_search_result"],
            &[("tool_references", Of(&PART))],
        ),
        Type(
            &["advisor_result", "advisor_redacted_result"],
            &[("text", Text), ("stop_reason", Id)],
        ),
    ],
    ..Object::MASKED
};

static FETCHED: Object = Object {
    members: &[("type", Id), ("cache_control", Settings(&["type", "ttl"]))],
    types: &[Type(&["document"], &DOCUMENT)],
    untyped: "document",
    ..Object::MASKED
};

static OUTPUT_FILE: Object = Object {
    members: &[("type", Id), ("file_id", Id)],
    ..Object::MASKED
};

static TOOL: Object = Object {
    members: &[
        ("type", Id),
        ("name", Id),
        ("description", Text),
        ("input_schema", Schema),
        ("parameters", Schema),
        ("input_examples", Any),
        ("tools", Of(&TOOL)),
    ],
    others: Settings(settings::TOOL),
    ..Object::SETTINGS
};

static TOOL_CHANGE: Object = Object {
    members: &[
        ("type", Id),
        ("tool", Of(&TOOL_REFERENCE)),
        ("cache_control", Settings(&["type", "ttl"])),
    ],
    ..Object::MASKED
};

static TOOL_REFERENCE: Object = Object {
    members: &[
        ("type", Id),
        ("name", Id),
        ("server_name", Id),
        ("definition", Of(&TOOL)),
    ],
    ..Object::MASKED
};

static OUTPUT_CONFIG: Object = Object {
    members: &[("format", Of(&OUTPUT_FORMAT))],
    others: Settings(&["effort", "task_budget.type"]),
    ..Object::SETTINGS
};

static OUTPUT_FORMAT: Object = Object {
    members: &[
        ("type", Id),
        ("name", Id),
        ("description", Text),
        ("schema", Schema),
    ],
    ..Object::MASKED
};

static FALLBACK: Object = Object {
    members: &[("output_config", Of(&OUTPUT_CONFIG))],
    others: Settings(&[
        "model",
        "speed",
        "thinking.block_binding.prefix_mismatch_behavior",
        "thinking.display",
        "thinking.type",
    ]),
    bare: Settings(&[""]),
    ..Object::SETTINGS
};

static MCP_SERVER: Object = Object {
    members: &[
        ("type", Id),
        ("name", Id),
        ("url", Id),
        // The provider itself uses it (R7).
        ("authorization_token", Opaque),
        ("tool_configuration", Settings(&["allowed_tools"])),
    ],
    ..Object::MASKED
};
