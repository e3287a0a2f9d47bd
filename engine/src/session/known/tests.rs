use super::*;

/// The values of a session and what finds them.
#[derive(Default)]
struct Learnt {
    mappings: Vec<Arc<Mapping>>,
    known: Known,
}

impl Learnt {
    fn of(values: &[&str]) -> Self {
        let mut learnt = Self::default();
        for value in values {
            learnt.add(value);
        }
        learnt
    }

    fn add(&mut self, value: &str) {
        let is_new = |mapping: &Arc<Mapping>| mapping.value().expose() != value;
        if self.mappings.iter().all(is_new) {
            let id = self.mappings.len().to_string();
            let value = Sensitive::new(value.to_owned());
            let mapping = Mapping::new(EntityType::EMAIL, &id, value);
            self.mappings.push(Arc::new(mapping));
            self.known.learn(&self.mappings);
        }
    }

    fn find<'t>(&self, text: &'t str) -> Vec<&'t str> {
        self.find_admitted(text, |_, _| true)
    }

    fn find_admitted<'t>(
        &self,
        text: &'t str,
        admits: impl Fn(&str, &Detection) -> bool,
    ) -> Vec<&'t str> {
        let mut found = Vec::new();
        super::find(&[&self.known], text, &admits, &mut |detection, _| {
            found.push(&text[detection.start..detection.end]);
        });
        found
    }

    fn longest(&self, text: &str, start: usize) -> Option<usize> {
        let (longest, _) = self.known.longest(text, start, &|_, _| true)?;
        Some(longest.end - start)
    }
}

#[test]
fn the_longest_known_value_at_a_position_is_found() {
    let learnt = Learnt::of(&["abc-123", "abc-1234567", "abc-1299", "ñandú-77"]);
    assert_eq!(
        learnt.find("abc-1234567 abc-123 abc-12 'abc-12345' ñandú-77"),
        ["abc-1234567", "abc-123", "ñandú-77"]
    );
}

#[test]
fn plain_words_match_whole_words_only() {
    let learnt = Learnt::of(&["correcthorse", "Tr0ub4dor-x", "12345678"]);
    assert_eq!(
        learnt.find("correcthorses correcthorse_x a correcthorse."),
        ["correcthorse"]
    );
    assert_eq!(learnt.find("mysql -pTr0ub4dor-xy"), ["Tr0ub4dor-x"]);
    assert_eq!(learnt.find("0123456789 12345678"), ["12345678"]);
}

#[test]
fn short_values_and_common_words_are_not_learnt() {
    assert!(
        Learnt::of(&["hunt2", "", "a", "postgres"])
            .known
            .roots
            .is_empty()
    );
    assert!(!Learnt::of(&["hunter2"]).known.roots.is_empty());
}

#[test]
fn a_shorter_value_matches_where_the_longer_is_not_admitted() {
    let learnt = Learnt::of(&["abc-123", "abc-123-4"]);
    let text = "abc-123-4";
    let admits = |text: &str, found: &Detection| found.end < text.len();
    assert_eq!(learnt.find_admitted(text, admits), ["abc-123"]);
}

#[test]
fn many_values_are_found_throughout_a_text() {
    let values: Vec<_> = (10..330).map(|n| format!("v{n}-k9Q{n}")).collect();
    let learnt = Learnt::of(&values.iter().map(String::as_str).collect::<Vec<_>>());
    for padding in 0..4 {
        let text = format!("{}{}", ".".repeat(padding), values.join("é"));
        assert_eq!(learnt.find(&text), values);
    }
}

/// Values of more than 256 bytes were never searched for.
#[test]
fn long_values_and_most_of_a_cut_one_are_found() {
    let long = |first: usize| {
        let numbers = (first..first + 300).map(|n| format!("{n}-Kx"));
        numbers.collect::<String>()
    };
    let (one, other) = (long(1000), long(5000));
    let learnt = Learnt::of(&[&one, &other]);
    assert_eq!(learnt.find(&format!("a{one}b {other}")), [&one, &other]);
    let cut = &one[..one.len() - 1];
    assert_eq!(learnt.find(&format!("{cut}é")), [cut]);
    assert!(learnt.find(&one[..LONG - 1]).is_empty());
}

