//! `chaos [seconds [seed]]`: two instances of the real binary under clients that check every value, while they
//! are killed, paused and reloaded, connections break, and their vault goes away.
//!
//! A client may get an error or a broken connection; never another's value, never a token in place of a
//! value that it sent, never an answer that is not about what it asked. Of history that only the provider
//! holds it gets the value that a token stood for, or the token. The provider never sees a value. The same
//! seed does the same things in the same order; only the moments differ.

mod client;
mod history;
mod random;
mod target;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use client::{Caller, Counts, Watch};
use history::Histories;
use random::Random;
use target::{Target, Vault};
use tests::Mock;
use tokio::task::JoinSet;

/// How long one proxy, with all its restarts, is under attack.
const ROUND: Duration = Duration::from_secs(20);

const CLIENTS: usize = 6;

#[tokio::main(worker_threads = 2)]
async fn main() -> ExitCode {
    let number = |at: usize| std::env::args().nth(at).and_then(|text| text.parse().ok());
    let seconds: u64 = number(1).unwrap_or(300);
    let seed: u64 = number(2).unwrap_or_else(|| u64::from(std::process::id()));
    println!("chaos for {seconds} s from seed {seed}");
    let end = Instant::now() + Duration::from_secs(seconds);
    for round in 0.. {
        let left = end.saturating_duration_since(Instant::now());
        if left < Duration::from_secs(3) {
            break;
        }
        let of_round = seed.wrapping_add(round);
        match attack(of_round, left.min(ROUND)).await {
            Ok(outcome) => println!("{of_round}: {outcome}"),
            Err(wrong) => {
                println!("{of_round}: WRONG: {wrong}\nrepeat it: chaos 20 {of_round}");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}

/// One round: what came of it, or what went wrong.
async fn attack(seed: u64, time: Duration) -> Result<String, String> {
    let mut random = Random::of(seed);
    let vault = Vault::ALL[usize::try_from(seed % 3).unwrap_or(0)];
    let mock = Mock::start().await;
    let mut target = Target::start(vault, &mock.url(), &mut random).await?;
    let watch = Arc::new(Watch::until(Instant::now() + time));
    let histories = Arc::new(Histories::of(CLIENTS));
    let mut clients = JoinSet::new();
    for number in 0..CLIENTS {
        let caller = Caller {
            number,
            urls: target.urls(),
            random: Random::of(random.next()),
            watch: Arc::clone(&watch),
            histories: Arc::clone(&histories),
        };
        clients.spawn(caller.run());
    }
    let mut done = Vec::new();
    while watch.goes_on() {
        tokio::time::sleep(Duration::from_millis(random.between(50, 1200))).await;
        done.push(target.disturb(&mut random).await?);
    }
    let described = |wrong: String| format!("{vault:?}, after {}: {wrong}", done.join(", "));
    target.recover().await.map_err(described)?;
    let mut counts = Counts::default();
    while let Some(client) = clients.join_next().await {
        let client = client.map_err(|error| error.to_string());
        counts += client.and_then(|counts| counts).map_err(described)?;
    }
    for request in mock.requests() {
        client::check_provider(&request.everything()).map_err(described)?;
    }
    target.stop().await.map_err(described)?;
    if counts.answered == 0 {
        return Err(described("no request was answered".to_owned()));
    }
    Ok(format!("{vault:?}, {counts}; {}", done.join(", ")))
}
