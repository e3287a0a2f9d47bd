//! Whether a name and a value get the same verdict in every form.

use super::Figures;
use super::corpus::find;
use super::count::is_secret;
use engine::Detectors;
use train::generate::{Pair, pairs};
use train::record::Record;

/// Counts the pairs whose verdict depends on how they are written, and texts with a wrong verdict.
pub(super) fn count(detectors: &Detectors, figures: &mut Figures) {
    for pair in pairs() {
        let (found, left): (Vec<&Record>, Vec<&Record>) = pair
            .texts
            .iter()
            .partition(|record| is_found(detectors, record));
        let split = !found.is_empty() && !left.is_empty();
        let case = split.then(|| case(&pair, &found, &left));
        figures.wrong("generated pairs that depend on their form".to_owned(), case);
        let Some(secret) = pair.secret else { continue };
        for record in &pair.texts {
            let is_wrong = found.iter().any(|found| found.id == record.id) != secret;
            let case = is_wrong.then(|| record.id.clone());
            figures.wrong("generated pairs in a form judged wrongly".to_owned(), case);
        }
    }
}

fn is_found(detectors: &Detectors, record: &Record) -> bool {
    find(detectors, &record.text).iter().any(|detection| {
        is_secret(&detection.entity)
            && record
                .spans
                .iter()
                .any(|label| detection.start < label.byte_end && label.byte_start < detection.end)
    })
}

/// The pair, and the fewer of its forms.
fn case(pair: &Pair, found: &[&Record], left: &[&Record]) -> String {
    let (verdict, fewer) = if found.len() < left.len() {
        ("found", found)
    } else {
        ("left", left)
    };
    let forms: Vec<&str> = fewer
        .iter()
        .filter_map(|record| record.source.split(':').nth(1))
        .collect();
    format!("{}: {verdict} only in {}", pair.pair, forms.join(", "))
}
