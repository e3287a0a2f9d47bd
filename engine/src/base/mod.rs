//! Helpers that every other module may use, and that use none of them.

pub(crate) mod bits;
mod glob;
mod sensitive;
pub(crate) mod utf8;
pub(crate) mod word_list;

pub use glob::Glob;
pub use sensitive::{Sensitive, Wipe};
