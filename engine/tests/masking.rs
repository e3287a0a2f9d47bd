//! Property test of masking: whatever field contains values and however they are written, no value
//! leaks, every other byte stays, and an echo of the masked body is restored.
//!
//! A failure prints its seed; `SEED=<n> cargo test -p maskproxy-engine --test engine masking` replays it.

use crate::support;

use engine::{Engine, NoMemory, Schema, Session, Settings};
use serde_json::Value;
use support::random::{Random, seeds};
use support::restore;

const SEEDS: u64 = 1000;

/// Bodies in which `§` is a text, `‡` a string that contains JSON, and `~` a space.
const CHAT: &[&str] = &[
    r#"{~"model":~"m","messages":~[~{"role":"user","content":§},{"role":"assistant","content":null,"reasoning":§,~"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":‡}}]}~,{"role":"tool","tool_call_id":"c","content":‡}],"n":1e400~}"#,
    r#"{"tools":[{"type":"function","function":{"name":"f","description":§,"parameters":{"type":"object","properties":{"enum":{"type":"string","description":§,"default":§}}}}}],"messages":[{"role":"developer","content":[{"type":"text",~"text":§},{"type":"new","x":{"y":[§,§]}}]},{"content":§,"role":"user"}],"metadata":{"a":§},"user":§}"#,
    r#"{"messages":[{"role":"user","content":{"odd":[§,{"deep":§}],"n":1.10}},{"role":"user","content":[§,[§]],"content":§}],~"prediction":{"type":"content","content":§}}"#,
];
const MESSAGES: &[&str] = &[
    r#"{~"system":[{"type":"text","text":§,"cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":§},{"role":"assistant","content":[{"type":"thinking","thinking":§,"signature":"x"},{"type":"tool_use","id":"t","name":"f","input":{"a":§,"type":§,"id":[§,27]}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":‡},{"type":"document","title":§,"source":{"type":"text","media_type":"text/plain","data":§}}]}]~}"#,
    r#"{"tools":[{"name":"f","description":§,"input_schema":{"type":"object","properties":{"description":{"description":§}}},"input_examples":[{"a":§}]}],"messages":[{"role":"user","content":[{"type":"search_result","source":"s","title":§,"content":[{"type":"text","text":§}]},{"type":"text","type":"image","data":§}]}],"metadata":{"user_id":‡}}"#,
];
const RESPONSES: &[&str] = &[
    r#"{"instructions":§,~"input":[{"role":"user","content":[{"type":"input_text","text":§}]},{"type":"reasoning","summary":[{"type":"summary_text","text":§}],"encrypted_content":"e"},{"type":"function_call","call_id":"c","name":"f","arguments":‡},{"type":"function_call_output","call_id":"c","output":‡},{"type":"custom_tool_call","call_id":"d","name":"g","input":§}]}"#,
    r#"{"input":§,"prompt":{"id":"p","variables":{"v":§}},"tools":[{"type":"function","name":"f","description":§,"parameters":{"properties":{"a":{"title":§}}}}],"client_metadata":{"m":‡}}"#,
    r#"{"input":[{"type":"local_shell_call","call_id":"c","action":{"type":"exec","command":["sh",§],"env":{"A":§},"working_directory":§}},{"type":"shell_call_output","call_id":"c","output":[{"stdout":§,"stderr":§}]},{"type":"new_item","x":§}]}"#,
];

/// A body under construction: unchanged and masked parts alternate, beginning with an unchanged
/// one.
#[derive(Default)]
struct Body {
    segments: Vec<String>,
    values: Vec<String>,
}

impl Body {
    fn of(template: &str, random: &mut Random) -> Self {
        let mut body = Self {
            segments: vec![String::new()],
            values: Vec::new(),
        };
        for c in template.chars() {
            match c {
                '§' => body.text(random, 1),
                '‡' => body.held(random),
                '~' => body.keep(random.pick::<&str>(&["", " ", "\n\t", "\r\n"])),
                c => body.keep(c.encode_utf8(&mut [0; 4])),
            }
        }
        body
    }

    fn keep(&mut self, text: &str) {
        if self.segments.len() == self.values.len() {
            self.segments.push(String::new());
        }
        self.segments
            .last_mut()
            .expect("one at least")
            .push_str(text);
    }

    fn written(&self) -> String {
        let mut out = String::new();
        for (at, segment) in self.segments.iter().enumerate() {
            out += segment;
            out += self.values.get(at).map_or("", |value| value);
        }
        out
    }

