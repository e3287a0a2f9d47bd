//! Finds a session's values in texts where nothing else gives them away.
//!
//! A password is found by the name next to it. In a command that the model writes with it, and in
//! that command's output, it stands alone (decisions, 7.3). The values, and what they decode to, form
//! a trie that only grows. Its nodes contain no text but point into the values. A filter over the
//! first bytes of all values skips nearly every position of a text.

mod apart;
mod cut;
mod filter;
mod written;

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use memchr::memmem;

use self::apart::{is_unmistakable, stands_apart};
use self::cut::JoinedText;
use self::filter::Filter;
use self::written::{digits_of, each_written, parts_of_key};
use super::MAPPING_BYTES;
use super::heads::{self, HiddenHeads};
use crate::detect::each_decoded;
use crate::token::Mapping;
use crate::{Detection, EntityType, Score, Sensitive};

/// Shorter values are often words. Longer ones all begin with a [`Head`] of this length.
pub(super) const SHORTEST: usize = 6;

/// From this length on, a value that is not a plain word is also found inside words: `-pVALUE`.
const DISTINCT: usize = 8;

/// From this length on, letters alone are not a common word: `POSTGRES_PASSWORD=postgres` says
/// nothing about every other `postgres`.
const UNCOMMON: usize = 12;

/// This many equal bytes are no coincidence. A text that has so much in common with a value is
/// masked that far, so no byte is compared often.
const LONG: usize = 256;

/// So many heads are searched one by one.
const FEW: usize = 4;

/// Longer values are also found from every so many bytes on, each time for almost [`LONG`] bytes: of a value that
/// begins far before the end of another, such a block begins shortly before it. Each block begins in the one before.
const BLOCK_STEP: usize = LONG - 4;

/// The approximate size of a part of a value in the index: of a private key these are many.
const PART_BYTES: usize = 80;

/// The values that are found everywhere.
#[derive(Clone, Default)]
pub(super) struct Known {
    /// The number of the first mapping.
    first: usize,
    /// How many mappings of the layer were added.
    learnt: usize,
    /// The approximate size, in bytes, of what the values decode to, of other ways to write them, and of their parts.
    other_bytes: usize,
    filter: Filter,
    /// The node at which the values with this head begin.
    roots: BTreeMap<Head, u32>,
    /// The bytes of all heads.
    head_bytes: heads::Bytes,
    nodes: Vec<Node>,
    sought: Vec<Sought>,
    /// Whether ends of lines or tabs stand in a value.
    holds_white_space: bool,
}

/// Shows no value.
impl fmt::Debug for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Known({} heads)", self.roots.len())
    }
}

/// What is searched for: a value, what one decodes to, or a block of one.
#[derive(Clone)]
struct Sought {
    mapping: Arc<Mapping>,
    /// The number of the session's mapping that it belongs to.
    number: u32,
    /// Where it begins in the value of the mapping.
    start: u32,
}

/// The common part of values from one depth to another.
#[derive(Clone, Copy)]
struct Node {
    /// What is sought and passes through here.
    through: u32,
    from: u32,
    to: u32,
    /// What is sought and ends here, or [`NONE`].
    value: u32,
    /// The first child node, or [`NONE`].
    child: u32,
    /// The next sibling node, or [`NONE`].
    sibling: u32,
    /// The byte at `from`.
    first: u8,
    /// The value that ends here is found inside words, too.
    is_unmistakable: bool,
}

/// No node, nothing that is sought.
const NONE: u32 = u32::MAX;

/// Tells the values in a text, of all of these, in order, each with the number of its mapping: at each position the
/// longest admitted one.
pub(super) fn find(
    all: &[&Known],
    text: &str,
    admits: &impl Fn(&str, &Detection) -> bool,
    visit: &mut impl FnMut(Detection, usize),
) {
    let bytes = text.as_bytes();
    let next_step = |known: &Known, from| known.filter.next_step(bytes, from);
    let mut steps: Vec<_> = all.iter().map(|known| next_step(known, 0)).collect();
    let mut end = 0;
    while let Some(step) = steps.iter().copied().flatten().min() {
        let longest = |start| {
            let of_all = all
                .iter()
                .filter_map(|known| known.longest(text, start, admits));
            of_all.max_by_key(|(detection, _)| detection.end)
        };
        let behind = step + filter::STEP;
        let mut standing = (step.max(end)..behind).find_map(longest);
        if let Some((standing, _)) = &mut standing {
            let next = |from, end| {
                let until = bytes.get(..end + SHORTEST).unwrap_or(bytes);
                let of_all = all.iter();
                let of_all = of_all.filter_map(|known| known.filter.next_step(until, from));
                of_all.min().filter(|next| *next < end)
            };
            extend(standing, next, longest);
        }
        // A value may begin right behind another.
        let from = standing.as_ref().map_or(behind, |(standing, _)| {
            end = standing.end;
            end - end % filter::STEP
        });
        if let Some((detection, number)) = standing {
            visit(detection, number);
        }
        for (next, known) in steps.iter_mut().zip(all) {
            if next.is_some_and(|next| next < from) {
                *next = next_step(known, from);
            }
        }
    }
}

