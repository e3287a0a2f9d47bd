//! Who shares a session, and which tokens a reply restores.

use serde_json::{Value, json};
use tests::{Client, Mock, Proxy, ProxyOptions, Reply, Schema, Values};

const ALICE: (&str, &str) = ("authorization", "Bearer alice");
const BOB: (&str, &str) = ("authorization", "Bearer bob");
const ANY_TOKENS: &str = "says/<MASK_EMAIL_1> MASK_PHONE_2 <MASK_EMAIL_3> <MASK_API_KEY_4>";

async fn proxy(mock: &Mock, strategy: &str) -> Proxy {
    let options = ProxyOptions::default().env("MASK_SESSION_STRATEGY", strategy);
    Proxy::start_with(&mock.url(), &options).await
}

async fn send(proxy: &Proxy, schema: Schema, headers: &[(&str, &str)], body: &Value) -> Reply {
    let mut client = Client::connect(&proxy.url()).await;
    let body = body.to_string();
    let reply = client
        .request("POST", schema.path(), headers, body.as_bytes())
        .await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply
}

async fn chat(proxy: &Proxy, headers: &[(&str, &str)], model: &str, text: &str) -> Reply {
    let body = Schema::ChatStyle.request(model, text, false);
    send(proxy, Schema::ChatStyle, headers, &body).await
}

fn id(reply: &Reply) -> String {
    reply
        .header("x-mask-session")
        .expect("a session")
        .to_owned()
}

fn shows_any(reply: &Reply, values: &Values) -> bool {
    let text = reply.text();
    values.all().iter().any(|value| text.contains(value))
}

/// Case 209.
#[tokio::test]
async fn a_named_session_lasts_and_beats_every_strategy() {
    for strategy in ["ephemeral", "client", "conversation"] {
        let mock = Mock::start().await;
        let proxy = proxy(&mock, strategy).await;
        let values = Values::of(60);
        let named = [ALICE, ("x-mask-session", "team-7")];
        chat(&proxy, &named, "echo", &values.email).await;
        let later = chat(&proxy, &named, "says/<MASK_EMAIL_1>", "and now?").await;
        assert!(later.text().contains(&values.email), "{}", later.text());
        assert_eq!(id(&later), "team-7");

        let unnamed = chat(&proxy, &[ALICE, ("x-mask-session", "")], "echo", "x").await;
        assert_ne!(id(&unnamed), "team-7");
        let created = proxy.audited("session.created", 2).await;
        assert_eq!(created.len(), 2, "{created:?}");
        assert_eq!(created[0]["source"], "header");
        assert_eq!(created[1]["source"], strategy);
    }
}

/// Cases 214 and 325.
#[tokio::test]
async fn another_credential_gets_nothing_from_a_named_session() {
    let mock = Mock::start().await;
    let proxy = proxy(&mock, "ephemeral").await;
    let values = Values::of(61);
    let name = ("x-mask-session", "shared-name");
    chat(&proxy, &[ALICE, name], "echo", &values.to_string()).await;
    for other in [
        BOB,
        ("x-api-key", "alice"),
        ("api-key", "alice"),
        ("x-goog-api-key", "Bearer alice"),
        ("accept", "*/*"),
    ] {
        let reply = chat(&proxy, &[other, name], ANY_TOKENS, "print them").await;
        assert!(!shows_any(&reply, &values), "{other:?}: {}", reply.text());
    }
    let own = chat(&proxy, &[ALICE, name], ANY_TOKENS, "print them").await;
    assert!(shows_any(&own, &values));
}

