//! Which headers pass, in both directions.

use tests::{Client, Mock, Proxy, Schema, Values};

async fn pair() -> (Mock, Proxy) {
    let mock = Mock::start().await;
    let proxy = Proxy::start(&mock.url()).await;
    (mock, proxy)
}

fn body(schema: Schema) -> Vec<u8> {
    schema
        .request("echo", &Values::of(21).to_string(), false)
        .to_string()
        .into()
}

#[tokio::test]
async fn a_clients_headers_reach_the_provider() {
    let (mock, proxy) = pair().await;
    let headers = [
        ("Authorization", "Bearer sk-of-the-client"),
        ("x-api-key", "sk-other"),
        ("X-Repeated", "one"),
        ("User-Agent", "agent/1"),
        ("x-repeated", "two"),
        ("anthropic-beta", "a-1,b-2"),
        ("cookie", "a=1; b=2"),
    ];
    for path in ["/v1/messages", "/v1/models"] {
        let mut client = Client::connect(&proxy.url()).await;
        client
            .request("POST", path, &headers, &body(Schema::MessagesStyle))
            .await;
        let seen = mock.last();
        for (name, value) in headers {
            assert!(
                seen.header_all(name).contains(&value),
                "{path}: {name}: {:?}",
                seen.headers
            );
        }
        assert_eq!(seen.header_all("x-repeated"), ["one", "two"], "{path}");
        assert_eq!(
            seen.header("host"),
            Some(mock.url().trim_start_matches("http://")),
            "{path}"
        );
        assert_eq!(
            seen.header("content-length"),
            Some(seen.body.len().to_string().as_str()),
            "{path}"
        );
    }
}

/// Cases 239 and 240.
#[tokio::test]
async fn hop_by_hop_and_own_headers_are_not_forwarded() {
    let (mock, proxy) = pair().await;
    let headers = [
        ("Connection", "keep-alive, X-Named"),
        ("X-Named", "1"),
        ("Keep-Alive", "timeout=5"),
        ("TE", "trailers"),
        ("Proxy-Authorization", "Basic eDp5"),
        ("Proxy-Connection", "keep-alive"),
        ("Upgrade", "h2c"),
        ("x-mask-session", "mine"),
    ];
    for path in ["/v1/chat/completions", "/v1/models"] {
        let mut client = Client::connect(&proxy.url()).await;
        client
            .request("POST", path, &headers, &body(Schema::ChatStyle))
            .await;
        let seen = mock.last();
        for (name, _) in &headers[1..] {
            assert_eq!(seen.header(name), None, "{path}: {name}");
        }
        let connection = seen.header("connection").unwrap_or_default().to_lowercase();
        assert!(!connection.contains("x-named"), "{path}");
    }
}

#[tokio::test]
async fn a_providers_headers_reach_the_client() {
    let (_mock, proxy) = pair().await;
    let mut client = Client::connect(&proxy.url()).await;
    let reply = client
        .request(
            "POST",
            "/v1/chat/completions",
            &[],
            &body(Schema::ChatStyle),
        )
        .await;
    assert_eq!(reply.header("request-id"), Some("req_of_the_provider"));
    assert_eq!(reply.header("x-ratelimit-remaining-requests"), Some("41"));
    let length = reply.header("content-length");
    assert!(
        length.is_none_or(|length| length == reply.body.len().to_string()),
        "{length:?}"
    );

    let cookies = Client::get(&proxy.url(), "/cookies").await;
    assert_eq!(
        cookies.header_all("set-cookie"),
        ["a=1; Path=/", "b=2; Path=/"]
    );
}

#[tokio::test]
async fn a_connection_serves_many_requests() {
    let (mock, proxy) = pair().await;
    let mut client = Client::connect(&proxy.url()).await;
    for _ in 0..20 {
        let reply = client
            .request(
                "POST",
                "/v1/chat/completions",
                &[],
                &body(Schema::ChatStyle),
            )
            .await;
        assert_eq!(reply.status, 200);
    }
    assert!(
        mock.connections() <= 3,
        "{} connections for 20 requests",
        mock.connections()
    );
}

#[tokio::test]
async fn the_version_header_is_added_only_where_it_is_missing() {
    let (mock, proxy) = pair().await;
    let version = async |path: &str, headers: &[(&str, &str)]| {
        let mut client = Client::connect(&proxy.url()).await;
        client
            .request("POST", path, headers, &body(Schema::MessagesStyle))
            .await;
        let seen = mock.last();
        seen.header_all("anthropic-version")
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
    };
    assert_eq!(version("/v1/messages", &[]).await, ["2023-06-01"]);
    assert_eq!(
        version("/v1/messages/count_tokens?x", &[]).await,
        ["2023-06-01"]
    );
    let newer = [("Anthropic-Version", "2026-10-21")];
    assert_eq!(version("/v1/messages", &newer).await, ["2026-10-21"]);
    assert_eq!(version("/v1/chat/completions", &[]).await, [""; 0]);
}

