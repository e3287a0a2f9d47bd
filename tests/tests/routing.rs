//! Requests are masked however their path, method and body are written.

use serde_json::json;
use tests::{Client, Mock, Proxy, Reply, Schema, Values};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

async fn pair() -> (Mock, Proxy) {
    let mock = Mock::start().await;
    let proxy = Proxy::start(&mock.url()).await;
    (mock, proxy)
}

/// Cases 125, 126 and 130: a server may take each of these for a routed path.
#[tokio::test]
async fn every_spelling_of_a_routed_path_is_masked() {
    let (mock, proxy) = pair().await;
    let values = Values::of(11);
    let body = Schema::MessagesStyle
        .request("echo", &values.to_string(), false)
        .to_string();
    let spellings = [
        "/v1/messages",
        "/v1/messages?beta=true",
        "/v1/messages?",
        "/v1/messages/",
        "/v1/messages//",
        "//v1//messages",
        "/v1/./messages",
        "/v1/messages/.",
        "/v1/x/../messages",
        "/v1/messages/x/..",
        "/../v1/messages",
        "/v1/%6dessages",
        "/%761/messages",
        "/v1/%2e/messages",
        "/v1/%2E%2E/v1/messages",
        "/v1/x/%2e%2e/messages",
        "/v1%2fmessages",
        "/v1/messages%2F",
        "/v1/messages%3Fx",
        "/V1/Messages",
        "/v1/v1/messages",
        "/v1/messages#x",
        "/v1/messages/count_tokens",
        "/v1//messages/./count_tokens/",
        "/v1/chat/completions/",
        "/chat/./completions",
        "/responses",
        "//responses/",
        "/v1/responses/input_tokens",
        "/responses/compact?x=/../y",
    ];
    let mut leaked = Vec::new();
    for path in spellings {
        let before = mock.requests().len();
        let mut client = Client::connect(&proxy.url()).await;
        client.request("POST", path, &[], body.as_bytes()).await;
        for seen in &mock.requests()[before..] {
            if !values.found_in(&seen.everything()).is_empty() {
                leaked.push(path);
            }
            let same = seen.target == path || path.contains('#');
            assert!(same, "{path} was forwarded as {}", seen.target);
        }
    }
    assert!(leaked.is_empty(), "unmasked: {leaked:?}");
}

/// Nobody heard that a value in the head of a masked request reached the provider.
#[tokio::test]
async fn values_in_paths_and_headers_are_reported_and_counted() {
    let (mock, mut proxy) = pair().await;
    let body = Schema::ChatStyle
        .request("echo", "hello", false)
        .to_string();
    for (path, headers) in [
        ("/v1/users/alice@example.com/chat/completions", &[][..]),
        ("/v1/users/alice%40example.com/chat/completions", &[]),
        ("/v1/projects/p-412345/chat/completions", &[]),
        (
            "/v1/chat/completions",
            &[("x-user-email", "bob@example.com")],
        ),
    ] {
        let mut client = Client::connect(&proxy.url()).await;
        let reply = client.request("POST", path, headers, body.as_bytes()).await;
        assert_eq!(reply.status, 200, "{path}");
        assert_eq!(mock.last().target, path);
    }
    // Nobody heard of headers on paths without a route, and of encoded ones.
    let mut client = Client::connect(&proxy.url()).await;
    let baggage = [
        ("baggage", "user=dora%40example.com"),
        ("x-webui-user-name", "Emil"),
        ("x-codex-turn-metadata", "{\"by\": \"frida@example.com\"}"),
    ];
    client.request("GET", "/v1/models", &baggage, b"").await;
    Client::get(&proxy.url(), "/v1/lists?q=carol%40example.com&limit=2").await;
    Client::get(&proxy.url(), "/v1/lists?limit=2").await;
    let metrics = proxy.metrics().await;
    for line in [
        "mask_unmasked_heads_total{place=\"path\"} 3\n",
        "mask_unmasked_heads_total{place=\"header\"} 2\n",
    ] {
        assert!(metrics.contains(line), "{metrics}");
    }
    proxy.stop().await;
    let printed = proxy.printed();
    let seen = printed.matches("holds a value").count();
    assert_eq!(seen, 2, "{printed}");
    assert!(
        printed.contains("/v1/users/[EMAIL]/chat/completions"),
        "{printed}"
    );
    for header in ["baggage", "x-webui-user-name", "x-codex-turn-metadata"] {
        assert!(printed.contains(header), "{printed}");
    }
    for value in ["alice", "bob@", "carol", "dora", "Emil", "frida"] {
        assert!(!printed.contains(value), "{printed}");
    }
}

