//! What a path without a route is, however it is spelled.

use super::path;

/// Paths that the proxy answers itself, and no others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Own {
    /// `/health`.
    Health,
    /// `/metrics`.
    Metrics,
}

impl Own {
    /// The path exactly as documented: a quick look.
    #[must_use]
    pub fn at(path: &str) -> Option<Self> {
        match path {
            "/health" => Some(Self::Health),
            "/metrics" => Some(Self::Metrics),
            _ => None,
        }
    }
}

/// A path without a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unrouted {
    /// Another spelling of a path that the proxy answers itself.
    Own(Own),
    /// It ends as calls of models do, so its body probably holds what should be masked.
    ModelCall(ModelCall),
    /// Anything else.
    Other,
}

/// How a path ends that looks like a call of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelCall(usize);

const MODEL_CALLS: [&str; 16] = [
    "/messages",
    "/messages/batches",
    "/completions",
    "/complete",
    "/responses",
    "/count_tokens",
    "/input_tokens",
    "/compact",
    "/embeddings",
    "/rerank",
    "/moderations",
    "/converse",
    "/converse-stream",
    "/invoke",
    ":generatecontent",
    ":streamgeneratecontent",
];

impl ModelCall {
    /// How many there are.
    pub const COUNT: usize = MODEL_CALLS.len();

    /// The ending.
    #[must_use]
    pub fn ending(self) -> &'static str {
        MODEL_CALLS.get(self.0).copied().unwrap_or_default()
    }

    /// Its number, below [`COUNT`](Self::COUNT).
    #[must_use]
    pub fn index(self) -> usize {
        self.0
    }

    fn of(reading: &[u8]) -> Option<Self> {
        let ends = |ending: &&str| reading.ends_with(ending.as_bytes());
        MODEL_CALLS.iter().position(ends).map(Self)
    }
}

impl Unrouted {
    /// What the path is, by any way in which a server could read it.
    #[must_use]
    pub fn of(path: &str) -> Self {
        let mut model_call = None;
        let own = path::readings(path, |reading| {
            model_call = model_call.or_else(|| ModelCall::of(reading));
            Own::at(str::from_utf8(reading).ok()?)
        });
        match (own, model_call) {
            (Some(own), _) => Self::Own(own),
            (None, Some(call)) => Self::ModelCall(call),
            (None, None) => Self::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_an_own_path_is_known() {
        for path in [
            "/health/",
            "//health",
            "/Health",
            "/v1/../health",
            "/%68ealth",
            "/health;x",
        ] {
            assert_eq!(Unrouted::of(path), Unrouted::Own(Own::Health), "{path}");
        }
        assert_eq!(Unrouted::of("/metrics//"), Unrouted::Own(Own::Metrics));
        assert_eq!(Unrouted::of("/healthy"), Unrouted::Other);
        assert_eq!(Unrouted::of("/v1/health"), Unrouted::Other);
    }

    #[test]
    fn paths_that_end_like_calls_of_models_are_told_from_others() {
        let ending = |path| match Unrouted::of(path) {
            Unrouted::ModelCall(call) => Some(call.ending()),
            _ => None,
        };
        assert_eq!(ending("/messages"), Some("/messages"));
        assert_eq!(ending("/sub/v1/messages/"), Some("/messages"));
        assert_eq!(ending("/openai/v1/Chat/Completions"), Some("/completions"));
        assert_eq!(ending("/v1/embeddings"), Some("/embeddings"));
        assert_eq!(
            ending("/v1beta/models/gemini-3:generateContent"),
            Some(":generatecontent")
        );
        for path in ["/", "/v1/models", "/v1/files/x", "/v1/messages/msg_1"] {
            assert_eq!(ending(path), None, "{path}");
        }
    }
}
