//! History that a path refers to.

use percent_encoding::percent_decode_str;

use super::query::named_in_pairs;
use super::stateless::is_contained;
use crate::Schema;
use crate::history::{HistoryKind, HistoryName, shared};

/// The collections whose members hold history.
const COLLECTIONS: [(&str, HistoryKind); 33] = [
    ("bot", HistoryKind::Place),
    ("bots", HistoryKind::Place),
    ("channels", HistoryKind::Place),
    ("chats", HistoryKind::Place),
    ("containers", HistoryKind::Place),
    ("contexts", HistoryKind::Place),
    ("conversation", HistoryKind::Place),
    ("conversations", HistoryKind::Place),
    ("dialog", HistoryKind::Place),
    ("dialogs", HistoryKind::Place),
    ("discussions", HistoryKind::Place),
    ("memories", HistoryKind::Place),
    ("memory", HistoryKind::Place),
    ("rooms", HistoryKind::Place),
    ("session", HistoryKind::Place),
    ("sessions", HistoryKind::Place),
    ("thread", HistoryKind::Place),
    ("threads", HistoryKind::Place),
    // Chat completions that were stored.
    ("completions", HistoryKind::Turn),
    ("responses", HistoryKind::Turn),
    ("interactions", HistoryKind::Turn),
    ("batches", HistoryKind::Turn),
    ("evals", HistoryKind::Turn),
    ("jobs", HistoryKind::Turn),
    ("predictions", HistoryKind::Turn),
    ("videos", HistoryKind::Turn),
    ("async-result", HistoryKind::Turn),
    ("deferred-completion", HistoryKind::Turn),
    ("operations", HistoryKind::Turn),
    ("requests", HistoryKind::Turn),
    ("runs", HistoryKind::Turn),
    ("status", HistoryKind::Turn),
    ("tasks", HistoryKind::Turn),
];

/// Those whose members a client requests in one request, and fetches in another.
const JOBS: [&str; 6] = ["batches", "evals", "jobs", "predictions", "tasks", "videos"];

/// Segments after a collection that are not ids.
const ACTIONS: [&str; 10] = [
    "batch",
    "compact",
    "count_tokens",
    "crons",
    "input_tokens",
    "items",
    "runs",
    "search",
    "stream",
    "wait",
];

/// Segments after a shared part that change it.
const CHANGES: [&str; 3] = ["file_batches", "files", "versions"];

/// Endings of generic paths with self-contained replies: no later request can refer to them.
const ANSWERS: [&str; 36] = [
    "chat",
    "chat_stream",
    "chatcompletion_v2",
    "classifications",
    "classify",
    "client_secrets",
    "complete",
    "completion",
    "completions",
    "converse",
    "detokenize",
    "edits",
    "embed",
    "embedding",
    "embeddings",
    "embeds",
    "encode",
    "generate",
    "generate_stream",
    "generation",
    "generations",
    "infer",
    "infill",
    "invoke",
    "messages",
    "moderations",
    "ocr",
    "predict",
    "rerank",
    "score",
    "search",
    "speech",
    "stream",
    "tokenize",
    "transcriptions",
    "translations",
];

/// How a request refers to what its path names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HistoryReference {
    /// It continues or changes it.
    On(HistoryName),
    /// It uses what many requests share.
    Using(HistoryName),
}

/// The references to history in a path.
pub(crate) struct PathHistory {
    pub(crate) leaning: Option<HistoryReference>,
    /// What parameters of its segments name: `/v1;session_id=S/messages`.
    pub(crate) parameters: Vec<HistoryName>,
    /// Whether the provider may hold more than a request to this path names where it is read. An empty path says that
    /// its host knows better.
    pub(crate) may_hide: bool,
    /// Whether a request to this path creates what a later one names by its id: on a path of no known format anything
    /// but a plain answer may be that.
    pub(crate) creates: bool,
}

impl PathHistory {
    pub(crate) fn of(path: &str, schema: Schema) -> Self {
        let path = path.split(['?', '#']).next().unwrap_or_default();
        let path = percent_decode_str(path).decode_utf8_lossy();
        let segments = segments(&path);
        Self {
            leaning: leaning(&segments),
            parameters: parameters(&path),
            may_hide: !path.is_empty() && may_hide(&segments, schema),
            creates: creates(&segments, schema),
        }
    }
}

/// The segments of a decoded path as a server reads them: without dots, and without parameters.
fn segments(path: &str) -> Vec<&str> {
    let mut segments = Vec::new();
    for segment in path.split('/') {
        match without_parameters(segment) {
            "" | "." => {}
            ".." => {
                segments.pop();
            }
            segment => segments.push(segment),
        }
    }
    segments
}

