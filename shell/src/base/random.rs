//! Random bytes from the system.

use std::cell::RefCell;

/// Random bytes from a buffer of 4 KB, because two ids per request are not worth two system calls.
pub(crate) fn bytes<const N: usize>() -> [u8; N] {
    const SIZE: usize = 4096;
    thread_local! {
        static STORE: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    }
    STORE.with_borrow_mut(|store| {
        if store.len() < N {
            store.resize(SIZE, 0);
            #[expect(
                clippy::expect_used,
                reason = "without randomness no id may be given out"
            )]
            getrandom::fill(store).expect("the system gives random bytes");
        }
        let rest = store.len() - N;
        let bytes = store
            .get(rest..)
            .and_then(|bytes| bytes.try_into().ok())
            .unwrap_or([0; N]);
        store.truncate(rest);
        bytes
    })
}
