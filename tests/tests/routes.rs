//! Paths that carry prompts are masked or refused, never forwarded unmasked.

use std::sync::Mutex;

use serde_json::{Value, json};
use tests::{Answer, Client, Mock, Proxy, ProxyOptions, Reply, Schema, Service, Values};

async fn pair(yaml: &str) -> (Mock, Proxy) {
    let mock = Mock::start().await;
    let options = ProxyOptions::default().yaml(yaml);
    let proxy = Proxy::start_with(&mock.url(), &options).await;
    (mock, proxy)
}

/// None of the values reached the provider.
fn assert_masked(mock: &Mock, values: &Values, path: &str) {
    let seen = mock.last().everything();
    assert_eq!(values.found_in(&seen), [""; 0], "{path}: {seen}");
}

/// Case P1.
#[tokio::test]
async fn a_default_route_matches_every_path_ending_in_it() {
    let (mock, proxy) = pair("").await;
    for (number, (path, schema)) in (500..).zip([
        ("/api/v1/chat/completions", Schema::ChatStyle),
        ("/openai/v1/chat/completions", Schema::ChatStyle),
        (
            "/openai/deployments/x/chat/completions?api-version=1",
            Schema::ChatStyle,
        ),
        ("/inference/v1/chat/completions", Schema::ChatStyle),
        ("/compatible-mode/v1/chat/completions", Schema::ChatStyle),
        ("/v1beta/openai/responses", Schema::Responses),
        ("/anthropic/v1/messages", Schema::MessagesStyle),
        ("/messages", Schema::MessagesStyle),
    ]) {
        let values = Values::of(number);
        for stream in [false, true] {
            let body = schema.request("echo", &values.to_string(), stream);
            let reply = Client::post(&proxy.url(), path, &body).await;
            assert_masked(&mock, &values, path);
            assert_eq!(
                schema.reply_text(&reply.text()),
                values.to_string(),
                "{path}"
            );
        }
    }
}

/// Case P2.
#[tokio::test]
async fn the_other_paths_that_carry_prompts_are_masked() {
    let (mock, proxy) = pair("").await;
    let seen = |text: &str| {
        let turn = json!([{"role": "user", "content": text}]);
        let parts = json!([{"role": "user", "parts": [{"text": text}]}]);
        [
            ("/v1/embeddings", json!({"model": "m", "input": [text]})),
            ("/v1/completions", json!({"model": "m", "prompt": text})),
            ("/v1/moderations", json!({"input": text})),
            ("/v1/images/generations", json!({"prompt": text})),
            ("/v1/images/edits", json!({"prompt": text})),
            ("/v1/audio/speech", json!({"input": text, "voice": "a"})),
            ("/v1/videos", json!({"prompt": text})),
            ("/v1/rerank", json!({"query": text, "documents": [text]})),
            ("/v1/conversations", json!({"items": turn})),
            ("/v1/conversations/c_1/items", json!({"items": turn})),
            ("/v1/threads", json!({"messages": turn})),
            (
                "/v1/threads/t/messages",
                json!({"role": "user", "content": text}),
            ),
            (
                "/v1/threads/t/runs",
                json!({"additional_instructions": text}),
            ),
            ("/v1/assistants", json!({"instructions": text})),
            ("/v1/batches", json!({"metadata": {"note": text}})),
            (
                "/v1/messages/batches",
                json!({"requests": [{"params": {"messages": turn}}]}),
            ),
            (
                "/v1/realtime/client_secrets",
                json!({"session": {"instructions": text}}),
            ),
            (
                "/v1beta/models/gemini-3:generateContent",
                json!({"contents": parts}),
            ),
            (
                "/v1beta/models/gemini-3:countTokens",
                json!({"contents": parts}),
            ),
            (
                "/v1beta/models/g:batchEmbedContents",
                json!({"requests": [{"content": {"parts": [{"text": text}]}}]}),
            ),
            ("/v1beta/cachedContents", json!({"contents": parts})),
            (
                "/v1/projects/p/locations/l/publishers/anthropic/models/claude:rawPredict",
                json!({"anthropic_version": "vertex-2023-10-16", "max_tokens": 9, "messages": turn, "model": "echo"}),
            ),
            (
                "/model/m/converse",
                json!({"messages": [{"role": "user", "content": [{"text": text}]}]}),
            ),
            (
                "/model/m/invoke",
                json!({"anthropic_version": "bedrock-2023-05-31", "messages": turn}),
            ),
            (
                "/api/chat",
                json!({"model": "m", "messages": turn, "stream": false}),
            ),
            (
                "/api/generate",
                json!({"model": "m", "prompt": text, "stream": false}),
            ),
            ("/api/embed", json!({"model": "m", "input": text})),
            ("/v2/chat", json!({"messages": turn})),
            ("/v2/rerank", json!({"query": text})),
            ("/v1/complete", json!({"prompt": text})),
            ("/v1beta/interactions", json!({"input": text})),
            // Each of these was forwarded as it was.
            ("/", json!({"inputs": text})),
            ("/v1/decisions", json!({"input": text})),
            (
                "/v1/sessions",
                json!({"initial_events": [{"type": "user.message", "content": text}]}),
            ),
            (
                "/v1beta/auth_tokens",
                json!({"config": {"systemInstruction": text}}),
            ),
            (
                "/contentsafety/text:shieldPrompt",
                json!({"userPrompt": text}),
            ),
            ("/v1/tokenize-text", json!({"text": text})),
            // A list was refused.
            ("/translate?to=de", json!([{"Text": text}])),
        ]
    };
    let count = seen("").len();
    for at in 0..count {
        let values = Values::of(520 + at);
        let (path, body) = &seen(&values.to_string())[at];
        let reply = Client::post(&proxy.url(), path, body).await;
        assert_eq!(reply.status, 200, "{path}: {}", reply.text());
        assert_masked(&mock, &values, path);
        assert!(!reply.text().contains("MASK_"), "{path}: {}", reply.text());
    }
}

