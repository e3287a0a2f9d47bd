//! Finds candidates to allow: findings in the same place of many requests.

use serde_json::{Value, json};

use super::{Report, Seen};

/// Fields that the client's software fills, with the same text each time.
const FIXED: [&str; 7] = [
    "system",
    "instructions",
    "tools",
    "functions",
    "messages[system]",
    "messages[developer]",
    "input[developer]",
];

/// The least number of requests, and the least share of those with findings, in percent.
const REQUESTS: u64 = 3;
const SHARE: u64 = 10;

/// A finding that recurs where texts are fixed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Candidate<'r> {
    pub(super) entity: &'r str,
    pub(super) rule: &'r str,
    pub(super) field: &'r str,
    pub(super) requests: u64,
    pub(super) values: u64,
    /// In percent of the requests with findings.
    pub(super) share: u64,
}

impl Candidate<'_> {
    pub(super) fn json(&self) -> Value {
        json!({
            "type": self.entity,
            "rule": self.rule,
            "field": self.field,
            "requests": self.requests,
            "values": self.values,
            "percent_of_requests": self.share,
        })
    }
}

impl Report {
    /// Findings to review before they are allowed, most frequent first.
    pub(super) fn candidates(&self) -> Vec<Candidate<'_>> {
        let findings = self.findings.iter();
        let candidates = findings.filter_map(|([entity, rule, field], seen)| {
            let Seen { requests, values } = *seen;
            let share = requests.saturating_mul(100) / self.with_findings.max(1);
            let recurs = requests >= REQUESTS && share >= SHARE;
            (recurs && is_fixed(field)).then_some(Candidate {
                entity,
                rule,
                field,
                requests,
                values,
                share,
            })
        });
        let mut candidates: Vec<_> = candidates.collect();
        candidates.sort_by_key(|candidate| std::cmp::Reverse(candidate.requests));
        candidates
    }
}

/// Whether a field is filled with the same text in each request.
fn is_fixed(field: &str) -> bool {
    FIXED.iter().any(|fixed| {
        let rest = field.strip_prefix(fixed);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_recurring_findings_in_fixed_texts_are_candidates() {
        let mut report = Report {
            with_findings: 20,
            ..Report::default()
        };
        for (rule, field, requests) in [
            ("email", "system[text].text", 20),
            ("phone", "tools[].description", 2),
            ("email", "messages[user].content", 20),
            ("email", "systemic", 20),
            ("term", "messages[system].content", 3),
        ] {
            let key = ["EMAIL", rule, field].map(str::to_owned);
            let values = 2 * requests;
            report.findings.insert(key, Seen { requests, values });
        }
        let candidates = report.candidates();
        let shown: Vec<_> = candidates
            .iter()
            .map(|one| (one.field, one.share))
            .collect();
        assert_eq!(
            shown,
            [("system[text].text", 100), ("messages[system].content", 15)]
        );
    }
}
