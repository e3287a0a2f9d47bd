//! The lists file (`detector_lists`): values that are never or always masked. The live page writes
//! it too.
//!
//! Its content is that of a detector of type `terms`. Comments are lost when it is rewritten.

use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use engine::detect::{Allowed, AllowedValues, DetectorSettings};
use engine::{Detectors, EntityType, Sensitive};

use super::Error;
use super::entry::{Entry, OwnValues};
use super::file;
use super::item::Item;
use super::settings::Kind;
use super::yaml::Node;
use crate::base::io_error;
use crate::system::file::{FileId, private};

/// How the file begins.
const HEAD: &str = "# Values that are never masked (allow) and always masked (terms). The live page \
                    rewrites this file.\n";

/// No listed value is longer, in bytes. A private key of 8192 bits in PEM has 6,400.
const LONGEST: usize = 16 << 10;

/// The file of the lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Lists(PathBuf);

/// Where a value belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum List {
    Never,
    /// As a value of this type.
    Always(EntityType),
    Neither,
}

/// Why a value was not put into a list. Never quotes it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unlisted {
    #[error(
        "a value to list has at most {LONGEST} bytes, and no control characters; to be always masked, it must stand on one line"
    )]
    Value,
    #[error("{0}")]
    Unread(#[from] Error),
    #[error("can't write {path}: {reason}")]
    Unwritten { path: String, reason: String },
}

impl Lists {
    pub(super) fn new(path: PathBuf) -> Self {
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Creates an empty file if there is none, and its folder, as for the audit trail and the vault.
    ///
    /// # Errors
    /// When it can't be made.
    pub(crate) fn create(&self) -> Result<(), Unlisted> {
        let folder = self.0.parent().unwrap_or(Path::new(""));
        let created = fs::create_dir_all(folder)
            .and_then(|()| new_file(&self.0))
            .and_then(|mut file| file.write_all(HEAD.as_bytes()));
        match created {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                Err(self.unwritten(&error))
            }
            _ => Ok(()),
        }
    }

    /// What the file holds.
    ///
    /// # Errors
    /// When it can't be read, or holds something else than values.
    pub(super) fn read(&self) -> Result<OwnValues, Error> {
        let node = Node::Map(file::tree(&self.0)?);
        let item = Item {
            path: "detector_lists".into(),
            from: None,
            kind: Kind::Detector,
            node: &node,
        };
        Entry::read(&item, "terms")?.own()
    }

    /// Puts a value into one list and takes it out of the others.
    ///
    /// # Errors
    /// When the value can't be listed, or the file not be read or written; then it is as it was.
    pub(crate) fn put(&self, value: &str, list: &List) -> Result<(), Unlisted> {
        let value = value.trim();
        if !is_listable(value, list) {
            return Err(Unlisted::Value);
        }
        self.create()?;
        let _locked = self.locked().map_err(|error| self.unwritten(&error))?;
        let mut listed = self.read()?;
        take_out(&mut listed, value);
        add(&mut listed, value, list);
        let settings = listed.into_settings();
        Detectors::new(&settings).map_err(|_| Unlisted::Value)?;
        self.write(&text(&settings))
            .map_err(|error| self.unwritten(&error))
    }

    /// The file, which nobody else changes as long as it is open: neither a thread nor another proxy.
    fn locked(&self) -> io::Result<File> {
        loop {
            let file = File::open(&self.0)?;
            file.lock()?;
            // It may have been replaced before it was locked.
            if FileId::of(&file)? == FileId::at(&self.0)? {
                return Ok(file);
            }
        }
    }

    /// Replaces the old file atomically.
    fn write(&self, text: &Sensitive<String>) -> io::Result<()> {
        // A link keeps pointing to the file.
        let path = fs::canonicalize(&self.0)?;
        let mut new = path.clone().into_os_string();
        new.push(".new");
        let new = PathBuf::from(new);
        if new.exists() {
            // Of a process that was stopped here.
            fs::remove_file(&new)?;
        }
        let mut file = new_file(&new)?;
        file.write_all(text.expose().as_bytes())?;
        file.sync_all()?;
        fs::rename(new, path)
    }

