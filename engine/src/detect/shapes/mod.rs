//! Values that prove themselves, or that a word beside them names.

pub(super) mod address;
mod date;
pub(super) mod ids;
mod wallet;
