//! The definition of a setting: its names, kind, default and secrecy.

/// One setting.
#[derive(Debug)]
pub(crate) struct Setting {
    /// The path in the configuration file, and the name in messages.
    pub(crate) path: &'static str,
    /// The values it accepts.
    pub(crate) kind: Kind,
    /// The environment variable.
    pub(crate) env: Option<&'static str>,
    /// The flag of `proxy`.
    pub(crate) flag: Option<Flag>,
    /// The value if nothing is set.
    pub(crate) default: Option<&'static str>,
    /// Whether the value may never be shown.
    pub(crate) secret: bool,
    /// One line of help.
    pub(crate) help: &'static str,
}

/// The values that a setting accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// One line.
    Text,
    Boolean,
    /// A time above 0: seconds, with a fraction if wanted, or a whole number with a unit (`7d`).
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
    /// A host and a port, or a port of this machine alone.
    Address,
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
    /// Built-in entity types, each on or off.
    Switches,
    /// A detector, or a list of them.
    Detector,
    /// A preset, or `restore` rules.
    Restore,
    /// Rules of the policy.
    Rules,
    /// Hashes of keys by name.
    Keys,
}

impl Kind {
    /// What a value must be, to follow "must be".
    pub(crate) fn expected(self) -> String {
        match self {
            Self::Text => "one line of text".to_owned(),
            Self::Boolean => "true or false".to_owned(),
            Self::Seconds => "a number of seconds above 0, or a time such as 30s, 12h or 7d".to_owned(),
            Self::Whole { least, most } if most == u64::MAX => {
                format!("a whole number of {least} or more")
            }
            Self::Whole { least, most } => format!("a whole number from {least} to {most}"),
            Self::Fraction => "a number from 0 to 1".to_owned(),
            Self::Choice(names) => one_of(names),
            Self::Address => "a port, or an address such as 127.0.0.1:8001".to_owned(),
            Self::Url => "a URL such as https://api.example.com".to_owned(),
            Self::StoreUrl => "a URL such as redis://localhost:6379/0, with / @ : + # % in the password percent-encoded".to_owned(),
            Self::Path => "the path of a file".to_owned(),
            Self::Routes => "a mapping of paths to schemas".to_owned(),
            Self::Headers => "a mapping of header names to values".to_owned(),
            Self::Entities => "a list of entity types".to_owned(),
            Self::Patterns => "a mapping of entity types to regular expressions".to_owned(),
            Self::Terms => "a mapping of entity types to lists of words".to_owned(),
            Self::Allowed => "a list of values".to_owned(),
            Self::Switches => "a mapping of built-in entity types to true or false".to_owned(),
            Self::Detector => "a detector or a list of detectors".to_owned(),
            Self::Restore => "guard, or a list of rules".to_owned(),
            Self::Rules => "a list of rules".to_owned(),
            Self::Keys => "a mapping of names to hashes".to_owned(),
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
    /// Switches with their help, each for one value: `--transparent`, `--gateway`.
    Switches(&'static [(&'static str, &'static str)]),
}
