//! Gateway mode: one URL for everything, and only routed paths.

use tests::{Client, Mock, Proxy, ProxyOptions, Schema, Values};

async fn gateway(base_path: &str, options: ProxyOptions) -> (Mock, Proxy) {
    let mock = Mock::start().await;
    let url = mock.url() + base_path;
    let proxy = Proxy::start_with(&url, &options.flag("--gateway")).await;
    (mock, proxy)
}

#[tokio::test]
async fn every_route_is_masked_for_the_fixed_url_and_restored() {
    let (mock, proxy) = gateway("/v1/chat/completions?fixed=1", ProxyOptions::default()).await;
    let values = Values::of(61);
    for path in [
        "/v1/chat/completions",
        "/chat/completions?own=%20",
        "/v1//chat/./completions",
    ] {
        for stream in [false, true] {
            let body = Schema::ChatStyle.request("echo/3", &values.to_string(), stream);
            let reply = Client::post(&proxy.url(), path, &body).await;
            assert_eq!(
                Schema::ChatStyle.reply_text(&reply.text()),
                values.to_string()
            );
            assert_eq!(reply.header("request-id"), Some("req_of_the_provider"));
            assert!(reply.header("x-mask-session").is_some());
            let seen = mock.last();
            assert_eq!(values.found_in(&seen.everything()), [""; 0]);
            let query = path
                .split_once('?')
                .map_or(String::new(), |(_, own)| format!("&{own}"));
            assert_eq!(seen.target, format!("/v1/chat/completions?fixed=1{query}"));
        }
    }
}

/// Case 257.
#[tokio::test]
async fn only_posts_to_routes_are_served() {
    let (mock, proxy) = gateway("/v1/messages", ProxyOptions::default()).await;
    for (method, path) in [
        ("GET", "/v1/messages"),
        ("PUT", "/v1/messages"),
        ("HEAD", "/v1/chat/completions"),
        ("POST", "/v1/messages/count_tokens"),
        ("POST", "/v1/messages/count_tokens/"),
        ("POST", "/v1/responses/input_tokens"),
        ("POST", "/responses/compact"),
        ("GET", "/v1/models"),
        ("POST", "/v1/embeddings"),
        ("POST", "/"),
    ] {
        let mut client = Client::connect(&proxy.url()).await;
        let reply = client.request(method, path, &[], b"{}").await;
        assert_eq!(reply.status, 404, "{method} {path}");
        if method != "HEAD" {
            assert!(
                reply.json()["error"]["message"].is_string(),
                "{method} {path}"
            );
        }
    }
    let headers = [("Connection", "Upgrade"), ("Upgrade", "websocket")];
    let mut client = Client::connect(&proxy.url()).await;
    assert_eq!(
        client
            .request("GET", "/v1/responses", &headers, b"")
            .await
            .status,
        426
    );
    assert_eq!(Client::get(&proxy.url(), "/health").await.status, 200);
    assert_eq!(mock.requests().len(), 0);
    assert_eq!(proxy.audited("proxy.blocked", 10).await.len(), 10);
}

#[tokio::test]
async fn only_configured_routes_are_served() {
    let options = ProxyOptions::default().yaml("proxy: {routes: {/own/chat: chat_style}}");
    let (mock, proxy) = gateway("/v1/chat/completions", options).await;
    let values = Values::of(62);
    let body = Schema::ChatStyle.request("echo", &values.to_string(), false);
    let reply = Client::post(&proxy.url(), "/own/chat", &body).await;
    assert_eq!(
        Schema::ChatStyle.reply_text(&reply.text()),
        values.to_string()
    );
    assert_eq!(mock.last().path(), "/v1/chat/completions");
    let reply = Client::post(&proxy.url(), "/v1/chat/completions", &body).await;
    assert_eq!(reply.status, 404);
}

/// Case 259.
#[tokio::test]
async fn safe_headers_pass_but_no_credential_and_no_cookie() {
    let (mock, proxy) = gateway("/v1/messages", ProxyOptions::default()).await;
    let headers = [
        ("Authorization", "Bearer sk-client"),
        ("x-api-key", "sk-client"),
        ("Cookie", "session=sk-client"),
        ("api-key", "sk-client"),
        ("anthropic-beta", "a-1"),
        ("User-Agent", "agent/1"),
        ("X-Repeated", "one"),
        ("X-Repeated", "two"),
    ];
    let body = Schema::MessagesStyle
        .request("echo", "hi", false)
        .to_string();
    let mut client = Client::connect(&proxy.url()).await;
    let reply = client
        .request("POST", "/v1/messages", &headers, body.as_bytes())
        .await;
    assert_eq!(reply.status, 200);
    let seen = mock.last();
    assert!(
        !seen.everything().contains("sk-client"),
        "{:?}",
        seen.headers
    );
    assert_eq!(seen.header("anthropic-beta"), Some("a-1"));
    assert_eq!(seen.header("user-agent"), Some("agent/1"));
    assert_eq!(seen.header_all("x-repeated"), ["one", "two"]);
    assert_eq!(seen.header("anthropic-version"), Some("2023-06-01"));
}

/// Case 258.
#[tokio::test]
async fn replies_are_restored_whether_streamed_or_not() {
    let (_mock, proxy) = gateway("/v1/chat/completions", ProxyOptions::default()).await;
    let values = Values::of(63);
    for (model, stream) in [
        ("batch-though-stream", true),
        ("stream-though-batch", false),
    ] {
        let body = Schema::ChatStyle.request(model, &values.to_string(), stream);
        let reply = Client::post(&proxy.url(), "/v1/chat/completions", &body).await;
        assert_eq!(reply.status, 200, "{model}");
        assert_eq!(
            Schema::ChatStyle.reply_text(&reply.text()),
            values.to_string(),
            "{model}"
        );
    }
    let responses = proxy.audited("proxy.response", 2).await;
    assert!(
        responses.iter().all(|line| line["restored"] == 5),
        "{responses:?}"
    );
}

/// Case 256.
#[tokio::test]
async fn errors_of_the_provider_are_relayed() {
    let (_mock, proxy) = gateway("/v1/chat/completions", ProxyOptions::default()).await;
    for stream in [false, true] {
        let body = Schema::ChatStyle.request("error-429", &Values::of(64).email, stream);
        let reply = Client::post(&proxy.url(), "/v1/chat/completions", &body).await;
        assert_eq!(reply.status, 429);
        assert!(
            reply.text().contains(&Values::of(64).email),
            "{}",
            reply.text()
        );
    }
    let requests = proxy.audited("proxy.request", 2).await;
    assert!(
        requests.iter().all(|line| line["status"] == 429),
        "{requests:?}"
    );
}
