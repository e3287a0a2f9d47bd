//! Compiles the vendor rules in `rules/vendor.toml` to static tables.

#[path = "build/emit.rs"]
mod emit;
#[path = "build/nfa.rs"]
mod nfa;
#[path = "build/pattern.rs"]
mod pattern;
#[path = "build/rule.rs"]
mod rule;

use std::error::Error;
use std::path::{Path, PathBuf};

const RULES: &str = "rules/vendor.toml";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed={RULES}");
    let records = rule::parse(&std::fs::read_to_string(RULES)?)?;
    let rules = records
        .iter()
        .map(rule::compile)
        .collect::<Result<Vec<_>, _>>()?;
    #[expect(clippy::disallowed_methods, reason = "how cargo tells a build script")]
    let out = std::env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?;
    let out = PathBuf::from(out);
    write(&out.join("vendor_rules.rs"), &emit::rules(&rules))?;
    Ok(())
}

fn write(path: &Path, text: &str) -> std::io::Result<()> {
    std::fs::write(path, text)
}
