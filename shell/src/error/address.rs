//! The provider's address in messages.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use crate::config::{Origin, authority};

/// Every address that a connection was tried to. A configuration names few, so they are kept to the end.
static KNOWN: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());

/// Host and port of a provider, without user, path and query. It can be copied, as faults are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ProviderAddress(&'static str);

impl ProviderAddress {
    /// That of an origin.
    pub(crate) fn of(origin: &Origin) -> Self {
        let address = authority(origin.host(), origin.port());
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(address) = known.get(&*address) {
            return Self(address);
        }
        let address = String::leak(address);
        known.insert(address);
        Self(address)
    }
}

impl fmt::Display for ProviderAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_host_and_port_are_shown() {
        for (url, shown) in [
            (
                "https://ann:hunter2@api.example/v1?key=hunter3",
                "api.example:443",
            ),
            ("http://[::1]:9", "[::1]:9"),
        ] {
            let address = ProviderAddress::of(&Origin::parse(url).unwrap());
            assert_eq!(address.to_string(), shown);
            assert_eq!(address, ProviderAddress::of(&Origin::parse(url).unwrap()));
        }
    }
}
