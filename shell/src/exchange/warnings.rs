//! Warnings that are worth one line, not one for every request.

use std::array;
use std::sync::atomic::{AtomicBool, Ordering};

use engine::route::ModelCall;

/// What was warned of already.
#[derive(Debug)]
pub(super) struct Warnings {
    unmasked: [AtomicBool; ModelCall::COUNT],
}

impl Default for Warnings {
    fn default() -> Self {
        Self {
            unmasked: array::from_fn(|_| AtomicBool::default()),
        }
    }
}

impl Warnings {
    /// A request that looks like a call of a model is forwarded unmasked. Names the path's end only:
    /// the rest of it could hold anything.
    pub(super) fn unmasked(&self, call: ModelCall) {
        let Some(warned) = self.unmasked.get(call.index()) else {
            return;
        };
        if !warned.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                "a request to a path that ends in '{}' was forwarded unmasked: it is not in \
                 proxy.routes, and proxy.passthrough_unknown is true",
                call.ending()
            );
        }
    }
}