#[tokio::test]
async fn replies_of_generic_paths_are_restored() {
    let (mock, proxy) = pair("").await;
    for (number, (path, body, at)) in (560..).zip([
        (
            "/v1beta/models/g:generateContent",
            "contents",
            "/candidates/0/content/parts/0/text",
        ),
        ("/v1/completions", "prompt", "/choices/0/text"),
        (
            "/model/m/converse",
            "messages",
            "/output/message/content/0/text",
        ),
        ("/v1/images/generations", "prompt", "/data/0/revised_prompt"),
    ]) {
        let values = Values::of(number);
        let reply = Client::post(&proxy.url(), path, &json!({body: values.to_string()})).await;
        assert_masked(&mock, &values, path);
        let text = reply.json().pointer(at).cloned();
        assert_eq!(text, Some(values.to_string().into()), "{path}");
    }
}

/// Paths without prompts pass as they are: lists of models, files, and what they hold.
#[tokio::test]
async fn paths_without_prompts_pass_unchanged() {
    let (mock, proxy) = pair("").await;
    for path in [
        "/v1/models",
        "/v1/models/m",
        "/v1/files",
        "/v1/files/f/content",
        "/api/tags",
    ] {
        let reply = Client::get(&proxy.url(), path).await;
        assert_eq!(reply.json()["target"], path);
        assert_eq!(
            reply.header("x-mask-session"),
            None,
            "{path} was not routed"
        );
    }
    // What the provider stored is requested without a body, and comes back restored.
    for method in ["GET", "DELETE"] {
        let mut client = Client::connect(&proxy.url()).await;
        let reply = client.request(method, "/v1/batches/b_1", &[], b"").await;
        assert_eq!(
            (reply.status, &reply.json()["method"]),
            (200, &method.into())
        );
    }
    assert_eq!(mock.requests().len(), 7);
}

