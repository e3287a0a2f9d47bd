//! What an exchange costs in instructions, for `valgrind --tool=callgrind`.
//!
//! `instructions CASE TIMES` carries out a case so often; the difference of two runs is what it costs. `just
//! bench-instructions` prints it.

#![allow(
    clippy::expect_used,
    reason = "a benchmark stops where its input is missing"
)]

mod support;

use std::collections::HashMap;
use std::fmt::Write as _;
use std::iter::repeat_n;
use std::sync::{Arc, Mutex};

use engine::{
    Detectors, Engine, Findings, NoMemory, Restoring, Schema, Session, Settings, TextFindings,
    TextKind,
};

fn main() {
    let mut arguments = std::env::args().skip(1).filter(|word| word != "--bench");
    let case = arguments.next().unwrap_or_default();
    let times = arguments.next().and_then(|times| times.parse().ok());
    let times: usize = times.unwrap_or(1);
    match &*case {
        "new" => exchanges(&engine(), 0..times, Until::Restored),
        "read" => exchanges(&engine(), repeat_n(0, times), Until::Read),
        "mask" => exchanges(&engine(), repeat_n(0, times), Until::Masked),
        "again" => exchanges(&engine(), repeat_n(0, times), Until::Restored),
        "turns" => turns(times),
        "history" => history(times),
        "stream" => stream(times, false, 1),
        "tokens" => stream(times, true, 1),
        "shapes" => stream(times, false, 10),
        "delta" => delta(times),
        "reply" => reply(times),
        "detect" => detect(times, &ordinary_text()),
        "worst" => detect(times, &worst_text()),
        _ => {}
    }
}

/// How far an exchange goes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Until {
    Read,
    Masked,
    Restored,
}

/// An engine as the proxy has it.
fn engine() -> Engine {
    Engine::new(Settings::default()).remembering(Arc::new(Remembered::default()))
}

/// Remembers all, by a hash.
#[derive(Debug, Default)]
struct Remembered(Mutex<HashMap<u128, TextFindings>>);

/// About as many instructions for each byte as a keyed digest takes.
fn hash(text: &str, name: Option<&str>, kind: TextKind) -> u64 {
    let parts = [text, name.unwrap_or_default()];
    parts.iter().fold(kind as u64, |hash, part| {
        let (words, rest) = part.as_bytes().as_chunks();
        let mix = |hash: u64, word: u64| {
            (hash ^ word)
                .wrapping_mul(0x9E37_79B9_7F4A_7C15)
                .rotate_left(29)
        };
        let words = words.iter().map(|word| u64::from_le_bytes(*word));
        let hash = words.fold(hash, mix);
        rest.iter().map(|byte| u64::from(*byte)).fold(hash, mix)
    })
}

impl Findings for Remembered {
    fn digest(&self, text: &str, name: Option<&str>, kind: TextKind) -> u128 {
        hash(text, name, kind).into()
    }

    fn get(&self, digest: u128) -> Option<TextFindings> {
        self.0.lock().expect("no panic").get(&digest).cloned()
    }

    fn keep(&self, digest: u128, found: TextFindings) {
        self.0.lock().expect("no panic").insert(digest, found);
    }

    fn key(&self) -> u64 {
        0x5EED
    }
}

/// A chat body of 2 KB with an address, a phone number and a key, which are new each time.
fn chat_request(number: usize) -> Vec<u8> {
    let words = "The deployment failed again last night and the log shows nothing useful so far. ";
    let text = format!(
        "{words} Please tell mira.holt{number}@northwind.example.com or call +1 (415) 555-{:04}. {} \
         OPENAI_API_KEY=sk-proj-Ab3Xk2Wq9Zt5Vb8Nm4Rc7Yp1Ls6Hd3Gf0J{number:05} {}",
        number % 10_000,
        words.repeat(12),
        words.repeat(6)
    );
    format!(
        r#"{{"model":"gpt-5","temperature":0.2,"messages":[{{"role":"system","content":"You help."}},{{"role":"user","content":"{text}"}}]}}"#
    )
    .into_bytes()
}

fn chat_reply() -> Vec<u8> {
    let content = "I wrote to <MASK_EMAIL_1> and will call <MASK_PHONE_2> about it. ".repeat(4);
    format!(
        r#"{{"id":"chatcmpl-1","object":"chat.completion","created":1772323200,"model":"gpt-5","choices":[{{"index":0,"finish_reason":"stop","message":{{"role":"assistant","content":"{content}"}}}}],"usage":{{"prompt_tokens":400,"completion_tokens":60,"total_tokens":460}}}}"#
    )
    .into_bytes()
}

