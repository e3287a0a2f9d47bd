//! What a provider keeps for many requests, and requests that refer to several sessions.

use serde_json::{Value, json};
use tests::{Client, Mock, Proxy, ProxyOptions, Reply, Schema, Values};

type Headers<'a> = &'a [(&'a str, &'a str)];

const ALICE: (&str, &str) = ("authorization", "Bearer alice");
const BOB: (&str, &str) = ("authorization", "Bearer bob");

async fn proxy(mock: &Mock, strategy: &str) -> Proxy {
    let options = ProxyOptions::default().env("MASK_SESSION_STRATEGY", strategy);
    Proxy::start_with(&mock.url(), &options).await
}

async fn post(proxy: &Proxy, path: &str, headers: Headers<'_>, body: &Value) -> Reply {
    let mut client = Client::connect(&proxy.url()).await;
    let body = body.to_string();
    let reply = client.request("POST", path, headers, body.as_bytes()).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply
}

/// A turn of a model that says the tokens.
async fn asks(proxy: &Proxy, headers: Headers<'_>, says: &str, text: &str, with: &Value) -> Reply {
    let mut body =
        json!({"model": format!("says/{says}"), "input": [{"role": "user", "content": text}]});
    for (name, value) in with.as_object().expect("members") {
        body[name] = value.clone();
    }
    post(proxy, Schema::Responses.path(), headers, &body).await
}

/// The token of an address in what the provider got last.
fn token(mock: &Mock) -> String {
    let mut body = mock.last().json();
    // The model's name says what it answers.
    body["model"].take();
    let text = body.to_string();
    let (_, rest) = text.rsplit_once("<MASK_EMAIL_").expect("a token");
    let (number, _) = rest.split_once('>').expect("its end");
    format!("<MASK_EMAIL_{number}>")
}

fn id(reply: &Reply) -> Value {
    reply.json()["id"].clone()
}

/// The tokens of an agent's instructions reached clients as they are.
#[tokio::test]
async fn agent_tokens_are_restored_in_every_conversation_using_it() {
    let mock = Mock::start().await;
    for (path, member) in [
        ("/v1/agents", json!({"agent_id": "ag_1"})),
        ("/v1/assistants/asst_1", json!({"assistant_id": "asst_1"})),
        (
            "/v1/vector_stores",
            json!({"tools": [{"type": "file_search", "vector_store_ids": ["vs_1"]}]}),
        ),
    ] {
        for (strategy, named) in [
            ("ephemeral", false),
            ("client", false),
            ("conversation", false),
            ("ephemeral", true),
        ] {
            let proxy = proxy(&mock, strategy).await;
            let headers = [ALICE, ("x-mask-session", "team")];
            let headers = &headers[..=usize::from(named)];
            let [alice, bob] = [Values::of(801).email, Values::of(802).email];
            let made = json!({"instructions": format!("write to {alice}"), "name": alice});
            post(&proxy, path, &[ALICE], &made).await;
            let of_agent = token(&mock);
            let reply = asks(&proxy, headers, &of_agent, &bob, &member).await;
            assert!(
                reply.text().contains(&alice),
                "{path} {strategy}: {}",
                reply.text()
            );
            let of_bob = token(&mock);
            // An agent may remember what others told it. The client's first request created it, so
            // the client's session has derived numbers in any case.
            let counts = path == "/v1/vector_stores" && strategy != "client";
            assert_eq!(of_bob == "<MASK_EMAIL_1>", counts, "{path} {strategy}");
            // The next turn does not mention the agent.
            let with = json!({"previous_response_id": id(&reply)});
            let says = format!("{of_agent} and {of_bob}");
            let reply = asks(&proxy, headers, &says, "again", &with).await.text();
            assert!(
                reply.contains(&alice) && reply.contains(&bob),
                "{path} {strategy}: {reply}"
            );
            // Another client that uses it by its id gets nothing.
            let reply = asks(&proxy, &[BOB], &of_agent, &bob, &member).await.text();
            assert!(
                reply.contains(of_agent.trim_matches(['<', '>'])) && !reply.contains(&alice),
                "{reply}"
            );
        }
    }
}

