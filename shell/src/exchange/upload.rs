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
    answer: Vec<u8>,
}

impl Upload {
    /// The upload that a request is, if it is one. Its answer must not be compressed.
    pub(super) fn begin(shared: &Arc<Shared>, head: &mut Parts) -> Option<Self> {
        let types = headers::content_types(&head.headers);
        if head.method != Method::POST || !is_upload(head.uri.path(), types.as_deref()) {
            return None;
        }
        let caller = Caller {
            headers: &head.headers,
            query: head.uri.query().unwrap_or_default(),
            certificate: head.extensions.get(),
            gateway_key: None,
        };
        let holder = shared.sessions.holder(caller);
        let identity = HeaderValue::from_static("identity");
        head.headers.insert(ACCEPT_ENCODING, identity);
        Some(Self {
            shared: Arc::clone(shared),
            holder,
            answer: Vec::new(),
        })
    }

    /// Reads a piece of the answer, before the client can know the file.
    pub(super) fn read(&mut self, piece: &[u8]) {
        if self.answer.len() + piece.len() > MAX_ANSWER {
            return;
        }
        self.answer.extend_from_slice(piece);
        if self.answer.trim_ascii_end().ends_with(b"}") {
            let files = uploaded_files(&self.answer);
            self.shared.sessions.know_uploads(self.holder, &files);
        }
    }
}
