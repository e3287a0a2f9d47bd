//! A great number of distinct values: what shows them stays right, and bounded in memory.
//!
//! `MASKPROXY_VALUES=1000000 cargo test --release -p tests --test end_to_end many_values` plays it with a million.

use std::fmt::Write as _;

use serde_json::{Value, json};
use tests::{Client, Mock, Proxy, ProxyOptions, maskproxy};

/// How many values one request has: more than the page tells apart.
const OF_REQUEST: usize = 2000;

fn values() -> usize {
    let wanted = std::env::var("MASKPROXY_VALUES").ok();
    wanted.map_or(30_000, |values| values.parse().expect("a number"))
}

fn request(first: usize, count: usize) -> Value {
    let mut text = String::new();
    for number in first..first + count {
        let _ = write!(text, "user{number:07}@corp{number:07}.example.com, ");
    }
    json!({"model": "echo", "messages": [{"role": "user", "content": text}]})
}

/// What a process holds in memory, in bytes.
#[cfg(target_os = "linux")]
fn memory(process: u32) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).expect("a process");
    let mut lines = status.lines();
    let size = lines.find_map(|line| line.strip_prefix("VmRSS:"));
    let size = size.and_then(|size| size.split_whitespace().next()?.parse::<usize>().ok());
    size.expect("a size in KiB") * 1024
}

#[cfg(not(target_os = "linux"))]
fn memory(_: u32) -> usize {
    0
}

/// The page, asked by the one who used its link.
struct Page {
    url: String,
    cookie: String,
}

impl Page {
    async fn open(proxy: &Proxy) -> Self {
        let printed = proxy.printed();
        let link = printed.split_whitespace().find(|word| word.contains("/#"));
        let (url, secret) = link.and_then(|link| link.split_once("/#")).expect("a link");
        let body = json!({"link": secret}).to_string();
        let headers = [("Origin", url)];
        let mut client = Client::connect(url).await;
        let reply = client
            .request("POST", "/api/open", &headers, body.as_bytes())
            .await;
        let cookie = reply.header("set-cookie").expect("a cookie");
        let cookie = cookie.split(';').next().expect("a cookie").to_owned();
        Self {
            url: url.to_owned(),
            cookie,
        }
    }

    async fn exchange(&self, number: usize) -> String {
        let path = format!("/api/exchanges/{number}");
        let mut client = Client::connect(&self.url).await;
        let headers = [("Cookie", self.cookie.as_str())];
        client.request("GET", &path, &headers, b"").await.text()
    }
}

#[tokio::test]
async fn very_many_distinct_values_are_counted_in_bounded_memory() {
    let mock = Mock::start().await;
    let options = ProxyOptions::default().flag("--ui").flag("0");
    let mut proxy = Proxy::start_with(&mock.url(), &options).await;
    let page = Page::open(&proxy).await;
    let requests = values().div_ceil(OF_REQUEST);
    let all = requests * OF_REQUEST;
    let (mut metrics_at_first, mut memory_at_first) = (0, 0);
    for number in 0..requests {
        let body = request(number * OF_REQUEST, OF_REQUEST);
        let reply = Client::post(&proxy.url(), "/v1/chat/completions", &body).await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        if number == 4 {
            metrics_at_first = proxy.metrics().await.len();
            memory_at_first = memory(proxy.pid());
        }
    }
    proxy.audited("proxy.response", requests).await;

    let metrics = proxy.metrics().await;
    let counted = format!("mask_entities_total{{type=\"EMAIL\"}} {all}\n");
    assert!(metrics.contains(&counted), "{metrics}");
    assert!(metrics.len() < metrics_at_first + 1000, "{metrics}");
    // Two hundred exchanges of the page, its texts cut, and what the allocator keeps.
    let grown = memory(proxy.pid()).saturating_sub(memory_at_first);
    assert!(grown < 128 << 20, "{grown} bytes more");

    let shown = page.exchange(requests - 1).await;
    assert!(shown.contains("more than 1000 values"), "{shown:.300}");
    assert!(!shown.contains("@corp"), "{shown:.300}");
    assert!(shown.len() < 1 << 20, "{} bytes", shown.len());

    let trail = proxy.directory().join("audit.log");
    let trail = trail.to_str().expect("UTF-8").to_owned();
    let longest = proxy.audit_text().lines().map(str::len).max();
    assert!(longest < Some(4096), "{longest:?}");
    let url = proxy.url();
    for (arguments, at) in [
        (
            &["top", "--once", "--json", "--url", &url, "--audit", &trail][..],
            "/values/by_type/EMAIL",
        ),
        (
            &["audit", "report", "--format", "json", &trail],
            "/by_type/EMAIL/masked",
        ),
    ] {
        let (status, out, errors) = maskproxy(arguments, "").await;
        assert_eq!(status, Some(0), "{errors}");
        let read: Value = serde_json::from_str(&out).expect("JSON");
        assert_eq!(read.pointer(at), Some(&json!(all)), "{out}");
        assert!(out.len() < 1 << 14, "{out}");
    }
    proxy.stop().await;
}

/// It was the fault of the vault, after all was masked.
#[tokio::test]
async fn a_session_over_its_value_limit_refuses_the_request() {
    let mock = Mock::start().await;
    let proxy = Proxy::start(&mock.url()).await;
    let url = proxy.url();
    let ask = async |messages: Vec<Value>| {
        let body = json!({"model": "echo", "messages": messages}).to_string();
        let mut client = Client::connect(&url).await;
        let named = [("x-mask-session", "team")];
        let path = "/v1/chat/completions";
        client.request("POST", path, &named, body.as_bytes()).await
    };
    let message = |text: String| json!({"role": "user", "content": text});
    let first = || vec![message("write to ada@example.com".to_owned())];
    assert_eq!(ask(first()).await.status, 200);
    let many = (0..101).map(|text| {
        let values = (0..1000).map(|value| format!("u{text}x{value}@b.example "));
        message(values.collect())
    });
    let reply = ask(many.collect()).await;
    assert_eq!(reply.status, 422, "{}", reply.text());
    assert_eq!(reply.code().as_deref(), Some("mask_session_full"));
    assert!(
        reply.text().contains("begin another session"),
        "{}",
        reply.text()
    );
    assert_eq!(reply.header("x-should-retry"), Some("false"));
    assert_eq!(mock.requests().len(), 1);
    assert_eq!(ask(first()).await.status, 200);
    assert!(mock.last().text().contains("<MASK_EMAIL_1>"));
}