/// Their prompts were forwarded, or refused.
#[tokio::test]
async fn forms_are_masked_and_their_files_pass_unchanged() {
    let (mock, proxy) = pair("proxy: {unrouted: mask}").await;
    let values = Values::of(565);
    let audio = b"RIFF\xff\xfb\x90\0\r\n";
    let mut form = b"--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.wav\"\r\n\
        Content-Type: audio/wav\r\n\r\n"
        .to_vec();
    form.extend_from_slice(audio);
    form.extend_from_slice(b"\r\n--x\r\nContent-Disposition: form-data; name=\"prompt\"\r\n\r\n");
    form.extend_from_slice(format!("{values}\r\n--x--\r\n").as_bytes());
    let upload = [("content-type", "multipart/form-data; boundary=x")];
    for path in ["/v1/audio/transcriptions", "/v1/images/edits", "/mirror"] {
        let mut client = Client::connect(&proxy.url()).await;
        let reply = client.request("POST", path, &upload, &form).await;
        assert_eq!(reply.status, 200, "{path}: {}", reply.text());
        assert_masked(&mock, &values, path);
        let seen = mock.last().body;
        assert!(
            seen.windows(audio.len()).any(|part| part == audio),
            "{path}"
        );
        if path == "/mirror" {
            assert_eq!(reply.body, form);
        }
    }
    let metrics = proxy.metrics().await;
    assert!(metrics.contains("mask_unread_parts_total 3\n"), "{metrics}");
}

/// Cloudflare's list of requests was forwarded. The providers need the credentials in it.
#[tokio::test]
async fn batched_requests_are_masked_except_their_headers() {
    let (mock, proxy) = pair("").await;
    let values = Values::of(566);
    let key = "Bearer sk-proj-4fT9xLq2mZ8vB1nC7kD3";
    let body = json!([{
        "provider": "openai",
        "endpoint": "chat/completions",
        "headers": {"Authorization": key},
        "query": {"model": "gpt-5", "messages": [{"role": "user", "content": values.to_string()}]},
    }]);
    let path = "/v1/0123456789abcdef0123456789abcdef/gateway";
    Client::post(&proxy.url(), path, &body).await;
    assert_masked(&mock, &values, path);
    let seen = mock.last().json();
    assert_eq!(seen[0]["headers"]["Authorization"], key);
    assert_eq!(seen[0]["query"]["model"], "gpt-5");
}

type Headers<'a> = &'a [(&'a str, &'a str)];

#[tokio::test]
async fn unmaskable_requests_are_refused_with_advice() {
    let (mock, proxy) = pair("").await;
    let values = Values::of(570);
    let body = json!({"messages": [{"role": "user", "content": [{"text": values.to_string()}]}]});
    let signed = "AWS4-HMAC-SHA256 Credential=a/20261122/us-east-1/bedrock/aws4_request, \
                  SignedHeaders=host, Signature=ab";
    let form =
        format!("--x\r\ncontent-disposition: form-data; name=\"prompt\"\r\n\r\n{values}\r\n--x--");
    let cases: [(&str, Headers, String, &str); 10] = [
        (
            "/model/m/converse",
            &[("authorization", signed)],
            body.to_string(),
            "AWS_BEARER_TOKEN_BEDROCK",
        ),
        (
            "/model/m/converse?X-Amz-Signature=ab",
            &[],
            body.to_string(),
            "AWS_BEARER_TOKEN_BEDROCK",
        ),
        (
            "/model/m/converse-stream",
            &[],
            body.to_string(),
            "without streaming",
        ),
        (
            "/model/m/invoke-with-response-stream",
            &[],
            body.to_string(),
            "without streaming",
        ),
        (
            "/model/m/invoke",
            &[("accept", "application/vnd.amazon.eventstream")],
            body.to_string(),
            "without streaming",
        ),
        (
            "/v1/images/edits",
            &[("content-type", "multipart/related; boundary=x")],
            form.clone(),
            "as JSON",
        ),
        (
            "/v1/images/edits",
            &[("content-type", "multipart/form-data; boundary=y")],
            form,
            "or JSON",
        ),
        (
            "/20231130/actions/chat",
            &[(
                "authorization",
                "Signature version=\"1\",headers=\"date x-content-sha256\",signature=\"a\"",
            )],
            body.to_string(),
            "bearer token",
        ),
        (
            "/v1/live/sessions",
            &[],
            body.to_string(),
            "/realtime/client_secrets",
        ),
        (
            "/v1/realtime/calls",
            &[("content-type", "application/sdp")],
            format!("v=0\r\ns={}\r\n", values.email),
            "/realtime/client_secrets",
        ),
    ];
    for (path, headers, body, way_out) in &cases {
        let mut client = Client::connect(&proxy.url()).await;
        let reply = client.request("POST", path, headers, body.as_bytes()).await;
        assert_eq!(reply.status, 400, "{path}");
        assert_coded(&reply, "mask_invalid_request", way_out);
        assert!(!reply.text().contains(&values.email), "{path}");
    }
    assert_eq!(mock.requests().len(), 0);
    assert_eq!(
        proxy.audited("proxy.error", cases.len()).await.len(),
        cases.len()
    );
}