#[tokio::test]
async fn a_request_in_absolute_form_is_masked() {
    let (mock, proxy) = pair().await;
    let values = Values::of(12);
    let body = Schema::ChatStyle
        .request("echo", &values.to_string(), false)
        .to_string();
    let target = format!("{}/v1/chat/completions", proxy.url());
    Client::connect(&proxy.url())
        .await
        .request("POST", &target, &[], body.as_bytes())
        .await;
    for seen in mock.requests() {
        assert_eq!(values.found_in(&seen.everything()), [""; 0]);
    }
}

#[tokio::test]
async fn a_routed_body_is_masked_whatever_its_method_and_type() {
    let (mock, proxy) = pair().await;
    let values = Values::of(13);
    let body = Schema::ChatStyle
        .request("echo", &values.to_string(), false)
        .to_string();
    for method in ["POST", "PUT", "PATCH", "DELETE", "QUERY"] {
        for kind in [
            "application/json",
            "text/plain",
            "application/x-www-form-urlencoded",
            "image/png",
        ] {
            let mut client = Client::connect(&proxy.url()).await;
            let headers = [("content-type", kind)];
            let reply = client
                .request(method, "/v1/chat/completions", &headers, body.as_bytes())
                .await;
            assert_eq!(reply.status, 200, "{method} {kind}");
            assert_eq!(
                values.found_in(&mock.last().everything()),
                [""; 0],
                "{method} {kind}"
            );
            assert!(reply.text().contains(&values.email), "{method} {kind}");
        }
    }
}

/// Case 145.
#[tokio::test]
async fn a_chunked_body_is_masked_and_gets_a_length() {
    let (mock, proxy) = pair().await;
    let values = Values::of(14);
    let body = Schema::ChatStyle
        .request("echo", &values.to_string(), false)
        .to_string();
    let (front, back) = body.split_at(body.find("@corp").expect("an address"));
    let mut client = Client::connect(&proxy.url()).await;
    let head =
        "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
    let chunks = format!(
        "{:x}\r\n{front}\r\n{:x}\r\n{back}\r\n0\r\nx-trailer: 1\r\n\r\n",
        front.len(),
        back.len()
    );
    client.write((head.to_owned() + &chunks).as_bytes()).await;
    assert!(client.reply("POST").await.text().contains(&values.email));
    let seen = mock.last();
    assert_eq!(values.found_in(&seen.everything()), [""; 0]);
    assert_eq!(
        seen.header("content-length"),
        Some(seen.body.len().to_string().as_str())
    );
    assert_eq!(seen.header("transfer-encoding"), None);
}

type Headers<'a> = &'a [(&'a str, &'a str)];

/// Heads that two servers read in two ways must not carry a second, unmasked request past the proxy.
#[tokio::test]
async fn ambiguous_framing_cannot_smuggle_a_request() {
    let (mock, proxy) = pair().await;
    let values = Values::of(17);
    let hidden = format!("POST /mirror HTTP/1.1\r\nHost: x\r\nContent-Length: 60\r\n\r\n{values}");
    let body = Schema::ChatStyle
        .request("echo", &hidden, false)
        .to_string();
    let length = body.len();
    let heads = [
        format!("Content-Length: {length}\r\nTransfer-Encoding: chunked\r\n"),
        format!("Content-Length: 4\r\nContent-Length: {length}\r\n"),
        format!("Content-Length: {length}, {length}\r\n"),
        format!("Content-Length: +{length}\r\n"),
        "Transfer-Encoding: chunked, identity\r\n".to_owned(),
        "Transfer-Encoding: xchunked\r\n".to_owned(),
        "Transfer-Encoding : chunked\r\n".to_owned(),
        format!("Content-Length: {length}\r\nX: y\r\n Transfer-Encoding: chunked\r\n"),
    ];
    for head in heads {
        for framed in [format!("{length:x}\r\n{body}\r\n0\r\n\r\n"), body.clone()] {
            let mut client = Client::connect(&proxy.url()).await;
            let start = "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nConnection: close\r\n";
            client
                .write(format!("{start}{head}\r\n{framed}").as_bytes())
                .await;
            let answered = client.reply("POST");
            let _ = tokio::time::timeout(std::time::Duration::from_secs(1), answered).await;
        }
    }
    for seen in mock.requests() {
        assert_eq!(
            values.found_in(&seen.everything()),
            [""; 0],
            "{}",
            seen.everything()
        );
        assert_ne!(seen.target, "/mirror");
    }
}

