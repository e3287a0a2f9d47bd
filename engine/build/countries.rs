//! Reads the records in `rules/countries` and generates Rust from them.

use serde::Deserialize;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Most groups of a number: their lengths are compared as one word.
const MOST_GROUPS: usize = 8;

/// Every record of the folder.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Countries {
    country: Vec<Country>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Country {
    id: String,
    #[serde(default = "two")]
    least: u8,
    forms: Vec<String>,
    #[serde(default)]
    plain: Vec<String>,
    words: BTreeSet<String>,
    r#match: Vec<String>,
    no_match: Vec<String>,
}

fn two() -> u8 {
    2
}

pub(crate) fn parse(text: &str) -> Result<Countries, String> {
    let countries: Countries = toml::from_str(text).map_err(|error| error.to_string())?;
    for country in &countries.country {
        if country.words.is_empty() || country.r#match.is_empty() || country.no_match.is_empty() {
            let id = &country.id;
            return Err(format!(
                "country {id}: needs words, texts that match and texts that do not"
            ));
        }
    }
    Ok(countries)
}

pub(crate) fn rust(countries: &Countries) -> Result<String, String> {
    let mut out = String::from("static COUNTRIES: &[Country] = &[\n");
    for country in &countries.country {
        let plain = country.plain.iter().map(|form| (form, country.least + 1));
        let forms = country.forms.iter().map(|form| (form, country.least));
        let forms: Result<Vec<_>, _> = forms
            .chain(plain)
            .map(|(form, least)| form_rust(form, least))
            .collect();
        let forms = forms.map_err(|error| format!("country {}: {error}", country.id))?;
        let words: Vec<&String> = country.words.iter().collect();
        let _ = writeln!(
            out,
            "Country {{ id: {:?}, forms: &[{}], words: bytes::Words::of(&{words:?}) }},",
            country.id,
            forms.join(", ")
        );
    }
    out.push_str("];\n");
    Ok(out)
}

/// `ddd-ddd: 50 51`
fn form_rust(form: &str, least: u8) -> Result<String, String> {
    let (layout, prefixes) = form
        .split_once(": ")
        .ok_or(format!("{form:?}: no prefix"))?;
    let gaps: String = layout.chars().filter(|sign| *sign != 'd').collect();
    let groups: Vec<u8> = layout
        .split([' ', '-', '.'])
        .map(|group| u8::try_from(group.len()).unwrap_or(u8::MAX))
        .collect();
    let is_known = layout.chars().all(|sign| "d -.".contains(sign));
    if !is_known || groups.len() > MOST_GROUPS || groups.contains(&0) {
        return Err(format!("{form:?}: no groups of digits"));
    }
    let prefixes: Vec<&str> = prefixes.split(' ').collect();
    Ok(format!(
        "Form {{ groups: &{groups:?}, gaps: b{gaps:?}, prefixes: &{prefixes:?}, least: {least} }}"
    ))
}
