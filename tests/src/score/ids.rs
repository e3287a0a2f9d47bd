//! Personal and document numbers next to the words that name them.

use super::Figures;
use super::corpus::find;
use engine::Detectors;

/// Counts the numbers that are hidden, by type.
pub(super) fn count(detectors: &Detectors, figures: &mut Figures) -> Result<(), String> {
    for named in train::ids::named()? {
        let found = find(detectors, &named.text);
        let is_hidden = found.iter().any(|detection| {
            detection.start <= named.value.start && named.value.end <= detection.end
        });
        let row = format!("ids beside a word {} hidden", named.entity);
        figures.found(row, is_hidden, || named.text.clone());
    }
    Ok(())
}