fn exchanges(engine: &Engine, numbers: impl Iterator<Item = usize>, until: Until) {
    let reply = chat_reply();
    for number in numbers {
        let request = engine.request(Schema::ChatStyle, chat_request(number));
        let request = request
            .expect("a request")
            .with_path("/v1/chat/completions");
        if until == Until::Read {
            continue;
        }
        let masked = request.mask(&mut Session::new(), &NoMemory);
        let masked = masked.expect("masked");
        assert_eq!(masked.summary.transformations, 3, "three values");
        if until == Until::Restored {
            restore(&masked.restoring, &reply);
        }
    }
}

fn restore(restoring: &Restoring, reply: &[u8]) {
    let mut restorer = restoring.reply(Some("application/json"));
    let mut out = Vec::new();
    restorer.push(reply, &mut out);
    restorer.finish(&mut out);
    assert_eq!(restorer.summary().restored, 8, "eight tokens");
}

/// A conversation of a coding agent, of 400 KB, that goes on with a new line and a new value each turn: tool calls with
/// JSON, and what they returned. Only the line is new text.
fn turns(times: usize) {
    const PIECE: usize = 6_000;
    const CODE: usize = 1_000;
    let mut messages = String::with_capacity(1 << 20);
    let engine = engine();
    let mut session = Session::new();
    for (number, text) in support::agentic_texts().into_iter().enumerate() {
        let cut = |length| &text[..text.floor_char_boundary(length)];
        let arguments = serde_json::json!({"path": format!("src/{number}.rs"), "old": cut(CODE), "new": cut(CODE / 2)});
        let arguments = serde_json::Value::from(arguments.to_string());
        let result = serde_json::Value::from(cut(PIECE));
        let _ = write!(
            messages,
            r#"{},{{"role":"assistant","content":"I read it.","tool_calls":[{{"id":"call_{number}","type":"function","function":{{"name":"Edit","arguments":{arguments}}}}}]}},{{"role":"tool","tool_call_id":"call_{number}","content":{result}}},"#,
            line(number)
        );
        if messages.len() > 400_000 {
            break;
        }
    }
    mask_conversation(&engine, &messages, &mut session);
    let known = messages.len();
    for number in 0..times {
        messages.push_str(&line(1_000 + number));
        messages.push(',');
        mask_conversation(&engine, &messages, &mut session.clone());
        messages.truncate(known);
    }
}

fn line(number: usize) -> String {
    format!(
        r#"{{"role":"user","content":"Now {number}: tell mira.holt{number}@northwind.example.com about it."}}"#
    )
}

