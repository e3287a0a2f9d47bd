//! Walks the texts of one request.

use std::borrow::Cow;

use super::{TextWalk, Texts};
use crate::json::{Edit, Value, edits_in_string, escaped, splice};
use crate::remembered::Recall;
use crate::schema::{RequestLeaf, RequestMap, SignedText};

/// Walks the strings of a request in prompt order and applies the edits; `None` when the body stays
/// as it is.
pub(crate) fn walk_request<'t>(
    body: &str,
    map: RequestMap<'t>,
    walk: &mut TextWalk<'t, impl Texts>,
    memory: &dyn Recall,
) -> Option<Vec<u8>> {
    let edits = edits_of_request(map, walk, memory);
    if edits.is_empty() {
        return None;
    }
    let mut out = Vec::new();
    splice(body, &edits, &mut out);
    Some(out)
}

/// Walks the strings of a request in prompt order: the edits of the body, in order.
pub(crate) fn edits_of_request<'t>(
    mut map: RequestMap<'t>,
    walk: &mut TextWalk<'t, impl Texts>,
    memory: &dyn Recall,
) -> Vec<Edit> {
    walk.declare(std::mem::take(&mut map.declared));
    let mut edits = Vec::new();
    let remembered = put_back(&map.signed, walk, memory, &mut edits);
    map.leaves
        .retain(|leaf| remembered.binary_search(&leaf.value.start()).is_err());
    map.leaves.sort_by_key(|leaf| leaf.place);
    for leaf in &map.leaves {
        walk_leaf(leaf, walk, &mut edits);
    }
    edits.sort_by_key(|edit| edit.start);
    edits
}

fn walk_leaf(leaf: &RequestLeaf<'_>, walk: &mut TextWalk<'_, impl Texts>, edits: &mut Vec<Edit>) {
    let name = leaf.name.map(Value::text);
    let found = walk.walk(&leaf.value.text(), name.as_deref(), leaf.form);
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
    walk: &mut TextWalk<'_, impl Texts>,
    memory: &dyn Recall,
    edits: &mut Vec<Edit>,
) -> Vec<usize> {
    let mut places = Vec::new();
    for SignedText { text, signature } in signed {
        let Some(block) = memory.recall(&signature.text()) else {
            continue;
        };
        if !walk.takes_back(&block) {
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
