//! Walks the texts of a request.

use std::borrow::Cow;

use super::walk::{TextWalk, Walked};
use super::{Finding, Locating, Masking, Respelled, Texts};
use crate::Detection;
use crate::history::{Recall, SignedBlock};
use crate::json::{Edit, escaped, spliced};
use crate::schema::{Form, RequestLeaves, RequestMap, SignedText};

/// How many bytes are read again because masking them taught the session a value, and how often any request is. Once is
/// enough but for texts that are made for it: each time a value grows, so a chain of them needs ever longer texts.
const MOST_READ_AGAIN: usize = 64 << 20;
const FEWEST_REPEATS: usize = 8;

/// The session that adopts the tokens of remembered blocks.
pub(crate) trait TakesBack {
    /// Whether a remembered block can return as it is: none of its tokens means anything else.
    fn takes_back(&mut self, block: &SignedBlock) -> bool;
}

/// What is walked of a request: the same texts in the same order each time.
pub(crate) struct Prompt<'t> {
    leaves: RequestLeaves<'t>,
    /// Texts outside of the body, which come last.
    beside: Vec<&'t str>,
    /// The property names that tools declare, sorted.
    declared: Vec<Cow<'t, str>>,
    /// What takes the place of texts, such as the provider's own in signed blocks.
    put_in: Vec<Edit>,
}

/// What masking replaces, each list in order.
pub(crate) struct Located {
    /// At its places in the body.
    pub(crate) body: Vec<Detection>,
    /// In each text outside of it.
    pub(crate) beside: Vec<Vec<Detection>>,
}

/// The edits that a walk makes, each list in order.
pub(crate) struct PromptEdits {
    pub(crate) body: Vec<Edit>,
    /// Those of each text outside of the body.
    pub(crate) beside: Vec<Vec<Edit>>,
}

impl PromptEdits {
    /// A text outside of the body as the edits make it.
    pub(crate) fn spliced_beside(&self, at: usize, text: &str) -> String {
        spliced(text, self.beside.get(at).map_or(&[], Vec::as_slice))
    }
}

impl<'t> Prompt<'t> {
    /// The prompt of a request. Remembered signed blocks return unchanged, and are not among its
    /// texts.
    ///
    /// Their tokens are adopted first, so that they keep the meaning that they had when they were
    /// signed.
    pub(crate) fn new(
        mut map: RequestMap<'t>,
        beside: Vec<&'t str>,
        memory: &dyn Recall,
        home: &mut impl TakesBack,
    ) -> Self {
        let mut put_in = map.replaced;
        let remembered = remembered(&map.signed, home, memory, &mut put_in);
        map.leaves.drop_at(&remembered);
        Self {
            leaves: map.leaves,
            beside,
            declared: map.declared,
            put_in,
        }
    }

    /// One text outside of any body.
    pub(crate) fn of_text(text: &'t str) -> Self {
        Self {
            leaves: RequestLeaves::default(),
            beside: vec![text],
            declared: Vec::new(),
            put_in: Vec::new(),
        }
    }

