//! Tokens back to values, in whole texts and in texts that arrive in pieces.

mod held;
mod text;
mod tokens;

pub(crate) use held::HeldText;
pub(crate) use text::{Context, Restored, restore_text};
pub(crate) use tokens::Tokens;
