//! Throughput of the detectors.

mod support;

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use engine::detect::{DetectorSettings, Names};
use engine::{Detection, Detectors, EntityType};
use support::agentic_texts;

fn main() {
    divan::main();
}

/// What a coding agent reads.
#[divan::bench]
fn agentic(bencher: Bencher<'_, '_>) {
    detect_texts(bencher, &Detectors::built_in());
}

/// The same without names.
#[divan::bench]
fn agentic_without_names(bencher: Bencher<'_, '_>) {
    detect_texts(bencher, &without_names());
}

/// What people write to a model, full of names.
#[divan::bench]
fn prose(bencher: Bencher<'_, '_>) {
    detect_all(bencher, &Detectors::built_in(), &prompts());
}

/// The same without names.
#[divan::bench]
fn prose_without_names(bencher: Bencher<'_, '_>) {
    detect_all(bencher, &without_names(), &prompts());
}

/// The same with 100,000 terms in addition to the built-in detectors.
#[divan::bench]
fn agentic_with_terms(bencher: Bencher<'_, '_>) {
    detect_texts(bencher, &with_terms());
}

/// Compiling 100,000 terms.
#[divan::bench]
fn start_up_with_terms() -> Detectors {
    with_terms()
}

/// The prompts of the tests, so often that they are as long as a conversation.
fn prompts() -> Vec<String> {
    const TIMES: usize = 30;
    let marked = include_str!("../../tests/corpus/names/prompts.txt");
    vec![marked.replace(['⟦', '⟧'], ""); TIMES]
}

#[expect(clippy::expect_used, reason = "no detectors, no benchmark")]
fn without_names() -> Detectors {
    let settings = DetectorSettings {
        names: Names::Off,
        ..DetectorSettings::default()
    };
    Detectors::new(&settings).expect("detectors")
}

fn detect_texts(bencher: Bencher<'_, '_>, detectors: &Detectors) {
    detect_all(bencher, detectors, &agentic_texts());
}

fn detect_all(bencher: Bencher<'_, '_>, detectors: &Detectors, texts: &[String]) {
    let bytes = texts.iter().map(String::len).sum::<usize>();
    bencher.counter(BytesCount::new(bytes)).bench_local(|| {
        let mut found = Vec::new();
        for text in texts {
            detectors.detect(text, None, &mut found);
        }
        found.len()
    });
}

/// Names of people and firms, handles, and projects with numbers.
#[expect(clippy::expect_used, reason = "no terms, no benchmark")]
fn with_terms() -> Detectors {
    const SYLLABLES: [&str; 16] = [
        "ka", "ro", "mi", "ten", "sal", "vor", "bel", "dün", "fi", "gra", "hol", "jen", "lu",
        "nor", "pex", "qui",
    ];
    let word = |seed: u64, length: u32| -> String {
        let mixed = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (0..length)
            .filter_map(|index| SYLLABLES.get((mixed >> (60 - 4 * index) & 15) as usize))
            .copied()
            .collect()
    };
    let terms = (0..100_000u64).map(|index| match index % 4 {
        0 => format!("{} {}", word(index % 5_000, 3), word(index, 4)),
        1 => format!("{} GmbH", word(index, 5)),
        2 => format!("@{}", word(index, 4)),
        _ => format!("{}-{index}", word(index % 100, 4)),
    });
    let settings = DetectorSettings {
        terms: vec![(EntityType::SECRET, terms.collect())],
        ..DetectorSettings::default()
    };
    Detectors::new(&settings).expect("detectors")
}

/// One message of 2 KB with three values in it.
#[divan::bench]
fn message(bencher: Bencher<'_, '_>) {
    let mut text = agentic_texts().concat();
    text.truncate(text.floor_char_boundary(1_900));
    text.push_str(" mail alice@example.org from 10.0.3.17, password=hunter2-x9");
    let detectors = Detectors::built_in();
    bencher
        .counter(BytesCount::new(text.len()))
        .bench_local(|| run(&detectors, black_box(&text)));
}

#[divan::bench]
fn start_up() -> Detectors {
    Detectors::built_in()
}

fn run(detectors: &Detectors, text: &str) -> Vec<Detection> {
    let mut found = Vec::new();
    detectors.detect(text, None, &mut found);
    found
}
