//! Values that are identified by their own shape, or by a word next to them.

pub(super) mod address;
mod date;
pub(super) mod hl7;
pub(super) mod ids;
mod key;
mod wallet;
