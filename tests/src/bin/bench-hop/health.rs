//! `/health` while bodies of 12 MB pass.

use std::time::{Duration, Instant};

use serde_json::json;
use tests::Client;

use crate::nginx::Nginx;
use crate::{Contender, contenders, percentile};

pub(crate) async fn measure(span: Duration) {
    let provider = Nginx::provider("{\"choices\":[]}").await;
    println!("## `/health` while a 12 MB body is on its way\n");
    println!(
        "| | p50 ms | p99 ms | 12 MB bodies in {} s |",
        span.as_secs()
    );
    println!("|---|---|---|---|");
    for contender in contenders(&provider.url()).await.iter().skip(1) {
        let (delays, bodies) = run(contender, span).await;
        println!(
            "| {} | {:.3} | {:.3} | {bodies} |",
            contender.name,
            percentile(&delays, 50),
            percentile(&delays, 99)
        );
    }
    println!();
}

/// A chat body of 12 MB as agents send them: mostly plain text, a value here and there.
pub(crate) fn large_body() -> String {
    let words = "The quick brown fox jumps over the lazy dog, and so on. ".repeat(70);
    let passage = format!("Ask mira.holt@northwind.example.com at 10.20.30.40. {words}");
    let text = passage.repeat((12 << 20) / passage.len());
    json!({"model": "gpt-5", "messages": [{"role": "user", "content": text}]}).to_string()
}

async fn run(contender: &Contender, span: Duration) -> (Vec<f64>, usize) {
    let url = contender.url.clone();
    let end = Instant::now() + span;
    // On its own thread, so that writing 12 MB does not delay the other side's clock.
    let load = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        runtime.expect("a runtime").block_on(async {
            let body = large_body();
            let mut client = Client::connect(&url).await;
            let mut bodies = 0;
            while Instant::now() < end {
                let reply = client
                    .request("POST", "/v1/chat/completions", &[], body.as_bytes())
                    .await;
                assert_eq!(reply.status, 200);
                bodies += 1;
            }
            bodies
        })
    });
    let mut delays = Vec::new();
    let mut client = Client::connect(&contender.url).await;
    while Instant::now() < end {
        let begin = Instant::now();
        client.request("GET", "/health", &[], b"").await;
        delays.push(begin.elapsed().as_secs_f64() * 1000.0);
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    delays.sort_by(f64::total_cmp);
    (delays, load.join().expect("the load"))
}
