//! What the hop costs: the same load on the provider itself, on nginx as a pass-through and on maskproxy, in one
//! run. Prints Markdown tables. `bench-hop [seconds per measurement [sessions|crowd|fleet|ratios [word]]]`, by default 4; with a
//! name only that is measured, with a word only the ratios whose row holds it. `bench-hop --check` compares ratios with the table `tests/hop.json` and fails when one is
//! more than 15 % above it; `--write` writes the table. `bench-hop --exercise` only carries out those exchanges with maskproxy, for a
//! build that counts what it does (`deploy/profile.sh`).

mod batch;
mod crowd;
mod fleet;
mod footprint;
mod health;
mod nginx;
mod process;
mod ratios;
mod sessions;
mod streams;

use std::process::ExitCode;
use std::time::Duration;

use nginx::Nginx;
use process::Process;
use ratios::Then;
use tests::Proxy;

/// A contender: the server between load and provider.
struct Contender {
    name: &'static str,
    url: String,
    /// Its processes; none for the provider itself.
    processes: Vec<Process>,
    /// Kept running.
    running: Running,
}

enum Running {
    Provider,
    Nginx { _nginx: Nginx },
    Maskproxy { proxy: Box<Proxy> },
}

impl Contender {
    fn maskproxy(proxy: Proxy) -> Self {
        Self {
            name: "maskproxy",
            url: proxy.url(),
            processes: vec![Process::of(proxy.pid())],
            running: Running::Maskproxy {
                proxy: Box::new(proxy),
            },
        }
    }

    /// Stops maskproxy properly.
    async fn stop(self) {
        if let Running::Maskproxy { mut proxy } = self.running {
            proxy.stop().await;
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some("--check") => return ratios::measure(Then::Check, "").await,
        Some("--write") => return ratios::measure(Then::Write, "").await,
        Some("--exercise") => ratios::exercise().await,
        _ => measure().await,
    }
    ExitCode::SUCCESS
}

async fn measure() {
    let seconds = std::env::args()
        .nth(1)
        .and_then(|text| text.parse().ok())
        .unwrap_or(4);
    let span = Duration::from_secs(seconds);
    println!("{}\n", process::machine());
    match std::env::args().nth(2).as_deref() {
        Some("sessions") => return sessions::measure(span).await,
        Some("crowd") => return crowd::measure(span).await,
        Some("fleet") => return fleet::measure(span).await,
        Some("ratios") => {
            let word = std::env::args().nth(3).unwrap_or_default();
            ratios::measure(Then::Show, &word).await;
            return;
        }
        _ => {}
    }
    batch::measure(span).await;
    streams::measure(span).await;
    health::measure(span).await;
    footprint::measure().await;
    sessions::measure(span).await;
    crowd::measure(span).await;
    ratios::measure(Then::Show, "").await;
}

/// The provider itself, nginx and maskproxy, in front of one provider.
async fn contenders(provider: &str) -> Vec<Contender> {
    let nginx = Nginx::pass_through(provider).await;
    let proxy = Proxy::start(provider).await;
    vec![
        Contender {
            name: "direct",
            url: provider.to_owned(),
            processes: Vec::new(),
            running: Running::Provider,
        },
        Contender {
            name: "nginx",
            url: nginx.url(),
            processes: nginx.processes(),
            running: Running::Nginx { _nginx: nginx },
        },
        Contender::maskproxy(proxy),
    ]
}

/// The middle of a set of measurements.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The percentile of the measurements.
fn percentile(sorted: &[f64], percent: usize) -> f64 {
    let index = sorted.len() * percent / 100;
    sorted
        .get(index.min(sorted.len().saturating_sub(1)))
        .copied()
        .unwrap_or(f64::NAN)
}