/// Extends what stands in a text by values that begin in it and end behind it. `next` is the next place from one on where
/// one may begin, before an end.
fn extend(
    standing: &mut Detection,
    next: impl Fn(usize, usize) -> Option<usize>,
    longest: impl Fn(usize) -> Option<(Detection, usize)>,
) {
    let mut from = standing.start + 1;
    while let Some(at) = next(from.max(standing.end.saturating_sub(LONG)), standing.end) {
        if let Some((other, _)) = longest(at) {
            standing.end = standing.end.max(other.end);
        }
        from = at + 1;
    }
}

impl Known {
    /// Finds values of a layer whose first mapping has this number.
    pub(super) fn of_layer(first: usize) -> Self {
        Self {
            first,
            ..Self::default()
        }
    }

    /// The approximate size, in bytes, of what its values decode to, of other ways to write them, and of their parts.
    pub(super) fn other_bytes(&self) -> usize {
        self.other_bytes
    }

    /// Whether ends of lines or tabs stand in what is found.
    pub(super) fn holds_white_space(&self) -> bool {
        self.holds_white_space
    }

    /// Whether a value may stand in a leaf that is written so, whatever it is read as.
    pub(super) fn may_stand_in(&self, written: &str, hidden: &HiddenHeads) -> bool {
        let escaped = heads::ALWAYS_ESCAPED | hidden.escaped();
        let heads = self.roots.keys().map(|head| head.0.expose());
        self.head_bytes & escaped != 0
            || hidden.hold_any(heads, written.len())
            || self.stands_in(written.as_bytes())
    }

    /// Whether few heads are sought, each of which is searched fast.
    pub(super) fn seeks_few(&self) -> bool {
        self.roots.len() <= FEW
    }

    /// Whether the head of a value stands in a text.
    fn stands_in(&self, text: &[u8]) -> bool {
        if self.seeks_few() {
            let mut heads = self.roots.keys().map(|head| head.0.expose());
            return heads.any(|head| memmem::find(text, head).is_some());
        }
        let begins = |at: usize| {
            let head = text.get(at..).and_then(<[u8]>::first_chunk::<SHORTEST>);
            head.is_some_and(|head| self.roots.contains_key(head))
        };
        let mut from = 0;
        while let Some(step) = self.filter.next_step(text, from) {
            from = step + filter::STEP;
            if (step..from).any(begins) {
                return true;
            }
        }
        false
    }

    /// How many mappings it contains.
    pub(super) fn learnt(&self) -> usize {
        self.learnt
    }

    /// Adds the mappings after those that it contains.
    pub(super) fn learn(&mut self, mappings: &[Arc<Mapping>]) {
        let new = mappings.iter().enumerate().skip(self.learnt);
        self.sought.reserve(new.len());
        for (at, mapping) in new {
            // Text that looks like a token is found by its form.
            if *mapping.entity() != EntityType::LITERAL {
                self.learn_one(mapping, compact(self.first + at));
            }
        }
        self.learnt = mappings.len();
    }

    fn learn_one(&mut self, mapping: &Arc<Mapping>, number: u32) {
        let is_distinct = self.seek(mapping, number);
        let mut seek_other = |other: &str| {
            let other_mapping = mapping.with_value(Sensitive::new(other.to_owned()));
            if !self.seeks(other.as_bytes()) && self.seek(&Arc::new(other_mapping), number) {
                self.other_bytes += other.len() + MAPPING_BYTES;
            }
        };
        each_decoded(mapping.value().expose(), &mut seek_other);
        if let Some(digits) = digits_of(mapping) {
            seek_other(&digits);
        }
        if is_distinct {
            each_written(mapping, |written| seek_other(&written));
        }
    }

    /// Whether a value is sought.
    fn seeks(&self, value: &[u8]) -> bool {
        let root = value
            .first_chunk()
            .and_then(|head: &[u8; SHORTEST]| self.roots.get(head));
        let mut next = root.copied();
        while let Some(node) = next.and_then(|at| self.node(at)) {
            let rest = value.get(index(node.from)..).unwrap_or_default();
            let Some(label) = self.label(node).filter(|label| rest.starts_with(label)) else {
                return false;
            };
            let Some(first) = rest.get(label.len()) else {
                return node.value != NONE;
            };
            next = self.child(node, *first);
        }
        false
    }