fn without_parameters(segment: &str) -> &str {
    let end = segment.bytes().position(|byte| byte == b';');
    end.and_then(|end| segment.get(..end)).unwrap_or(segment)
}

fn parameters(path: &str) -> Vec<HistoryName> {
    if !path.contains(';') {
        return Vec::new();
    }
    let segments = path.split('/');
    let parameters = segments.filter_map(|segment| segment.split_once(';'));
    parameters
        .flat_map(|(_, pairs)| named_in_pairs(pairs))
        .collect()
}

/// The conversation, thread, response or interaction in a path, whatever precedes its collection:
/// `/v1/threads/T/runs`, `/openai/v1/responses/R`. Otherwise what it uses or changes that many
/// requests share: `/v1/agents/A/chat`, `/v1/assistants`.
fn leaning(segments: &[&str]) -> Option<HistoryReference> {
    let held = held_in(segments).map(HistoryReference::On);
    held.or_else(|| shared_in(segments))
}

fn held_in(segments: &[&str]) -> Option<HistoryName> {
    let mut collection = None;
    for segment in segments {
        // A method of the resource: `interactions/I:cancel`.
        let id = segment.split(':').next().unwrap_or_default();
        if let Some(kind) = collection
            && !ACTIONS.contains(&id)
        {
            return Some(match kind {
                HistoryKind::Place => HistoryName::place(id),
                _ => HistoryName::turn(id),
            });
        }
        let known = COLLECTIONS
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(id));
        collection = known.map(|(_, kind)| *kind);
    }
    None
}

fn shared_in(segments: &[&str]) -> Option<HistoryReference> {
    let at = segments
        .iter()
        .rposition(|segment| shared::collection(segment).is_some())?;
    let name = shared::collection(segments.get(at)?)?;
    let behind = segments.get(at + 1..).unwrap_or_default();
    let changes = match behind {
        [] => true,
        // The operation on a part, or what the part is only a prefix of.
        [last] => !(is_answer(last) || is_collection(last) || ACTIONS.contains(last)),
        [_, what, ..] => CHANGES.contains(what),
    };
    Some(if changes {
        HistoryReference::On(name)
    } else {
        HistoryReference::Using(name)
    })
}

fn may_hide(segments: &[&str], schema: Schema) -> bool {
    schema == Schema::Generic && !is_about_known(segments) && !is_contained(segments)
}

fn creates(segments: &[&str], schema: Schema) -> bool {
    segments.last().is_some_and(|last| {
        JOBS.contains(last)
            || is_deferred(segments)
            || schema == Schema::Generic
                && !(is_answer(last) && is_contained(segments))
                && !matches!(shared_in(segments), Some(HistoryReference::On(_)))
    })
}

/// Whether the answer is fetched in a later request: `async/chat/completions`, `gemini-3:batchGenerateContent`.
fn is_deferred(segments: &[&str]) -> bool {
    let method = segments.last().and_then(|last| last.split_once(':'));
    let is_long = |method: &str| {
        method.starts_with("batch")
            || method.starts_with("async")
            || method.ends_with("LongRunning")
    };
    segments.contains(&"async") || method.is_some_and(|(_, method)| is_long(method))
}

/// Whether a path refers to history, or changes what many share: then all history of its requests
/// has a name.
fn is_about_known(segments: &[&str]) -> bool {
    held_in(segments).is_some() || matches!(shared_in(segments), Some(HistoryReference::On(_)))
}

/// Whether a segment asks for an answer: `completions`, `gemini-3:generateContent`.
fn is_answer(segment: &str) -> bool {
    segment.contains(':') || ANSWERS.contains(&segment)
}

