//! The names of sessions and requests, and whose they are.

mod id;
mod owner;
mod signed;

pub(crate) use id::{RequestId, SessionId, SessionSource};
pub(crate) use owner::{Owner, OwnerKey};
pub(crate) use signed::SignedBlocks;
