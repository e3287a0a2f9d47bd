//! The live page (`--ui`): what it shows, and whom it refuses.

use serde_json::{Value, json};
use tests::{Client, Mock, Proxy, ProxyOptions, Reply, Reserved, Schema, Values, maskproxy};

/// A proxy with a live page, and the page's address and the secret of its link.
struct Live {
    proxy: Proxy,
    page: String,
    secret: String,
    mock: Mock,
}

impl Live {
    async fn start() -> Self {
        Self::start_with(&[]).await
    }

    async fn start_with(flags: &[&str]) -> Self {
        let options = flags
            .iter()
            .fold(ProxyOptions::default(), |options, flag| options.flag(flag));
        Self::start_of(options).await
    }

    async fn start_of(options: ProxyOptions) -> Self {
        let mock = Mock::start().await;
        let options = options.flag("--ui").flag("0");
        let proxy = Proxy::start_with(&mock.url(), &options).await;
        let printed = proxy.printed();
        let link = printed.split_whitespace().find(|word| word.contains("/#"));
        let (page, secret) = link.and_then(|link| link.split_once("/#")).expect("a link");
        assert!(page.starts_with("http://127.0.0.1:"), "{page}");
        Self {
            page: page.to_owned(),
            secret: secret.to_owned(),
            proxy,
            mock,
        }
    }

    /// Sends these headers in addition to the host.
    async fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        let mut client = Client::connect(&self.page).await;
        client.request(method, path, headers, body.as_bytes()).await
    }

    /// Uses the link.
    async fn open(&self) -> Reply {
        let body = json!({"link": self.secret}).to_string();
        self.ask("POST", "/api/open", &[("Origin", &self.page)], &body)
            .await
    }

    /// The cookie that the link brings.
    async fn cookie(&self) -> String {
        let reply = self.open().await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        let cookie = reply.header("set-cookie").expect("a cookie");
        assert!(cookie.contains("; HttpOnly; SameSite=Strict;"), "{cookie}");
        cookie.split(';').next().expect("a cookie").to_owned()
    }

    async fn exchange(&self, cookie: &str, number: u64) -> Value {
        let path = format!("/api/exchanges/{number}");
        let reply = self.ask("GET", &path, &[("Cookie", cookie)], "").await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        reply.json()
    }
}

/// A text with its tokens or the types of its values.
fn shown(exchange: &Value, text: &str) -> String {
    let pieces = exchange[text]["pieces"].as_array().expect("pieces");
    let shown = pieces.iter().map(|piece| match piece {
        Value::String(text) => text.clone(),
        number => format!("[{number}]"),
    });
    shown.collect()
}

#[tokio::test]
async fn an_exchange_shows_both_sides_and_single_values() {
    let live = Live::start().await;
    let cookie = live.cookie().await;
    let values = Values::of(81);
    for stream in [false, true] {
        let schema = Schema::MessagesStyle;
        let request = schema.request("echo", &format!("to {}", values.email), stream);
        Client::post(&live.proxy.url(), schema.path(), &request).await;
    }
    live.proxy.audited("proxy.response", 2).await;
    for number in 0..2 {
        let exchange = live.exchange(&cookie, number).await;
        assert_eq!(exchange["path"], "/v1/messages");
        assert_eq!(
            (&exchange["status"], &exchange["ended"]),
            (&200.into(), &true.into())
        );
        assert_eq!(exchange["restored"], 1, "{exchange}");
        assert_eq!(
            exchange["tokens"],
            json!([{"token": "<MASK_EMAIL_1>", "type": "EMAIL"}])
        );
        assert_eq!(exchange["findings"][0]["field"], "messages[user].content");
        assert_eq!(exchange["findings"][0]["rule"], "email");
        for text in [
            "request_client",
            "request_provider",
            "reply_provider",
            "reply_client",
        ] {
            let shown = shown(&exchange, text);
            assert!(shown.contains("to [0]"), "{text}: {shown}");
        }
        assert!(!exchange.to_string().contains(&values.email), "{exchange}");
        let path = format!("/api/exchanges/{number}/values/0");
        let headers = [("Cookie", &*cookie), ("Origin", &live.page)];
        let value = live.ask("POST", &path, &headers, "").await.json();
        assert_eq!(value, json!({"value": values.email}));
        let headers = [("Cookie", &*cookie)];
        let why = live
            .ask("GET", &format!("{path}/why"), &headers, "")
            .await
            .json();
        assert_eq!(why["rule"], "email", "{why}");
    }
}

