//! What the user looks for and allows.

#![expect(clippy::expect_used, reason = "a test says what went wrong by failing")]

use engine::detect::{Allowed, AllowedValues, DetectorError, DetectorSettings, merge};
use engine::{Detectors, EntityType, Score};

fn own(name: &str) -> EntityType {
    EntityType::parse(name).expect("a type")
}

fn found(settings: &DetectorSettings, text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    Detectors::new(settings)
        .expect("detectors")
        .detect(text, None, &mut found);
    merge(found)
        .into_iter()
        .map(|detection| {
            (
                detection.entity.as_str().to_owned(),
                text[detection.start..detection.end].to_owned(),
            )
        })
        .collect()
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected
        .iter()
        .map(|(entity, value)| ((*entity).to_owned(), (*value).to_owned()))
        .collect()
}

fn terms(words: &[&str]) -> DetectorSettings {
    DetectorSettings {
        built_in: false,
        terms: vec![(
            own("NAME"),
            words.iter().map(|&word| word.to_owned()).collect(),
        )],
        ..DetectorSettings::default()
    }
}

fn pattern(entity: &str, pattern: &str) -> DetectorSettings {
    DetectorSettings {
        patterns: vec![(own(entity), pattern.to_owned())],
        ..DetectorSettings::default()
    }
}

#[test]
fn terms_match_whole_words_in_any_case_longest_first() {
    let names = terms(&[
        "ann",
        "bob",
        "annbob",
        "Straße",
        "ΣΊΣΥΦΟΣ",
        "https://intern/",
    ]);
    for (text, expected) in [
        ("annbob", vec!["annbob"]),
        ("ANN and Bob", vec!["ANN", "Bob"]),
        ("annual, deann", vec![]),
        ("STRASSE straße", vec!["STRASSE", "straße"]),
        ("σίσυφος", vec!["σίσυφος"]),
        ("see https://intern/x", vec!["https://intern/"]),
        ("ann's", vec!["ann"]),
    ] {
        let expected: Vec<_> = expected.into_iter().map(|value| ("NAME", value)).collect();
        assert_eq!(found(&names, text), pairs(&expected), "{text}");
    }
}

#[test]
fn empty_terms_match_nothing() {
    assert_eq!(found(&terms(&[]), "anything"), []);
    assert_eq!(found(&terms(&["", "  "]), "anything at all"), []);
}

#[test]
fn a_hundred_thousand_terms_are_searched_in_one_pass() {
    let words: Vec<String> = (0..100_000)
        .map(|number| format!("person{number:06} doe"))
        .collect();
    let settings = terms(&words.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(
        found(&settings, "met Person054321 Doe today"),
        pairs(&[("NAME", "Person054321 Doe")])
    );
}

#[test]
fn terms_patterns_and_built_ins_coexist() {
    let mut settings = terms(&["ann"]);
    settings.built_in = true;
    settings.patterns = vec![(own("EMPLOYEE"), r"EMP-\d+".to_owned())];
    let expected = pairs(&[
        ("NAME", "Ann"),
        ("EMPLOYEE", "EMP-7"),
        ("EMAIL", "a@example.com"),
    ]);
    assert_eq!(found(&settings, "Ann EMP-7 a@example.com"), expected);
}

#[test]
fn a_pattern_beats_the_terms_of_its_type() {
    let mut settings = terms(&["ann"]);
    settings.patterns = vec![(own("NAME"), "bob".to_owned())];
    assert_eq!(found(&settings, "ann bob"), pairs(&[("NAME", "bob")]));
}

#[test]
fn a_pattern_finds_its_value_group_or_everything() {
    let settings = pattern("BADGE", r"badge (?P<value>\d+)|B-\d+|badge()");
    assert_eq!(
        found(&settings, "badge 77, B-12"),
        pairs(&[("BADGE", "77"), ("BADGE", "B-12")])
    );
    assert_eq!(found(&pattern("BADGE", "x*"), "abc"), []);
}

#[test]
fn a_pattern_for_a_built_in_type_replaces_it() {
    let settings = pattern("CREDIT_CARD", r"CARD\d+");
    assert_eq!(
        found(&settings, "CARD123 4111111111111111"),
        pairs(&[("CREDIT_CARD", "CARD123")])
    );
}

#[test]
fn a_bad_pattern_is_named_by_its_type_and_not_quoted() {
    let error = Detectors::new(&pattern("BADGE", "hunter2(")).expect_err("a bad pattern");
    assert_eq!(error, DetectorError::Pattern(own("BADGE")));
    assert_eq!(
        error.to_string(),
        "the pattern of BADGE is not a usable regular expression"
    );
    let debug = format!("{:?}", pattern("BADGE", "hunter2("));
    assert!(!debug.contains("hunter2"), "{debug}");
}

#[test]
fn allowed_values_are_left() {
    let allow = |entity: Option<EntityType>, values| DetectorSettings {
        allow: vec![Allowed { entity, values }],
        ..DetectorSettings::default()
    };
    let text = "info@example.com bob@example.com";
    let exact = allow(None, AllowedValues::Exact("info@example.com".to_owned()));
    assert_eq!(found(&exact, text), pairs(&[("EMAIL", "bob@example.com")]));
    let by_pattern = allow(
        Some(EntityType::EMAIL),
        AllowedValues::Pattern(r"\w+@example\.com".to_owned()),
    );
    assert_eq!(found(&by_pattern, text), []);
    let other_type = allow(
        Some(EntityType::PHONE),
        AllowedValues::Pattern(".*".to_owned()),
    );
    assert_eq!(found(&other_type, text).len(), 2);
}

#[test]
fn a_minimum_score_drops_what_is_less_sure() {
    let settings = DetectorSettings {
        min_score: Score::percent(90),
        ..DetectorSettings::default()
    };
    let text = "4111 1111 1111 1111 and 020 7946 0958, card 4111 1111 1111 1111";
    assert_eq!(
        found(&settings, text),
        pairs(&[("CREDIT_CARD", "4111 1111 1111 1111")])
    );
}