fn assert_coded(reply: &Reply, code: &str, way_out: &str) {
    let body = reply.json();
    assert_eq!(body["error"]["code"], code);
    let message = body["error"]["message"].as_str().expect("a message");
    assert!(message.contains(way_out), "{message}");
    assert_eq!(reply.header("x-should-retry"), Some("false"), "{message}");
}

/// Its frames carry checksums: tokens in them would reach the client as they are.
#[tokio::test]
async fn aws_event_stream_replies_are_refused() {
    let (mock, proxy) = pair("").await;
    let reply = Client::post(
        &proxy.url(),
        "/model/streams/invoke",
        &json!({"prompt": "hi"}),
    )
    .await;
    assert_eq!(mock.requests().len(), 1);
    assert_eq!(reply.status, 502);
    assert_coded(&reply, "mask_upstream_unreachable", "without streaming");
}

#[tokio::test]
async fn unrouted_bodies_are_masked_when_configured() {
    let (mock, proxy) = pair("proxy: {unrouted: mask}").await;
    let values = Values::of(580);
    let body = json!({"question": values.to_string(), "model": "m"});
    Client::post(&proxy.url(), "/v9/ask", &body).await;
    assert_masked(&mock, &values, "/v9/ask");
    assert_eq!(mock.last().json()["model"], "m");

    // A form, a text and raw bytes were forwarded unread.
    let form = format!("question={}", values.email);
    for content_type in [
        "",
        "text/plain",
        "application/octet-stream",
        "application/x-www-form-urlencoded",
    ] {
        let headers = [("content-type", content_type)];
        let headers = headers.iter().filter(|(_, value)| !value.is_empty());
        let headers: Vec<_> = headers.copied().collect();
        let mut client = Client::connect(&proxy.url()).await;
        let reply = client
            .request("POST", "/v9/ask", &headers, form.as_bytes())
            .await;
        assert_eq!(reply.status, 400, "{content_type}");
        assert_coded(&reply, "mask_invalid_request", "as JSON");
        // JSON is masked, whatever its content type.
        let mut client = Client::connect(&proxy.url()).await;
        let body = body.to_string();
        client
            .request("POST", "/v9/ask", &headers, body.as_bytes())
            .await;
        assert_masked(&mock, &values, "/v9/ask");
    }
    // A query without a body was forwarded as it came.
    let target = format!("/v9/list?q={}", values.email.replace('@', "%40"));
    Client::get(&proxy.url(), &target).await;
    let sent = mock.last().target;
    assert!(sent.starts_with("/v9/list?q=%3CMASK_EMAIL_"), "{sent}");
    let before = mock.requests().len();
    let upload = [("content-type", "multipart/form-data; boundary=x")];
    let mut client = Client::connect(&proxy.url()).await;
    let reply = client.request("POST", "/v1/files", &upload, b"--x--").await;
    assert_eq!((reply.status, mock.requests().len()), (200, before + 1));
    // A body of two types was forwarded by the first.
    let two = [
        ("content-type", "image/png"),
        ("content-type", "application/json"),
    ];
    let mut client = Client::connect(&proxy.url()).await;
    client
        .request("POST", "/v9/ask", &two, body.to_string().as_bytes())
        .await;
    assert_masked(&mock, &values, "/v9/ask");
    // The prompt beside a file was forwarded as it was.
    let head = "--x\r\nContent-Disposition: form-data; name=prompt\r\n\r\n";
    let form = format!("{head}{values}\r\n--x--");
    let mut client = Client::connect(&proxy.url()).await;
    client
        .request("POST", "/v9/ask", &upload, form.as_bytes())
        .await;
    assert_masked(&mock, &values, "/v9/ask");
    assert_eq!(Client::get(&proxy.url(), "/v1/models").await.status, 200);
    let audited = proxy.audited("proxy.request", 1).await;
    assert_eq!(
        (&audited[0]["path"], &audited[0]["schema"]),
        (&json!("/v9/ask"), &json!("generic"))
    );
}

