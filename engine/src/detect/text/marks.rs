//! Remembers what a pass has read, so that nothing is read twice or skipped.

mod attempts;
mod last_name;
mod manifests;
mod tables;

use crate::detect::bytes;
use std::ops::Range;

pub(in crate::detect) use attempts::Attempts;
pub(in crate::detect) use last_name::LastName;
pub(in crate::detect) use manifests::Manifests;
pub(in crate::detect) use tables::{Column, Kind, Seen, Style};

/// What was read so far, as far as something needs it later.
#[derive(Debug, Default)]
pub(in crate::detect) struct Marks {
    /// Digit runs before this position belong to a number that was examined.
    pub(in crate::detect) numbers_until: usize,
    /// The last run of letters and signs of an IPv6 address.
    pub(in crate::detect) address: Range<usize>,
    pub(in crate::detect) last_name: LastName,
    /// The last value that was found near a name.
    pub(in crate::detect) nearby_value: Range<usize>,
    /// The last value that was judged no secret.
    pub(in crate::detect) rejected: Range<usize>,
    pub(in crate::detect) attempts: Attempts,
    /// Where the last block of a key ends.
    pub(in crate::detect) blocks_until: usize,
    /// Where the last certificate or public key ends.
    pub(in crate::detect) public_until: usize,
    /// Where the last list of codes ends.
    pub(in crate::detect) codes_until: usize,
    /// The cookies of the last header.
    pub(in crate::detect) cookies: Range<usize>,
    pub(in crate::detect) manifests: Manifests,
    pub(in crate::detect) tables: Seen,
    pub(in crate::detect) personal_tables: Seen,
    /// The last password of a URL.
    pub(in crate::detect) url_password: Range<usize>,
    /// The last object with a web key.
    pub(in crate::detect) web_key: Range<usize>,
    /// The header of the last token in three parts, and where the token ends.
    pub(in crate::detect) token_end: (usize, Option<usize>),
    /// Base64 of a key.
    pub(in crate::detect) encoded_key: Run,
    /// A credential of a header.
    pub(in crate::detect) credential: Run,
    /// The characters of cookies.
    pub(in crate::detect) cookie: Run,
    /// A part of a token in three parts.
    pub(in crate::detect) token_part: Run,
    /// A key with its prefix.
    pub(in crate::detect) key: Run,
    /// A URL with signs that have to be escaped.
    pub(in crate::detect) loose_url: Run,
}

/// A run of bytes of one kind, which is read once, wherever it is needed.
#[derive(Debug, Default)]
pub(in crate::detect) struct Run(Range<usize>);

impl Run {
    /// Where the run from `start` on ends, of at most `limit` bytes.
    pub(in crate::detect) fn end(
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