/// Under `redact` no value is kept, so the page has none to hide behind a button; and a value that is escaped or
/// percent-encoded is not told by its text.
#[tokio::test]
async fn exchanges_hide_values_in_every_spelling_under_every_operator() {
    for operator in ["pseudonym", "redact", "surrogate"] {
        let yaml = format!("operator: {operator}");
        let live = Live::start_of(ProxyOptions::default().yaml(&yaml)).await;
        let cookie = live.cookie().await;
        let values = Values::of(84);
        let mail = values.email.replace('@', "%40");
        let inner =
            json!({"mail": values.email, "pass": format!("password='{}'", values.password)});
        let text = format!("https://x.example/?to={mail} {inner}");
        let spelled = json!({"text": text})
            .to_string()
            .replace("corp", "\\u0063orp");
        let body = json!({"model": "echo", "messages": [{"role": "user", "content": "X"}]});
        let body = body
            .to_string()
            .replace("\"X\"", &Value::from(spelled).to_string());
        let mut client = Client::connect(&live.proxy.url()).await;
        let path = Schema::ChatStyle.path();
        let reply = client.request("POST", path, &[], body.as_bytes()).await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        live.proxy.audited("proxy.response", 1).await;
        let exchange = live.exchange(&cookie, 0).await;
        let is_noted = exchange["note"].is_string();
        assert_eq!(is_noted, operator == "redact", "{operator}: {exchange}");
        for part in ["0084.q", "corp0084", "u0063orp0084", "Tr0ub0084"] {
            assert!(
                !exchange.to_string().contains(part),
                "{operator}: {exchange}"
            );
        }
    }
}

#[tokio::test]
async fn exchanges_appear_live_until_the_proxy_stops() {
    let mut live = Live::start().await;
    let cookie = live.cookie().await;
    let mut client = Client::connect(&live.page).await;
    client
        .send("GET", "/api/events", &[("Cookie", &cookie)], b"")
        .await;
    let (status, mut events) = client.head().await;
    assert_eq!(status, 200);
    let schema = Schema::ChatStyle;
    let request = schema.request("echo", &Values::of(82).email, false);
    Client::post(&live.proxy.url(), schema.path(), &request).await;
    let mut seen = String::new();
    while !seen.contains("\"ended\":true") {
        let piece = client
            .piece(&mut events)
            .await
            .expect("events")
            .expect("more");
        seen += &String::from_utf8(piece).expect("UTF-8");
    }
    assert!(
        seen.contains("\"values\":1") && !seen.contains(&Values::of(82).email),
        "{seen}"
    );
    live.proxy.terminate();
    while client
        .piece(&mut events)
        .await
        .is_ok_and(|piece| piece.is_some())
    {}
    assert_eq!(live.proxy.wait().await, Some(0));
}

/// The lists take effect without a restart, and sessions in memory continue.
#[tokio::test]
async fn lists_from_the_page_apply_immediately_without_leaking() {
    let live = Live::start_with(&["--lists", "lists.yaml"]).await;
    let cookie = live.cookie().await;
    let values = Values::of(83);
    let text = format!("{} of Bluebird", values.email);
    let sent = async || {
        let request = Schema::ChatStyle.request("echo", &text, false);
        Client::post(&live.proxy.url(), Schema::ChatStyle.path(), &request).await;
        live.mock.last().text()
    };
    let put = async |wanted: Value| {
        let headers = [("Cookie", &*cookie), ("Origin", &live.page)];
        live.ask("POST", "/api/lists", &headers, &wanted.to_string())
            .await
    };
    sent().await;
    let never = json!({"list": "never", "exchange": 0, "value": 0});
    assert_eq!(put(never).await.status, 200);
    let always = json!({"list": "always", "type": "PROJECT", "text": "bluebird"});
    assert_eq!(put(always).await.status, 200);
    live.proxy.prints("the new configuration is in use").await;
    let seen = sent().await;
    assert!(
        seen.contains(&values.email) && !seen.contains("Bluebird"),
        "{seen}"
    );

    for (wanted, status) in [
        (json!({"list": "always", "type": "a b", "text": "x"}), 400),
        (json!({"list": "always", "text": "x"}), 400),
        (json!({"list": "sometimes", "text": "x"}), 400),
        (json!({"list": "never", "text": "a\u{7}b"}), 400),
        (
            json!({"list": "always", "type": "PROJECT", "text": "a\nb"}),
            400,
        ),
        (json!({"list": "never", "text": " "}), 400),
        (json!({"list": "never", "exchange": 99, "value": 0}), 404),
        (json!([]), 400),
    ] {
        let reply = put(wanted.clone()).await;
        assert_eq!(reply.status, status, "{wanted}: {}", reply.text());
    }
    let headers = [("Cookie", &*cookie), ("Origin", &live.page)];
    let half = r#"{"list": "never", "text": "\ud800"}"#;
    let reply = live.ask("POST", "/api/lists", &headers, half).await;
    assert_eq!(reply.status, 400);
    assert!(
        reply.text().contains("no valid Unicode"),
        "{}",
        reply.text()
    );

    let strangers = [("Origin", &*live.page)];
    let reply = live.ask("POST", "/api/lists", &strangers, "{}").await;
    assert_eq!(reply.status, 401);
    let printed = live.proxy.printed();
    assert!(
        !printed.contains(&values.email) && !printed.contains("luebird"),
        "{printed}"
    );
}

