//! What a setting is: its names, its kind, its default and whether it is secret.

use super::error::suggestion;
use super::table::SETTINGS;

/// One setting.
#[derive(Debug)]
pub(crate) struct Setting {
    /// The path in the configuration file, and the name in messages.
    pub(crate) path: &'static str,
    /// What values it takes.
    pub(crate) kind: Kind,
    /// The environment variable.
    pub(crate) env: Option<&'static str>,
    /// The flag of `proxy`.
    pub(crate) flag: Option<Flag>,
    /// What applies when nothing is set.
    pub(crate) default: Option<&'static str>,
    /// Whether the value may never be shown.
    pub(crate) secret: bool,
    /// One line of help.
    pub(crate) help: &'static str,
}

/// What values a setting takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// One line.
    Text,
    Boolean,
    /// Seconds above 0, with a fraction if wanted.
    Seconds,
    /// A whole number within bounds.
    Whole {
        least: u64,
        most: u64,
    },
    /// From 0 to 1.
    Fraction,
    /// One of these names.
    Choice(&'static [&'static str]),
    /// An `http` or `https` URL.
    Url,
    /// The URL of a Redis server.
    StoreUrl,
    /// The path of a file.
    Path,
    /// Paths of requests, each with the schema of its bodies.
    Routes,
    /// HTTP headers, each with a value. Values are never shown.
    Headers,
    /// Entity types.
    Entities,
    /// Regular expressions by entity type. Never shown.
    Patterns,
    /// Words by entity type. Never shown.
    Terms,
    /// Values that are never masked. Never shown.
    Allowed,
    /// A detector, or a list of them.
    Detector,
}

impl Kind {
    /// What a value must be, to follow "must be".
    pub(crate) fn expected(self) -> String {
        match self {
            Self::Text => "one line of text".to_owned(),
            Self::Boolean => "true or false".to_owned(),
            Self::Seconds => "a number of seconds above 0".to_owned(),
            Self::Whole { least, most } if most == u64::MAX => {
                format!("a whole number of {least} or more")
            }
            Self::Whole { least, most } => format!("a whole number from {least} to {most}"),
            Self::Fraction => "a number from 0 to 1".to_owned(),
            Self::Choice(names) => one_of(names),
            Self::Url => "a URL such as https://api.example.com".to_owned(),
            Self::StoreUrl => "a URL such as redis://localhost:6379/0".to_owned(),
            Self::Path => "the path of a file".to_owned(),
            Self::Routes => "a mapping of paths to schemas".to_owned(),
            Self::Headers => "a mapping of header names to values".to_owned(),
            Self::Entities => "a list of entity types".to_owned(),
            Self::Patterns => "a mapping of entity types to regular expressions".to_owned(),
            Self::Terms => "a mapping of entity types to lists of words".to_owned(),
            Self::Allowed => "a list of values".to_owned(),
            Self::Detector => "a detector or a list of detectors".to_owned(),
        }
    }
}

/// `a, b or c`.
pub(super) fn one_of(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [name] => (*name).to_owned(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

/// How a setting is given on the command line.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Flag {
    /// `--long <NAME>`, and `-short <NAME>`.
    Value {
        long: &'static str,
        short: Option<char>,
        name: &'static str,
    },
    /// Switches with their help, each of which stands for one value: `--transparent`, `--gateway`.
    Switches(&'static [(&'static str, &'static str)]),
}

/// The setting at a path of the table.
pub(crate) fn find(path: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|setting| setting.path == path)
}

/// Whether a path is above settings: `proxy` is above `proxy.mode`.
pub(super) fn is_section(path: &str) -> bool {
    SETTINGS.iter().any(|setting| {
        let below = setting.path.strip_prefix(path);
        below.is_some_and(|below| below.starts_with('.'))
    })
}

/// What was probably meant by a key of a section (of the top level: an empty path).
pub(super) fn meant(section: &str, key: &str) -> Option<&'static str> {
    let paths = || SETTINGS.iter().map(|setting| setting.path);
    if section.is_empty() && key.contains('.') {
        return suggestion(key, paths());
    }
    let below = |path: &'static str| match section {
        "" => Some(path),
        section => path.strip_prefix(section)?.strip_prefix('.'),
    };
    let first = |path: &'static str| path.split('.').next().unwrap_or(path);
    let last = |path: &'static str| path.rsplit('.').next().unwrap_or(path);
    suggestion(key, paths().filter_map(below).map(first)).or_else(|| {
        let found = suggestion(key, paths().map(last))?;
        paths().find(|path| last(path) == found)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_setting_has_its_own_name_everywhere() {
        let mut paths = HashSet::new();
        let mut envs = HashSet::new();
        for setting in SETTINGS {
            assert!(paths.insert(setting.path), "{}", setting.path);
            if let Some(env) = setting.env {
                assert!(env.starts_with("MASK_") && envs.insert(env), "{env}");
            }
        }
    }

    #[test]
    fn no_secret_can_be_given_on_the_command_line() {
        for setting in SETTINGS.iter().filter(|setting| setting.secret) {
            assert!(setting.flag.is_none(), "{}", setting.path);
            assert!(setting.default.is_none(), "{}", setting.path);
        }
        assert!(find("provider.api_key").is_some_and(|key| key.secret));
    }

    #[test]
    fn no_path_is_both_a_setting_and_a_section() {
        for setting in SETTINGS {
            assert!(!is_section(setting.path), "{}", setting.path);
        }
    }

    #[test]
    fn what_was_meant_is_found_beside_and_elsewhere() {
        assert_eq!(meant("proxy", "time_out"), Some("timeout"));
        assert_eq!(meant("", "prox"), Some("proxy"));
        assert_eq!(meant("", "max_body"), Some("proxy.max_body"));
        assert_eq!(meant("proxy", "base_url"), Some("provider.base_url"));
        assert_eq!(meant("", "vault.tll"), Some("vault.ttl"));
        assert_eq!(meant("", "zzz"), None);
    }
}
