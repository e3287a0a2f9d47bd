//! Reads tools' own files, where the tools look for them, as far as needed here.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::Surroundings;

/// The largest settings file that is read, in bytes.
const MAX_BYTES: u64 = 1 << 20;

impl Surroundings<'_> {
    /// The directory where the tool starts and those above it, up to the root of its repository. Without one the
    /// first alone.
    pub(super) fn project(&self) -> Vec<PathBuf> {
        let above: Vec<_> = self.directory.ancestors().collect();
        let root = above.iter().position(|path| path.join(".git").exists());
        let count = root.map_or(1, |root| root + 1);
        above.into_iter().take(count).map(Path::to_owned).collect()
    }

    /// A file as the user knows it.
    pub(super) fn shown(&self, path: &Path) -> String {
        if let Ok(inside) = path.strip_prefix(&self.directory) {
            return inside.display().to_string();
        }
        match path.strip_prefix(&self.home) {
            Ok(inside) => format!("~/{}", inside.display()),
            Err(_) => path.display().to_string(),
        }
    }
}

/// The text of a file, if there is one.
pub(super) fn text(path: &Path) -> Option<String> {
    let file = File::open(path).ok()?;
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    file.take(MAX_BYTES).read_to_string(&mut text).ok()?;
    Some(text)
}

/// A JSON file with comments and trailing commas.
pub(super) fn json(path: &Path) -> Option<Value> {
    let text = text(path)?;
    serde_json::from_str(&text)
        .or_else(|_| serde_json::from_str(&plain_json(&text)))
        .ok()
}

/// A file of TOML.
pub(super) fn toml(path: &Path) -> Option<toml::Table> {
    text(path)?.parse().ok()
}

/// The value of a variable in a `.env` file, if it has one; the last counts.
pub(super) fn dotenv(text: &str, name: &str) -> Option<String> {
    assigned(text, name, '=')
}

/// The value of a key on its own line in a YAML file.
pub(super) fn yaml(text: &str, name: &str) -> Option<String> {
    assigned(text, name, ':')
}

fn assigned(text: &str, name: &str, separator: char) -> Option<String> {
    let value = |line: &str| {
        let line = line.trim_start();
        let line = line.strip_prefix("export ").unwrap_or(line);
        let line = line.strip_prefix("- ").unwrap_or(line).trim_start();
        let rest = line.strip_prefix(name)?.trim_start();
        let value = unquoted(rest.strip_prefix(separator)?.trim());
        (!value.is_empty()).then(|| value.to_owned())
    };
    text.lines().filter_map(value).next_back()
}

fn unquoted(value: &str) -> &str {
    for quote in ['"', '\''] {
        let inside = value
            .strip_prefix(quote)
            .and_then(|rest| rest.split_once(quote));
        if let Some((inside, _)) = inside {
            return inside;
        }
    }
    let end = value.find(" #").unwrap_or(value.len());
    value.get(..end).unwrap_or_default().trim_end()
}

/// JSON without comments and trailing commas.
fn plain_json(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if first == '"' {
            let end = string_end(rest);
            plain.push_str(rest.get(..end).unwrap_or_default());
            rest = rest.get(end..).unwrap_or_default();
        } else if rest.starts_with("//") {
            rest = rest
                .find('\n')
                .and_then(|end| rest.get(end..))
                .unwrap_or_default();
        } else if rest.starts_with("/*") {
            rest = rest.split_once("*/").map_or("", |(_, behind)| behind);
        } else {
            if matches!(first, '}' | ']') && plain.trim_end().ends_with(',') {
                plain.truncate(plain.trim_end().len() - 1);
            }
            plain.push(first);
            rest = rest.get(first.len_utf8()..).unwrap_or_default();
        }
    }
    plain
}

/// Where a string ends that begins here.
fn string_end(text: &str) -> usize {
    let mut is_escaped = false;
    for (place, character) in text.char_indices().skip(1) {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return place + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_is_found_in_every_spelling_of_an_env_file() {
        for (text, value) in [
            ("A_URL=http://x/v1", Some("http://x/v1")),
            ("export A_URL = 'http://x' # mine", Some("http://x")),
            ("A_URL=one\nA_URL=\"two\"\n", Some("two")),
            ("A_URL=http://x/#a # b", Some("http://x/#a")),
            ("#A_URL=x\nMY_A_URL=y\nA_URL_2=z\nA_URL=", None),
        ] {
            assert_eq!(dotenv(text, "A_URL").as_deref(), value, "{text}");
        }
        let list = "- model_id: x\n  api_base: \"http://x\"\n";
        assert_eq!(yaml(list, "api_base").as_deref(), Some("http://x"));
    }

    #[test]
    fn json_with_comments_is_read() {
        let text = "{ // one\n \"a\": \"http://x//y\", /* two */ \"b\": [1, 2,],\n}";
        let value: Value = serde_json::from_str(&plain_json(text)).unwrap();
        assert_eq!(value, serde_json::json!({"a": "http://x//y", "b": [1, 2]}));
    }
}