/// They shared one session when a gateway gave all of them one key of the provider.
#[tokio::test]
async fn users_of_a_gateway_with_one_provider_key_share_no_session() {
    let mock = Mock::start().await;
    let proxy = proxy(&mock, "client").await;
    let values = Values::of(62);
    for name in ["x-litellm-api-key", "x-openwebui-user-id"] {
        let (alice, bob) = ((name, "alice"), (name, "bob"));
        chat(&proxy, &[ALICE, alice], "echo", &values.to_string()).await;
        let other = chat(&proxy, &[ALICE, bob], ANY_TOKENS, "print them").await;
        assert!(!shows_any(&other, &values), "{name}: {}", other.text());
        let own = chat(&proxy, &[ALICE, alice], ANY_TOKENS, "print them").await;
        assert!(shows_any(&own, &values), "{name}");
    }
}

/// Azure's gateways take a key as `subscription-key`, its functions as `code`. Only `key` and the like counted.
#[tokio::test]
async fn users_with_different_query_keys_share_no_session() {
    let mock = Mock::start().await;
    let proxy = proxy(&mock, "ephemeral").await;
    let values = Values::of(63);
    for parameter in ["subscription-key", "code", "key"] {
        let ask = async |user: &str, model: &str, text: &str| {
            let mut client = Client::connect(&proxy.url()).await;
            let target = format!("{}?{parameter}={user}", Schema::ChatStyle.path());
            let body = Schema::ChatStyle.request(model, text, false).to_string();
            let name = [("x-mask-session", "main")];
            client
                .request("POST", &target, &name, body.as_bytes())
                .await
        };
        ask("alice", "echo", &values.to_string()).await;
        let other = ask("bob", ANY_TOKENS, "print them").await;
        assert!(!shows_any(&other, &values), "{parameter}: {}", other.text());
        let own = ask("alice", ANY_TOKENS, "print them").await;
        assert!(shows_any(&own, &values), "{parameter}: {}", own.text());
    }
}

/// For backends that rotate their keys.
/// They shared one session when only the key in the body told them apart, which gateways read.
#[tokio::test]
async fn callers_with_different_body_keys_share_no_session() {
    let mock = Mock::start().await;
    let values = Values::of(70);
    for strategy in ["ephemeral", "client", "conversation"] {
        let proxy = proxy(&mock, strategy).await;
        let ask = async |key: &str, model: &str, text: &str| {
            let mut body = Schema::ChatStyle.request(model, text, false);
            body["api_key"] = json!(key);
            send(&proxy, Schema::ChatStyle, &[("x-mask-session", "s")], &body).await
        };
        ask("alice", "echo", &values.to_string()).await;
        let own = ask("alice", ANY_TOKENS, "print them").await;
        let other = ask("bob", ANY_TOKENS, "print them").await;
        assert!(shows_any(&own, &values), "{strategy}: {}", own.text());
        assert!(!shows_any(&other, &values), "{strategy}: {}", other.text());
    }
}

#[tokio::test]
async fn sessions_can_be_unbound_from_credentials() {
    let mock = Mock::start().await;
    let directory = tempfile::tempdir().expect("a directory");
    let config = directory.path().join("config.yaml");
    let text = "session: {bind_to_credential: false}\n";
    std::fs::write(&config, text).expect("a configuration");
    let options = ProxyOptions::default().config(&config);
    let proxy = Proxy::start_with(&mock.url(), &options).await;
    let values = Values::of(68);
    let name = ("x-mask-session", "2f6b1c7e-0d1f-4a8e-9a53-6f0a5c1b7d11");
    chat(&proxy, &[ALICE, name], "echo", &values.email).await;
    let rotated = chat(&proxy, &[BOB, name], "says/<MASK_EMAIL_1>", "which?").await;
    assert!(rotated.text().contains(&values.email), "{}", rotated.text());
}

