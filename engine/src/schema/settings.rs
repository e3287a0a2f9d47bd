//! Settings of a request: what they are called, so that all else in them is masked.
//!
//! Numbers and booleans are never rewritten, so that the lists name only what may hold a string.

/// Settings at the top of a body, of the formats and of servers that speak them. In any case.
const OF_REQUEST: &[&str] = &[
    "access_programs",
    "anthropic_beta",
    "anthropic_version",
    "audio",
    "betas",
    "billing_policy",
    "cache_control",
    "cache_salt",
    "container",
    "context_management",
    "conversation",
    "diagnostics",
    "grammar",
    "guided_choice",
    "guided_grammar",
    "guided_regex",
    "image",
    "include",
    "inference_geo",
    "modalities",
    "model",
    "models",
    "moderation",
    "openai-beta",
    "personality",
    "previous_response_id",
    "prompt_cache_key",
    "prompt_cache_options",
    "prompt_cache_retention",
    "reasoning",
    "reasoning_effort",
    "regex",
    "route",
    "service_tier",
    "speed",
    "stream_options",
    "thinking",
    "thread",
    "transforms",
    "truncation",
    "user_profile_id",
    "verbosity",
    "web_search_options",
    "workspace_id",
];

/// Settings at the top of a body that are left whole: names of tools, and what a sampler holds on to.
const WHOLE_OF_REQUEST: &[&str] = &[
    "function_call",
    "logit_bias",
    "stop",
    "stop_sequences",
    "tool_choice",
];

/// Members of settings. Sorted.
const MEMBERS: &[&str] = &[
    "action",
    "agent_name",
    "allowed_callers",
    "allowed_domains",
    "always",
    "approval_request_id",
    "approximate",
    "author",
    "background",
    "betas",
    "bill_to",
    "block_binding",
    "blocked_domains",
    "button",
    "cache_control",
    "caching",
    "caller",
    "caller_id",
    "categories",
    "category",
    "city",
    "clear_at",
    "clear_at_least",
    "clear_tool_inputs",
    "client_tool_results",
    "code",
    "comparison_response_id",
    "complexity",
    "connector_id",
    "container",
    "container_id",
    "context",
    "context_compression",
    "country",
    "custom",
    "cyber",
    "definition",
    "detail",
    "display",
    "domain",
    "effort",
    "enabled",
    "environment",
    "exclude_tools",
    "execution",
    "file_id",
    "file_ids",
    "file_type",
    "format",
    "function",
    "generate_summary",
    "grammar",
    "id",
    "image_url",
    "inference_geo",
    "input",
    "input_fidelity",
    "input_image_mask",
    "keep",
    "keys",
    "mcp_server_name",
    "media_type",
    "memory_limit",
    "mode",
    "model",
    "moderation",
    "moderation_stage",
    "name",
    "network_policy",
    "never",
    "order",
    "output",
    "output_format",
    "oversized_image",
    "path",
    "policy",
    "prefix_mismatch_behavior",
    "previous_message_id",
    "quality",
    "ranker",
    "ranking_options",
    "reasoning",
    "region",
    "require_approval",
    "response_inclusion",
    "search_content_types",
    "search_context_size",
    "server_label",
    "server_name",
    "server_tool_results",
    "server_url",
    "service_tier",
    "size",
    "skill_id",
    "skills",
    "speed",
    "stop_reason",
    "summary",
    "svg",
    "syntax",
    "task_budget",
    "thinking",
    "timezone",
    "tool",
    "tool_choice",
    "tool_id",
    "tool_names",
    "tools",
    "trigger",
    "ttl",
    "tunnel_id",
    "type",
    "url",
    "url_sources",
    "user_location",
    "vector_store_ids",
    "verbosity",
    "version",
    "voice",
];

/// Settings that are left whole: search filters, names of tools, and what the provider itself uses
/// (R7). Sorted.
const WHOLE: &[&str] = &[
    "allowed_tools",
    "authorization",
    "authorization_token",
    "domain_secrets",
    "filters",
    "headers",
];

/// Where settings hold the JSON Schema of a tool or of an answer. Sorted.
const SCHEMAS: &[&str] = &[
    "inputSchema",
    "input_schema",
    "outputSchema",
    "output_schema",
    "parameters",
    "parametersJsonSchema",
    "parameters_json_schema",
    "schema",
];

/// What a member of settings is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Setting {
    /// A word of the format, or more settings.
    Known,
    /// Left, whatever is below it.
    Whole,
    /// A JSON Schema, if it looks like one.
    Schema,
    Unknown,
}

/// What a member at the top of a body is by its name.
pub(super) fn of_request(name: &str) -> Setting {
    // Some servers don't mind the case of names.
    let is_in = |names: &[&str]| names.iter().any(|known| known.eq_ignore_ascii_case(name));
    if is_in(OF_REQUEST) {
        Setting::Known
    } else if is_in(WHOLE_OF_REQUEST) {
        Setting::Whole
    } else {
        Setting::Unknown
    }
}

/// What a member of settings is by its name.
pub(super) fn setting(name: &str) -> Setting {
    let is_in = |names: &[&str]| names.binary_search(&name).is_ok();
    if is_in(MEMBERS) {
        Setting::Known
    } else if is_in(WHOLE) {
        Setting::Whole
    } else if is_in(SCHEMAS) {
        Setting::Schema
    } else {
        Setting::Unknown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_sorted_so_that_every_name_in_them_is_found() {
        for names in [MEMBERS, WHOLE, SCHEMAS] {
            assert!(names.is_sorted());
        }
    }
}
