//! What is written when the process gets no more memory: a thread that can't start is a panic in its exchange, and an
//! allocation that fails ends the process.

#![cfg(target_os = "linux")]

use std::os::unix::process::ExitStatusExt as _;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::json;
use tests::limits::limit_memory;
use tests::secrecy::{every_feature, spelled_in};
use tests::{Answer, Client, Mock, Proxy, ProxyOptions, Reply, Schema, Service, Values};

const CREDENTIAL: &str = "sk-of-the-client-Zq83";
/// Less than a thread needs.
const LITTLE: u64 = 1 << 20;

/// A proxy with every feature on.
struct Everything {
    proxy: Proxy,
    /// The live page.
    page: String,
    _parts: (Mock, Service),
}

impl Everything {
    async fn start() -> Self {
        let mock = Mock::start().await;
        let presidio = Service::start(|_| Answer::json(&json!([]))).await;
        let options = ProxyOptions::default()
            .yaml(&every_feature(&presidio.url()))
            .env("RUST_LOG", "trace")
            .env("RUST_BACKTRACE", "full")
            .env("MASK_ENCRYPT_KEY", &"0f".repeat(32))
            .flag("--ui")
            .flag("0");
        let proxy = Proxy::start_with(&mock.url(), &options).await;
        let printed = proxy.printed();
        let mut words = printed.split_whitespace();
        let page = words.find_map(|word| Some(word.split_once("/#")?.0.to_owned()));
        Self {
            proxy,
            page: page.expect("a link"),
            _parts: (mock, presidio),
        }
    }

    /// Sends a request with values in so many lines, and does not wait for the reply.
    async fn send(&self, values: &Values, lines: usize) -> Client {
        let text = format!("{values}\n").repeat(lines);
        let body = Schema::ChatStyle.request("echo", &text, false).to_string();
        let authorization = format!("Bearer {CREDENTIAL}");
        let headers = [("authorization", authorization.as_str())];
        let path = Schema::ChatStyle.path();
        let mut client = Client::connect(&self.proxy.url()).await;
        client.send("POST", path, &headers, body.as_bytes()).await;
        client
    }

    async fn exchange(&self, values: &Values, lines: usize) -> Reply {
        self.send(values, lines).await.reply("POST").await
    }

    /// What the live page answers to those who did not use the link, and what the metrics say.
    async fn told_to_anybody(&self) -> String {
        let mut told = self.proxy.metrics().await;
        for (method, path, body) in [
            ("GET", "/", ""),
            ("GET", "/api/exchanges", ""),
            ("GET", "/api/exchanges/0", ""),
            ("POST", "/api/exchanges/0/values/0", ""),
            ("POST", "/api/open", r#"{"link": "guessed"}"#),
        ] {
            for headers in [&[][..], &[("Origin", "http://evil.example")]] {
                let mut client = Client::connect(&self.page).await;
                let reply = client.request(method, path, headers, body.as_bytes());
                told += &reply.await.text();
            }
        }
        told
    }

    /// Searches everything that the proxy wrote, and more.
    fn holds_none(&self, values: &Values, more: &str) {
        let everything = self.proxy.written() + more;
        assert!(everything.contains("proxy.request"), "an audit trail");
        let planted = values.all().into_iter().chain([CREDENTIAL]);
        assert_eq!(spelled_in(&everything, planted), [""; 0]);
    }
}

#[tokio::test]
async fn a_panic_in_an_exchange_writes_no_value() {
    let (mut all, values) = (Everything::start().await, Values::of(62));
    limit_memory(all.proxy.pid(), Some(LITTLE));
    // So long that it is read in a thread of its own.
    let failed = all.exchange(&values, 200).await;
    assert_eq!(failed.status, 503, "{}", failed.text());
    assert!(failed.text().contains("mask_scan_failed"));
    limit_memory(all.proxy.pid(), None);
    all.proxy
        .prints("an internal error; please report it")
        .await;
    let errors = all.proxy.audited("proxy.error", 1).await;
    assert_eq!(errors[0]["error_type"], "WorkStopped");
    let next = all.exchange(&values, 1).await;
    assert!(next.text().contains(&values.email), "{}", next.text());
    let told = failed.text() + &all.told_to_anybody().await;
    all.proxy.stop().await;
    all.holds_none(&values, &told);
}

#[tokio::test]
async fn a_crash_writes_no_value() {
    let maximum = getrlimit(Resource::Core).maximum;
    let cores = Rlimit {
        current: maximum,
        maximum,
    };
    setrlimit(Resource::Core, cores).expect("a limit within the maximum");
    let (mut all, values) = (Everything::start().await, Values::of(63));
    all.exchange(&values, 1).await;
    let told = all.told_to_anybody().await;
    limit_memory(all.proxy.pid(), Some(LITTLE));
    let _client = all.send(&values, 40_000).await;
    let status = all.proxy.ended().await;
    let printed = all.proxy.printed();
    assert!(printed.contains("memory allocation of"), "{printed}");
    assert!(status.signal().is_some() && !status.core_dumped());
    all.holds_none(&values, &told);
}