/// Of two values that had more than 256 bytes in common, the end of the second one was left.
#[test]
fn every_byte_of_overlapping_long_values_is_masked() {
    let mut state = 11_u32;
    let mut next = |below: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) as usize % below
    };
    for round in 0..400 {
        let alphabet: &[char] = [&['a', 'b', '-', '7'][..], &['a'], &['a', 'é', '木']][round % 3];
        let mut text: String = (0..3000).map(|_| alphabet[next(alphabet.len())]).collect();
        if round % 2 == 0 {
            let period = 1 + next(400);
            text = text.chars().take(period).cycle().take(3000).collect();
            text.insert(text.floor_char_boundary(next(3000)), 'X');
        }
        let mut values = Vec::new();
        let mut start = 0;
        for _ in 0..5 {
            start = text.floor_char_boundary(start + next(900));
            let length = 300 + next(1200);
            values.push(&text[start..text.floor_char_boundary(start + length)]);
        }
        values.retain(|value| value.len() > LONG);
        let learnt = Learnt::of(&values);
        let mut is_masked = vec![false; text.len()];
        super::find(&[&learnt.known], &text, &|_, _| true, &mut |found, _| {
            assert!(text.get(found.start..found.end).is_some());
            is_masked[found.start..found.end].fill(true);
        });
        for value in values {
            for (at, _) in text.match_indices(value) {
                let all = &is_masked[at..at + value.len()];
                assert!(all.iter().all(|masked| *masked), "round {round} at {at}");
            }
        }
    }
}

/// It is found by parts that begin in one another, which make one value again.
#[test]
fn the_tail_of_a_long_value_is_one_match() {
    let numbers = (1000..1300).map(|n| format!("{n}-Kx"));
    let value = numbers.collect::<String>();
    let learnt = Learnt::of(&[&value]);
    let found = learnt.find(&value[300..]);
    let [found] = found.as_slice() else {
        panic!("{}", found.len());
    };
    assert!(found.len() > value.len() - 300 - LONG && value.ends_with(found));
    assert!(learnt.find(&value[value.len() - LONG + 8..]).is_empty());
}

/// Each place of it was once compared with all of the value.
#[test]
fn repeated_starts_of_a_long_value_are_masked_quickly() {
    let value = "a".repeat(100_000) + "b";
    let learnt = Learnt::of(&[&value]);
    let text = "a".repeat(1 << 20) + "c";
    assert_eq!(learnt.find(&text).concat().len(), 1 << 20);
}

/// Once each was looked up individually, and only 32 of them.
#[test]
fn the_longest_standalone_value_of_nested_prefixes_is_found() {
    let whole = "-1".repeat(40) + &"1".repeat(120);
    let nested: Vec<_> = (6..=whole.len()).map(|length| &whole[..length]).collect();
    let text = whole.clone() + "1";
    for values in [nested.clone(), nested.into_iter().rev().collect()] {
        assert_eq!(Learnt::of(&values).find(&text), [&whole[..80 - 1]]);
    }
}

#[test]
fn the_longest_value_is_found_among_shared_prefixes() {
    let mut state = 7_u32;
    let mut next = |below: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) as usize % below
    };
    for round in 0..300 {
        let alphabet: &[char] = [&['a', '1', '-'], &['1', '-', 'é']][round % 2];
        let mut letters =
            |length: usize| (0..length).map(|_| alphabet[next(3)]).collect::<String>();
        let text = letters(40) + &letters(40);
        let texts: Vec<_> = (0..6).map(|at| letters(6 + at)).collect();
        let cuts = (0..70).filter_map(|at| text.get(at..at + 6 + at % 9));
        let values: Vec<_> = cuts.chain(texts.iter().map(String::as_str)).collect();
        let learnt = Learnt::of(&values);
        for start in (0..text.len()).filter(|&at| text.is_char_boundary(at)) {
            let values = learnt
                .mappings
                .iter()
                .map(|mapping| mapping.value().expose());
            let apart = values.filter(|value| {
                let end = start + value.len();
                let alone = stands_apart(&text, start..end);
                let value = value.as_bytes();
                text.as_bytes()[start..].starts_with(value) && (is_unmistakable(value) || alone)
            });
            let expected = apart
                .filter(|value| is_distinct(value))
                .map(String::len)
                .max();
            assert_eq!(learnt.longest(&text, start), expected, "{start} {text}");
        }
    }
}

/// Each of them is known only as it was written first.
#[test]
fn decoded_forms_of_a_value_are_learnt_once() {
    let learnt = Learnt::of(&["p%40ssw0rd-1", "p&#64;ssw0rd-1", "p%ssw0rd"]);
    assert_eq!(
        learnt.find("p@ssw0rd-1 p%40ssw0rd-1 p&#64;ssw0rd-1"),
        ["p@ssw0rd-1", "p%40ssw0rd-1", "p&#64;ssw0rd-1"]
    );
    assert_eq!(learnt.known.sought.len(), 4);
}

#[test]
fn debug_output_shows_no_value() {
    let shown = format!("{:?}", Learnt::of(&["hunter-22"]).known);
    assert_eq!(shown, "Known(1 heads)");
}
