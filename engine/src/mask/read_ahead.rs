//! Reads texts of a request into the cache of findings, before masking gets to them.

use super::quiet::{self, Remembered};
use super::{TakesBack, Texts, findings};
use crate::history::SignedBlock;
use crate::json::{Edit, Nesting};
use crate::schema::RequestLeaf;
use crate::{Detectors, Findings};

/// How many bytes of texts one reader reads on end, before it leaves as many to each of the others.
const BLOCK: usize = 16 << 10;

/// One of several readers that read the texts of a request at the same time. The first one is who masks: it reads all, and
/// finds in the cache what the others were faster to read.
pub(crate) struct ReadAhead<'a> {
    detectors: &'a Detectors,
    findings: &'a dyn Findings,
    /// Which of the readers it is, of how many.
    reader: usize,
    readers: usize,
    goes_on: &'a dyn Fn() -> bool,
    /// How many bytes of texts were passed.
    passed: usize,
    may_hold_files: bool,
}

impl<'a> ReadAhead<'a> {
    pub(crate) fn new(
        detectors: &'a Detectors,
        findings: &'a dyn Findings,
        (reader, readers): (usize, usize),
        goes_on: &'a dyn Fn() -> bool,
    ) -> Self {
        Self {
            detectors,
            findings,
            reader,
            readers: readers.max(1),
            goes_on,
            passed: 0,
            may_hold_files: false,
        }
    }
}

impl Texts for ReadAhead<'_> {
    fn pass(&mut self, leaf: RequestLeaf<'_>, _: &mut Vec<Edit>) -> bool {
        let remembered = quiet::remembered(self.findings, leaf);
        matches!(remembered, Some(Remembered::Quiet(_)))
    }

    fn plain(&mut self, text: &str, name: Option<&str>, _: Nesting) -> Vec<Edit> {
        let is_own = self.passed / BLOCK % self.readers == self.reader;
        self.passed += text.len();
        self.may_hold_files = is_own && (self.goes_on)() && {
            let found = &mut Vec::new();
            let findings = Some(self.findings);
            let (holds, _) = findings::detect(self.detectors, findings, text, name, found);
            holds.files
        };
        Vec::new()
    }

    fn may_hold_files(&self) -> bool {
        self.may_hold_files
    }
}

impl TakesBack for ReadAhead<'_> {
    /// Signed texts are left to who masks.
    fn takes_back(&mut self, _: &SignedBlock) -> bool {
        false
    }
}
