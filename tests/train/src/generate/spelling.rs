//! How a value is written where it stands: what it must not hold there, and what is escaped.

/// The rules of a place for a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelling {
    /// Between double quotes, escaped by backslashes.
    Double,
    /// Between single quotes, escaped by backslashes.
    Single,
    /// Between single quotes of SQL, which are doubled.
    Sql,
    /// In XML or HTML.
    Xml,
    /// In a URL or a form.
    Percent,
    /// In a JSON string within a JSON string.
    Embedded,
    /// Between double quotes of a shell, or after `=` without quotes: what a shell would not touch.
    Shell,
    /// To the end of a line, without quotes.
    Bare,
    /// To the next space.
    Word,
    /// A cell of a table.
    Cell,
    /// In a sentence.
    Prose,
    /// A line or a stretch of its own.
    Line,
}

impl Spelling {
    /// Whether a secret can be written here such that a reader knows where it ends.
    pub(super) fn fits(self, value: &str) -> bool {
        let holds = |signs: &str| value.contains(|c: char| signs.contains(c));
        let starts = |signs: &str| value.starts_with(|c: char| signs.contains(c));
        match self {
            Self::Double | Self::Single | Self::Sql | Self::Xml | Self::Percent | Self::Line => {
                true
            }
            Self::Embedded => !holds("\\\""),
            Self::Bare => !holds(" \"'`#$\\,{}") && !starts("!&*?|>%@-:[=~"),
            Self::Cell => !holds(" |`;,\"'\\"),
            Self::Shell | Self::Word => {
                value.is_ascii() && !holds(" \"'`#$\\,;|&<>(){}[]*?!~:/@%=^+") && !starts("-.")
            }
            Self::Prose => {
                !holds(" \"'`,;<>()[]{}\\|") && !value.ends_with(['.', ':', '!', '?', '-', '='])
            }
        }
    }

    /// The value as it is written here.
    pub(super) fn write(self, value: &str) -> String {
        match self {
            Self::Double => value.replace('\\', "\\\\").replace('"', "\\\""),
            Self::Single => value.replace('\\', "\\\\").replace('\'', "\\'"),
            Self::Sql => value.replace('\'', "''"),
            Self::Xml => value
                .replace('&', "&amp;")
                .replace('<', "&lt;")
                .replace('>', "&gt;")
                .replace('"', "&quot;"),
            Self::Percent => percent(value),
            _ => value.to_owned(),
        }
    }

    /// Whether text with spaces, such as a label, ends where quotes or a line do.
    pub(super) fn holds_spaces(self) -> bool {
        !matches!(self, Self::Shell | Self::Word | Self::Percent | Self::Prose)
    }
}

fn percent(value: &str) -> String {
    value
        .bytes()
        .map(|byte| {
            if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
                char::from(byte).to_string()
            } else {
                format!("%{byte:02X}")
            }
        })
        .collect()
}