/// The page promised that such a value is masked.
#[tokio::test]
async fn the_page_names_rules_that_let_a_type_pass() {
    let rules = "policy: {rules: [{name: mails, model: echo, mask: [EMAIL]}]}\n";
    let options = ProxyOptions::default().yaml(rules);
    let live = Live::start_of(options.flag("--lists").flag("lists.yaml")).await;
    let cookie = live.cookie().await;
    let headers = [("Cookie", &*cookie), ("Origin", &live.page)];
    for (entity, passing) in [("PROJECT", json!(["the rule mails"])), ("EMAIL", json!([]))] {
        let always = json!({"list": "always", "type": entity, "text": "bluebird"}).to_string();
        let reply = live.ask("POST", "/api/lists", &headers, &always).await;
        assert_eq!((reply.status, &reply.json()["passing"]), (200, &passing));
    }
}

/// A private key in PEM could not be listed.
#[tokio::test]
async fn a_listed_multi_line_private_key_is_never_masked() {
    let live = Live::start_with(&["--lists", "lists.yaml"]).await;
    let cookie = live.cookie().await;
    let row = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n";
    let begin = ["-----BEGIN", "PRIVATE KEY-----\n"].join(" ");
    let key = format!("{begin}{}-----END PRIVATE KEY-----", row.repeat(30));
    let sent = async || {
        let request = Schema::ChatStyle.request("echo", &format!("use\n{key}\nnow"), false);
        Client::post(&live.proxy.url(), Schema::ChatStyle.path(), &request).await;
        live.mock.last().text()
    };
    assert!(!sent().await.contains("MIIEvQ"));
    let headers = [("Cookie", &*cookie), ("Origin", &live.page)];
    let never = json!({"list": "never", "exchange": 0, "value": 0}).to_string();
    let reply = live.ask("POST", "/api/lists", &headers, &never).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    live.proxy.prints("the new configuration is in use").await;
    assert!(sent().await.contains("MIIEvQ"));
}

#[tokio::test]
async fn without_lists_the_page_explains_how_to_add_them() {
    let live = Live::start().await;
    let cookie = live.cookie().await;
    let headers = [("Cookie", &*cookie), ("Origin", &live.page)];
    let wanted = json!({"list": "never", "text": "x"}).to_string();
    let reply = live.ask("POST", "/api/lists", &headers, &wanted).await;
    assert_eq!(reply.status, 409);
    assert!(reply.text().contains("--lists FILE"), "{}", reply.text());
}

