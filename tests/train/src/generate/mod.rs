//! Writes labelled records: forms × names × values, from tables. Seeded: the same bytes everywhere.
//!
//! | table | what |
//! | --- | --- |
//! | `forms/` | how a name and its value are written: code, configuration, data, shell, prose, and texts without values |
//! | `tables/names.txt` | names of secrets |
//! | `tables/other_names.txt` | names that look like those of secrets |
//! | `tables/ordinary_names.txt` | names that stand beside secrets |
//! | `tables/words.txt` | words, people, places |
//! | `secret.rs` | how passwords and keys are made |
//! | `innocent.rs` | placeholders, references, expressions, labels, ids |
//! | `personal.rs` | personal data, and numbers that only look like it |

mod fill;
mod forms;
mod half;
mod innocent;
mod names;
mod pairs;
mod personal;
mod random;
mod secret;
mod spelling;
mod text;
mod words;

pub use half::Half;
pub use pairs::{Pair, pairs, spread};
pub use secret::is_human;

use crate::record::Record;
pub(crate) use random::Random;

pub use random::hash;

/// The records of a half, `per_family` of each form. The same arguments always give the same records.
pub fn records(half: Half, seed: u64, per_family: usize) -> impl Iterator<Item = Record> {
    forms::of(half).flat_map(move |form| {
        let mut random = Random::of(seed, form.id);
        (0..per_family).map(move |index| {
            let text = fill::draw(form, &mut random, half);
            text.record(format!("{}-{seed}-{index}", form.id), form.id)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn all(half: Half) -> Vec<Record> {
        records(half, 7, 8).collect()
    }

    #[test]
    fn the_same_seed_gives_the_same_records() {
        assert_eq!(all(Half::Train), all(Half::Train));
        assert_ne!(
            all(Half::Test)[0],
            records(Half::Test, 8, 1).next().expect("a record")
        );
    }

    #[test]
    fn label_offsets_agree_in_bytes_and_characters() {
        for record in all(Half::Train).iter().chain(&all(Half::Test)) {
            for span in &record.spans {
                let value = &record.text[span.byte_start..span.byte_end];
                assert_eq!(value.chars().count(), span.end - span.start, "{record:?}");
                assert!(!value.is_empty(), "{record:?}");
            }
        }
    }

    #[test]
    fn every_placeholder_is_filled() {
        for record in all(Half::Train).iter().chain(&all(Half::Test)) {
            assert!(!record.text.contains(['«', '»']), "{record:?}");
        }
    }

    #[test]
    fn the_halves_share_no_passwords() {
        let values = |half| -> BTreeSet<String> {
            let of_words = |kind: &Option<String>| {
                let kind = kind.as_deref();
                kind.is_some_and(|kind| ["word", "words", "default", "passphrase"].contains(&kind))
            };
            let records = all(half).into_iter();
            records
                .flat_map(|record| {
                    let spans = record.spans.iter();
                    let values = spans.filter(|span| of_words(&span.kind));
                    let values =
                        values.map(|span| record.text[span.byte_start..span.byte_end].to_owned());
                    values.collect::<Vec<_>>()
                })
                .collect()
        };
        let shared: Vec<_> = values(Half::Train)
            .intersection(&values(Half::Test))
            .cloned()
            .collect();
        assert!(shared.is_empty(), "{shared:?}");
    }

    #[test]
    fn half_of_the_records_have_no_secrets() {
        for half in [Half::Train, Half::Test] {
            let records = all(half);
            let secrets = records.iter().filter(|record| {
                !record.source.contains("personal/") && !record.source.contains("numbers/")
            });
            let (without, with): (Vec<_>, Vec<_>) =
                secrets.partition(|record| record.spans.is_empty());
            let share = without.len() * 100 / (without.len() + with.len());
            assert!((40..60).contains(&share), "{half:?}: {share} %");
        }
    }
}
