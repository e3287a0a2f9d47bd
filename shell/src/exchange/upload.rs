//! Learns which files clients upload. They hold no tokens, so a known conversation that uses one stays known.

use std::sync::Arc;

use engine::route::is_upload;
use engine::uploaded_files;
use http::header::ACCEPT_ENCODING;
use http::request::Parts;
use http::{HeaderValue, Method};

use super::context::Shared;
use super::headers;
use crate::session::{Caller, HistoryOwner};

/// The longest answer to an upload that is read, in bytes.
const MAX_ANSWER: usize = 64 << 10;

/// An upload whose answer will name the file.
pub(super) struct Upload {
    shared: Arc<Shared>,
    holder: HistoryOwner,
    /// `None` if it is too long, or was read.
    answer: Option<Vec<u8>>,
}

impl Upload {
    /// The upload that a request is, if it is one. Its answer must not be compressed.
    pub(super) fn begin(shared: &Arc<Shared>, head: &mut Parts) -> Option<Self> {
        let types = headers::content_types(&head.headers);
        if head.method != Method::POST || !is_upload(head.uri.path(), types.as_deref()) {
            return None;
        }
        let holder = shared.sessions.holder(Caller::of(head));
        let identity = HeaderValue::from_static("identity");
        head.headers.insert(ACCEPT_ENCODING, identity);
        Some(Self {
            shared: Arc::clone(shared),
            holder,
            answer: Some(Vec::new()),
        })
    }

    /// Reads a piece of the answer.
    pub(super) fn read(&mut self, piece: &[u8]) {
        match &mut self.answer {
            Some(answer) if answer.len() + piece.len() <= MAX_ANSWER => {
                answer.extend_from_slice(piece);
            }
            answer => *answer = None,
        }
    }

    /// Remembers the file, before the client has all of the answer.
    pub(super) fn finish(&mut self) {
        if let Some(answer) = self.answer.take() {
            let files = uploaded_files(&answer);
            self.shared.sessions.know_uploads(self.holder, &files);
        }
    }
}
