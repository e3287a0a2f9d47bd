//! Trains the model that judges whether an assigned value is a secret, and says how well it does on sources that were
//! left out of training.
//!
//! `train CORPUS [CODE…]` prints the table; `train --write CORPUS [CODE…]` writes the weights and their card as well.
//! `CORPUS` holds the folders `dev` and `second`, `CODE` are folders of packages that hold no secrets. `train --asked
//! SOURCE CORPUS [CODE…]` lists what is judged wrongly in a source that was left out.

use engine::Detectors;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use train::fit::{Options, Weights, fit};
use train::generate::{self, Half};
use train::measure::Measure;
use train::record::Record;
use train::samples::Text;
use train::{marked, mined};

/// Files of a corpus, and how much their samples count: lists of near misses by rule hold secrets of other rules.
const FILES: [(&str, f32); 5] = [
    ("secrets_true.jsonl", 1.0),
    ("secrets_hard_negative.jsonl", 0.5),
    ("agentic.jsonl", 0.5),
    ("pii_true.jsonl", 0.5),
    ("pii_hard_negative.jsonl", 0.5),
];
const MARKED: f32 = 5.0;
const GENERATED: f32 = 1.0;
const MINED: f32 = 0.3;
const SPREAD: f32 = 0.4;
/// Pairs of a name and a value that are written in every form.
const PAIRS: usize = 1000;
/// Generated records of each form.
const PER_FORM: usize = 60;
/// Real code that is read to train on, and as much again to measure on, in bytes.
const CODE: usize = 40_000_000;
const SEED: u64 = 1;
const OPTIONS: Options = Options {
    epochs: 8,
    orders: 12,
    rate: 0.03,
    decay: 0.0005,
};
/// The margin of one, in units of the weights that are written.
const SCALE: f64 = 96.0;

fn main() -> Result<(), String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (mode, arguments) = match arguments.as_slice() {
        [write, rest @ ..] if write == "--write" => (Mode::Write, rest),
        [asked, source, rest @ ..] if asked == "--asked" => (Mode::Asked(source), rest),
        rest => (Mode::Table, rest),
    };
    let [corpus, code @ ..] = arguments else {
        return Err("usage: train [--write | --asked SOURCE] CORPUS [CODE…]".to_owned());
    };
    let code: Vec<PathBuf> = code.iter().map(PathBuf::from).collect();
    let material = Material::read(Path::new(corpus), &code)?;
    if let Mode::Asked(source) = mode {
        print(&material.asked(source));
        return Ok(());
    }
    let table = material.table();
    print(&table);
    if matches!(mode, Mode::Write) {
        write(&material.weights(""), &table)?;
    }
    Ok(())
}

enum Mode<'a> {
    Table,
    Write,
    Asked(&'a str),
}

/// A text with what is judged in it.
type Seen = (Record, Text);

struct Material {
    /// To train on.
    learned: Vec<Seen>,
    /// To measure on: generated texts of the other half, and other packages.
    held: Vec<Seen>,
}

impl Material {
    fn read(corpus: &Path, code: &[PathBuf]) -> Result<Self, String> {
        let detectors = Detectors::built_in();
        let seen = |mut record: Record, weight: f32| {
            record.source = record.family().to_owned();
            let text = Text::of(&detectors, &record, weight);
            (record, text)
        };
        let mut learned = Vec::new();
        for folder in ["dev", "second"] {
            for (file, weight) in FILES {
                let path = corpus.join(folder).join(file);
                if !path.exists() {
                    continue;
                }
                for mut record in Record::read(&path)? {
                    let own = if record.source.contains("negative_examples") {
                        0.1
                    } else {
                        weight
                    };
                    if !file.starts_with("secrets") {
                        file.trim_end_matches(".jsonl")
                            .clone_into(&mut record.source);
                    }
                    learned.push(seen(record, own));
                }
            }
        }
        let marked = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/marked");
        learned.extend(
            marked::records(&marked)?
                .into_iter()
                .map(|record| seen(record, MARKED)),
        );
        let generated = |half| generate::records(half, SEED, PER_FORM);
        learned.extend(generated(Half::Train).map(|record| seen(record, GENERATED)));
        let spread = generate::spread(Half::Train, SEED, PAIRS);
        learned.extend(spread.map(|record| seen(record, SPREAD)));
        let mut held: Vec<_> = generated(Half::Test)
            .map(|record| seen(record, 1.0))
            .collect();
        let packages = mined::records(code, SEED, 2 * CODE);
        for record in packages {
            let is_held = generate::hash(&record.source) & 1 == 1;
            let list = if is_held { &mut held } else { &mut learned };
            list.push(seen(record, MINED));
        }
        Ok(Self { learned, held })
    }

