//! Labelled texts: what detection learns from and is scored on.
//!
//! [`names`] makes the model that finds names. [`generate`] writes records from its own tables, seeded; [`record`] reads those of a corpus,
//! [`mined`] reads real code, [`marked`] the texts of the tests; [`samples`] are what the model sees of them, [`fit`] makes the weights, [`measure`] says how
//! well they do.

pub mod fit;
pub mod generate;
pub mod ids;
pub mod marked;
pub mod measure;
pub mod mined;
pub mod names;
pub mod record;
pub mod samples;
