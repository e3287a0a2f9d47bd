//! The folders of a crate use each other in one direction, so that each can be read without those above it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

type Rooms = BTreeMap<String, BTreeSet<String>>;

#[test]
fn engine_modules_have_no_cyclic_dependencies() {
    assert_no_circle("engine/src", "lib.rs", "crate::");
}

#[test]
fn detection_modules_have_no_cyclic_dependencies() {
    assert_no_circle("engine/src/detect", "mod.rs", "crate::detect::");
}

#[test]
fn shell_modules_have_no_cyclic_dependencies() {
    assert_no_circle("shell/src", "main.rs", "crate::");
}

/// A file that no program of tests has is a test that is skipped.
#[test]
fn every_test_file_belongs_to_a_test_program() {
    const PROGRAMS_OF_THEIR_OWN: [&str; 5] =
        ["agents", "component", "ner", "plugin_template", "purity"];
    for folder in ["../engine/tests", "tests"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let program = fs::read_to_string(folder.join("main.rs")).expect("main.rs");
        let modules: BTreeSet<_> = program
            .lines()
            .filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'))
            .collect();
        for file in fs::read_dir(&folder).expect("tests") {
            let path = file.expect("a file").path();
            let name = path
                .file_stem()
                .and_then(|name| name.to_str())
                .expect("a name");
            let is_known = modules.contains(name) || PROGRAMS_OF_THEIR_OWN.contains(&name);
            assert!(is_known || name == "main", "{name} is missing in main.rs");
        }
    }
}

/// `prefix` is how code names what is right below the sources.
fn assert_no_circle(sources: &str, root_file: &str, prefix: &str) {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    let sources = workspace.expect("the workspace").join(sources);
    let homes = homes(&code(&sources.join(root_file)));
    let mut rooms = Rooms::new();
    for path in files(&sources) {
        let room = room(&path, &sources);
        if path == sources.join(root_file) {
            continue;
        }
        let code = code(&path);
        let below = path.strip_prefix(&sources).expect("a source");
        let mut used = used(&code, prefix);
        used.extend(used_from(&code, below));
        let used = used.into_iter();
        let used = used.map(|name| homes.get(&name).cloned().unwrap_or(name));
        rooms.entry(room).or_default().extend(used);
    }
    assert!(rooms.len() > 5, "{rooms:?}");
    for (room, used) in &mut rooms {
        used.remove(room);
    }
    while let Some(lowest) = lowest(&rooms) {
        rooms.remove(&lowest);
    }
    assert!(rooms.is_empty(), "these use each other: {rooms:#?}");
}

/// A room that uses none of the others.
fn lowest(rooms: &Rooms) -> Option<String> {
    let mut each = rooms.iter();
    let lowest = each.find(|(_, used)| !used.iter().any(|used| rooms.contains_key(used)));
    lowest.map(|(room, _)| room.clone())
}

/// A source without comments and unit tests.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).expect("a source");
    let text = text.split("#[cfg(test)]\nmod tests {").next();
    let lines = text.unwrap_or_default().lines();
    lines.fold(String::new(), |code, line| {
        code + line.split("//").next().unwrap_or_default() + "\n"
    })
}

/// Which room each item comes from that the root exports.
fn homes(root: &str) -> BTreeMap<String, String> {
    let exports = root.split("pub use ").skip(1);
    let exports = exports.filter_map(|export| export.split(';').next()?.split_once("::"));
    let items = exports.flat_map(|(room, items)| {
        let names = items.split([',', '{', '}', '\n', ' ']);
        names.map(move |name| (name.to_owned(), room.to_owned()))
    });
    items.collect()
}

/// What a source names after a prefix: `crate::name` and `crate::{name, name::item}`.
fn used(code: &str, prefix: &str) -> BTreeSet<String> {
    code.split(prefix).skip(1).flat_map(named).collect()
}

/// The same after as many `super::` as it takes to get from a file to the root.
fn used_from(code: &str, file: &Path) -> BTreeSet<String> {
    const UP: &str = "super::";
    let depth = file.iter().count() - usize::from(file.ends_with("mod.rs"));
    let mut used = BTreeSet::new();
    let mut rest = code;
    while let Some(at) = rest.find(UP) {
        let chain = &rest[at..];
        let place = chain.trim_start_matches(UP);
        if chain.len() - place.len() == depth * UP.len() {
            used.extend(named(place));
        }
        rest = place;
    }
    used
}

fn named(place: &str) -> Vec<String> {
    match place.strip_prefix('{') {
        Some(group) => members(group),
        None => vec![word(place)],
    }
}

/// The first word of each member of a group whose opening brace was read.
fn members(group: &str) -> Vec<String> {
    let mut depth = 0_usize;
    let mut members = vec![String::new()];
    for letter in group.chars() {
        match letter {
            '}' if depth == 0 => break,
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => members.push(String::new()),
            _ => {}
        }
        if let (Some(member), true) = (members.last_mut(), letter != ',') {
            member.push(letter);
        }
    }
    let members = members.iter().map(|member| word(member.trim()));
    members.filter(|member| !member.is_empty()).collect()
}

fn word(text: &str) -> String {
    let letters = text.chars();
    let letters = letters.take_while(|letter| letter.is_alphanumeric() || *letter == '_');
    letters.collect()
}

/// The folder, or the file, right below the sources.
fn room(path: &Path, sources: &Path) -> String {
    let below = path.strip_prefix(sources).expect("a source").iter().next();
    let name = below.expect("a name").to_string_lossy();
    name.trim_end_matches(".rs").to_owned()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths
        .flat_map(|path| {
            if path.is_dir() {
                files(&path)
            } else {
                vec![path]
            }
        })
        .filter(|path| {
            let name = path.to_string_lossy();
            name.ends_with(".rs") && !name.ends_with("/tests.rs") && !name.contains("/tests/")
        })
        .collect()
}
