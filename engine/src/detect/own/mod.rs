//! The user's own terms and patterns, and what the user allows.

mod allowed;
mod folding;
mod groups;
mod patterns;
mod runs;
mod terms;

pub(super) use allowed::AllowList;
pub(super) use patterns::Patterns;
pub(super) use terms::Terms;

pub use patterns::check_pattern;
