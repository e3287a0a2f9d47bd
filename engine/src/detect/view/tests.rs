//! Readings of texts, and the way back.

use super::each_reading;

/// The readings of a text.
fn readings(text: &str) -> Vec<String> {
    let mut readings = Vec::new();
    each_reading(text, &mut |reading| readings.push(reading.text.to_owned()));
    readings
}

#[test]
fn text_without_framing_is_read_unchanged() {
    for text in [
        "",
        "one\ntwo\nthree\n",
        "fn f() {\n    let x = 1;\n    let y = 2;\n}\n",
        "100 % of 5 & 6 \\o/ größer — schöner\n",
        "１、二，三：四\n".trim_start_matches('１'),
        "1. one\n2. two\n",
        "- one\n- two\n",
        "__init__ and _name_, a * 2 * b, **bold** x+y\nf(**kwargs)\n",
        "| a | b |\n| c | d |\n",
    ] {
        let mut count = 0;
        each_reading(text, &mut |reading| {
            count += 1;
            assert!(reading.is_source(), "{text:?} as {:?}", reading.text);
        });
        assert_eq!(count, 1, "{text:?}");
    }
}

#[test]
fn nested_frames_are_all_removed() {
    let text = "> \u{1b}[1m     9\u{1b}[0m\t+one\n> \u{1b}[1m    10\u{1b}[0m\t+two\n";
    assert_eq!(readings(text), ["one\ntwo\n"]);
}

#[test]
fn encoded_text_is_read_both_raw_and_decoded() {
    assert_eq!(readings("a%2540b &amp;lt;"), ["a%2540b &amp;lt;", "a@b <"]);
    assert_eq!(
        readings("_Anna B_, **5**, a=1+2&b=3"),
        ["_Anna B_, **5**, a=1+2&b=3", "Anna B, 5, a=1 2\nb=3"]
    );
    assert_eq!(
        readings("{\\\"a\\\": \\\"b\\\\\\\"c\\\"}"),
        ["{\\\"a\\\": \\\"b\\\\\\\"c\\\"}", "{\"a\": \"b\\\"c\"}"]
    );
}

/// Every position of a reading maps to a part of the text, in order, and every part is whole
/// characters.
#[test]
fn positions_map_back_to_the_source_in_order() {
    #[rustfmt::skip]
    const PARTS: &[&str] = &[
        "\n", "\n", "9\t", "10\t", "11\t", "9:", "10:", "> ", "+", "-", " ", "# ", "@@ -1,2 +1,2 @@\n", "@@\n", "a.yml:9:", "a.yml:10:",
        "db-1  | ", "\u{1b}[32m", "\\033[0m", "\u{1b}]8;;x\u{7}", "\u{200b}", "%40", "%C3%A9", "&lt;", "&#x1F600;", "\\u00e9", "\\\"", "\":", "\\n",
        "＠", "\u{a0}", "\u{3000}", "\u{2028}", "é", "日", "x", "password", "│ ", " │", "\r\n", "\u{1b}", "%", "&", "\\", "^[[1m", "_", "**", "a=1+", "&b=", "\\ud83d\\ude00", "2026-11-22T10:00:00Z ",
    ];
    let mut state = 7_u64;
    let mut random = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap_or_default() % below
    };
    for _ in 0..20_000 {
        let text: String = (0..random(24))
            .map(|_| PARTS[random(PARTS.len())])
            .collect();
        each_reading(&text, &mut |reading| {
            let mut last = 0;
            for (index, letter) in reading.text.char_indices() {
                let Some(source) = reading.locate(index..index + letter.len_utf8()) else {
                    continue;
                };
                assert!(
                    last <= source.start && text.get(source.clone()).is_some(),
                    "{text:?}"
                );
                let own = &text[source.clone()];
                assert!(
                    own.starts_with(letter)
                        || own.len() > letter.len_utf8()
                        || matches!((own, letter), ("+" | "\u{1b}", ' ') | ("&", '\n')),
                    "{text:?}: {letter} is {own}"
                );
                last = source.end;
            }
        });
    }
}
