//! Exchanges with a misbehaving provider, over real sockets.

mod bursts;

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use engine::RestoreSummary;
use http::Method;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::net::{TcpListener, TcpStream};

use super::trail::Trail;
use super::{Context, Delivered, ProcessState, Shared, answer};
use crate::audit::Audit;
use crate::base::panics::{Panicked, contain};
use crate::config::{Config, Values};
use crate::detector::ExternalDetectors;
use crate::error::Fault;
use crate::session::{Remembered, RequestId, Sessions, StorageSettings};
use crate::traces::Traces;
use crate::upstream::{ConnectionLimit, Egress, Outgoing, ToProvider, Upstream};
use crate::vault::Vault;

/// What the provider does with a request.
#[derive(Debug, Clone, Copy)]
enum Does {
    /// Answers.
    Reply(&'static str),
    /// Answers and closes the connection a moment later. What is delivered when both come at once, the
    /// server decides (`server/head_timeout.rs`).
    ReplyAndClose(&'static str),
    /// Answers and then sends nothing more.
    ReplyAndStall(&'static str),
    /// Closes the connection at once.
    Close,
    /// Closes the connection after a while.
    CloseLate,
}

const OK: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}";
const HALF: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 20\r\n\r\n{\"a\":";
const EVENT: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\
                     transfer-encoding: chunked\r\n\r\nb\r\ndata: {}\n\n\n\r\n";
const TOOL_CALL: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\
    transfer-encoding: chunked\r\n\r\n\
    9c\r\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c\",\
    \"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"a\\\": \\\"<MASK_EM\"}}]}}]}  \n\n\r\n";

/// A provider that handles all connections by one script, and counts the requests that it read.
async fn provider(scripts: Vec<Vec<Does>>) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let requests = Arc::<AtomicUsize>::default();
    let seen = Arc::clone(&requests);
    tokio::spawn(async move {
        for script in scripts {
            let (stream, _) = listener.accept().await.unwrap();
            tokio::spawn(follow(script, stream, Arc::clone(&seen)));
        }
    });
    (url, requests)
}

async fn follow(script: Vec<Does>, mut stream: TcpStream, seen: Arc<AtomicUsize>) {
    for does in script {
        let mut request = Vec::new();
        while !request.ends_with(b"}") {
            if stream.read_buf(&mut request).await.unwrap_or(0) == 0 {
                return;
            }
        }
        seen.fetch_add(1, Ordering::Relaxed);
        match does {
            Does::Reply(reply) => stream.write_all(reply.as_bytes()).await.unwrap(),
            Does::ReplyAndClose(reply) => {
                stream.write_all(reply.as_bytes()).await.unwrap();
                return tokio::time::sleep(Duration::from_millis(50)).await;
            }
            Does::ReplyAndStall(reply) => {
                stream.write_all(reply.as_bytes()).await.unwrap();
                return std::future::pending().await;
            }
            Does::Close => return,
            Does::CloseLate => return tokio::time::sleep(Duration::from_secs(20)).await,
        }
    }
}

/// A client of a proxy that serves one connection.
struct Client(DuplexStream);

/// A proxy without a listener.
fn proxy(upstream: &str, timeout: &str) -> Context {
    let settings = [("proxy.upstream", upstream), ("proxy.timeout", timeout)];
    let values = Values::defaults().with_command_defaults(&settings);
    let config = Config::resolve(&values).unwrap();
    let upstream = Upstream::new(ToProvider {
        origin: config.mode.origin().clone(),
        tls: None,
        egress: Egress::default(),
        limits: config.limits,
        connections: ConnectionLimit::default(),
    });
    let detectors = ExternalDetectors::default();
    let vault = Vault::open(&config.vault).unwrap();
    let audit = Audit::open(None).unwrap();
    let sessions = Sessions::new(StorageSettings::of(&config), vault, Remembered::default());
    let shared = Shared::new(
        config,
        detectors,
        Arc::new(sessions),
        audit,
        Traces::default(),
        ProcessState::default(),
        1,
    );
    Context::new(Arc::new(shared), upstream)
}

impl Client {
    fn of(upstream: &str, timeout: &str) -> Self {
        let context = Arc::new(proxy(upstream, timeout));
        let (client, server) = tokio::io::duplex(1 << 16);
        let service = service_fn(move |request| {
            let context = Arc::clone(&context);
            async move { Ok::<_, Infallible>(answer(&context, request).await) }
        });
        tokio::spawn(
            hyper::server::conn::http1::Builder::new()
                .serve_connection(TokioIo::new(server), service),
        );
        Self(client)
    }

    async fn send(&mut self) {
        let request = "POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: 70\r\n\r\n\
                       {\"messages\":[{\"role\":\"user\",\"content\":\"I am alice@example.com, hi.\"}]}";
        self.0.write_all(request.as_bytes()).await.unwrap();
    }

    /// What arrives up to `end`, or until the connection ends.
    async fn until(&mut self, end: &str) -> String {
        let mut reply = Vec::new();
        while !String::from_utf8_lossy(&reply).contains(end) {
            if self.0.read_buf(&mut reply).await.unwrap_or(0) == 0 {
                break;
            }
        }
        String::from_utf8(reply).unwrap()
    }

    /// Reads at least this many bytes.
    async fn read(&mut self, bytes: usize) {
        let mut reply = Vec::new();
        let mut read = 0;
        while read < bytes {
            reply.clear();
            read += self.0.read_buf(&mut reply).await.unwrap();
        }
    }

    async fn ask(&mut self) -> String {
        self.send().await;
        self.until("}").await
    }
}

fn is_coded(reply: &str, status: &str, code: &str) -> bool {
    reply.starts_with(&format!("HTTP/1.1 {status} "))
        && reply.contains(&format!("\"code\":\"{code}\""))
}

#[tokio::test]
async fn a_silent_provider_is_a_timeout() {
    let (url, _) = provider(vec![vec![Does::ReplyAndStall("")]]).await;
    let reply = Client::of(&url, "0.2").ask().await;
    assert!(is_coded(&reply, "504", "mask_upstream_timeout"), "{reply}");
}

#[tokio::test]
async fn a_batch_reply_that_stalls_or_breaks_off_is_still_a_coded_error() {
    let (url, _) = provider(vec![vec![Does::ReplyAndStall(HALF)]]).await;
    let reply = Client::of(&url, "0.2").ask().await;
    assert!(is_coded(&reply, "504", "mask_upstream_timeout"), "{reply}");

    let (url, _) = provider(vec![vec![Does::ReplyAndClose(HALF)]]).await;
    let reply = Client::of(&url, "5").ask().await;
    assert!(
        is_coded(&reply, "502", "mask_upstream_unreachable"),
        "{reply}"
    );
}

#[tokio::test]
async fn a_stream_that_stalls_or_breaks_off_never_ends_properly() {
    for does in [Does::ReplyAndStall(EVENT), Does::ReplyAndClose(EVENT)] {
        let (url, _) = provider(vec![vec![does]]).await;
        let mut client = Client::of(&url, "2");
        client.send().await;
        let reply = client.until("no such text").await;
        assert!(reply.contains("data: {}"), "{reply}");
        assert!(!reply.contains("\r\n0\r\n"), "{reply}");
    }
}

#[tokio::test]
async fn a_request_on_a_closed_idle_connection_is_retried() {
    let scripts = vec![vec![Does::Reply(OK), Does::Close], vec![Does::Reply(OK)]];
    let (url, requests) = provider(scripts).await;
    let mut client = Client::of(&url, "5");
    assert!(client.ask().await.starts_with("HTTP/1.1 200 "));
    assert!(client.ask().await.starts_with("HTTP/1.1 200 "));
    assert_eq!(requests.load(Ordering::Relaxed), 3);
}

/// It once was, and the provider did twice what it had worked at for long.
#[tokio::test(start_paused = true)]
async fn a_request_that_the_provider_held_is_not_retried() {
    let scripts = vec![
        vec![Does::Reply(OK), Does::CloseLate],
        vec![Does::Reply(OK)],
    ];
    let (url, requests) = provider(scripts).await;
    let mut client = Client::of(&url, "300");
    assert!(client.ask().await.starts_with("HTTP/1.1 200 "));
    let reply = client.ask().await;
    assert!(
        is_coded(&reply, "502", "mask_upstream_unreachable"),
        "{reply}"
    );
    assert_eq!(requests.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn requests_on_new_connections_are_not_retried() {
    let scripts = vec![vec![Does::Close], vec![Does::Reply(OK)]];
    let (url, requests) = provider(scripts).await;
    let reply = Client::of(&url, "5").ask().await;
    assert!(
        is_coded(&reply, "502", "mask_upstream_unreachable"),
        "{reply}"
    );
    assert_eq!(requests.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a_reply_that_cannot_be_decoded_is_never_passed_on() {
    let reply = "HTTP/1.1 200 OK\r\ncontent-encoding: snappy\r\ncontent-length: 5\r\n\r\n<MASK";
    let (url, _) = provider(vec![vec![Does::Reply(reply)]]).await;
    let reply = Client::of(&url, "5").ask().await;
    assert!(
        is_coded(&reply, "502", "mask_upstream_unreachable"),
        "{reply}"
    );
    assert!(!reply.contains("<MASK"));
}

#[tokio::test(start_paused = true)]
async fn a_comment_keeps_the_client_alive_during_hold_back() {
    let (url, _) = provider(vec![vec![Does::ReplyAndStall(TOOL_CALL)]]).await;
    let mut client = Client::of(&url, "300");
    client.send().await;
    let begin = tokio::time::Instant::now();
    let reply = client.until("\r\n:").await;
    assert!(reply.contains("\r\n:"), "{reply}");
    let waited = begin.elapsed();
    assert!(
        waited >= Duration::from_secs(15) && waited < Duration::from_secs(40),
        "{waited:?}"
    );
}

/// Panics whenever anything is logged.
struct Panicking;

impl tracing::Subscriber for Panicking {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}

    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        let is_own = event.metadata().target().starts_with("maskproxy");
        assert!(!is_own, "alice@example.com");
    }

    fn enter(&self, _: &tracing::span::Id) {}

    fn exit(&self, _: &tracing::span::Id) {}
}

/// It once ended the process, and every other exchange with it.
#[tokio::test]
async fn a_panic_fails_only_its_own_exchange() {
    let (url, _) = provider(vec![vec![Does::Close], vec![Does::Reply(OK)]]).await;
    let mut client = Client::of(&url, "5");
    let logging = tracing::subscriber::set_default(Panicking);
    let reply = client.ask().await;
    drop(logging);
    assert!(is_coded(&reply, "503", "mask_scan_failed"), "{reply}");
    assert!(!reply.contains("alice"), "{reply}");
    assert!(client.ask().await.starts_with("HTTP/1.1 200 "));
}

#[tokio::test]
async fn an_exchange_that_panicked_is_recorded_as_failed() {
    let context = proxy("http://127.0.0.1:9", "5");
    let trail = trail(&context);
    let panicked = contain(move || {
        let _trail = trail;
        panic!("on purpose")
    });
    assert_eq!(panicked, Err::<(), _>(Panicked));
    let metrics = metrics(&context);
    for line in [
        "mask_errors_total{phase=\"transform\"} 1\n",
        "mask_events_total{event=\"proxy.response\"} 0\n",
        "mask_exchanges_in_flight 0\n",
    ] {
        assert!(metrics.contains(line), "{line}{metrics}");
    }
}

fn trail(context: &Context) -> Trail {
    let route = context.shared.routes.find("/v1/messages").unwrap();
    let shared = Arc::clone(&context.shared);
    Trail::begin(shared, RequestId::random(), route, Method::POST, None)
}

fn metrics(context: &Context) -> String {
    String::from_utf8(context.shared.metrics.expose()).unwrap()
}

/// The time until clients had left once counted as one that replies took.
#[tokio::test]
async fn aborted_replies_are_excluded_from_response_times() {
    let context = proxy("http://127.0.0.1:9", "5");
    drop(trail(&context));
    let left = metrics(&context);
    assert!(left.contains("mask_events_total{event=\"proxy.response\"} 1\n"));
    assert!(left.contains("mask_response_seconds_count 0\n"));
    trail(&context).delivered(&RestoreSummary::default(), 0);
    assert!(metrics(&context).contains("mask_response_seconds_count 1\n"));
}

/// What a client had got of a stream that broke off was in neither audit trail nor metrics.
#[tokio::test]
async fn what_was_restored_before_a_stream_broke_off_is_recorded() {
    let context = proxy("http://127.0.0.1:9", "5");
    let summary = RestoreSummary {
        restored: 2,
        ..RestoreSummary::default()
    };
    trail(&context).broke_off(&summary, Fault::ReplyBroke);
    let metrics = metrics(&context);
    for line in [
        "mask_tokens_restored_total 2\n",
        "mask_events_total{event=\"session.restore\"} 1\n",
        "mask_events_total{event=\"proxy.error\"} 1\n",
        "mask_events_total{event=\"proxy.response\"} 0\n",
    ] {
        assert!(metrics.contains(line), "{line}{metrics}");
    }
}

/// Bodies that were read whole were shown as they are.
#[test]
fn no_body_is_in_debug_output() {
    let question = Outgoing::to_detector(b"hunter2".to_vec());
    let passed = Outgoing::pass_through_whole(b"hunter2".to_vec().into());
    let reply = Delivered::Whole("hunter2".into());
    let shown = format!("{question:?} {passed:?} {reply:?}");
    assert_eq!(shown, "Outgoing(7 bytes) Outgoing(7 bytes) Whole(7 bytes)");
}
