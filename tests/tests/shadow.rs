//! Policy shadow: everything passes byte for byte, and what would be masked is counted.

use std::fs;
use std::io::Write;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tests::{Client, Mock, Proxy, ProxyOptions, Schema, Values, maskproxy, vectors};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

const SHADOW: &str = "policy: shadow\n";

/// A provider that answers with the bytes that it was sent, and keeps them.
struct Echo {
    url: String,
    bodies: Arc<Mutex<Vec<Vec<u8>>>>,
}

impl Echo {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let bodies = Arc::<Mutex<Vec<Vec<u8>>>>::default();
        let kept = Arc::clone(&bodies);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(Self::serve(stream, Arc::clone(&kept)));
            }
        });
        Self { url, bodies }
    }

    async fn serve(mut stream: TcpStream, bodies: Arc<Mutex<Vec<Vec<u8>>>>) {
        let mut read = Vec::new();
        loop {
            let head = loop {
                if let Some(end) = find(&read, b"\r\n\r\n") {
                    break end + 4;
                }
                if stream.read_buf(&mut read).await.unwrap_or(0) == 0 {
                    return;
                }
            };
            let text = String::from_utf8_lossy(&read[..head]).to_ascii_lowercase();
            read.drain(..head);
            let length = text.split("content-length: ").nth(1);
            let length = length.and_then(|rest| rest.split("\r\n").next()?.parse().ok());
            let body = match length {
                Some(length) => {
                    while read.len() < length {
                        stream.read_buf(&mut read).await.expect("the body");
                    }
                    read.drain(..length).collect()
                }
                None => chunked(&mut stream, &mut read).await,
            };
            bodies.lock().expect("the bodies").push(body.clone());
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\netag: \"1\"\r\ncontent-length: {}\r\n\r\n",
                body.len()
            );
            let _ = stream.write_all(head.as_bytes()).await;
            let _ = stream.write_all(&body).await;
        }
    }

    fn last(&self) -> Vec<u8> {
        let bodies = self.bodies.lock().expect("the bodies");
        bodies.last().cloned().expect("a request")
    }
}

async fn chunked(stream: &mut TcpStream, read: &mut Vec<u8>) -> Vec<u8> {
    let mut body = Vec::new();
    loop {
        let Some(line) = find(read, b"\r\n") else {
            stream.read_buf(read).await.expect("a chunk");
            continue;
        };
        let size = String::from_utf8_lossy(&read[..line]).into_owned();
        let size = usize::from_str_radix(&size, 16).expect("a size");
        let end = line + 2 + size + 2;
        while read.len() < end {
            stream.read_buf(read).await.expect("a chunk");
        }
        body.extend_from_slice(&read[line + 2..end - 2]);
        read.drain(..end);
        if size == 0 {
            return body;
        }
    }
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}

async fn shadow(upstream: &str) -> Proxy {
    Proxy::start_with(upstream, &ProxyOptions::default().yaml(SHADOW)).await
}

/// Numbers below a bound that look random but are the same each time.
fn noise(mut seed: usize) -> impl FnMut(usize) -> usize {
    move |below| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed % below.max(1)
    }
}

fn random(next: &mut impl FnMut(usize) -> usize) -> u8 {
    u8::try_from(next(256)).expect("a byte")
}

/// Every example of a request, a reply and a stream; each cut, changed and mixed; and random bytes.
fn bodies() -> Vec<Vec<u8>> {
    let examples: Vec<_> = vectors::names()
        .iter()
        .map(|name| fs::read(vectors::folder().join(name)).expect("an example"))
        .collect();
    let mut next = noise(20);
    let mut bodies = examples.clone();
    for mut body in examples {
        let at = next(body.len());
        if next(2) == 0 {
            body.truncate(at);
        } else if let Some(byte) = body.get_mut(at) {
            *byte = random(&mut next);
        }
        bodies.push(body);
    }
    bodies.extend((0..60).map(|_| {
        let length = next(3000);
        (0..length).map(|_| random(&mut next)).collect()
    }));
    bodies.retain(|body| !body.is_empty());
    bodies
}

#[tokio::test]
async fn every_body_passes_byte_for_byte_in_both_directions() {
    passes_byte_for_byte(SHADOW).await;
}

#[tokio::test]
async fn every_body_passes_byte_for_byte_under_a_shadow_rule() {
    passes_byte_for_byte("policy:\n  - {route: /v1/*, shadow: true}\n  - {mask: all}\n").await;
}

