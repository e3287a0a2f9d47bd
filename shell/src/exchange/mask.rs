//! Masking a request: at once when it is small, off the reactor when it is large.

use std::sync::Arc;
use std::time::{Duration, Instant};

use engine::{Masked, Schema, Session};

use super::context::Shared;
use crate::error::Fault;
use crate::session::Owner;

/// Bodies up to this size are masked where they were read: it takes less than a millisecond.
const INLINE_BYTES: usize = 64 << 10;

/// What is masked of a request.
#[derive(Debug)]
pub(super) struct Unmasked {
    pub(super) schema: Schema,
    pub(super) body: Vec<u8>,
    pub(super) metadata: Option<String>,
    pub(super) owner: Owner,
}

/// Masks a request; also tells how long that took.
///
/// # Errors
/// The engine's, as a fault.
pub(super) async fn mask(
    shared: &Arc<Shared>,
    unmasked: Unmasked,
) -> Result<(Masked, Duration), Fault> {
    if unmasked.body.len() <= INLINE_BYTES {
        return mask_here(shared, unmasked);
    }
    let Ok(place) = Arc::clone(&shared.masking).acquire_owned().await else {
        return Err(Fault::MaskingStopped);
    };
    let shared = Arc::clone(shared);
    tokio::task::spawn_blocking(move || {
        let masked = mask_here(&shared, unmasked);
        drop(place);
        masked
    })
    .await
    .unwrap_or(Err(Fault::MaskingStopped))
}

fn mask_here(shared: &Shared, unmasked: Unmasked) -> Result<(Masked, Duration), Fault> {
    let began = Instant::now();
    let mut request = shared.engine.request(unmasked.schema, unmasked.body)?;
    if let Some(metadata) = &unmasked.metadata {
        request = request.with_metadata_header(metadata);
    }
    let known = shared.signed_blocks.of(unmasked.owner);
    let masked = request.mask(&mut Session::new(), &known)?;
    Ok((masked, began.elapsed()))
}
