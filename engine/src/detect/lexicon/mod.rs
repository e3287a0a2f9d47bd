//! What the words of a name say, and what kind of value a text is. Given names and values alone, without their surroundings.

pub(super) mod name;
pub(super) mod placeholder;
pub(super) mod public;
pub(super) mod technical;
pub(super) mod value_class;
pub(super) mod vocabulary;
mod words;
