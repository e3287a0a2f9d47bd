//! The settings of a YAML file, by their paths in the table.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use engine::Sensitive;

use super::Error;
use super::error::{shown_key, suggestion};
use super::item::Item;
use super::names::{find, is_section, meant};
use super::settings::{Kind, Setting};
use super::table::SETTINGS;
use super::values::Source;
use super::yaml::{self, Node, Places};
use crate::base::io_error;

/// The setting to which `maskproxy key add` adds one entry at a time.
const KEYS: &str = "policy.keys";

/// Reads a file: its settings, everything in it that is none or of the wrong kind, and the places of both.
///
/// # Errors
/// When it can't be read or is no YAML.
pub(super) fn read(path: &Path) -> Result<(Settings, Places), Error> {
    let (map, places) = tree_and_places(path)?;
    Ok((Settings::of(map), places))
}

/// The mapping that a file holds, with nothing in it for an empty file.
///
/// # Errors
/// When it can't be read, is no YAML, or holds no mapping.
pub(super) fn tree(path: &Path) -> Result<Vec<(String, Node)>, Error> {
    tree_and_places(path).map(|(map, _)| map)
}

fn tree_and_places(path: &Path) -> Result<(Vec<(String, Node)>, Places), Error> {
    let shown = path.display().to_string();
    let text = fs::read_to_string(path).map_err(|error| Error::Unreadable {
        path: shown.clone(),
        reason: reason_of(&error),
    })?;
    // It may hold keys: wiped when it was read.
    parse(shown, Sensitive::new(text).expose())
}

fn parse(path: String, text: &str) -> Result<(Vec<(String, Node)>, Places), Error> {
    match yaml::parse(text) {
        Ok((Node::Unset, places)) => Ok((Vec::new(), places)),
        Ok((Node::Map(map), places)) => Ok((map, places)),
        Ok((Node::Text(_) | Node::List(_), _)) => Err(Error::NoMapping(path)),
        Err(error) => Err(Error::Syntax {
            path,
            line: error.line,
            column: error.column,
            reason: error.reason,
        }),
    }
}

/// The settings of a file, and everything in it that is none.
#[derive(Default)]
pub(super) struct Settings {
    pub(super) found: BTreeMap<&'static str, Node>,
    pub(super) errors: Vec<Error>,
}

impl Settings {
    fn of(map: Vec<(String, Node)>) -> Self {
        let mut settings = Self::default();
        settings.add_section("", map);
        let of_wrong_kind = settings.found.iter().filter_map(|(path, node)| {
            let item = Item {
                path: (*path).into(),
                from: Some(Source::File),
                kind: find(path)?.kind,
                node,
            };
            item.check().err()
        });
        settings.errors.extend(of_wrong_kind);
        settings
    }

    fn add_section(&mut self, section: &str, map: Vec<(String, Node)>) {
        for (key, node) in map {
            let path = match section {
                "" => key.clone(),
                section => format!("{section}.{key}"),
            };
            if let Some(setting) = find(&path) {
                self.add(setting.path, node);
            } else if let Some(name) = name_of_key(&path) {
                self.add(KEYS, Node::Map(vec![(name.to_owned(), node)]));
            } else if is_section(&path) {
                self.add_below(&path, node);
            } else {
                self.errors.push(Error::Unknown {
                    path: match section {
                        "" => shown_key(&key).to_owned(),
                        section => format!("{section}.{}", shown_key(&key)),
                    },
                    suggestion: meant(section, &key),
                });
            }
        }
    }

    /// The content of a section: its settings, or only its type, as in `vault: sqlite`.
    fn add_below(&mut self, section: &str, node: Node) {
        match (node, find(&format!("{section}.type"))) {
            (Node::Unset, _) => {}
            (Node::Map(map), _) => self.add_section(section, map),
            (node @ Node::Text(_), Some(setting)) => self.add(setting.path, node),
            (node @ Node::List(_), _) if find(&format!("{section}.rules")).is_some() => {
                self.add_section(section, vec![("rules".to_owned(), node)]);
            }
            (node, of_type) => self.errors.push(no_section(section, &node, of_type)),
        }
    }

