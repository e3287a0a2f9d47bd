//! Replaces values with tokens.
//!
//! The texts of a request are walked in prompt order. The first pass finds values and numbers them.
//! The second finds them in other spellings, and the last replaces them, everywhere they occur.

mod assign;
mod belonging;
pub(crate) mod field;
mod find;
mod findings;
mod leaves;
mod literals;
mod locate;
mod loud;
mod masking;
mod memo;
mod parts;
mod prompt;
mod quiet;
mod read_ahead;
mod request_words;
mod respelled;
mod searched;
mod sightings;
mod summary;
mod surrogates;
mod walk;

pub use field::Field;
pub(crate) use find::{Finding, MaskRules};
pub use findings::{Findings, TextFindings, TextKind};
pub(crate) use leaves::Collecting;
pub use leaves::{InvalidSpan, Leaf, Leaves};
pub(crate) use literals::looks_like_token;
use locate::Locating;
use masking::Masking;
pub(crate) use prompt::{Located, Prompt, TakesBack};
pub(crate) use read_ahead::ReadAhead;
use respelled::Respelled;
pub use sightings::Sighting;
pub use summary::MaskSummary;
pub(crate) use walk::Texts;