    /// Adds a value to those that are sought, if it is distinct.
    fn seek(&mut self, mapping: &Arc<Mapping>, number: u32) -> bool {
        let value = mapping.value().expose();
        if !is_distinct(value) {
            return false;
        }
        self.holds_white_space |= value.contains(['\n', '\r', '\t']);
        let is_whole_unmistakable = is_unmistakable(value.as_bytes());
        self.insert(mapping, number, 0..value.len(), is_whole_unmistakable);
        for block in blocks(value) {
            self.insert(mapping, number, block, true);
            self.other_bytes += PART_BYTES;
        }
        if *mapping.entity() == EntityType::PRIVATE_KEY {
            for part in parts_of_key(value) {
                self.insert(mapping, number, part, true);
                self.other_bytes += PART_BYTES;
            }
        }
        true
    }

    /// The longest value at a position.
    #[inline]
    fn longest(
        &self,
        text: &str,
        start: usize,
        admits: &impl Fn(&str, &Detection) -> bool,
    ) -> Option<(Detection, usize)> {
        // Nearly always this tells.
        let may_begin = self.filter.may_begin(text.as_bytes().get(start..)?);
        may_begin.then(|| self.longest_of(text, start, admits))?
    }

    /// The same where the filter lets a head through.
    fn longest_of(
        &self,
        text: &str,
        start: usize,
        admits: &impl Fn(&str, &Detection) -> bool,
    ) -> Option<(Detection, usize)> {
        let rest = text.as_bytes().get(start..)?;
        let detected = |sought: u32, end: usize| {
            let sought = self.sought.get(index(sought))?;
            let detection = detection(start..end, &sought.mapping);
            admits(text, &detection).then_some((detection, index(sought.number)))
        };
        let mut longest = None;
        let mut at = *self.roots.get(rest.first_chunk::<SHORTEST>()?)?;
        let mut reading = JoinedText::new(rest, SHORTEST);
        let mut depth = SHORTEST;
        let (through, end) = loop {
            let node = self.node(at)?;
            let label = self.label(node)?.get(depth - index(node.from)..)?;
            let common = common_length(label, reading.rest());
            depth += common;
            reading.at += common;
            let end = start + reading.at;
            if let Some(next) = label.get(common) {
                if !reading.skip() {
                    break (node.through, end);
                }
                depth += usize::from(*next == b' ');
                continue;
            }
            let is_apart = || stands_apart(text, start..end);
            if node.value != NONE && (node.is_unmistakable || reading.cuts == 0 && is_apart()) {
                longest = detected(node.value, end).or(longest);
            }
            let next = |reading: &JoinedText<'_>| self.child(node, *reading.rest().first()?);
            let child = next(&reading);
            let child =
                child.or_else(|| (node.child != NONE && reading.skip()).then(|| next(&reading))?);
            match child {
                Some(child) => at = child,
                None => break (node.through, end),
            }
        };
        let is_long = |end: usize| end - start >= LONG;
        if is_long(end)
            && !longest
                .as_ref()
                .is_some_and(|(longest, _)| is_long(longest.end))
        {
            longest = detected(through, text.floor_char_boundary(end)).or(longest);
        }
        longest
    }

    /// Adds a value, or a part of one.
    fn insert(
        &mut self,
        mapping: &Arc<Mapping>,
        number: u32,
        part: Range<usize>,
        is_unmistakable: bool,
    ) {
        let value = mapping.value().expose().as_bytes();
        let value = value.get(part.clone()).unwrap_or_default();
        let Some(head) = value.first_chunk::<SHORTEST>() else {
            return;
        };
        let sought = compact(self.sought.len());
        self.sought.push(Sought {
            mapping: Arc::clone(mapping),
            number,
            start: compact(part.start),
        });
        let leaf = |from| Node::leaf(sought, value, from, is_unmistakable);
        let Some(root) = self.roots.get(head) else {
            let root = self.push(leaf(SHORTEST));
            self.roots.insert(Head(Sensitive::new(*head)), root);
            self.filter.add(head, &self.roots);
            self.head_bytes |= heads::set(head);
            return;
        };
        let mut at = *root;
        while let Some(node) = self.node(at)
            && let Some(label) = self.label(node)
        {
            let rest = value.get(index(node.from)..).unwrap_or_default();
            let common = common_length(label, rest);
            let length = index(node.from) + common;
            if let Some(first) = label.get(common).copied() {
                self.split(at, length, first);
            }
            let Some(next) = value.get(length) else {
                return self.end(at, sought, is_unmistakable);
            };
            match self.node(at).and_then(|node| self.child(node, *next)) {
                Some(child) => at = child,
                None => return self.branch(at, leaf(length)),
            }
        }
    }

