//! Reads the corpus and compares it with what the detectors find.

use engine::{Detection, Detectors, EntityType, detect};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The labelled texts, one list a file.
pub struct Corpus {
    sets: Vec<(Set, Vec<Record>)>,
}

/// What a file of the corpus is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Set {
    Secrets,
    SecretNegatives,
    Personal,
    PersonalNegatives,
    Agentic,
}

const FILES: &[(Set, &str)] = &[
    (Set::Secrets, "secrets_true.jsonl"),
    (Set::SecretNegatives, "secrets_hard_negative.jsonl"),
    (Set::Personal, "pii_true.jsonl"),
    (Set::PersonalNegatives, "pii_hard_negative.jsonl"),
    (Set::Agentic, "agentic.jsonl"),
];

#[derive(Deserialize)]
struct Record {
    text: String,
    spans: Vec<Label>,
    source: String,
}

#[derive(Deserialize)]
struct Label {
    #[serde(rename = "bstart")]
    start: usize,
    #[serde(rename = "bend")]
    end: usize,
    r#type: String,
}

/// A row of the table: how many of how many, and the cases that counted against it.
#[derive(Debug, Default, Clone)]
pub struct Figure {
    /// Labels hit, or wrong records or detections.
    pub count: usize,
    /// Labels or records looked at; bytes for a rate.
    pub of: usize,
    /// What went wrong, for a developer to read.
    pub cases: Vec<String>,
}

/// Every row by its name.
pub type Figures = BTreeMap<String, Figure>;

impl Corpus {
    /// Where the development corpus lies.
    #[must_use]
    pub fn folder() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/dev")
    }

    /// Reads every file.
    ///
    /// # Errors
    /// A file that cannot be read or parsed, by its name.
    pub fn load(folder: &Path) -> Result<Self, String> {
        let sets = FILES
            .iter()
            .map(|(set, file)| Ok((*set, records(&folder.join(file))?)))
            .collect::<Result<_, String>>()?;
        Ok(Self { sets })
    }

    /// Runs the built-in detectors over every record.
    #[must_use]
    pub fn score(&self) -> Figures {
        let detectors = Detectors::built_in();
        let mut figures = Figures::new();
        for (set, records) in &self.sets {
            for record in records {
                let mut found = Vec::new();
                detectors.detect(&record.text, None, &mut found);
                record.count(*set, &detect::merge(found), &mut figures);
            }
        }
        figures
    }
}

fn records(path: &Path) -> Result<Vec<Record>, String> {
    let name = path.display();
    let text = std::fs::read_to_string(path).map_err(|error| format!("{name}: {error}"))?;
    text.lines()
        .map(|line| serde_json::from_str(line).map_err(|error| format!("{name}: {error}")))
        .collect()
}

impl Record {
    fn count(&self, set: Set, found: &[Detection], figures: &mut Figures) {
        match set {
            Set::Secrets | Set::Personal => self.count_labels(set, found, figures),
            Set::SecretNegatives => {
                self.count_negative("secret negatives", found, is_secret, figures);
            }
            Set::PersonalNegatives => {
                self.count_negative(
                    "personal negatives",
                    found,
                    |entity| !is_secret(entity),
                    figures,
                );
            }
            Set::Agentic => self.count_agentic(found, figures),
        }
    }

