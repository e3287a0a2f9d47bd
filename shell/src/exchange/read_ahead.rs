//! Lets idle cores read the texts of a large request while it is masked.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use engine::{Recall, Request};
use tokio::sync::OwnedSemaphorePermit;

use crate::base::panics::contain;

/// Masks a request while helpers, one for each permit, read parts of it into the cache of findings. Masking finds there what
/// they were faster to read, and reads the rest itself. So their number changes nothing but the time.
pub(super) fn mask_helped<T>(
    helpers: Vec<OwnedSemaphorePermit>,
    request: &Request,
    memory: &(impl Recall + Sync),
    mask: impl FnOnce() -> T,
) -> T {
    let readers = helpers.len() + 1;
    let is_masked = AtomicBool::new(false);
    let goes_on = || !is_masked.load(Ordering::Relaxed);
    thread::scope(|scope| {
        for (reader, permit) in (1..).zip(helpers) {
            let goes_on = &goes_on;
            let read = move || {
                // What a helper does not read, masking reads: nothing is lost with it.
                let _ = contain(|| request.read_ahead((reader, readers), memory, goes_on));
                drop(permit);
            };
            let _ = thread::Builder::new().spawn_scoped(scope, read);
        }
        let masked = mask();
        is_masked.store(true, Ordering::Relaxed);
        masked
    })
}
