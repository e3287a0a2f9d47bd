//! Reads the records in `rules/reach` and generates Rust from them.

use serde::Deserialize;
use std::fmt::Write;

/// Every record of the folder.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reach {
    tool: Vec<Record>,
    argument: Vec<Record>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    pattern: String,
    #[serde(rename = "match")]
    matches: Vec<String>,
    no_match: Vec<String>,
}

pub(crate) fn parse(text: &str) -> Result<Reach, String> {
    let reach: Reach = toml::from_str(text).map_err(|error| error.to_string())?;
    for record in reach.tool.iter().chain(&reach.argument) {
        if record.pattern.is_empty() || record.matches.is_empty() || record.no_match.is_empty() {
            return Err(format!(
                "{}: a pattern and examples are missing",
                record.pattern
            ));
        }
    }
    Ok(reach)
}

/// The patterns, and for tests their examples.
pub(crate) fn rust(reach: &Reach) -> String {
    let tools = tables("NETWORK", "EXAMPLES", &reach.tool);
    tools + &tables("PLACES", "ARGUMENT_EXAMPLES", &reach.argument)
}

fn tables(name: &str, name_of_examples: &str, records: &[Record]) -> String {
    let patterns: Vec<_> = records.iter().map(|record| &record.pattern).collect();
    let mut out = format!("pub(super) const {name}: &[&str] = &{patterns:?};\n");
    let _ = writeln!(
        out,
        "#[cfg(test)]\npub(super) const {name_of_examples}: &[(&str, &[&str], &[&str])] = &["
    );
    for record in records {
        let Record {
            pattern,
            matches,
            no_match,
        } = record;
        let _ = writeln!(out, "    ({pattern:?}, &{matches:?}, &{no_match:?}),");
    }
    out + "];\n"
}
