//! Reads the records in `rules/fields` and generates Rust from them.

use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The minimum length of a name that the scan searches for, in bytes.
const SHORTEST: usize = 3;

/// Every record of the folder.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Fields {
    field: Vec<Field>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Field {
    part: Part,
    names: Vec<String>,
    r#match: Vec<String>,
    no_match: Vec<String>,
}

#[derive(Deserialize, Clone, Copy, PartialEq, Debug)]
#[serde(rename_all = "lowercase")]
enum Part {
    Street,
    Address,
    House,
    Code,
    Short,
    Place,
}

pub(crate) fn parse(text: &str) -> Result<Fields, String> {
    let fields: Fields = toml::from_str(text).map_err(|error| error.to_string())?;
    for field in &fields.field {
        if field.r#match.is_empty() || field.no_match.is_empty() {
            return Err(format!("field {:?}: needs examples", field.part));
        }
    }
    Ok(fields)
}

pub(crate) fn rust(fields: &Fields) -> Result<String, String> {
    let mut names = BTreeMap::new();
    for (name, part) in all(fields) {
        let bare: String = name.chars().filter(|sign| *sign != ' ').collect();
        if names.insert(bare, part).is_some() {
            return Err(format!("field name {name:?} is there twice"));
        }
    }
    let mut out = String::from("static FIELDS: &[(&str, Part)] = &[\n");
    for (name, part) in names {
        let _ = writeln!(out, "({name:?}, Part::{part:?}),");
    }
    let literals = literals(fields);
    let _ = writeln!(
        out,
        "];\npub(in crate::detect) static LITERALS: &[&str] = &{literals:?};"
    );
    Ok(out)
}

fn all(fields: &Fields) -> impl Iterator<Item = (&String, Part)> {
    fields
        .field
        .iter()
        .flat_map(|field| field.names.iter().map(|name| (name, field.part)))
}

/// What the scan searches for: the names with every sign between their words, without those that contain another one. Places
/// begin nothing.
fn literals(fields: &Fields) -> Vec<String> {
    let searched = all(fields).filter(|(_, part)| *part != Part::Place);
    let spelled = searched.flat_map(|(name, _)| {
        let joints: &[&str] = if name.contains(' ') {
            &[" ", "_", "-", ""]
        } else {
            &[""]
        };
        joints.iter().map(|joint| name.replace(' ', joint))
    });
    // `"cp": ` as the name of a member; alone it means other things.
    let spelled = spelled.map(|name| {
        if name.len() + 1 == SHORTEST {
            name + "\""
        } else {
            name
        }
    });
    let spelled: BTreeSet<_> = spelled.filter(|name| name.len() >= SHORTEST).collect();
    let contains_other = |name: &String| {
        let mut others = spelled.iter().filter(|other| *other != name);
        // A short name stands alone only.
        others.any(|other| other.len() > SHORTEST && name.contains(other.as_str()))
    };
    spelled
        .iter()
        .filter(|name| !contains_other(name))
        .cloned()
        .collect()
}
