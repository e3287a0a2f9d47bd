//! Stops an instance that runs too long, or whose client is gone.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use wasmtime::Engine;

/// How long an instance has to notice each interruption.
const PATIENCE: Duration = Duration::from_millis(1);

/// Stops its instance when dropped, unless that is done by then.
pub(super) struct Stop {
    engine: Engine,
    asked: Arc<AtomicBool>,
    done: Arc<AtomicBool>,
}

/// The instance's end. Done when all of them are dropped.
#[derive(Clone)]
pub(super) struct Stopping {
    asked: Arc<AtomicBool>,
    _done: Arc<Done>,
}

struct Done(Arc<AtomicBool>);

impl Drop for Done {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

impl Stop {
    pub(super) fn of(engine: &Engine) -> (Self, Stopping) {
        let asked = Arc::<AtomicBool>::default();
        let done = Arc::<AtomicBool>::default();
        let stopping = Stopping {
            asked: Arc::clone(&asked),
            _done: Arc::new(Done(Arc::clone(&done))),
        };
        let engine = engine.clone();
        let stop = Self {
            engine,
            asked,
            done,
        };
        (stop, stopping)
    }
}

impl Stopping {
    pub(super) fn is_asked(&self) -> bool {
        self.asked.load(Ordering::Acquire)
    }
}

impl Drop for Stop {
    fn drop(&mut self) {
        if self.done.load(Ordering::Acquire) {
            return;
        }
        self.asked.store(true, Ordering::Release);
        self.engine.increment_epoch();
        let engine = self.engine.clone();
        let done = Arc::clone(&self.done);
        // An instance that was interrupted for another one just now sets its next deadline after
        // this one, and would not notice. So the interruption is repeated until it does.
        let tell = move || {
            while !done.load(Ordering::Acquire) {
                thread::sleep(PATIENCE);
                engine.increment_epoch();
            }
        };
        let thread = thread::Builder::new().name("stop".to_owned()).spawn(tell);
        if let Err(error) = thread {
            tracing::error!(kind = %error.kind(), "a plug-in that runs for too long may not stop");
        }
    }
}
