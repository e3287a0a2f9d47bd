//! The texts that are scored.

use super::{Figures, count, ids, names, pairs};
use engine::{Detection, Detectors, detect};
use std::path::{Path, PathBuf};
use train::generate::{Half, records};
use train::record::Record;

/// What is drawn of each generated form.
const SEED: u64 = 1;
const PER_FORM: usize = 16;

/// Labelled texts: those that are generated, and those of the corpora that are there.
pub struct Corpus {
    folder: PathBuf,
    sets: Vec<Set>,
}

/// Records that are counted in one way.
struct Set {
    /// Begins the names of its rows.
    corpus: String,
    counted: Counted,
    records: Vec<Record>,
}

/// What the records of a file are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Counted {
    Generated,
    Secrets,
    SecretNegatives,
    Personal,
    PersonalNegatives,
    Agentic,
}

const FILES: &[(Counted, &str)] = &[
    (Counted::Secrets, "secrets_true.jsonl"),
    (Counted::SecretNegatives, "secrets_hard_negative.jsonl"),
    (Counted::Personal, "pii_true.jsonl"),
    (Counted::PersonalNegatives, "pii_hard_negative.jsonl"),
    (Counted::Agentic, "agentic.jsonl"),
];

/// The corpora of a folder.
const CORPORA: &[&str] = &["dev", "second"];

impl Corpus {
    /// The folder of the labelled corpora: `CORPUS`, or next to the checkout.
    #[must_use]
    pub fn folder() -> PathBuf {
        std::env::var_os("CORPUS").map_or_else(
            || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus"),
            PathBuf::from,
        )
    }

    /// The generated texts, of the half that nothing is trained on, and the files of corpora that a folder has.
    ///
    /// # Errors
    /// A file that cannot be read or parsed, by its name.
    pub fn load(folder: &Path) -> Result<Self, String> {
        let mut sets = vec![Set {
            corpus: "generated".to_owned(),
            counted: Counted::Generated,
            records: records(Half::Test, SEED, PER_FORM).collect(),
        }];
        for corpus in CORPORA {
            for (counted, file) in FILES {
                let path = folder.join(corpus).join(file);
                if path.exists() {
                    sets.push(Set {
                        corpus: (*corpus).to_owned(),
                        counted: *counted,
                        records: Record::read(&path)?,
                    });
                }
            }
        }
        Ok(Self {
            folder: folder.to_owned(),
            sets,
        })
    }

    /// Runs the built-in detectors over every record.
    ///
    /// # Errors
    /// A file that cannot be read or parsed, by its name.
    pub fn score(&self) -> Result<Figures, String> {
        let detectors = Detectors::built_in();
        let mut figures = Figures::default();
        for set in &self.sets {
            for record in &set.records {
                let found = find(&detectors, &record.text);
                count::record(&set.corpus, set.counted, record, &found, &mut figures);
            }
        }
        pairs::count(&detectors, &mut figures);
        ids::count(&detectors, &mut figures)?;
        names::count(&self.folder, &mut figures)?;
        Ok(figures)
    }
}

/// What the detectors mask in a text.
pub(super) fn find(detectors: &Detectors, text: &str) -> Vec<Detection> {
    let mut found = Vec::new();
    detectors.detect(text, None, &mut found);
    detect::merge(found)
}
