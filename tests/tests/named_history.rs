//! References to conversations outside the members of a format, and values outside of bodies.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use tests::{Answer, Client, Mock, Proxy, ProxyOptions, Reply, Schema, Service, Values};

type Headers<'a> = &'a [(&'a str, &'a str)];

const KEY: (&str, &str) = ("authorization", "Bearer alice");

const GEMINI: &str = "/v1beta/models/m:generateContent";

async fn proxy(mock: &Mock, strategy: &str) -> Proxy {
    proxy_of(&mock.url(), strategy).await
}

async fn proxy_of(provider: &str, strategy: &str) -> Proxy {
    let options = ProxyOptions::default().env("MASK_SESSION_STRATEGY", strategy);
    Proxy::start_with(provider, &options).await
}

async fn post(proxy: &Proxy, target: &str, headers: Headers<'_>, body: &Value) -> Reply {
    let mut client = Client::connect(&proxy.url()).await;
    let body = body.to_string();
    let reply = client
        .request("POST", target, headers, body.as_bytes())
        .await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply
}

fn token(text: &str) -> Option<String> {
    let (_, rest) = text.rsplit_once("<MASK_EMAIL_")?;
    let (number, _) = rest.split_once('>')?;
    Some(format!("<MASK_EMAIL_{number}>"))
}

/// How a request identifies its conversation.
struct Naming {
    query: &'static str,
    header: Option<(&'static str, &'static str)>,
    members: Value,
}

fn in_text(json: &Value) -> Value {
    json.to_string().into()
}

/// Ways to name a conversation outside of the members of a format.
fn ways() -> Vec<Naming> {
    let naming = |query, header, members| Naming {
        query,
        header,
        members,
    };
    vec![
        naming("", Some(("x-conversation-id", "c")), json!({})),
        naming("", Some(("x-session-id", "c")), json!({})),
        naming("", Some(("mcp-session-id", "c")), json!({})),
        naming("", Some(("cookie", "a=b; JSESSIONID=c")), json!({})),
        naming("?sid=c", None, json!({})),
        naming("?thread=c", None, json!({})),
        naming("", None, json!({"session": "c"})),
        naming("", None, json!({"SESSION_ID": "c"})),
        naming("", None, json!({"thread_uuid": "c"})),
        naming("", None, json!({"session_ids": ["c"]})),
        naming("", None, json!({"session": {"uuid": "c"}})),
        naming("", None, json!({"bot": "c"})),
        naming("", None, json!({"memory_id": "c"})),
        naming("", None, json!({"parentMessageId": "c"})),
        naming("", None, json!({"metadata": {"session_id": "c"}})),
        naming("", Some(("cookie", "CFID=1; CFTOKEN=c")), json!({})),
        naming("", Some(("cookie", "connect.sid=c")), json!({})),
        naming("?x=1;jsessionid=c", None, json!({})),
        naming("?x=1%3Bsession_id%3Dc", None, json!({})),
        naming("?runId=c", None, json!({})),
        naming("?continuation=c", None, json!({})),
        naming("", Some(("x-previous-response-id", "c")), json!({})),
        naming("", Some(("x-context-id", "c")), json!({})),
        naming("", Some(("x-run-id", "c")), json!({})),
        naming(
            "",
            None,
            json!({"session_params": {"id": "c", "rid": null}}),
        ),
        naming("", None, json!({"parameters": {"sequence_id": 7}})),
        naming("", None, json!({"extra": [{"session_id": "c"}]})),
        naming("", None, json!({"instances": [{"session_id": "c"}]})),
        naming(
            "",
            None,
            json!({"inputs": [{"name": "session_id", "data": ["c"]}]}),
        ),
        naming("", None, json!({"previous_request_id": "c"})),
        naming("", None, json!({"continuation_token": "c"})),
        naming("", None, json!({"previous_response": "c"})),
        naming("", None, json!({"reply_to": "c"})),
        naming("", None, json!({"fork_from": "c"})),
        naming("", None, json!({"cursor": "c"})),
        naming("", None, json!({"state": "c"})),
        naming("", None, json!({"uuid": "c"})),
        // What an MCP server was told, another conversation may read there.
        naming(
            "",
            None,
            json!({"mcp_servers": [{"type": "url", "name": "n", "url": "https://n.example/"}]}),
        ),
        naming(
            "",
            None,
            json!({"tools": [{"type": "mcp", "server_label": "n", "server_url": "https://n.example/"}]}),
        ),
        naming(
            "",
            None,
            json!({"metadata": in_text(&json!({"session_id": "c"}))}),
        ),
        naming(
            "",
            None,
            json!({"metadata": {"context": in_text(&json!({"session": {"id": "c"}}))}}),
        ),
    ]
}

