//! Contains panics: a panic fails only its own exchange.
//!
//! A panic's message may quote content, so the hook reports only its place in the code.

use std::future::poll_fn;
use std::io::{self, Write as _};
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook};
use std::pin::Pin;
use std::task::Poll;
use std::thread;

/// A piece of work panicked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Panicked;

/// Reports panics by their place in the code, never by their message.
pub(crate) fn report_panics_by_place() {
    set_hook(Box::new(report));
}

fn report(panic: &PanicHookInfo<'_>) {
    let place = place_of(panic);
    // Only the main thread's panic ends the process, and its log with it.
    if thread::current().name() == Some("main") {
        let line = format!("Error: an internal error at {place}; please report it");
        // A second panic would abort the process.
        let _ = writeln!(io::stderr(), "{line}");
    } else {
        tracing::error!(place, "an internal error; please report it");
    }
}

fn place_of(panic: &PanicHookInfo<'_>) -> String {
    let place = panic.location().map(ToString::to_string);
    place.unwrap_or_else(|| "an unknown place".to_owned())
}

/// Does a piece of work. What it has changed when it panics must not be used again.
///
/// # Errors
/// [`Panicked`] when it panics.
pub(crate) fn contain<T>(work: impl FnOnce() -> T) -> Result<T, Panicked> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| Panicked)
}

/// Waits for a future, pinned by the caller: moved into this one, it would have room there twice.
///
/// # Errors
/// [`Panicked`] when it panics.
pub(crate) async fn contained<T>(
    mut future: Pin<&mut impl Future<Output = T>>,
) -> Result<T, Panicked> {
    poll_fn(|cx| match contain(|| future.as_mut().poll(cx)) {
        Ok(polled) => polled.map(Ok),
        Err(panicked) => Poll::Ready(Err(panicked)),
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::pin::pin;

    #[tokio::test]
    async fn a_panic_becomes_an_error() {
        assert_eq!(contain(|| 1), Ok(1));
        assert_eq!(contained(pin!(async { 2 })).await, Ok(2));
        let later = async {
            tokio::task::yield_now().await;
            panic!("alice@example.com")
        };
        assert_eq!(contained::<()>(pin!(later)).await, Err(Panicked));
    }

    #[test]
    fn a_panic_is_reported_by_location_without_message() {
        let (sender, places) = std::sync::mpsc::channel();
        let before = std::panic::take_hook();
        set_hook(Box::new(move |panic| {
            let _ = sender.send(place_of(panic));
        }));
        let stopped = contain(|| panic!("alice@example.com"));
        set_hook(before);
        assert_eq!(stopped, Err::<(), _>(Panicked));
        let places: Vec<_> = places.iter().collect();
        assert!(!places.is_empty() && places.iter().all(|place| !place.contains("alice")));
    }
}
