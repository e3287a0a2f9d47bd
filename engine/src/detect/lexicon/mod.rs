//! Classifies names by their words, and values by their characters, without their surroundings.

pub(super) mod labels;
pub(super) mod name;
pub(super) mod placeholder;
pub(super) mod predicates;
pub(super) mod public;
pub(super) mod technical;
pub(super) mod value_class;
pub(super) mod vocabulary;
mod words;
