//! The names of sessions and requests, whose they are, and the sessions that last.
//!
//! ```text
//! identity     which session a request belongs to: named, by credential, by conversation, its own
//! candidates   the sessions that a request may be masked with, and when each is safe
//! histories    which session continues history that the provider holds
//! sessions     loads it from the vault, saves what masking added, repeats on conflict
//! secret       whether all instances derive the same ids
//! hot          keeps it as it was opened, so that its next request need not open it again
//! continuation what a later request can name the reply by
//! ```

mod candidates;
mod continuation;
mod histories;
mod history_lookup;
mod hot;
mod id;
mod identity;
mod owner;
mod queue;
mod remembered;
pub(crate) mod secret;
mod sessions;
mod signed;

pub(crate) use candidates::{Place, SessionCandidates, SessionChoice, UnsavedStart};
pub(crate) use continuation::ReplyLinks;
pub(crate) use id::{RequestId, SessionId, SessionSource};
pub(crate) use identity::{HistoryOwner, Identity};
pub(crate) use owner::{Caller, Owner, OwnerKey, PeerCertificate};
pub(crate) use remembered::Remembered;
pub(crate) use sessions::{Held, Saved, Sessions, StorageSettings};
pub(crate) use signed::SignedBlocks;