/// On usual paths only the members of the format were read, so an old token came back as a new
/// value.
#[tokio::test]
async fn conversation_ids_outside_the_format_never_mix_values() {
    let mock = Mock::start().await;
    let ways = ways();
    for strategy in ["ephemeral", "client", "conversation"] {
        let proxy = proxy(&mock, strategy).await;
        for (at, way) in ways.iter().enumerate() {
            for (number, schema) in (0..).zip(Schema::ALL) {
                // Each way and format is another client with another conversation.
                let client = format!("Bearer {strategy} {at} {number}");
                let headers = [Some(("authorization", &*client)), way.header];
                let headers: Vec<_> = headers.into_iter().flatten().collect();
                let target = format!("{}{}", schema.path(), way.query);
                let streams = (at + number) % 2 == 1;
                let mut seen = None;
                for value in [821, 822].map(|number| Values::of(number).email) {
                    let says = seen.clone().unwrap_or_else(|| "ok".to_owned());
                    let model = format!("says/{says}");
                    let mut body = schema.request(&model, &format!("write to {value}"), streams);
                    for (name, member) in way.members.as_object().into_iter().flatten() {
                        body[name] = member.clone();
                    }
                    let reply = post(&proxy, &target, &headers, &body).await;
                    let answer = schema.reply_text(&reply.text());
                    assert!(
                        !answer.contains(&value),
                        "{strategy} {target} {body}: {answer}"
                    );
                    let mut sent = mock.last().json();
                    sent["model"].take();
                    seen = token(&sent.to_string());
                    assert!(seen.is_some(), "{sent}");
                }
            }
        }
    }
}

/// A list shows content of any conversation, so with a lasting session an old token came back as another value.
#[tokio::test]
async fn listed_conversations_never_restore_a_wrong_value() {
    let listed = json!({"object": "list", "data": [{"id": "x", "content": "to <MASK_EMAIL_1>"}]});
    let provider = Service::start(move |_| Answer::json(&listed)).await;
    let bob = Values::of(833).email;
    for strategy in ["ephemeral", "client", "conversation"] {
        let proxy = proxy_of(&provider.url(), strategy).await;
        for headers in [&[KEY][..], &[KEY, ("x-mask-session", "team")]] {
            let body = Schema::ChatStyle.request("m", &bob, false);
            post(&proxy, Schema::ChatStyle.path(), headers, &body).await;
            for target in ["/v1/chat/completions?limit=9", "/v1/evals", "/v1/videos"] {
                let mut client = Client::connect(&proxy.url()).await;
                let reply = client.request("GET", target, headers, b"").await.text();
                assert!(
                    reply.contains("to <MASK_EMAIL_1>"),
                    "{strategy} {target}: {reply}"
                );
            }
        }
    }
}

/// Session ids were sent under one token, whoever they belonged to, and so the sessions became one.
#[tokio::test]
async fn masking_session_ids_does_not_merge_sessions() {
    let mock = Mock::start().await;
    let proxy = proxy(&mock, "ephemeral").await;
    for name in [
        "sessionKey",
        "session_uuid",
        "conversationToken",
        "threadKey",
    ] {
        let mut seen = Vec::new();
        for id in [
            "3f2b8c1e-9a4d-4e6f-8b7a-1c2d3e4f5a6b",
            "7d9e0f1a-2b3c-4d5e-9f8a-6b7c8d9e0f1a",
        ] {
            let mut body = Schema::ChatStyle.request("echo", "hello", false);
            body[name] = id.into();
            post(&proxy, Schema::ChatStyle.path(), &[KEY], &body).await;
            seen.push(mock.last().json()[name].clone());
        }
        assert_ne!(seen[0], seen[1], "{name}");
    }
}

