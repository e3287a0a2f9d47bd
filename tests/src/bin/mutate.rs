//! Looks for rules of detection that no test pins: `mutate [--every N] [PATH…]`.
//!
//! It moves each threshold in `engine/src/detect` by a quarter, up and down, and drops each record in `engine/rules`, one at a
//! time in a copy of the tree, and prints what no test of detection notices. A `PATH` is the beginning of a file's path in
//! `engine`; `--every 10` tries each tenth mutant. Records are dropped only while the engine is built, so their
//! own examples count as tests. Exits with 1 if something survives.

use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs};

use serde_json::Value;
use tokio::process::Command;
use tokio::time::timeout;

/// The tests of detection, by parts of their names. The engine's unit tests always run.
const TESTS: &[&str] = &[
    "alike",
    "country_rules",
    "detect",
    "emphasis",
    "form",
    "id_rules",
    "names",
    "spellings",
    "views",
];
/// Longest time for one program of tests: a mutant may never end.
const LONGEST: Duration = Duration::from_mins(5);

/// A change of one file.
struct Mutant {
    path: PathBuf,
    /// In one line, for the reader.
    description: String,
    text: String,
    /// Whether the tests read the file, so that it must be whole again when they run.
    is_data: bool,
}

/// A program of tests, and which of them it runs; all if none is named.
struct Program {
    path: PathBuf,
    tests: &'static [&'static str],
}

/// What became of a mutant.
#[derive(PartialEq, Eq)]
enum Outcome {
    Noticed,
    Survived,
}

#[tokio::main]
async fn main() -> ExitCode {
    let (every, paths) = arguments();
    let tree = copy_of_the_tree();
    let engine = tree.join("engine");
    let mutants: Vec<_> = mutants(&engine, &paths)
        .into_iter()
        .step_by(every)
        .collect();
    assert!(
        judged(&tree).await == Outcome::Survived,
        "the tests fail without a mutant"
    );
    let began = Instant::now();
    let mut survived = 0;
    for (number, mutant) in mutants.iter().enumerate() {
        let whole = fs::read_to_string(&mutant.path).expect("a file of the engine");
        fs::write(&mutant.path, &mutant.text).expect("a mutant");
        let outcome = outcome(&tree, mutant, &whole).await;
        fs::write(&mutant.path, &whole).expect("the file as it was");
        if outcome == Outcome::Survived {
            survived += 1;
            println!("{}", mutant.description);
        }
        let minutes = began.elapsed().as_secs() / 60;
        eprintln!(
            "{} of {} after {minutes} min, {survived} survived",
            number + 1,
            mutants.len()
        );
    }
    println!("{} mutants, {survived} survived", mutants.len());
    ExitCode::from(u8::from(survived > 0))
}

fn arguments() -> (usize, Vec<String>) {
    let mut arguments = env::args().skip(1).peekable();
    if arguments.next_if_eq("--every").is_none() {
        return (1, arguments.collect());
    }
    let every = arguments.next().and_then(|text| text.parse().ok());
    (
        every
            .filter(|every| *every > 0)
            .expect("--every needs a number"),
        arguments.collect(),
    )
}

/// Copies the files that git knows, so that nobody's checkout changes.
fn copy_of_the_tree() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the workspace");
    let listed = std::process::Command::new("git")
        .args(["ls-files", "-z"])
        .current_dir(root)
        .output();
    let listed = String::from_utf8(listed.expect("git").stdout).expect("paths");
    let tree = root.join("target/mutate/tree");
    for path in listed.split_terminator('\0') {
        let (from, to) = (root.join(path), tree.join(path));
        let Ok(bytes) = fs::read(&from) else { continue };
        if fs::read(&to).is_ok_and(|there| there == bytes) {
            continue;
        }
        fs::create_dir_all(to.parent().expect("a folder")).expect("a folder");
        fs::write(to, bytes).expect("a copy");
    }
    tree
}

fn mutants(engine: &Path, paths: &[String]) -> Vec<Mutant> {
    let mut files = Vec::new();
    files_below(&engine.join("src/detect"), "rs", &mut files);
    files_below(&engine.join("rules"), "toml", &mut files);
    let is_asked = |path: &Path| {
        let name = path.strip_prefix(engine).expect("a file of the engine");
        paths.is_empty()
            || paths
                .iter()
                .any(|start| name.to_string_lossy().starts_with(start))
    };
    files.retain(|path| is_asked(path));
    files.sort();
    files
        .iter()
        .flat_map(|path| mutants_of(engine, path))
        .collect()
}

fn files_below(folder: &Path, kind: &str, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the engine") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files_below(&path, kind, files);
        } else if path.extension().is_some_and(|it| it == kind) && !path.ends_with("tests.rs") {
            files.push(path);
        }
    }
}

