//! Values to tokens.

mod recurring;
mod request;
mod text;
mod walk;

pub(crate) use request::walk_request;
pub(crate) use text::Masking;
pub(crate) use walk::{TextWalk, Texts};
