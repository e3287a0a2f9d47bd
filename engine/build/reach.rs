//! Reads the records in `rules/reach` and generates Rust from them.

use serde::Deserialize;
use std::fmt::Write;

/// Every record of the folder.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reach {
    tool: Vec<Tool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tool {
    pattern: String,
    #[serde(rename = "match")]
    matches: Vec<String>,
    no_match: Vec<String>,
}

pub(crate) fn parse(text: &str) -> Result<Reach, String> {
    let reach: Reach = toml::from_str(text).map_err(|error| error.to_string())?;
    for tool in &reach.tool {
        if tool.pattern.is_empty() || tool.matches.is_empty() || tool.no_match.is_empty() {
            return Err(format!(
                "{}: a pattern and examples are missing",
                tool.pattern
            ));
        }
    }
    Ok(reach)
}

/// The patterns, and for tests their examples.
pub(crate) fn rust(reach: &Reach) -> String {
    let patterns: Vec<_> = reach.tool.iter().map(|tool| &tool.pattern).collect();
    let mut out = format!("pub(super) const NETWORK: &[&str] = &{patterns:?};\n");
    let _ = writeln!(
        out,
        "#[cfg(test)]\npub(super) const EXAMPLES: &[(&str, &[&str], &[&str])] = &["
    );
    for tool in &reach.tool {
        let Tool {
            pattern,
            matches,
            no_match,
        } = tool;
        let _ = writeln!(out, "    ({pattern:?}, &{matches:?}, &{no_match:?}),");
    }
    out + "];\n"
}
