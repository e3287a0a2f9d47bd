//! Requests of sessions that last, for each vault, and the listing of what they left.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;
use tests::{Proxy, ProxyOptions, Redis, binary};

use crate::nginx::Nginx;
use crate::process::cell;
use crate::{Contender, batch, median};

const CONCURRENCY: usize = 16;
const SESSIONS: usize = 10_000;
const LISTINGS: usize = 11;

pub(crate) async fn measure(span: Duration) {
    let provider = Nginx::provider(&batch::reply()).await;
    let redis = Redis::start().await;
    let directory = tempfile::tempdir().expect("a directory");
    let (known, new) = (
        directory.path().join("known.lua"),
        directory.path().join("new.lua"),
    );
    std::fs::write(&known, lua("body")).expect("a script");
    std::fs::write(&new, lua("body:gsub('mira', 'mira' .. count)")).expect("a script");

    println!(
        "## The same body in {SESSIONS} named sessions, batch, concurrency {CONCURRENCY} ({} s)\n",
        span.as_secs()
    );
    println!("| vault | values | requests/s | p50 ms | p99 ms | processor µs a request |");
    println!("|---|---|---|---|---|---|");
    let vaults = [
        ("memory", "type: memory".to_owned()),
        (
            "sqlite",
            format!(
                "type: sqlite, dsn: {}",
                directory.path().join("vault.db").display()
            ),
        ),
        (
            "redis",
            format!("type: redis, redis_url: '{}'", redis.url()),
        ),
    ];
    let mut listings = Vec::new();
    for (name, vault) in vaults {
        let config = configured(&directory, name, &vault);
        let contender = contender(name, &provider.url(), &config).await;
        // Makes the sessions.
        batch::run(&contender, CONCURRENCY, span, &known);
        for (values, script) in [("known", &known), ("a new one each", &new)] {
            let run = batch::run(&contender, CONCURRENCY, span, script);
            println!(
                "| {name} | {values} | {:.0} | {:.3} | {:.3} | {} |",
                run.requests_per_second,
                run.p50,
                run.p99,
                cell(run.processor_time),
            );
        }
        if name != "memory" {
            listings.push((name, list(&config)));
        }
    }
    println!("\n| `session list` of {SESSIONS} sessions (median of {LISTINGS}) | ms |\n|---|---|");
    for (name, took) in listings {
        println!("| {name} | {took:.1} |");
    }
    println!();
}

fn configured(directory: &TempDir, name: &str, vault: &str) -> std::path::PathBuf {
    let path = directory.path().join(format!("{name}.yaml"));
    std::fs::write(&path, format!("vault: {{{vault}}}\n")).expect("a configuration");
    path
}

async fn contender(name: &'static str, provider: &str, config: &Path) -> Contender {
    let proxy = Proxy::start_with(provider, &ProxyOptions::default().config(config)).await;
    Contender {
        name,
        ..Contender::maskproxy(proxy)
    }
}

/// Names one session after the other; the body is an expression.
fn lua(body: &str) -> String {
    format!(
        "{}local body, count = wrk.body, 0\n\
         request = function()\n\
         count = count + 1\n\
         wrk.headers['x-mask-session'] = 's' .. count % {SESSIONS}\n\
         return wrk.format(nil, nil, nil, ({body}))\n\
         end\n",
        batch::lua(&batch::request())
    )
}

/// The duration of the command in milliseconds.
fn list(config: &Path) -> f64 {
    let runs = (0..LISTINGS).map(|_| {
        let begin = Instant::now();
        let status = Command::new(binary())
            .args(["session", "list", "-c"])
            .arg(config)
            .stdout(Stdio::null())
            .status();
        assert!(
            status.is_ok_and(|status| status.success()),
            "sessions are listed"
        );
        begin.elapsed().as_secs_f64() * 1000.0
    });
    median(runs.collect())
}
