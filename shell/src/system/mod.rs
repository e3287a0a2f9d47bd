//! Operating system calls beyond the standard library. Everything that needs Unix is in this folder, so that a port to
//! another system replaces this folder alone (`tests/tests/system.rs` checks this).

pub(crate) mod child;
pub(crate) mod cores;
pub(crate) mod descriptors;
pub(crate) mod file;
pub(crate) mod signals;
pub(crate) mod socket;
pub(crate) mod terminal;
pub(crate) mod usage;
