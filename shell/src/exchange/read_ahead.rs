//! Lets idle cores read the texts of a large request while it is masked.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use engine::{Recall, Request};
use tokio::sync::OwnedSemaphorePermit;

use crate::base::panics::contain;

/// About how long it takes to mask a KiB of texts that are all remembered.
const KNOWN_PACE: Duration = Duration::from_micros(5);

/// Masks a request of so many bytes while helpers, one for each permit, read parts of it into the cache of findings. Masking
/// finds there what they were faster to read, and reads the rest itself. So their number changes nothing but the time.
///
/// They begin when a history that is known would be masked, since they can only help with what is new.
pub(super) fn mask_helped<T>(
    helpers: Vec<OwnedSemaphorePermit>,
    bytes: usize,
    request: &Request,
    memory: &(impl Recall + Sync),
    mask: impl FnOnce() -> T,
) -> T {
    let readers = helpers.len() + 1;
    let known = KNOWN_PACE.saturating_mul(u32::try_from(bytes >> 10).unwrap_or(u32::MAX));
    let is_masked = AtomicBool::new(false);
    let goes_on = || !is_masked.load(Ordering::Relaxed);
    thread::scope(|scope| {
        let helpers = (1..).zip(helpers).filter_map(|(reader, permit)| {
            let goes_on = &goes_on;
            let read = move || {
                thread::park_timeout(known);
                // What a helper does not read, masking reads: nothing is lost with it.
                let read = || request.read_ahead((reader, readers), memory, goes_on);
                let _ = goes_on().then(|| contain(read));
                drop(permit);
            };
            thread::Builder::new().spawn_scoped(scope, read).ok()
        });
        let helpers: Vec<_> = helpers.collect();
        let masked = mask();
        is_masked.store(true, Ordering::Relaxed);
        for helper in helpers {
            helper.thread().unpark();
        }
        masked
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Instant;

    use engine::{Engine, NoMemory, Schema, Settings};
    use tokio::sync::Semaphore;

    use super::*;

    #[test]
    fn masking_does_not_wait_for_unstarted_helpers() {
        const BYTES: usize = 1 << 30;
        let request = Engine::new(Settings::default()).request(Schema::ChatStyle, b"{}".to_vec());
        let permit = Arc::new(Semaphore::new(1)).try_acquire_owned().unwrap();
        let began = Instant::now();
        let masked = mask_helped(vec![permit], BYTES, &request.unwrap(), &NoMemory, || 7);
        assert_eq!(masked, 7);
        assert!(
            began.elapsed() < Duration::from_secs(2),
            "5 s would be waited"
        );
    }
}
