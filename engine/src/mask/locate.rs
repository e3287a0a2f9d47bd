//! Locates the values in a body that masking replaces.

use super::parts::Parts;
use super::{Finding, Masking, Texts};
use crate::Detection;
use crate::json::{Context, Edit, Nesting};
use crate::schema::RequestLeaf;
use crate::schema::encoded::EncodedText;

/// Locates what is masked in the texts of a request, without masking them.
///
/// Its edits insert the number of a detection, which shows its place after the edits were moved
/// into the body.
pub(super) struct Locating<'a> {
    masking: Masking<'a>,
    found: Vec<Detection>,
}

impl<'a> Locating<'a> {
    pub(super) const fn new(masking: Masking<'a>) -> Self {
        Self {
            masking,
            found: Vec::new(),
        }
    }

    /// Whether masking would have to begin again.
    pub(super) fn has_learnt(&mut self) -> bool {
        self.masking.has_learnt()
    }

    pub(super) fn again(self) -> Finding<'a> {
        self.masking.again()
    }

    /// The detections at the places of the edits, in their order.
    pub(super) fn placed(&mut self, edits: &[Edit]) -> Vec<Detection> {
        let found = &mut self.found;
        let placed = edits.iter().filter_map(|edit| {
            let detection = found.get_mut(edit.text.parse::<usize>().ok()?)?;
            (detection.start, detection.end) = (edit.start, edit.end);
            Some(detection.clone())
        });
        placed.collect()
    }
}

impl Texts for Locating<'_> {
    fn enter(&mut self, part: u32, leaf: Option<usize>) {
        self.masking.enter(part, leaf);
    }

    fn pass(&mut self, leaf: RequestLeaf<'_>, edits: &mut Vec<Edit>) -> bool {
        self.masking.pass(leaf, edits)
    }

    fn plain(&mut self, text: &str, _: Option<&str>, nesting: Nesting) -> Vec<Edit> {
        let found = self.masking.detections(text, &nesting);
        let mut parts = Parts::of(text, nesting);
        for detection in &found {
            // What masking learns by it.
            self.masking
                .replace(text, detection, &mut parts, &mut Vec::new());
        }
        let first = self.found.len();
        let numbered = found.iter().enumerate().map(|(index, detection)| Edit {
            start: detection.start,
            end: detection.end,
            text: (first + index).to_string(),
        });
        let edits = numbered.collect();
        self.found.extend(found);
        edits
    }

    fn left(&mut self, text: &str) -> Vec<Edit> {
        self.plain(text, None, Nesting::new(Context::Plain, 0))
    }

    fn encoded(&self, file: &EncodedText, edits: &[Edit]) -> Vec<Edit> {
        let mut last = 0;
        let placed = edits.iter().map(|edit| {
            let place = file.place(&(edit.start..edit.end));
            let start = place.start.max(last);
            last = place.end;
            Edit {
                start,
                end: place.end,
                ..edit.clone()
            }
        });
        placed.filter(|edit| edit.start < edit.end).collect()
    }
}
