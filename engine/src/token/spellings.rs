//! How a request spells the values that begin strings of JSON in its texts.

use std::collections::BTreeMap;

use crate::Sensitive;

/// What stands between the quotes for the values of tokens, by their cores.
pub(crate) type Spellings = BTreeMap<String, Sensitive<String>>;
