//! Which key and which headers the provider gets.

use serde_json::json;
use tests::{Client, Mock, Proxy, ProxyOptions, Recorded, Schema, Values};

const OF_THE_CLIENT: [(&str, &str); 2] = [
    ("Authorization", "Bearer sk-client"),
    ("x-api-key", "sk-client"),
];

/// What reaches the provider of a request to `path`.
async fn seen(options: &ProxyOptions, path: &str) -> Recorded {
    let mock = Mock::start().await;
    let proxy = Proxy::start_with(&(mock.url() + "/v1/messages"), options).await;
    let body = Schema::MessagesStyle
        .request("echo", &Values::of(81).to_string(), false)
        .to_string();
    let mut client = Client::connect(&proxy.url()).await;
    client
        .request("POST", path, &OF_THE_CLIENT, body.as_bytes())
        .await;
    mock.last()
}

fn keys(seen: &Recorded) -> (Option<&str>, Option<&str>) {
    (seen.header("authorization"), seen.header("x-api-key"))
}

#[tokio::test]
async fn a_configured_key_replaces_both_client_keys_in_either_mode() {
    let held = ProxyOptions::default().env("MASK_API_KEY", "held");
    let bearer = (Some("Bearer held"), None);
    let api_key = (None, Some("held"));
    for (path, expected) in [
        ("/v1/messages", api_key),
        ("/v1/messages/count_tokens", api_key),
        ("/v1/chat/completions", bearer),
        ("/v1/models", bearer),
    ] {
        assert_eq!(keys(&seen(&held, path).await), expected, "{path}");
    }
    let gateway = held.clone().flag("--gateway");
    assert_eq!(keys(&seen(&gateway, "/v1/messages").await), bearer);
    let messages = gateway.yaml("provider: {type: messages_style}");
    for path in ["/v1/messages", "/v1/chat/completions"] {
        assert_eq!(keys(&seen(&messages, path).await), api_key, "{path}");
    }
}

/// Case 242: transparent mode once ignored the keys of a type.
#[tokio::test]
async fn the_provider_types_key_wins_in_either_mode() {
    let options = ProxyOptions::default()
        .env("MASK_API_KEY", "general")
        .env("MASK_CHAT_STYLE_API_KEY", "special")
        .env("MASK_MESSAGES_STYLE_API_KEY", "of another type")
        .yaml("provider: {type: chat_style}");
    for options in [options.clone(), options.flag("--gateway")] {
        let seen = seen(&options, "/v1/chat/completions").await;
        assert_eq!(keys(&seen), (Some("Bearer special"), None));
    }
}

#[tokio::test]
async fn the_clients_key_is_forwarded_only_if_allowed() {
    let plain = ProxyOptions::default();
    let both = (Some("Bearer sk-client"), Some("sk-client"));
    assert_eq!(keys(&seen(&plain, "/v1/messages").await), both);
    let gateway = plain.clone().flag("--gateway");
    assert_eq!(keys(&seen(&gateway, "/v1/messages").await), (None, None));
    let forgotten = plain.yaml("proxy: {forward_client_auth: false}");
    for path in ["/v1/messages", "/v1/models"] {
        assert_eq!(keys(&seen(&forgotten, path).await), (None, None), "{path}");
    }
    let held = forgotten.env("MASK_API_KEY", "held");
    assert_eq!(
        keys(&seen(&held, "/v1/messages").await),
        (None, Some("held"))
    );
}

/// Case 243.
#[tokio::test]
async fn configured_headers_reach_the_provider_unchanged() {
    let yaml =
        "provider:\n  headers:\n    X-Team: red\n    anthropic-beta: own\n    X-Literal: ${HOME}\n";
    let options = ProxyOptions::default().yaml(yaml);
    for options in [options.clone(), options.flag("--gateway")] {
        let seen = seen(&options, "/v1/messages").await;
        assert_eq!(seen.header_all("x-team"), ["red"]);
        assert_eq!(seen.header_all("anthropic-beta"), ["own"]);
        assert_eq!(seen.header("x-literal"), Some("${HOME}"));
    }
    let seen = seen(&ProxyOptions::default().yaml(yaml), "/v1/models").await;
    assert_eq!(seen.header("x-team"), Some("red"), "on unrouted paths, too");
}

/// Case 245.
#[tokio::test]
async fn unrouted_paths_are_refused_when_passthrough_is_off() {
    let mock = Mock::start().await;
    let options = ProxyOptions::default().yaml("proxy: {passthrough_unknown: false}");
    let proxy = Proxy::start_with(&mock.url(), &options).await;
    for path in ["/v1/models", "/v1/models?key=hush"] {
        let reply = Client::get(&proxy.url(), path).await;
        assert_eq!(reply.status, 403);
        let message = reply.json()["error"]["message"]
            .as_str()
            .expect("a message")
            .to_owned();
        for named in ["/v1/models", "proxy.routes", "proxy.passthrough_unknown"] {
            assert!(message.contains(named), "{message}");
        }
        assert!(!message.contains("hush"), "{message}");
        let only_the_message = json!({"error": {"message": message}});
        assert_eq!(reply.json(), only_the_message);
    }
    let values = Values::of(82);
    let body = Schema::ChatStyle.request("echo", &values.to_string(), false);
    let reply = Client::post(&proxy.url(), "/v1/chat/completions", &body).await;
    assert_eq!(
        Schema::ChatStyle.reply_text(&reply.text()),
        values.to_string()
    );
    assert_eq!(mock.requests().len(), 1);
    assert_eq!(proxy.audited("proxy.blocked", 2).await.len(), 2);
    let metrics = proxy.metrics().await;
    assert!(
        metrics.contains("mask_unrouted_total{outcome=\"blocked\"} 2\n"),
        "{metrics}"
    );
}
