//! The names of sessions and requests, whose they are, and the sessions that last.
//!
//! ```text
//! identity    which session a request belongs to: named, by credential, by conversation, its own
//! sessions    loads it from the vault, saves what masking added, repeats on conflict
//! hot         keeps it as it was opened, so that its next request need not open it again
//! ```

mod hot;
mod id;
mod identity;
mod owner;
mod sessions;
mod signed;
mod turns;

pub(crate) use id::{RequestId, SessionId, SessionSource};
pub(crate) use identity::Identity;
pub(crate) use owner::{CREDENTIALS, Owner, OwnerKey};
pub(crate) use sessions::{Saved, Sessions};
pub(crate) use signed::SignedBlocks;
