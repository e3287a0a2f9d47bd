//! How a request spells values in the JSON that its texts are.

use std::collections::BTreeMap;

use crate::Sensitive;

/// The spellings of the values of tokens, by their cores.
pub(crate) type Spellings = BTreeMap<String, Spelled>;

/// A value as it is written between the quotes of a string of JSON.
#[derive(Debug, Clone)]
pub(crate) struct Spelled {
    pub(crate) written: Sensitive<String>,
    /// Whether a string begins with it. Such a string is more likely data than a text in which values stand as they are.
    pub(crate) begins: bool,
}