fn mask_conversation(engine: &Engine, messages: &str, session: &mut Session) {
    const LAST: &str = r#"{"role":"user","content":"And now?"}]}"#;
    // Room for all from the beginning, so that no run copies it more often than another.
    let mut body = String::with_capacity(messages.len() + 100);
    body.push_str(r#"{"model":"gpt-5","messages":["#);
    body.push_str(messages);
    body.push_str(LAST);
    let request = engine.request(Schema::ChatStyle, body.into_bytes());
    let masked = request.expect("a request").mask(session, &NoMemory);
    assert!(
        masked.expect("masked").summary.transformations > 0,
        "values"
    );
}

/// A history of 400 KB that a coding agent sends again with a new line.
fn history(times: usize) {
    let mut messages = String::new();
    for (at, text) in support::agentic_texts().into_iter().enumerate() {
        let text = serde_json::Value::from(text);
        let _ = write!(
            messages,
            r#"{{"role":"assistant","content":[{{"type":"tool_use","id":"toolu_{at}","name":"Read","input":{{"path":"src/{at}.rs"}}}}]}},{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"toolu_{at}","content":{text}}}]}},"#
        );
        if messages.len() > 400_000 {
            break;
        }
    }
    let engine = engine();
    for number in 0..=times {
        let body = format!(
            r#"{{"model":"claude-5","messages":[{messages}{{"role":"user","content":"And line {number}?"}}]}}"#
        );
        let request = engine.request(Schema::MessagesStyle, body.into_bytes());
        let masked = request
            .expect("a request")
            .mask(&mut Session::new(), &NoMemory);
        drop(masked.expect("masked"));
    }
}

/// The events of a chat stream, a hundred so often. Each has a stamp of its own; in three of ten, a token goes on. They
/// have so many shapes by turns.
fn stream(times: usize, with_tokens: bool, shapes: usize) {
    let restoring = restoring();
    let mut restorer = restoring.reply(Some("text/event-stream"));
    let mut out = Vec::new();
    for number in 0..100 * times {
        let piece = match number % 10 {
            0 if with_tokens => " see <MASK",
            1 if with_tokens => "_EMAIL",
            2 if with_tokens => "_1> and",
            _ => " request",
        };
        let spaces = " ".repeat(number % shapes);
        let event = format!(
            "data: {{{spaces}\"id\":\"chatcmpl-7Qm2\",\"object\":\"chat.completion.chunk\",\"created\":1700000000,\"model\":\"mock-1\",\"stamp\":\"{number:019}\",\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{piece}\"}},\"finish_reason\":null}}]}}\n\n"
        );
        restorer.push(event.as_bytes(), &mut out);
        out.clear();
    }
    restorer.finish(&mut out);
    let expected = if with_tokens { 10 * times as u64 } else { 0 };
    assert_eq!(restorer.summary().restored, expected, "tokens");
}

/// What restores the reply to a chat request.
fn restoring() -> Restoring {
    let request = engine().request(Schema::ChatStyle, chat_request(0));
    let masked = request
        .expect("a request")
        .mask(&mut Session::new(), &NoMemory);
    masked.expect("masked").restoring
}

/// How long the answer is that comes in one piece, in bytes.
const LONG: usize = 1 << 20;

/// Streams with one long event.
fn delta(times: usize) {
    let event = format!(
        "data: {{\"id\":\"chatcmpl-7Qm2\",\"object\":\"chat.completion.chunk\",\"created\":1700000000,\"model\":\"mock-1\",\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{}\"}},\"finish_reason\":null}}]}}\n\n",
        long_answer()
    );
    replies(times, "text/event-stream", &event);
}

/// Replies that are long.
fn reply(times: usize) {
    let reply = format!(
        "{{\"id\":\"chatcmpl-7Qm2\",\"object\":\"chat.completion\",\"created\":1700000000,\"model\":\"mock-1\",\"choices\":[{{\"index\":0,\"message\":{{\"role\":\"assistant\",\"content\":\"{}\"}},\"finish_reason\":\"stop\"}}]}}",
        long_answer()
    );
    replies(times, "application/json", &reply);
}

/// Prose in lines, as it is written in JSON, with a token every few of them.
fn long_answer() -> String {
    let lines =
        "The service answers every request in order,\\n and keeps a record of what it has done."
            .repeat(8);
    let lines = format!("{lines} See <MASK_EMAIL_1>.");
    lines.repeat(LONG / lines.len())
}

/// Restores a reply that arrives as fast as sockets are read.
fn replies(times: usize, content_type: &str, reply: &str) {
    const PIECE: usize = 64 << 10;
    let restoring = restoring();
    for _ in 0..times {
        let mut restorer = restoring.reply(Some(content_type));
        let mut out = Vec::new();
        for piece in reply.as_bytes().chunks(PIECE) {
            restorer.push(piece, &mut out);
        }
        restorer.finish(&mut out);
        assert!(restorer.summary().restored > 1_000, "tokens");
    }
}

/// How long a text is that is only searched, in bytes.
const LENGTH: usize = 100_000;

fn detect(times: usize, text: &str) {
    let detectors = Detectors::built_in();
    let mut found = Vec::new();
    for _ in 0..times {
        found.clear();
        detectors.detect(text, None, &mut found);
    }
    assert!(!found.is_empty(), "values");
}

/// A little of each file of code and each document.
fn ordinary_text() -> String {
    const PIECE: usize = 1_000;
    let mut text = String::with_capacity(LENGTH);
    for piece in support::agentic_texts() {
        text.push_str(&piece[..piece.floor_char_boundary(PIECE)]);
    }
    text.truncate(text.floor_char_boundary(LENGTH));
    text
}

/// Nothing but names, and a new value for each.
fn worst_text() -> String {
    const DIGITS: &[u8] = b"abcdefghjkmnpqrstuvwxyzABCDEFGHJ23456789";
    let mut number = 0x5EED_usize;
    let mut text = String::with_capacity(LENGTH);
    while text.len() < LENGTH - 40 {
        text.push_str("api_key token secret_");
        for _ in 0..16 {
            number = number.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
            text.push(char::from(DIGITS[(number >> 33) % DIGITS.len()]));
        }
        text.push(' ');
    }
    text
}
