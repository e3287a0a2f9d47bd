//! Values to tokens.

mod locating;
mod parts;
mod recurring;
mod request;
mod text;
mod walk;

pub(crate) use locating::Locating;
pub(crate) use parts::Spelling;
pub(crate) use request::{edits_of_request, walk_request};
pub(crate) use text::Masking;
pub(crate) use walk::{TextWalk, Texts};
