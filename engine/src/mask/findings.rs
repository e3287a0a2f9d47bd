//! A cache of detection results.

use std::fmt::Debug;
use std::sync::Arc;

use memchr::memchr;

use super::searched::{KnownText, Searches};
use crate::detect::{Backslash, without_backslashes};
use crate::schema::encoded;
use crate::session::{HeadCollector, HiddenHeads};
use crate::{Detection, Detectors, token};

/// Shorter texts without a letter, in bytes, are not remembered: numbers are many, and scanned fast.
const SHORTEST: usize = 16;

/// A cache of what texts hold, so that a history is not scanned again every turn.
///
/// The host keeps it as long as the engine's settings stay the same, and may share it among all
/// sessions: results depend only on the text, its name and its kind.
pub trait Findings: Debug + Send + Sync {
    /// Stands for a text, hard to guess and never the same for two. `name` is what the text is assigned to.
    fn digest(&self, text: &str, name: Option<&str>, kind: TextKind) -> u128;

    /// What is remembered of a text.
    fn get(&self, digest: u128) -> Option<TextFindings>;

    /// Remembers what a text holds.
    fn keep(&self, digest: u128, found: TextFindings);

    /// With it, short parts of texts are kept so that nobody can read them who does not have it.
    fn key(&self) -> u64;
}

/// What a text is that is remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TextKind {
    /// A text that is looked at as it is.
    Plain,
    /// A string of JSON as it is written, with all that it holds.
    Written,
    /// The same, of arguments of a call.
    WrittenArguments,
}

/// What was found in a text.
#[derive(Debug, Clone)]
pub struct TextFindings {
    /// The detections, unmerged and in no order.
    pub detections: Arc<[Detection]>,
    pub(crate) holds: Holds,
    pub(crate) searches: Searches,
}

impl TextFindings {
    /// About how many bytes they take.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let hidden = self.holds.hidden.as_ref();
        size_of_val(&*self.detections)
            + hidden.map_or(0, HiddenHeads::bytes)
            + self.searches.bytes()
    }
}

impl From<Vec<Detection>> for TextFindings {
    fn from(detections: Vec<Detection>) -> Self {
        Self {
            detections: detections.into(),
            holds: Holds::default(),
            searches: Searches::default(),
        }
    }
}

/// What a text may hold besides detections, so that nobody searches where there is nothing.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "four independent facts")]
pub(crate) struct Holds {
    /// [Readings](mod@crate::detect) besides the text itself.
    pub(crate) readings: bool,
    /// [Files](encoded::embedded).
    pub(crate) files: bool,
    /// What [looks like a token](token::may_hold_core).
    pub(crate) cores: bool,
    /// What values may begin with in its readings; `None` if that is not known.
    pub(crate) hidden: Option<HiddenHeads>,
    /// Values that give themselves away; of a leaf only, a text has [detections](TextFindings::detections).
    pub(crate) is_loud: bool,
}

impl Default for Holds {
    /// Anything.
    fn default() -> Self {
        Self {
            readings: true,
            files: true,
            cores: true,
            hidden: None,
            is_loud: false,
        }
    }
}

/// Appends what the detectors find in a text, or found before. Tells what else it holds, and what is remembered of it.
pub(crate) fn detect(
    detectors: &Detectors,
    findings: Option<&dyn Findings>,
    text: &str,
    name: Option<&str>,
    found: &mut Vec<Detection>,
) -> (Holds, Option<KnownText>) {
    let Some(findings) = findings else {
        let mut readings = false;
        detectors.detect_in_readings(text, name, found, &mut |_| readings = true);
        let holds = Holds {
            readings,
            ..Holds::default()
        };
        return (holds, None);
    };
    if !is_remembered(text) {
        let holds = read(detectors, findings.key(), text, name, found);
        return (holds, None);
    }
    let digest = findings.digest(text, name, TextKind::Plain);
    let known = findings.get(digest).unwrap_or_else(|| {
        let mut found = Vec::new();
        let holds = read(detectors, findings.key(), text, name, &mut found);
        let new = TextFindings {
            detections: found.into(),
            holds,
            searches: Searches::default(),
        };
        findings.keep(digest, new.clone());
        new
    });
    found.extend(known.detections.iter().cloned());
    (known.holds.clone(), Some(KnownText::new(digest, known)))
}

/// What is remembered of a text.
pub(super) fn remembered(
    findings: &dyn Findings,
    text: &str,
    name: Option<&str>,
) -> Option<KnownText> {
    if !is_remembered(text) {
        return None;
    }
    let digest = findings.digest(text, name, TextKind::Plain);
    let known = findings.get(digest)?;
    Some(KnownText::new(digest, known))
}

fn is_remembered(text: &str) -> bool {
    let may_be_letter = |byte: u8| byte.is_ascii_alphabetic() || !byte.is_ascii();
    text.len() >= SHORTEST || text.bytes().any(may_be_letter)
}

fn read(
    detectors: &Detectors,
    key: u64,
    text: &str,
    name: Option<&str>,
    found: &mut Vec<Detection>,
) -> Holds {
    let mut readings = false;
    let mut hidden = HeadCollector::new(key);
    detectors.detect_in_readings(text, name, found, &mut |reading| {
        readings = true;
        hidden.add(text, reading);
    });
    if memchr(b'\\', text.as_bytes()).is_some() {
        for backslash in [Backslash::Alone, Backslash::Escape] {
            without_backslashes(text, backslash, &mut |reading| hidden.add(text, reading));
        }
    }
    Holds {
        readings,
        files: !encoded::embedded(text).is_empty(),
        cores: token::may_hold_core(text.as_bytes()),
        hidden: hidden.of(text),
        is_loud: false,
    }
}
