//! File descriptors: how many this process may have, and how many clients that is enough for.

use std::fs;

use rustix::process::{Resource, getrlimit, setrlimit};

/// How many are open when the system does not tell.
const USUALLY_OPEN: usize = 32;

/// Kept free for names that are looked up, files that are opened anew and a configuration that takes over.
const RESERVE: usize = 12;

/// Raises the limit as far as the system allows without asking.
pub(crate) fn raise_limit() {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    // What was allowed before still is.
    let _ = setrlimit(Resource::Nofile, limit);
}

/// How many clients may be connected, each of which needs so many descriptors, so that some are left for
/// what is done on their behalf. At least one.
pub(crate) fn clients(for_each: usize) -> usize {
    let Some(limit) = limit() else {
        return usize::MAX;
    };
    enough_for(limit, open().unwrap_or(USUALLY_OPEN), for_each)
}

fn enough_for(limit: usize, open: usize, for_each: usize) -> usize {
    let free = limit.saturating_sub(open).saturating_sub(RESERVE);
    (free / for_each.max(1)).max(1)
}

/// How many may be open; `None` without a limit.
pub(crate) fn limit() -> Option<usize> {
    let limit = getrlimit(Resource::Nofile).current?;
    Some(usize::try_from(limit).unwrap_or(usize::MAX))
}

/// How many are open now.
pub(crate) fn open() -> Option<usize> {
    Some(fs::read_dir("/dev/fd").ok()?.count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_room_for_a_client_and_what_it_asks_for() {
        assert_eq!(enough_for(64, 22, 2), 15);
        assert_eq!(enough_for(1 << 20, 22, 2), 524_271);
        assert_eq!(enough_for(16, 22, 2), 1);
        assert!(clients(2) >= 1);
    }
}
