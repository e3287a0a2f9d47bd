//! The compiled records of `rules/ids`.

use super::own;
use crate::EntityType;
use crate::detect::bytes::at;

/// A number of one country.
pub(super) struct Number {
    pub(super) id: &'static str,
    pub(super) entity: EntityType,
    /// How it begins; anything if there are none.
    pub(super) prefixes: &'static [&'static str],
    pub(super) date: Option<Date>,
    /// All of them hold.
    pub(super) checks: &'static [Check],
    /// The countries in whose language plain digits count; empty if they need no language.
    pub(super) plain: &'static [&'static str],
}

/// The date in a number.
pub(super) struct Date {
    /// Places are counted from the first digit.
    pub(super) behind_letters: bool,
    pub(super) year: usize,
    /// Digits of the year: two or four.
    pub(super) years: usize,
    pub(super) month: usize,
    pub(super) day: usize,
    /// What may be added to a month, and to a day.
    pub(super) months: &'static [u8],
    pub(super) days: &'static [u8],
}

/// What the digits of a number add up to.
pub(super) enum Check {
    /// Each times its weight, together a multiple of `modulus`.
    Sum {
        weights: &'static [i32],
        modulus: i32,
    },
    /// By its own rule, on capital letters and digits.
    Own(fn(&[u8]) -> bool),
}

/// What follows the country and the check digits in an account number.
pub(super) struct Account {
    pub(super) country: [u8; 2],
    /// The number and kind of characters: digits (`n`), capitals (`a`) or either (`c`).
    pub(super) parts: &'static [(u8, u8)],
}

/// A word that names the value next to it.
pub(in crate::detect) struct Word {
    /// In lower case, unless its letters are outside ASCII.
    pub(in crate::detect) text: &'static str,
    /// Whether more letters may follow.
    pub(super) is_stem: bool,
    pub(in crate::detect) entity: EntityType,
    /// Index into [`FORMS`], if the word alone is ambiguous.
    form: Option<usize>,
}

impl Word {
    /// How the number is written beside the word; like any of its type if there is none.
    pub(super) fn form(&self) -> Option<&'static Form> {
        FORMS.get(self.form?)
    }
}

/// How the number of an abbreviation is written.
pub(super) struct Form {
    pub(super) layouts: &'static [&'static str],
    /// Words of which one is nearby; empty if none is needed.
    pub(super) near: &'static [&'static str],
    /// Whether nothing comes before the word in its line or part of a sentence.
    pub(super) begins: bool,
    pub(super) number: Number,
}

/// The words that begin with the byte at `index`, in any case.
pub(super) fn words_at(text: &[u8], index: usize) -> &'static [Word] {
    let first = usize::from(at(text, index).to_ascii_lowercase());
    let place = |byte: usize| FIRST.get(byte).copied().unwrap_or(0).into();
    WORDS
        .get(place(first)..place(first + 1))
        .unwrap_or_default()
}

include!(concat!(env!("OUT_DIR"), "/ids.rs"));
