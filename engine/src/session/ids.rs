//! What stands for the first values of a session, so that it is known whether a text was searched for them before.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use crate::token::Mapping;

/// What stands for no values.
const NOTHING: u128 = 0;

/// The id of no values, of the first one, of the first two, and so on: each made of keyed digests of the values.
#[derive(Default)]
pub(super) struct Ids(Mutex<Arc<[u128]>>);

impl Ids {
    /// Those of mappings, of which none but the last were added since. `before` is the id of those in layers below.
    pub(super) fn of(
        &self,
        mappings: &[Arc<Mapping>],
        before: Option<u128>,
        digest: &dyn Fn(&Mapping) -> u128,
    ) -> Arc<[u128]> {
        let mut ids = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if ids.len() <= mappings.len() {
            *ids = extended(&ids, mappings, before, digest).into();
        }
        Arc::clone(&ids)
    }
}

/// Ids with those of further mappings.
fn extended(
    known: &[u128],
    mappings: &[Arc<Mapping>],
    before: Option<u128>,
    digest: &dyn Fn(&Mapping) -> u128,
) -> Vec<u128> {
    let mut ids = Vec::with_capacity(mappings.len() + 1);
    ids.extend_from_slice(known);
    let mut last = known.last().copied().unwrap_or_else(|| {
        ids.push(before.unwrap_or(NOTHING));
        before.unwrap_or(NOTHING)
    });
    for mapping in mappings.iter().skip(ids.len() - 1) {
        last = following(last, digest(mapping));
        ids.push(last);
    }
    ids
}

/// The id with one more value.
fn following(id: u128, digest: u128) -> u128 {
    // Any odd factor makes the order count.
    id.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)
        .wrapping_add(digest)
}

impl Clone for Ids {
    fn clone(&self) -> Self {
        let ids = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Self(Mutex::new(Arc::clone(&ids)))
    }
}

impl fmt::Debug for Ids {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Ids")
    }
}
