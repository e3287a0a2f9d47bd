//! Compiles the rules to static tables: vendor rules (`rules/*.toml`), forms (`rules/forms`),
//! personal and document numbers (`rules/ids`), fields of addresses (`rules/fields`), national phone
//! numbers (`rules/countries`) and tools that reach the network (`rules/reach`).

#[path = "build/countries.rs"]
mod countries;
#[path = "build/emit.rs"]
mod emit;
#[path = "build/fields.rs"]
mod fields;
#[path = "build/forms.rs"]
mod forms;
#[path = "build/ids.rs"]
mod ids;
#[path = "build/nfa.rs"]
mod nfa;
#[path = "build/pattern.rs"]
mod pattern;
#[path = "build/reach.rs"]
mod reach;
#[path = "build/rule.rs"]
mod rule;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const RULES: &str = "rules";
const FORMS: &str = "rules/forms";
const IDS: &str = "rules/ids";
const FIELDS: &str = "rules/fields";
const COUNTRIES: &str = "rules/countries";
const REACH: &str = "rules/reach";

#[expect(clippy::print_stderr, reason = "where cargo shows what is wrong")]
fn main() -> ExitCode {
    match compile() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn compile() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed={RULES}");
    let records = rule::parse(&files(RULES)?)?;
    let rules = records
        .iter()
        .map(rule::compile)
        .collect::<Result<Vec<_>, _>>()?;
    #[expect(clippy::disallowed_methods, reason = "how cargo tells a build script")]
    let out = std::env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?;
    let out = PathBuf::from(out);
    write(&out.join("vendor_rules.rs"), &emit::rules(&rules))?;
    let forms = forms::parse(&text(FORMS)?)?;
    write(&out.join("forms.rs"), &forms::rust(&forms))?;
    let ids = ids::parse(&text(IDS)?)?;
    write(&out.join("ids.rs"), &ids::rust(&ids)?)?;
    let fields = fields::parse(&text(FIELDS)?)?;
    write(&out.join("fields.rs"), &fields::rust(&fields)?)?;
    let countries = countries::parse(&text(COUNTRIES)?)?;
    write(&out.join("countries.rs"), &countries::rust(&countries)?)?;
    let reach = reach::parse(&text(REACH)?)?;
    write(&out.join("reach.rs"), &reach::rust(&reach))?;
    Ok(())
}

/// Every file of records in a folder, one after the other.
fn text(folder: &str) -> std::io::Result<String> {
    Ok(files(folder)?.into_iter().map(|(_, text)| text).collect())
}

/// Every file of records in a folder with its name, in the order of the names.
fn files(folder: &str) -> std::io::Result<Vec<(String, String)>> {
    let mut paths = std::fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<std::io::Result<Vec<_>>>()?;
    paths.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == "toml")
    });
    paths.sort();
    let named = |path: &PathBuf| Ok((path.display().to_string(), std::fs::read_to_string(path)?));
    paths.iter().map(named).collect()
}

fn write(path: &Path, text: &str) -> std::io::Result<()> {
    std::fs::write(path, text)
}
