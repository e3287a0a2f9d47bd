//! Batch requests of a 2 KB chat body, by wrk.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::json;

use crate::nginx::Nginx;
use crate::process::{Process, cell};
use crate::{Contender, contenders, median};

const CONCURRENCY: [usize; 3] = [1, 16, 64];
/// Each contender runs for this long, again and again, so that other work of the machine affects
/// all of them.
const TURN: Duration = Duration::from_secs(1);
/// The number of turns for each second of a measurement.
const TURNS: u64 = 4;

/// One run of wrk.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) requests_per_second: f64,
    pub(crate) p50: f64,
    pub(crate) p99: f64,
    /// Of the contender, in microseconds a request.
    pub(crate) processor_time: f64,
}

pub(crate) async fn measure(span: Duration) {
    let provider = Nginx::provider(&reply()).await;
    let contenders = contenders(&provider.url()).await;
    let directory = tempfile::tempdir().expect("a directory");
    let script = directory.path().join("post.lua");
    std::fs::write(&script, lua(&request())).expect("a script");

    let turns = TURNS * span.as_secs();
    println!(
        "## A 2 KB chat body with three values, batch (medians of {turns} turns of a second)\n"
    );
    println!("| concurrency | | requests/s | p50 ms | p99 ms | processor µs a request |");
    println!("|---|---|---|---|---|---|");
    for concurrency in CONCURRENCY {
        let mut runs: Vec<Vec<Run>> = contenders.iter().map(|_| Vec::new()).collect();
        for _ in 0..turns {
            for (contender, runs) in contenders.iter().zip(&mut runs) {
                runs.push(run(contender, concurrency, TURN, &script));
            }
        }
        for (contender, runs) in contenders.iter().zip(&runs) {
            let of = |pick: fn(&Run) -> f64| median(runs.iter().map(pick).collect());
            println!(
                "| {concurrency} | {} | {:.0} | {:.3} | {:.3} | {} |",
                contender.name,
                of(|run| run.requests_per_second),
                of(|run| run.p50),
                of(|run| run.p99),
                cell(of(|run| run.processor_time)),
            );
        }
    }
    println!();
}

/// A chat body of 2 KB with an address, a phone number and a key.
pub(crate) fn request() -> String {
    let words = "The deployment failed again last night and the log shows nothing useful so far. ";
    let text = format!(
        "{words} Please tell mira.holt@northwind.example.com or call +1 (415) 555-0132. {} \
         OPENAI_API_KEY=sk-proj-Ab3Xk2Wq9Zt5Vb8Nm4Rc7Yp1Ls6Hd3Gf0Ja8Kq {}",
        words.repeat(12),
        words.repeat(6)
    );
    json!({
        "model": "gpt-5", "temperature": 0.2,
        "messages": [{"role": "system", "content": "You help."}, {"role": "user", "content": text}],
    })
    .to_string()
}

pub(crate) fn reply() -> String {
    let content = "I wrote to <MASK_EMAIL_1> and will call <MASK_PHONE_2> about it. ".repeat(4);
    json!({
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1_772_323_200, "model": "gpt-5",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": content}}],
        "usage": {"prompt_tokens": 400, "completion_tokens": 60, "total_tokens": 460},
    })
    .to_string()
}

pub(crate) fn lua(body: &str) -> String {
    format!(
        "wrk.method = 'POST'\nwrk.path = '/v1/chat/completions'\n\
         wrk.headers['Content-Type'] = 'application/json'\nwrk.headers['Authorization'] = 'Bearer sk-1'\n\
         wrk.body = [==[{body}]==]\n"
    )
}

pub(crate) fn run(contender: &Contender, concurrency: usize, span: Duration, script: &Path) -> Run {
    let spent = || {
        contender
            .processes
            .iter()
            .map(|process| Process::processor_time(*process))
            .sum::<f64>()
    };
    let before = spent();
    let output = Command::new("wrk")
        .args([
            "-t1",
            &format!("-c{concurrency}"),
            &format!("-d{}s", span.as_secs()),
            "--latency",
            "-s",
        ])
        .arg(script)
        .arg(&contender.url)
        .output()
        .expect("wrk runs");
    let spent = spent() - before;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(!text.contains("Non-2xx"), "{}: {text}", contender.name);
    assert!(
        !text.contains("Socket errors"),
        "{}: {text}",
        contender.name
    );
    let requests = number_before(&text, " requests in ");
    let delays = text.split_once("Latency Distribution");
    let delays = delays.map_or("", |(_, delays)| delays);
    Run {
        requests_per_second: number_after(&text, "Requests/sec:"),
        p50: milliseconds_after(delays, "50%"),
        p99: milliseconds_after(delays, "99%"),
        processor_time: spent / requests,
    }
}

fn word_after<'t>(text: &'t str, label: &str) -> &'t str {
    let rest = text.split_once(label).map_or("", |(_, rest)| rest);
    rest.split_whitespace().next().unwrap_or_default()
}

fn number_after(text: &str, label: &str) -> f64 {
    word_after(text, label).parse().unwrap_or(f64::NAN)
}

fn number_before(text: &str, label: &str) -> f64 {
    let front = text.split_once(label).map_or("", |(front, _)| front);
    front
        .split_whitespace()
        .last()
        .and_then(|word| word.parse().ok())
        .unwrap_or(f64::NAN)
}

fn milliseconds_after(text: &str, label: &str) -> f64 {
    let word = word_after(text, label);
    let unit = word.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let number: f64 = word
        .trim_end_matches(char::is_alphabetic)
        .parse()
        .unwrap_or(f64::NAN);
    match unit {
        "us" => number / 1000.0,
        "s" => number * 1000.0,
        _ => number,
    }
}
