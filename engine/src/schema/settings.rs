//! Settings of a request, by their places. Everything else in them is masked.

/// The places of strings in settings, each a path of names below one object. Lists do not count.
///
/// `**` is everything below, and the empty path is a string in place of the object. Paths with the
/// same beginning are next to each other. Numbers and booleans are never rewritten, so they need no
/// place.
pub(super) type Places = &'static [&'static str];

/// The key that a gateway in front of the provider uses for this request (R7).
pub(crate) const GATEWAY_KEY: &str = "api_key";

/// Settings at the top of a body, of the formats and of servers that speak them.
pub(super) static REQUEST: Places = &[
    "access_programs.cyber",
    "anthropic_beta",
    "anthropic_version",
    GATEWAY_KEY,
    "audio.format",
    "audio.voice",
    "audio.voice.id",
    "betas",
    "billing_policy.bill_to",
    "billing_policy.type",
    "cache_control.ttl",
    "cache_control.type",
    "cache_salt",
    "container",
    "container.id",
    "container.skills.skill_id",
    "container.skills.type",
    "container.skills.version",
    "context_management.edits.clear_at_least.type",
    "context_management.edits.clear_tool_inputs",
    "context_management.edits.exclude_tools",
    "context_management.edits.keep",
    "context_management.edits.keep.type",
    "context_management.edits.trigger.type",
    "context_management.edits.type",
    "context_management.type",
    "conversation",
    "conversation.id",
    "diagnostics.previous_message_id",
    "function_call",
    "function_call.name",
    "grammar",
    "guided_choice",
    "guided_grammar",
    "guided_regex",
    "image.context_compression",
    "include",
    "inference_geo",
    "modalities",
    "model",
    "models",
    "moderation.model",
    "moderation.policy.input.mode",
    "moderation.policy.output.mode",
    "openai-beta",
    "personality",
    "previous_response_id",
    "prompt_cache_key",
    "prompt_cache_options.comparison_response_id",
    "prompt_cache_options.mode",
    "prompt_cache_options.ttl",
    "prompt_cache_retention",
    "reasoning.context",
    "reasoning.effort",
    "reasoning.generate_summary",
    "reasoning.mode",
    "reasoning.summary",
    "reasoning_effort",
    "regex",
    "route",
    "service_tier",
    "speed",
    "stop",
    "stop_sequences",
    "thinking.block_binding.prefix_mismatch_behavior",
    "thinking.display",
    "thinking.type",
    "thread",
    "thread.id",
    "thread.previous_message_id",
    "thread.type",
    "tool_choice",
    "tool_choice.allowed_tools.mode",
    "tool_choice.allowed_tools.tools.custom.name",
    "tool_choice.allowed_tools.tools.function.name",
    "tool_choice.allowed_tools.tools.name",
    "tool_choice.allowed_tools.tools.server_label",
    "tool_choice.allowed_tools.tools.type",
    "tool_choice.custom.name",
    "tool_choice.function.name",
    "tool_choice.mode",
    "tool_choice.name",
    "tool_choice.server_label",
    "tool_choice.tools.custom.name",
    "tool_choice.tools.function.name",
    "tool_choice.tools.name",
    "tool_choice.tools.server_label",
    "tool_choice.tools.type",
    "tool_choice.type",
    "transforms",
    "truncation",
    "user_profile_id",
    "verbosity",
    "web_search_options.search_context_size",
    "web_search_options.user_location.approximate.city",
    "web_search_options.user_location.approximate.country",
    "web_search_options.user_location.approximate.region",
    "web_search_options.user_location.approximate.timezone",
    "web_search_options.user_location.type",
    "workspace_id",
];

/// Those that the model's text is compared with: what is masked in the text is masked there, too.
const COMPARED: [&str; 3] = ["guided_choice", "stop", "stop_sequences"];

