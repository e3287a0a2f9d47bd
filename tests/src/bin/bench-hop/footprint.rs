//! Start time and memory.

use std::time::Instant;

use tests::{Client, Proxy};

use crate::health::large_body;
use crate::nginx::Nginx;
use crate::process::Process;
use crate::{contenders, median, streams};

const STARTS: usize = 11;
const OPEN: usize = 500;

pub(crate) async fn measure() {
    let provider = Nginx::provider("{\"choices\":[]}").await;
    println!("## Start and memory of maskproxy\n");
    println!("| what | |\n|---|---|");

    let mut starts = Vec::new();
    for _ in 0..STARTS {
        let begin = Instant::now();
        let _proxy = Proxy::start(&provider.url()).await;
        starts.push(begin.elapsed().as_secs_f64() * 1000.0);
    }
    println!(
        "| start to first `/health` (median of {STARTS}) | {:.1} ms |",
        median(starts)
    );

    let proxy = Proxy::start(&provider.url()).await;
    let process = Process::of(proxy.pid());
    println!(
        "| resident memory idle | {:.1} MB |",
        process.resident() / 1024.0
    );

    let body = large_body();
    let idle = process.resident();
    let mut client = Client::connect(&proxy.url()).await;
    let reply = client
        .request("POST", "/v1/chat/completions", &[], body.as_bytes())
        .await;
    assert_eq!(reply.status, 200);
    let size = f64::from(u32::try_from(body.len()).expect("12 MB")) / 1024.0;
    println!(
        "| peak memory for a body of 12 MB | {:.2} × its size |",
        (process.peak() - idle) / size
    );
    println!(
        "| resident memory after it | {:.1} MB |\n",
        process.resident() / 1024.0
    );

    println!("| {OPEN} open streams | KB a stream |\n|---|---|");
    let provider = streams::start_provider().await;
    for contender in contenders(&provider).await.iter().skip(1) {
        let resident = || {
            contender
                .processes
                .iter()
                .map(|process| process.resident())
                .sum::<f64>()
        };
        let before = resident();
        let mut open = Vec::new();
        for _ in 0..OPEN {
            open.push(streams::open(&contender.url).await);
        }
        let a_stream = (resident() - before) / f64::from(u32::try_from(OPEN).expect("small"));
        println!("| {} | {a_stream:.1} |", contender.name);
    }
}
