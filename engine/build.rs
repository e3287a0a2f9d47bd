//! Compiles the rules to static tables: vendor rules (`rules/*.toml`), forms (`rules/forms`),
//! personal and document numbers (`rules/ids`), national phone numbers (`rules/countries`) and
//! tools that reach the network (`rules/reach`).

#[path = "build/countries.rs"]
mod countries;
#[path = "build/emit.rs"]
mod emit;
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

const RULES: &str = "rules";
const FORMS: &str = "rules/forms";
const IDS: &str = "rules/ids";
const COUNTRIES: &str = "rules/countries";
const REACH: &str = "rules/reach";

fn main() -> Result<(), Box<dyn Error>> {
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
    let forms = forms::parse(&files(FORMS)?)?;
    write(&out.join("forms.rs"), &forms::rust(&forms))?;
    let ids = ids::parse(&files(IDS)?)?;
    write(&out.join("ids.rs"), &ids::rust(&ids)?)?;
    let countries = countries::parse(&files(COUNTRIES)?)?;
    write(&out.join("countries.rs"), &countries::rust(&countries)?)?;
    let reach = reach::parse(&files(REACH)?)?;
    write(&out.join("reach.rs"), &reach::rust(&reach))?;
    Ok(())
}

/// Every file of records in a folder, one after the other, in the order of their names.
fn files(folder: &str) -> std::io::Result<String> {
    let mut paths = std::fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<std::io::Result<Vec<_>>>()?;
    paths.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == "toml")
    });
    paths.sort();
    paths.iter().map(std::fs::read_to_string).collect()
}

fn write(path: &Path, text: &str) -> std::io::Result<()> {
    std::fs::write(path, text)
}
