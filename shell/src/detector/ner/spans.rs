//! Entities out of labelled tokens.

use std::ops::Range;

use engine::EntityType;

use super::labels::{Label, Labels};
use crate::detector::span::{Span, is_boundary, score_of};

/// A token of a text.
#[derive(Debug, Clone)]
pub(super) struct Token {
    pub(super) range: Range<usize>,
    pub(super) label: Label,
    pub(super) score: f32,
}

/// Tokens of one entity that follow each other.
struct Run<'l> {
    range: Range<usize>,
    label: Label,
    entity: &'l EntityType,
    scores: f32,
    tokens: f32,
}

impl Run<'_> {
    /// Its score is the average over its tokens.
    fn span(self) -> Span {
        Span {
            start: self.range.start,
            end: self.range.end,
            entity: self.entity.clone(),
            score: score_of(f64::from(self.scores / self.tokens)),
        }
    }
}

/// The entities of a text: whole words, and the parts of a name or an address as one.
pub(super) fn spans(text: &str, tokens: &[Token], labels: &Labels) -> Vec<Span> {
    let mut runs = runs(text, tokens, labels);
    widen(text, &mut runs);
    let mut found: Vec<(Label, Span)> = Vec::new();
    for run in runs {
        let label = run.label;
        match found.last_mut() {
            Some((before, span)) if joins(text, *before, span, &run) => {
                let more = run.span();
                span.end = span.end.max(more.end);
                span.score = span.score.max(more.score);
                *before = label;
            }
            _ => found.push((label, run.span())),
        }
    }
    found.into_iter().map(|(_, span)| span).collect()
}

fn runs<'l>(text: &str, tokens: &[Token], labels: &'l Labels) -> Vec<Run<'l>> {
    let mut runs: Vec<Run<'l>> = Vec::new();
    let mut is_open = false;
    for token in tokens {
        let Some(entity) = labels
            .kind(token.label)
            .and_then(|kind| kind.entity.as_ref())
        else {
            is_open = false;
            continue;
        };
        let Some(range) = trimmed(text, token.range.clone()) else {
            continue;
        };
        match runs.last_mut() {
            Some(run) if is_open && !token.label.begins && run.label.kind == token.label.kind => {
                run.range.end = range.end;
                run.scores += token.score;
                run.tokens += 1.0;
            }
            _ => runs.push(Run {
                range,
                label: token.label,
                entity,
                scores: token.score,
                tokens: 1.0,
            }),
        }
        is_open = !token.label.ends;
    }
    runs
}

/// Extends each run to whole words, up to the neighbouring runs.
fn widen(text: &str, runs: &mut [Run<'_>]) {
    let mut before = 0;
    let nexts: Vec<_> = runs.iter().skip(1).map(|run| run.range.start).collect();
    let nexts = nexts.into_iter().chain([text.len()]);
    for (run, next) in runs.iter_mut().zip(nexts) {
        while run.range.start > before && !is_boundary(text, run.range.start) {
            run.range.start = text.floor_char_boundary(run.range.start - 1);
        }
        while run.range.end < next && !is_boundary(text, run.range.end) {
            run.range.end = text.ceil_char_boundary(run.range.end + 1);
        }
        before = run.range.end;
    }
}

/// Whether a run continues the entity before it: it follows directly, or is another part of the same name or address.
fn joins(text: &str, before: Label, span: &Span, run: &Run<'_>) -> bool {
    if span.entity != *run.entity {
        return false;
    }
    let between = text.get(span.end..run.range.start).unwrap_or_default();
    if between.is_empty() {
        return true;
    }
    before.kind != run.label.kind && between.chars().all(|c| matches!(c, ' ' | ',' | '\u{a0}'))
}

/// A range without the spaces at its ends; `None` if it is all spaces.
fn trimmed(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let span = text.get(range.clone())?;
    let start = range.end - span.trim_start().len();
    let end = range.start + span.trim_end().len();
    (start < end).then_some(start..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The entities of a text in which these tokens, in order, have these labels.
    fn found(text: &str, labelled: &[(&str, &str)]) -> Vec<String> {
        let mut names = vec!["O"];
        names.extend(labelled.iter().map(|(_, label)| *label));
        names.sort_unstable();
        names.dedup();
        let numbered = names.iter().enumerate();
        let by_number = numbered.map(|(number, name)| (number.to_string(), (*name).to_owned()));
        let labels = Labels::read(&by_number.collect()).unwrap();
        let mut at = 0;
        let tokens = labelled.iter().map(|(token, label)| {
            let start = at + text[at..].find(token).unwrap();
            at = start + token.len();
            let number = names.iter().position(|name| name == label).unwrap();
            Token {
                range: start..at,
                label: labels.all[number],
                score: 0.9,
            }
        });
        let tokens: Vec<_> = tokens.collect();
        let spans = spans(text, &tokens, &labels);
        let shown = spans
            .iter()
            .map(|span| format!("{} {}", span.entity, &text[span.start..span.end]));
        shown.collect()
    }

    #[test]
    fn entities_cover_whole_words_and_names() {
        let text = "Anna Schmidtová met Bob, of Acme Ltd";
        for (labelled, expected) in [
            (
                &[
                    ("Anna", "B-PER"),
                    (" Schmidt", "I-PER"),
                    ("met", "O"),
                    ("Bob", "B-PER"),
                ][..],
                &["PERSON Anna Schmidtová", "PERSON Bob"][..],
            ),
            (
                &[("An", "B-PER"), ("na", "B-PER"), ("Schm", "B-PER")],
                &["PERSON Anna", "PERSON Schmidtová"],
            ),
            (
                &[
                    ("Anna", "B-GIVENNAME"),
                    ("Schmidt", "B-SURNAME"),
                    ("Bob", "GIVENNAME"),
                ],
                &["PERSON Anna Schmidtová", "PERSON Bob"],
            ),
            (
                &[
                    ("Anna", "U-PER"),
                    ("Schmidtová", "I-PER"),
                    ("Acme", "B-ORG"),
                    ("Ltd", "L-ORG"),
                ],
                &["PERSON Anna", "PERSON Schmidtová", "ORGANIZATION Acme Ltd"],
            ),
            (&[("Bob", "B-MAIL"), (",", "B-MAIL")], &["MAIL Bob,"]),
            (
                &[("Ac", "B-ORG"), ("me", "B-PER"), ("Ltd", "I-ORG")],
                &["ORGANIZATION Ac", "PERSON me", "ORGANIZATION Ltd"],
            ),
        ] {
            assert_eq!(found(text, labelled), expected, "{labelled:?}");
        }
    }

    /// Each part of a word once scanned the whole word.
    #[test]
    fn one_endless_word_takes_linear_time() {
        let text = "ab".repeat(500_000);
        let labelled = [("a", "B-PER"), ("b", "B-ORG")].repeat(500_000);
        assert_eq!(found(&text, &labelled).len(), 1_000_000);
    }
}
