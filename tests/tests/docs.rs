//! Links, commands, options and recipes in the documentation exist.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use tests::maskproxy;

/// The most lines that a newcomer is given to read first.
const README_LINES: usize = 80;

/// Every page of the repository that a reader comes to.
fn pages() -> Vec<PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut pages = Vec::new();
    for folder in [
        "",
        "docs",
        "envoy",
        "engine-wit",
        "engine/rules",
        "engine/src/detect",
    ] {
        let entries = fs::read_dir(root.join(folder)).expect("a folder");
        let paths = entries.map(|entry| entry.expect("a file").path());
        pages.extend(paths.filter(|path| path.extension().is_some_and(|kind| kind == "md")));
    }
    pages
}

/// The text outside fenced blocks, and inside them.
fn split(text: &str) -> (String, String) {
    let (mut prose, mut code) = (String::new(), String::new());
    let mut is_code = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
            continue;
        }
        let part = if is_code { &mut code } else { &mut prose };
        part.push_str(line);
        part.push('\n');
    }
    (prose, code)
}

/// The targets of `[text](target)`.
fn links(prose: &str) -> impl Iterator<Item = &str> {
    prose.split("](").skip(1).filter_map(|rest| {
        let (target, _) = rest.split_once(')')?;
        (!target.contains([' ', '\n'])).then_some(target)
    })
}

/// The names that headings have in links.
fn anchors(prose: &str) -> BTreeSet<String> {
    let headings = prose.lines().filter(|line| line.starts_with('#'));
    headings
        .map(|heading| {
            let heading = heading.trim_start_matches('#').trim().to_lowercase();
            let kept = heading
                .chars()
                .filter(|c| c.is_alphanumeric() || " -_".contains(*c));
            kept.map(|c| if c == ' ' { '-' } else { c }).collect()
        })
        .collect()
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn every_link_leads_to_a_file_and_a_heading() {
    let mut wrong = Vec::new();
    for page in pages() {
        let (prose, _) = split(&read(&page));
        for target in links(&prose).filter(|target| !target.contains("://")) {
            let (file, heading) = target.split_once('#').unwrap_or((target, ""));
            let path = match file {
                "" => page.clone(),
                file => page.parent().expect("a folder").join(file),
            };
            let has_heading = || anchors(&split(&read(&path)).0).contains(heading);
            if !path.exists() || (!heading.is_empty() && !has_heading()) {
                wrong.push(format!("{}: {target}", page.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_readme_is_short() {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    let lines = read(&readme).lines().count();
    assert!(lines < README_LINES, "{lines} lines");
}

#[test]
fn every_recipe_that_a_page_names_exists() {
    let justfile = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../justfile"));
    let has = |recipe: &str| {
        let mut lines = justfile.lines();
        lines.any(|line| {
            let rest = line.strip_prefix(recipe);
            rest.is_some_and(|rest| rest.starts_with([':', ' ']))
        })
    };
    let mut wrong = Vec::new();
    for page in pages() {
        let text = read(&page);
        let after = text
            .split("`just ")
            .skip(1)
            .chain(text.split("\njust ").skip(1));
        let recipes = after.filter_map(|rest| rest.split([' ', '`', '\n', '…']).next());
        let unknown =
            recipes.filter(|recipe| recipe.starts_with(char::is_lowercase) && !has(recipe));
        wrong.extend(unknown.map(|recipe| format!("{}: just {recipe}", page.display())));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Every line of a page that starts `maskproxy`, up to what the shell or another program reads.
fn commands(code: &str) -> impl Iterator<Item = &str> {
    let lines = code.lines().map(|line| line.trim_start_matches("$ "));
    let ours = lines.filter_map(|line| line.strip_prefix("maskproxy "));
    ours.map(|line| {
        let line = line.split(['#', '>', '<', '|']).next().unwrap_or_default();
        line.split(" -- ").next().unwrap_or_default().trim()
    })
}

/// The `--help` of a command, or of the subcommand that the words name.
async fn help_of(words: &[&str], known: &mut BTreeMap<String, String>) -> String {
    let [command, rest @ ..] = words else {
        return String::new();
    };
    let mut key = (*command).to_owned();
    if let (Some(below), "audit" | "session" | "policy" | "key") = (rest.first(), *command) {
        key = format!("{key} {below}");
    }
    if !known.contains_key(&key) {
        let mut arguments: Vec<_> = key.split(' ').collect();
        arguments.push("--help");
        let (status, help, _) = maskproxy(&arguments, "").await;
        known.insert(
            key.clone(),
            if status == Some(0) {
                help
            } else {
                String::new()
            },
        );
    }
    known[&key].clone()
}

/// A page once named an option that a command had lost.
#[tokio::test]
async fn every_documented_command_has_its_options() {
    let (mut known, mut wrong) = (BTreeMap::new(), Vec::new());
    for page in pages() {
        let (_, code) = split(&read(&page));
        for line in commands(&code) {
            let words: Vec<_> = line.split_whitespace().collect();
            let help = help_of(&words, &mut known).await;
            let name = |word: &str| word.split('=').next().unwrap_or_default().to_owned();
            let mut options = words.iter().filter(|word| word.starts_with("--"));
            if help.is_empty() || !options.all(|option| help.contains(&name(option))) {
                wrong.push(format!("{}: maskproxy {line}", page.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