/// Audio that a model produced is history by its id.
#[tokio::test]
async fn audio_history_never_restores_a_wrong_value() {
    let mock = Mock::start().await;
    let proxy = proxy(&mock, "ephemeral").await;
    let bob = Values::of(824).email;
    let mut body = Schema::ChatStyle.request("says/<MASK_EMAIL_1>", &bob, false);
    let spoken = json!({"role": "assistant", "audio": {"id": "audio_1"}});
    body["messages"]
        .as_array_mut()
        .expect("messages")
        .insert(0, spoken);
    let reply = post(&proxy, Schema::ChatStyle.path(), &[KEY], &body).await;
    let answer = Schema::ChatStyle.reply_text(&reply.text());
    assert_eq!(answer, "<MASK_EMAIL_1>");
}

/// Items that stand for others let an old token come back as a new value.
#[tokio::test]
async fn placeholder_items_never_restore_a_wrong_value() {
    let mock = Mock::start().await;
    let proxy = proxy(&mock, "ephemeral").await;
    let bob = Values::of(825).email;
    for item in [
        json!({"type": "web_search_call", "id": "ws_1"}),
        json!({"type": "shell_call", "id": "sh_1", "status": "completed"}),
        json!({"type": "message", "id": "msg_1", "role": "assistant", "content": []}),
        json!({"id": "msg_1"}),
    ] {
        let body = json!({"model": "says/<MASK_EMAIL_1>", "input": [item, {"role": "user", "content": bob}]});
        let reply = post(&proxy, Schema::Responses.path(), &[KEY], &body).await;
        let answer = Schema::Responses.reply_text(&reply.text());
        assert_eq!(answer, "<MASK_EMAIL_1>", "{body}");
    }
}

/// A value stayed a token for the rest of the conversation once a file had been attached.
#[tokio::test]
async fn an_uploaded_file_does_not_make_history_unknown() {
    let number = AtomicUsize::new(0);
    let provider = Service::start(move |request| {
        if request.is_null() {
            return Answer::json(&json!({"id": "file-1", "object": "file"}));
        }
        let id = format!("resp_{}", number.fetch_add(1, Ordering::Relaxed));
        let text = json!({"type": "output_text", "text": "to <MASK_EMAIL_1>"});
        let item = json!({"type": "message", "id": format!("msg_{id}"), "role": "assistant", "content": [text]});
        Answer::json(
            &json!({"id": id, "object": "response", "status": "completed", "output": [item]}),
        )
    });
    let provider = provider.await;
    let alice = Values::of(851).email;
    let ask = |file: Option<&str>, before: Option<&str>| {
        let file = file.map(|file| json!({"type": "input_file", "file_id": file}));
        let text =
            json!({"type": "input_text", "text": if before.is_none() { &alice } else { "and?" }});
        let parts: Vec<_> = [text].into_iter().chain(file).collect();
        json!({"model": "m", "input": [{"role": "user", "content": parts}], "previous_response_id": before})
    };
    for strategy in ["ephemeral", "client", "conversation"] {
        let proxy = proxy_of(&provider.url(), strategy).await;
        let form = "multipart/form-data; boundary=x";
        let headers = [KEY, ("content-type", form), ("accept-encoding", "gzip")];
        let body = b"--x\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a.pdf\"\r\n\r\n\x00\r\n--x--\r\n";
        let mut client = Client::connect(&proxy.url()).await;
        client.request("POST", "/v1/files", &headers, body).await;
        assert_eq!(
            provider
                .asked()
                .last()
                .expect("an upload")
                .header("accept-encoding"),
            Some("identity")
        );

        let mut before = None;
        for file in [None, Some("file-1"), None, Some("file-unknown")] {
            let body = ask(file, before.as_deref());
            let reply = post(&proxy, Schema::Responses.path(), &[KEY], &body).await;
            let text = reply.text();
            let is_known = file != Some("file-unknown");
            assert_eq!(
                text.contains(&alice),
                is_known,
                "{strategy} {file:?}: {text}"
            );
            before = reply.json()["id"].as_str().map(str::to_owned);
        }
    }
}