    /// Masks all texts, as they would be masked if the request came again: until masking teaches the session nothing
    /// more. That comes to an end, since what is masked only grows.
    pub(crate) fn mask<'a>(&self, mut finding: Finding<'a>) -> (PromptEdits, Masking<'a>) {
        finding.skip_loud_leaves(&self.declared);
        let mut repeats = Repeats::default();
        loop {
            let (edits, mut masking) = self.mask_once(finding, &mut repeats);
            if !masking.has_learnt() {
                return (edits, masking);
            }
            if !repeats.take(self) {
                masking.give_up();
                return (edits, masking);
            }
            finding = masking.again();
        }
    }

    /// This needs further walks if there is something to mask.
    fn mask_once<'a>(
        &self,
        finding: Finding<'a>,
        repeats: &mut Repeats,
    ) -> (PromptEdits, Masking<'a>) {
        let mut walked = Walked::default();
        let (mut edits, mut masking) = self.find(finding, &mut walked, repeats);
        if !masking.is_idle() {
            edits = self.walk_once(&mut masking, &mut walked);
        }
        (edits, masking)
    }

    /// Locates what [`mask`](Self::mask) replaces.
    pub(crate) fn locate(&self, mut finding: Finding<'_>) -> Located {
        let mut repeats = Repeats::default();
        loop {
            let mut walked = Walked::default();
            let (_, masking) = self.find(finding, &mut walked, &mut repeats);
            let mut locating = Locating::new(masking);
            let edits = self.walk_once(&mut locating, &mut walked);
            if !(locating.has_learnt() && repeats.take(self)) {
                return Located {
                    body: locating.placed(&edits.body),
                    beside: edits
                        .beside
                        .iter()
                        .map(|edits| locating.placed(edits))
                        .collect(),
                };
            }
            finding = locating.again();
        }
    }

    /// Finds what is to be masked.
    fn find<'a>(
        &self,
        mut finding: Finding<'a>,
        walked: &mut Walked,
        repeats: &mut Repeats,
    ) -> (PromptEdits, Masking<'a>) {
        let edits = self.walk_once(&mut finding, walked);
        finding.give();
        while !finding.is_full() && finding.values.issued().knows_any() {
            let mut respelled = Respelled::new(finding);
            let known = respelled.known();
            self.walk_once(&mut respelled, walked);
            let has_joined = respelled.has_joined();
            finding = respelled.finish();
            // What a new spelling decodes to may stand elsewhere.
            let has_learnt = finding.values.issued().len() > known;
            if !(has_joined || has_learnt) {
                break;
            }
            if !repeats.take(self) {
                finding.is_unseen |= has_learnt;
                break;
            }
        }
        (edits, Masking::new(finding))
    }

    /// How many bytes a walk reads.
    fn bytes(&self) -> usize {
        let leaves = self.leaves.iter().map(|leaf| leaf.value.raw().len());
        let beside = self.beside.iter().map(|text| text.len());
        leaves.chain(beside).sum()
    }

    /// Visits all texts in order.
    pub(crate) fn walk(&self, texts: &mut dyn Texts) -> PromptEdits {
        self.walk_once(texts, &mut Walked::once())
    }

    fn walk_once(&self, texts: &mut dyn Texts, walked: &mut Walked) -> PromptEdits {
        let mut walk = TextWalk::new(texts, &self.declared, walked);
        let mut body = self.put_in.clone();
        // No body has room for more parts.
        let mut parts = 0_u32..;
        for (part, leaf) in parts.by_ref().zip(self.leaves.iter()) {
            walk.enter(part, Some(leaf.value.start()));
            if !walk.pass(leaf, &mut body) {
                walk.leaf(leaf, &mut body);
            }
        }
        body.sort_by_key(|edit| edit.start);
        let beside = parts.zip(&self.beside).map(|(part, text)| {
            walk.enter(part, None);
            walk.walk(text, None, Form::Text)
        });
        let beside = beside.collect();
        walk.finish();
        PromptEdits { body, beside }
    }
}

/// How often the texts of a request may still be read again, once that is asked.
#[derive(Default)]
struct Repeats(Option<usize>);

impl Repeats {
    fn take(&mut self, prompt: &Prompt<'_>) -> bool {
        let most = || FEWEST_REPEATS.max(MOST_READ_AGAIN / prompt.bytes().max(1));
        let left = self.0.get_or_insert_with(most);
        let may_repeat = *left > 0;
        *left = left.saturating_sub(1);
        may_repeat
    }
}

/// Puts the provider's own text back into signed blocks that are remembered, and says where, in
/// order.
fn remembered(
    signed: &[SignedText<'_>],
    home: &mut impl TakesBack,
    memory: &dyn Recall,
    edits: &mut Vec<Edit>,
) -> Vec<usize> {
    let mut places = Vec::new();
    for SignedText { text, signature } in signed {
        let Some(block) = memory.recall(&signature.text()) else {
            continue;
        };
        if !home.takes_back(&block) {
            continue;
        }
        places.push(text.start());
        if text.text() != Cow::Borrowed(block.text()) {
            edits.push(Edit {
                start: text.start() + 1,
                end: text.end() - 1,
                text: escaped(block.text().to_owned()),
            });
        }
    }
    places
}
