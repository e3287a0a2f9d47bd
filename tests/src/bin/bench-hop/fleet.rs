//! Several proxies on one Redis and on a cluster of three: what they carry together, and what a request costs each.

use std::time::{Duration, Instant};

use tests::{Client, Mock, Proxy, ProxyOptions, Redis, RedisFleet, Schema};

use crate::process::Process;

/// How many proxies share the servers.
const PROXIES: [usize; 3] = [1, 2, 4];

/// Clients, each of which has a session of its own and waits for each reply.
const CLIENTS: usize = 16;

const TEXT: &str = "Write to alice@example.com and bob@example.com from 192.0.2.17.";

/// Prints a table.
pub(crate) async fn measure(span: Duration) {
    println!("## Proxies on one Redis and on a cluster of three\n");
    println!(
        "{CLIENTS} clients with a session each, values known; processor time in µs a request.\n"
    );
    println!("| Redis | proxies | requests/s | proxies | Redis | busiest Redis, of a core |");
    println!("|---|---|---|---|---|---|");
    for count in PROXIES {
        let redis = Redis::start().await;
        row("one", &redis.url(), &[&redis], count, span).await;
    }
    for count in PROXIES {
        let fleet = RedisFleet::start_cluster().await;
        let servers: Vec<_> = fleet.primaries.iter().chain([&fleet.replica]).collect();
        row(
            "three, one with a replica",
            &fleet.url(),
            &servers,
            count,
            span,
        )
        .await;
    }
    println!();
}

async fn row(name: &str, url: &str, servers: &[&Redis], count: usize, span: Duration) {
    let mock = Mock::start().await;
    let options = ProxyOptions::default()
        .env("MASK_VAULT", "redis")
        .env("MASK_REDIS_URL", url);
    let mut proxies = Vec::new();
    for _ in 0..count {
        proxies.push(Proxy::start_with(&mock.url(), &options).await);
    }
    let load = async |span| {
        let clients = (0..CLIENTS).map(|number| client(&proxies[number % count], number, span));
        futures_util::future::join_all(clients).await.iter().sum()
    };
    // The sessions are made, and connections are open.
    let _: u32 = load(Duration::from_secs(1)).await;
    let of_proxies: Vec<_> = proxies
        .iter()
        .map(|proxy| Process::of(proxy.pid()))
        .collect();
    let of_servers: Vec<_> = servers
        .iter()
        .map(|server| Process::of(server.pid()))
        .collect();
    let times = |of: &[Process]| {
        of.iter()
            .map(|process| process.run_time())
            .collect::<Vec<_>>()
    };
    let (proxies_before, servers_before) = (times(&of_proxies), times(&of_servers));
    let began = Instant::now();
    let requests = f64::from(load(span).await);
    let took = began.elapsed().as_secs_f64();
    let since = |before: Vec<f64>, of: &[Process]| {
        let pairs = times(of).into_iter().zip(before);
        pairs
            .map(|(after, before)| after - before)
            .collect::<Vec<_>>()
    };
    let proxies_took: f64 = since(proxies_before, &of_proxies).iter().sum();
    let servers_took = since(servers_before, &of_servers);
    let busiest = servers_took.iter().copied().fold(0.0, f64::max);
    println!(
        "| {name} | {count} | {:.0} | {:.0} | {:.0} | {:.0} % |",
        requests / took,
        proxies_took / requests,
        servers_took.iter().sum::<f64>() / requests,
        busiest / took / 10_000.0,
    );
}

/// How many requests were answered.
async fn client(proxy: &Proxy, number: usize, span: Duration) -> u32 {
    let session = format!("bench-{number}");
    let headers = [("authorization", "Bearer k"), ("x-mask-session", &*session)];
    let body = Schema::ChatStyle.request("echo", TEXT, false).to_string();
    let mut client = Client::connect(&proxy.url()).await;
    let began = Instant::now();
    let mut answered = 0;
    while began.elapsed() < span {
        let path = Schema::ChatStyle.path();
        let reply = client
            .request("POST", path, &headers, body.as_bytes())
            .await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        answered += 1;
    }
    answered
}