    fn add(&mut self, path: &'static str, node: Node) {
        if !node.is_set() {
            return;
        }
        match (self.found.get_mut(path), node) {
            (None, node) => {
                self.found.insert(path, node);
            }
            (Some(Node::Map(keys)), Node::Map(more)) if path == KEYS => {
                self.errors.extend(add_keys(keys, more));
            }
            // The same setting can be written in two ways: `vault: {ttl: 60}` and `vault.ttl: 60`.
            _ => self.errors.push(Error::Twice(path.to_owned())),
        }
    }
}

/// A value in the place of a section.
fn no_section(section: &str, node: &Node, of_type: Option<&Setting>) -> Error {
    Error::Invalid {
        path: section.to_owned(),
        from: None,
        expected: match of_type.map(|setting| setting.kind) {
            Some(Kind::Choice(names)) => {
                format!("{}, or a mapping of settings", names.join(", "))
            }
            _ => format!(
                "a mapping of settings, such as {{{}}}",
                example(section, node)
            ),
        },
        suggestion: None,
    }
}

/// A setting of a section: the one that was probably meant, or the first that says most.
fn example(section: &str, node: &Node) -> String {
    let below = |setting: &Setting| setting.path.strip_prefix(section)?.strip_prefix('.');
    let keys = || SETTINGS.iter().filter_map(below);
    let choices = || {
        SETTINGS.iter().filter_map(|setting| match setting.kind {
            Kind::Choice(names) => Some((below(setting)?, names)),
            _ => None,
        })
    };
    let meant = |(key, names): (&str, &[&'static str])| match node {
        Node::Text(text) => {
            let name = suggestion(text.expose(), names.iter().copied())?;
            Some(format!("{key}: {name}"))
        }
        _ => None,
    };
    let choice = || choices().find_map(|(key, names)| Some(format!("{key}: {}", names.first()?)));
    let first = || keys().next().map(|key| format!("{key}: …"));
    let example = choices().find_map(meant).or_else(choice).or_else(first);
    example.unwrap_or_default()
}

/// The name in `policy.keys.NAME`.
fn name_of_key(path: &str) -> Option<&str> {
    path.strip_prefix(KEYS)?.strip_prefix('.')
}

/// Adds keys, and returns an error for each that is there already.
fn add_keys(keys: &mut Vec<(String, Node)>, more: Vec<(String, Node)>) -> Vec<Error> {
    let mut errors = Vec::new();
    for (name, node) in more {
        if keys.iter().any(|(other, _)| *other == name) {
            errors.push(Error::Twice(format!("{KEYS}.{}", shown_key(&name))));
        } else {
            keys.push((name, node));
        }
    }
    errors
}

fn reason_of(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file".to_owned(),
        io::ErrorKind::IsADirectory => "it is a directory".to_owned(),
        io::ErrorKind::InvalidData => "it is not UTF-8 text".to_owned(),
        _ => io_error::in_words(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(text: &str) -> Result<BTreeMap<&'static str, Node>, Error> {
        let (map, places) = parse("x.yaml".to_owned(), text)?;
        let Settings { found, errors } = Settings::of(map);
        if errors.is_empty() {
            return Ok(found);
        }
        Err(Error::together(errors).at(Path::new("x.yaml"), &places))
    }

    fn paths(text: &str) -> String {
        let without_place = |error: Error| match error {
            Error::At { error, .. } => error.to_string(),
            other => other.to_string(),
        };
        match settings(text) {
            Ok(found) => found.keys().copied().collect::<Vec<_>>().join(" "),
            Err(error) => without_place(error),
        }
    }

    /// Nine errors once took nine starts to find.
    #[test]
    fn all_errors_in_a_file_are_reported_together() {
        let wrong = "port: abc\nprxoy: 1\nvault: {type: sqlit}\naudit:\n  enabled: perhaps\n";
        let errors = settings(wrong).unwrap_err().to_string();
        assert_eq!(
            errors.split("; ").collect::<Vec<_>>(),
            [
                "x.yaml:1:1: setting 'port' must be a whole number from 0 to 65535",
                "x.yaml:2:1: unknown setting 'prxoy', did you mean 'proxy'?",
                "x.yaml:3:9: setting 'vault.type' must be memory, sqlite or redis, did you mean 'sqlite'?",
                "x.yaml:5:3: setting 'audit.enabled' must be true or false",
            ]
        );
    }

    #[test]
    fn a_setting_can_be_written_in_three_ways() {
        assert_eq!(
            paths("vault: {type: sqlite, ttl: 60}"),
            "vault.ttl vault.type"
        );
        assert_eq!(
            paths("vault: sqlite\nvault.ttl: 60"),
            "vault.ttl vault.type"
        );
        assert_eq!(paths("vault.type: sqlite"), "vault.type");
        assert_eq!(
            paths("vault: {ttl: 60}\nvault.ttl: 60"),
            "setting 'vault.ttl' is given twice"
        );
    }

    /// Appending the output of a second `maskproxy key add` once made the file unusable.
    #[test]
    fn keys_in_separate_sections_are_merged() {
        let names = |text: &str| {
            let found = settings(text).map_err(|error| match error {
                Error::At { error, .. } => error.to_string(),
                other => other.to_string(),
            })?;
            let Some(Node::Map(keys)) = found.get(KEYS) else {
                return Ok(String::new());
            };
            let names: Vec<_> = keys.iter().map(|(name, _)| name.as_str()).collect();
            Ok::<_, String>(names.join(" "))
        };
        let both = Ok("a b.c".to_owned());
        assert_eq!(names("policy.keys.a: x\npolicy.keys.b.c: x"), both);
        assert_eq!(names("policy.keys: {a: x}\npolicy.keys.b.c: x"), both);
        assert_eq!(names("policy.keys.a: x\npolicy: {keys: {b.c: x}}"), both);
        assert_eq!(
            names("policy: strict\npolicy.keys.a: x"),
            Ok("a".to_owned())
        );
        assert_eq!(
            names("policy.keys.a: x\npolicy.keys: {a: x}"),
            Err("setting 'policy.keys.a' is given twice".to_owned())
        );
    }

    #[test]
    fn empty_counts_as_unset() {
        assert_eq!(paths(""), "");
        assert_eq!(paths("proxy:\nhost: ''\nport: ~\naudit: {path: }"), "");
    }

    #[test]
    fn unknown_keys_get_a_suggestion() {
        assert_eq!(
            paths("proxy: {timeuot: 3}"),
            "unknown setting 'proxy.timeuot', did you mean 'timeout'?"
        );
        assert_eq!(paths("zzz: 3"), "unknown setting 'zzz'");
        assert_eq!(
            paths("proxy: {'alice@example.com': 3}"),
            "unknown setting 'proxy.…'"
        );
    }

    #[test]
    fn a_section_must_be_a_mapping() {
        assert_eq!(
            paths("proxy: 3"),
            "setting 'proxy' must be a mapping of settings, such as {mode: transparent}"
        );
        assert_eq!(
            paths("tls: x.pem"),
            "setting 'tls' must be a mapping of settings, such as {certfile: …}"
        );
        assert_eq!(
            paths("session: conversations"),
            "setting 'session' must be a mapping of settings, such as {strategy: conversation}"
        );
        assert_eq!(
            paths("vault: [sqlite]"),
            "setting 'vault' must be memory, sqlite, redis, or a mapping of settings"
        );
        assert_eq!(
            paths("- proxy"),
            "the configuration file x.yaml must contain settings, such as `port: 8000`"
        );
    }
}