fn is_collection(segment: &str) -> bool {
    COLLECTIONS.iter().any(|(name, _)| *name == segment)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history_in(path: &str) -> Option<HistoryReference> {
        PathHistory::of(path, Schema::Generic).leaning
    }

    #[test]
    fn the_id_after_a_collection_is_found() {
        let place = Some(HistoryReference::On(HistoryName::place("thread_1")));
        for path in [
            "/v1/threads/thread_1/runs",
            "/openai/threads/thread_1/messages?api-version=1",
            "//v1//threads//thread%5F1/",
            "/v1%2Fthreads/thread_1;x=1/messages",
            "/v1/threads/other/../thread_1/messages",
            "/v1/threads/%2e/thread_1/messages",
            "/threads/thread_1",
        ] {
            assert_eq!(history_in(path), place, "{path}");
        }
        let turn = Some(HistoryReference::On(HistoryName::turn("r1")));
        for path in [
            "/v1/responses/r1",
            "/v1/responses/r1/input_items",
            "/v1beta/interactions/r1:cancel",
        ] {
            assert_eq!(history_in(path), turn, "{path}");
        }
        // Their replies show the tokens of the request that asked for them.
        for path in [
            "/v1/predictions/r1",
            "/v1/messages/batches/r1/results",
            "/v1/evals/r1/runs/x",
            "/openai/v1/video/generations/jobs/r1",
            "/v1/videos/r1/remix",
            "/v1/chat/completions/r1",
            "/runs/r1/join",
            "/v2/endpoint/status/r1",
            "/fal-ai/any-llm/requests/r1",
        ] {
            assert_eq!(history_in(path), turn, "{path}");
        }
        assert_eq!(
            history_in("/rooms/thread_1/v1/chat/completions"),
            Some(HistoryReference::On(HistoryName::place("thread_1")))
        );
        assert_eq!(
            history_in("/v1/conversations/c/items"),
            Some(HistoryReference::On(HistoryName::place("c")))
        );
    }

    /// They went by, and an old token came back as a newer value.
    #[test]
    fn path_segment_parameters_can_identify_a_conversation() {
        let place = HistoryName::place("S");
        for path in [
            "/v1;session_id=S/chat/completions",
            "/v1/chat/completions;x=1;jsessionid=S",
            "/v1/chat/completions%3Bjsessionid=S?q=1",
        ] {
            let history = PathHistory::of(path, Schema::ChatStyle);
            assert_eq!(history.parameters, [place], "{path}");
        }
        let history = PathHistory::of("/v1;x=1/chat/completions;y", Schema::ChatStyle);
        assert_eq!(history.parameters, []);
    }

    /// An assistant's instructions once had tokens that meant other values in its threads.
    #[test]
    fn changing_a_shared_resource_is_distinguished_from_using_it() {
        let [assistants, agents] = ["assistants", "agents"].map(HistoryName::place);
        let stores = HistoryName::place("vector_stores");
        for (path, leaning) in [
            ("/v1/assistants", HistoryReference::On(assistants)),
            (
                "/openai/assistants/asst_1/",
                HistoryReference::On(assistants),
            ),
            ("/v1/agents", HistoryReference::On(agents)),
            ("/v1/agents/ag_1", HistoryReference::On(agents)),
            ("/v1/agents/ag_1/versions", HistoryReference::On(agents)),
            ("/v1/agents/ag_1/chat", HistoryReference::Using(agents)),
            ("/v1/agents/completions", HistoryReference::Using(agents)),
            ("/v1/agents/ag_1/runs", HistoryReference::Using(agents)),
            ("/agents/responses", HistoryReference::Using(agents)),
            (
                "/agents/v1/chat/completions",
                HistoryReference::Using(agents),
            ),
            ("/v1/vector_stores/vs_1/files", HistoryReference::On(stores)),
            (
                "/v1/vector_stores/vs_1/search",
                HistoryReference::Using(stores),
            ),
            (
                "/v1/agents/ag_1/threads/t/runs",
                HistoryReference::On(HistoryName::place("t")),
            ),
        ] {
            assert_eq!(history_in(path), Some(leaning), "{path}");
        }
    }

    #[test]
    fn paths_that_create_reusable_ids_are_recognized() {
        let creates = |path, schema| PathHistory::of(path, schema).creates;
        let generic = |path| creates(path, Schema::Generic);
        for path in [
            "/v1/predictions/",
            "/v1/messages/batches?x",
            "/v9/things",
            "/v1beta/models/gemini-3:batchGenerateContent",
            "/v1beta/models/veo-3:predictLongRunning",
            "/api/v3/contents/generations/tasks",
        ] {
            assert!(generic(path), "{path}");
        }
        for path in [
            "/v1/embeddings",
            "/api/chat",
            "/v1beta/models/gemini-3:generateContent",
            "/v1/agents",
        ] {
            assert!(!generic(path), "{path}");
        }
        assert!(creates("/v1/messages/batches", Schema::MessagesStyle));
        let chat = |path| creates(path, Schema::ChatStyle);
        assert!(chat("/api/paas/v4/async/chat/completions"));
        assert!(!chat("/v1/chat/completions"));
    }

    #[test]
    fn a_path_without_an_id_names_no_history() {
        for path in [
            "/v1/responses",
            "/v1/responses/",
            "/v1/responses/compact",
            "/v1/responses/input_tokens",
            "/v1/threads/runs",
            "/v1/chat/completions",
            "/runs/stream",
            "/runs/wait",
            "",
        ] {
            assert_eq!(history_in(path), None, "{path}");
        }
    }
}