/// A run reads the thread together with its assistant, which may remember others, so a counted token stayed.
#[tokio::test]
async fn a_thread_continues_from_its_initial_message() {
    let seen = Mutex::new(String::new());
    let provider = Service::start(move |request| {
        let mut seen = seen.lock().expect("unpoisoned");
        if let Some(token) = token(&request.to_string()) {
            *seen = token;
            return Answer::json(&json!({"id": "thread_1", "object": "thread"}));
        }
        let text = json!({"value": format!("to {seen}")});
        Answer::json(
            &json!({"id": "run_1", "object": "thread.run", "thread_id": "thread_1", "said": text}),
        )
    });
    let provider = provider.await;
    let alice = Values::of(852).email;
    for strategy in ["ephemeral", "client", "conversation"] {
        let proxy = proxy_of(&provider.url(), strategy).await;
        let begun = json!({"messages": [{"role": "user", "content": alice}]});
        post(&proxy, "/v1/threads", &[KEY], &begun).await;
        let run = json!({"assistant_id": "asst_1"});
        let reply = post(&proxy, "/v1/threads/thread_1/runs", &[KEY], &run).await;
        assert!(
            reply.text().contains(&alice),
            "{strategy}: {}",
            reply.text()
        );
    }
}

/// A provider whose model writes the token that it is told to a file, in the format that the model's name says, and
/// reads the file to whoever attaches it.
async fn scribe() -> Service {
    let written = Mutex::new(String::new());
    Service::start(move |request| {
        let mut written = written.lock().expect("unpoisoned");
        let reads = request.to_string().contains("file_of_model");
        if !reads {
            *written = token(&request.to_string()).expect("a token");
        }
        let answer = if reads { &*written } else { "written" };
        let streams = request["stream"] == true;
        match request["model"].as_str().unwrap_or_default() {
            "messages" => {
                let output = json!({"type": "bash_code_execution_result", "stdout": "", "stderr": "", "return_code": 0,
                    "content": [{"type": "bash_code_execution_output", "file_id": "file_of_model"}]});
                let result = json!({"type": "bash_code_execution_tool_result", "tool_use_id": "s", "content": output});
                if !streams {
                    return Answer::json(&json!({"id": "m", "type": "message", "role": "assistant",
                        "content": [result, {"type": "text", "text": answer}], "stop_reason": "end_turn"}));
                }
                Answer::events(&[
                    json!({"type": "message_start", "message": {"id": "m", "type": "message", "role": "assistant", "content": []}}),
                    json!({"type": "content_block_start", "index": 0, "content_block": result}),
                    json!({"type": "content_block_stop", "index": 0}),
                    json!({"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}}),
                    json!({"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": answer}}),
                    json!({"type": "content_block_stop", "index": 1}),
                    json!({"type": "message_stop"}),
                ])
            }
            "responses" => {
                let citation = json!({"type": "container_file_citation", "container_id": "c", "file_id": "file_of_model"});
                let part = json!({"type": "output_text", "text": answer, "annotations": [citation]});
                let item = json!({"type": "message", "id": "msg", "role": "assistant", "content": [part]});
                let response = json!({"id": "r", "object": "response", "status": "completed", "output": [item]});
                if !streams {
                    return Answer::json(&response);
                }
                let place = json!({"item_id": "msg", "output_index": 0, "content_index": 0});
                let mut delta = place.clone();
                delta["type"] = "response.output_text.delta".into();
                delta["delta"] = answer.into();
                let mut annotation = place;
                annotation["type"] = "response.output_text.annotation.added".into();
                annotation["annotation"] = citation;
                let completed = json!({"type": "response.completed", "response": response});
                Answer::events(&[delta, annotation, completed])
            }
            _ => {
                let parts = json!([{"text": answer}, {"fileData": {"mimeType": "text/plain", "fileUri": "file_of_model"}}]);
                Answer::json(&json!({"candidates": [{"index": 0, "content": {"role": "model", "parts": parts}}]}))
            }
        }
    })
    .await
}

/// A request, with the file attached if one is named.
fn asks_scribe(way: &str, text: &str, file: Option<&str>, streams: bool) -> Value {
    if way == "gemini" {
        let file =
            file.map(|file| json!({"fileData": {"mimeType": "text/plain", "fileUri": file}}));
        let parts: Vec<_> = [json!({"text": text})].into_iter().chain(file).collect();
        return json!({"model": way, "contents": [{"role": "user", "parts": parts}]});
    }
    if way == "responses" {
        let file = file.map(|file| json!({"type": "input_file", "file_id": file}));
        let text = json!({"type": "input_text", "text": text});
        let parts: Vec<_> = [text].into_iter().chain(file).collect();
        return json!({"model": way, "stream": streams, "store": false, "input": [{"role": "user", "content": parts}]});
    }
    let file = file.map(|file| match way {
        "upload" => json!({"type": "container_upload", "file_id": file}),
        _ => json!({"type": "document", "source": {"type": "file", "file_id": file}}),
    });
    let text = json!({"type": "text", "text": text});
    let parts: Vec<_> = [text].into_iter().chain(file).collect();
    json!({"model": "messages", "max_tokens": 9, "stream": streams, "messages": [{"role": "user", "content": parts}]})
}

fn path_of(way: &str) -> &'static str {
    match way {
        "gemini" => GEMINI,
        "responses" => Schema::Responses.path(),
        _ => Schema::MessagesStyle.path(),
    }
}

