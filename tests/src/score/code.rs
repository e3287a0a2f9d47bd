//! Counts findings in real code, which is assumed to contain no secrets.

use super::Figures;
use super::corpus::find;
use super::count::excerpt;
use engine::Detectors;
use std::path::PathBuf;
use train::mined;

/// The packages that are read, and about how many bytes of them.
const SEED: u64 = 1;
const BYTES: usize = 50_000_000;

/// Scans packages of some folders. A case shows its value only where that is asked for.
#[must_use]
pub fn score(folders: &[PathBuf], show: bool) -> Figures {
    let detectors = Detectors::built_in();
    let records = mined::records(folders, SEED, BYTES);
    let bytes: usize = records.iter().map(|record| record.text.len()).sum();
    let mut cases = std::collections::BTreeMap::<String, Vec<String>>::new();
    for record in &records {
        for detection in find(&detectors, &record.text) {
            let value = if show {
                excerpt(&record.text, detection.start, detection.end)
            } else {
                format!(
                    "{} bytes at {}",
                    detection.end - detection.start,
                    detection.start
                )
            };
            let case = format!("{} {}: {value}", record.id, detection.rule);
            let entity = detection.entity.as_str().to_owned();
            cases.entry(entity).or_default().push(case);
        }
    }
    let mut figures = Figures::default();
    for (entity, cases) in cases {
        figures.rate(format!("code {entity}"), bytes, cases.into_iter());
    }
    figures
}