    /// Notes that a value ends with a node.
    fn end(&mut self, at: u32, sought: u32, is_unmistakable: bool) {
        if let Some(node) = self.nodes.get_mut(index(at)) {
            let was_unmistakable = node.value != NONE && node.is_unmistakable;
            node.value = sought;
            node.is_unmistakable = is_unmistakable || was_unmistakable;
        }
    }

    /// Adds a child to a node.
    fn branch(&mut self, at: u32, mut leaf: Node) {
        leaf.sibling = self.node(at).map_or(NONE, |node| node.child);
        let child = self.push(leaf);
        if let Some(node) = self.nodes.get_mut(index(at)) {
            node.child = child;
        }
    }

    /// Splits a node at a depth, so that the rest, which begins with `first`, becomes its child.
    fn split(&mut self, at: u32, depth: usize, first: u8) {
        let Some(&node) = self.node(at) else {
            return;
        };
        let lower = self.push(Node {
            from: compact(depth),
            first,
            sibling: NONE,
            ..node
        });
        if let Some(upper) = self.nodes.get_mut(index(at)) {
            upper.to = compact(depth);
            upper.value = NONE;
            upper.child = lower;
        }
    }

    fn push(&mut self, node: Node) -> u32 {
        self.nodes.push(node);
        compact(self.nodes.len() - 1)
    }

    fn node(&self, at: u32) -> Option<&Node> {
        self.nodes.get(index(at))
    }

    /// The bytes of a node.
    fn label(&self, node: &Node) -> Option<&[u8]> {
        let Sought { mapping, start, .. } = self.sought.get(index(node.through))?;
        let value = mapping.value().expose().as_bytes();
        value.get(index(start + node.from)..index(start + node.to))
    }

    /// The child of a node for this byte.
    fn child(&self, node: &Node, first: u8) -> Option<u32> {
        let mut at = node.child;
        while let Some(child) = self.node(at) {
            if child.first == first {
                return Some(at);
            }
            at = child.sibling;
        }
        None
    }
}

impl Node {
    /// The rest of a value from a depth on.
    fn leaf(sought: u32, value: &[u8], from: usize, is_unmistakable: bool) -> Self {
        Self {
            through: sought,
            from: compact(from),
            to: compact(value.len()),
            value: sought,
            child: NONE,
            sibling: NONE,
            first: value.get(from).copied().unwrap_or_default(),
            is_unmistakable,
        }
    }
}

/// What a value begins with.
#[derive(Clone, PartialEq, Eq)]
struct Head(Sensitive<[u8; SHORTEST]>);

impl Borrow<[u8; SHORTEST]> for Head {
    fn borrow(&self) -> &[u8; SHORTEST] {
        self.0.expose()
    }
}

impl Ord for Head {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.expose().cmp(other.0.expose())
    }
}

impl PartialOrd for Head {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

fn detection(range: Range<usize>, mapping: &Mapping) -> Detection {
    Detection {
        start: range.start,
        end: range.end,
        entity: mapping.entity().clone(),
        score: Score::MAX,
        rule: "known-value",
    }
}

/// Whether a mapping gives anything to find.
pub(super) fn is_found(mapping: &Mapping) -> bool {
    let value = mapping.value().expose();
    let decodes_to_distinct = || {
        let mut is_any = false;
        each_decoded(value, &mut |decoded| is_any |= is_distinct(decoded));
        is_any
    };
    *mapping.entity() != EntityType::LITERAL && (is_distinct(value) || decodes_to_distinct())
}

/// Whether a value is long enough, and no common word.
fn is_distinct(value: &str) -> bool {
    let is_word = value.len() < UNCOMMON && value.bytes().all(|byte| byte.is_ascii_alphabetic());
    value.len() >= SHORTEST && !is_word
}

/// The further parts of a value as which it is found, each longer than a step, the last up to its end.
fn blocks(value: &str) -> impl Iterator<Item = Range<usize>> {
    let last = value.ceil_char_boundary(value.len().saturating_sub(LONG));
    let next = |start: &usize| Some(value.floor_char_boundary(start + BLOCK_STEP));
    let starts = std::iter::successors(next(&0), next).take_while(move |start| *start < last);
    let ends = |start: usize| start..value.floor_char_boundary(start + LONG);
    let last = (last > 0).then_some(last..value.len());
    starts.map(ends).chain(last)
}

pub(super) fn common_length(one: &[u8], other: &[u8]) -> usize {
    const STEP: usize = 32;
    let steps = one.chunks_exact(STEP).zip(other.chunks_exact(STEP));
    let equal = STEP * steps.take_while(|(one, other)| one == other).count();
    let rest = one.iter().zip(other).skip(equal);
    equal + rest.take_while(|(one, other)| one == other).count()
}

fn index(compact: u32) -> usize {
    compact as usize
}

/// No session seeks as many values as this has room for, and no body has as many bytes.
fn compact(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(NONE)
}

#[cfg(test)]
mod tests;