/// Who attached it with another address got that address in place of the one in the file.
#[tokio::test]
async fn a_file_from_the_model_never_restores_a_wrong_value() {
    let provider = scribe().await;
    let [alice, bob] = [831, 832].map(|number| Values::of(number).email);
    for strategy in ["ephemeral", "client", "conversation"] {
        for way in ["upload", "document", "responses", "gemini"] {
            for streams in [false, true] {
                let before = proxy_of(&provider.url(), strategy).await;
                let write = asks_scribe(way, &format!("write {alice}"), None, streams);
                post(&before, path_of(way), &[KEY], &write).await;
                let read = asks_scribe(way, &format!("I am {bob}"), Some("file_of_model"), streams);
                let reply = post(&before, path_of(way), &[KEY], &read).await.text();
                assert!(
                    reply.contains(&alice) && !reply.contains(&bob),
                    "{strategy} {way}: {reply}"
                );

                // One that did not see the file, as after a restart.
                let after = proxy_of(&provider.url(), strategy).await;
                let reply = post(&after, path_of(way), &[KEY], &read).await.text();
                assert!(
                    reply.contains("MASK_EMAIL_") && !reply.contains(&bob),
                    "{strategy} {way}: {reply}"
                );
                // It may as well be an upload.
                let metrics = after.metrics().await;
                assert!(
                    metrics.contains("mask_unknown_histories_total 0"),
                    "{metrics}"
                );
            }
        }
    }
}

/// Values in the query of a masked path, later also in place of a parameter's name, were sent
/// unmasked.
#[tokio::test]
async fn values_in_a_query_are_masked() {
    let mock = Mock::start().await;
    let proxy = proxy(&mock, "ephemeral").await;
    let email = Values::of(823).email;
    let answer = format!("to {email}");
    let body = Schema::ChatStyle.request("echo", &answer, false);
    let encoded = email.replace('@', "%40");
    let query =
        format!("api-version=2026-01-01&q=ask+{encoded}&{encoded}=1&code=hush-{encoded}&{email}");
    let target = format!("{}?{query}", Schema::ChatStyle.path());
    let reply = post(&proxy, &target, &[KEY], &body).await;
    assert_eq!(Schema::ChatStyle.reply_text(&reply.text()), answer);
    let sent = mock.last().target;
    let expected = format!(
        "{}?api-version=2026-01-01&q=ask%20%3CMASK_EMAIL_1%3E&%3CMASK_EMAIL_1%3E=1&code=hush-{encoded}&%3CMASK_EMAIL_1%3E",
        Schema::ChatStyle.path()
    );
    assert_eq!(sent, expected);
}
