//! Input texts for the benchmarks.

use std::fs;
use std::path::{Path, PathBuf};

/// Longest text, in bytes: what a tool of an agent returns at once.
const LONGEST: usize = 12_000;

/// What a coding agent reads: this repository's code, documents and lock file, piece by piece.
pub(crate) fn agentic_texts() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = vec![root.join("Cargo.lock"), root.join("README.md")];
    for folder in ["docs", "engine/src", "engine/tests", "shell/src", "web"] {
        collect(&root.join(folder), &mut files);
    }
    let texts = files
        .iter()
        .filter_map(|file| fs::read_to_string(file).ok());
    texts.flat_map(|text| pieces(&text)).collect()
}

fn pieces(text: &str) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, behind) = rest.split_at(rest.floor_char_boundary(LONGEST));
        pieces.push(piece.to_owned());
        rest = behind;
    }
    pieces
}

/// Every file of text below a folder, in order.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() && !path.ends_with("node_modules") {
            collect(&path, files);
        } else if path.is_file() {
            files.push(path);
        }
    }
}
