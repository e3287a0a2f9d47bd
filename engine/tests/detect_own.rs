//! The user's own terms, patterns and allow lists.

#![expect(clippy::expect_used, reason = "a test says what went wrong by failing")]

use engine::detect::{Allowed, AllowedValues, DetectorError, DetectorSettings, Names, merge};
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
        ("STRASSE straße STRAẞE", vec!["STRASSE", "straße", "STRAẞE"]),
        ("σίσυφος", vec!["σίσυφος"]),
        ("see https://intern/x", vec!["https://intern/"]),
        ("ann's", vec!["ann"]),
    ] {
        let expected: Vec<_> = expected.into_iter().map(|value| ("NAME", value)).collect();
        assert_eq!(found(&names, text), pairs(&expected), "{text}");
    }
}

#[test]
fn the_longest_whole_word_term_wins() {
    let names = terms(&[
        "ann",
        "ann lee",
        "ann lee-hart",
        "lee-hart dover",
        "c++",
        "c",
        "node.js",
    ]);
    for (text, expected) in [
        ("Ann Lee-Hart", vec!["Ann Lee-Hart"]),
        ("Ann Lee-Harting", vec!["Ann Lee"]),
        ("Ann Leeds", vec!["Ann"]),
        ("ann lee-hart dover", vec!["ann lee-hart dover"]),
        ("anne lee-hart dover", vec!["lee-hart dover"]),
        ("C++ and C, c+", vec!["C++", "C", "c"]),
        ("node.js, node.json, xnode.js", vec!["node.js"]),
        ("ann", vec!["ann"]),
        ("ann ", vec!["ann"]),
        ("ann  lee", vec!["ann"]),
    ] {
        let expected: Vec<_> = expected.into_iter().map(|value| ("NAME", value)).collect();
        assert_eq!(found(&names, text), pairs(&expected), "{text}");
    }
}

/// The second of two terms that overlap was once dropped, and its end went out.
#[test]
fn terms_that_overlap_are_masked_to_the_end_of_the_last() {
    let names = terms(&[
        "Anna Smith",
        "Smith Holdings",
        "New York",
        "York City Council",
        "->>",
        ">>=",
    ]);
    for (text, expected) in [
        ("Anna Smith Holdings", vec!["Anna Smith Holdings"]),
        ("the New York City Council", vec!["New York City Council"]),
        ("a->>=b", vec!["->>="]),
        (
            "New York, York City Council",
            vec!["New York", "York City Council"],
        ),
    ] {
        let expected: Vec<_> = expected.into_iter().map(|value| ("NAME", value)).collect();
        assert_eq!(found(&names, text), pairs(&expected), "{text}");
    }
}

#[test]
fn terms_may_begin_and_end_with_punctuation() {
    let names = terms(&["@ann", ".env", "#1 fan", "(ann)", "->", "…secret…", "“q”"]);
    for (text, expected) in [
        ("mail @Ann, b@ann or @anna", vec!["@Ann", "@ann"]),
        ("a.env .ENV .envs", vec![".env", ".ENV"]),
        ("the #1 Fan", vec!["#1 Fan"]),
        ("x(ann)y", vec!["(ann)"]),
        ("a->b -> c", vec!["->", "->"]),
        ("a…Secret…b", vec!["…Secret…"]),
        ("say “Q”", vec!["“Q”"]),
        ("@", vec![]),
    ] {
        let expected: Vec<_> = expected.into_iter().map(|value| ("NAME", value)).collect();
        assert_eq!(found(&names, text), pairs(&expected), "{text}");
    }
}

#[test]
fn case_folding_that_changes_lengths_keeps_the_place() {
    let names = terms(&[
        "Weißgerber",
        "İnci",
        "ΐλη",
        "ﬁsher",
        "rene\u{301}",
        "Ömer Çelik",
    ]);
    for (text, expected) in [
        (
            "→ WEISSGERBER, weißgerber!",
            vec!["WEISSGERBER", "weißgerber"],
        ),
        ("sßs Weissgerber", vec!["Weissgerber"]),
        ("xßx İNCİ inci i̇nci", vec!["İNCİ", "i̇nci"]),
        ("şş İnci.", vec!["İnci"]),
        ("“ΐλη” ΐληs", vec!["ΐλη"]),
        ("FISHER ﬁsher fishers", vec!["FISHER", "ﬁsher"]),
        ("RENE\u{301} rene", vec!["RENE\u{301}"]),
        ("ÖMER ÇELİK, ömer çelik", vec!["ömer çelik"]),
    ] {
        let expected: Vec<_> = expected.into_iter().map(|value| ("NAME", value)).collect();
        assert_eq!(found(&names, text), pairs(&expected), "{text}");
    }
}

/// Ideographs count as letters, so a term between others is not a whole word.
#[test]
fn terms_in_scripts_without_spaces_need_punctuation_around_them() {
    let names = terms(&["田中", "김민준", "東京 支社"]);
    for (text, expected) in [
        ("田中、鈴木", vec!["田中"]),
        ("「田中」", vec!["田中"]),
        ("私は田中です", vec![]),
        ("김민준 씨, 김민준은", vec!["김민준"]),
        ("(東京 支社)", vec!["東京 支社"]),
    ] {
        let expected: Vec<_> = expected.into_iter().map(|value| ("NAME", value)).collect();
        assert_eq!(found(&names, text), pairs(&expected), "{text}");
    }
}

