//! The texts of a request as the host's detectors see them, and their findings.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use crate::history::SignedBlock;
use crate::json::{Edit, Nesting};
use crate::mask::{TakesBack, Texts};
use crate::{Detection, Detectors, Session};

/// A longer name is ignored. This limits the size of the names of many short texts.
const LONGEST_NAME: usize = 256;

/// The plain texts of a request, in prompt order, each one once; and the host's findings in them.
///
/// JSON inside a text is split: its strings, numbers and member names are separate texts.
#[derive(Clone, Default)]
pub struct Leaves {
    /// All texts and names, concatenated.
    content: String,
    places: Vec<Place>,
    /// The leaves sorted by text and name.
    sorted: Vec<usize>,
    found: BTreeMap<usize, Vec<Detection>>,
}

/// The place of a leaf in the content.
#[derive(Clone)]
struct Place {
    text: Range<usize>,
    name: Option<Range<usize>>,
}

/// A plain text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Leaf<'a> {
    /// The decoded text.
    pub text: &'a str,
    /// What the text is assigned to: the JSON key, environment name or command-line flag next to
    /// it.
    pub name: Option<&'a str>,
}

impl fmt::Debug for Leaf<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Leaf({} bytes)", self.text.len())
    }
}

impl fmt::Debug for Leaves {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found: usize = self.found.values().map(Vec::len).sum();
        write!(f, "Leaves({} texts, {found} found)", self.len())
    }
}

/// A detection that is empty, ends outside of its text or cuts a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidSpan;

impl fmt::Display for InvalidSpan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a detection is empty, ends outside of its text or cuts a character")
    }
}

impl std::error::Error for InvalidSpan {}

impl Leaves {
    /// How many texts there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The texts, in prompt order.
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Leaf<'_>> {
        self.places.iter().map(|place| self.at(place))
    }

    /// The text of this index.
    #[must_use]
    pub fn get(&self, leaf: usize) -> Option<Leaf<'_>> {
        self.places.get(leaf).map(|place| self.at(place))
    }

    /// Adds what the host found in a text.
    ///
    /// # Errors
    /// [`InvalidSpan`] when there is no such text, or the detection is none of its parts.
    pub fn add(&mut self, leaf: usize, detection: Detection) -> Result<(), InvalidSpan> {
        let text = self.get(leaf).ok_or(InvalidSpan)?.text;
        let value = text.get(detection.start..detection.end);
        if value.is_none_or(str::is_empty) {
            return Err(InvalidSpan);
        }
        self.found.entry(leaf).or_default().push(detection);
        Ok(())
    }

    /// Appends the findings in a text, except for allowed values; `false` if the text is not one of
    /// these.
    pub(crate) fn add_to(
        &self,
        text: &str,
        name: Option<&str>,
        detectors: &Detectors,
        found: &mut Vec<Detection>,
    ) -> bool {
        if text.is_empty() {
            return true;
        }
        let wanted = Leaf {
            text,
            name: short(name),
        };
        let place = self
            .sorted
            .binary_search_by(|index| compare(self.leaf(*index), wanted));
        let Some(index) = place.ok().and_then(|place| self.sorted.get(place)) else {
            return false;
        };
        let of_host = self.found.get(index).into_iter().flatten();
        let admitted = of_host.filter(|detection| detectors.admits(text, detection));
        found.extend(admitted.cloned());
        true
    }

    fn leaf(&self, index: usize) -> Leaf<'_> {
        let nothing = Leaf {
            text: "",
            name: None,
        };
        self.get(index).unwrap_or(nothing)
    }

    fn at(&self, place: &Place) -> Leaf<'_> {
        let content = |range: &Range<usize>| self.content.get(range.clone()).unwrap_or_default();
        Leaf {
            text: content(&place.text),
            name: place.name.as_ref().map(content),
        }
    }
}

/// By text, then by name.
fn compare(a: Leaf<'_>, b: Leaf<'_>) -> Ordering {
    (a.text, a.name).cmp(&(b.text, b.name))
}

fn short(name: Option<&str>) -> Option<&str> {
    name.filter(|name| name.len() <= LONGEST_NAME)
}

/// Collects the texts of a request.
#[derive(Default)]
pub(crate) struct Collecting {
    leaves: Leaves,
    /// Holds the tokens of signed texts, to see which of them agree.
    session: Session,
}

impl Collecting {
    /// The texts, each once.
    pub(crate) fn leaves(self) -> Leaves {
        let mut all = self.leaves;
        let mut sorted: Vec<usize> = (0..all.len()).collect();
        // Stable: of equal ones the first comes first.
        sorted.sort_by(|a, b| compare(all.leaf(*a), all.leaf(*b)));
        let mut kept = vec![true; all.len()];
        for pair in sorted.windows(2) {
            if let [one, next] = pair
                && all.leaf(*one) == all.leaf(*next)
                && let Some(kept) = kept.get_mut(*next)
            {
                *kept = false;
            }
        }
        let mut next = 0;
        let renumbered: Vec<Option<usize>> = kept
            .iter()
            .map(|kept| {
                next += usize::from(*kept);
                kept.then(|| next - 1)
            })
            .collect();
        let new_index = |old: usize| renumbered.get(old).copied().flatten();
        all.sorted = sorted.into_iter().filter_map(new_index).collect();
        let mut kept = kept.into_iter();
        all.places.retain(|_| kept.next().unwrap_or_default());
        all
    }

    fn keep(&mut self, content: &str) -> Range<usize> {
        let start = self.leaves.content.len();
        self.leaves.content.push_str(content);
        start..self.leaves.content.len()
    }

    /// Names of neighbours are often the same.
    fn keep_name(&mut self, name: &str) -> Range<usize> {
        let last = self.leaves.places.last();
        let last = last.and_then(|place| place.name.clone());
        match last {
            Some(last) if self.leaves.content.get(last.clone()) == Some(name) => last,
            _ => self.keep(name),
        }
    }
}

impl Texts for Collecting {
    fn plain(&mut self, text: &str, name: Option<&str>, _: Nesting) -> Vec<Edit> {
        if !text.is_empty() {
            let name = short(name).map(|name| self.keep_name(name));
            let text = self.keep(text);
            self.leaves.places.push(Place { text, name });
        }
        Vec::new()
    }
}

impl TakesBack for Collecting {
    fn takes_back(&mut self, block: &SignedBlock) -> bool {
        self.session.adopt_all(block.mappings())
    }
}