#[tokio::test]
async fn pipelined_requests_are_answered_in_order() {
    let (_mock, proxy) = pair().await;
    let mut client = Client::connect(&proxy.url()).await;
    let texts = [18, 19, 20].map(|number| Values::of(number).to_string());
    for text in &texts {
        let body = Schema::ChatStyle.request("echo", text, false).to_string();
        client
            .send("POST", "/v1/chat/completions", &[], body.as_bytes())
            .await;
    }
    for text in &texts {
        let reply = client.reply("POST").await;
        assert_eq!(&Schema::ChatStyle.reply_text(&reply.text()), text);
    }
}

#[tokio::test]
async fn pipelined_streams_are_answered_in_order() {
    let (_mock, proxy) = pair().await;
    let mut client = Client::connect(&proxy.url()).await;
    let texts = [22, 23, 24].map(|number| Values::of(number).to_string());
    for text in &texts {
        let body = Schema::MessagesStyle
            .request("echo/3", text, true)
            .to_string();
        client
            .send("POST", "/v1/messages", &[], body.as_bytes())
            .await;
    }
    for text in &texts {
        let reply = client.reply("POST").await;
        assert_eq!(&Schema::MessagesStyle.reply_text(&reply.text()), text);
    }
}

/// Old clients end a body with an empty line that does not belong to it, and a client may have begun
/// its next request.
#[tokio::test]
async fn a_reply_is_not_delayed_by_extra_client_bytes() {
    let (_mock, proxy) = pair().await;
    let text = Values::of(21).to_string();
    let body = Schema::ChatStyle.request("echo", &text, false).to_string();
    for more in ["\r\n", "POST /v1/chat/comp"] {
        let mut client = Client::connect(&proxy.url()).await;
        client
            .send("POST", "/v1/chat/completions", &[], body.as_bytes())
            .await;
        client.write(more.as_bytes()).await;
        let reply = client.reply("POST").await;
        assert_eq!(
            Schema::ChatStyle.reply_text(&reply.text()),
            text,
            "{more:?}"
        );
    }
}