#[tokio::test]
async fn other_sites_and_programs_see_nothing() {
    let live = Live::start().await;
    let host = live.page.trim_start_matches("http://").to_owned();
    let open = json!({"link": live.secret}).to_string();
    // Other sites, and other names that were pointed at this machine.
    for (method, path, headers) in [
        ("POST", "/api/open", vec![("Origin", "http://evil.example")]),
        ("POST", "/api/open", vec![]),
        ("POST", "/api/open", vec![("Origin", "null")]),
        ("GET", "/", vec![("Sec-Fetch-Site", "cross-site")]),
        ("GET", "/api/events", vec![("Origin", "http://localhost:1")]),
    ] {
        let reply = live.ask(method, path, &headers, &open).await;
        assert_eq!(
            reply.status,
            403,
            "{method} {path} {headers:?}: {}",
            reply.text()
        );
    }
    let stream = tokio::net::TcpStream::connect(&host)
        .await
        .expect("connected");
    let port = host.rsplit(':').next().expect("a port");
    let mut rebound = Client::over(stream, &format!("evil.example:{port}"));
    assert_eq!(rebound.request("GET", "/", &[], b"").await.status, 403);

    // Without the link; with a link that was used.
    let page = live.ask("GET", "/", &[], "").await;
    assert_eq!(page.status, 200);
    let policy = page.header("content-security-policy").expect("a policy");
    assert!(policy.starts_with("default-src 'self';"), "{policy}");
    assert_eq!(page.header("cache-control"), Some("no-store"));
    for path in ["/api/events", "/api/exchanges/0"] {
        assert_eq!(live.ask("GET", path, &[], "").await.status, 401, "{path}");
    }
    let cookie = live.cookie().await;
    let again = live.open().await;
    assert_eq!(again.status, 403);
    assert!(
        again.text().contains("this link was already used"),
        "{}",
        again.text()
    );
    assert_eq!(again.header("set-cookie"), None);
    let headers = [("Cookie", &*cookie)];
    assert_eq!(
        live.ask("GET", "/api/exchanges/7", &headers, "")
            .await
            .status,
        404
    );
    assert_eq!(
        live.ask("PUT", "/api/events", &headers, "").await.status,
        403
    );
    // The proxy itself has none of it.
    assert!(
        !Client::get(&live.proxy.url(), "/live.js")
            .await
            .text()
            .contains("EventSource")
    );
}

/// What is shown must not stay anywhere.
#[tokio::test]
async fn no_value_or_page_secret_is_written_anywhere() {
    let mut live = Live::start().await;
    let cookie = live.cookie().await;
    let values = Values::of(83);
    let schema = Schema::ChatStyle;
    let request = schema.request("echo", &values.to_string(), true);
    Client::post(&live.proxy.url(), schema.path(), &request).await;
    live.exchange(&cookie, 0).await;
    let headers = [("Cookie", &*cookie), ("Origin", &live.page)];
    live.ask("POST", "/api/exchanges/0/values/0", &headers, "")
        .await;
    live.proxy.stop().await;
    let written = live.proxy.written();
    let (_, cookie) = cookie.split_once('=').expect("a value");
    for value in [&*values.email, &*values.key, cookie] {
        assert!(!written.contains(value), "{value}: {written}");
    }
    // The link is printed for the user, once.
    assert_eq!(written.matches(&live.secret).count(), 1);
}

#[tokio::test]
async fn an_unservable_page_is_reported_in_one_line() {
    let taken = Live::start().await;
    let port = taken.page.rsplit(':').next().expect("a port");
    let free = Reserved::new();
    let own = free.port().to_string();
    let start = ["proxy", "-u", "http://127.0.0.1:1", "--port", &own, "--ui"];
    let (status, _, errors) = maskproxy(&[&start[..], &[port]].concat(), "").await;
    assert_eq!(status, Some(1), "{errors}");
    let reason = "the port is in use, choose another (--ui)";
    assert_eq!(
        errors.lines().last(),
        Some(&*format!(
            "Error: can't listen on 127.0.0.1:{port}: {reason}"
        )),
    );
    let (status, _, errors) = maskproxy(&[&start[..], &["http"]].concat(), "").await;
    assert_eq!(status, Some(2), "{errors}");
}

/// What is not masked is listed, too: what passed, what was refused, and what failed.
#[tokio::test]
async fn unmasked_requests_are_listed_with_the_reason() {
    let live = Live::start().await;
    let cookie = live.cookie().await;
    let url = live.proxy.url();
    let values = Values::of(83);
    let body = json!({ "text": values.email });
    Client::post(&url, "/unknown/path", &body).await;
    let mut client = Client::connect(&url).await;
    let path = Schema::ChatStyle.path();
    let reply = client.request("POST", path, &[], b"{no JSON").await;
    assert_eq!(reply.status, 400);
    let request = Schema::ChatStyle.request("error-500", "hi", false);
    Client::post(&url, path, &request).await;
    live.proxy.audited("proxy.response", 1).await;
    let seen = [
        (
            "/unknown/path",
            json!(404),
            json!("not routed: passed unmasked"),
        ),
        (path, json!(400), json!("mask_invalid_request")),
        (path, json!(500), Value::Null),
    ];
    for (number, (path, status, note)) in seen.into_iter().enumerate() {
        let exchange = live.exchange(&cookie, number as u64).await;
        let found = (&exchange["path"], &exchange["note"], &exchange["ended"]);
        assert_eq!(found, (&path.into(), &note, &true.into()), "{exchange}");
        if number > 0 {
            assert_eq!(exchange["status"], status, "{exchange}");
        }
        assert!(!exchange.to_string().contains(&values.email), "{exchange}");
    }
}
