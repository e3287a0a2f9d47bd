//! The name that was examined last.

use std::cell::OnceCell;
use std::ops::Range;

use crate::detect::lexicon::name::Name;

/// The last examined name, which may contain several stems.
#[derive(Debug, Default)]
pub(in crate::detect) struct LastName {
    pub(in crate::detect) range: Range<usize>,
    /// Whether its value is decided.
    pub(in crate::detect) is_decided: bool,
    /// Its meaning, once it was needed.
    pub(in crate::detect) judged: OnceCell<Option<Name>>,
}

impl LastName {
    /// The next name; its meaning is known if the same name came before.
    pub(in crate::detect) fn followed_by(&self, text: &[u8], range: Range<usize>) -> Self {
        let judged = match self.judged.get() {
            Some(judged) if Name::is_same(text, &self.range, &range) => {
                let range = range.clone();
                OnceCell::from(judged.clone().map(|name| Name { range, ..name }))
            }
            _ => OnceCell::new(),
        };
        Self {
            range,
            is_decided: false,
            judged,
        }
    }
}