/// Case 206: nothing is kept, so nothing can be restored.
#[tokio::test]
async fn a_named_session_under_redact_stays_empty() {
    let mock = Mock::start().await;
    let directory = tempfile::tempdir().expect("a directory");
    let config = directory.path().join("config.yaml");
    let vault = directory.path().join("vault.db");
    let text = format!(
        "operator: redact\nvault: {{type: sqlite, dsn: {}}}\n",
        vault.display()
    );
    std::fs::write(&config, text).expect("a configuration");
    let options = ProxyOptions::default().config(&config);
    let proxy = Proxy::start_with(&mock.url(), &options).await;
    let values = Values::of(69);
    let name = ("x-mask-session", "s");
    let reply = chat(&proxy, &[ALICE, name], "echo", &values.to_string()).await;
    assert!(reply.text().contains("[REDACTED_EMAIL]") && !shows_any(&reply, &values));
    for end in ["", "-wal"] {
        let file = std::fs::read(format!("{}{end}", vault.display())).expect("a file");
        let file = String::from_utf8_lossy(&file);
        assert!(values.all().iter().all(|value| !file.contains(value)));
    }
}

/// Case 210.
#[tokio::test]
async fn ephemeral_sessions_are_never_shared() {
    let mock = Mock::start().await;
    let proxy = proxy(&mock, "ephemeral").await;
    let values = Values::of(62);
    let first = chat(&proxy, &[ALICE], "echo", &values.to_string()).await;
    let second = chat(&proxy, &[ALICE], ANY_TOKENS, "print them").await;
    assert_ne!(id(&first), id(&second));
    assert!(!shows_any(&second, &values));
}

/// Cases 211 and 216.
#[tokio::test]
async fn a_client_is_identified_by_its_credential() {
    let mock = Mock::start().await;
    let client = proxy(&mock, "client").await;
    let values = Values::of(63);
    let first = chat(&client, &[ALICE], "echo", &values.to_string()).await;
    let second = chat(&client, &[ALICE], ANY_TOKENS, "print them").await;
    assert_eq!(id(&first), id(&second));
    assert!(shows_any(&second, &values));
    let other = chat(&client, &[BOB], ANY_TOKENS, "print them").await;
    assert_ne!(id(&first), id(&other));
    assert!(!shows_any(&other, &values));
    let nobody = [
        chat(&client, &[], "echo", "x").await,
        chat(&client, &[], "echo", "x").await,
    ];
    assert_ne!(id(&nobody[0]), id(&nobody[1]), "without a credential");

    let elsewhere = proxy(&mock, "client").await;
    let same = chat(&elsewhere, &[ALICE], "echo", "x").await;
    assert_ne!(id(&same), id(&first), "ids depend on a key");
    let sources = client.audited("session.created", 4).await;
    assert_eq!(sources[0]["source"], "client");
    assert_eq!(sources[2]["source"], "ephemeral");
    assert_eq!(client.audited("session.deleted", 2).await.len(), 2);
}

/// Case 212.
#[tokio::test]
async fn a_conversation_is_identified_by_its_opening_or_its_clients_id() {
    let mock = Mock::start().await;
    let proxy = proxy(&mock, "conversation").await;
    let of = async |schema: Schema, headers: &[(&str, &str)], body: Value| {
        id(&send(&proxy, schema, headers, &body).await)
    };
    let user = |text: &str| json!({"role": "user", "content": text});
    let chat = |messages: Value| json!({"model": "echo", "messages": messages});
    let first = of(Schema::ChatStyle, &[ALICE], chat(json!([user("hello")]))).await;
    let longer = json!([user("hello"), {"role": "assistant", "content": "hi"}, user("more")]);
    assert_eq!(of(Schema::ChatStyle, &[ALICE], chat(longer)).await, first);
    let parts = json!([{"role": "user", "content": [{"type": "text", "text": "hello"}]}]);
    assert_eq!(of(Schema::ChatStyle, &[ALICE], chat(parts)).await, first);
    let other = of(Schema::ChatStyle, &[ALICE], chat(json!([user("hullo")]))).await;
    assert_ne!(other, first);
    assert_ne!(
        of(Schema::ChatStyle, &[BOB], chat(json!([user("hello")]))).await,
        first
    );

    let input = |input: Value| json!({"model": "echo", "input": input});
    let string = of(Schema::Responses, &[ALICE], input(json!("hello"))).await;
    let items = of(Schema::Responses, &[ALICE], input(json!([user("hello")]))).await;
    assert_eq!(string, items);

    for header in ["x-claude-code-session-id", "session-id", "x-session-id"] {
        let call = async |name: &str, text: &str| {
            let body = chat(json!([user(text)]));
            of(Schema::ChatStyle, &[ALICE, (header, name)], body).await
        };
        assert_eq!(call("one", "a").await, call("one", "b").await);
        assert_ne!(call("one", "a").await, call("two", "a").await);
    }
    let metadata = |session: &str, text: &str| {
        let user_id = json!({"device_id": "d", "session_id": session}).to_string();
        json!({"model": "echo", "max_tokens": 9, "metadata": {"user_id": user_id}, "messages": [user(text)]})
    };
    let messages = async |body: Value| of(Schema::MessagesStyle, &[ALICE], body).await;
    assert_eq!(
        messages(metadata("s1", "a")).await,
        messages(metadata("s1", "b")).await
    );
    assert_ne!(
        messages(metadata("s1", "a")).await,
        messages(metadata("s2", "a")).await
    );
    let nothing = of(Schema::ChatStyle, &[ALICE], chat(json!([]))).await;
    assert_ne!(
        of(Schema::ChatStyle, &[ALICE], chat(json!([]))).await,
        nothing
    );
}

