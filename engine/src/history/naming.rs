//! Names under which requests say which conversation they go on with: of members, parameters, headers and cookies.

/// What a provider may keep history in.
const PLACES: [&str; 8] = [
    "bot",
    "chat",
    "conversation",
    "dialog",
    "dialogue",
    "memory",
    "session",
    "thread",
];

/// Those that other words run into: `jsessionid`, `phpsessid`.
const RUN_INTO: [&str; 4] = ["conversation", "sess", "session", "thread"];

/// Words behind a place that say which one it is.
const WHICH: [&str; 10] = [
    "guid", "handle", "id", "ids", "key", "keys", "name", "ref", "token", "uuid",
];

/// The longest id: what is longer is text.
const MAX_ID: usize = 512;

/// Whether something of this name names a place: `session_id`, `litellmSessionId`, `x-thread`, `JSESSIONID`, `memory`.
pub(crate) fn is_of_place(name: &str) -> bool {
    let words = words(name);
    let mut rest = words.as_slice();
    while let Some((last, before)) = rest.split_last() {
        if !says_which(last) {
            return ends_in_place(last);
        }
        rest = before;
    }
    false
}

/// Whether a member of this name says by itself which place an object is: `{"session": {"uuid": "…"}}`.
pub(crate) fn says_which(name: &str) -> bool {
    WHICH.contains(&name)
}

/// Whether a text may be an id: a word of its own.
pub(crate) fn may_be_id(text: &str) -> bool {
    !text.is_empty() && text.len() <= MAX_ID && !text.contains(char::is_whitespace)
}

/// A name's words, in lower case.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for c in name.chars() {
        let begins = c.is_ascii_uppercase() && was_lower;
        was_lower = c.is_ascii_lowercase();
        if begins || !c.is_ascii_alphanumeric() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_ascii_alphanumeric()) {
            word.push(c.to_ascii_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

fn ends_in_place(word: &str) -> bool {
    let is_place =
        |word: &str| PLACES.contains(&word) || RUN_INTO.iter().any(|place| word.ends_with(place));
    let mut shorter = WHICH.iter().filter_map(|which| word.strip_suffix(which));
    let singular = word.strip_suffix('s').unwrap_or(word);
    // What a server of Microsoft's sets has letters of its own behind.
    let is_run_into = word.contains("sessionid") || shorter.any(is_place);
    word == "sid" || word == "memories" || is_place(word) || is_place(singular) || is_run_into
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each spelling that was not read let an old token come back as a newer value.
    #[test]
    fn a_place_is_named_in_any_spelling() {
        for name in [
            "session_id",
            "SESSION_ID",
            "chatId",
            "memory_id",
            "litellm_session_id",
            "parentThreadID",
            "session",
            "session_key",
            "sessionKey",
            "thread_uuid",
            "conversation-name",
            "chat_ids",
            "session.id",
            "session[id]",
            "sessionid",
            "sessid",
            "JSESSIONID",
            "PHPSESSID",
            "ASPSESSIONIDQQABCD",
            "connect.sid",
            "__Secure-next-auth.session-token",
            "x-amzn-bedrock-agentcore-runtime-session-id",
            "chat_session",
            "threads",
        ] {
            assert!(is_of_place(name), "{name}");
        }
        for name in [
            "user_id",
            "session_note",
            "chat_template",
            "id",
            "_id",
            "messageId",
            "x-session-affinity",
            "robot_id",
            "side",
        ] {
            assert!(!is_of_place(name), "{name}");
        }
    }
}
