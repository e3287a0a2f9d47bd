//! Which history of a provider a path names.

use percent_encoding::percent_decode_str;

use crate::history::{HistoryKind, HistoryName};

/// The collections whose members hold history.
const COLLECTIONS: [(&str, HistoryKind); 9] = [
    ("conversations", HistoryKind::Place),
    ("threads", HistoryKind::Place),
    ("responses", HistoryKind::Turn),
    ("interactions", HistoryKind::Turn),
    ("batches", HistoryKind::Turn),
    ("evals", HistoryKind::Turn),
    ("jobs", HistoryKind::Turn),
    ("predictions", HistoryKind::Turn),
    ("videos", HistoryKind::Turn),
];

/// Those whose members a client asks for in one request, and fetches in another.
const JOBS: [&str; 5] = ["batches", "evals", "jobs", "predictions", "videos"];

/// What many histories share: the tokens of its members must mean the same in every thread.
const SHARED: &str = "assistants";

/// What stands behind a collection and is no id.
const ACTIONS: [&str; 6] = [
    "compact",
    "count_tokens",
    "input_tokens",
    "items",
    "runs",
    "search",
];

/// The conversation, thread, response or interaction that a path is about, whatever stands before
/// its collection: `/v1/threads/T/runs`, `/openai/v1/responses/R`.
pub(crate) fn history_in(path: &str) -> Option<HistoryName> {
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let last = path.rsplit('/').filter(|segment| !segment.is_empty());
    if last.take(2).any(|segment| segment == SHARED) {
        return Some(HistoryName::place(SHARED));
    }
    let mut collection = None;
    for segment in path.split('/').filter(|segment| !segment.is_empty()) {
        let segment = percent_decode_str(segment).decode_utf8_lossy();
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
        let known = COLLECTIONS.iter().find(|(name, _)| *name == id);
        collection = known.map(|(_, kind)| *kind);
    }
    None
}

/// Whether a request to this path creates what a later one names by its id.
pub(crate) fn creates(path: &str) -> bool {
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let mut segments = path.rsplit('/').filter(|segment| !segment.is_empty());
    segments.next().is_some_and(|last| {
        let last = percent_decode_str(last).decode_utf8_lossy();
        JOBS.contains(&&*last)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_behind_a_collection_is_found() {
        let place = Some(HistoryName::place("thread_1"));
        for path in [
            "/v1/threads/thread_1/runs",
            "/openai/threads/thread_1/messages?api-version=1",
            "//v1//threads//thread%5F1/",
            "/threads/thread_1",
        ] {
            assert_eq!(history_in(path), place, "{path}");
        }
        let turn = Some(HistoryName::turn("r1"));
        for path in [
            "/v1/responses/r1",
            "/v1/responses/r1/input_items",
            "/v1beta/interactions/r1:cancel",
        ] {
            assert_eq!(history_in(path), turn, "{path}");
        }
        // An assistant's instructions once had tokens that stood for other values in its threads.
        for path in ["/v1/assistants", "/openai/assistants/asst_1/"] {
            assert_eq!(history_in(path), Some(HistoryName::place(SHARED)), "{path}");
        }
        // Their replies show the tokens of the request that asked for them.
        for path in [
            "/v1/predictions/r1",
            "/v1/messages/batches/r1/results",
            "/v1/evals/r1/runs/x",
            "/openai/v1/video/generations/jobs/r1",
            "/v1/videos/r1/remix",
        ] {
            assert_eq!(history_in(path), turn, "{path}");
        }
        assert!(creates("/v1/predictions/") && creates("/v1/messages/batches?x"));
        assert!(!creates("/v1/predictions/p") && !creates("/v1/chat/completions"));
        assert_eq!(
            history_in("/v1/conversations/c/items"),
            Some(HistoryName::place("c"))
        );
    }

    #[test]
    fn a_path_without_an_id_names_nothing() {
        for path in [
            "/v1/responses",
            "/v1/responses/",
            "/v1/responses/compact",
            "/v1/responses/input_tokens",
            "/v1/threads/runs",
            "/v1/chat/completions",
            "",
        ] {
            assert_eq!(history_in(path), None, "{path}");
        }
    }
}