/// Cases 213 and 322.
#[tokio::test]
async fn callers_sharing_opening_and_key_cannot_restore_each_others_values() {
    let mock = Mock::start().await;
    let proxy = proxy(&mock, "conversation").await;
    for headers in [&[ALICE][..], &[]] {
        let values = Values::of(64);
        let turns = |text: &str, model: &str| {
            json!({"model": model, "messages": [
                {"role": "user", "content": "hi"},
                {"role": "assistant", "content": "hello"},
                {"role": "user", "content": text},
            ]})
        };
        let schema = Schema::ChatStyle;
        let own = send(&proxy, schema, headers, &turns(&values.to_string(), "echo")).await;
        assert!(shows_any(&own, &values));
        for field in ["user", "previous_response_id", "prompt_cache_key", "thread"] {
            let mut stolen = turns(
                "print <MASK_EMAIL_1>, MASK_EMAIL_1 and the rest",
                ANY_TOKENS,
            );
            stolen[field] = "<MASK_EMAIL_1>".into();
            let stolen = send(&proxy, schema, headers, &stolen).await;
            assert!(!shows_any(&stolen, &values), "{field}: {}", stolen.text());
        }
        let name = id(&own);
        let named = [headers, &[("x-mask-session", &*name)]].concat();
        let stolen = send(&proxy, schema, &named, &turns("print them", ANY_TOKENS)).await;
        assert!(!shows_any(&stolen, &values), "by its id: {}", stolen.text());
        let again = send(&proxy, schema, headers, &turns(&values.email, ANY_TOKENS)).await;
        assert!(
            again.text().contains(&values.email),
            "its own token is restored"
        );
        assert!(!again.text().contains(&values.key), "{}", again.text());
    }
}

/// The first token in the last request.
fn token(mock: &Mock) -> String {
    let seen = mock.last().text();
    let mut parts = seen.split(['<', '>']);
    let token = parts.find(|part| part.starts_with("MASK_"));
    format!("<{}>", token.expect("a token"))
}

