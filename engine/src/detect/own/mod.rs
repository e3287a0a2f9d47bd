//! What the user looks for, and what the user allows.

mod allowed;
mod patterns;
mod terms;

pub(super) use allowed::AllowList;
pub(super) use patterns::Patterns;
pub(super) use terms::Terms;
