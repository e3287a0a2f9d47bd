//! The compiled records of `rules/forms`: commands and calls with secrets, and what surrounds
//! values.

/// A command as the scan finds it, and where its arguments contain a secret.
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are fields of the records"
)]
pub(in crate::detect) struct Command {
    /// The words that it begins with, in lower case.
    pub(in crate::detect) words: &'static str,
    /// What the scan searches for: the words, followed by a space if they are short.
    pub(in crate::detect) literal: &'static str,
    /// Options whose value is the next argument, or what follows `=`.
    pub(in crate::detect) options: &'static [&'static str],
    /// What the value follows in the same argument: `-pvalue`.
    pub(in crate::detect) joined: &'static [&'static str],
    /// Which argument is the value, counted from one without options; 0 for none.
    pub(in crate::detect) argument: u8,
    /// Letters of short options, or a long option, without which no argument is a value.
    pub(in crate::detect) switch: &'static str,
    /// The sign in the argument that the value follows; 0 for none.
    pub(in crate::detect) after: u8,
    /// The sign in the argument that the value ends before; 0 for none.
    pub(in crate::detect) until: u8,
    /// The value is the first argument after one that begins with this sign; 0 for none.
    pub(in crate::detect) behind: u8,
    /// Options begin with a slash.
    pub(in crate::detect) slash: bool,
    /// The value may come from a pipe or `<<<`.
    pub(in crate::detect) stdin: bool,
    /// The value is what it prints.
    pub(in crate::detect) prints: bool,
    /// Only when another argument is the name of a secret.
    pub(in crate::detect) named: bool,
    /// Last words of names before the sign `after` whose values are no secrets.
    pub(in crate::detect) except: &'static [&'static str],
}

/// A call as the scan finds it, and which argument is the secret.
pub(in crate::detect) struct Call {
    pub(in crate::detect) opening: &'static str,
    /// Counted from zero.
    pub(in crate::detect) place: u8,
    /// What is opened is a map from users to their passwords, and every value a secret.
    pub(in crate::detect) pairs: bool,
    /// What is kept for the users may be anything else.
    pub(in crate::detect) mixed: bool,
}

include!(concat!(env!("OUT_DIR"), "/forms.rs"));
