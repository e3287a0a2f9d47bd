//! Masks one request.

use std::borrow::Cow;

use super::Masker;
use crate::json::{Edit, Value, edits_in_string, escape_into, splice};
use crate::remembered::Recall;
use crate::schema::{RequestLeaf, RequestMap, SignedText};

/// Masks the strings of a request in prompt order; `None` when the body stays as it is.
pub(crate) fn mask_request<'t>(
    body: &str,
    mut map: RequestMap<'t>,
    masker: &mut Masker<'t>,
    memory: &dyn Recall,
) -> Option<Vec<u8>> {
    masker.declare(std::mem::take(&mut map.declared));
    let mut edits = Vec::new();
    let remembered = put_back(&map.signed, masker, memory, &mut edits);
    map.leaves
        .retain(|leaf| remembered.binary_search(&leaf.value.start()).is_err());
    map.leaves.sort_by_key(|leaf| leaf.place);
    for leaf in &map.leaves {
        mask_leaf(leaf, masker, &mut edits);
    }
    if edits.is_empty() {
        return None;
    }
    edits.sort_by_key(|edit| edit.start);
    let mut out = Vec::new();
    splice(body, &edits, &mut out);
    Some(out)
}

fn mask_leaf(leaf: &RequestLeaf<'_>, masker: &mut Masker<'_>, edits: &mut Vec<Edit>) {
    let name = leaf.name.map(Value::text);
    let found = masker.mask(&leaf.value.text(), name.as_deref(), leaf.form);
    edits_in_string(
        leaf.value.raw_content(),
        leaf.value.start() + 1,
        found,
        edits,
    );
}

/// Puts the provider's own text back into signed blocks that are remembered, and says where, in
/// order.
///
/// Their tokens are taken over first, so that they still mean what they meant when they were signed.
fn put_back(
    signed: &[SignedText<'_>],
    masker: &mut Masker<'_>,
    memory: &dyn Recall,
    edits: &mut Vec<Edit>,
) -> Vec<usize> {
    let mut places = Vec::new();
    for SignedText { text, signature } in signed {
        let Some(block) = memory.recall(&signature.text()) else {
            continue;
        };
        if !masker.adopt(block.mappings()) {
            continue;
        }
        places.push(text.start());
        if text.text() != Cow::Borrowed(block.text()) {
            let mut written = String::new();
            escape_into(&mut written, block.text());
            edits.push(Edit {
                start: text.start() + 1,
                end: text.end() - 1,
                text: written,
            });
        }
    }
    places
}
