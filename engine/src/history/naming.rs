//! Names that identify a conversation: of members, parameters, headers and cookies.

use super::shared;

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

/// Names of sessions that no place is in: in general, and those of `ColdFusion`.
const SESSIONS: [&str; 3] = ["sid", "cfid", "cftoken"];

/// Words in the names of all places. Searching for them allocates nothing, and most names contain
/// none.
const STEMS: [&str; 10] = [
    "bot",
    "cfid",
    "cftoken",
    "chat",
    "conversation",
    "dialog",
    "memor",
    "sess",
    "sid",
    "thread",
];

/// The letters that one of them begins with: the bits of a word.
const INITIALS: u32 = {
    let (mut letters, mut at) = (0, 0);
    while at < STEMS.len() {
        letters |= 1 << (STEMS[at].as_bytes()[0] - b'a');
        at += 1;
    }
    letters
};

/// Words after a place that identify it.
const WHICH: [&str; 10] = [
    "guid", "handle", "id", "ids", "key", "keys", "name", "ref", "token", "uuid",
];

/// The longest id; anything longer is text.
const MAX_ID: usize = 512;

/// Whether something of this name names a place: `session_id`, `litellmSessionId`, `x-thread`, `JSESSIONID`, `memory`.
pub(crate) fn is_of_place(name: &str) -> bool {
    may_be_of_place(name) && {
        let words = words(name);
        let mut words = words.iter().rev();
        let last = words.find(|word| !(says_which(word) || is_number(word)));
        last.is_some_and(|last| ends_in_place(last))
    }
}

/// Whether a name may be one of a place, at a glance.
fn may_be_of_place(name: &str) -> bool {
    let name = name.as_bytes();
    let begins = |at: usize, stem: &str| {
        let text = name.get(at..at + stem.len());
        text.is_some_and(|text| text.eq_ignore_ascii_case(stem.as_bytes()))
    };
    let is_initial = |byte: u8| {
        let letter = (byte | 0x20).wrapping_sub(b'a');
        letter < 26 && INITIALS & 1 << letter != 0
    };
    let mut bytes = name.iter().enumerate();
    bytes.any(|(at, byte)| is_initial(*byte) && STEMS.iter().any(|stem| begins(at, stem)))
}

/// Whether a cookie of this name is a session's: `JSESSIONID`, `connect.sid`, `osCsid`.
pub(crate) fn is_session_cookie(name: &str) -> bool {
    let end = name.as_bytes().last_chunk();
    is_of_place(name) || end.is_some_and(|end: &[u8; 3]| end.eq_ignore_ascii_case(b"sid"))
}

/// Whether a name refers to a stored turn, or to something unknown: `runId`.
pub(crate) fn is_of_turn(name: &str) -> bool {
    let Some(of) = name.strip_suffix("_id").or_else(|| name.strip_suffix("Id")) else {
        return false;
    };
    let is_known = || is_of_place(name) || shared::named_by(name).is_some();
    !NO_HISTORY.iter().any(|word| of.ends_with(word)) && !is_known()
}

/// Ids that do not refer to content with tokens: the user, the model, and files, which are uploaded
/// unmasked.
const NO_HISTORY: [&str; 29] = [
    "account",
    "adapter",
    "app",
    "client",
    "correlation",
    "customer",
    "deployment",
    "device",
    "endpoint",
    "engine",
    "event",
    "file",
    "group",
    "idempotency",
    "key",
    "model",
    "org",
    "organization",
    "project",
    "region",
    "request",
    "subscription",
    "team",
    "tenant",
    "trace",
    "user",
    "version",
    "voice",
    "workspace",
];

/// Whether a member of this name says by itself which place an object is: `{"session": {"uuid": "…"}}`.
pub(crate) fn says_which(name: &str) -> bool {
    WHICH.contains(&name)
}

/// Whether a text may be an id: a single word.
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

fn is_number(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
}

fn ends_in_place(word: &str) -> bool {
    let is_place =
        |word: &str| PLACES.contains(&word) || RUN_INTO.iter().any(|place| word.ends_with(place));
    let mut shorter = WHICH.iter().filter_map(|which| word.strip_suffix(which));
    let singular = word.strip_suffix('s').unwrap_or(word);
    // Microsoft's servers append letters to theirs.
    let is_run_into = word.contains("sessionid") || shorter.any(is_place);
    let is_other = || SESSIONS.contains(&word) || word == "memories" || is_of_drupal(word);
    is_place(word) || is_place(singular) || is_run_into || is_other()
}

/// `SESS` and a hash of the site.
fn is_of_drupal(word: &str) -> bool {
    let hash = word.strip_prefix("ssess");
    let hash = hash.or_else(|| word.strip_prefix("sess"));
    hash.is_some_and(|hash| hash.len() >= 16 && hash.bytes().all(|digit| digit.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each unread spelling let an old token come back as a newer value.
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
            "session_0",
            "__Secure-next-auth.session-token.1",
            "ASP.NET_SessionId",
            "CFID",
            "cftoken",
            "SSESS9c4f1f0a7b8e2d3c4b5a69788f7e6d5c",
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
            "cf-ray",
            "sessalice",
            "17",
        ] {
            assert!(!is_of_place(name), "{name}");
        }
    }
}
