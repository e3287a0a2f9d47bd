//! `proxy.guardrail`: masking and restoring for other gateways.

use serde_json::{Value, json};
use tests::{Client, Mock, Proxy, ProxyOptions, Reply, Values};

const LITELLM: &str = "/beta/litellm_basic_guardrail_api";

async fn start(options: ProxyOptions) -> (Mock, Proxy) {
    let mock = Mock::start().await;
    let options = options.flag("--guardrail").flag("127.0.0.1:0");
    let proxy = Proxy::start_with(&mock.url(), &options).await;
    (mock, proxy)
}

async fn ask(proxy: &Proxy, path: &str, body: &Value) -> Value {
    let reply = Client::post(&proxy.guardrail(), path, body).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    serde_json::from_str(&reply.text()).expect("JSON")
}

async fn ask_with(proxy: &Proxy, headers: &[(&str, &str)], path: &str, body: &Value) -> Reply {
    let mut client = Client::connect(&proxy.guardrail()).await;
    let body = body.to_string();
    client.request("POST", path, headers, body.as_bytes()).await
}

fn code(reply: &Reply) -> (u16, String) {
    let body: Value = serde_json::from_str(&reply.text()).expect("JSON");
    let code = body["error"]["code"].as_str().unwrap_or_default();
    (reply.status, code.to_owned())
}

/// A call of `LiteLLM`, with the data of every call.
fn call(leg: &str, id: &str, key: &str, more: &Value) -> Value {
    let mut call = json!({
        "input_type": leg,
        "litellm_call_id": id,
        "litellm_trace_id": "t",
        "structured_messages": null,
        "images": null,
        "tools": null,
        "texts": [],
        "request_data": {"user_api_key_hash": key},
        "request_headers": {"host": "x"},
        "litellm_version": "1.106.2",
        "additional_provider_specific_params": {},
        "tool_calls": null,
        "model": "m"
    });
    let more = more.as_object().expect("an object").clone();
    call.as_object_mut().expect("an object").extend(more);
    call
}

#[tokio::test]
async fn texts_go_out_as_tokens_and_come_back_in_their_session() {
    let (mock, mut proxy) = start(ProxyOptions::default()).await;
    let values = Values::of(71);
    let texts = json!([values.to_string(), "nothing", values.email]);
    let masked = ask(&proxy, "/mask", &json!({"texts": texts})).await;
    assert_eq!(values.found_in(&masked.to_string()), [""; 0]);
    assert_eq!(masked["texts"][1], "nothing");
    let session = masked["session"].as_str().expect("a session").to_owned();
    let ask_back = json!({"session": session, "texts": masked["texts"]});
    assert_eq!(ask(&proxy, "/restore", &ask_back).await["texts"], texts);

    // By header, too, and the same value gets the same token.
    let body = json!({"texts": [values.email]});
    let named = [("x-mask-session", session.as_str())];
    let again = ask_with(&proxy, &named, "/mask", &body).await;
    assert_eq!(again.header("x-mask-session"), Some(session.as_str()));
    let again: Value = serde_json::from_str(&again.text()).expect("JSON");
    assert_eq!(again["texts"][0], masked["texts"][2]);

    assert!(mock.requests().is_empty(), "nothing is forwarded");
    proxy.audited("guardrail.call", 3).await;
    let metrics = proxy.metrics().await;
    assert!(
        metrics.contains("mask_events_total{event=\"guardrail.call\"} 3"),
        "{metrics}"
    );
    proxy.stop().await;
    assert_eq!(values.found_in(&proxy.written()), [""; 0]);
    assert!(proxy.audit_text().contains("\"path\":\"/mask\""));
}

