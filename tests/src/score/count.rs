//! Compares the findings in a record with its labels.

use super::Figures;
use super::corpus::Counted;
use engine::{Detection, EntityType};
use train::generate::is_human;
use train::record::{Record, Span};

/// Counts a record of a corpus.
pub(super) fn record(
    corpus: &str,
    counted: Counted,
    record: &Record,
    found: &[Detection],
    figures: &mut Figures,
) {
    let one = Counter {
        corpus,
        record,
        found,
    };
    match counted {
        Counted::Generated => one.generated(figures),
        Counted::Secrets => one.labels(figures, is_secret_label),
        Counted::Personal => one.labels(figures, is_personal_label),
        Counted::SecretNegatives => one.negative(figures, "secret negatives", is_secret),
        Counted::PersonalNegatives => {
            one.negative(figures, "personal negatives", |entity| {
                !is_secret(entity) && !is_name(entity)
            });
        }
        Counted::Agentic => one.agentic(figures),
    }
}

struct Counter<'a> {
    corpus: &'a str,
    record: &'a Record,
    found: &'a [Detection],
}

impl Counter<'_> {
    fn generated(&self, figures: &mut Figures) {
        let group = group(self.record);
        self.labels(figures, |label| label.entity != "IGNORE");
        let is_negative = self
            .record
            .spans
            .iter()
            .all(|label| label.entity == "IGNORE");
        let row = match group {
            "personal" | "numbers" if is_negative => "number negatives",
            "personal" | "numbers" => "beside personal data",
            _ if is_negative => "secret negatives",
            _ => "beside secrets",
        };
        // Names of users are judged elsewhere.
        let counts = |entity: &EntityType| is_secret(entity) || is_number(entity);
        self.negative(figures, row, counts);
        if is_negative {
            self.negative(figures, &format!("{group} negatives"), counts);
        }
    }

    fn labels(&self, figures: &mut Figures, wanted: impl Fn(&Span) -> bool) {
        for label in self.record.spans.iter().filter(|label| wanted(label)) {
            let hit = self
                .found
                .iter()
                .any(|detection| overlap(label, detection) > 0 && is_of(label, &detection.entity));
            let hidden: usize = self
                .found
                .iter()
                .map(|detection| overlap(label, detection))
                .sum();
            let hidden = hidden * 10 >= (label.byte_end - label.byte_start) * 9;
            for row in self.rows(label) {
                let excerpt = || self.mark(label.byte_start, label.byte_end, &label.entity);
                figures.found(format!("{} {row} hit", self.corpus), hit, excerpt);
                figures.found(format!("{} {row} hidden", self.corpus), hidden, excerpt);
            }
        }
    }

    /// The rows that a label counts in.
    fn rows(&self, label: &Span) -> Vec<String> {
        let row = row(label);
        let mut rows = vec![row.to_owned()];
        match &label.kind {
            Some(kind) => {
                let made = if is_human(kind) { "word-like" } else { "drawn" };
                rows.push(format!("{row} {made}"));
                rows.push(format!("{row} {}", group(self.record)));
            }
            None if row == "SECRET" => rows.push(format!("{row} {}", self.record.family())),
            None => {}
        }
        let value = &self.record.text[label.byte_start..label.byte_end];
        if row != "SECRET" && !value.is_ascii() {
            rows.push(format!("{row} non-ASCII"));
        }
        rows.extend(part(label, value).map(|part| format!("{row} {part}")));
        rows
    }

    fn negative(&self, figures: &mut Figures, row: &str, counts: impl Fn(&EntityType) -> bool) {
        let wrong = self
            .found
            .iter()
            .find(|detection| counts(&detection.entity) && !self.is_labelled(detection));
        let wrong = wrong.map(|detection| self.wrong(detection));
        figures.wrong(format!("{} {row}", self.corpus), wrong);
    }

    fn agentic(&self, figures: &mut Figures) {
        for (row, names) in [("agentic wrong", false), ("agentic PERSON", true)] {
            let wrong = self
                .found
                .iter()
                .filter(|detection| !self.is_labelled(detection))
                .filter(|detection| is_name(&detection.entity) == names)
                .map(|detection| self.wrong(detection));
            let row = format!("{} {row} per MB", self.corpus);
            figures.rate(row, self.record.text.len(), wrong);
        }
        for label in &self.record.spans {
            if label.entity == "EMAIL" {
                let hit = self
                    .found
                    .iter()
                    .any(|detection| overlap(label, detection) > 0);
                let excerpt = || self.mark(label.byte_start, label.byte_end, &label.entity);
                figures.found(format!("{} agentic EMAIL hit", self.corpus), hit, excerpt);
            }
        }
    }

    fn is_labelled(&self, detection: &Detection) -> bool {
        let mut labels = self.record.spans.iter();
        labels.any(|label| overlap(label, detection) > 0)
    }

    fn wrong(&self, detection: &Detection) -> String {
        let what = format!("{} {}", detection.entity, detection.rule);
        self.mark(detection.start, detection.end, &what)
    }

    fn mark(&self, start: usize, end: usize, what: &str) -> String {
        format!(
            "{} {what}: {}",
            self.record.source,
            excerpt(&self.record.text, start, end)
        )
    }
}

/// A part of a text in brackets, with its surroundings.
pub(super) fn excerpt(text: &str, start: usize, end: usize) -> String {
    let from = text.floor_char_boundary(start.saturating_sub(90));
    let to = text.floor_char_boundary(text.len().min(end + 50));
    let (before, value, after) = (&text[from..start], &text[start..end], &text[end..to]);
    format!("{before}⟦{value}⟧{after}").replace('\n', "⏎")
}

/// The group of a generated record's form.
fn group(record: &Record) -> &str {
    let form = record.source.split(':').nth(1).unwrap_or_default();
    form.split('/').next().unwrap_or_default()
}

fn row(label: &Span) -> &str {
    match label.entity.as_str() {
        "US_SSN" => "SSN",
        other => other,
    }
}

/// A form that has its own row.
fn part(label: &Span, value: &str) -> Option<&'static str> {
    match label.entity.as_str() {
        "IP_ADDRESS" if value.contains(':') => Some("v6"),
        "US_SSN" if !value.contains('-') => Some("undashed"),
        _ => None,
    }
}

fn is_of(label: &Span, entity: &EntityType) -> bool {
    match label.entity.as_str() {
        "SECRET" => is_secret(entity),
        _ => entity.as_str() == row(label),
    }
}

fn overlap(label: &Span, detection: &Detection) -> usize {
    let end = label.byte_end.min(detection.end);
    end.saturating_sub(label.byte_start.max(detection.start))
}

fn is_secret_label(label: &Span) -> bool {
    label.entity == "SECRET"
}

fn is_personal_label(label: &Span) -> bool {
    !matches!(label.entity.as_str(), "IGNORE" | "SECRET")
}

pub(super) fn is_secret(entity: &EntityType) -> bool {
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

/// Whether this is a person: names are not labelled in the corpora of personal data.
fn is_name(entity: &EntityType) -> bool {
    *entity == EntityType::PERSON
}

fn is_number(entity: &EntityType) -> bool {
    [
        EntityType::EMAIL,
        EntityType::PHONE,
        EntityType::CREDIT_CARD,
        EntityType::IP_ADDRESS,
        EntityType::SSN,
    ]
    .contains(entity)
}
