//! Texts of real code, taken for free of secrets: sources of packages, their documents, lock files, locale files, drawings.

use crate::generate::hash;
use crate::record::Record;
use std::fs;
use std::path::{Path, PathBuf};

/// Files of other sizes, in bytes, are left out: nothing to learn from, or data.
const SIZES: std::ops::RangeInclusive<u64> = 200..=400_000;

/// So much of one package is read, in bytes, that no large one outweighs the others.
const PER_PACKAGE: usize = 3_000_000;

/// Reads about `bytes` of text from the packages in some folders (the sources of cargo's registry, `node_modules`, `site-packages`).
///
/// Which packages are read, and which files of a large one, is drawn from the seed and their names. A package is the
/// `source` of its records.
#[must_use]
pub fn records(folders: &[PathBuf], seed: u64, bytes: usize) -> Vec<Record> {
    let mut packages: Vec<PathBuf> = folders.iter().flat_map(|folder| entries(folder)).collect();
    packages.sort_by_key(|package| hash(&format!("{seed} {}", name(package))));
    let mut records = Vec::new();
    let mut read = 0;
    for package in packages {
        if read >= bytes {
            break;
        }
        let taken = package_records(&package, seed);
        read += taken.iter().map(|record| record.text.len()).sum::<usize>();
        records.extend(taken);
    }
    records
}

/// Texts of a package: a folder, or a single file.
fn package_records(package: &Path, seed: u64) -> Vec<Record> {
    let package_name = name(package);
    let mut files = Vec::new();
    collect(package, &mut files);
    files.sort_by_key(|file| hash(&format!("{seed} {}", inside(file, package).display())));
    let records = files.into_iter().filter_map(|file| {
        Some(Record {
            id: format!("{package_name}/{}", inside(&file, package).display()),
            text: text(&file)?,
            spans: Vec::new(),
            source: format!("code:{package_name}"),
            license: "NOASSERTION".to_owned(),
        })
    });
    let mut read = 0;
    let records = records.take_while(|record| {
        let is_taken = read < PER_PACKAGE;
        read += record.text.len();
        is_taken
    });
    records.collect()
}

fn inside<'p>(file: &'p Path, package: &Path) -> &'p Path {
    file.strip_prefix(package).unwrap_or(file)
}

/// The text of a file, if it is one of a fitting size.
fn text(file: &Path) -> Option<String> {
    let size = fs::metadata(file).ok()?.len();
    if !SIZES.contains(&size) {
        return None;
    }
    let text = String::from_utf8(fs::read(file).ok()?).ok()?;
    (!text.contains('\0')).then_some(text)
}

/// Every file below a path, in order. Links are not followed.
fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    let Ok(metadata) = fs::symlink_metadata(path) else {
        return;
    };
    if metadata.is_file() {
        files.push(path.to_owned());
    } else if metadata.is_dir() {
        for entry in entries(path) {
            collect(&entry, files);
        }
    }
}

/// What is in a folder, in order; nothing for one that cannot be read.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

fn name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own() -> Vec<PathBuf> {
        vec![PathBuf::from(env!("CARGO_MANIFEST_DIR"))]
    }

    #[test]
    fn records_name_their_package_as_source() {
        let records = records(&own(), 1, usize::MAX);
        let record = records.iter().find(|record| record.id == "src/mined.rs");
        assert_eq!(
            record.map(|record| record.source.as_str()),
            Some("code:src")
        );
    }

    #[test]
    fn reading_stops_after_the_package_that_reaches_the_limit() {
        let sources: std::collections::BTreeSet<String> = records(&own(), 1, 1)
            .into_iter()
            .map(|record| record.source)
            .collect();
        assert_eq!(sources.len(), 1);
    }
}
