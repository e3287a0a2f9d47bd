//! Remembers what a pass has read, so that nothing is read twice or skipped.

mod attempts;
mod last_name;
mod manifests;
mod tables;

use super::bytes;
use std::ops::Range;

pub(super) use attempts::Attempts;
pub(super) use last_name::LastName;
pub(super) use manifests::Manifests;
pub(super) use tables::{Column, Kind, Seen, Style};

/// What was read so far, as far as something needs it later.
#[derive(Debug, Default)]
pub(super) struct Marks {
    /// Digit runs before this position belong to a number that was examined.
    pub(super) numbers_until: usize,
    /// The last run of letters and signs of an IPv6 address.
    pub(super) address: Range<usize>,
    pub(super) last_name: LastName,
    /// The last value that was found near a name.
    pub(super) nearby_value: Range<usize>,
    /// The last value that was judged no secret.
    pub(super) rejected: Range<usize>,
    pub(super) attempts: Attempts,
    /// Where the last block of a key ends.
    pub(super) blocks_until: usize,
    /// Where the last certificate or public key ends.
    pub(super) public_until: usize,
    /// Where the last list of codes ends.
    pub(super) codes_until: usize,
    /// The cookies of the last header.
    pub(super) cookies: Range<usize>,
    pub(super) manifests: Manifests,
    pub(super) tables: Seen,
    pub(super) personal_tables: Seen,
    /// The last password of a URL.
    pub(super) url_password: Range<usize>,
    /// The last object with a web key.
    pub(super) web_key: Range<usize>,
    /// The header of the last token in three parts, and where the token ends.
    pub(super) token_end: (usize, Option<usize>),
    /// Base64 of a key.
    pub(super) encoded_key: Run,
    /// A credential of a header.
    pub(super) credential: Run,
    /// The characters of cookies.
    pub(super) cookie: Run,
    /// A part of a token in three parts.
    pub(super) token_part: Run,
    /// A key with its prefix.
    pub(super) key: Run,
    /// A URL with signs that have to be escaped.
    pub(super) loose_url: Run,
}

/// A run of bytes of one kind, which is read once, wherever it is needed.
#[derive(Debug, Default)]
pub(super) struct Run(Range<usize>);

impl Run {
    /// Where the run from `start` on ends, of at most `limit` bytes.
    pub(super) fn end(
        &mut self,
        text: &[u8],
        start: usize,
        limit: usize,
        belongs: impl Fn(u8) -> bool,
    ) -> usize {
        let known = &mut self.0;
        if !(known.start..=known.end).contains(&start) {
            *known = start..start;
        }
        let until = start + limit;
        if known.end < until {
            known.end += bytes::run(text, known.end, until - known.end, belongs);
        }
        known.end.min(until)
    }
}
