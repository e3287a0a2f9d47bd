//! Combines the model's findings from all pages.

use std::collections::HashSet;
use std::ops::Range;

use engine::EntityType;

use super::super::span::{Characters, Span, occurrences};
use super::answer::{Reported, What};
use super::pages::Page;

/// The findings so far, page by page.
pub(super) struct Collected<'t> {
    texts: &'t [&'t str],
    /// Of each text, how many parts the model still has to see.
    missing: Vec<usize>,
    spans: Vec<Vec<Span>>,
    /// What was already searched for in which text: the pages of a long text report much the same.
    sought: HashSet<(usize, String, EntityType)>,
}

impl<'t> Collected<'t> {
    pub(super) fn new(texts: &'t [&'t str], pages: &[Page]) -> Self {
        let mut missing = vec![0; texts.len()];
        for piece in pages.iter().flat_map(|page| &page.pieces) {
            if let Some(missing) = missing.get_mut(piece.text) {
                *missing += 1;
            }
        }
        Self {
            texts,
            missing,
            spans: vec![Vec::new(); texts.len()],
            sought: HashSet::new(),
        }
    }

    /// Adds the findings of a page, and returns each text whose pages are complete.
    pub(super) fn add(
        &mut self,
        page: &Page,
        reported: &[Reported],
        keep: &mut impl FnMut(usize, Vec<Span>),
    ) {
        let shown: HashSet<usize> = page.pieces.iter().map(|piece| piece.text).collect();
        for reported in reported {
            match &reported.what {
                What::Text(wanted) => {
                    for text in &shown {
                        self.add_text(*text, wanted, reported);
                    }
                }
                What::Characters(start, end) => self.add_place(page, *start, *end, reported),
            }
        }
        for piece in &page.pieces {
            let Some(missing) = self.missing.get_mut(piece.text) else {
                continue;
            };
            *missing -= 1;
            if *missing == 0
                && let Some(spans) = self.spans.get_mut(piece.text)
            {
                let mut spans = std::mem::take(spans);
                spans.sort_by_key(|span| (span.start, span.end));
                spans.dedup();
                keep(piece.text, spans);
            }
        }
    }

    /// Everywhere in a text that the model saw, wholly or in part.
    fn add_text(&mut self, text: usize, wanted: &str, reported: &Reported) {
        let Some(content) = self.texts.get(text) else {
            return;
        };
        let sought = (text, wanted.to_owned(), reported.entity.clone());
        if !self.sought.insert(sought) {
            return;
        }
        for range in occurrences(content, wanted) {
            self.add_span(text, range, reported);
        }
    }

    /// Where the model says; nowhere when that is not within one text.
    fn add_place(&mut self, page: &Page, start: usize, end: usize, reported: &Reported) {
        let holds = |place: &Range<usize>| place.start <= start && end <= place.end;
        let Some(piece) = page.pieces.iter().find(|piece| holds(&piece.place)) else {
            return;
        };
        let text = self.texts.get(piece.text);
        let part = text.and_then(|text| text.get(piece.part.clone()));
        let characters = Characters::of(part.unwrap_or_default());
        let first = piece.place.start;
        if let Some(range) = characters.bytes(start - first, end.saturating_sub(first)) {
            let begin = piece.part.start;
            self.add_span(piece.text, begin + range.start..begin + range.end, reported);
        }
    }

    fn add_span(&mut self, text: usize, range: Range<usize>, reported: &Reported) {
        let span = Span {
            start: range.start,
            end: range.end,
            entity: reported.entity.clone(),
            score: reported.score,
        };
        if let Some(spans) = self.spans.get_mut(text) {
            spans.push(span);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::Score;

    use super::super::pages::pages;

    fn located(texts: &[&str], max_chars: usize, reported: &[What]) -> Vec<Vec<(usize, usize)>> {
        let pages = pages(texts, max_chars);
        let mut collected = Collected::new(texts, &pages);
        let mut kept = vec![vec![]; texts.len()];
        let reported: Vec<Reported> = reported
            .iter()
            .map(|what| Reported {
                what: what.clone(),
                entity: EntityType::parse("PERSON").unwrap(),
                score: Score::MAX,
            })
            .collect();
        for page in &pages {
            collected.add(page, &reported, &mut |text, spans| {
                kept[text] = spans.iter().map(|span| (span.start, span.end)).collect();
            });
        }
        kept
    }

    fn text(text: &str) -> What {
        What::Text(text.to_owned())
    }

    #[test]
    fn every_occurrence_of_a_reported_text_is_found() {
        let found = located(
            &["Ann met Bob. Bob!", "Bobby"],
            100,
            &[text("Bob"), text("Eve")],
        );
        assert_eq!(found, [vec![(8, 11), (13, 16)], vec![]]);
    }

    #[test]
    fn offsets_across_texts_are_ignored() {
        let found = located(
            &["né Ann", "Bob"],
            100,
            &[What::Characters(3, 6), What::Characters(8, 11)],
        );
        assert_eq!(found, [vec![(4, 7)], vec![(0, 3)]]);
        for (start, end) in [(5, 9), (0, 99), (4, 4), (5, 4), (99, 100)] {
            let found = located(&["né Ann", "Bob"], 100, &[What::Characters(start, end)]);
            assert_eq!(found, [vec![], vec![]], "{start} to {end}");
        }
    }

    #[test]
    fn findings_in_overlapping_parts_count_once() {
        let long = "x ".repeat(60) + "Ann " + &"y ".repeat(60);
        let found = located(&[&long], 40, &[text("Ann")]);
        assert_eq!(found, [[(120, 123)]]);
    }

    /// Searching again for every page, and in all findings, takes half a minute.
    #[test]
    fn a_frequent_name_in_a_long_text_is_always_found() {
        let long = "row Ann some filler text goes here ok\n".repeat(50_000);
        let found = located(&[&long], 20_000, &[text("Ann")]);
        assert_eq!(found[0].len(), 50_000);
    }
}
