//! The engine of maskproxy.

#![forbid(unsafe_code)]

pub mod detect;
mod entity;
mod sensitive;

pub use detect::{Detection, Detectors, Score};
pub use entity::{EntityType, InvalidEntityType};
pub use sensitive::Sensitive;
