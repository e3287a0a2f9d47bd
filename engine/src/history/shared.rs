//! What a provider keeps for many requests to use: agents, assistants, stored prompts, stores, caches.
//!
//! Whoever makes or changes one is masked with one session for all of a kind, whose numbers are derived from the
//! values: so a token of it can mean nothing else in any conversation that uses it, known or not.

use super::HistoryName;

/// The collections, as paths name them, and the members by which requests name what is in them.
const COLLECTIONS: [(&str, &[&str]); 5] = [
    ("assistants", &["assistant_id", "assistantId", "assistant"]),
    ("agents", &["agent_id", "agentId", "agent"]),
    ("prompts", &["prompt_id", "promptId", PROMPT]),
    (
        "vector_stores",
        &["vector_store_id", "vector_store_ids", "vectorStoreIds"],
    ),
    ("cachedContents", &["cachedContent", "cached_content"]),
];

/// A text, unless it is an object with an id.
pub(crate) const PROMPT: &str = "prompt";

/// Those that may keep a memory of their own, with what every request that used them said.
const REMEMBERING: [&str; 2] = ["agents", "assistants"];

/// Whether what a provider keeps there may have more to say than whoever made it did.
pub(crate) fn remembers(collection: HistoryName) -> bool {
    let mut remembering = REMEMBERING.iter();
    remembering.any(|name| HistoryName::place(name) == collection)
}

/// The collection of this name, as whoever changes it leans on it.
pub(crate) fn collection(segment: &str) -> Option<HistoryName> {
    let known = COLLECTIONS.iter().find(|(name, _)| *name == segment);
    known.map(|(name, _)| HistoryName::place(name))
}

/// The collection of which a member of a request names something.
pub(crate) fn named_by(member: &str) -> Option<HistoryName> {
    let named = COLLECTIONS
        .iter()
        .find(|(_, members)| members.contains(&member));
    named.map(|(name, _)| HistoryName::place(name))
}