async fn passes_byte_for_byte(yaml: &str) {
    let echo = Echo::start().await;
    let proxy = Proxy::start_with(&echo.url, &ProxyOptions::default().yaml(yaml)).await;
    let mut client = Client::connect(&proxy.url()).await;
    let bodies = bodies();
    for (number, body) in bodies.iter().enumerate() {
        let schema = Schema::ALL[number % 3];
        let reply = client.request("POST", schema.path(), &[], body).await;
        assert_eq!(reply.status, 200);
        assert!(echo.last() == *body, "request {number} was changed");
        assert!(reply.body == *body, "reply {number} was changed");
        assert_eq!(reply.header("etag"), Some("\"1\""));
    }
    let lines = proxy.audited("shadow.detected", bodies.len()).await;
    let found = lines.iter().filter(|line| line["transformations"] != 0);
    assert!(found.count() > 20);
    proxy.audited("proxy.response", bodies.len()).await;
    let text = proxy.audit_text();
    assert!(
        !text.contains("session") && !text.contains("aborted"),
        "{text}"
    );
}

/// What a company watches for a week: how much, of which type, where, and by which rule; never a
/// value.
#[tokio::test]
async fn what_would_be_masked_is_counted_by_type_field_and_rule() {
    let mock = Mock::start().await;
    let options = ProxyOptions::default().yaml(
        "policy: shadow\nsession: {strategy: client}\nvault: {type: sqlite, dsn: vault.db}\n",
    );
    let proxy = Proxy::start_with(&mock.url(), &options).await;
    let values = Values::of(7);
    let body = json!({
        "model": "echo", "max_tokens": 9,
        "system": format!("ask {}", values.email),
        "messages": [
            {"role": "user", "content": format!("{} and {}", values.email, values.phone)},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "t", "content": format!("cc {}", values.email)}
            ]},
        ],
        "metadata": {values.email.clone(): "x"},
    });
    let reply = Client::post(&proxy.url(), "/v1/messages", &body).await;
    assert_eq!(reply.status, 200);
    assert_eq!(reply.header("x-mask-session"), None);
    assert_eq!(mock.last().json(), body, "the provider was told everything");

    let lines = proxy.audited("shadow.detected", 1).await;
    let line = &lines[0];
    assert_eq!(line["path"], "/v1/messages");
    assert_eq!(line["entity_counts"], json!(["EMAIL:4", "PHONE:1"]));
    let finding = |entity: &str, field: &str, rule: &str| json!({"type": entity, "field": field, "rule": rule, "count": 1});
    let findings = line["findings"].as_array().expect("a list");
    for field in [
        "system",
        "messages[user].content",
        "messages[user].content[tool_result].content",
        "metadata.*:name",
    ] {
        assert!(
            findings.contains(&finding("EMAIL", field, "email")),
            "{field}: {line}"
        );
    }
    assert!(line["detect_ms"].as_f64() > Some(0.0));
    let request = &proxy.audited("proxy.request", 1).await[0];
    assert_eq!(request["shadow"], true);

    let metrics = proxy.metrics().await;
    let counter = "mask_shadow_findings_total{field=\"system\",rule=\"email\",type=\"EMAIL\"} 1\n";
    assert!(metrics.contains(counter), "{metrics}");
    assert!(
        metrics.contains("mask_entities_total{type=\"EMAIL\"} 0\n"),
        "nothing was masked"
    );
    assert_eq!(values.found_in(&(proxy.written() + &metrics)), [""; 0]);

    let configuration = proxy.directory().join("maskproxy.yaml");
    let vault = proxy.directory().join("vault.db");
    fs::write(
        &configuration,
        format!("vault: {{type: sqlite, dsn: {}}}\n", vault.display()),
    )
    .expect("written");
    let configuration = configuration.to_str().expect("UTF-8");
    let (_, sessions, _) = maskproxy(&["session", "list", "--json", "-c", configuration], "").await;
    assert!(!sessions.contains("ses_"), "{sessions}");
}

/// Under every other policy each of these is refused.
#[tokio::test]
async fn unreadable_requests_pass_and_are_counted() {
    let echo = Echo::start().await;
    let options = ProxyOptions::default().yaml("policy: shadow\nproxy: {max_body: 2000}\n");
    let proxy = Proxy::start_with(&echo.url, &options).await;
    let path = Schema::ChatStyle.path();
    let long = format!("{{\"messages\":[],\"x\":\"{}\"}}", "a".repeat(9000));
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(b"{\"messages\":[]}").expect("packed");
    let packed = packed.finish().expect("packed");
    let plain: &[(&str, &str)] = &[];
    let cases = [
        (plain, b"{\"messages\":".as_slice(), "NotJson"),
        (plain, b"{\"a\":\"\xff\"}", "NotUtf8"),
        (
            &[("content-encoding", "gzip")],
            &packed,
            "CompressedRequest",
        ),
        (&[("x-mask-session", "no name!")], b"{}", "SessionName"),
        (plain, long.as_bytes(), "RequestTooLarge"),
    ];
    for (number, (headers, body, error)) in cases.into_iter().enumerate() {
        let mut client = Client::connect(&proxy.url()).await;
        let reply = client.request("POST", path, headers, body).await;
        assert_eq!((reply.status, &*reply.body), (200, body), "{error}");
        assert!(echo.last() == body, "{error}");
        let lines = proxy.audited("shadow.detected", number + 1).await;
        assert_eq!(lines[number]["error_type"], error);
        let metrics = proxy.metrics().await;
        let counter = format!("mask_shadow_failures_total{{error_type=\"{error}\"}} 1\n");
        assert!(metrics.contains(&counter), "{metrics}");
    }
    // With chunked encoding the length is unknown.
    let mut client = Client::connect(&proxy.url()).await;
    let head = format!("POST {path} HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n");
    client.write(head.as_bytes()).await;
    for piece in long.as_bytes().chunks(1500) {
        client
            .write(format!("{:x}\r\n", piece.len()).as_bytes())
            .await;
        client.write(piece).await;
        client.write(b"\r\n").await;
    }
    client.write(b"0\r\n\r\n").await;
    let reply = client.reply("POST").await;
    assert_eq!((reply.status, reply.text()), (200, long.clone()));
    assert!(echo.last() == long.as_bytes());
}

