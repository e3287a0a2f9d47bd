//! What the provider receives and what the client gets, in all three formats.

use serde_json::{Value, json};
use tests::{Client, Ending, Mock, Proxy, Schema, Values};

async fn pair() -> (Mock, Proxy) {
    let mock = Mock::start().await;
    let proxy = Proxy::start(&mock.url()).await;
    (mock, proxy)
}

#[tokio::test]
async fn values_go_out_as_tokens_and_come_back_whole() {
    let (mock, proxy) = pair().await;
    for schema in Schema::ALL {
        let models = [
            ("echo", false),
            ("echo/1", true),
            ("echo/7", true),
            ("echo/4096", true),
        ];
        for (number, (model, stream)) in models.into_iter().enumerate() {
            let values = Values::of(number);
            let request = schema.request(model, &values.to_string(), stream);
            let reply = Client::post(&proxy.url(), schema.path(), &request).await;

            let seen = mock.last().everything();
            assert_eq!(
                values.found_in(&seen),
                [""; 0],
                "{schema:?} {model}: the provider was told"
            );
            assert!(seen.contains("<MASK_EMAIL_"), "{schema:?} {model}");
            assert_eq!(
                schema.reply_text(&reply.text()),
                values.to_string(),
                "{schema:?} {model}"
            );
            assert_eq!((reply.status, reply.ending), (200, Ending::Clean));
            assert_eq!(reply.header("content-encoding"), None);
        }
    }
}

/// The same values get the same tokens while a conversation grows, so prompt caches hold.
#[tokio::test]
async fn a_longer_history_begins_with_the_same_bytes() {
    let (mock, proxy) = pair().await;
    let values = [Values::of(1), Values::of(2), Values::of(3)];
    let turn = |number: usize| json!({"role": "user", "content": values[number].to_string()});
    let mut seen = Vec::new();
    for turns in 1..=3 {
        let messages: Vec<Value> = (0..turns).map(turn).collect();
        let request = json!({
            "model": "echo", "messages": messages, "system": format!("I am {}", Values::of(9).email),
        });
        Client::post(&proxy.url(), "/v1/messages", &request).await;
        seen.push(mock.last().json()["messages"].to_string());
    }
    for pair in seen.windows(2) {
        let shorter = pair[0].trim_end_matches(']');
        assert!(pair[1].starts_with(shorter), "{shorter}\n{}", pair[1]);
    }
}

#[tokio::test]
async fn a_request_without_values_is_forwarded_byte_for_byte() {
    let (mock, proxy) = pair().await;
    let body = r#" {"model" : "echo","messages":[ {"content":"caf\u00e9 1.10 \/ ","role":"user"}],
        "n": 1.0e0, "seed":123456789012345678901234567, "x": 1e400, "n": 2} "#;
    let mut client = Client::connect(&proxy.url()).await;
    client
        .request("POST", "/v1/chat/completions", &[], body.as_bytes())
        .await;
    assert_eq!(mock.last().text(), body);
}

/// A user's text that looks like a token is not a token.
#[tokio::test]
async fn text_that_looks_like_a_token_is_restored_as_written() {
    let (mock, proxy) = pair().await;
    for literal in [
        "<MASK_EMAIL_1>",
        "MASK_EMAIL_1",
        "&lt;MASK_EMAIL_1&gt;",
        "<MASK_SECRET_2>",
    ] {
        let text = format!(
            "{literal} is not {} nor {}",
            Values::of(1).email,
            Values::of(1).phone
        );
        for (schema, stream) in Schema::ALL.into_iter().zip([false, true, true]) {
            let request = schema.request("echo/2", &text, stream);
            let reply = Client::post(&proxy.url(), schema.path(), &request).await;
            assert_eq!(schema.reply_text(&reply.text()), text, "{schema:?}");
            assert!(!mock.last().text().contains(&Values::of(1).email));
        }
    }
}

/// A token is restored only in the session that issued it.
#[tokio::test]
async fn another_callers_token_is_not_restored() {
    let (_mock, proxy) = pair().await;
    let schema = Schema::ChatStyle;
    let victim = schema.request("echo", &Values::of(1).to_string(), false);
    Client::post(&proxy.url(), schema.path(), &victim).await;
    let curious = schema.request(
        "echo",
        "print <MASK_EMAIL_1> to <MASK_SECRET_5> and MASK_PHONE_2",
        false,
    );
    let reply = Client::post(&proxy.url(), schema.path(), &curious).await;
    assert_eq!(Values::of(1).found_in(&reply.text()), [""; 0]);
}

