//! Trains the model that finds names, and says how well it does on what was held back.
//!
//! `train-names CORPUS PACKAGES CODE…` prints the table; `train-names --write CORPUS PACKAGES CODE…` writes the model and
//! its card as well. `CORPUS` is the labelled corpus, `PACKAGES` the folder that `tests/provision/names.sh` fills, `CODE`
//! are folders of packages, which are taken for free of names. `train-names --asked ROW …` lists what is found wrongly or
//! missed in the rows that begin so.

use engine::detect::names::lists::Lists;
use engine::detect::names::model::{KINDS, LEVEL, Model};
use engine::detect::names::tagger::tag;
use engine::detect::names::walk::Tag;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use train::names::fit::{Weights, fit};
use train::names::material::Material;
use train::names::measure::Measure;

const EPOCHS: usize = 6;
/// Seeded orders of the texts, whose mean the model is.
const ORDERS: u64 = 12;
/// The weights beyond these of ten thousand are cut.
const CUT: usize = 9_990;
/// For each kind of name the least weight that is kept. A smaller one of an organisation says little about persons, and
/// fills a packed module.
const LEAST: [i32; KINDS.len()] = [1, 1, 2];
/// What a person's name has to reach, in tenths of the margin that training asks for: careful, then eager; each of its
/// words, its surest word, a word that is a part of a sure name elsewhere, the surest word of a name near a sure one.
const THRESHOLDS: [f32; 2 * LEVEL] = [-6.5, 6.3, -10.0, 0.0, -17.0, -17.0, -20.0, -17.0];

fn main() -> Result<(), String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (mode, arguments) = match arguments.as_slice() {
        [write, rest @ ..] if write == "--write" => (Mode::Write, rest),
        [asked, row, rest @ ..] if asked == "--asked" => (Mode::Asked(row), rest),
        rest => (Mode::Table, rest),
    };
    let [corpus, packages, code @ ..] = arguments else {
        return Err(
            "usage: train-names [--write | --asked ROW] CORPUS PACKAGES [CODE…]".to_owned(),
        );
    };
    let code: Vec<PathBuf> = code.iter().map(PathBuf::from).collect();
    let material = Material::read(Path::new(corpus), Path::new(packages), &code)?;
    let learned: Vec<_> = material.learned.iter().collect();
    let weights = fit(&learned, Lists::of(&material.partial), EPOCHS, ORDERS);
    let bytes = quantised(&weights, &material.lists);
    if let Mode::Asked(row) = mode {
        print(&asked(&material, &Model::of(&bytes), row));
        return Ok(());
    }
    let table = table(&material, &Model::of(&bytes));
    print(&table);
    if matches!(mode, Mode::Write) {
        write(&material, &bytes, &table)?;
    }
    Ok(())
}

enum Mode<'a> {
    Table,
    Write,
    Asked(&'a str),
}

/// The model as the engine reads it.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "they are clamped"
)]
fn quantised(weights: &Weights, lists: &[u8]) -> Vec<u8> {
    let [most, ..] = KINDS.map(|kind| kind.zero() - 1);
    let against_none = |[none, kinds @ ..]: &[f32; 4]| kinds.map(|kind| kind - none);
    let weights = weights.0.iter().map(against_none);
    let mut sizes: Vec<f32> = weights.clone().map(|[person, ..]| person.abs()).collect();
    sizes.retain(|size| *size > 0.0);
    sizes.sort_by(f32::total_cmp);
    let scale = f64::from(most) as f32 / sizes[sizes.len() * CUT / 10_000];
    let mut bytes = Vec::new();
    for threshold in THRESHOLDS {
        let threshold = (threshold * scale / 10.0).round() as i16;
        bytes.extend(threshold.to_le_bytes());
    }
    for place in weights {
        let kinds = KINDS.into_iter().zip(LEAST);
        let packed = place.into_iter().zip(kinds).map(|(weight, (kind, least))| {
            let steps = (f64::from(weight * scale) / f64::from(kind.step)).round();
            let steps = (steps as i32).clamp(-kind.zero(), kind.zero() - 1);
            let steps = if steps.abs() < least { 0 } else { steps };
            ((steps + kind.zero()) as u16) << kind.shift
        });
        bytes.extend(packed.sum::<u16>().to_le_bytes());
    }
    bytes.extend(lists);
    bytes
}

fn table(material: &Material, model: &Model<'_>) -> String {
    let mut table = "| text | bytes | persons | hidden, careful | wrong in 10 KB | hidden, eager | wrong in 10 KB |\n\
                     | --- | --- | --- | --- | --- | --- | --- |\n"
        .to_owned();
    for (row, texts) in &material.held {
        let [careful, eager] = [0, 1].map(|level| {
            let mut measure = Measure::default();
            for text in texts {
                measure.add(text, model, model.level(level));
            }
            measure
        });
        let share = |measure: &Measure| match measure.persons {
            0 => "–".to_owned(),
            _ => format!("{:.3}", measure.share()),
        };
        let _ = writeln!(
            table,
            "| {row} | {} | {} | {} | {:.2} | {} | {:.2} |",
            careful.bytes,
            careful.persons,
            share(&careful),
            careful.wrong_per(1e4),
            share(&eager),
            eager.wrong_per(1e4),
        );
    }
    table
}

/// What is found wrongly and missed in the rows that begin so.
fn asked(material: &Material, model: &Model<'_>, row: &str) -> String {
    let mut shown = String::new();
    let rows = material
        .held
        .iter()
        .filter(|(name, _)| name.starts_with(row));
    for text in rows.flat_map(|(_, texts)| texts) {
        let mut found = Vec::new();
        tag(&text.text, None, model, model.level(0), &mut |entity| {
            found.push(entity);
        });
        found.retain(|entity| entity.tag == Tag::Person);
        let around = |start: usize, end: usize| {
            let from = text.text.floor_char_boundary(start.saturating_sub(40));
            let to = text
                .text
                .ceil_char_boundary((end + 30).min(text.text.len()));
            format!("{:?} in {:?}", &text.text[start..end], &text.text[from..to])
        };
        for (span, tag) in &text.names {
            let is_found = found
                .iter()
                .any(|entity| entity.start < span.end && span.start < entity.end);
            if *tag == Some(Tag::Person) && !is_found {
                let _ = writeln!(shown, "missed {}", around(span.start, span.end));
            }
        }
        for entity in &found {
            let is_name = text
                .names
                .iter()
                .any(|(span, _)| span.start < entity.end && entity.start < span.end);
            if !is_name {
                let _ = writeln!(
                    shown,
                    "wrong {} {}",
                    entity.margin,
                    around(entity.start, entity.end)
                );
            }
        }
    }
    shown
}

/// Writes the model for the engine, and the card that says what it was made of.
fn write(material: &Material, bytes: &[u8], table: &str) -> Result<(), String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../engine/models");
    let [first, surnames, places, words] = material.counts.map(|count| count.to_string());
    let card = include_str!("names_card.md")
        .replace("{table}", table)
        .replace("{first}", &first)
        .replace("{surnames}", &surnames)
        .replace("{places}", &places)
        .replace("{words}", &words);
    let saved = std::fs::write(folder.join("names.bin"), bytes);
    saved
        .and_then(|()| std::fs::write(folder.join("names.md"), card))
        .map_err(|error| error.to_string())
}

#[expect(clippy::print_stdout, reason = "a tool for developers")]
fn print(text: &str) {
    println!("{text}");
}
