//! The content of a body that only the provider can read, and its files.

use std::borrow::Cow;
use std::cell::LazyCell;
use std::collections::BTreeSet;
use std::ops::{Deref, Range};

use super::{audio, container, given};
use crate::base::word_list::WordList;
use crate::history::HistoryName;
use crate::json::Value;
use crate::schema::encoded;

/// Where sealed content stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sealing {
    Request,
    Reply,
}

/// The names that [`add_contents`] reads.
pub(super) static CONTENT_NAMES: WordList = WordList::of(&[
    "args",
    "arguments",
    "audio",
    "container",
    "container_id",
    "data",
    "encrypted_content",
    "encrypted_reasoning",
    "encrypted_stdout",
    "fileId",
    "fileIds",
    "fileUri",
    "file_citation",
    "file_id",
    "file_ids",
    "file_uri",
    "id",
    "input",
    "reasoning_opaque",
    "reasoning_signature",
    "redactedContent",
    "response",
    "results",
    "signature",
    "thinking_signature",
    "thoughtSignature",
    "thought_signature",
    "thought_signatures",
]);

/// What stands in the id of a call before its thought's signature, as `LiteLLM` writes it.
const THOUGHT_IN_ID: &str = "__thought__";

/// Adds the containers and audio that the provider keeps, and then the content that only it can read, and its files,
/// wherever they are. `shown` gets the names of sealed content beside which a request has a text of it.
pub(super) fn add_contents(
    root: Value<'_>,
    of: Sealing,
    names: &mut Vec<HistoryName>,
    shown: &mut Vec<HistoryName>,
) {
    let mut contents = Contents {
        of,
        kept: names,
        found: Vec::new(),
        shown,
        hidden: BTreeSet::new(),
        data: 0..0,
    };
    for object in root.objects() {
        contents.read(object);
    }
    let Contents {
        mut found, hidden, ..
    } = contents;
    shown.retain(|name| !hidden.contains(name));
    names.append(&mut found);
    names.extend(context(root));
}

/// What was read of a body.
struct Contents<'n> {
    of: Sealing,
    /// Containers and audio.
    kept: &'n mut Vec<HistoryName>,
    /// Sealed content and files.
    found: Vec<HistoryName>,
    /// Sealed content beside which its text stands.
    shown: &'n mut Vec<HistoryName>,
    /// Sealed content without its text.
    hidden: BTreeSet<HistoryName>,
    /// Where the latest data is: in it, names mean nothing.
    data: Range<usize>,
}

impl Contents<'_> {
    fn read(&mut self, object: Value<'_>) {
        let mut is_kept_read = false;
        let is_data = self.data.contains(&object.start());
        // Looked up once per object, however many members need it.
        let kind = LazyCell::new(|| object.member("type").map(Value::text).unwrap_or_default());
        for (key, value) in object.members() {
            let name = key.text();
            if !CONTENT_NAMES.may_hold(&name) {
                continue;
            }
            match &*name {
                "id" => self.found.extend(thought_in_id(value)),
                "audio" | "container" | "container_id" => {
                    if !is_kept_read {
                        self.keep(object);
                    }
                    is_kept_read = true;
                }
                name if is_sealed(name, value, &kind, is_data) => self.seal(object, name, value),
                _ if is_data => {}
                "file_id" | "fileId" | "file_ids" | "fileIds" | "fileUri" | "file_uri" => {
                    if *kind != "file_citation" {
                        self.found.extend(files(value));
                    }
                }
                name => {
                    if is_data_in(object, name) {
                        self.data = value.start()..value.end();
                    }
                }
            }
        }
    }

    fn keep(&mut self, object: Value<'_>) {
        self.kept.extend(container(object));
        let audio = audio(object).filter(|_| self.of == Sealing::Reply);
        self.kept.extend(audio);
    }

    fn seal(&mut self, object: Value<'_>, name: &str, value: Value<'_>) {
        let sealed = std::iter::once(value).chain(value.elements());
        let sealed = sealed.filter_map(given);
        let sealed: Vec<_> = sealed.map(|text| HistoryName::sealed(&text)).collect();
        let is_shown =
            name == "signature" && self.of == Sealing::Request && shows_signed_text(object);
        if is_shown {
            self.shown.extend(&sealed);
        } else {
            self.hidden.extend(&sealed);
        }
        self.found.extend(sealed);
    }
}

/// Whether a member of an object of this kind is content that only the provider reads.
fn is_sealed<'k>(
    name: &str,
    value: Value<'_>,
    kind: &impl Deref<Target = Cow<'k, str>>,
    is_data: bool,
) -> bool {
    match name {
        // A page of others, which holds no token.
        "encrypted_content" => **kind != "web_search_result",
        "thoughtSignature" | "thought_signature" => !is_no_signature(value),
        "thought_signatures" | "encrypted_stdout" | "redactedContent" | "reasoning_opaque" => true,
        "encrypted_reasoning" | "reasoning_signature" | "thinking_signature" => {
            !is_data && is_opaque(value)
        }
        "data" => is_sealed_reasoning(kind),
        // The text next to it may be a summary of what it contains.
        "signature" if matches!(&***kind, "thinking" | "signature_delta") => true,
        "signature" => !is_data && is_opaque(value),
        _ => false,
    }
}

/// Ollama's: the tokens of the conversation, which clients write with spaces or without.
fn context(root: Value<'_>) -> Option<HistoryName> {
    let context = root
        .member("context")
        .filter(|context| context.is_array())?;
    let numbers: String = context.raw().split_ascii_whitespace().collect();
    (numbers != "[]").then(|| HistoryName::sealed(&numbers))
}

/// The files of an id or a list of them. The model may have written them.
pub(super) fn files(value: Value<'_>) -> impl Iterator<Item = HistoryName> {
    let ids = std::iter::once(value).chain(value.elements());
    ids.filter_map(given).map(|id| HistoryName::file(&id))
}

/// Whether a member holds data: what a tool is given or answers, or what a search found in uploads.
fn is_data_in(object: Value<'_>, member: &str) -> bool {
    match member {
        "args" | "arguments" | "input" | "response" => object.member("name").is_some(),
        "file_citation" => true,
        "results" => object.member("queries").is_some(),
        _ => false,
    }
}

/// Whether an object shows a text that its signature signs, or a summary of it.
fn shows_signed_text(object: Value<'_>) -> bool {
    let is_shown = |name: &&str| {
        let text = object.member(name);
        text.is_some_and(|text| text.is_string() && text.raw() != "\"\"")
    };
    ["thinking", "text"].iter().any(is_shown)
}

/// Whether it only says that there is no signature (Gemini's documentation of thought signatures).
fn is_no_signature(value: Value<'_>) -> bool {
    const NONE: [&str; 2] = [
        "skip_thought_signature_validator",
        "context_engineering_is_the_way_to_go",
    ];
    NONE.contains(&&*value.text())
}

fn is_sealed_reasoning(kind: &str) -> bool {
    kind == "redacted_thinking" || kind.starts_with("reasoning.")
}

fn is_opaque(value: Value<'_>) -> bool {
    value.is_string() && encoded::is_opaque(&value.text())
}

fn thought_in_id(id: Value<'_>) -> Option<HistoryName> {
    if !id.is_string() || !id.raw_content().contains(THOUGHT_IN_ID) {
        return None;
    }
    let id = id.text();
    let (_, signature) = id.split_once(THOUGHT_IN_ID)?;
    Some(HistoryName::sealed(signature))
}
