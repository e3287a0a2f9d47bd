//! The scorer of the detectors.

pub mod baseline;
mod corpus;
pub mod report;

pub use corpus::{Corpus, Figure, Figures};
