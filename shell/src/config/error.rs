//! Errors in the configuration.

use std::fmt;
use std::path::Path;

use super::values::Source;
use super::yaml::{Place, Places};

/// Why the configuration can't be used. Never shows a value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Error {
    #[error("can't read the configuration file {path}: {reason}")]
    Unreadable { path: String, reason: String },
    #[error("{path}:{line}:{column}: {reason}")]
    Syntax {
        path: String,
        line: usize,
        column: usize,
        reason: String,
    },
    #[error("the configuration file {0} must contain settings, such as `port: 8000`")]
    NoMapping(String),
    #[error("{path}:{}:{}: {error}", place.0, place.1)]
    At {
        path: String,
        place: Place,
        error: Box<Error>,
    },
    #[error("unknown setting '{path}'; the settings here are {known}")]
    NoneHere { path: String, known: String },
    #[error("unknown setting '{path}'{}", Hint(*.suggestion))]
    Unknown {
        path: String,
        suggestion: Option<&'static str>,
    },
    #[error("setting '{path}'{} must be {expected}{}", From(*.from), Hint(*.suggestion))]
    Invalid {
        path: String,
        from: Option<Source>,
        expected: String,
        suggestion: Option<&'static str>,
    },
    #[error("setting '{0}' is given twice")]
    Twice(String),
    /// Settings that are right by themselves but not together, in a whole sentence.
    #[error("{0}")]
    Conflict(String),
    /// In the order of the file; on a line each if the format is `{:#}`.
    #[error(fmt = several)]
    Several(Vec<Error>),
}

impl Error {
    /// All errors as one, each once.
    pub(super) fn together(errors: impl IntoIterator<Item = Self>) -> Self {
        let mut all: Vec<Self> = Vec::new();
        for error in errors.into_iter().flat_map(Self::each) {
            if !all.contains(&error) {
                all.push(error);
            }
        }
        match <[Self; 1]>::try_from(all) {
            Ok([error]) => error,
            Err(all) => Self::Several(all),
        }
    }

    /// The errors that it consists of.
    pub(super) fn each(self) -> Vec<Self> {
        match self {
            Self::Several(errors) => errors,
            error => vec![error],
        }
    }

    fn place(&self) -> Option<Place> {
        match self {
            Self::At { place, .. } => Some(*place),
            _ => None,
        }
    }

    /// The error with its place in the file, if it is about a setting that is written there. Several are
    /// put in the order of the file, with those without a place at the end.
    pub(super) fn at(self, file: &Path, places: &Places) -> Self {
        if let Self::Several(errors) = self {
            let errors = errors.into_iter().map(|error| error.at(file, places));
            let mut errors: Vec<_> = errors.collect();
            errors.sort_by_key(|error| (error.place().is_none(), error.place()));
            return Self::Several(errors);
        }
        let (Self::Unknown { path, .. }
        | Self::NoneHere { path, .. }
        | Self::Twice(path)
        | Self::Invalid {
            path,
            from: None | Some(Source::File),
            ..
        }) = &self
        else {
            return self;
        };
        match places.of(path) {
            Some(place) => Self::At {
                path: file.display().to_string(),
                place,
                error: Box::new(self),
            },
            None => self,
        }
    }
}

/// All values, or the errors of all that have one.
pub(super) fn all<T>(results: impl IntoIterator<Item = Result<T, Error>>) -> Result<Vec<T>, Error> {
    let (mut values, mut errors) = (Vec::new(), Vec::new());
    for result in results {
        match result {
            Ok(value) => values.push(value),
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() {
        return Ok(values);
    }
    Err(Error::together(errors))
}

/// Binds the value of each result to a name, or returns the errors of all that have one.
macro_rules! take_all {
    ($($name:ident = $result:expr;)+) => {
        let ($($name,)+) = match ($($result,)+) {
            ($(Ok($name),)+) => ($($name,)+),
            ($($name,)+) => {
                let errors = [$($name.err()),+].into_iter().flatten();
                return Err($crate::config::Error::together(errors));
            }
        };
    };
}
pub(super) use take_all;

/// How to load the secrets that the service has and a user's shell lacks.
pub(super) const IN_ENVIRONMENT: &str = "; to load the secrets of the packaged service, run \
     `set -a; . /etc/maskproxy/environment`";

/// For a key that is not in `known`: suggests one, or lists all.
pub(super) fn unknown_key(path: String, key: &str, known: &[&'static str]) -> Error {
    match suggestion(key, known.iter().copied()) {
        None => Error::NoneHere {
            path,
            known: known.join(", "),
        },
        suggestion => Error::Unknown { path, suggestion },
    }
}

fn several(errors: &[Error], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let each = errors.iter().map(Error::to_string);
    if f.alternate() {
        write!(f, "the configuration has {} errors:", errors.len())?;
        return each
            .into_iter()
            .try_for_each(|error| write!(f, "\n  {error}"));
    }
    f.write_str(&each.collect::<Vec<_>>().join("; "))
}

struct Hint(Option<&'static str>);

impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(suggestion) => write!(f, ", did you mean '{suggestion}'?"),
            None => Ok(()),
        }
    }
}

/// The variable or flag that a value came from.
struct From(Option<Source>);

impl fmt::Display for From {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(Source::Environment(name)) => write!(f, " ({name})"),
            Some(Source::Flag(name)) => write!(f, " (--{name})"),
            _ => Ok(()),
        }
    }
}

/// The known name that was probably meant.
pub(crate) fn suggestion(
    name: &str,
    known: impl IntoIterator<Item = &'static str>,
) -> Option<&'static str> {
    /// Below this names have little in common.
    const ALIKE: f64 = 0.82;
    /// One letter that is wrong, missing, too many or in another's place counts in short names as well.
    const ONE_SLIP: f64 = 0.9;
    let name = name.to_ascii_lowercase().replace('-', "_");
    let likeness = |known: &str| {
        let alike = strsim::jaro_winkler(&name, known);
        let is_slip = name.len() >= 3 && strsim::damerau_levenshtein(&name, known) == 1;
        if is_slip { alike.max(ONE_SLIP) } else { alike }
    };
    known
        .into_iter()
        .map(|known| (likeness(&known.to_ascii_lowercase()), known))
        .filter(|(alike, _)| *alike >= ALIKE)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, known)| known)
}

/// A key of the file as messages show it. A wrong indentation can turn a value into a key, so only
/// text that looks like a name is shown.
pub(super) fn shown_key(key: &str) -> &str {
    let is_name = key.len() <= 40
        && !key.is_empty()
        && key
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"_-.".contains(&b));
    if is_name { key } else { "…" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typos_get_the_intended_name() {
        let known = ["terms", "type", "patterns", "allow"];
        assert_eq!(suggestion("term", known), Some("terms"));
        assert_eq!(suggestion("Pattern", known), Some("patterns"));
        assert_eq!(suggestion("colour", known), None);
        assert_eq!(suggestion("tll", ["type", "ttl"]), Some("ttl"));
        assert_eq!(suggestion("dns", ["ttl", "dsn"]), Some("dsn"));
        assert_eq!(suggestion("chat-style", ["chat_style"]), Some("chat_style"));
    }

    #[test]
    fn an_implausible_key_is_not_shown() {
        assert_eq!(shown_key("proxy"), "proxy");
        for key in ["alice@example.com", "Alice Smith", "", &"x".repeat(41)] {
            assert_eq!(shown_key(key), "…");
        }
    }
}
