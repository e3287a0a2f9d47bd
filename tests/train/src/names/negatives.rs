//! Texts of packages that have no names: code, settings, documentation, changes, licences, translated messages.

use super::{Text, hash, resources};
use engine::detect::names::lists::{Lists, Marks};
use engine::detect::names::token::hash_of;
use std::path::{Path, PathBuf};

/// Files that are no text to a reader: data of tools, and translations, which are read on their own.
const PASSED_OVER: &[&str] = &["output", "map", "svg", "po", "pem", "lock"];
/// Files whose purpose is to name people.
const NAMING: &[&str] = &[
    "author",
    "contribut",
    "thanks",
    "maintain",
    "credit",
    "codeowners",
    "names",
    "person",
    "locale",
    "zoneinfo",
    "unicode",
    "publicsuffix",
    "effective_tld",
];
/// Most of one file and of one package, in bytes.
const MOST_OF_FILE: usize = 24_000;
const MOST_OF_PACKAGE: usize = 400_000;
const PIECE: usize = 3_000;

/// Pieces of code, at most `most` bytes, without lines that name people. The source is the package.
///
/// # Errors
/// Names a folder that cannot be read.
pub fn code(folders: &[PathBuf], most: usize) -> Result<Vec<Text>, String> {
    let mut packages: Vec<PathBuf> = Vec::new();
    for folder in folders {
        packages.extend(resources::list(folder)?);
    }
    packages.sort_by_key(|path| hash(&path.file_name().unwrap_or_default().to_string_lossy()));
    let mut texts = Vec::new();
    let mut total = 0;
    for package in packages {
        let name = package
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let mut left = MOST_OF_PACKAGE.min(most.saturating_sub(total));
        let mut files = Vec::new();
        files_below(&package, &mut files, 0);
        files.sort_by_key(|path| {
            hash(
                &path
                    .strip_prefix(&package)
                    .unwrap_or(path)
                    .to_string_lossy(),
            )
        });
        for file in files {
            if left == 0 {
                break;
            }
            let Ok(text) = std::fs::read_to_string(&file) else {
                continue;
            };
            let text: String = text
                .lines()
                .filter(|line| !names_people(line))
                .flat_map(|line| [line, "\n"])
                .collect();
            let text = &text[..text.floor_char_boundary(MOST_OF_FILE.min(left))];
            left -= text.len().min(left);
            total += text.len();
            let mut rest = text;
            while !rest.is_empty() {
                let cut = rest.floor_char_boundary(PIECE.min(rest.len()));
                let cut = rest[cut..]
                    .find('\n')
                    .map_or(rest.len(), |index| cut + index + 1);
                let (piece, behind) = rest.split_at(cut);
                rest = behind;
                texts.push(Text {
                    text: piece.to_owned(),
                    names: Vec::new(),
                    source: format!("code {name}"),
                    language: "code".to_owned(),
                    weight: 1.0,
                });
            }
        }
    }
    Ok(texts)
}

fn files_below(path: &Path, files: &mut Vec<PathBuf>, depth: usize) {
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .to_lowercase();
    if NAMING.iter().any(|word| name.contains(word)) || depth > 8 || path.is_symlink() && depth > 0
    {
        return;
    }
    if path.is_dir() {
        let mut below = resources::list(path).unwrap_or_default();
        below.sort();
        for path in below {
            files_below(&path, files, depth + 1);
        }
    } else if path
        .extension()
        .is_none_or(|ending| !PASSED_OVER.contains(&&*ending.to_string_lossy()))
    {
        files.push(path.to_owned());
    }
}

/// Whether a line of a file is likely to name people.
fn names_people(line: &str) -> bool {
    let small = line.to_lowercase();
    [
        "author",
        "copyright",
        "(c)",
        "©",
        "maintain",
        "contribut",
        "thanks",
        "written by",
        "credit",
        "@",
        " by ",
        "suggested",
        "reported",
        "alice",
        "john",
        "translator",
    ]
    .iter()
    .any(|word| small.contains(word))
}

/// Leaves out the lines in which the lists have a name: a first name, and a word with a capital behind it.
#[must_use]
pub fn without_names(mut text: Text, lists: Lists<'_>) -> Text {
    let lines = text.text.split_inclusive('\n');
    text.text = lines.filter(|line| !has_name(line, lists)).collect();
    text
}

fn has_name(line: &str, lists: Lists<'_>) -> bool {
    let words: Vec<&str> = line.split(' ').collect();
    words.windows(2).any(|pair| {
        let letters = |word: &str| {
            word.trim_matches(|letter: char| !letter.is_alphabetic())
                .to_owned()
        };
        let is_joined = pair[0].ends_with(char::is_alphabetic);
        let [first, second] = [letters(pair[0]), letters(pair[1])];
        let is_written = |word: &str| {
            let mut rest = word.chars();
            rest.next().is_some_and(char::is_uppercase) && rest.any(char::is_lowercase)
        };
        let marks = |word: &str| lists.marks(hash_of(word));
        let begins = marks(&first).has(Marks::FIRST) && marks(&first).is_only_name();
        let ends = marks(&second).is_only_name() && !marks(&first).has(Marks::COMMON);
        is_joined && is_written(&first) && is_written(&second) && (begins || ends)
    })
}

/// Messages of `.po` files below folders, translated into a language.
#[must_use]
pub fn messages(folders: &[PathBuf], most: usize) -> Vec<Text> {
    const LANGUAGES: [&str; 9] = ["de", "fr", "es", "pl", "pt", "it", "nl", "pt_BR", "ru"];
    let mut texts = Vec::new();
    let mut total = std::collections::BTreeMap::<&str, usize>::new();
    let mut files = Vec::new();
    for folder in folders {
        catalogues(folder, &mut files);
    }
    files.sort_by_key(|path| {
        hash(
            path.to_string_lossy()
                .rsplit("packages")
                .next()
                .unwrap_or_default(),
        )
    });
    for file in files {
        let Some(language) = LANGUAGES
            .into_iter()
            .find(|language| file.components().any(|part| part.as_os_str() == *language))
        else {
            continue;
        };
        let total = total.entry(language).or_default();
        let Ok(catalogue) = std::fs::read_to_string(&file) else {
            continue;
        };
        let source = file
            .to_string_lossy()
            .rsplit("packages/")
            .next()
            .unwrap_or_default()
            .split('/')
            .next()
            .unwrap_or_default()
            .to_owned();
        for message in catalogue.split("\n\n").skip(1) {
            let Some((_, translated)) = message.split_once("\nmsgstr") else {
                continue;
            };
            let text: String = translated
                .lines()
                .filter_map(|line| line.split_once('"')?.1.strip_suffix('"'))
                .collect();
            let text = text.replace("\\n", "\n").replace("\\\"", "\"");
            if text.len() < 12 || *total > most || names_people(&text) {
                continue;
            }
            *total += text.len();
            texts.push(Text {
                text,
                names: Vec::new(),
                source: format!("messages {source}"),
                language: language[..2].to_owned(),
                weight: 1.0,
            });
        }
    }
    texts
}

fn catalogues(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_dir() {
        for path in resources::list(path).unwrap_or_default() {
            catalogues(&path, files);
        }
    } else if path.extension().is_some_and(|ending| ending == "po") {
        files.push(path.to_owned());
    }
}