/// Its memory had the token of another request, which counted from 1, too.
#[tokio::test]
async fn an_agents_memory_never_restores_a_wrong_value() {
    let mock = Mock::start().await;
    let [alice, bob] = [806, 807].map(|number| Values::of(number).email);
    for member in ["agent_id", "assistant_id", "agent"] {
        let proxy = proxy(&mock, "ephemeral").await;
        let with = json!({member: "one"});
        asks(&proxy, &[ALICE], "hello", &alice, &with).await;
        let remembered = token(&mock);
        let reply = asks(&proxy, &[ALICE], &remembered, &bob, &with)
            .await
            .text();
        assert!(!reply.contains(&bob), "{member}: {reply}");
    }
}

/// Both counted from 1, so a token may mean either value.
#[tokio::test]
async fn a_counted_token_from_two_sessions_is_not_restored() {
    let mock = Mock::start().await;
    let [alice, bob, carol] = [803, 804, 805].map(|number| Values::of(number).email);
    for strategy in ["ephemeral", "client"] {
        let proxy = proxy(&mock, strategy).await;
        let first = asks(&proxy, &[ALICE], "", &alice, &json!({})).await;
        let named = [ALICE, ("x-mask-session", "other")];
        let second = asks(&proxy, &named, "", &bob, &json!({})).await;
        let with = json!({"previous_response_id": id(&first),
            "input": [{"type": "item_reference", "id": id(&second)}, {"role": "user", "content": carol}]});
        for _ in 0..2 {
            let reply = asks(&proxy, &[ALICE], "<MASK_EMAIL_1>", "", &with)
                .await
                .text();
            assert!(reply.contains("MASK_EMAIL_1"), "{strategy}: {reply}");
            assert!(
                ![&alice, &bob, &carol]
                    .iter()
                    .any(|value| reply.contains(*value)),
                "{strategy}: {reply}"
            );
            assert_ne!(token(&mock), "<MASK_EMAIL_1>");
        }
        // Each of them alone continues its own session.
        for (name, right) in [(&first, &alice), (&second, &bob)] {
            let with = json!({"previous_response_id": id(name)});
            let reply = asks(&proxy, &[ALICE], "<MASK_EMAIL_1>", "again", &with)
                .await
                .text();
            assert!(reply.contains(right), "{strategy}: {reply}");
        }
    }
}

/// Derived numbers mean the same value everywhere.
#[tokio::test]
async fn derived_tokens_from_two_sessions_are_both_restored() {
    let mock = Mock::start().await;
    let [alice, bob] = [806, 807].map(|number| Values::of(number).email);
    let proxy = proxy(&mock, "ephemeral").await;
    let mut tokens = Vec::new();
    let mut replies = Vec::new();
    for (value, conversation) in [(&alice, "conv_x"), (&bob, "conv_y")] {
        let with = json!({"conversation": conversation});
        replies.push(asks(&proxy, &[ALICE], "", value, &with).await);
        tokens.push(token(&mock));
    }
    let with = json!({"conversation": "conv_x",
        "input": [{"type": "item_reference", "id": id(&replies[1])}, {"role": "user", "content": "both?"}]});
    let reply = asks(&proxy, &[ALICE], &tokens.join(" "), "", &with)
        .await
        .text();
    assert!(reply.contains(&alice) && reply.contains(&bob), "{reply}");
}