    fn unwritten(&self, error: &io::Error) -> Unlisted {
        Unlisted::Unwritten {
            path: self.0.display().to_string(),
            reason: io_error::in_words(error),
        }
    }
}

/// A file that only its owner can read, and that was not there.
fn new_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let options = options.write(true).create_new(true);
    private(options).open(path)
}

/// Whether a value can be listed. Only one that is never masked is compared as a whole, and may have several lines.
fn is_listable(value: &str, list: &List) -> bool {
    let may_have_lines = !matches!(list, List::Always(_));
    let is_text =
        |letter: char| !letter.is_control() || may_have_lines && "\r\n\t".contains(letter);
    !value.is_empty() && value.len() <= LONGEST && value.chars().all(is_text)
}

fn take_out(listed: &mut OwnValues, value: &str) {
    listed.allow.retain(
        |allowed| !matches!(&allowed.values, AllowedValues::Exact(exact) if exact == value),
    );
    // Words are found in any case.
    let is_value = |word: &String| word.to_lowercase() == value.to_lowercase();
    for (_, words) in &mut listed.terms {
        words.retain(|word| !is_value(word));
    }
    listed.terms.retain(|(_, words)| !words.is_empty());
}

fn add(listed: &mut OwnValues, value: &str, list: &List) {
    let value = value.to_owned();
    match list {
        List::Never => listed.allow.push(Allowed {
            entity: None,
            values: AllowedValues::Exact(value),
        }),
        List::Always(entity) => {
            let of_type = listed.terms.iter_mut().find(|(known, _)| known == entity);
            match of_type {
                Some((_, words)) => words.push(value),
                None => listed.terms.push((entity.clone(), vec![value])),
            }
        }
        List::Neither => {}
    }
}

