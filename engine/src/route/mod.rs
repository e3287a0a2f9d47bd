//! Which paths are masked, and by which schema. The same for every host that uses HTTP.

mod defaults;
mod forwarded;
mod header_history;
mod keys;
mod own_paths;
mod owner;
mod path;
mod path_history;
mod pattern;
mod query;
pub mod redirect;
mod services;
mod stateless;
mod unmaskable;
mod words;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::Schema;
use pattern::Pattern;

pub(crate) use forwarded::is_file;
pub use forwarded::{Content, NamedPaths, is_upload, is_upload_form};
pub(crate) use header_history::HeaderHistory;
pub use keys::{KeyHeader, PROVIDER_KEYS};
pub use own_paths::Own;
pub(crate) use owner::names_user;
pub use owner::{identity, is_credential, is_credential_of};
pub(crate) use path_history::{HistoryReference, PathHistory};
pub(crate) use query::Query;
pub use query::{credentials, without_credentials};
pub use unmaskable::{Unmaskable, is_event_stream};
pub(crate) use words::is_known;

/// The routed paths: whole ones, and endings.
#[derive(Debug)]
pub struct Routes {
    by_path: BTreeMap<Vec<u8>, Route>,
    /// In the order in which they are tried.
    by_ending: Vec<Pattern>,
}

/// A routed path.
#[derive(Debug, Clone)]
pub struct Route {
    /// The path or the ending as configured, which is what logs and the audit trail show.
    pub path: Arc<str>,
    /// The schema of its bodies.
    pub schema: Schema,
}

impl Default for Routes {
    /// Every path that ends as the calls of models do, as documented in `docs/formats.md`.
    fn default() -> Self {
        let mut routes = Self::new([]);
        routes.add_endings(Self::defaults());
        routes
    }
}

impl Route {
    /// A route of this path or ending.
    #[must_use]
    pub fn new(path: &str, schema: Schema) -> Self {
        Self {
            path: path.into(),
            schema,
        }
    }

    /// Whether it counts tokens or compacts a history, and does not call a model.
    #[must_use]
    pub fn is_auxiliary(&self) -> bool {
        let path = self.path.trim_end_matches('/');
        ["/count_tokens", "/input_tokens", "/compact"]
            .iter()
            .any(|ending| path.ends_with(ending))
    }
}