#[tokio::test]
async fn the_first_delta_is_delivered_while_the_provider_is_silent() {
    let (_mock, proxy) = pair().await;
    let schema = Schema::ChatStyle;
    let request = schema.request(
        "stall",
        "a long text without any value in it, to be cut",
        true,
    );
    let mut client = Client::connect(&proxy.url()).await;
    client
        .send("POST", schema.path(), &[], request.to_string().as_bytes())
        .await;
    let (status, mut streamed) = client.head().await;
    let first = client
        .piece(&mut streamed)
        .await
        .expect("a piece")
        .expect("a piece");
    assert_eq!(status, 200);
    assert!(String::from_utf8_lossy(&first).contains("\"role\":\"assistant\""));
}

/// The one request header that is masked (formats, R15).
#[tokio::test]
async fn machine_metadata_is_masked_in_body_and_header() {
    let (mock, proxy) = pair().await;
    let values = Values::of(4);
    let metadata = json!({
        "workspaces": {"/home/me": {"remote": format!("https://me:{}@git.example.com/x", "Zx81-q!w2")}},
        "owner": values.email,
    })
    .to_string();
    let request = json!({
        "model": "echo", "input": values.email, "client_metadata": {"x-codex-turn-metadata": metadata},
    });
    let mut client = Client::connect(&proxy.url()).await;
    let headers = [("x-codex-turn-metadata", metadata.as_str())];
    let reply = client
        .request(
            "POST",
            "/v1/responses",
            &headers,
            request.to_string().as_bytes(),
        )
        .await;
    assert_eq!(reply.status, 200);

    let seen = mock.last();
    assert_eq!(values.found_in(&seen.everything()), [""; 0]);
    assert!(!seen.everything().contains("Zx81-q!w2"));
    let header = seen.header("x-codex-turn-metadata").expect("the header");
    let owner = &serde_json::from_str::<Value>(header).expect("JSON")["owner"];
    assert_eq!(
        Some(owner),
        seen.json().get("input"),
        "the same value has the same token"
    );
}

/// Members that a format doesn't have, and files of text, were forwarded in the clear.
#[tokio::test]
async fn unknown_fields_and_text_files_are_masked() {
    let (mock, proxy) = pair().await;
    let email = "alice@example.com";
    let customer = json!({"type": "customer", "user_id": email});
    for schema in Schema::ALL {
        let mut request = schema.request("echo", "hello", false);
        request["session_note"] = json!(format!("call {email} back"));
        request["documents"] = json!([customer]);
        request["data_sources"] = json!([{"type": "x", "parameters": {"role_information": email}}]);
        request["response_format"] = json!({"type": "text", "json_schema": {"description": email}});
        let reply = Client::post(&proxy.url(), schema.path(), &request).await;
        assert_eq!(reply.status, 200);
        let seen = mock.last().everything();
        assert!(!seen.contains(email), "{schema:?}: {seen}");
        assert_eq!(seen.matches("<MASK_EMAIL_1>").count(), 4, "{schema:?}");
    }
    // `Write to alice@example.com`
    let file = "data:text/plain;base64,V3JpdGUgdG8gYWxpY2VAZXhhbXBsZS5jb20=";
    let part = json!({"type": "file", "file": {"file_data": file, "filename": "f.txt"}});
    let call = json!({"role": "tool", "tool_call_id": "c", "content": customer.to_string()});
    let messages = json!([{"role": "user", "content": [part]}, call]);
    let request = json!({"model": "echo", "messages": messages});
    Client::post(&proxy.url(), "/v1/chat/completions", &request).await;
    let seen = mock.last().json();
    let masked = "data:text/plain;base64,V3JpdGUgdG8gPE1BU0tfRU1BSUxfMT4=";
    assert_eq!(
        seen["messages"][0]["content"][0]["file"]["file_data"],
        masked
    );
    assert_eq!(
        seen["messages"][1]["content"],
        customer.to_string().replace(email, "<MASK_EMAIL_1>")
    );
}
