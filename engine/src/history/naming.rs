//! Names under which requests say which conversation they go on with.

/// What a provider may keep history in.
const PLACES: [&str; 9] = [
    "bot",
    "chat",
    "conversation",
    "dialog",
    "dialogue",
    "memory",
    "sess",
    "session",
    "thread",
];

/// Those that name a place by themselves, without `id` behind.
const BARE: [&str; 5] = ["bot", "dialog", "memory", "session", "sid"];

/// Whether a member or a parameter of this name names a place: `session_id`, `litellmSessionId`, `session`.
pub(crate) fn is_of_place(name: &str) -> bool {
    BARE.contains(&name) || with_id(name).is_some_and(ends_in_place)
}

/// Whether a header or a cookie of this name does: `x-thread`, `mcp-session-id`, `JSESSIONID`.
pub(crate) fn is_of_place_in_header(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let of = with_id(&name)
        .or_else(|| name.strip_suffix("id"))
        .unwrap_or(&name);
    name.rsplit('.').next() == Some("sid") || ends_in_place(of)
}

/// A name without the word that says it is an id.
fn with_id(name: &str) -> Option<&str> {
    const IDS: [&str; 6] = ["_id", "-id", "Id", "ID", "_key", "-key"];
    IDS.iter().find_map(|id| name.strip_suffix(id))
}

/// Whether the last word of a name is a place; of words that are written as one, what they end in.
fn ends_in_place(name: &str) -> bool {
    let start = name.rfind(['_', '-', '.']).map_or(0, |at| at + 1);
    let last = name.get(start..).unwrap_or_default().to_ascii_lowercase();
    PLACES.iter().any(|place| last.ends_with(place))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_name_a_place_by_their_last_words() {
        for name in [
            "session_id",
            "chatId",
            "memory_id",
            "litellm_session_id",
            "parentThreadId",
            "session",
            "session_key",
        ] {
            assert!(is_of_place(name), "{name}");
        }
        for name in ["user_id", "session_note", "chat", "id", "_id", "messageId"] {
            assert!(!is_of_place(name), "{name}");
        }
    }
}
