//! Measures the engine as a component beside the native one: `bench-component COMPONENT`.

use std::env;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use engine::{Engine, Settings};
use tests::component::{Host, wit};
use train::mined;

/// How often the texts are read. The fastest counts, because other work of the machine slows the
/// others.
const ROUNDS: usize = 60;
/// What a call carries, in bytes.
const CARRIED: usize = 10 << 10;

fn main() {
    let path = env::args_os().nth(1).map(PathBuf::from);
    let path = path.expect("usage: bench-component COMPONENT");
    let (compiling, host) = time(|| Host::load(&path, false));
    println!("| compiling, once | {:.0} ms |", millis(compiling));
    println!("| instance ready | {:.1} µs |", ready(&host));
    let pooled = Host::load(&path, true);
    println!(
        "| instance ready, memory from a pool | {:.1} µs |",
        ready(&pooled)
    );
    println!(
        "| a configuration compiled, in it and natively | {} |",
        configured(&host)
    );
    let (there, back) = carried(&host);
    println!("| 10 KB there, 10 KB back | {there:.1} and {back:.1} µs |");
    println!("| detection, in it and natively | {} |", detection(&host));
}

/// From nothing to an instance that answered a call, in µs.
fn ready(host: &Host) -> f64 {
    median(1000, || {
        let mut instance = host.instance();
        black_box(instance.session());
        instance
    })
}

fn configured(host: &Host) -> String {
    let mut instance = host.instance();
    let settings = instance.default_settings();
    let within = median(100, || {
        let engine = instance.engine(&settings).expect("the default");
        instance.drop(engine);
    });
    let native = median(100, || Engine::new(Settings::default()));
    format!("{within:.0} and {native:.0} µs")
}

/// What a call costs that takes 10 KB, and one that returns 10 KB, in µs. The engine does nothing to them.
fn carried(host: &Host) -> (f64, f64) {
    let mut instance = host.instance();
    let session = instance.session();
    let mut mapping = wit::Mapping {
        origin: wit::Origin::User,
        entity: "no type".to_owned(),
        id: "1".to_owned(),
        value: "x".repeat(CARRIED),
    };
    let there = median(10_000, || assert!(!instance.adopt(session, &mapping)));
    "OWN".clone_into(&mut mapping.entity);
    assert!(instance.adopt(session, &mapping));
    let back = median(10_000, || instance.mappings(session));
    (there, back)
}

/// Detection in code and documents, in MB/s.
fn detection(host: &Host) -> String {
    let texts = agentic_texts();
    let bytes: usize = texts.iter().map(String::len).sum();
    let bytes = u32::try_from(bytes).expect("a few megabytes");
    let native = Engine::new(Settings::default());
    let mut instance = host.instance();
    let settings = instance.default_settings();
    let engine = instance.engine(&settings).expect("the default");
    let mut within = Vec::new();
    let mut natively = Vec::new();
    // Alternating, so that changes of the machine's speed affect both.
    for _ in 0..ROUNDS {
        within.push(time(|| {
            texts
                .iter()
                .map(|text| instance.detect(engine, text).len())
                .sum::<usize>()
        }));
        natively.push(time(|| {
            texts
                .iter()
                .map(|text| native.detect(text).len())
                .sum::<usize>()
        }));
    }
    assert_eq!(within[0].1, natively[0].1, "findings");
    let speed = |rounds: Vec<(Duration, usize)>| {
        let fastest = rounds.into_iter().map(|(time, _)| time).min();
        f64::from(bytes) / fastest.unwrap_or_default().as_secs_f64() / 1e6
    };
    let (within, natively) = (speed(within), speed(natively));
    format!(
        "{within:.0} and {natively:.0} MB/s: {:.2}",
        within / natively
    )
}

/// This repository's code and documents.
fn agentic_texts() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folders = [root.join("engine"), root.join("docs")];
    mined::records(&folders, 0, usize::MAX)
        .into_iter()
        .map(|record| record.text)
        .collect()
}

/// In µs.
fn median<T>(rounds: usize, mut work: impl FnMut() -> T) -> f64 {
    let mut times: Vec<_> = (0..rounds).map(|_| time(&mut work).0).collect();
    times.sort();
    times[rounds / 2].as_secs_f64() * 1e6
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn time<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let result = work();
    (start.elapsed(), result)
}