fn mutants_of(engine: &Path, path: &Path) -> Vec<Mutant> {
    let text = fs::read_to_string(path).expect("a file of the engine");
    let name = path
        .strip_prefix(engine)
        .expect("a file of the engine")
        .display();
    if path.extension().is_some_and(|kind| kind == "toml") {
        let mutant = |(line, start, end): (usize, usize, usize)| Mutant {
            path: path.to_owned(),
            description: format!("{name}:{line}: drop {}", headline(&text[start..end])),
            text: [&text[..start], &text[end..]].concat(),
            is_data: true,
        };
        return records(&text).into_iter().map(mutant).collect();
    }
    let mutant = |(line, start, end, new): (usize, usize, usize, u128)| Mutant {
        path: path.to_owned(),
        description: format!(
            "{name}:{line}: {} becomes {new}",
            text.lines().nth(line - 1).unwrap_or_default().trim()
        ),
        text: format!("{}{new}{}", &text[..start], &text[end..]),
        is_data: false,
    };
    thresholds(&text).into_iter().map(mutant).collect()
}

/// The tables of a list, by line and bytes.
fn records(text: &str) -> Vec<(usize, usize, usize)> {
    let (mut starts, mut at) = (Vec::new(), 0);
    for (line, written) in text.split_inclusive('\n').enumerate() {
        if written.starts_with("[[") {
            starts.push((line + 1, at));
        }
        at += written.len();
    }
    let ends = starts
        .iter()
        .skip(1)
        .map(|(_, start)| *start)
        .chain([text.len()]);
    starts
        .iter()
        .zip(ends)
        .map(|((line, start), end)| (*line, *start, end))
        .collect()
}

/// What the reader knows a record by.
fn headline(record: &str) -> String {
    record.lines().take(2).collect::<Vec<_>>().join(" ")
}

/// The numbers that are constants or scores, by line and bytes, each a quarter above and below.
fn thresholds(text: &str) -> Vec<(usize, usize, usize, u128)> {
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    let (mut found, mut at) = (Vec::new(), 0);
    for (line, written) in code.split_inclusive('\n').enumerate() {
        if let Some((start, end)) = number_in(written) {
            let number = written[start..end].replace('_', "").parse::<u128>();
            if let Ok(number) = number {
                let step = (number / 4).max(1);
                let moved = [number.checked_add(step), number.checked_sub(step)];
                let moved = moved.into_iter().flatten();
                found.extend(moved.map(|new| (line + 1, at + start, at + end, new)));
            }
        }
        at += written.len();
    }
    found
}

/// Where a line's number is: `const LONGEST: usize = 24;`, `Score::percent(90)`.
fn number_in(line: &str) -> Option<(usize, usize)> {
    let start = if line.contains("const ") {
        line.find(" = ")? + 3
    } else {
        let call = "Score::percent(";
        line.find(call)? + call.len()
    };
    let digits = line[start..].find(|sign: char| !sign.is_ascii_digit() && sign != '_')?;
    let is_whole = line[start + digits..].starts_with([';', ')']);
    (digits > 0 && is_whole).then_some((start, start + digits))
}

async fn outcome(tree: &Path, mutant: &Mutant, whole: &str) -> Outcome {
    let Some(programs) = built(tree).await else {
        return Outcome::Noticed;
    };
    if mutant.is_data {
        fs::write(&mutant.path, whole).expect("the file as it was");
    }
    run(tree, &programs).await
}

async fn judged(tree: &Path) -> Outcome {
    let programs = built(tree).await.expect("the tests compile");
    run(tree, &programs).await
}

/// The programs of tests, if the tree compiles.
async fn built(tree: &Path) -> Option<Vec<Program>> {
    let mut cargo = Command::new("cargo");
    cargo.args(["test", "-q", "-p", "maskproxy-engine", "--no-run"]);
    cargo.args(["--lib", "--test", "engine"]);
    cargo
        .args(["--message-format=json", "--target-dir"])
        .arg(tree.with_file_name("target"));
    let output = cargo.current_dir(tree).stderr(Stdio::null()).output().await;
    let output = output.expect("cargo");
    let messages = String::from_utf8_lossy(&output.stdout).into_owned();
    let program = |line: &str| {
        let message: Value = serde_json::from_str(line).ok()?;
        let is_lib = message.pointer("/target/kind/0")? == "lib";
        Some(Program {
            path: message.get("executable")?.as_str()?.into(),
            tests: if is_lib { &[] } else { TESTS },
        })
    };
    output
        .status
        .success()
        .then(|| messages.lines().filter_map(program).collect())
}

async fn run(tree: &Path, programs: &[Program]) -> Outcome {
    for program in programs {
        let mut test = Command::new(&program.path);
        test.current_dir(tree.join("engine"))
            .arg("-q")
            .args(program.tests)
            .kill_on_drop(true);
        test.stdout(Stdio::null()).stderr(Stdio::null());
        let ended = timeout(LONGEST, test.status()).await;
        if !ended.is_ok_and(|status| status.is_ok_and(|status| status.success())) {
            return Outcome::Noticed;
        }
    }
    Outcome::Survived
}