/// A prompt that its client calls an image was forwarded as it was, and with a stray byte on every path.
#[tokio::test]
async fn bytes_not_content_type_decide_if_a_body_is_binary() {
    let (mock, mut proxy) = pair("proxy: {unrouted: mask}").await;
    let values = Values::of(581);
    let body = json!({"question": values.to_string()}).to_string();
    let stray = [body.as_bytes(), b"\xff"].concat();
    let file = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\xff\xd8\0\0";
    for content_type in ["image/png", "audio/wav", "video/mp4", "application/pdf"] {
        for path in ["/v9/ask", "/v1/embeddings", "/v1/chat/completions"] {
            let post = async |body: &[u8]| {
                let headers = [("content-type", content_type)];
                let mut client = Client::connect(&proxy.url()).await;
                client.request("POST", path, &headers, body).await
            };
            post(body.as_bytes()).await;
            assert_masked(&mock, &values, path);
            let before = mock.requests().len();
            let refused = post(&stray).await;
            assert_eq!(refused.status, 400, "{content_type} {path}");
            assert_coded(&refused, "mask_invalid_request", "UTF-8");
            assert_eq!(mock.requests().len(), before);
            let is_refused = path == "/v1/chat/completions";
            let reply = post(file).await;
            assert_eq!(reply.status, if is_refused { 400 } else { 200 }, "{path}");
            if !is_refused {
                assert_eq!(mock.last().body, file);
            }
        }
    }
    let metrics = proxy.metrics().await;
    for line in [
        "mask_unread_parts_total 8\n",
        "mask_unmasked_bodies_total{content=\"other\"} 8\n",
    ] {
        assert!(metrics.contains(line), "{metrics}");
    }
    proxy.stop().await;
    let printed = proxy.printed();
    assert_eq!(printed.matches("it is a file").count(), 2, "{printed}");
}

#[tokio::test]
async fn unrouted_paths_are_refused_when_configured() {
    let (mock, proxy) = pair("proxy: {unrouted: refuse}").await;
    let reply = Client::get(&proxy.url(), "/v1/models").await;
    assert_eq!(reply.status, 403);
    assert!(reply.text().contains("proxy.unrouted"), "{}", reply.text());
    assert_eq!(mock.requests().len(), 0);
}

#[tokio::test]
async fn added_routes_extend_the_default_ones() {
    let (mock, proxy) = pair("proxy: {add_routes: {/ask/*: generic}}").await;
    for (number, path) in [(590, "/sub/ask/me"), (591, "/v1/chat/completions")] {
        let values = Values::of(number);
        let body = Schema::ChatStyle.request("echo", &values.to_string(), false);
        Client::post(&proxy.url(), path, &body).await;
        assert_masked(&mock, &values, path);
    }
}

/// Case P4: the path of the upstream's URL was dropped.
#[tokio::test]
async fn the_upstreams_path_precedes_the_clients() {
    let mock = Mock::start().await;
    for base in ["/openai/v1", "/openai/v1/"] {
        let proxy = Proxy::start(&format!("{}{base}", mock.url())).await;
        for path in ["/v1/chat/completions?a=1", "/chat/completions?a=1"] {
            let values = Values::of(595);
            let body = Schema::ChatStyle.request("echo", &values.to_string(), false);
            Client::post(&proxy.url(), path, &body).await;
            assert_masked(&mock, &values, path);
            assert_eq!(mock.last().target, "/openai/v1/chat/completions?a=1");
        }
        Client::get(&proxy.url(), "/v1/models").await;
        assert_eq!(mock.last().target, "/openai/v1/models");
    }
}

