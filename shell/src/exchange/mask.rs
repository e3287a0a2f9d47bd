//! Masking a request.

use std::sync::Arc;
use std::time::{Duration, Instant};

use engine::{Masked, Schema, Session};

use super::context::Shared;
use crate::error::Fault;
use crate::session::Owner;

/// What is masked of a request.
#[derive(Debug)]
pub(super) struct Unmasked {
    pub(super) schema: Schema,
    pub(super) body: Vec<u8>,
    pub(super) metadata: Option<String>,
    pub(super) owner: Owner,
}

impl Unmasked {
    /// Masks the request; also tells how long that took.
    ///
    /// # Errors
    /// The engine's, as a fault.
    pub(super) async fn mask(self, shared: &Arc<Shared>) -> Result<(Masked, Duration), Fault> {
        let bytes = self.body.len();
        let of_work = Arc::clone(shared);
        shared
            .heavy
            .run(bytes, move || self.mask_here(&of_work))
            .await?
    }

    fn mask_here(self, shared: &Shared) -> Result<(Masked, Duration), Fault> {
        let began = Instant::now();
        let mut request = shared.engine.request(self.schema, self.body)?;
        if let Some(metadata) = &self.metadata {
            request = request.with_metadata_header(metadata);
        }
        let known = shared.signed_blocks.of(self.owner);
        let masked = request.mask(&mut Session::new(), &known)?;
        Ok((masked, began.elapsed()))
    }
}
