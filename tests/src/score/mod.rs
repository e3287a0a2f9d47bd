//! The scorer of the detectors: generated texts, available corpora, real code.

pub mod baseline;
pub mod code;
mod corpus;
mod count;
mod figures;
mod ids;
mod names;
mod pairs;
pub mod report;

pub use corpus::Corpus;
pub use figures::{Figure, Figures, Measure};

use engine::detect::names::walk::Tag;

/// How a person is labelled in the corpus of names.
const PERSON: Tag = Tag::Person;
