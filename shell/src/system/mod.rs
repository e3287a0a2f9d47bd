//! What the operating system is asked for beyond the standard library. All that needs Unix is in this folder, so that
//! another system is a port of this folder alone (`tests/tests/system.rs` holds that).

pub(crate) mod child;
pub(crate) mod cores;
pub(crate) mod descriptors;
pub(crate) mod file;
pub(crate) mod signals;
pub(crate) mod socket;
pub(crate) mod terminal;
pub(crate) mod usage;
