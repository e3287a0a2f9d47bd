//! Texts written for this project in which marks say what is to be found: `password=⟦hunter2⟧`.

use crate::record::{Record, Span};
use std::collections::BTreeMap;
use std::path::Path;

#[derive(serde::Deserialize)]
struct Group {
    texts: Vec<String>,
}

/// Reads every file of marked texts in a folder, in the order of their names.
///
/// # Errors
/// A file that cannot be read, with its name.
pub fn records(folder: &Path) -> Result<Vec<Record>, String> {
    let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", folder.display());
    let mut files = std::fs::read_dir(folder)
        .and_then(|entries| {
            entries
                .map(|entry| Ok(entry?.path()))
                .collect::<Result<Vec<_>, _>>()
        })
        .map_err(|error| failed(&error))?;
    files.sort();
    let mut records = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).map_err(|error| failed(&error))?;
        let groups: BTreeMap<String, Group> =
            toml::from_str(&text).map_err(|error| failed(&error))?;
        for (name, group) in groups {
            records.extend(group.texts.iter().map(|marked| record(&name, marked)));
        }
    }
    Ok(records)
}

/// A marked text as a record. What the marks hold is taken for a secret: the model is asked for nothing else.
fn record(group: &str, marked: &str) -> Record {
    let mut text = String::new();
    let mut spans = Vec::new();
    for (index, piece) in marked.split(['⟦', '⟧']).enumerate() {
        let start = text.len();
        text.push_str(piece);
        if index % 2 == 1 {
            spans.push(Span {
                start: text[..start].chars().count(),
                end: text.chars().count(),
                byte_start: start,
                byte_end: text.len(),
                entity: "SECRET".to_owned(),
                kind: None,
            });
        }
    }
    Record {
        id: group.to_owned(),
        text,
        spans,
        source: "marked".to_owned(),
        license: "MIT OR Apache-2.0".to_owned(),
    }
}
