//! Thousands of slow streams at once, and one very large body, while `/health` is asked.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::json;
use tests::{Client, Proxy};

use crate::nginx::Nginx;
use crate::percentile;
use crate::process::Process;
use crate::streams;

const OPEN: u32 = 5000;
/// Between two deltas of a slow stream.
const SLOW: Duration = Duration::from_secs(2);
/// How many streams are opened before the provider gets time to catch up.
const BATCH: u32 = 100;

/// As much as a request may have by default.
const LARGEST: usize = 64 << 20;

pub(crate) async fn measure(span: Duration) {
    println!("## A crowd, and a giant\n");
    println!("| what | |\n|---|---|");
    slow_streams(span).await;
    largest_body().await;
    println!();
}

async fn slow_streams(span: Duration) {
    let provider = streams::start_provider_with(SLOW).await;
    let proxy = Proxy::start(&provider).await;
    let process = Process::of(proxy.pid());
    let before = process.resident();
    let mut open = Vec::new();
    for number in 0..OPEN {
        open.push(streams::open(&proxy.url()).await);
        if number % BATCH == 0 {
            tokio::task::yield_now().await;
        }
    }
    let asking = Asking::start(proxy.url());
    tokio::time::sleep(span).await;
    let delays = asking.stop();
    let a_stream = (process.resident() - before) / f64::from(OPEN);
    println!("| memory of each of {OPEN} open streams | {a_stream:.1} KB |");
    println!(
        "| `/health` meanwhile, p50 and p99 | {:.2} and {:.2} ms |",
        percentile(&delays, 50),
        percentile(&delays, 99)
    );
}

async fn largest_body() {
    let provider = Nginx::provider("{\"choices\":[]}").await;
    let proxy = Proxy::start(&provider.url()).await;
    let process = Process::of(proxy.pid());
    let words = "The quick brown fox jumps over the lazy dog, and so on. ".repeat(70);
    let passage = format!("Ask mira.holt@northwind.example.com at 10.20.30.40. {words}");
    let text = passage.repeat((LARGEST - 1024) / passage.len());
    let body =
        json!({"model": "gpt-5", "messages": [{"role": "user", "content": text}]}).to_string();
    drop(text);

    let idle = process.resident();
    let mut client = Client::connect(&proxy.url()).await;
    let asking = Asking::start(proxy.url());
    let begun = Instant::now();
    let reply = client
        .request("POST", "/v1/chat/completions", &[], body.as_bytes())
        .await;
    let took = begun.elapsed();
    let delays = asking.stop();
    assert_eq!(reply.status, 200, "{}", reply.text());
    let size = f64::from(u32::try_from(body.len()).expect("64 MiB")) / 1024.0;
    println!(
        "| a body of 64 MiB, there and back | {:.2} s |",
        took.as_secs_f64()
    );
    println!(
        "| peak memory for it | {:.2} × its size |",
        (process.peak() - idle) / size
    );
    println!(
        "| `/health` meanwhile, p50 and slowest | {:.2} and {:.2} ms |",
        percentile(&delays, 50),
        percentile(&delays, 100)
    );
}

/// Requests `/health` repeatedly, on its own thread.
struct Asking {
    done: Arc<AtomicBool>,
    thread: JoinHandle<Vec<f64>>,
}

impl Asking {
    fn start(url: String) -> Self {
        let done = Arc::<AtomicBool>::default();
        let until = Arc::clone(&done);
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build();
            runtime.expect("a runtime").block_on(ask(&url, &until))
        });
        Self { done, thread }
    }

    /// The delays in milliseconds, the shortest first.
    fn stop(self) -> Vec<f64> {
        self.done.store(true, Ordering::Relaxed);
        self.thread.join().expect("answers")
    }
}

async fn ask(url: &str, done: &AtomicBool) -> Vec<f64> {
    let mut delays = Vec::new();
    let mut client = Client::connect(url).await;
    while !done.load(Ordering::Relaxed) {
        let begun = Instant::now();
        client.request("GET", "/health", &[], b"").await;
        delays.push(begun.elapsed().as_secs_f64() * 1000.0);
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    delays.sort_by(f64::total_cmp);
    delays
}
