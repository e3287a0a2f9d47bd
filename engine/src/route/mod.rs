//! Which paths are masked, and by which schema: the same in every host that speaks HTTP.

mod own;
mod path;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::Schema;

pub use own::Own;

/// The routed paths.
#[derive(Debug)]
pub struct Routes {
    by_path: BTreeMap<Vec<u8>, Route>,
}

/// A routed path.
#[derive(Debug, Clone)]
pub struct Route {
    /// The path as configured, which is what logs and the audit trail show.
    pub path: Arc<str>,
    /// What its bodies are.
    pub schema: Schema,
}

/// The specification's default map.
const DEFAULT: &[(&str, Schema)] = &[
    ("/v1/chat/completions", Schema::ChatStyle),
    ("/v1/messages", Schema::MessagesStyle),
    ("/v1/messages/count_tokens", Schema::MessagesStyle),
    ("/v1/responses", Schema::Responses),
    ("/v1/responses/input_tokens", Schema::Responses),
    ("/v1/responses/compact", Schema::Responses),
    ("/chat/completions", Schema::ChatStyle),
    ("/responses", Schema::Responses),
    ("/responses/input_tokens", Schema::Responses),
    ("/responses/compact", Schema::Responses),
];

impl Default for Routes {
    fn default() -> Self {
        Self::new(DEFAULT.iter().copied())
    }
}

impl Route {
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
    /// A map of paths to the schemas of their bodies.
    #[must_use]
    pub fn new<'a>(map: impl IntoIterator<Item = (&'a str, Schema)>) -> Self {
        let mut by_path = BTreeMap::new();
        for (path, schema) in map {
            let route = Route {
                path: path.into(),
                schema,
            };
            // Also in the one way in which every reading of a path is spelled.
            by_path.insert(path::canonical(path), route.clone());
            by_path.insert(path.as_bytes().to_owned(), route);
        }
        Self { by_path }
    }

    /// One of the paths with its schema: the first in the alphabet.
    #[must_use]
    pub fn any(&self) -> (&str, Schema) {
        let first = self.by_path.values().min_by_key(|route| &route.path);
        first.map_or(("/", Schema::ChatStyle), |route| {
            (&*route.path, route.schema)
        })
    }

    /// The route of a request path, however it is spelled.
    ///
    /// A path counts as routed when any server could resolve it to a routed one: sending a masked
    /// body to a path that turns out to be another one is harmless, the opposite is not.
    #[must_use]
    pub fn find(&self, path: &str) -> Option<Route> {
        if let Some(route) = self.by_path.get(path.as_bytes()) {
            return Some(route.clone());
        }
        path::readings(path, |reading| self.by_path.get(reading).cloned())
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
        ] {
            assert_eq!(
                routes.find(path).map(|r| r.path).as_deref(),
                Some("/v1/messages"),
                "{path}"
            );
        }
    }

    #[test]
    fn a_configured_path_is_found_in_every_spelling_too() {
        let routes = Routes::new([("/V2/Chat/", Schema::ChatStyle)]);
        for path in ["/V2/Chat/", "/v2/chat", "//v2/./Chat/", "/v2%2fchat"] {
            assert!(routes.find(path).is_some(), "{path}");
        }
        assert!(routes.find("/v1/messages").is_none());
    }

    #[test]
    fn other_paths_are_not() {
        let routes = Routes::default();
        for path in [
            "/",
            "*",
            "",
            "/v1/models",
            "/v1/messages/x",
            "/v1/messages2",
            "/v1",
            "/messages",
            "/sub/v1/messages",
            "/v1/embeddings",
            "/v1/%zz",
            "/v1/messages/batches",
        ] {
            assert!(routes.find(path).is_none(), "{path}");
        }
    }

    #[test]
    fn a_long_hostile_path_is_read_quickly() {
        let routes = Routes::default();
        let nested = format!("/{}", "%25".repeat(20_000));
        assert!(routes.find(&nested).is_none());
        assert!(routes.find(&"/..%2f;\\".repeat(8_000)).is_none());
    }
}
