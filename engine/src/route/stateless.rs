//! Paths of unknown formats whose requests contain all their history.
//!
//! For any other path, nobody knows what the provider keeps or how a request refers to it: a
//! session id deep in the body, in a header, in a part of the path. Such a request gets derived
//! tokens, which can't mean anything else.

use super::defaults::DEFAULTS;

/// What makes numbers, scores or media out of the request alone, wherever the path begins.
const TRANSFORMS: [&str; 42] = [
    "batch_semantic_embed",
    "chat_tokenize",
    "classifications",
    "classify",
    "contextualizedembeddings",
    "count-tokens",
    "decisions",
    "detokenize",
    "embed",
    "embedText",
    "embedding",
    "embeddings",
    "image-synthesis",
    "instructable_embed",
    "moderations",
    "multimodal-embedding",
    "multimodalembeddings",
    "ocr",
    "ranking",
    "rephrase",
    "rerank",
    "rerankText",
    "reranking",
    "score",
    "semantic_embed",
    "similarity",
    "speak",
    "speech",
    "text-rerank",
    "textEmbedding",
    "text_to_image",
    "token-count",
    "token_counter",
    "tokencount",
    "tokenization",
    "tokenize",
    "tokenize-text",
    "tokenizeCompletion",
    "transcriptions",
    "translate",
    "translations",
    "tts",
];

/// Default routes where something may be kept that later requests use without an id, with an
/// unusual one, or together with what remembers other requests. With a slash at the end, all routes that begin like this.
const KEEPING: [&str; 13] = [
    "/agents/",
    "/api/create",
    "/chat",
    "/chat/stream",
    "/chat_stream",
    "/chatkit/sessions",
    "/fine_tuning/",
    "/invocations",
    "/realtime/",
    "/threads",
    "/tunedModels/",
    "/*:query",
    "/*:streamQuery",
];

/// What may precede a route: it shows where the provider's API begins.
const PREFIXES: [&str; 18] = [
    "alpha",
    "anthropic",
    "api",
    "azure",
    "bedrock",
    "beta",
    "cohere",
    "compatible-mode",
    "gemini",
    "google",
    "inference",
    "llm",
    "mistral",
    "ollama",
    "openai",
    "proxy",
    "services",
    "vertex",
];

/// What the next segment names.
const NAMING: [&str; 10] = [
    "accounts",
    "deployments",
    "endpoints",
    "engines",
    "locations",
    "model",
    "models",
    "organizations",
    "projects",
    "publishers",
];

/// Whether everything that an answer on this path may depend on is in the request, or referred to
/// in a known place.
pub(super) fn is_contained(segments: &[&str]) -> bool {
    if segments
        .last()
        .is_some_and(|last| TRANSFORMS.contains(last))
    {
        return true;
    }
    let routes = DEFAULTS.iter().map(|(ending, _)| *ending);
    let route = routes
        .filter(|ending| ends_in(segments, ending))
        .max_by_key(|ending| parts(ending).count());
    route.is_some_and(|route| {
        let begins = segments.len() - parts(route).count();
        !KEEPING.iter().any(|keeping| is_one_of(route, keeping))
            && is_prefix(segments.get(..begins).unwrap_or_default())
    })
}

fn parts(ending: &str) -> impl DoubleEndedIterator<Item = &str> {
    ending.split('/').filter(|part| !part.is_empty())
}

fn ends_in(segments: &[&str], ending: &str) -> bool {
    let mut segments = segments.iter().rev();
    parts(ending).rev().all(|part| {
        segments
            .next()
            .is_some_and(|segment| match part.strip_prefix('*') {
                Some("") => true,
                Some(":*") => segment.contains(':'),
                Some(verb) => segment.ends_with(verb),
                None => *segment == part,
            })
    })
}

fn is_one_of(route: &str, keeping: &str) -> bool {
    let family = keeping.strip_suffix('/');
    route == family.unwrap_or(keeping) || family.is_some() && route.starts_with(keeping)
}

fn is_prefix(segments: &[&str]) -> bool {
    let mut is_name = false;
    // Everything after the beginning of an ARN is its name:
    // `model/arn:aws:bedrock:…:inference-profile/us.x`.
    let mut segments = segments
        .iter()
        .take_while(|segment| !segment.starts_with("arn:"));
    segments.all(|segment| {
        let is_known = is_name || PREFIXES.contains(segment) || is_version(segment);
        let names = !is_name && NAMING.contains(segment);
        is_name = names;
        is_known || names
    })
}

/// `v1`, `v1beta1`.
fn is_version(segment: &str) -> bool {
    let number = segment.strip_prefix('v').unwrap_or_default();
    number.starts_with(|c: char| c.is_ascii_digit()) && number.len() <= 10
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contained(path: &str) -> bool {
        let segments = path.split('/').filter(|segment| !segment.is_empty());
        is_contained(&segments.collect::<Vec<_>>())
    }

    #[test]
    fn well_known_stateless_paths_are_recognized() {
        for path in [
            "/v1/completions",
            "/openai/deployments/gpt/completions",
            "/agents/7/embeddings",
            "/anything/v9/moderations",
            "/v1beta/models/gemini-3:generateContent",
            "/v1/projects/p/locations/l/publishers/google/models/m:streamGenerateContent",
            "/model/m/converse",
            "/model/arn:aws:bedrock:us-east-1:1:inference-profile/us.x/converse",
            "/api/chat",
            "/api/generate",
            "/v2/chat",
            "/v1/conversations",
            "/v1/images/generations",
            "/v1/audio/speech",
            "/v1/batches",
        ] {
            assert!(contained(path), "{path}");
        }
    }

    /// A bot's memory once brought back what another request of its owner had masked.
    #[test]
    fn any_other_path_may_keep_history() {
        for path in [
            "/",
            "/v9/ask",
            "/v1/agents/a/messages",
            "/v1/agents/a/invoke",
            "/bots/42/completions",
            "/chat",
            "/team/helpdesk/chat",
            "/x/y/generate",
            "/api/create",
            "/v1/tunedModels",
            "/v1/fine_tuning/jobs",
            "/reasoningEngines/9:query",
            "/deployments/a/b/completions",
            "/assistant/invoke",
            "/v1/realtime/sessions",
            "/v1/threads",
            "/invocations",
        ] {
            assert!(!contained(path), "{path}");
        }
    }
}
