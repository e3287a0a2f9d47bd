//! Values to tokens.

mod request;
mod text;

pub(crate) use request::mask_request;
pub(crate) use text::Masker;