impl Routes {
    /// A map of whole paths to the schemas of their bodies, and no endings.
    #[must_use]
    pub fn new<'a>(map: impl IntoIterator<Item = (&'a str, Schema)>) -> Self {
        let mut by_path = BTreeMap::new();
        for (path, schema) in map {
            let route = Route::new(path, schema);
            // Also in the one way in which every reading of a path is spelled.
            by_path.insert(path::canonical(path), route.clone());
            by_path.insert(path.as_bytes().to_owned(), route);
        }
        Self {
            by_path,
            by_ending: Vec::new(),
        }
    }

    /// The default endings with the schemas of their bodies, in the order of the documentation.
    pub fn defaults() -> impl Iterator<Item = (&'static str, Schema)> {
        let services = services::SERVICES.iter();
        defaults::DEFAULTS.iter().chain(services).copied()
    }

    /// Adds endings, which hold for every path that ends in them at a segment border; `*` is any
    /// segment, `*:verb` one that ends so, `*:*` one with any verb. Of those that hold for a path the one that says most of it
    /// counts, and among equals the one that was added last.
    pub fn add_endings<'a>(&mut self, map: impl IntoIterator<Item = (&'a str, Schema)>) {
        let added = map.into_iter();
        let added = added.map(|(path, schema)| Pattern::new(Route::new(path, schema)));
        let mut added: Vec<_> = added.collect();
        for pattern in &added {
            // Common requests are found by a look-up.
            let path = pattern.route.path.as_bytes();
            if !path.contains(&b'*') {
                self.by_path.insert(path.to_owned(), pattern.route.clone());
            }
        }
        added.append(&mut self.by_ending);
        added.sort_by_cached_key(Pattern::rank);
        self.by_ending = added;
    }

    /// One of the paths with its schema, for a request that only tries the proxy: rather one of the
    /// three formats.
    #[must_use]
    pub fn any(&self) -> (&str, Schema) {
        let routes = self.by_path.values();
        let first = routes.min_by_key(|route| (route.schema == Schema::Generic, &route.path));
        first.map_or(("/", Schema::ChatStyle), |route| {
            (&*route.path, route.schema)
        })
    }

    /// The routes.
    pub fn iter(&self) -> impl Iterator<Item = &Route> {
        let endings = self.by_ending.iter().map(|ending| &ending.route);
        self.by_path.values().chain(endings)
    }

    /// The route of a request path, however it is spelled.
    ///
    /// A path counts as routed when any server could resolve it to a routed one: sending a masked
    /// body to a path that turns out to be another one is harmless, the opposite is not.
    #[must_use]
    pub fn find(&self, path: &str) -> Option<Route> {
        let common = self.by_path.get(path.as_bytes());
        let spelled = || self.find_read(path, |reading| Some(reading));
        let with_suffix = || self.find_read(path, path::stem);
        common.or_else(spelled).or_else(with_suffix).cloned()
    }

    /// The route of one of the readings of a path, or of a part of them.
    fn find_read(&self, path: &str, part: impl Fn(&[u8]) -> Option<&[u8]>) -> Option<&Route> {
        // Another reading may show more of an ending: `/threads%2Fx/messages`.
        let mut best = self.by_ending.len();
        let whole = path::readings(path, |reading| {
            let reading = part(reading)?;
            let better = self.by_ending.iter().take(best);
            best = better.take_while(|ending| !ending.holds(reading)).count();
            self.by_path.get(reading)
        });
        let ending = || self.by_ending.get(best).map(|ending| &ending.route);
        whole.or_else(ending)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_a_routed_path_is_routed() {
        let routes = Routes::default();
        for path in [
            "/v1/messages",
            "/v1/messages/",
            "//v1///messages//",
            "/v1/./messages",
            "/v1/x/../messages",
            "/../v1/messages",
            "/v1/%2e%2e/v1/messages",
            "/v1/%2E/messages",
            "/v1%2Fmessages",
            "/v1/%6dessages",
            "/v1/%256dessages",
            "/v1/%25252525256dessages",
            "/V1/Messages",
            "/v1/messages%3Fx",
            "/v1/messages%23x",
            "/v1/messages%00",
            "/v1/messages%20",
            "/v1/messages;a=b",
            "/v1;a/messages",
            "/v1/x/..;/messages",
            "\\v1\\messages",
            "/v1/x\\..\\messages",
            "/v1/a%3f/../messages",
            "/v1/messages/..;/..",
            "/v1/messages//..",
            "/v1/messages/%252e%252e/%2e%2e",
            "/v1/v1/messages",
            "/v1/v1/v1/messages",
            "/v1/messages/../messages",
            "/v1/messages/.",
            "/v1/messages/%2e",
            "/v1/messages/./",
            // Some servers drop dots at the end of a name.
            "/v1/messages.",
            "/v1/messages%2E",
            "/v1/messages..%20",
            "/v1./messages",
        ] {
            assert_eq!(
                routes.find(path).map(|r| r.path).as_deref(),
                Some("/v1/messages"),
                "{path}"
            );
        }
    }

    #[test]
    fn every_spelling_of_a_configured_path_is_routed() {
        let routes = Routes::new([("/V2/Chat/", Schema::ChatStyle)]);
        for path in ["/V2/Chat/", "/v2/chat", "//v2/./Chat/", "/v2%2fchat"] {
            assert!(routes.find(path).is_some(), "{path}");
        }
        assert!(routes.find("/v1/messages").is_none());
    }

    #[test]
    fn other_paths_are_not_routed() {
        let routes = Routes::default();
        for path in [
            "*",
            "/v1/models",
            "/v1/models/gpt-5",
            "/v1/messages/x",
            "/v1/messages2",
            "/xmessages",
            "/v1",
            "/v1/files",
            "/v1/files/file_1/content",
            "/v1/0123/gateway",
            "/v1/videos/v_1/content",
            "/v1beta/models",
            "/v1beta/models/gemini-3",
            "/:generatecontent/x",
            "/api/tags",
            "/api/show",
            "/api/event_logging/batch",
            "/v1/%zz",
        ] {
            assert!(routes.find(path).is_none(), "{path}");
        }
    }

    /// Case P1: each of these went to the provider in the clear.
    #[test]
    fn a_default_route_matches_every_path_ending_in_it() {
        let routes = Routes::default();
        for (path, ending, schema) in [
            (
                "/api/v1/chat/completions",
                "/v1/chat/completions",
                Schema::ChatStyle,
            ),
            (
                "/openai/v1/Chat/completions/",
                "/v1/chat/completions",
                Schema::ChatStyle,
            ),
            (
                "/openai/deployments/x/chat/completions",
                "/chat/completions",
                Schema::ChatStyle,
            ),
            ("/v1beta/openai/responses", "/responses", Schema::Responses),
            (
                "/inference%2Fv1/responses/compact",
                "/v1/responses/compact",
                Schema::Responses,
            ),
            (
                "/anthropic/v1/messages",
                "/v1/messages",
                Schema::MessagesStyle,
            ),
            ("/messages", "/messages", Schema::MessagesStyle),
            (
                "/x/messages/count_tokens",
                "/messages/count_tokens",
                Schema::MessagesStyle,
            ),
        ] {
            let route = routes.find(path).unwrap();
            assert_eq!((&*route.path, route.schema), (ending, schema), "{path}");
        }
    }

    /// Each of these went to the provider in the clear.
    #[test]
    fn a_suffix_or_verb_does_not_change_the_route() {
        let routes = Routes::default();
        for (path, ending) in [
            ("/v1/messages.json", "/v1/messages"),
            ("/v1/Responses.JSON", "/v1/responses"),
            ("/v1/embeddings%2Ejson", "/embeddings"),
            ("/v1/chat/completions:stream", "/v1/chat/completions"),
            ("/v1/chat/completions%3Astream", "/v1/chat/completions"),
            ("/v1/models/m.json:generateContent", "/*:generateContent"),
            ("/conversations/c.json", "/conversations/*"),
        ] {
            let found = routes.find(path).map(|route| route.path);
            assert_eq!(found.as_deref(), Some(ending), "{path}");
        }
        for path in [
            "/v1/models.json",
            "/v1/files:messages",
            "/.json",
            "/:stream",
        ] {
            assert!(routes.find(path).is_none(), "{path}");
        }
    }

    /// Case P2.
    #[test]
    fn other_prompt_paths_are_generic() {
        let routes = Routes::default();
        for path in [
            "/v1/embeddings",
            "/openai/deployments/x/embeddings",
            "/v1/engines/davinci/completions",
            "/v1/messages/batches",
            "/v1/messages/batches/b_1/results",
            "/v1/threads/t_1/messages",
            "/v1/threads/t_1/runs/r_1/submit_tool_outputs",
            "/v1/conversations/c_1/items",
            "/v1/responses/resp_1/input_items",
            "/v1/chat/completions/c_1",
            "/v1beta/models/gemini-3-flash:generateContent",
            "/v1beta/models/gemini-3-flash%3AstreamGenerateContent",
            "/v1/projects/p/locations/l/publishers/anthropic/models/claude@1:streamRawPredict",
            "/model/arn%3Aaws%3Abedrock%3A1%3Ax%2Fy/converse",
            // With a plain slash these were forwarded.
            "/model/arn:aws:bedrock:us-east-1:1:inference-profile/us.x/invoke",
            "/model/arn:aws:bedrock:us-east-1:1:custom-model/a.b/c/converse",
            "/model/arn:aws:bedrock:us-east-1:1:inference-profile/us.x/converse-stream",
            "/model/arn:aws:bedrock:us-east-1:1:inference-profile%2Fus.x/count-tokens",
            "/model/m/invoke-with-response-stream",
            "/api/chat",
            "/api/embed",
            "/v2/chat",
            "/v2/rerank",
            "/generate_stream",
            "/v2/models/m/generate",
            "/serving-endpoints/e/invocations",
            "/v1/models/o/m/predictions",
            "/client/v4/accounts/a/ai/run/@cf/meta/llama",
            "/api/v2/cortex/inference:complete",
            // Servers of one model take prompts at their root.
            "/",
            "//",
            "/v1/..",
            "/v1/projects/p/locations/l/reasoningEngines/r:streamQuery",
            "/knowledgebases/k/retrieve",
            "/ml/v1/text/generation_stream",
            "/api/create",
            // Each of these carried prompts, and was forwarded.
            "/v1/fine_tuning/jobs",
            "/v1/vector_stores",
            "/v1/containers",
            "/v1/agents",
            "/v1/agents/completions",
            "/v1/chatkit/sessions",
            "/v1/realtime/calls",
            "/v1beta/tunedModels",
            "/v1beta/tunedModels/t:generateContent",
            "/v1beta/models/gemini-3:foo",
            "/v1beta/models/gemini-3%3AgenerateContent:foo",
            "/chat",
            "/v1/chat",
            "/v1/translate",
            "/v1/chat-messages",
            "/api/v1/prediction/f81d",
            "/agent/stream",
            "/threads/t/state",
            "/v1/sessions/s/events",
            "/v1/projects/p/locations/l/agents/a/sessions/s:detectIntent",
            "/hf-inference/models/o/m",
            "/v1/batch/jobs",
            "/search",
            "/v2/translate",
            "/lemur/v3/generate/task",
            "/foundationModels/v1/completionAsync",
            "/v1/decisions",
            "/v1/sessions",
            "/v1/deployments/d",
            "/v1/dreams",
            "/v1/agents/automations/a",
            "/v1beta/auth_tokens",
            "/contentsafety/text:shieldPrompt",
            "/language/:analyze-text",
            "/hf-inference/models/o/m/pipeline/feature-extraction",
            "/v1/tokenize-text",
            "/20231130/actions/chat",
            "/20231130/actions/embedText",
            "/v2/prompts/p/versions",
            "/flows/f/aliases/a",
            "/endpoints/e/invocations-response-stream",
            "/v1/agents/a/session/s/turn",
            "/api/v3/embeddings/multimodal",
            // Their forms had prompts.
            "/v1/audio/transcriptions",
            "/v2beta/stable-image/generate/ultra",
            "/v1/skills",
            // A gateway's list of requests.
            "/v1/0123456789abcdef0123456789ABCDEF/gateway",
            "/fal-ai/kling-video/v2/master/text-to-video",
            // The reply shows what was sent to create it.
            "/v1/predictions/p",
            "/v1/evals/e",
            "/v1/evals/e/runs/r",
            "/openai/v1/video/generations/jobs/j",
        ] {
            let schema = routes.find(path).map(|route| route.schema);
            assert_eq!(schema, Some(Schema::Generic), "{path}");
        }
    }

    #[test]
    fn the_more_specific_route_and_added_routes_win() {
        let mut routes = Routes::new([("/v1/chat/completions", Schema::Generic)]);
        assert!(routes.find("/sub/v1/chat/completions").is_none());
        routes.add_endings([
            ("/ask/*", Schema::ChatStyle),
            ("/ask/me", Schema::Responses),
        ]);
        let schema = |routes: &Routes, path| routes.find(path).map(|route| route.schema);
        assert_eq!(schema(&routes, "/sub/ask/you"), Some(Schema::ChatStyle));
        assert_eq!(schema(&routes, "/sub/ask/me"), Some(Schema::Responses));
        assert_eq!(schema(&routes, "/ask/"), None);

        let mut routes = Routes::default();
        routes.add_endings([("/completions", Schema::Responses)]);
        assert_eq!(
            schema(&routes, "/v1/chat/completions"),
            Some(Schema::ChatStyle)
        );
        assert_eq!(
            schema(&routes, "/x/v1/completions"),
            Some(Schema::Responses)
        );
    }

    /// `/models/*/*` has more segments, and made each of these generic.
    #[test]
    fn a_literal_path_ending_beats_a_wildcard() {
        let routes = Routes::default();
        for (path, schema) in [
            ("/models/chat/completions", Schema::ChatStyle),
            ("/workers-ai/v1/chat/completions", Schema::ChatStyle),
            ("/bot/messages", Schema::MessagesStyle),
            ("/prediction/responses", Schema::Responses),
            ("/models/embeddings", Schema::Generic),
            ("/v1/threads/t/messages", Schema::Generic),
            ("/v1/messages/batches", Schema::Generic),
        ] {
            let found = routes.find(path).map(|route| route.schema);
            assert_eq!(found, Some(schema), "{path}");
        }
    }

    #[test]
    fn a_long_hostile_path_is_read_quickly() {
        let routes = Routes::default();
        let nested = format!("/{}", "%25".repeat(20_000));
        assert!(routes.find(&nested).is_none());
        let root = routes.find(&"/..%2f;\\".repeat(8_000));
        assert_eq!(root.map(|route| route.path).as_deref(), Some("/"));
    }
}