/// A key in the query is a credential like any other: never logged, and it identifies the owner of
/// a session.
#[tokio::test]
async fn a_key_in_the_query_is_a_credential() {
    let (mock, mut proxy) = pair("session: {strategy: client}").await;
    let values = Values::of(598);
    let body = json!({"contents": [{"parts": [{"text": values.to_string()}]}]});
    let session = async |key: &str| {
        let path = format!("/v1beta/models/g:generateContent?key={key}");
        let reply = Client::post(&proxy.url(), &path, &body).await;
        assert!(
            mock.last().target.ends_with(&format!("?key={key}")),
            "the provider needs it"
        );
        reply.header("x-mask-session").map(str::to_owned)
    };
    let first = session("hush-1").await;
    assert_eq!(session("hush-1").await, first);
    assert_ne!(session("hush-2").await, first);
    assert!(!proxy.audit_text().contains("hush"));
    proxy.stop().await;
    assert!(!proxy.printed().contains("hush"));
}

/// Signed thinking must come back unchanged: `rawPredict` carries a body of the messages format.
#[tokio::test]
async fn raw_predict_thinking_returns_as_signed() {
    let (mock, proxy) = pair("").await;
    let values = Values::of(599);
    let path = "/v1/publishers/anthropic/models/claude:rawPredict";
    let mut body = Schema::MessagesStyle.request("thinking", &values.to_string(), false);
    body["anthropic_version"] = "vertex-2023-10-16".into();
    let reply = Client::post(&proxy.url(), path, &body).await.json();
    let turns = body["messages"].as_array_mut().expect("turns");
    turns.push(json!({"role": "assistant", "content": reply["content"]}));
    turns.push(json!({"role": "user", "content": "go on"}));
    let reply = Client::post(&proxy.url(), path, &body).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    assert_masked(&mock, &values, path);
    assert_ne!(reply.json()["content"], Value::Null);
}

/// Answers that are fetched later came with tokens where the path was taken for a plain answer, or the first reply had no `id`.
#[tokio::test]
async fn answers_fetched_later_are_restored() {
    let values = Values::of(606);
    let messages = json!([{"role": "user", "content": values.email}]);
    let contents = json!([{"parts": [{"text": values.email}]}]);
    for (asked, body, fetched) in [
        (
            "/v1beta/models/g:batchGenerateContent",
            json!({"batch": {"requests": [{"request": {"contents": contents}}]}}),
            "/v1beta/",
        ),
        (
            "/api/paas/v4/async/chat/completions",
            json!({"model": "echo", "messages": messages}),
            "/api/paas/v4/async-result/",
        ),
        (
            "/v1/chat/completions",
            json!({"model": "echo", "deferred": true, "messages": messages}),
            "/v1/chat/deferred-completion/",
        ),
    ] {
        let (mock, proxy) = pair("").await;
        let reply = Client::post(&proxy.url(), asked, &body).await.json();
        assert_masked(&mock, &values, asked);
        let named = reply["name"].as_str().or(reply["id"].as_str());
        let fetched = format!("{fetched}{}", named.expect("a name"));
        let mut client = Client::connect(&proxy.url()).await;
        let reply = client.request("GET", &fetched, &[], b"").await.json();
        assert_eq!(
            reply["output"],
            format!("to {}", values.email),
            "{asked}, {fetched}"
        );
    }
}

