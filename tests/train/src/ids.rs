//! Numbers of people, papers and accounts beside the words that name them, in every language of the table of words.

use crate::names::Random;
use serde::Deserialize;
use std::ops::Range;

const WORDS: &str = include_str!("../../../engine/rules/ids/words.toml");
/// How a word and its value are written.
const FORMS: [&str; 4] = [
    "{word}: {value}",
    "{\"{word}\": \"{value}\", \"active\": true}",
    "- {word} {value}, 12 March 2024",
    "<{word}>{value}</{word}>",
];

/// A text with a number in it.
#[derive(Debug, Clone)]
pub struct Named {
    /// Its type.
    pub entity: String,
    /// The text.
    pub text: String,
    /// Where the number stands, in bytes.
    pub value: Range<usize>,
}

#[derive(Deserialize)]
struct Words {
    words: Vec<Topic>,
}

#[derive(Deserialize)]
struct Topic {
    r#type: String,
    words: Vec<String>,
}

/// Each word beside a number of its type, in each form. The same texts every time.
///
/// # Errors
/// The table of words cannot be parsed.
pub fn named() -> Result<Vec<Named>, String> {
    let table: Words = toml::from_str(WORDS).map_err(|error| error.to_string())?;
    let mut random = Random::of(1, "numbers of people");
    let mut texts = Vec::new();
    for topic in &table.words {
        let words = topic.words.iter().filter(|word| !word.ends_with('*'));
        for (word, form) in words.flat_map(|word| FORMS.map(|form| (word, form))) {
            let Some(layout) = layout(&topic.r#type) else {
                break;
            };
            let value = drawn(layout, &mut random);
            let (lead, _) = form.split_once("{value}").unwrap_or_default();
            let start = lead.replace("{word}", word).len();
            texts.push(Named {
                entity: topic.r#type.clone(),
                text: form.replace("{word}", word).replace("{value}", &value),
                value: start..start + value.len(),
            });
        }
    }
    Ok(texts)
}

/// How a number of a type may be written: `d` is a digit, `a` a capital, `m` a month.
fn layout(entity: &str) -> Option<&'static str> {
    Some(match entity {
        "NATIONAL_ID" => "dddddd-dddd",
        "TAX_ID" => "aadddddddd",
        "HEALTH_ID" => "ddd ddd dddd",
        "PASSPORT" => "adddddddd",
        "DRIVER_LICENSE" => "adddd-ddddd-ddddd",
        "BANK_ACCOUNT" => "dddddddddd",
        "DATE_OF_BIRTH" => "1m/0m/198m",
        _ => return None,
    })
}

fn drawn(layout: &str, random: &mut Random) -> String {
    let letter = |first: u8, count: usize, random: &mut Random| {
        char::from(first + u8::try_from(random.below(count)).unwrap_or(0))
    };
    let signs = layout.chars().map(|sign| match sign {
        'd' => letter(b'0', 10, random),
        'm' => letter(b'1', 9, random),
        'a' => letter(b'A', 26, random),
        other => other,
    });
    signs.collect()
}