#[tokio::test]
async fn a_failing_detector_fails_no_request() {
    let mock = Mock::start().await;
    let options = ProxyOptions::default()
        .yaml("policy: shadow\ndetector: [regex, {type: presidio, url: 'http://127.0.0.1:9'}]\n");
    let proxy = Proxy::start_with(&mock.url(), &options).await;
    let values = Values::of(3);
    let schema = Schema::ChatStyle;
    let request = schema.request("echo", &values.email, false);
    let reply = Client::post(&proxy.url(), schema.path(), &request).await;
    assert_eq!(schema.reply_text(&reply.text()), values.email);
    let line = &proxy.audited("shadow.detected", 1).await[0];
    assert_eq!(line["error_type"], "DetectorUnreachable");
    assert_eq!(line["entity_counts"], json!(["EMAIL:1"]));
    proxy
        .prints("policy shadow: a request was forwarded before every detector had scanned it")
        .await;
}

/// Values in the query once had the name of a header.
#[tokio::test]
async fn query_values_are_reported_in_the_field_head() {
    let mock = Mock::start().await;
    let proxy = shadow(&mock.url()).await;
    let schema = Schema::ChatStyle;
    let path = format!("{}?user=bob@example.com", schema.path());
    Client::post(&proxy.url(), &path, &schema.request("echo", "hello", false)).await;
    let line = &proxy.audited("shadow.detected", 1).await[0];
    assert_eq!(line["findings"][0]["field"], "head", "{line}");
    assert!(mock.last().target.ends_with("?user=bob@example.com"));
}

#[tokio::test]
async fn streams_pass_unchanged_and_immediately() {
    let mock = Mock::start().await;
    let proxy = shadow(&mock.url()).await;
    for schema in Schema::ALL {
        let request = schema.request("echo/3", "cc <MASK_EMAIL_1> bob@example.com", true);
        let direct = Client::post(&mock.url(), schema.path(), &request).await;
        let reply = Client::post(&proxy.url(), schema.path(), &request).await;
        let pieces = |text: String| text.matches("delta").count();
        assert_eq!(pieces(reply.text()), pieces(direct.text()), "{schema:?}");
        assert_eq!(
            schema.reply_text(&reply.text()),
            "cc <MASK_EMAIL_1> bob@example.com"
        );
    }
    let lines = proxy.audited("proxy.response", 3).await;
    assert!(
        lines
            .iter()
            .all(|line| line["stream"] == true && line.get("aborted").is_none())
    );
}

#[tokio::test]
async fn every_policy_display_says_that_nothing_is_masked() {
    let mock = Mock::start().await;
    let proxy = shadow(&mock.url()).await;
    proxy.prints("policy shadow: NOTHING is masked").await;
    proxy.prints("masks        NOTHING (policy shadow)").await;
    let path = proxy.directory().join("maskproxy.yaml");
    let path = path.to_str().expect("UTF-8");
    for command in [&["config"][..], &["config", "--show"], &["doctor"]] {
        let (_, out, _) = maskproxy(&[command, &["-c", path]].concat(), "").await;
        assert!(
            out.contains("policy shadow: NOTHING is masked"),
            "{command:?}: {out}"
        );
    }
    let (_, out, _) = maskproxy(&["config", "--json", "-c", path], "").await;
    let shown: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(shown["masks_nothing"], true);
}

/// What gateways send to be masked would leave unmasked.
#[tokio::test]
async fn policy_shadow_and_guardrail_exclude_each_other() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("c.yaml");
    fs::write(&path, "policy: shadow\nproxy: {guardrail: 0}\n").expect("written");
    let path = path.to_str().expect("UTF-8");
    let (code, _, error) = maskproxy(&["config", "-c", path], "").await;
    assert_ne!(code, Some(0));
    assert!(
        error.contains("policy shadow masks nothing, so 'proxy.guardrail'"),
        "{error}"
    );
}
