//! Names that identify a conversation: of members, parameters, headers and cookies.

use super::shared;
use crate::base::word_list::WordList;

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

/// Words in the names of all places, and beginnings of those in names of what a request continues from. Searching for them
/// allocates nothing, and most names contain none.
const STEMS: [&str; 16] = [
    "bot",
    "cfid",
    "cftoken",
    "chat",
    "continu",
    "conversation",
    "dialog",
    "fork",
    "memor",
    "parent",
    "prev",
    "reply",
    "resume",
    "sess",
    "sid",
    "thread",
];

/// A set of bits over hashes of their first three letters, which rules out nearly every place of a name.
const HEADS: [u64; 16] = {
    let (mut heads, mut at) = ([0; 16], 0);
    while at < STEMS.len() {
        if let Some(head) = STEMS[at].as_bytes().first_chunk() {
            let (word, bit) = place(*head);
            heads[word] |= bit;
        }
        at += 1;
    }
    heads
};

/// The place of three letters of either case in that set.
const fn place([first, second, third]: [u8; 3]) -> (usize, u64) {
    let letters = u32::from_le_bytes([first, second, third, 0]) | 0x0020_2020;
    let hash = letters.wrapping_mul(0x9e37_79b9) >> 22;
    ((hash / 64) as usize, 1 << (hash % 64))
}

/// What a provider may keep history by, if an id of it is named: `context_id`, `x-run-id`.
const KEPT: [&str; 16] = [
    "branch",
    "channel",
    "checkpoint",
    "context",
    "conv",
    "discussion",
    "history",
    "interaction",
    "response",
    "room",
    "run",
    "sequence",
    "state",
    "task",
    "topic",
    "turn",
];

/// Words that say of what follows that it came before: `previous_request_id`.
const EARLIER: [&str; 3] = ["parent", "prev", "previous"];

/// What came before even if no id is named: `previous_response`.
const TURNS: [&str; 9] = [
    "completion",
    "generation",
    "interaction",
    "message",
    "request",
    "response",
    "run",
    "task",
    "turn",
];

/// Names of what a request continues from.
const GOING_ON: [&[&str]; 9] = [
    &["continuation"],
    &["continue", "from"],
    &["fork", "from"],
    &["forked", "from"],
    &["prev"],
    &["previous"],
    &["reply", "to"],
    &["resume"],
    &["resume", "from"],
];

/// Who numbers requests to trace them: `x-datadog-parent-id`.
const TRACERS: [&str; 7] = ["b3", "client", "datadog", "dd", "span", "trace", "tracing"];

/// Words that are an id, and no other property.
const IDS: [&str; 6] = ["guid", "handle", "id", "ids", "ref", "uuid"];

/// Words after a place that identify it.
const WHICH: [&str; 10] = [
    "guid", "handle", "id", "ids", "key", "keys", "name", "ref", "token", "uuid",
];

/// The longest id; anything longer is text.
const MAX_ID: usize = 512;

/// Words after a place for what belongs to it, such as its id: `session_params`.
const BELONGINGS: [&str; 9] = [
    "config",
    "context",
    "data",
    "info",
    "options",
    "parameters",
    "params",
    "resumption",
    "settings",
];

/// Whether something of this name names a place: `session_id`, `litellmSessionId`, `x-thread`, `JSESSIONID`, `memory`.
pub(crate) fn is_of_place(name: &str) -> bool {
    has_stem(name) && {
        let words = words(name);
        let mut words = words.iter().rev();
        let last = words.find(|word| !(identifies(word) || is_number(word) || *word == "state"));
        last.is_some_and(|last| ends_in_place(last))
    }
}

/// Whether an object of this name belongs to a place, which an id in it identifies: `{"session_params": {"id": "…"}}`.
pub(crate) fn belongs_to_place(name: &str) -> bool {
    let words = words(name);
    let Some((last, [.., of])) = words.split_last() else {
        return false;
    };
    BELONGINGS.contains(&&**last) && ends_in_place(of)
}

/// Whether an object of this name is of a turn, which an id in it identifies: `{"context": {"id": "…"}}`.
pub(crate) fn belongs_to_turn(name: &str) -> bool {
    is_of_turn(&[name, "_id"].concat())
}

