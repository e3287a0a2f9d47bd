//! Says how well names are found.

use super::Text;
use engine::detect::names::model::{Level, Model};
use engine::detect::names::tagger::{Entity, tag};
use engine::detect::names::walk::Tag;

/// What was found of the names of texts.
#[derive(Debug, Clone, Copy, Default)]
pub struct Measure {
    /// Persons in the texts.
    pub persons: usize,
    /// Those that findings cover wholly.
    pub hidden: usize,
    /// Findings of persons that touch no name.
    pub wrong: usize,
    /// Bytes of the texts.
    pub bytes: usize,
}

#[expect(clippy::cast_precision_loss, reason = "counts of small texts")]
impl Measure {
    /// The share of persons that are hidden.
    #[must_use]
    pub fn share(&self) -> f64 {
        self.hidden as f64 / self.persons.max(1) as f64
    }

    /// Wrong persons in so many bytes.
    #[must_use]
    pub fn wrong_per(&self, bytes: f64) -> f64 {
        self.wrong as f64 * bytes / self.bytes.max(1) as f64
    }

    /// Adds what is found in a text.
    pub fn add(&mut self, text: &Text, model: &Model<'_>, level: Level) {
        let mut found: Vec<Entity> = Vec::new();
        tag(&text.text, None, model, level, &mut |entity| {
            found.push(entity);
        });
        self.bytes += text.text.len();
        for (span, kind) in &text.names {
            if *kind != Some(Tag::Person) {
                continue;
            }
            self.persons += 1;
            let covers = |entity: &Entity| {
                entity.tag == Tag::Person && entity.start <= span.start && entity.end >= span.end
            };
            self.hidden += usize::from(found.iter().any(covers) || covered(text, span, &found));
        }
        for entity in found.iter().filter(|entity| entity.tag == Tag::Person) {
            let touches = text
                .names
                .iter()
                .any(|(span, _)| span.start < entity.end && entity.start < span.end);
            self.wrong += usize::from(!touches);
        }
    }
}

/// Whether every word of a name is in some finding.
fn covered(text: &Text, span: &std::ops::Range<usize>, found: &[Entity]) -> bool {
    text.text[span.clone()]
        .char_indices()
        .all(|(index, letter)| {
            let at = span.start + index;
            !letter.is_alphanumeric()
                || found.iter().any(|entity| {
                    entity.tag == Tag::Person && entity.start <= at && at < entity.end
                })
        })
}
