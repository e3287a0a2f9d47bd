//! Plausible values for operator `surrogate`.
//!
//! A surrogate is derived from the value with a key, so that nobody can repeat it without the key.
//! It stands for nothing real: `example` domains, numbers reserved for fiction, test cards,
//! accounts of no bank. The session decides which candidate is free.

mod card;
mod contact;
mod date;
mod draw;
mod iban;
mod names;
mod person;
mod phone;
mod place;

pub(crate) use draw::KeyedSequence;
pub(crate) use names::NameLanguage;
pub(crate) use person::{Piece, Shape, pieces, standard};
pub(crate) use place::{is_part, stands_apart};

use crate::{EntityType, Sensitive};

/// How many candidates are tried for a value.
pub(crate) const ATTEMPTS: u32 = 48;

/// No surrogate is shorter.
pub(crate) const SHORTEST: usize = 3;

/// No surrogate is longer.
pub(crate) const LONGEST: usize = 48;

/// The most surrogates in a session, so that the names do not run out.
pub(crate) const MOST: usize = 4096;

/// Which values get surrogates, and the key that these are drawn with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Surrogates {
    key: Sensitive<Vec<u8>>,
    types: Vec<EntityType>,
}

/// A type that has no surrogates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoSurrogate(pub EntityType);

impl Surrogates {
    /// The types that have surrogates. Every other keeps its tokens.
    pub const TYPES: [EntityType; 8] = [
        EntityType::PERSON,
        EntityType::EMAIL,
        EntityType::PHONE,
        EntityType::IBAN,
        EntityType::CREDIT_CARD,
        EntityType::IP_ADDRESS,
        EntityType::SSN,
        EntityType::DATE_OF_BIRTH,
    ];

    /// Surrogates for all [types](Self::TYPES) that have them. The key is of any length but empty.
    #[must_use]
    pub fn new(key: Sensitive<Vec<u8>>) -> Self {
        Self {
            key,
            types: Self::TYPES.to_vec(),
        }
    }

    /// The same for these types alone.
    ///
    /// # Errors
    /// The first type that has no surrogates.
    pub fn only(self, types: Vec<EntityType>) -> Result<Self, NoSurrogate> {
        let other = types.iter().find(|entity| !Self::TYPES.contains(entity));
        match other {
            Some(other) => Err(NoSurrogate(other.clone())),
            None => Ok(Self { types, ..self }),
        }
    }

    pub(crate) fn cover(&self, entity: &EntityType) -> bool {
        self.types.contains(entity)
    }

    pub(crate) fn key(&self) -> &[u8] {
        self.key.expose()
    }

    /// What drawings for a value begin with.
    pub(crate) fn draw(&self, entity: &EntityType, value: &str) -> KeyedSequence {
        KeyedSequence::new(self.key(), entity, value)
    }
}

/// Whether a value is written as it is read. An escape in it (`4539%201488`, `Anna&nbsp;Schmidt`) or a quote around it would
/// become a part of its surrogate.
pub(crate) fn is_plain(value: &str) -> bool {
    let encodes = |c: char| c.is_control() || matches!(c, '%' | '\\' | '&' | '"' | '<' | '>');
    let around = |c: char| c.is_whitespace() || c == '\'' || c == '`';
    !value.contains(encodes) && !value.starts_with(around) && !value.ends_with(around)
}

/// A candidate for a value that is not a person's name; `None` if its shape is unknown.
pub(crate) fn drawn(
    draw: &mut KeyedSequence,
    entity: &EntityType,
    value: &str,
    attempt: u32,
) -> Option<String> {
    let drawn = match entity.as_str() {
        "EMAIL" => contact::email(draw, value),
        "IP_ADDRESS" => contact::address(draw, value, attempt),
        "PHONE" => phone::drawn(draw, value, attempt),
        "IBAN" => iban::drawn(draw, value),
        "CREDIT_CARD" => card::drawn(draw, value),
        "SSN" => card::social_security(draw, value),
        "DATE_OF_BIRTH" => date::drawn(draw, value),
        _ => None,
    };
    drawn.filter(|drawn| drawn != value && drawn.is_ascii() && drawn.len() <= LONGEST)
}

/// A number without what groups it, as it stands in links and names of files.
pub(crate) fn ungrouped(entity: &EntityType, number: &str) -> Option<String> {
    const NUMBERS: [EntityType; 4] = [
        EntityType::CREDIT_CARD,
        EntityType::IBAN,
        EntityType::PHONE,
        EntityType::SSN,
    ];
    let belongs = |c: &char| c.is_ascii_alphanumeric() || *c == '+';
    let is_number = NUMBERS.contains(entity);
    is_number.then(|| number.chars().filter(belongs).collect())
}

/// A number that a text begins with, however it is grouped.
pub(crate) struct GroupedNumber {
    /// Its digits, and letters in lower case.
    pub(crate) signs: String,
    /// Where each of them ends.
    pub(crate) ends: Vec<usize>,
    /// Whether the text ends before the number does.
    pub(crate) is_open: bool,
}

impl GroupedNumber {
    pub(crate) fn of(text: &str) -> Self {
        const WIDEST_GAP: usize = 3;
        let mut number = Self {
            signs: String::new(),
            ends: Vec::new(),
            is_open: false,
        };
        let mut gap = 0;
        for (at, sign) in text.char_indices() {
            let leads = sign == '+' && number.signs.is_empty();
            let groups = matches!(sign, ' ' | '-' | '.' | '/' | '(' | ')' | '\u{a0}');
            if sign.is_ascii_alphanumeric() || leads {
                number.signs.push(sign.to_ascii_lowercase());
                number.ends.push(at + 1);
                gap = 0;
            } else if groups && gap < WIDEST_GAP {
                gap += 1;
            } else {
                return number;
            }
            if number.signs.len() > LONGEST {
                return number;
            }
        }
        number.is_open = true;
        number
    }
}

/// Replaces the digits of a text, whatever is between them. Remaining digits are appended; if there
/// are too few, the text ends with the last one.
fn filled(shape: &str, digits: &str) -> String {
    let mut digits = digits.chars().peekable();
    let mut out = String::with_capacity(shape.len());
    for c in shape.chars() {
        if !c.is_ascii_digit() {
            out.push(c);
            continue;
        }
        let Some(digit) = digits.next() else {
            break;
        };
        out.push(digit);
    }
    out.extend(digits);
    out.trim_end_matches(|c: char| !c.is_ascii_digit())
        .to_owned()
}

fn digits_of(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

#[cfg(test)]
mod tests;