/// A provider may keep history under the header that identifies the session, longer than the vault
/// does. The session once counted from the start, and an old token came back as a newer value.
#[tokio::test]
async fn a_conversation_named_by_a_header_never_reuses_numbers() {
    let mock = Mock::start().await;
    let (alice, bob) = (Values::of(68).email, Values::of(69).email);
    let agent = ("user-agent", "codex_cli_rs/0.98.0");
    for name in ["x-session-id", "session-id", "session_id"] {
        let headers = [ALICE, (name, "s1")];
        let before = proxy(&mock, "conversation").await;
        chat(&before, &headers, "echo", &alice).await;
        let of_alice = token(&mock);
        let again = chat(&before, &headers, &format!("says/{of_alice}"), &alice).await;
        assert!(again.text().contains(&alice), "{}", again.text());
        drop(before);
        let after = proxy(&mock, "conversation").await;
        let reply = chat(&after, &headers, &format!("says/{of_alice}"), &bob).await;
        assert!(!reply.text().contains(&bob), "{name}: {}", reply.text());
        // What shows all its history in each request counts.
        chat(&after, &[ALICE, agent, (name, "s2")], "echo", &bob).await;
        assert_eq!(token(&mock), "<MASK_EMAIL_1>");
    }
}

/// History that the provider holds is not in the body.
#[tokio::test]
async fn a_provider_held_conversation_is_fully_restored() {
    let mock = Mock::start().await;
    let proxy = proxy(&mock, "conversation").await;
    let values = Values::of(65);
    let headers = [ALICE, ("session-id", "0b6c")];
    let first = json!({"model": "echo", "input": values.email});
    let first = send(&proxy, Schema::Responses, &headers, &first).await;
    let model = format!("says/{}", token(&mock));
    let mut second = json!({"model": model, "input": "which address was it?"});
    let reply = send(&proxy, Schema::Responses, &headers, &second).await;
    assert!(!reply.text().contains(&values.email), "{}", reply.text());
    second["previous_response_id"] = first.json()["id"].clone();
    let reply = send(&proxy, Schema::Responses, &headers, &second).await;
    assert!(reply.text().contains(&values.email), "{}", reply.text());

    for named in [
        json!({"conversation": {"id": "conv_1"}}),
        json!({"prompt_cache_key": "key_1", "previous_response_id": "resp_1"}),
    ] {
        let held = |model: &str, text: &str| {
            let mut body = named.clone();
            body["model"] = model.into();
            body["input"] = text.into();
            body
        };
        let first = held("echo", &values.email);
        send(&proxy, Schema::Responses, &[ALICE], &first).await;
        let second = held(&format!("says/{}", token(&mock)), "which?");
        let reply = send(&proxy, Schema::Responses, &[ALICE], &second).await;
        assert!(reply.text().contains(&values.email), "{}", reply.text());
    }
}

/// Case 220.
#[tokio::test]
async fn fifty_concurrent_first_requests_create_one_session() {
    let mock = Mock::start().await;
    let proxy = proxy(&mock, "conversation").await;
    let ask = async |number: usize| {
        let text = Values::of(100 + number).to_string();
        let body = json!({"model": "echo", "messages": [
            {"role": "user", "content": "hi"}, {"role": "user", "content": text}]});
        let reply = send(&proxy, Schema::ChatStyle, &[ALICE], &body).await;
        let values = Values::of(100 + number);
        assert!(values.all().iter().all(|value| {
            let written = json!(value).to_string();
            reply.text().contains(written.trim_matches('"'))
        }));
        id(&reply)
    };
    let ids = futures_util::future::join_all((0..50).map(ask)).await;
    assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
    assert_eq!(proxy.audited("session.created", 1).await.len(), 1);
    assert!(!proxy.audit_text().contains("session.deleted"));
}

/// A token keeps its meaning in a session: the values of before are still tokens, in the same order.
#[tokio::test]
async fn a_longer_history_keeps_its_tokens() {
    let mock = Mock::start().await;
    let proxy = proxy(&mock, "client").await;
    let (one, two) = (Values::of(66), Values::of(67));
    chat(&proxy, &[ALICE], "echo", &one.email).await;
    chat(&proxy, &[ALICE], "echo", &two.email).await;
    chat(
        &proxy,
        &[ALICE],
        "echo",
        &format!("{} {}", two.email, one.email),
    )
    .await;
    let seen = mock.last().text();
    assert!(seen.contains("<MASK_EMAIL_2> <MASK_EMAIL_1>"), "{seen}");
}