/// It was told that the body does not match the call, which it does.
#[tokio::test]
async fn a_call_with_half_a_character_is_told_what_to_change() {
    let (_mock, proxy) = start(ProxyOptions::default()).await;
    let call = r#"{"input_type":"request","texts":["\ud83dx"]}"#;
    let mut client = Client::connect(&proxy.guardrail()).await;
    for (path, body, hint) in [
        ("/mask", r#"{"texts":["\ud800 x"]}"#, "lone surrogate"),
        ("/mask", r#"{"texts":["\udc00"]}"#, "lone surrogate"),
        (
            "/restore",
            r#"{"session":"s","texts":["\ud83d"]}"#,
            "lone surrogate",
        ),
        (LITELLM, call, "lone surrogate"),
        ("/mask", r#"{"texts":["\uzzzz"]}"#, "openapi.yaml"),
        ("/mask", r#"{"texts":[1e999]}"#, "openapi.yaml"),
        ("/mask", r#"{"texts":["x"}"#, "openapi.yaml"),
    ] {
        let reply = client.request("POST", path, &[], body.as_bytes()).await;
        assert_eq!(
            code(&reply),
            (400, "mask_invalid_request".to_owned()),
            "{body}"
        );
        assert!(reply.text().contains(hint), "{body}: {}", reply.text());
    }
    let body = r#"{"body":{"input":"\ud800 x"}}"#;
    let reply = client.request("POST", "/mask", &[], body.as_bytes()).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    assert!(reply.text().contains(r#""\ud800 x""#), "{}", reply.text());
}

#[tokio::test]
async fn a_body_is_masked_by_its_schema_and_its_reply_restored() {
    let (_mock, proxy) = start(ProxyOptions::default()).await;
    let values = Values::of(72);
    let body = json!({"model": "m", "max_tokens": 5, "messages": [{"role": "user", "content": values.to_string()}]});
    let ask_mask = json!({"session": "s-1", "schema": "messages_style", "body": body});
    let masked = ask(&proxy, "/mask", &ask_mask).await;
    assert_eq!(values.found_in(&masked.to_string()), [""; 0]);
    assert_eq!(masked["body"]["max_tokens"], 5);
    let text = masked["body"]["messages"][0]["content"].clone();
    let reply = json!({"type": "message", "content": [{"type": "text", "text": text}]});
    let back = json!({"session": "s-1", "schema": "messages", "body": reply});
    let restored = ask(&proxy, "/restore", &back).await;
    assert_eq!(restored["body"]["content"][0]["text"], values.to_string());
}

/// The guardrail's own path was treated as a provider's path, where anything may be stored.
#[tokio::test]
async fn a_body_without_a_schema_is_masked_and_restored() {
    let (_mock, proxy) = start(ProxyOptions::default()).await;
    let values = Values::of(79);
    let body = json!({"note": values.to_string(), "rows": [values.email]});
    let masked = ask(&proxy, "/mask", &json!({"session": "s-1", "body": body})).await;
    assert_eq!(values.found_in(&masked.to_string()), [""; 0]);
    let back = json!({"session": "s-1", "body": masked["body"]});
    assert_eq!(ask(&proxy, "/restore", &back).await["body"], body);
}

/// The proxy's clients can't use a session of the guardrail, nor the guardrail theirs.
#[tokio::test]
async fn client_and_gateway_sessions_are_separate() {
    let (mock, proxy) = start(ProxyOptions::default()).await;
    let values = Values::of(73);
    let masked = ask(
        &proxy,
        "/mask",
        &json!({"session": "same", "texts": [values.email]}),
    )
    .await;
    let token = masked["texts"][0].as_str().expect("a token").to_owned();
    let body =
        json!({"model": format!("says/{token}"), "messages": [{"role": "user", "content": "hi"}]});
    let mut client = Client::connect(&proxy.url()).await;
    let named = [("x-mask-session", "same")];
    let reply = client
        .request(
            "POST",
            "/v1/chat/completions",
            &named,
            body.to_string().as_bytes(),
        )
        .await;
    assert!(reply.text().contains(&token), "{}", reply.text());
    assert_eq!(values.found_in(&reply.text()), [""; 0]);
    assert_eq!(mock.requests().len(), 1);
}

#[tokio::test]
async fn litellm_gets_texts_and_messages_masked_and_replies_restored() {
    let (_mock, proxy) = start(ProxyOptions::default()).await;
    let values = Values::of(74);
    let text = values.to_string();
    let rows =
        json!([{"role": "system", "content": "be brief"}, {"role": "user", "content": text}]);
    let more = json!({"texts": ["be brief", text], "structured_messages": rows});
    let answer = ask(&proxy, LITELLM, &call("request", "c1", "alice", &more)).await;
    assert_eq!(answer["action"], "GUARDRAIL_INTERVENED");
    assert_eq!(values.found_in(&answer.to_string()), [""; 0]);
    assert_eq!(answer["texts"][0], "be brief");
    // `LiteLLM` drops unknown members of changed messages, so messages are sent only if necessary.
    assert!(answer.get("structured_messages").is_none());

    let more = json!({"texts": answer["texts"]});
    let back = ask(&proxy, LITELLM, &call("response", "c1", "alice", &more)).await;
    assert_eq!(back["texts"], json!(["be brief", text]));
    // Another key may choose the same id, and gets nothing by it.
    let other = ask(&proxy, LITELLM, &call("response", "c1", "bob", &more)).await;
    assert_eq!(other, json!({"action": "NONE"}));

    let none = json!({"texts": ["nothing"], "structured_messages": [{"role": "user", "content": "nothing"}]});
    let answer = ask(&proxy, LITELLM, &call("request", "c2", "alice", &none)).await;
    assert_eq!(answer, json!({"action": "NONE"}));
}

/// `LiteLLM` sends all the text so far each time, and what it delivered can't be taken back.
#[tokio::test]
async fn a_stream_chunked_by_litellm_only_grows() {
    let (_mock, proxy) = start(ProxyOptions::default()).await;
    let values = Values::of(75);
    let text = format!("é {values} ✓ <MASK_ and the end");
    let more = json!({"texts": [text]});
    let answer = ask(&proxy, LITELLM, &call("request", "c", "alice", &more)).await;
    let masked: Vec<char> = answer["texts"][0]
        .as_str()
        .expect("a text")
        .chars()
        .collect();
    let mut sent = String::new();
    for end in 1..=masked.len() {
        let so_far: String = masked[..end].iter().collect();
        let more = json!({"texts": [so_far]});
        let back = ask(&proxy, LITELLM, &call("response", "c", "alice", &more)).await;
        let restored = back["texts"][0].as_str().expect("a text");
        let held = back["stream_holdback_chars"][0].as_u64().expect("a number");
        let count = restored.chars().count() - usize::try_from(held).expect("small");
        let ready: String = restored.chars().take(count).collect();
        assert!(ready.starts_with(&sent), "{sent:?} became {ready:?}");
        sent = ready;
        if end == masked.len() {
            assert_eq!(restored, text);
        }
    }
}

#[tokio::test]
async fn values_in_tool_calls_are_masked_in_messages_or_stop_the_call() {
    let (_mock, proxy) = start(ProxyOptions::default()).await;
    let values = Values::of(76);
    let arguments = json!({"to": values.email}).to_string();
    let calls = json!([{"id": "c", "type": "function", "function": {"name": "send", "arguments": arguments}}]);
    let rows = json!([
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": null, "tool_calls": calls},
        {"role": "tool", "tool_call_id": "c", "content": "sent"}
    ]);
    let more = json!({"texts": ["go", "sent"], "structured_messages": rows, "tool_calls": calls});
    let answer = ask(&proxy, LITELLM, &call("request", "c1", "alice", &more)).await;
    assert_eq!(values.found_in(&answer.to_string()), [""; 0]);
    let masked = &answer["structured_messages"][1]["tool_calls"][0]["function"]["arguments"];
    assert!(masked.as_str().expect("a text").contains("MASK_EMAIL"));
    assert_eq!(answer["structured_messages"][2], rows[2]);

    // The same text in a message and in a call does not cover the call.
    let rows = json!([
        {"role": "user", "content": arguments},
        {"role": "assistant", "content": null, "tool_calls": calls}
    ]);
    let more = json!({"texts": [arguments], "structured_messages": rows, "tool_calls": calls});
    let answer = ask(&proxy, LITELLM, &call("request", "c2", "alice", &more)).await;
    assert_eq!(values.found_in(&answer.to_string()), [""; 0]);
    assert!(answer["structured_messages"][1]["tool_calls"].is_array());

    let more = json!({"texts": ["go"], "tool_calls": calls});
    let answer = ask(&proxy, LITELLM, &call("request", "c3", "alice", &more)).await;
    assert_eq!(answer["action"], "BLOCKED");
    assert_eq!(values.found_in(&answer.to_string()), [""; 0]);

    let tools = json!([{"type": "function", "function": {"name": "f", "description": format!("mails {}", values.email)}}]);
    let more = json!({"texts": ["go"], "tools": tools});
    let answer = ask(&proxy, LITELLM, &call("request", "c4", "alice", &more)).await;
    assert_eq!(values.found_in(&answer.to_string()), [""; 0]);
    assert_eq!(answer["tools"][0]["function"]["name"], "f");
}

/// It was refused: the id might have named what a provider keeps.
#[tokio::test]
async fn a_body_with_its_own_ids_is_masked_and_restored() {
    let (_mock, proxy) = start(ProxyOptions::default()).await;
    let values = Values::of(21);
    let order = json!({"order_id": "o-17", "note": format!("for {}", values.email)});
    let masked = ask(&proxy, "/mask", &json!({"body": order})).await;
    let note = masked["body"]["note"].as_str().expect("a note");
    assert!(!note.contains(&values.email), "{masked}");
    assert_ne!(note, "for <MASK_EMAIL_1>", "an older token may be that");
    let asked = json!({"session": masked["session"], "body": masked["body"]});
    let restored = ask(&proxy, "/restore", &asked).await;
    assert_eq!(restored["body"], order);
}

#[tokio::test]
async fn the_guardrail_key_is_required_and_never_shown() {
    let key = "guard-7f3a91c2d8e64b05";
    let (_mock, mut proxy) = start(ProxyOptions::default().env("MASK_GUARDRAIL_KEY", key)).await;
    let body = json!({"texts": ["x"]});
    let bearer = format!("Bearer {key}");
    for headers in [
        &[][..],
        &[("authorization", "Bearer wrong")],
        &[("x-api-key", "wrong")],
        &[("authorization", key)],
    ] {
        let reply = ask_with(&proxy, headers, "/mask", &body).await;
        assert_eq!(code(&reply), (401, "mask_unauthorized".to_owned()));
    }
    for headers in [[("authorization", bearer.as_str())], [("x-api-key", key)]] {
        let reply = ask_with(&proxy, &headers, "/mask", &body).await;
        assert_eq!(reply.status, 200, "{}", reply.text());
    }
    let health = Client::get(&proxy.guardrail(), "/health").await;
    assert_eq!(health.status, 200);
    proxy.stop().await;
    assert!(!proxy.written().contains(key));
}

#[tokio::test]
async fn a_publicly_reachable_guardrail_needs_a_key() {
    let arguments = ["proxy", "--port", "0", "--guardrail", "0.0.0.0:0"];
    let (status, _, stderr) = tests::maskproxy(&arguments, "").await;
    assert_eq!(status, Some(1), "{stderr}");
    assert!(stderr.contains("MASK_GUARDRAIL_KEY"), "{stderr}");
}

#[tokio::test]
async fn guardrail_errors_have_codes() {
    let options = ProxyOptions::default().yaml("proxy: {max_body: 2000}");
    let (_mock, proxy) = start(options).await;
    let long = "x".repeat(3000);
    for (path, body, expected) in [
        (
            "/mask",
            json!({"texts": "x"}),
            (400, "mask_invalid_request"),
        ),
        ("/mask", json!({}), (400, "mask_invalid_request")),
        (
            "/mask",
            json!({"texts": [], "typo": 1}),
            (400, "mask_invalid_request"),
        ),
        (
            "/mask",
            json!({"texts": [], "session": "a b"}),
            (400, "mask_invalid_request"),
        ),
        (
            "/mask",
            json!({"body": [1], "schema": "chat_style"}),
            (400, "mask_invalid_request"),
        ),
        (
            "/mask",
            json!({"body": {}, "schema": "soap"}),
            (400, "mask_invalid_request"),
        ),
        (
            "/mask",
            json!({"schema": "responses", "body": {"previous_response_id": "resp_1", "input": "x"}}),
            (400, "mask_invalid_request"),
        ),
        (
            "/mask",
            json!({"texts": [long]}),
            (413, "mask_request_too_large"),
        ),
        (
            "/restore",
            json!({"texts": []}),
            (400, "mask_invalid_request"),
        ),
        (
            "/restore",
            json!({"texts": [], "session": "none"}),
            (404, "mask_unknown_session"),
        ),
        (LITELLM, json!({"texts": []}), (400, "mask_invalid_request")),
    ] {
        let reply = ask_with(&proxy, &[], path, &body).await;
        let expected = (expected.0, expected.1.to_owned());
        assert_eq!(code(&reply), expected, "{path} {body}");
    }
    let mut client = Client::connect(&proxy.guardrail()).await;
    let reply = client.request("GET", "/mask", &[], b"").await;
    assert_eq!((reply.status, reply.header("allow")), (405, Some("POST")));
    for path in ["/", "/metrics", "/v1/chat/completions", "/mask/"] {
        let reply = ask_with(&proxy, &[], path, &json!({})).await;
        assert_eq!(reply.status, 404, "{path}");
    }
    // And the proxy's own address serves none of it.
    let reply = Client::post(
        &proxy.url(),
        "/restore",
        &json!({"texts": [], "session": "s"}),
    )
    .await;
    assert!(!reply.text().contains("mask_unknown_session"));
}

#[tokio::test]
async fn a_reload_opens_moves_and_closes_the_guardrail() {
    let mock = Mock::start().await;
    let yaml = |more: &str| format!("proxy: {{upstream: '{}'{more}}}", mock.url());
    let options = ProxyOptions::default().yaml(&yaml("")).flag("--reload");
    let proxy = Proxy::start_with(&mock.url(), &options).await;
    let port = tests::Reserved::new();
    proxy.reconfigure(&yaml(&format!(", guardrail: '{}'", port.port())));
    proxy.prints("the new configuration is in use").await;
    let url = format!("http://127.0.0.1:{}", port.port());
    let reply = Client::post(&url, "/mask", &json!({"texts": ["x"]})).await;
    assert_eq!(reply.status, 200);
    proxy.reconfigure(&yaml(""));
    proxy
        .prints_times("the new configuration is in use", 2)
        .await;
    assert!(std::net::TcpStream::connect(("127.0.0.1", port.port())).is_err());
    assert_eq!(Client::get(&proxy.url(), "/health").await.status, 200);
}