    /// The nesting depth of a string, less one.
    fn text(&mut self, random: &mut Random, levels: usize) {
        const WORDS: &[&str] = &[
            "to", "é😀", "<b>", "a\\b", "\"so\"", "MASK_", "<", "\n", "{", "1.10", "\u{2028}",
        ];
        self.keep(&quote(levels));
        for _ in 0..random.below(5) {
            let word = *random.pick(WORDS);
            self.keep(&escaped(random, word, levels));
            self.keep(" ");
            if random.one_in(2) {
                let value = match random.below(2) {
                    0 => format!("u{}@example.com", random.below(50)),
                    _ => "4111 1111 1111 1111".to_owned(),
                };
                self.keep("");
                self.values.push(escaped(random, &value, levels));
                self.keep(" ");
            }
        }
        self.keep(&quote(levels));
    }

    fn held(&mut self, random: &mut Random) {
        self.keep("\"{");
        for at in 0..=random.below(3) {
            self.keep(if at > 0 { ", " } else { "" });
            self.keep(&format!("\\\"k{at}\\\":"));
            self.text(random, 2);
        }
        self.keep("}\"");
    }
}

fn quote(levels: usize) -> String {
    if levels == 1 {
        "\"".to_owned()
    } else {
        "\\\"".to_owned()
    }
}

/// A text as it may be written in a string, in a string, ….
fn escaped(random: &mut Random, text: &str, levels: usize) -> String {
    if levels == 0 {
        return text.to_owned();
    }
    let all = random.one_in(6);
    let mut out = String::new();
    for c in text.chars() {
        let needed = matches!(c, '"' | '\\') || c < ' ';
        if needed || all || random.one_in(12) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                out += &format!("\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    escaped(random, &out, levels - 1)
}

#[test]
fn masking_changes_only_values_and_echoes_restore() {
    let engine = Engine::new(Settings::default());
    for seed in seeds(SEEDS) {
        for (schema, templates) in [
            (Schema::ChatStyle, CHAT),
            (Schema::MessagesStyle, MESSAGES),
            (Schema::Responses, RESPONSES),
        ] {
            let random = &mut Random::new(seed);
            let template = *random.pick(templates);
            let body = Body::of(template, random);
            let written = body.written();
            let mut request = engine
                .request(schema, written.clone().into_bytes())
                .expect("a request");
            request.know_history(true);
            let masked = request
                .mask(&mut Session::new(), &NoMemory)
                .expect("masked");
            let sent = String::from_utf8(masked.body.into_bytes()).expect("UTF-8");
            let mut rest = sent.as_str();
            for (at, segment) in body.segments.iter().enumerate() {
                rest = rest.strip_prefix(segment.as_str()).unwrap_or_else(|| {
                    panic!("seed {seed}, {schema:?}: segment {at}\n{written}\n{sent}")
                });
                if at < body.values.len() {
                    assert!(
                        rest.starts_with("<MASK_"),
                        "seed {seed}, {schema:?}: value {at}\n{written}\n{sent}"
                    );
                    rest = rest.split_once('>').expect("a whole token").1;
                }
            }
            assert_eq!(rest, "", "seed {seed}");
            let back = restore(
                masked.restoring.reply(Some("application/json")),
                &[sent.as_bytes()],
            );
            let parse = |bytes: &[u8]| {
                let text = String::from_utf8_lossy(bytes).replace("1e400", "1");
                serde_json::from_str::<Value>(&text).expect("JSON")
            };
            let (back, before) = (parse(&back), parse(written.as_bytes()));
            assert_same(&before, &back, &format!("seed {seed}, {schema:?}"));
        }
    }
}

/// Equal, except for how JSON inside a string is written.
fn assert_same(before: &Value, back: &Value, place: &str) {
    match (before, back) {
        (Value::Object(a), Value::Object(b)) => {
            assert!(a.keys().eq(b.keys()), "{place}: names");
            a.iter()
                .for_each(|(key, a)| assert_same(a, &b[key], &format!("{place}.{key}")));
        }
        (Value::Array(a), Value::Array(b)) => {
            assert_eq!(a.len(), b.len(), "{place}: length");
            a.iter().zip(b).for_each(|(a, b)| assert_same(a, b, place));
        }
        (Value::String(a), Value::String(b)) if a != b => {
            let held = |text: &str| serde_json::from_str::<Value>(text).expect(place);
            assert_eq!(held(a), held(b), "{place}");
        }
        _ => assert_eq!(before, back, "{place}"),
    }
}

/// From the seventh level of base64 on nothing was read.
#[test]
fn a_value_is_masked_inside_nested_base64() {
    use base64::Engine as _;
    let engine = Engine::new(Settings::default());
    let mut text = "the mail for it goes to alice@example.com, as ever".to_owned();
    for depth in 0..12 {
        text = base64::engine::general_purpose::STANDARD.encode(&text);
        let mut session = Session::new();
        let masked = engine.mask_text(&text, &mut session);
        assert_ne!(masked, text, "{depth}");
        assert_eq!(session.restore_text(&masked).0, text, "{depth}");
    }
}