/// Whether something of this name is by itself the id of a place or turn: `{"id": "…"}`.
pub(crate) fn is_id(name: &str) -> bool {
    IDS.contains(&name)
}

/// Whether a name may be one of history, at a glance.
pub(crate) fn may_name(name: &str) -> bool {
    !USUAL.hold(name) && (ends_in_id(name) || has_stem(name))
}

/// Names that nearly all members have and that name no history.
static USUAL: WordList = WordList::of(&[
    "arguments",
    "cache_control",
    "choices",
    "completion_tokens",
    "content",
    "created",
    "finish_reason",
    "function",
    "index",
    "input",
    "max_tokens",
    "message",
    "messages",
    "model",
    "name",
    "object",
    "prompt_tokens",
    "role",
    "stream",
    "system",
    "temperature",
    "text",
    "tool_calls",
    "tools",
    "total_tokens",
    "type",
    "usage",
]);

/// Whether a name has one of the [`STEMS`] in it.
fn has_stem(name: &str) -> bool {
    let name = name.as_bytes();
    let begins = |at: usize, stem: &str| {
        let first = name.get(at).map(u8::to_ascii_lowercase);
        let text = || name.get(at..at + stem.len());
        first.as_ref() == stem.as_bytes().first()
            && text().is_some_and(|text| text.eq_ignore_ascii_case(stem.as_bytes()))
    };
    let may_begin = |head: &[u8; 3]| {
        let (word, bit) = place(*head);
        HEADS[word] & bit != 0
    };
    let mut heads = name.array_windows().enumerate();
    heads.any(|(at, head)| may_begin(head) && STEMS.iter().any(|stem| begins(at, stem)))
}

/// Whether a cookie of this name is a session's: `JSESSIONID`, `connect.sid`, `osCsid`.
pub(crate) fn is_session_cookie(name: &str) -> bool {
    let end = name.as_bytes().last_chunk();
    is_of_place(name) || end.is_some_and(|end: &[u8; 3]| end.eq_ignore_ascii_case(b"sid"))
}

/// Whether this is the name of an id of something that a provider keeps and a request continues from, wherever the name
/// occurs: `context_id`, `x-previous-response-id`, `reply_to`.
pub(crate) fn is_of_turn(name: &str) -> bool {
    let ends_in_id = ends_in_id(name);
    if !ends_in_id && !has_stem(name) {
        return false;
    }
    let words = words(name);
    let mut words: Vec<_> = words.iter().map(String::as_str).collect();
    if words.iter().any(|word| TRACERS.contains(word)) {
        return false;
    }
    let names = words.len();
    while words
        .last()
        .is_some_and(|word| is_id(word) || is_number(word) || *word == "token")
    {
        words.pop();
    }
    let is_named = words.len() < names && ends_in_id;
    let last = words.last().copied().unwrap_or_default();
    let is_earlier = words.iter().any(|word| EARLIER.contains(word));
    let goes_on = is_named && (is_earlier || KEPT.contains(&last))
        || is_earlier && TURNS.contains(&last)
        || GOING_ON.iter().any(|end| words.ends_with(end));
    goes_on && !is_of_place(name)
}

/// Whether a reply says under this name what a later request continues from: `response_id`, `contextId`. What came before
/// it has its own name.
pub(crate) fn is_of_later_turn(name: &str) -> bool {
    let is_earlier = |word: &String| EARLIER.contains(&&**word);
    is_of_turn(name) && !words(name).iter().any(is_earlier)
}

/// Whether a name ends as that of an id, at a glance.
fn ends_in_id(name: &str) -> bool {
    let name = name.trim_end_matches(|c: char| !c.is_ascii_alphabetic());
    let last = name.as_bytes().last().map(u8::to_ascii_lowercase);
    matches!(last, Some(b'd' | b'e' | b'f' | b's')) && IDS.iter().any(|id| ends_with(name, id))
}

fn ends_with(name: &str, end: &str) -> bool {
    let begins = name.len().checked_sub(end.len());
    let last = begins.and_then(|begins| name.get(begins..));
    last.is_some_and(|last| last.eq_ignore_ascii_case(end))
}

