//! History that a provider holds, which the filter does not know (decisions, 7.5).
//!
//! A request that leans on some gets a session whose numbers are derived: no token of that history
//! can come to mean another value. All workers derive them with one key.

use engine::{Request, Sensitive, Session};

use crate::host;

const KEY: &str = "maskproxy.history-key";

/// Makes the key that is missing, before Envoy starts the workers.
pub(crate) fn prepare() {
    if host::shared(KEY).is_none() {
        host::share(KEY, &host::random_bytes::<32>(), 0);
    }
}

/// The session for a request of this owner.
pub(crate) fn session(request: &Request, owner: &str) -> Session {
    if request.history().is_empty() {
        return Session::new();
    }
    let shared = host::shared(KEY).and_then(|(key, _)| key.try_into().ok());
    let key = Sensitive::new(shared.unwrap_or_else(host::random_bytes));
    request.history().session(&key, owner)
}