    fn count_labels(&self, set: Set, found: &[Detection], figures: &mut Figures) {
        for label in &self.spans {
            let wanted = match set {
                Set::Secrets => label.r#type == "SECRET",
                _ => !matches!(label.r#type.as_str(), "IGNORE" | "SECRET"),
            };
            if !wanted {
                continue;
            }
            let row = label.row();
            let hit = found
                .iter()
                .any(|detection| label.overlap(detection) > 0 && label.is_of(&detection.entity));
            let hidden: usize = found.iter().map(|detection| label.overlap(detection)).sum();
            let hidden = hidden * 10 >= (label.end - label.start) * 9;
            let mut rows = vec![row.to_owned()];
            if set == Set::Secrets {
                rows.push(format!("{row} {}", self.family()));
            } else if !self
                .text
                .get(label.start..label.end)
                .is_some_and(str::is_ascii)
            {
                rows.push(format!("{row} non-ASCII"));
            }
            if let Some(part) = label.part(&self.text) {
                rows.push(format!("{row} {part}"));
            }
            for row in rows {
                figures
                    .entry(format!("{row} hit"))
                    .or_default()
                    .add(hit, || self.excerpt(label));
                figures
                    .entry(format!("{row} hidden"))
                    .or_default()
                    .add(hidden, || self.excerpt(label));
            }
        }
    }

    fn count_negative(
        &self,
        row: &str,
        found: &[Detection],
        counts: impl Fn(&EntityType) -> bool,
        figures: &mut Figures,
    ) {
        let wrong = found
            .iter()
            .find(|detection| counts(&detection.entity) && !self.is_labelled(detection));
        let figure = figures.entry(row.to_owned()).or_default();
        figure.of += 1;
        if let Some(detection) = wrong {
            figure.count += 1;
            figure.cases.push(self.wrong(detection));
        }
    }

    fn count_agentic(&self, found: &[Detection], figures: &mut Figures) {
        let wrong: Vec<&Detection> = found
            .iter()
            .filter(|detection| !self.is_labelled(detection))
            .collect();
        let figure = figures
            .entry("agentic wrong per MB".to_owned())
            .or_default();
        figure.of += self.text.len();
        figure.count += wrong.len();
        figure
            .cases
            .extend(wrong.iter().map(|detection| self.wrong(detection)));
        for label in self.spans.iter().filter(|label| label.r#type == "EMAIL") {
            let hit = found.iter().any(|detection| label.overlap(detection) > 0);
            figures
                .entry("agentic EMAIL hit".to_owned())
                .or_default()
                .add(hit, || self.excerpt(label));
        }
    }

    fn is_labelled(&self, detection: &Detection) -> bool {
        self.spans.iter().any(|label| label.overlap(detection) > 0)
    }

    /// The part of the source before its colon.
    fn family(&self) -> &str {
        self.source.split(':').next().unwrap_or_default()
    }

    fn excerpt(&self, label: &Label) -> String {
        self.mark(label.start, label.end, &label.r#type)
    }

    fn wrong(&self, detection: &Detection) -> String {
        let what = format!("{} {}", detection.entity, detection.rule);
        self.mark(detection.start, detection.end, &what)
    }

    fn mark(&self, start: usize, end: usize, what: &str) -> String {
        let from = floor(&self.text, start.saturating_sub(90));
        let to = floor(&self.text, self.text.len().min(end + 50));
        let text = &self.text;
        format!(
            "{} {what}: {}⟦{}⟧{}",
            self.source,
            &text[from..start],
            &text[start..end],
            &text[end..to]
        )
        .replace('\n', "⏎")
    }
}

fn floor(text: &str, mut index: usize) -> usize {
    while !text.is_char_boundary(index) {
        index -= 1;
    }
    index
}

impl Label {
    fn row(&self) -> &str {
        match self.r#type.as_str() {
            "US_SSN" => "SSN",
            other => other,
        }
    }

    /// A form that has a row of its own.
    fn part(&self, text: &str) -> Option<&'static str> {
        let value = text.get(self.start..self.end)?;
        match self.r#type.as_str() {
            "IP_ADDRESS" if value.contains(':') => Some("v6"),
            "US_SSN" if !value.contains('-') => Some("undashed"),
            _ => None,
        }
    }

    fn is_of(&self, entity: &EntityType) -> bool {
        match self.r#type.as_str() {
            "SECRET" => is_secret(entity),
            _ => entity.as_str() == self.row(),
        }
    }

    fn overlap(&self, detection: &Detection) -> usize {
        self.end
            .min(detection.end)
            .saturating_sub(self.start.max(detection.start))
    }
}

fn is_secret(entity: &EntityType) -> bool {
    [
        EntityType::API_KEY,
        EntityType::AUTH_TOKEN,
        EntityType::JWT,
        EntityType::PRIVATE_KEY,
        EntityType::URL_CREDENTIAL,
        EntityType::SECRET,
    ]
    .contains(entity)
}

impl Figure {
    fn add(&mut self, good: bool, case: impl Fn() -> String) {
        self.of += 1;
        if good {
            self.count += 1;
        } else {
            self.cases.push(case());
        }
    }
}
