//! Prints the settings. Names are shown, possible values are masked.

use serde_json::Value;

use super::fields::FIELDS;
use super::settings::{Kind, Setting};
use super::table::SETTINGS;
use super::values::{Source, Values};
use super::yaml::Node;

/// Shown instead of a hidden value.
const MASKED: &str = "****";

/// One line of the settings.
#[derive(Debug, PartialEq)]
pub(crate) struct Shown {
    pub(crate) path: String,
    /// Null when unset.
    pub(crate) value: Value,
    pub(crate) source: Option<Source>,
}

/// Every setting with its value, in the order of the table.
pub(crate) fn shown(values: &Values) -> Vec<Shown> {
    let mut lines = Vec::new();
    for setting in SETTINGS {
        let (node, source) = match values.given(setting.path) {
            Some((node, source)) => (node, Some(source)),
            None => (&Node::Unset, None),
        };
        let mut lines = Lines {
            source,
            lines: &mut lines,
        };
        match setting.kind {
            Kind::Detector => lines.add_detector(setting, node),
            kind => lines.add(setting.path.to_owned(), node, How::of(kind, setting.secret)),
        }
    }
    lines
}

/// How much of a value is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum How {
    Plain,
    /// All but what could be a credential.
    Url,
    Masked,
}

impl How {
    fn of(kind: Kind, secret: bool) -> Self {
        match kind {
            _ if secret => Self::Masked,
            Kind::Headers | Kind::Patterns | Kind::Terms | Kind::Allowed | Kind::Keys => {
                Self::Masked
            }
            Kind::Url | Kind::StoreUrl => Self::Url,
            _ => Self::Plain,
        }
    }
}

struct Lines<'a> {
    source: Option<Source>,
    lines: &'a mut Vec<Shown>,
}

impl Lines<'_> {
    /// A scalar or a list in one line, a mapping and a list of mappings in one line an entry.
    fn add(&mut self, path: String, node: &Node, how: How) {
        match node {
            Node::Map(map) if !map.is_empty() => {
                for (key, node) in map {
                    self.add(format!("{path}.{key}"), node, how);
                }
            }
            Node::List(list)
                if how == How::Plain && list.iter().any(|node| matches!(node, Node::Map(_))) =>
            {
                for (index, node) in list.iter().enumerate() {
                    self.add(format!("{path}[{index}]"), node, how);
                }
            }
            node => {
                let value = value(node, how);
                self.lines.push(Shown {
                    path,
                    value,
                    source: self.source,
                });
            }
        }
    }

    fn add_detector(&mut self, setting: &Setting, node: &Node) {
        match node {
            Node::List(list) => {
                for (index, node) in list.iter().enumerate() {
                    self.add_fields(&format!("{}[{index}]", setting.path), node);
                }
            }
            node => self.add_fields(setting.path, node),
        }
    }

    fn add_fields(&mut self, path: &str, node: &Node) {
        let Node::Map(map) = node else {
            return self.add(format!("{path}.type"), node, How::Plain);
        };
        for (key, node) in map {
            let field = FIELDS.iter().find(|field| field.key == key);
            let how = field.map_or(How::Masked, |field| How::of(field.kind, field.secret));
            self.add(format!("{path}.{key}"), node, how);
        }
    }
}

fn value(node: &Node, how: How) -> Value {
    match (node, how) {
        (Node::Unset, _) => Value::Null,
        (_, How::Masked) => MASKED.into(),
        (Node::Text(text), How::Url) => without_credentials(text.expose()).into(),
        (Node::Text(text), How::Plain) => plain(text.expose()),
        (Node::List(list), how) => list.iter().map(|node| value(node, how)).collect(),
        // Only a mapping without entries comes here.
        (Node::Map(_), _) => Value::Object(serde_json::Map::new()),
    }
}

fn plain(text: &str) -> Value {
    match text {
        "true" => true.into(),
        "false" => false.into(),
        _ => text
            .parse::<u64>()
            .map_or_else(|_| text.into(), Value::from),
    }
}

/// A URL with its password and query masked. A user without a password may be a credential, so it
/// is masked too.
fn without_credentials(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        return MASKED.to_owned();
    };
    let (rest, query) = match rest.split_once(['?', '#']) {
        Some((rest, _)) => (rest, format!("?{MASKED}")),
        None => (rest, String::new()),
    };
    // A password may hold any character, even a slash.
    match rest.rsplit_once('@') {
        Some((user, host)) => {
            let user = match user.split_once(':') {
                Some((user, _)) => format!("{user}:{MASKED}"),
                None => MASKED.to_owned(),
            };
            format!("{scheme}://{user}@{host}{query}")
        }
        None => format!("{scheme}://{rest}{query}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(yaml: &str) -> Vec<String> {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("x.yaml");
        std::fs::write(&file, yaml).unwrap();
        let values = Values::defaults().with_file(&file).unwrap();
        let lines = shown(&values).into_iter();
        lines
            .filter(|line| line.source == Some(Source::File))
            .map(|line| format!("{}={}", line.path, line.value))
            .collect()
    }

    #[test]
    fn nothing_that_could_be_a_value_is_shown() {
        let yaml = "
provider: {api_key: hunter2, headers: {x-team: hunter2}, base_url: 'https://u:hunter2@a.example/v1?key=hunter2'}
operator: {anchor_secret: hunter2}
vault: {redis_url: 'rediss://:hun/ter2@b.example:1/0', dsn: sub/../x.db}
tls: {keyfile_password: hunter2}
detector:
  - {type: regex, patterns: {TICKET: hunter2}, terms: {PROJECT: [hunter2]}, allow: [hunter2, {type: EMAIL, value: hunter2}]}
  - {type: llm, llm_model: m, llm_instructions: hunter2, llm_api_key: hunter2, llm_base_url: 'https://hunter2@c.example'}
";
        let lines = lines(yaml).join("\n");
        assert!(
            !lines.contains("hunter2") && !lines.contains("ter2"),
            "{lines}"
        );
        for shown in [
            "provider.api_key=\"****\"",
            "provider.headers.x-team=\"****\"",
            "provider.base_url=\"https://u:****@a.example/v1?****\"",
            "vault.redis_url=\"rediss://:****@b.example:1/0\"",
            "vault.dsn=\"sub/../x.db\"",
            "detector[0].patterns.TICKET=\"****\"",
            "detector[0].terms.PROJECT=\"****\"",
            "detector[0].allow=\"****\"",
            "detector[1].llm_model=\"m\"",
            "detector[1].llm_base_url=\"https://****@c.example\"",
        ] {
            assert!(lines.contains(shown), "{shown} in {lines}");
        }
    }

    #[test]
    fn unset_settings_are_shown_as_null() {
        let unset = shown(&Values::defaults()).into_iter();
        let unset: Vec<_> = unset.filter(|line| line.source.is_none()).collect();
        assert!(unset.iter().all(|line| line.value.is_null()));
        assert!(unset.iter().any(|line| line.path == "provider.api_key"));
    }
}
