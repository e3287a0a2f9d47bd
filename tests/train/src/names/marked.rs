//! Reads texts in which `⟦` and `⟧` stand around persons' names: a line each, `\n` for a new line, `@xx` before those of a
//! language.

use super::Text;
use engine::detect::names::walk::Tag;

/// The prompts of `tests/corpus/names`, which nothing is trained on.
#[must_use]
pub fn prompts() -> Vec<Text> {
    read(include_str!("../../../corpus/names/prompts.txt"))
}

fn read(lines: &str) -> Vec<Text> {
    let mut language = "en";
    let mut texts = Vec::new();
    for line in lines.lines().filter(|line| !line.is_empty()) {
        match line.strip_prefix('@') {
            Some(name) => language = name,
            None => texts.push(text(&line.replace("\\n", "\n"), language)),
        }
    }
    texts
}

fn text(marked: &str, language: &str) -> Text {
    let mut text = String::new();
    let mut names = Vec::new();
    let mut start = 0;
    for letter in marked.chars() {
        match letter {
            '⟦' => start = text.len(),
            '⟧' => names.push((start..text.len(), Some(Tag::Person))),
            _ => text.push(letter),
        }
    }
    Text {
        text,
        names,
        source: "prompts".to_owned(),
        language: language.to_owned(),
        weight: 1.0,
    }
}
