//! Operating system calls beyond the standard library. Everything that needs Unix is in this folder, so that a port to
//! another system replaces this folder alone (`tests/tests/system.rs` checks this). `windows/` is that port.

#[cfg_attr(windows, path = "windows/child.rs")]
pub(crate) mod child;
#[cfg_attr(windows, path = "windows/cores.rs")]
pub(crate) mod cores;
#[cfg_attr(windows, path = "windows/descriptors.rs")]
pub(crate) mod descriptors;
#[cfg_attr(windows, path = "windows/file.rs")]
pub(crate) mod file;
#[cfg_attr(windows, path = "windows/signals.rs")]
pub(crate) mod signals;
pub(crate) mod socket;
#[cfg_attr(windows, path = "windows/terminal.rs")]
pub(crate) mod terminal;
pub(crate) mod usage;
