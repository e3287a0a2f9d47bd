//! Reads the records in `rules/ids` and generates Rust from them.

use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The minimum length of a word that the scan searches for, in bytes.
const SHORTEST_WORD: usize = 3;
/// Longest layout without its signs, as `CHARACTERS` in `src/detect/shapes/ids/layout.rs`.
const LONGEST: usize = 28;

/// Every record of the folder.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ids {
    number: Vec<Number>,
    abbreviation: Vec<Number>,
    words: Vec<Topic>,
    iban: BTreeMap<String, String>,
    month: Vec<Month>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Number {
    id: String,
    r#type: String,
    layouts: Vec<String>,
    #[serde(default)]
    prefixes: Vec<String>,
    #[serde(default)]
    date: String,
    #[serde(default = "zero")]
    months: Vec<u8>,
    #[serde(default = "zero")]
    days: Vec<u8>,
    #[serde(default)]
    check: String,
    #[serde(default)]
    words: Vec<String>,
    #[serde(default)]
    near: Vec<String>,
    #[serde(default)]
    begins: bool,
    #[serde(default)]
    plain: Vec<String>,
    #[serde(default)]
    shown: String,
    r#match: Vec<String>,
    no_match: Vec<String>,
}

fn zero() -> Vec<u8> {
    vec![0]
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Topic {
    r#type: String,
    #[serde(rename = "lang")]
    _lang: String,
    words: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Month {
    lang: String,
    names: Vec<String>,
}

pub(crate) fn parse(text: &str) -> Result<Ids, String> {
    let ids: Ids = toml::from_str(text).map_err(|error| error.to_string())?;
    let mut seen = BTreeSet::new();
    for number in ids.number.iter().chain(&ids.abbreviation) {
        check(number).map_err(|error| format!("number {}: {error}", number.id))?;
        if !seen.insert(&number.id) {
            return Err(format!("number {}: the id is taken", number.id));
        }
    }
    let is_short = |word: &&String| word.trim_end_matches('*').len() < SHORTEST_WORD;
    let named = ids.words.iter().map(|topic| &topic.words);
    let mut words = named
        .chain(ids.abbreviation.iter().map(|number| &number.words))
        .flatten();
    if let Some(short) = words.find(is_short) {
        return Err(format!("word {short:?} is too short"));
    }
    check_abbreviations(&ids)?;
    let is_incomplete = |month: &&Month| month.names.len() != 12;
    match ids.month.iter().find(is_incomplete) {
        Some(month) => Err(format!("months of {}: not twelve", month.lang)),
        None => Ok(ids),
    }
}

/// A number needs a check to be found by its digits alone; a word needs none.
fn check_abbreviations(ids: &Ids) -> Result<(), String> {
    let is_wrong = |number: &&Number| number.words.is_empty();
    if let Some(number) = ids.abbreviation.iter().find(is_wrong) {
        return Err(format!("abbreviation {}: needs words", number.id));
    }
    let is_wrong = |number: &&Number| number.check.is_empty() || !number.words.is_empty();
    match ids.number.iter().find(is_wrong) {
        Some(number) => Err(format!("number {}: needs a check and no words", number.id)),
        None => Ok(()),
    }
}

fn check(number: &Number) -> Result<(), String> {
    if number.layouts.is_empty() || number.r#match.is_empty() || number.no_match.is_empty() {
        return Err("needs layouts, numbers that match and numbers that do not".to_owned());
    }
    if number.plain.is_empty() == number.shown.contains("{}") {
        return Err("needs both `plain` and a text with `{}` as `shown`, or neither".to_owned());
    }
    for layout in &number.layouts {
        let characters = layout.bytes().filter(|byte| b"dax".contains(byte)).count();
        let (kind, lead) = lead(layout);
        let is_lost = number.words.is_empty() && (kind.is_none() || lead > LONGEST);
        if characters > LONGEST || !layout.is_ascii() || is_lost {
            return Err(format!(
                "layout {layout:?} is too long, or begins with a sign"
            ));
        }
    }
    Ok(())
}

/// What a layout begins with, `d` or `a`, and how many of them.
fn lead(layout: &str) -> (Option<char>, usize) {
    let first = layout.chars().next().filter(|first| "da".contains(*first));
    let count = layout
        .chars()
        .take_while(|next| Some(*next) == first)
        .count();
    (first, count)
}

pub(crate) fn rust(ids: &Ids) -> Result<String, String> {
    let mut out = String::from("pub(super) static NUMBERS: &[Number] = &[\n");
    for number in &ids.number {
        let _ = writeln!(out, "{},", number_rust(number)?);
    }
    out.push_str("];\n");
    out.push_str(&layouts_rust(&ids.number, 'd', "BY_DIGITS"));
    out.push_str(&layouts_rust(&ids.number, 'a', "BY_LETTERS"));
    out.push_str(&accounts_rust(&ids.iban)?);
    out.push_str(&forms_rust(&ids.abbreviation)?);
    out.push_str(&words_rust(ids));
    out.push_str(&months_rust(&ids.month));
    Ok(out)
}

fn number_rust(number: &Number) -> Result<String, String> {
    let checks = number.check.split(';').filter(|check| !check.is_empty());
    let checks = checks.map(check_rust);
    let checks: Vec<_> = checks.collect::<Result<_, _>>()?;
    Ok(format!(
        "Number {{ id: {:?}, entity: EntityType::{}, prefixes: &{:?}, date: {}, checks: &[{}], plain: &{:?} }}",
        number.id,
        number.r#type,
        number.prefixes,
        date_rust(number)?,
        checks.join(", "),
        number.plain
    ))
}

/// How the numbers of abbreviations are written.
fn forms_rust(abbreviations: &[Number]) -> Result<String, String> {
    let mut out = String::from("static FORMS: &[Form] = &[\n");
    for number in abbreviations {
        let _ = writeln!(
            out,
            "Form {{ layouts: &{:?}, near: &{:?}, begins: {}, number: {} }},",
            number.layouts,
            number.near,
            number.begins,
            number_rust(number)?
        );
    }
    out.push_str("];\n");
    Ok(out)
}

/// `sum 1 3 7 mod 10`, or the name of a function.
fn check_rust(check: &str) -> Result<String, String> {
    let check = check.trim();
    let Some(sum) = check.strip_prefix("sum ") else {
        return Ok(format!("Check::Own(own::{})", check.replace('-', "_")));
    };
    let (weights, modulus) = sum
        .split_once(" mod ")
        .ok_or_else(|| format!("check {check:?}: no mod"))?;
    let weights: Vec<_> = weights.split(' ').collect();
    Ok(format!(
        "Check::Sum {{ weights: &[{}], modulus: {modulus} }}",
        weights.join(", ")
    ))
}

/// The positions of year, month and day: `yymmdd`, with dots for other characters. `^` is all
/// letters at the beginning.
fn date_rust(number: &Number) -> Result<String, String> {
    if number.date.is_empty() {
        return Ok("None".to_owned());
    }
    let behind_letters = number.date.starts_with('^');
    let date = number.date.trim_start_matches('^');
    let place = |sign: char| {
        date.find(sign)
            .ok_or("a date has a year, a month and a day")
    };
    let years = date.chars().filter(|sign| *sign == 'y').count();
    Ok(format!(
        "Some(Date {{ behind_letters: {behind_letters}, year: {}, years: {years}, month: {}, day: {}, months: &{:?}, days: &{:?} }})",
        place('y')?,
        place('m')?,
        place('d')?,
        number.months,
        number.days
    ))
}

/// For each count of digits or letters that layouts begin with, these layouts.
fn layouts_rust(numbers: &[Number], kind: char, name: &str) -> String {
    let mut lists = vec![Vec::new(); LONGEST + 1];
    for (index, number) in numbers.iter().enumerate() {
        for layout in &number.layouts {
            let (first, count) = lead(layout);
            if first == Some(kind)
                && let Some(list) = lists.get_mut(count)
            {
                list.push(format!("({layout:?}, {index})"));
            }
        }
    }
    let lists: Vec<_> = lists
        .iter()
        .map(|list| format!("&[{}]", list.join(", ")))
        .collect();
    format!(
        "pub(super) static {name}: [&[(&str, u8)]; {}] = [{}];\n",
        lists.len(),
        lists.join(", ")
    )
}

fn accounts_rust(accounts: &BTreeMap<String, String>) -> Result<String, String> {
    let mut out = String::from("pub(super) static ACCOUNTS: &[Account] = &[\n");
    for (country, form) in accounts {
        let mut parts = Vec::new();
        for part in form.split(' ') {
            let kind = part.bytes().last().filter(|kind| b"nac".contains(kind));
            let count = part.get(..part.len() - 1).map(str::parse::<u8>);
            match (kind, count) {
                (Some(kind), Some(Ok(count))) => parts.push(format!("({count}, {kind})")),
                _ => return Err(format!("iban {country}: {part:?}")),
            }
        }
        let _ = writeln!(
            out,
            "Account {{ country: *b{country:?}, parts: &[{}] }},",
            parts.join(", ")
        );
    }
    out.push_str("];\n");
    Ok(out)
}

/// Words by the byte that they begin with, each in the ways in which it is written.
fn words_rust(ids: &Ids) -> String {
    let mut words = BTreeSet::new();
    let mut add = |word: &str, entity, form: Option<usize>| {
        let is_stem = word.ends_with('*');
        let word = word.trim_end_matches('*').to_lowercase();
        for written in spellings(&word) {
            words.insert((written, is_stem, entity, form));
        }
    };
    for topic in &ids.words {
        for word in &topic.words {
            add(word, topic.r#type.as_str(), None);
        }
    }
    for (form, number) in ids.abbreviation.iter().enumerate() {
        for word in &number.words {
            add(word, number.r#type.as_str(), Some(form));
        }
    }
    let mut out = String::from("pub(in crate::detect) static WORDS: &[Word] = &[\n");
    for (text, is_stem, entity, form) in &words {
        let _ = writeln!(
            out,
            "Word {{ text: {text:?}, is_stem: {is_stem}, entity: EntityType::{entity}, form: {form:?} }},"
        );
    }
    out.push_str("];\n");
    let from = |byte: u8| {
        words
            .iter()
            .filter(|(text, ..)| text.as_bytes()[0] < byte)
            .count()
    };
    let places: Vec<_> = (0..=u8::MAX).map(|byte| from(byte).to_string()).collect();
    let _ = writeln!(
        out,
        "static FIRST: [u16; 257] = [{}, {}];",
        places.join(", "),
        words.len()
    );
    out
}

/// `tax id` is also written `tax_id`, `tax-id` and `taxid` (as in `taxId`), and letters outside ASCII may begin with a
/// capital one.
fn spellings(word: &str) -> Vec<String> {
    let mut spellings = vec![word.to_owned()];
    let is_name = word
        .bytes()
        .all(|byte| byte.is_ascii_lowercase() || byte == b' ');
    if word.trim().contains(' ') && is_name {
        spellings.extend(["_", "-", ""].map(|joint| word.replace(' ', joint)));
    }
    let mut letters = word.chars();
    if let Some(first) = letters.next().filter(|first| !first.is_ascii()) {
        let capital: String = first.to_uppercase().chain(letters).collect();
        spellings.push(capital);
    }
    if !word.is_ascii() && word.to_uppercase() != word {
        spellings.push(word.to_uppercase().to_ascii_lowercase());
    }
    spellings
}

/// What the names of months begin with, in lower case.
fn months_rust(months: &[Month]) -> String {
    let names = months.iter().flat_map(|month| &month.names);
    let stems: BTreeSet<_> = names.flat_map(|names| names.split('|')).collect();
    let stems = Vec::from_iter(stems);
    format!("pub(in crate::detect) static MONTHS: &[&str] = &{stems:?};\n")
}