/// The provider stores something unknown under an id: the request was treated as if it contained
/// everything.
#[tokio::test]
async fn an_unknown_id_in_a_generic_request_counts_as_history() {
    let mock = Mock::start().await;
    let proxy = proxy(&mock, "client").await;
    let [alice, bob] = [808, 809].map(|number| Values::of(number).email);
    post(&proxy, "/v1/embeddings", &[ALICE], &json!({"input": alice})).await;
    assert_eq!(token(&mock), "<MASK_EMAIL_1>");
    let mut body = json!({"prompt": bob, "memory_id": "mem_1"});
    post(&proxy, "/v1/completions", &[ALICE], &body).await;
    let derived = token(&mock);
    assert!(derived.len() > "<MASK_EMAIL_100000>".len(), "{derived}");
    post(&proxy, "/v1/completions", &[ALICE], &body).await;
    assert_eq!(token(&mock), derived, "the same bytes again");
    for harmless in ["user_id", "model_id", "input_file_id"] {
        body = json!({"prompt": bob, harmless: "x"});
        post(&proxy, "/v1/completions", &[ALICE], &body).await;
        assert_eq!(token(&mock), "<MASK_EMAIL_2>", "{harmless}");
    }
}

/// Bots, sessions and agents remember what was said, and requests refer to them in any way: deep in
/// the body, in the query, in a header, in the path. Their numbers began at 1 each time.
#[tokio::test]
async fn unknown_paths_get_derived_tokens() {
    let mock = Mock::start().await;
    let [alice, bob] = [810, 811].map(|number| Values::of(number).email);
    for strategy in ["ephemeral", "client", "conversation"] {
        let options = ProxyOptions::default()
            .env("MASK_SESSION_STRATEGY", strategy)
            .yaml("proxy:\n  unrouted: mask\n");
        let proxy = Proxy::start_with(&mock.url(), &options).await;
        for (path, with) in [
            ("/v1/agents/a1/messages", json!({})),
            ("/v1/agents/a1/invoke", json!({})),
            ("/threads/t1/chat", json!({})),
            ("/bots/7/completions", json!({})),
            ("/memory/ask?bot=7", json!({})),
            ("/ask", json!({"metadata": {"conversation_id": "c1"}})),
            ("/api/create", json!({"model": "mine"})),
        ] {
            let mut seen = Vec::new();
            for value in [&alice, &bob, &alice] {
                let mut body = with.clone();
                body["input"] = json!({"text": format!("write to {value}")});
                post(&proxy, path, &[ALICE], &body).await;
                seen.push(token(&mock));
            }
            assert!(
                seen[0].len() > "<MASK_EMAIL_100000>".len(),
                "{path}: {seen:?}"
            );
            assert_ne!(seen[0], seen[1], "{strategy} {path}");
            assert_eq!(seen[0], seen[2], "{strategy} {path}");
        }
        // What shows all that its provider knows still counts; the client's own session began with other numbers.
        let body = json!({"contents": [{"parts": [{"text": bob}]}]});
        post(
            &proxy,
            "/v1beta/models/gemini-3:generateContent",
            &[ALICE],
            &body,
        )
        .await;
        assert!(
            token(&mock) == "<MASK_EMAIL_1>" || strategy == "client",
            "{strategy}"
        );
    }
}

/// A chat completion that was stored is changed by its id, under another session.
#[tokio::test]
async fn a_stored_chat_completion_continues_its_session() {
    let mock = Mock::start().await;
    let proxy = proxy(&mock, "ephemeral").await;
    let [alice, bob] = [812, 813].map(|number| Values::of(number).email);
    let body = json!({
        "model": "says/ok", "store": true, "messages": [{"role": "user", "content": alice}],
    });
    let path = Schema::ChatStyle.path();
    let id = id(&post(&proxy, path, &[ALICE], &body).await);
    let path = format!("{path}/{}", id.as_str().expect("an id"));
    let body = json!({"metadata": {"who": bob}});
    post(&proxy, &path, &[ALICE], &body).await;
    assert_eq!(token(&mock), "<MASK_EMAIL_2>");
    post(&proxy, "/v1/chat/completions/other", &[ALICE], &body).await;
    assert!(token(&mock).len() > "<MASK_EMAIL_100000>".len());
}