/// The file's text. Each value is written as in JSON, which YAML reads as well.
fn text(settings: &DetectorSettings) -> Sensitive<String> {
    let mut text = HEAD.to_owned();
    if !settings.allow.is_empty() {
        text.push_str("allow:\n");
    }
    for allowed in &settings.allow {
        let (key, value) = match &allowed.values {
            AllowedValues::Exact(value) => ("value", value),
            AllowedValues::Pattern(pattern) => ("pattern", pattern),
        };
        let entity = allowed.entity.as_ref();
        let entity = entity.map_or(String::new(), |entity| {
            format!("type: {}, ", quoted(entity.as_str()))
        });
        // Writing to a string can't fail.
        let _ = writeln!(text, "  - {{{entity}{key}: {}}}", quoted(value));
    }
    if !settings.terms.is_empty() {
        text.push_str("terms:\n");
    }
    for (entity, words) in &settings.terms {
        let _ = writeln!(text, "  {}:", quoted(entity.as_str()));
        for word in words {
            let _ = writeln!(text, "    - {}", quoted(word));
        }
    }
    if !settings.patterns.is_empty() {
        text.push_str("patterns:\n");
    }
    for (entity, pattern) in &settings.patterns {
        let _ = writeln!(text, "  {}: {}", quoted(entity.as_str()), quoted(pattern));
    }
    Sensitive::new(text)
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lists(text: &str) -> (tempfile::TempDir, Lists) {
        let folder = tempfile::tempdir().unwrap();
        let lists = Lists::new(folder.path().join("lists.yaml"));
        lists.create().unwrap();
        if !text.is_empty() {
            fs::write(lists.path(), text).unwrap();
        }
        (folder, lists)
    }

    fn written(lists: &Lists) -> String {
        let text = fs::read_to_string(lists.path()).unwrap();
        text.strip_prefix(HEAD).unwrap().to_owned()
    }

    #[test]
    fn a_value_is_in_one_list_at_most() {
        let (_folder, lists) = lists("");
        let project = List::Always(EntityType::parse("PROJECT").unwrap());
        lists.put("Bluebird", &List::Never).unwrap();
        lists.put(" bluebird ", &project).unwrap();
        assert_eq!(
            written(&lists),
            "allow:\n  - {value: \"Bluebird\"}\nterms:\n  \"PROJECT\":\n    - \"bluebird\"\n"
        );
        lists.put("Bluebird", &List::Neither).unwrap();
        assert_eq!(written(&lists), "");
    }

    /// The proxy did not start, although the audit trail's folder and the vault's are made.
    #[test]
    fn a_missing_folder_is_made() {
        let folder = tempfile::tempdir().unwrap();
        let lists = Lists::new(folder.path().join("new/lists.yaml"));
        lists.create().unwrap();
        assert_eq!(written(&lists), "");
    }

    /// A value was lost with an error until the next start.
    #[test]
    fn a_file_that_was_deleted_is_created_again() {
        let (_folder, lists) = lists("");
        fs::remove_file(lists.path()).unwrap();
        lists.put("Bluebird", &List::Never).unwrap();
        assert!(written(&lists).contains("Bluebird"));
    }

    #[test]
    fn other_content_of_the_file_is_kept() {
        let file = "# mine\nterms: {PERSON: [Ada]}\npatterns: {TICKET: 'TCK-\\d+'}\nallow: [{type: IP_ADDRESS, pattern: '10\\..*'}]\n";
        let (_folder, lists) = lists(file);
        let before = lists.read().unwrap().into_settings();
        for value in [
            "it's \"quoted\"",
            "a\\b",
            "#no: {comment}",
            "é 😀 \u{7f}x",
            "\u{85}",
            "true",
        ] {
            let put = lists.put(value, &List::Never);
            if value.contains(char::is_control) {
                assert!(matches!(put, Err(Unlisted::Value)), "{value}");
                continue;
            }
            put.unwrap();
            let read = lists.read().unwrap();
            let AllowedValues::Exact(kept) = &read.allow.last().unwrap().values else {
                panic!("{value}");
            };
            assert_eq!(kept, value);
            lists.put(value, &List::Neither).unwrap();
        }
        let after = lists.read().unwrap().into_settings();
        assert_eq!(text(&after).expose(), text(&before).expose());
    }

    #[test]
    fn the_file_is_private_and_unchanged_on_failure() {
        use crate::system::file::is_private;

        let (_folder, lists) = lists("terms: {PERSON: Ada}\n");
        assert!(matches!(
            lists.put("x1", &List::Never),
            Err(Unlisted::Unread(_))
        ));
        assert_eq!(
            fs::read_to_string(lists.path()).unwrap(),
            "terms: {PERSON: Ada}\n"
        );
        assert!(is_private(lists.path()));
        for value in ["", " ", "a\u{7}b", &"x".repeat(LONGEST + 1)] {
            assert!(matches!(
                lists.put(value, &List::Never),
                Err(Unlisted::Value)
            ));
        }
    }

    /// A private key in PEM could not be listed.
    #[test]
    fn a_multi_line_value_can_be_listed_as_never_masked() {
        let (_folder, lists) = lists("");
        let key = "-----BEGIN PRIVATE KEY-----\nMIIE\r\n\tabc=\n-----END PRIVATE KEY-----";
        lists.put(&format!("{key}\n"), &List::Never).unwrap();
        let read = lists.read().unwrap();
        let AllowedValues::Exact(kept) = &read.allow[0].values else {
            panic!("a value");
        };
        assert_eq!(kept, key);
        let always = lists.put(key, &List::Always(EntityType::SECRET));
        assert!(matches!(always, Err(Unlisted::Value)));
        lists.put(key, &List::Neither).unwrap();
        assert_eq!(written(&lists), "");
    }

    /// Of two proxies with one file, the last one's change was kept. Each thread opens the file for itself, as another
    /// process does.
    #[test]
    fn concurrent_changes_are_all_kept() {
        let (_folder, lists) = lists("");
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let lists = &lists;
                scope.spawn(move || {
                    for number in 0..25 {
                        lists
                            .put(&format!("v{thread}-{number}"), &List::Never)
                            .unwrap();
                    }
                });
            }
        });
        assert_eq!(lists.read().unwrap().allow.len(), 100);
    }
}