    /// Weights that were learned from every source but one.
    fn weights(&self, left_out: &str) -> Weights {
        let texts = self.learned.iter().map(|(_, text)| text);
        let candidates = texts
            .filter(|text| text.source != left_out)
            .flat_map(|text| &text.candidates);
        let asked = candidates.filter(|candidate| !candidate.is_vetoed);
        let samples: Vec<_> = asked.map(|candidate| &candidate.sample).collect();
        fit(&samples, OPTIONS)
    }

    fn table(&self) -> String {
        let sources: BTreeSet<&str> = self.learned.iter().map(|(_, text)| &*text.source).collect();
        let mut table = "| source | secrets | hit when left out | words hit | texts without | found wrongly when left out |\n\
                         | --- | --- | --- | --- | --- | --- |\n"
            .to_owned();
        let (weights, measures) = std::thread::scope(|scope| {
            let left_out = |source| {
                let texts = self.learned.iter().map(|(_, text)| text);
                let texts = texts.filter(|text| text.source == source);
                (source, Measure::of(texts, &self.weights(source)))
            };
            let runs: Vec<_> = sources
                .into_iter()
                .map(|source| scope.spawn(move || left_out(source)))
                .collect();
            let joined = runs
                .into_iter()
                .flat_map(std::thread::ScopedJoinHandle::join);
            (self.weights(""), joined.collect::<Vec<_>>())
        });
        for (source, measure) in measures {
            row(&mut table, source, measure);
        }
        for (source, shown) in [
            ("generated", "generated, the other half"),
            ("code", "code, other packages"),
        ] {
            let texts = self
                .held
                .iter()
                .map(|(_, text)| text)
                .filter(|text| text.source == source);
            row(&mut table, shown, Measure::of(texts, &weights));
        }
        table
    }

    /// What is judged wrongly in a source by weights that never saw it.
    fn asked(&self, source: &str) -> String {
        let weights = self.weights(source);
        let mut shown = String::new();
        let seen = self
            .learned
            .iter()
            .chain(&self.held)
            .filter(|(_, text)| text.source == source);
        for (record, text) in seen {
            for candidate in &text.candidates {
                let margin = weights.margin(&candidate.sample.places);
                let accepted = !candidate.is_vetoed && margin >= 0.0;
                if accepted != candidate.sample.is_secret {
                    let verdict = if accepted { "wrong" } else { "missed" };
                    let value = record
                        .text
                        .get(candidate.start()..candidate.end())
                        .unwrap_or_default();
                    let line = record
                        .text
                        .get(..candidate.start())
                        .and_then(|lead| lead.rsplit('\n').next());
                    let _ = writeln!(
                        shown,
                        "{verdict} {margin:.2} {} {:?} {value:?}",
                        record.id,
                        line.unwrap_or_default()
                    );
                }
            }
            for secret in text
                .secrets
                .iter()
                .filter(|secret| !secret.is_found_otherwise)
            {
                if !text
                    .candidates
                    .iter()
                    .any(|candidate| secret.meets(candidate))
                {
                    let _ = writeln!(shown, "never asked {} {:?}", record.id, record.text);
                }
            }
        }
        shown
    }
}

fn row(table: &mut String, source: &str, measure: Measure) {
    let share = |count: usize, of: usize| match of {
        0 => "–".to_owned(),
        _ => format!("{}.{:03}", count / of, count % of * 1000 / of),
    };
    let Measure {
        secrets,
        hit,
        human,
        human_hit,
        innocent,
        wrong,
    } = measure;
    let (hit, words) = (share(hit, secrets), share(human_hit, human));
    let _ = writeln!(
        table,
        "| {source} | {secrets} | {hit} | {words} | {innocent} | {wrong} |"
    );
}

/// Writes the weights for the engine, and the card that says what they were made of.
fn write(weights: &Weights, table: &str) -> Result<(), String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../engine/models");
    let card = include_str!("card.md").replace("{table}", table);
    let saved = std::fs::write(folder.join("judge.bin"), weights.quantised(SCALE));
    saved
        .and_then(|()| std::fs::write(folder.join("judge.md"), card))
        .map_err(|error| error.to_string())
}

#[expect(clippy::print_stdout, reason = "a tool for developers")]
fn print(text: &str) {
    println!("{text}");
}
