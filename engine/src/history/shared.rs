//! What a provider keeps for many requests: agents, assistants, stored prompts, stores, caches.
//!
//! Requests that create or change one share a session for each kind, with derived numbers. So its
//! tokens can't mean anything else in a conversation that uses it, known or not.

use super::HistoryName;

/// The collections, as paths name them, and the members by which requests name what is in them.
const COLLECTIONS: [(&str, &[&str]); 6] = [
    ("assistants", &["assistant_id", "assistantId", "assistant"]),
    ("agents", &["agent_id", "agentId", "agent"]),
    ("skills", &["skill_id", "skillId"]),
    ("prompts", &["prompt_id", "promptId", PROMPT]),
    (
        "vector_stores",
        &["vector_store_id", "vector_store_ids", "vectorStoreIds"],
    ),
    ("cachedContents", &["cachedContent", "cached_content"]),
];

/// A text, unless it is an object with an id.
pub(crate) const PROMPT: &str = "prompt";

/// Those that may have their own memory of every request that used them.
const REMEMBERING: [&str; 2] = ["agents", "assistants"];

/// Whether what a provider keeps there may contain more than its creator wrote.
pub(crate) fn remembers(collection: HistoryName) -> bool {
    let mut remembering = REMEMBERING.iter();
    remembering.any(|name| HistoryName::place(name) == collection)
}

/// The collection with this name, as a request that changes it refers to it.
pub(crate) fn collection(segment: &str) -> Option<HistoryName> {
    let known = COLLECTIONS.iter().find(|(name, _)| *name == segment);
    known.map(|(name, _)| HistoryName::place(name))
}

/// The collection to which a member of a request refers.
pub(crate) fn named_by(member: &str) -> Option<HistoryName> {
    let named = COLLECTIONS
        .iter()
        .find(|(_, members)| members.contains(&member));
    named.map(|(name, _)| HistoryName::place(name))
}
