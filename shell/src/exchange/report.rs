//! The reply header `x-mask-report`: counts, never content.

use std::fmt::Write;
use std::time::Duration;

use engine::MaskSummary;
use http::HeaderValue;

/// The most bytes of types that are listed; the values of other types are counted together.
const LONGEST: usize = 512;

/// What became of the values of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    Masked,
    /// They were only counted.
    Found,
}

/// The header of a request with this result.
pub(super) fn header(
    fate: Fate,
    summary: &MaskSummary,
    detectors: &[&str],
    took: Duration,
) -> HeaderValue {
    let mut values = String::new();
    let mut others = 0;
    for (entity, count) in &summary.entity_counts {
        if values.len() < LONGEST {
            add(&mut values, entity.as_str(), *count);
        } else {
            others += count;
        }
    }
    if others > 0 {
        add(&mut values, "others", others);
    }
    let mut left = String::new();
    for (name, count) in summary.coverage.left() {
        add(&mut left, name, count);
    }
    let text = format!(
        "texts={}; left={left}; {}={values}; detectors={}; detect_ms={:.3}",
        summary.coverage.texts,
        match fate {
            Fate::Masked => "values",
            Fate::Found => "found",
        },
        detectors.join(","),
        took.as_secs_f64() * 1000.0
    );
    // Types are letters, digits and underscores.
    HeaderValue::from_str(&text).unwrap_or(HeaderValue::from_static(""))
}

fn add(list: &mut String, name: &str, count: u64) {
    let separator = if list.is_empty() { "" } else { "," };
    // Writing to a string can't fail.
    let _ = write!(list, "{separator}{name}:{count}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::{Coverage, EntityType};

    #[test]
    fn a_report_is_short_however_many_types_there_are() {
        let entity =
            |number: usize| EntityType::parse(&format!("{}{number}", "T".repeat(60))).unwrap();
        let summary = MaskSummary {
            entity_counts: (0..500).map(|number| (entity(number), 2)).collect(),
            coverage: Coverage {
                texts: 3,
                images: 1,
                structural: 9,
                ..Coverage::default()
            },
            ..MaskSummary::default()
        };
        let header = header(
            Fate::Masked,
            &summary,
            &["regex", "llm"],
            Duration::from_micros(1500),
        );
        let header = header.to_str().unwrap();
        assert!(header.len() < 1000, "{header}");
        assert!(
            header.starts_with("texts=3; left=images:1,structural:9; values=TTTT"),
            "{header}"
        );
        assert!(
            header.ends_with("; detectors=regex,llm; detect_ms=1.500"),
            "{header}"
        );
        assert!(header.contains(",others:"), "{header}");
    }
}