/// Whatever can't be masked is answered with a code, and the provider is never asked.
#[tokio::test]
async fn a_body_that_cannot_be_masked_is_refused_and_never_forwarded() {
    let (mock, proxy) = pair().await;
    let email = Values::of(15).email;
    let utf16: Vec<u8> = json!({"input": email})
        .to_string()
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let deep = format!(
        "{{\"messages\":{}\"{email}\"{}}}",
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    let gzip = b"\x1f\x8b\x08\x00 no json".to_vec();
    let whole = json!({"messages": [{"role": "user", "content": email}]})
        .to_string()
        .into_bytes();
    let cases: [(&str, Headers, Vec<u8>); 13] = [
        ("an array", &[], format!("[\"{email}\"]").into()),
        ("a string", &[], format!("\"{email}\"").into()),
        ("a number", &[], "17".into()),
        ("a form", &[], format!("mail={email}").into()),
        ("cut off", &[], format!("{{\"a\": \"{email}").into()),
        (
            "two documents",
            &[],
            format!("{{}}{{\"a\": \"{email}\"}}").into(),
        ),
        ("a comment", &[], format!("{{}} // {email}").into()),
        ("invalid UTF-8", &[], b"{\"a\": \"\xff\xfe\"}".to_vec()),
        ("UTF-16", &[], utf16),
        ("too deep", &[], deep.into()),
        ("gzip, unsaid", &[], gzip.clone()),
        ("gzip", &[("content-encoding", "gzip")], gzip),
        ("zstd", &[("content-encoding", "zstd")], whole.clone()),
    ];
    for (name, headers, body) in cases {
        for schema in Schema::ALL {
            let mut client = Client::connect(&proxy.url()).await;
            let reply = client.request("POST", schema.path(), headers, &body).await;
            assert_eq!(reply.status, 400, "{name}");
            check_error(&reply, "mask_invalid_request", name);
            assert!(
                !reply.text().contains(&email),
                "{name}: the request is quoted"
            );
        }
    }
    let mut client = Client::connect(&proxy.url()).await;
    let padded = [b"{\"a\":\"".to_vec(), vec![b'x'; 65 << 20], b"\"}".to_vec()].concat();
    let reply = client.request("POST", "/v1/messages", &[], &padded).await;
    assert_eq!(reply.status, 413);
    check_error(&reply, "mask_request_too_large", "too large");
    assert_eq!(mock.requests().len(), 0);
    assert_eq!(proxy.audited("proxy.error", 40).await.len(), 40);
}

fn check_error(reply: &Reply, code: &str, name: &str) {
    let body = reply.json();
    let message = body["error"]["message"].as_str().expect(name);
    let request = body["request_id"].as_str().expect(name);
    assert_eq!(body["type"], "error");
    assert_eq!(
        (&body["error"]["type"], &body["error"]["code"]),
        (&json!(code), &json!(code))
    );
    assert!(
        message.starts_with(code) && message.ends_with(request),
        "{message}"
    );
    assert!(
        request.len() == 16 && request.starts_with("req_"),
        "{request}"
    );
    assert_eq!(reply.header("x-should-retry"), Some("false"), "{name}");
}

#[tokio::test]
async fn odd_but_valid_bodies_pass_masked() {
    let (mock, proxy) = pair().await;
    let email = Values::of(16).email;
    let bodies = [
        String::new(),
        "{}".to_owned(),
        format!(
            "\u{feff}{{\"model\":\"echo\",\"messages\":[{{\"role\":\"user\",\"content\":\"{email}\"}}]}}"
        ),
        format!(r#"{{"model":"echo","messages":[{{"role":"user","content":"\ud800 {email}"}}]}}"#),
        format!(
            r#"{{"messages":[],"messages":[{{"role":"user","content":"{email}"}}],"model":"echo"}}"#
        ),
        format!(
            r#"{{"model":"echo","messages":[{{"role":"user","content":"a"}},{{"content":"{email}","content":"b"}}]}}"#
        ),
        format!(
            r#"{{"model":"echo","messages":[{{"role":"user","content":{{"text":"{email}","deep":[1,"{email}",null]}}}}]}}"#
        ),
    ];
    for body in bodies {
        let mut client = Client::connect(&proxy.url()).await;
        let reply = client
            .request("POST", "/v1/chat/completions", &[], body.as_bytes())
            .await;
        // This provider accepts no lone surrogates and no empty bodies.
        assert!(
            [200, 400].contains(&reply.status),
            "{body}: {}",
            reply.text()
        );
    }
    for seen in mock.requests() {
        assert!(!seen.text().contains(&email), "{}", seen.text());
    }
}

#[tokio::test]
async fn other_paths_pass_unchanged_both_ways() {
    let (mock, proxy) = pair().await;
    let body: Vec<u8> = (0..3_000_000_u32).flat_map(u32::to_le_bytes).collect();
    let mut client = Client::connect(&proxy.url()).await;
    let headers = [
        ("content-type", "application/x-own"),
        ("accept-encoding", "x-own, gzip"),
    ];
    let reply = client
        .request("PUT", "/mirror?a=%2F&flag&b=x%20y+z", &headers, &body)
        .await;
    assert!(reply.body == body, "{} bytes came back", reply.body.len());
    assert_eq!(reply.header("content-length"), Some("12000000"));
    let seen = mock.last();
    assert_eq!(seen.target, "/mirror?a=%2F&flag&b=x%20y+z");
    assert_eq!(seen.header("accept-encoding"), Some("x-own, gzip"));
    assert!(seen.body == body);

    let answer = Client::connect(&proxy.url())
        .await
        .request("POST", "/gzip", &[], b"as it is")
        .await;
    assert_eq!(
        (answer.text().as_str(), answer.header("content-encoding")),
        ("as it is", Some("gzip"))
    );

    let hang_up = Client::get(&proxy.url(), "/hang-up").await;
    assert!(hang_up.failed_honestly(), "{hang_up:?}");
    assert_eq!(proxy.audited("proxy.passthrough", 3).await.len(), 3);
    assert_eq!(proxy.audit_text().matches("session.created").count(), 0);
}

#[tokio::test]
async fn head_redirects_and_empty_replies_are_relayed() {
    let (_mock, proxy) = pair().await;
    let get = async |method: &str, path: &str| {
        Client::connect(&proxy.url())
            .await
            .request(method, path, &[], b"")
            .await
    };
    let head = get("HEAD", "/api/hello").await;
    assert_eq!((head.status, head.body.len()), (200, 0));
    assert!(
        head.header("content-length")
            .is_some_and(|length| length != "0"),
        "{:?}",
        head.headers
    );
    assert_eq!(get("HEAD", "/v1/messages").await.body.len(), 0);

    let redirect = get("GET", "/redirect").await;
    assert_eq!(
        (redirect.status, redirect.header("location")),
        (302, Some("http://elsewhere.example/x"))
    );
    assert_eq!(get("GET", "/status/204").await.status, 204);
    assert_eq!(get("GET", "/status/404").await.status, 404);
    assert_eq!(
        get("OPTIONS", "/v1/models").await.json()["method"],
        "OPTIONS"
    );
}

/// A client followed the redirect to the provider itself, and sent it the prompt as it was.
#[tokio::test]
async fn a_redirect_does_not_bypass_the_proxy() {
    for (status, location, expected) in [
        (
            307,
            "{own}/v1/chat/completions?a=b",
            Some("/v1/chat/completions?a=b"),
        ),
        (308, "{own}", Some("/")),
        (
            302,
            "http://elsewhere.example/x",
            Some("http://elsewhere.example/x"),
        ),
        (307, "http://elsewhere.example/x", None),
        (308, "https://{host}/v1/chat/completions", None),
    ] {
        let provider = redirecting(status, location).await;
        let proxy = Proxy::start(&provider).await;
        let request = Schema::ChatStyle.request("echo", "alice@example.com", false);
        let reply = Client::post(&proxy.url(), "/v1/chat/completions/", &request).await;
        if let Some(path) = expected {
            let found = (reply.status, reply.header("location"));
            assert_eq!(found, (status, Some(path)), "{location}");
        } else {
            assert_eq!(reply.status, 502, "{location}");
            assert_eq!(reply.header("location"), None);
            assert!(reply.text().contains("--upstream"), "{}", reply.text());
        }
    }
}

/// A provider that answers everything with a redirect, in which its own address may stand.
async fn redirecting(status: u16, location: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let host = listener.local_addr().expect("an address").to_string();
    let own = format!("http://{host}");
    let location = location.replace("{own}", &own).replace("{host}", &host);
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            let mut request = vec![0; 1 << 16];
            let _read = client.read(&mut request).await.expect("a request");
            let reply = format!(
                "HTTP/1.1 {status} Redirect\r\nlocation: {location}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
            );
            client.write_all(reply.as_bytes()).await.expect("a client");
        }
    });
    own
}

/// Case 253.
#[tokio::test]
async fn a_websocket_upgrade_is_refused_at_once() {
    let (mock, proxy) = pair().await;
    for path in ["/v1/responses", "/v1/realtime"] {
        let headers = [
            ("Connection", "Upgrade"),
            ("Upgrade", "websocket"),
            ("Sec-WebSocket-Version", "13"),
            ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
        ];
        let reply = Client::connect(&proxy.url())
            .await
            .request("GET", path, &headers, b"")
            .await;
        assert_eq!(reply.status, 426);
        assert_eq!(reply.header("upgrade"), Some("HTTP/1.1"));
        assert_eq!(reply.header("connection"), Some("upgrade"));
        assert!(
            reply.json()["error"]["message"].is_string(),
            "{}",
            reply.text()
        );
    }
    assert_eq!(mock.requests().len(), 0);
}
