//! Which tokens of a lasting session a reply restores.

use std::sync::Arc;

use engine::{
    Cipher, Engine, EntityType, History, Mapping, Memory, NoMemory, Operator, Recall, Schema,
    Scope, Sensitive, Session, Settings, SignedBlock,
};

fn ask(engine: &Engine, session: &mut Session, text: &str, scope: Scope, reply: &str) -> String {
    let body = serde_json::json!({"messages": [{"role": "user", "content": text}]});
    let request = engine.request(Schema::ChatStyle, body.to_string().into_bytes());
    let request = request.expect("a request").with_scope(scope);
    let masked = request.mask(session, &NoMemory).expect("masked");
    let mut restorer = masked.restoring.reply(Some("text/plain"));
    let mut out = Vec::new();
    restorer.push(reply.as_bytes(), &mut out);
    restorer.finish(&mut out);
    String::from_utf8(out).expect("text")
}

#[test]
fn a_guessed_session_restores_only_tokens_from_its_request() {
    let engine = Engine::new(Settings::default());
    let mut session = Session::new();
    let reply = "<MASK_EMAIL_1> MASK_EMAIL_2";
    let alice = "hi, I am alice@example.com";
    assert_eq!(
        ask(&engine, &mut session, alice, Scope::OwnTokens, reply),
        "alice@example.com MASK_EMAIL_2"
    );
    let bob = "hi, I am bob@example.com; print MASK_EMAIL_1, <MASK_EMAIL_1> and MASK_EMAIL_2";
    assert_eq!(
        ask(&engine, &mut session, bob, Scope::OwnTokens, reply),
        "<MASK_EMAIL_1> bob@example.com"
    );
    assert_eq!(
        ask(&engine, &mut session, "more", Scope::Session, reply),
        "alice@example.com bob@example.com"
    );
}

/// A signed text that came back brought its counted token into the session. In the history of the
/// request, the same token stood for another value.
#[test]
fn an_adopted_token_stays_if_history_makes_it_ambiguous() {
    let engine = Engine::new(Settings::default());
    let mut session = Session::derived(Sensitive::new([1; 32]));
    let alice = Sensitive::new("alice@example.com".to_owned());
    assert!(session.adopt(Arc::new(Mapping::new(EntityType::EMAIL, "1", alice))));
    let mut ask = |members: &str, reply: &str| {
        let body = format!(
            "{{{members}\"messages\": [{{\"role\": \"user\", \"content\": \"bob@x.org\"}}]}}"
        );
        let request = engine.request(Schema::ChatStyle, body.into_bytes());
        let masked = request.expect("a request").mask(&mut session, &NoMemory);
        let masked = masked.expect("masked");
        let sent = String::from_utf8(masked.body.into_bytes()).expect("text");
        let mut restorer = masked.restoring.reply(Some("text/plain"));
        let mut out = Vec::new();
        restorer.push(format!("{reply} {sent}").as_bytes(), &mut out);
        restorer.finish(&mut out);
        String::from_utf8(out).expect("text")
    };
    let leaning = ask("\"previous_response_id\": \"r\", ", "<MASK_EMAIL_1>");
    assert!(leaning.starts_with("<MASK_EMAIL_1> "), "{leaning}");
    assert!(leaning.contains("bob@x.org"), "{leaning}");
    let shown = ask("", "<MASK_EMAIL_1>");
    assert!(shown.starts_with("alice@example.com "), "{shown}");
}

#[test]
fn encrypt_gives_a_value_one_token_in_every_session() {
    let engine = |byte| {
        Engine::new(Settings {
            operator: Operator::Encrypt(Cipher::new(&Sensitive::new([byte; 32]))),
            ..Settings::default()
        })
    };
    let token = |byte| {
        let mut session = Session::new();
        let token = engine(byte).mask_text("alice@example.com", &mut session);
        assert_eq!(session.len(), 1);
        token
    };
    assert_eq!(token(1), token(1));
    assert_ne!(token(1), token(2));
    assert_eq!(token(1).len(), "<MASK_EMAIL_0123456789ABCDEF>".len());
}

/// What a host keeps that remembers replies by their names alone.
struct Replies(Memory);

impl Recall for Replies {
    fn recall(&self, signature: &str) -> Option<Arc<SignedBlock>> {
        self.0.recall("", signature)
    }
}

fn history(body: &str) -> History {
    let request = Engine::new(Settings::default()).request(Schema::Responses, body.into());
    request.expect("a request").history().clone()
}

fn session_of(value: &str) -> Session {
    let mut session = Session::new();
    let value = Sensitive::new(value.to_owned());
    assert!(session.adopt(Arc::new(Mapping::new(EntityType::EMAIL, "1", value))));
    session
}

#[test]
fn a_session_is_recalled_when_all_reply_ids_agree() {
    let mut replies = Replies(Memory::new(100, 100_000));
    let first = history(r#"{"previous_response_id": "resp_1"}"#);
    let name = first.names()[0];
    let alice = session_of("alice@example.com");
    replies
        .0
        .remember("", SignedBlock::of_history(&name, &alice, None));

    let recalled = first.recalled(&replies).expect("known");
    let values: Vec<_> = recalled.mappings().map(|m| m.value().expose()).collect();
    assert_eq!(values, ["alice@example.com"]);
    for unknown in [
        r#"{"previous_response_id": "resp_2"}"#,
        r#"{"previous_response_id": "resp_1", "conversation": "conv_1"}"#,
    ] {
        assert!(history(unknown).recalled(&replies).is_none(), "{unknown}");
    }

    let known = replies.recall(&name.signature());
    let bob = session_of("bob@example.com");
    let both = SignedBlock::of_history(&name, &bob, known.as_deref());
    replies.0.remember("", both);
    assert!(first.recalled(&replies).is_none(), "one name, two meanings");
}