/// A job's result is fetched elsewhere than it was asked for. Those paths had no route, so the tokens in it stayed.
#[tokio::test]
async fn job_results_are_restored_on_every_services_path() {
    let values = Values::of(607);
    let text = &values.email;
    let turn = json!({"role": "user", "content": text});
    let parts =
        json!({"role": "user", "messageId": "m-1", "parts": [{"kind": "text", "text": text}]});
    let call = |method: &str, params: Value| json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    for (asked, body, fetched, again) in [
        (
            "/v2/endpoint/run",
            json!({"input": {"prompt": text}}),
            "/v2/endpoint/status/job-7",
            Value::Null,
        ),
        (
            "/fal-ai/any-llm",
            json!({"prompt": text}),
            "/fal-ai/any-llm/requests/job-7",
            Value::Null,
        ),
        (
            "/v3/chat",
            json!({"bot_id": "b", "additional_messages": [turn]}),
            "/v3/chat/message/list?conversation_id=place-7&chat_id=job-7",
            Value::Null,
        ),
        (
            "/threads/t-7/runs",
            json!({"assistant_id": "a", "input": {"messages": [turn]}}),
            "/threads/t-7/runs/job-7/join",
            Value::Null,
        ),
        (
            "/runs",
            json!({"assistant_id": "a", "input": {"messages": [turn]}}),
            "/runs/job-7/join",
            Value::Null,
        ),
        (
            "/a2a",
            call("message/send", json!({"message": parts})),
            "/a2a",
            call("tasks/get", json!({"id": "task-7"})),
        ),
    ] {
        let token = Mutex::new(String::new());
        let provider = Service::start(move |body| {
            let sent = body.to_string();
            let mut token = token.lock().expect("unpoisoned");
            if let Some((_, found)) = sent.split_once("<MASK_EMAIL_") {
                let id = found.split('>').next().expect("an id");
                *token = format!("<MASK_EMAIL_{id}>");
                return Answer::json(&json!({"id": "job-7", "request_id": "job-7", "run_id": "job-7", "status": "queued",
                    "data": {"id": "job-7", "conversation_id": "place-7"}, "result": {"kind": "task", "id": "task-7"}}));
            }
            Answer::json(&json!({"output": format!("to {token}")}))
        })
        .await;
        let proxy = Proxy::start(&provider.url()).await;
        let reply = Client::post(&proxy.url(), asked, &body).await;
        assert_eq!(reply.status, 200, "{asked}: {}", reply.text());
        assert!(!provider.asked()[0].everything().contains(text), "{asked}");
        let reply = if again.is_null() {
            Client::get(&proxy.url(), fetched).await
        } else {
            Client::post(&proxy.url(), fetched, &again).await
        };
        assert_eq!(reply.json()["output"], format!("to {text}"), "{fetched}");
    }
}

/// Nothing said so, unless someone read the metrics.
#[tokio::test]
async fn tokens_left_in_a_reply_are_reported_once() {
    let (_mock, mut proxy) = pair("").await;
    for _ in 0..3 {
        let reply = Client::get(&proxy.url(), "/v1/predictions/pred_9").await;
        assert!(reply.text().contains("<MASK_EMAIL_1>"), "{}", reply.text());
    }
    proxy.stop().await;
    let printed = proxy.printed();
    let warning = "a reply has tokens that its session did not issue";
    assert_eq!(printed.matches(warning).count(), 1, "{printed}");
}

#[tokio::test]
async fn a_polled_result_uses_the_requesting_session() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("vault.db");
    let sqlite = format!("vault: {{type: sqlite, dsn: {}}}", path.display());
    let [own, other] = ["Bearer own", "Bearer other"].map(|value| [("authorization", value)]);
    for vault in ["vault: {type: memory}", &sqlite] {
        let (mock, proxy) = pair(vault).await;
        let values = Values::of(605);
        let send = async |method: &str, id: &str, headers: Headers<'_>, body: &str| {
            let mut client = Client::connect(&proxy.url()).await;
            let path = format!("/v1/predictions{id}");
            let reply = client.request(method, &path, headers, body.as_bytes());
            reply.await.json()
        };
        let body = json!({"input": {"prompt": values.email}}).to_string();
        send("POST", "", &own, &body).await;
        assert_masked(&mock, &values, "/v1/predictions");
        let polled = async |headers: Headers<'_>, id: &str| {
            send("GET", id, headers, "").await["output"].clone()
        };
        let restored = format!("to {}", values.email);
        assert_eq!(polled(&own, "/pred_1").await, restored, "{vault}");
        // The session belongs to who asked.
        assert_eq!(polled(&other, "/pred_1").await, "to <MASK_EMAIL_1>");
        assert_eq!(polled(&[], "/pred_1").await, "to <MASK_EMAIL_1>");
        assert_eq!(polled(&own, "/pred_2").await, "to <MASK_EMAIL_1>");
        assert_eq!(polled(&own, "/pred_1").await, restored, "{vault}");
    }
}
