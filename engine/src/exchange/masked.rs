//! The result of masking a request.

use std::sync::Arc;

use super::Restoring;
use super::multipart::Multipart;
use crate::MaskSummary;

/// A masked request and what is needed for its reply.
#[derive(Debug)]
pub struct Masked {
    /// What is sent to the provider.
    pub body: MaskedBody,
    /// The metadata header to send instead of the client's, one line of ASCII.
    pub metadata_header: Option<String>,
    /// The query to send instead of the client's, where a value in it was masked.
    pub query: Option<String>,
    /// Counts for audit and metrics.
    pub summary: MaskSummary,
    /// Restores the reply.
    pub restoring: Restoring,
}

/// A request body that holds no detected value. Only the engine can make one.
pub struct MaskedBody(Bytes);

enum Bytes {
    /// Nothing was found, so the bytes are the client's own.
    Kept(Arc<String>),
    KeptForm(Arc<Multipart>),
    Edited(Vec<u8>),
}

impl MaskedBody {
    pub(super) fn kept(body: Arc<String>) -> Self {
        Self(Bytes::Kept(body))
    }

    pub(super) fn kept_form(form: Arc<Multipart>) -> Self {
        Self(Bytes::KeptForm(form))
    }

    pub(super) fn edited(body: Vec<u8>) -> Self {
        Self(Bytes::Edited(body))
    }

    /// The bytes to send. They are not copied once the [`Request`](super::Request) is gone.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        match self.0 {
            Bytes::Kept(body) => Arc::unwrap_or_clone(body).into_bytes(),
            Bytes::KeptForm(form) => match Arc::try_unwrap(form) {
                Ok(form) => form.into_bytes(),
                Err(form) => form.bytes().to_vec(),
            },
            Bytes::Edited(body) => body,
        }
    }

    /// The bytes that are sent.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        match &self.0 {
            Bytes::Kept(body) => body.as_bytes(),
            Bytes::KeptForm(form) => form.bytes(),
            Bytes::Edited(body) => body,
        }
    }

    /// How many bytes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.as_bytes().len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl std::fmt::Debug for MaskedBody {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "MaskedBody({} bytes)", self.len())
    }
}