/// Settings of a tool, for all formats, because gateways accept the tools of one under another.
/// Search filters and the provider's credentials (R7) are left whole.
pub(super) static TOOL: Places = &[
    "action",
    "allowed_callers",
    "allowed_domains",
    "allowed_tools",
    "allowed_tools.tool_names",
    "authorization",
    "background",
    "blocked_domains",
    "cache_control.ttl",
    "cache_control.type",
    "caching.ttl",
    "caching.type",
    "complexity",
    "connector_id",
    "container",
    "environment",
    "execution",
    "filters.**",
    "format.definition",
    "format.syntax",
    "format.type",
    "headers.**",
    "input_fidelity",
    "input_image_mask.file_id",
    "input_image_mask.image_url",
    "mcp_server_name",
    "model",
    "moderation",
    "output_format",
    "quality",
    "ranking_options.ranker",
    "require_approval",
    "require_approval.always.tool_names",
    "require_approval.never.tool_names",
    "response_inclusion",
    "search_content_types",
    "search_context_size",
    "server_label",
    "server_url",
    "size",
    "svg.model",
    "svg.reasoning.effort",
    "tunnel_id",
    "url_sources.client_tool_results.tools.name",
    "url_sources.client_tool_results.tools.type",
    "url_sources.client_tool_results.type",
    "url_sources.server_tool_results.tools.name",
    "url_sources.server_tool_results.tools.type",
    "url_sources.server_tool_results.type",
    "url_sources.user_input.type",
    "user_location.approximate.city",
    "user_location.approximate.country",
    "user_location.approximate.region",
    "user_location.approximate.timezone",
    "user_location.city",
    "user_location.country",
    "user_location.region",
    "user_location.timezone",
    "user_location.type",
    "vector_store_ids",
];

/// Settings, as far as a walk has gone down in them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Settings {
    /// The places that begin with what was passed.
    places: Places,
    /// How many of their bytes have been consumed, including the next dot.
    passed: usize,
}

impl Settings {
    pub(super) const fn new(places: Places) -> Self {
        Self { places, passed: 0 }
    }

    /// The settings below a member; `None` if it is not a setting. Some servers ignore the case of
    /// names.
    pub(super) fn member(self, name: &str) -> Option<Self> {
        if name.is_empty() || name.contains('.') {
            return None;
        }
        let first = name.as_bytes().first().copied().unwrap_or_default();
        let is_below = |place: &&str| {
            const CASE: u8 = b'a' ^ b'A';
            // Nearly always the first letter tells.
            let begins = place.as_bytes().get(self.passed);
            if begins.is_none_or(|begins| (begins ^ first) & !CASE != 0) {
                return false;
            }
            let rest = self.rest(place).as_bytes();
            let is_end = matches!(rest.get(name.len()), None | Some(b'.'));
            let next = rest.get(..name.len()).filter(|_| is_end);
            next.is_some_and(|next| next.eq_ignore_ascii_case(name.as_bytes()))
        };
        let from = self.places.get(self.first_from(name)..)?;
        let from = from.get(from.iter().position(is_below)?..)?;
        let count = from.iter().take_while(|place| is_below(place)).count();
        Some(Self {
            places: from.get(..count)?,
            passed: self.passed + name.len() + 1,
        })
    }

    /// A place before the first one that begins with a name of either case. Long lists are sorted.
    fn first_from(self, name: &str) -> usize {
        const LONG: usize = 32;
        if self.places.len() < LONG {
            return 0;
        }
        let name = || name.bytes().map(|byte| byte.to_ascii_lowercase());
        self.places
            .partition_point(|place| self.rest(place).bytes().lt(name()))
    }

    /// Whether a string is allowed here.
    pub(super) fn is_word(self) -> bool {
        self.places.iter().any(|place| self.rest(place).is_empty())
    }

    /// Whether the model's text is compared with a string here.
    pub(super) fn is_compared(self) -> bool {
        let mut words = self
            .places
            .iter()
            .filter(|place| self.rest(place).is_empty());
        words.any(|place| COMPARED.contains(place))
    }

    /// Whether all that is here is left.
    pub(super) fn is_whole(self) -> bool {
        self.places.iter().any(|place| self.rest(place) == "**")
    }

    fn rest(self, place: &str) -> &str {
        place.get(self.passed..).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_are_sorted_and_in_lower_case() {
        for places in [REQUEST, TOOL] {
            assert!(places.is_sorted());
            assert!(
                places
                    .iter()
                    .all(|place| !place.contains(char::is_uppercase))
            );
        }
    }

    #[test]
    fn every_listed_setting_path_is_found() {
        for places in [REQUEST, TOOL] {
            for place in places {
                let names = place.split('.').filter(|name| *name != "**");
                let at = names.fold(Settings::new(places), |at, name| at.member(name).unwrap());
                assert!(at.is_word() || at.is_whole(), "{place}");
            }
        }
    }

    #[test]
    fn a_name_is_a_setting_only_at_its_own_path() {
        let request = Settings::new(REQUEST);
        let voice = request.member("Audio").and_then(|at| at.member("voice"));
        assert!(voice.unwrap().is_word());
        assert!(!request.member("audio").unwrap().is_word());
        for name in ["voice", "audi", "audio.voice", "", "**"] {
            assert!(request.member(name).is_none(), "{name}");
        }
    }
}