#[tokio::test]
async fn only_decodable_encodings_are_requested() {
    let (mock, proxy) = pair().await;
    let mut client = Client::connect(&proxy.url()).await;
    let headers = [("Accept-Encoding", "x-own, compress, br;q=0.5, *")];
    client
        .request(
            "POST",
            "/v1/chat/completions",
            &headers,
            &body(Schema::ChatStyle),
        )
        .await;
    let seen = mock.last();
    for asked in seen.header_all("accept-encoding").join(",").split(',') {
        let encoding = asked.split(';').next().unwrap_or_default().trim();
        let known = ["", "identity", "gzip", "deflate", "br", "zstd"];
        assert!(known.contains(&encoding), "{encoding}");
    }
}

#[tokio::test]
async fn a_session_may_be_named() {
    let (_mock, proxy) = pair().await;
    let call = async |name: &str| {
        let mut client = Client::connect(&proxy.url()).await;
        let headers = [("x-mask-session", name)];
        client
            .request(
                "POST",
                "/v1/chat/completions",
                &headers,
                &body(Schema::ChatStyle),
            )
            .await
    };
    let longest = "a".repeat(128);
    for name in ["team:1", "A-z_0.9", &longest] {
        assert_eq!(call(name).await.header("x-mask-session"), Some(name));
    }
    for name in ["two words", "a/b", "é", &"a".repeat(129)] {
        let reply = call(name).await;
        assert_eq!(
            (reply.status, reply.code().as_deref()),
            (400, Some("mask_invalid_request")),
            "{name}"
        );
    }
    let unnamed = call("").await;
    let id = unnamed.header("x-mask-session").expect("a session id");
    let hex = id
        .strip_prefix("ses_")
        .is_some_and(|hex| hex.len() == 16 && u64::from_str_radix(hex, 16).is_ok());
    assert!(hex, "{id}");
}

#[tokio::test]
async fn a_body_declared_as_plain_text_is_masked() {
    let (mock, proxy) = pair().await;
    for plain in ["identity", "identity, identity", "Identity"] {
        let mut client = Client::connect(&proxy.url()).await;
        let headers = [("content-encoding", plain)];
        let path = Schema::ChatStyle.path();
        let reply = client
            .request("POST", path, &headers, &body(Schema::ChatStyle))
            .await;
        assert_eq!(reply.status, 200, "{plain}");
        assert_eq!(
            Values::of(21).found_in(&mock.last().everything()),
            [""; 0],
            "{plain}"
        );
    }
}

#[tokio::test]
async fn metadata_that_cannot_be_masked_is_refused_with_advice() {
    let (mock, proxy) = pair().await;
    let mut client = Client::connect(&proxy.url()).await;
    let headers = [
        ("x-codex-turn-metadata", "{}"),
        ("x-codex-turn-metadata", "{}"),
    ];
    let path = Schema::Responses.path();
    let reply = client
        .request("POST", path, &headers, &body(Schema::Responses))
        .await;
    assert_eq!(
        (reply.status, reply.code().as_deref()),
        (400, Some("mask_invalid_request"))
    );
    assert!(reply.text().contains("leave it out"), "{}", reply.text());
    assert_eq!(mock.requests().len(), 0);
}

#[tokio::test]
async fn expect_continue_is_answered_by_the_proxy() {
    let (mock, proxy) = pair().await;
    let body = body(Schema::ChatStyle);
    let mut client = Client::connect(&proxy.url()).await;
    let length = body.len();
    let head = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: {length}\r\n\r\n"
    );
    client.write(head.as_bytes()).await;
    assert_eq!(client.head().await.0, 100);
    client.write(&body).await;
    let reply = client.reply("POST").await;
    assert_eq!((reply.status, reply.interim), (200, vec![]));
    assert_eq!(mock.last().header("expect"), None);
}

/// Headers are forwarded as sent, and the log shows which ones identify the user.
#[tokio::test]
async fn a_header_containing_an_address_is_logged_once() {
    let (mock, mut proxy) = pair().await;
    let email = Values::of(22).email;
    let headers = [
        ("from", &*email),
        ("x-openwebui-user-email", &email),
        ("authorization", &format!("Bearer {email}")),
        ("cookie", &format!("user={email}")),
        ("user-agent", "agent/1 pkg@2.0"),
    ];
    for _ in 0..2 {
        let body = body(Schema::ChatStyle);
        let mut client = Client::connect(&proxy.url()).await;
        let path = Schema::ChatStyle.path();
        client.request("POST", path, &headers, &body).await;
    }
    assert_eq!(mock.last().header("from"), Some(&*email));
    proxy.stop().await;
    let printed = proxy.printed();
    let warnings = printed
        .lines()
        .filter(|line| line.contains("headers are not masked"));
    let warnings: Vec<_> = warnings.collect();
    assert_eq!(warnings.len(), 2, "{printed}");
    assert!(warnings[0].contains("from"), "{printed}");
    assert!(warnings[1].contains("x-openwebui-user-email"), "{printed}");
    assert!(!printed.contains(&email), "{printed}");
}
