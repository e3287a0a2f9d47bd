//! The compiled records of `rules/forms`: commands and calls with secrets, and what surrounds
//! values.

/// A command as the scan finds it, and where its arguments contain a secret.
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are fields of the records"
)]
pub(super) struct Command {
    /// The words that it begins with, in lower case.
    pub(super) words: &'static str,
    /// What the scan searches for: the words, followed by a space if they are short.
    pub(super) literal: &'static str,
    /// Options whose value is the next argument, or what follows `=`.
    pub(super) options: &'static [&'static str],
    /// What the value follows in the same argument: `-pvalue`.
    pub(super) joined: &'static [&'static str],
    /// Which argument is the value, counted from one without options; 0 for none.
    pub(super) argument: u8,
    /// Letters of short options, or a long option, without which no argument is a value.
    pub(super) switch: &'static str,
    /// The sign in the argument that the value follows; 0 for none.
    pub(super) after: u8,
    /// The sign in the argument that the value ends before; 0 for none.
    pub(super) until: u8,
    /// The value is the first argument after one that begins with this sign; 0 for none.
    pub(super) behind: u8,
    /// Options begin with a slash.
    pub(super) slash: bool,
    /// The value may come from a pipe or `<<<`.
    pub(super) stdin: bool,
    /// The value is what it prints.
    pub(super) prints: bool,
    /// Only when another argument is the name of a secret.
    pub(super) named: bool,
    /// Last words of names before the sign `after` whose values are no secrets.
    pub(super) except: &'static [&'static str],
}

/// A call as the scan finds it, and which argument is the secret.
pub(super) struct Call {
    pub(super) opening: &'static str,
    /// Counted from zero.
    pub(super) place: u8,
    /// What is opened is a map from users to their passwords, and every value a secret.
    pub(super) pairs: bool,
    /// What is kept for the users may be anything else.
    pub(super) mixed: bool,
}

include!(concat!(env!("OUT_DIR"), "/forms.rs"));
