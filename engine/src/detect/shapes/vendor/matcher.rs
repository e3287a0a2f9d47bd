//! Matches a compiled pattern at a position, within a bounded number of steps. If they are used up,
//! the whole word is taken.

use super::ends_word;
use crate::detect::bytes::{self, is_word};
use std::ops::Range;

/// A part of a compiled pattern; sets hold ASCII characters.
pub(super) enum Node {
    Text(&'static [u8]),
    Class {
        set: &'static u128,
        min: u16,
        max: u16,
    },
    Group {
        branches: &'static [&'static [Node]],
        min: u16,
        max: u16,
    },
    ValueStart,
    ValueEnd,
}

/// A match and the part of it that is the value.
pub(super) struct Matched {
    pub(super) value: (usize, usize),
}

/// The most bytes and branches of one attempt.
const BUDGET: usize = 16 * 1024;

/// The match that starts at `start`, the longest of each repetition first.
pub(super) fn find(text: &[u8], nodes: &'static [Node], start: usize) -> Option<Matched> {
    let mut attempt = Attempt {
        text,
        budget: BUDGET,
        value_start: start,
        is_spent: false,
        value_end: None,
    };
    let end = attempt.sequence(nodes, start, &Next::End);
    let value = match end {
        Some(end) => (attempt.value_start, attempt.value_end.unwrap_or(end)),
        None if attempt.is_spent => (start, start + bytes::run(text, start, BUDGET, is_word)),
        None => return None,
    };
    Some(Matched { value })
}

/// The first position of a range where a match may begin, by its required beginning; the end if
/// there is none. What is between there and `fits` is known to fit, so each byte is examined once.
pub(super) fn first_fit(
    text: &[u8],
    nodes: &[Node],
    range: Range<usize>,
    fits: &mut usize,
) -> usize {
    let mut at = range.start;
    match nodes {
        [Node::ValueStart, rest @ ..] => return first_fit(text, rest, range, fits),
        [Node::Class { set, min, .. }, ..] => {
            while at < range.end {
                let until = at + usize::from(*min);
                let untested = until - until.min(at.max(*fits));
                let fitting = bytes::run_back(text, until, untested, |byte| holds(**set, byte));
                *fits = until.max(*fits);
                if fitting == untested {
                    break;
                }
                at = until - fitting;
            }
        }
        _ => {}
    }
    at
}

/// Whether a set of ASCII characters holds a byte.
const fn holds(set: u128, byte: u8) -> bool {
    byte < 128 && set >> byte & 1 == 1
}

/// Whether a part of a pattern matches no letter or digit.
const fn is_beside_words(node: &Node) -> bool {
    const ALPHANUMERIC: u128 = 0x07FF_FFFE_07FF_FFFE_03FF_0000_0000_0000;
    match node {
        Node::Class { set, .. } => **set & ALPHANUMERIC == 0,
        Node::ValueEnd => true,
        _ => false,
    }
}

/// Whether letters or digits are on both sides, so that nothing ends there.
fn is_within_word(text: &[u8], at: usize) -> bool {
    is_word(bytes::before(text, at)) && bytes::at(text, at).is_ascii_alphanumeric()
}

struct Attempt<'t> {
    text: &'t [u8],
    budget: usize,
    is_spent: bool,
    value_start: usize,
    value_end: Option<usize>,
}

/// What has to match after the current sequence.
enum Next<'n> {
    End,
    Sequence(&'static [Node], &'n Next<'n>),
    Again(&'n Group<'n>),
}

/// A group under repetition: how often it has to and may still match.
struct Group<'n> {
    branches: &'static [&'static [Node]],
    min: u16,
    max: u16,
    from: usize,
    next: &'n Next<'n>,
}

impl Attempt<'_> {
    fn sequence(&mut self, nodes: &'static [Node], at: usize, next: &Next<'_>) -> Option<usize> {
        self.spend(1)?;
        let Some((first, rest)) = nodes.split_first() else {
            return self.proceed(at, next);
        };
        match first {
            Node::Text(text) => {
                let end = at + text.len();
                (bytes::slice(self.text, at, end) == *text).then_some(())?;
                self.sequence(rest, end, next)
            }
            Node::Class { set, min, max } => self.class(**set, (*min, *max), at, rest, next),
            Node::Group { branches, min, max } => {
                let next = Next::Sequence(rest, next);
                self.group(&Group {
                    branches,
                    min: *min,
                    max: *max,
                    from: at,
                    next: &next,
                })
            }
            Node::ValueStart => {
                let end = self.sequence_with_start(rest, at, next)?;
                Some(end)
            }
            Node::ValueEnd => {
                let end = self.sequence(rest, at, next)?;
                self.value_end = Some(at);
                Some(end)
            }
        }
    }

    fn sequence_with_start(
        &mut self,
        rest: &'static [Node],
        at: usize,
        next: &Next<'_>,
    ) -> Option<usize> {
        let end = self.sequence(rest, at, next)?;
        self.value_start = at;
        Some(end)
    }

    fn class(
        &mut self,
        set: u128,
        (min, max): (u16, u16),
        at: usize,
        rest: &'static [Node],
        next: &Next<'_>,
    ) -> Option<usize> {
        let length = bytes::run(self.text, at, usize::from(max), |byte| holds(set, byte));
        self.spend(length)?;
        let is_last = matches!(next, Next::End) && rest.iter().all(is_beside_words);
        (usize::from(min)..=length)
            .rev()
            .filter(|length| !is_last || !is_within_word(self.text, at + length))
            .find_map(|length| self.sequence(rest, at + length, next))
    }

    fn group(&mut self, group: &Group<'_>) -> Option<usize> {
        if group.max > 0 {
            let again = Group {
                branches: group.branches,
                min: group.min.saturating_sub(1),
                max: group.max - 1,
                from: group.from,
                next: group.next,
            };
            for branch in group.branches {
                if let Some(end) = self.sequence(branch, group.from, &Next::Again(&again)) {
                    return Some(end);
                }
            }
        }
        if group.min == 0 {
            return self.proceed(group.from, group.next);
        }
        None
    }

    fn proceed(&mut self, at: usize, next: &Next<'_>) -> Option<usize> {
        match next {
            Next::End => ends_word(self.text, at).then_some(at),
            Next::Sequence(nodes, next) => self.sequence(nodes, at, next),
            Next::Again(group) if at == group.from => None,
            Next::Again(group) => self.group(&Group {
                from: at,
                branches: group.branches,
                min: group.min,
                max: group.max,
                next: group.next,
            }),
        }
    }

    fn spend(&mut self, steps: usize) -> Option<()> {
        let left = self.budget.checked_sub(steps);
        self.budget = left.unwrap_or(0);
        self.is_spent |= left.is_none();
        left.map(|_| ())
    }
}