/// Whether a member at the top of a body, or a parameter, of this name refers to a turn, or to something unknown:
/// `orderId`, `document_ids`.
pub(crate) fn may_be_of_turn(name: &str) -> bool {
    if USUAL.hold(name) {
        return false;
    }
    if is_of_turn(name) {
        return true;
    }
    if !ends_in_id(name) {
        return false;
    }
    let words = words(name);
    let is_traced = || words.iter().any(|word| TRACERS.contains(&&**word));
    let Some((last, of)) = words.split_last().filter(|_| !is_traced()) else {
        return false;
    };
    let is_known = || is_of_place(name) || shared::named_by(name).is_some();
    let is_bare = of.is_empty() && ["guid", "uuid"].contains(&&**last);
    let of = of.last().map(String::as_str).unwrap_or_default();
    let names_none = of.is_empty() || NO_HISTORY.iter().any(|word| of.ends_with(word));
    is_bare || is_id(last) && !names_none && !is_known()
}

/// Ids that do not refer to content with tokens: the user, the model, what the request itself is called. Files are
/// read on their own.
const NO_HISTORY: [&str; 37] = [
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
    "input",
    "key",
    "language",
    "lora",
    "model",
    "org",
    "organization",
    "project",
    "region",
    "request",
    "speaker",
    "subscription",
    "team",
    "tenant",
    "token",
    "tool",
    "trace",
    "user",
    "version",
    "voice",
    "word",
    "words",
    "workspace",
];

/// Whether a member of this name says by itself which place an object is: `{"session": {"uuid": "…"}}`.
pub(crate) fn identifies(name: &str) -> bool {
    WHICH.contains(&name)
}

/// Whether a text may be an id: a single word.
pub(crate) fn may_be_id(text: &str) -> bool {
    text.len() <= MAX_ID && is_single_word(text)
}

/// The same for one that may hold a state, and so is long.
pub(crate) fn is_single_word(text: &str) -> bool {
    !text.is_empty() && !text.contains(char::is_whitespace)
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

    #[test]
    fn common_member_names_do_not_identify_history() {
        for name in USUAL.words() {
            assert!(!ends_in_id(name) && !has_stem(name), "{name}");
        }
    }

    /// Each unread spelling let an old token come back as a newer value.
    #[test]
    fn conversation_id_names_are_recognized_in_any_spelling() {
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
            "context_id",
            "sessalice",
            "17",
        ] {
            assert!(!is_of_place(name), "{name}");
        }
    }

    /// Neither of them was read in headers and within settings, most of them nowhere.
    #[test]
    fn history_reference_names_are_recognized_in_any_spelling() {
        for name in [
            "context_id",
            "runId",
            "x-run-id",
            "x-room-id",
            "taskUUID",
            "sequence_id",
            "parent_message_id",
            "x-parent-id",
            "previous_request_id",
            "previous_response",
            "x-previous-response-id",
            "continuation",
            "continuation_token",
            "resume_token",
            "resumeFrom",
            "reply_to",
            "in_reply_to",
            "fork_from",
        ] {
            assert!(is_of_turn(name) && may_be_of_turn(name), "{name}");
        }
        for name in ["order_id", "document_ids", "uuid", "guid"] {
            assert!(!is_of_turn(name) && may_be_of_turn(name), "{name}");
        }
    }

    /// With an id in each request, no two would share a token.
    #[test]
    fn reply_ids_that_later_requests_use_are_recognized() {
        for name in ["response_id", "contextId", "runId", "resume_token"] {
            assert!(is_of_later_turn(name), "{name}");
        }
        for name in [
            "previous_response_id",
            "parentRunId",
            "trace_run_id",
            "user_id",
            "id",
        ] {
            assert!(!is_of_later_turn(name), "{name}");
        }
    }

    #[test]
    fn request_and_tracing_ids_are_not_history() {
        for name in [
            "request_id",
            "x-request-id",
            "x-client-request-id",
            "idempotency-key",
            "x-trace-id",
            "traceparent",
            "x-datadog-parent-id",
            "x-b3-parentspanid",
            "x-correlation-id",
            "x-cloud-trace-context",
            "user_id",
            "end_user_id",
            "modelId",
            "project_id",
            "openai-organization",
            "eos_token_id",
            "stop_token_ids",
            "input_ids",
            "previous_text",
            "parent",
            "response_format",
            "max_context_tokens",
            "state",
            "id",
            "valid",
            "",
        ] {
            assert!(!is_of_turn(name) && !may_be_of_turn(name), "{name}");
        }
    }
}