#[test]
fn a_term_of_two_types_has_the_first_type() {
    let mut settings = terms(&["Ann"]);
    settings
        .terms
        .push((own("OTHER"), vec!["ANN".to_owned(), "bob".to_owned()]));
    assert_eq!(
        found(&settings, "ann bob"),
        pairs(&[("NAME", "ann"), ("OTHER", "bob")])
    );
}

/// What a search at every place, with every term, finds.
fn found_slowly(words: &[String], text: &str) -> Vec<(String, String)> {
    let fold = |text: &str| -> String {
        let lower = text.chars().flat_map(char::to_lowercase);
        let upper = lower.flat_map(char::to_uppercase);
        upper.flat_map(char::to_lowercase).collect()
    };
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let is_boundary = |at: usize| {
        let before = text[..at].chars().next_back().is_some_and(is_word);
        !(before && text[at..].chars().next().is_some_and(is_word))
    };
    let places: Vec<usize> = (0..=text.len())
        .filter(|&at| text.is_char_boundary(at) && is_boundary(at))
        .collect();
    let words: Vec<String> = words.iter().map(|word| fold(word)).collect();
    let mut spans: Vec<(usize, usize)> = Vec::new();
    for &start in &places {
        let ends = places.iter().filter(|&&end| end > start);
        let mut whole = ends.filter(|&&end| {
            let own = fold(&text[start..end]);
            words.contains(&own)
        });
        if let Some(&end) = whole.next_back() {
            match spans.last_mut() {
                Some(last) if start < last.1 => last.1 = last.1.max(end),
                _ => spans.push((start, end)),
            }
        }
    }
    spans
        .into_iter()
        .map(|(start, end)| ("NAME".to_owned(), text[start..end].to_owned()))
        .collect()
}

#[test]
fn term_search_matches_a_naive_search() {
    // Without signs of emphasis, which are also read as if they were not there.
    let letters: Vec<char> = "aAbßs7-. 中é—".chars().collect();
    let mut state = 0x5EED_u64;
    let mut text = |longest: u64| {
        let mut below = |bound: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state % bound
        };
        let length = 1 + below(longest);
        (0..length)
            .filter_map(|_| letters.get(usize::try_from(below(12)).ok()?).copied())
            .collect::<String>()
    };
    for _ in 0..2_000 {
        let words: Vec<String> = (0..12).map(|_| text(5).trim().to_owned()).collect();
        let words: Vec<String> = words.into_iter().filter(|word| !word.is_empty()).collect();
        let settings = terms(&words.iter().map(String::as_str).collect::<Vec<_>>());
        let text = text(90);
        // Neighbours that touch stay apart in both.
        assert_eq!(
            found(&settings, &text),
            found_slowly(&words, &text),
            "{words:?} in {text:?}"
        );
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

/// Each word is found everywhere in the text, and never inside longer ones.
#[test]
fn a_word_of_any_length_is_found_at_any_place() {
    for length in 1..40 {
        let word: String = ('a'..='z').cycle().skip(length).take(length).collect();
        let settings = terms(&[&word]);
        for before in 0..70 {
            let text = format!("{} {} {word}x", "-".repeat(before), word.to_uppercase());
            let expected = pairs(&[("NAME", &word.to_uppercase())]);
            assert_eq!(found(&settings, &text), expected, "{text}");
        }
    }
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
fn a_bad_pattern_is_reported_by_type_without_quoting() {
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
fn types_are_switched_on_and_off() {
    let switched = |types: &[(EntityType, bool)]| DetectorSettings {
        types: types.to_vec(),
        ..DetectorSettings::default()
    };
    let text = "call +1 415 555 0132, a@example.com";
    let settings = switched(&[(EntityType::EMAIL, false)]);
    assert_eq!(
        found(&settings, text),
        pairs(&[("PHONE", "+1 415 555 0132")])
    );
    assert!(!settings.finds(&EntityType::EMAIL) && settings.finds(&EntityType::PHONE));
    // What is given last counts, and your own patterns are not switched off.
    let settings = DetectorSettings {
        patterns: vec![(EntityType::PHONE, "call".to_owned())],
        ..switched(&[(EntityType::EMAIL, false), (EntityType::EMAIL, true)])
    };
    let expected = [("PHONE", "call"), ("EMAIL", "a@example.com")];
    assert_eq!(found(&settings, text), pairs(&expected));
}

/// A joined span has one type, which must not be one that is off.
#[test]
fn a_disabled_type_does_not_hide_others() {
    let settings = DetectorSettings {
        types: vec![(EntityType::URL_CREDENTIAL, false)],
        ..DetectorSettings::default()
    };
    let text = "https://ghp_16C7e42F292c6912E7710c838347Ae178B4a@github.com/a";
    let types: Vec<_> = found(&settings, text)
        .into_iter()
        .map(|(entity, _)| entity)
        .collect();
    assert_eq!(types, ["API_KEY"]);
}

#[test]
fn turning_names_off_disables_all_three_types() {
    let settings = |names| DetectorSettings {
        names,
        types: vec![(EntityType::LOCATION, true)],
        ..DetectorSettings::default()
    };
    let looked_for = |names| {
        let settings = settings(names);
        [
            EntityType::PERSON,
            EntityType::LOCATION,
            EntityType::ORGANIZATION,
        ]
        .map(|of| settings.looks_for(&of))
    };
    assert_eq!(looked_for(Names::Careful), [true, true, false]);
    assert_eq!(looked_for(Names::Eager), [true, true, false]);
    assert_eq!(looked_for(Names::Off), [false, false, false]);
}

#[test]
fn a_minimum_score_drops_lower_scores() {
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
