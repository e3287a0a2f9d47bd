//! Sentences with places to fill: `(Call|Ask) {P} about the invoice.`

use super::Random;

/// A part of a sentence.
#[derive(Debug, Clone)]
pub enum Part {
    /// Text as it is.
    Text(String),
    /// A slot to fill.
    Slot(String),
    /// One of several.
    Choice(Vec<Vec<Part>>),
}

/// Reads a sentence.
#[must_use]
pub fn parse(line: &str) -> Vec<Part> {
    let letters: Vec<char> = line.chars().collect();
    let mut at = 0;
    sequence(&letters, &mut at, false)
}

fn sequence(letters: &[char], at: &mut usize, inner: bool) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut text = String::new();
    while let Some(&letter) = letters.get(*at) {
        match letter {
            '|' | ')' if inner => break,
            '\\' => {
                *at += 1;
                let escaped = letters.get(*at).copied().unwrap_or('\\');
                text.push(if escaped == 'n' { '\n' } else { escaped });
                *at += 1;
            }
            '(' => {
                *at += 1;
                parts.push(Part::Text(std::mem::take(&mut text)));
                let mut choices = Vec::new();
                loop {
                    choices.push(sequence(letters, at, true));
                    let closing = letters.get(*at).copied();
                    *at += 1;
                    if closing != Some('|') {
                        break;
                    }
                }
                parts.push(Part::Choice(choices));
            }
            '{' => {
                let rest = &letters[*at + 1..];
                let length = rest.iter().position(|letter| *letter == '}').unwrap_or(99);
                let name: String = rest.iter().take(length).collect();
                let is_slot = length <= 5
                    && name
                        .chars()
                        .all(|letter| letter.is_ascii_alphabetic() || letter == ':');
                if is_slot && !name.is_empty() {
                    parts.push(Part::Text(std::mem::take(&mut text)));
                    parts.push(Part::Slot(name));
                    *at += length + 2;
                } else {
                    text.push('{');
                    *at += 1;
                }
            }
            _ => {
                text.push(letter);
                *at += 1;
            }
        }
    }
    parts.push(Part::Text(text));
    parts
}

/// Hands the pieces of one sentence to `take`: texts, and slots.
pub fn expand(parts: &[Part], random: &mut Random, take: &mut dyn FnMut(&str, bool, &mut Random)) {
    for part in parts {
        match part {
            Part::Text(text) => take(text, false, random),
            Part::Slot(slot) => take(slot, true, random),
            Part::Choice(choices) => {
                let index = random.below(choices.len());
                expand(&choices[index], random, take);
            }
        }
    }
}
