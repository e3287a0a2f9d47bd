//! Texts that benchmarks run over.

use std::path::Path;

/// The agentic part of the development corpus, piece by piece.
#[expect(clippy::expect_used, reason = "no corpus, no benchmark")]
pub(crate) fn agentic_corpus() -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/corpus/dev/agentic.jsonl");
    let lines = std::fs::read_to_string(path).expect("the development corpus");
    lines
        .lines()
        .filter_map(|line| {
            let record: serde_json::Value = serde_json::from_str(line).ok()?;
            Some(record.get("text")?.as_str()?.to_owned())
        })
        .collect()
}
