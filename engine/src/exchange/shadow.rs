//! Finds what masking would do to a request, without changing it.

use super::Request;
use crate::MaskSummary;
use crate::mask::Prompt;
use crate::{Error, Leaves, NoMemory, Session};

impl Request {
    /// What [`mask_with`](Self::mask_with) would do in a session of its own. Nothing is kept.
    ///
    /// # Errors
    /// [`Error::ScanFailed`] when `host` is of another request.
    pub fn shadow(&self, host: Option<&Leaves>) -> Result<MaskSummary, Error> {
        let map = self.map();
        let coverage = map.coverage;
        let mut session = Session::new();
        let finding = self
            .engine
            .finding_under(self.mask_rules(), &mut session, host);
        let mut finding = finding.in_body(self.root(), self.schema);
        let (_, masking) = Prompt::new(map, self.beside(), &NoMemory, &mut finding).mask(finding);
        let (mut summary, _) = masking.finish(self.root())?;
        summary.mapping_count = session.pairs() as u64;
        summary.unread = coverage.unread();
        summary.coverage = coverage;
        Ok(summary)
    }
}
