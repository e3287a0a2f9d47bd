//! Generates `docs/configuration.md` from the tables of settings. Run `UPDATE=1 cargo test -p
//! maskproxy reference` to update it.

use std::fmt::Write;
use std::path::PathBuf;

use super::fields::{FIELDS, Field};
use super::sections::{flags, sections};
use super::settings::{Kind, Setting};
use super::table::SETTINGS;
use super::{Config, Values};

const HEAD: &str = include_str!("reference/head.md");
const DETECTORS: &str = include_str!("reference/detectors.md");
const TAIL: &str = include_str!("reference/tail.md");

fn page() -> String {
    let mut page = HEAD.to_owned();
    for (heading, settings) in sections() {
        let _ = write!(page, "\n## {heading}\n\n");
        page +=
            "| setting | values | default | environment, flag | what |\n|---|---|---|---|---|\n";
        for setting in settings {
            page += &row(setting);
        }
    }
    page += DETECTORS;
    page += "\n| key | of | values | default | what |\n|---|---|---|---|---|\n";
    for field in FIELDS {
        page += &field_row(field);
    }
    page += TAIL;
    page
}

fn row(setting: &Setting) -> String {
    let env = setting.env.map(str::to_owned);
    let names = env.into_iter().chain(flags(setting));
    let names: Vec<_> = names.map(|name| format!("`{name}`")).collect();
    let secret = if setting.secret { " (secret)" } else { "" };
    format!(
        "| `{}` | {} | {} | {} | {}{secret} |\n",
        setting.path,
        values(setting.kind),
        code(setting.default),
        names.join(" "),
        setting.help
    )
}

fn field_row(field: &Field) -> String {
    let secret = if field.secret { " (secret)" } else { "" };
    format!(
        "| `{}` | {} | {} | {} | {}{secret} |\n",
        field.key,
        field.of.join(", "),
        values(field.kind),
        code(field.default),
        field.help
    )
}

fn values(kind: Kind) -> String {
    match kind {
        Kind::Choice(names) => {
            let names = names.iter().map(|name| format!("`{name}`"));
            names.collect::<Vec<_>>().join(", ")
        }
        Kind::Whole { least, most } if most == u64::MAX => format!("{least} or more"),
        Kind::Whole { least, most } => format!("{least} to {most}"),
        Kind::Text => "text".to_owned(),
        Kind::Boolean => "`true`, `false`".to_owned(),
        Kind::Seconds => "seconds".to_owned(),
        Kind::Fraction => "0 to 1".to_owned(),
        Kind::Address => "address".to_owned(),
        Kind::Url | Kind::StoreUrl => "URL".to_owned(),
        Kind::Path => "path".to_owned(),
        Kind::Routes => "map of path to schema".to_owned(),
        Kind::Headers => "map of name to value".to_owned(),
        Kind::Entities => "list of types".to_owned(),
        Kind::Patterns => "map of type to pattern".to_owned(),
        Kind::Terms => "map of type to words".to_owned(),
        Kind::Allowed => "list".to_owned(),
        Kind::Switches => "map of type to `true` or `false`".to_owned(),
        Kind::Detector => "type, map or list".to_owned(),
        Kind::Restore => "`guard`, or list of rules".to_owned(),
        Kind::Rules => "list of rules".to_owned(),
        Kind::Keys => "map of name to hash".to_owned(),
    }
}

fn code(text: Option<&str>) -> String {
    text.map_or(String::new(), |text| format!("`{text}`"))
}

fn file() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs/configuration.md")
}

#[test]
fn the_reference_page_matches_the_setting_tables() {
    let page = page();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(file(), &page).unwrap();
    }
    let written = std::fs::read_to_string(file()).unwrap_or_default();
    assert!(
        written == page,
        "docs/configuration.md differs from the tables: UPDATE=1 cargo test -p maskproxy reference"
    );
}

#[test]
fn every_setting_is_on_the_page_once() {
    let page = page();
    for setting in SETTINGS {
        let row = format!("\n| `{}` |", setting.path);
        assert_eq!(page.matches(&row).count(), 1, "{}", setting.path);
    }
}

/// Every example of the page is a valid file by itself.
#[test]
fn the_examples_of_the_page_work() {
    let page = page();
    let blocks: Vec<_> = page.split("```yaml\n").skip(1).collect();
    assert!(blocks.len() > 3);
    let directory = tempfile::tempdir().unwrap();
    for block in blocks {
        let example = block.split("```").next().unwrap();
        let file = directory.path().join("example.yaml");
        std::fs::write(&file, example).unwrap();
        let values = Values::defaults().with_file(&file).unwrap();
        let resolved = Config::resolve(&values);
        assert!(resolved.is_ok(), "{:?}\n{example}", resolved.err());
    }
}
