//! Computes where in a match an anchor can be.

use crate::pattern::Node;
use std::collections::BTreeSet;

/// The pattern as states: each consumes one byte of its set, or jumps.
pub(crate) struct Nfa {
    states: Vec<State>,
}

/// How far from the start of a match a literal can be, and what can follow it.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub(crate) nearest: usize,
    pub(crate) farthest: usize,
    pub(crate) followers: u128,
}

enum State {
    Byte(u128),
    Split(usize, usize),
    Match,
}

impl Nfa {
    pub(crate) fn new(nodes: &[Node]) -> Self {
        let mut nfa = Self { states: Vec::new() };
        nfa.sequence(nodes);
        nfa.states.push(State::Match);
        nfa
    }

    /// The first `count` runs of distances from the start at which `anchor` can begin, as far as `max`.
    pub(crate) fn places(&self, anchor: &[u8], count: usize, max: usize) -> Vec<Place> {
        let mut states = self.closure(BTreeSet::from([0]));
        let mut places: Vec<Place> = Vec::new();
        let mut continues = false;
        for distance in 0..=max {
            let after = self.consume(&states, anchor);
            if !after.is_empty() {
                let followers = self.followers(&after);
                match places.last_mut() {
                    Some(place) if continues => {
                        place.farthest = distance;
                        place.followers |= followers;
                    }
                    _ => places.push(Place {
                        nearest: distance,
                        farthest: distance,
                        followers,
                    }),
                }
            }
            continues = !after.is_empty();
            if !continues && places.len() == count {
                break;
            }
            states = self.step(&states, u128::MAX);
        }
        places
    }

    /// Whether every match holds one of `anchors` at one of its places.
    pub(crate) fn always_holds(&self, anchors: &[(&[u8], Place)], nocase: bool) -> bool {
        let last = |(text, place): &(&[u8], Place)| place.farthest + text.len();
        let reach = anchors.iter().map(last).max().unwrap_or(0);
        // The states of matches that held none so far, each with the start of an anchor that was just read.
        let start = self.closure(BTreeSet::from([0]));
        let mut without: BTreeSet<(usize, Vec<u8>)> =
            start.into_iter().map(|state| (state, Vec::new())).collect();
        for end in 1..=reach {
            let ends = |(state, _): &(usize, Vec<u8>)| matches!(self.states[*state], State::Match);
            if without.iter().any(ends) {
                return false;
            }
            let holds = |read: &[u8]| {
                anchors.iter().any(|(text, place)| {
                    let placed = place.nearest + text.len()..=place.farthest + text.len();
                    read.ends_with(text) && placed.contains(&end)
                })
            };
            without = without
                .iter()
                .flat_map(|(state, read)| self.read(*state, read, anchors, nocase))
                .filter(|(_, read)| !holds(read))
                .collect();
        }
        without.is_empty()
    }

    /// Where a byte leads from a state after the start of an anchor was read.
    fn read(
        &self,
        state: usize,
        read: &[u8],
        anchors: &[(&[u8], Place)],
        nocase: bool,
    ) -> Vec<(usize, Vec<u8>)> {
        let State::Byte(set) = self.states[state] else {
            return Vec::new();
        };
        let next = self.closure(BTreeSet::from([state + 1]));
        let fold = |byte: u8| {
            if nocase {
                byte.to_ascii_lowercase()
            } else {
                byte
            }
        };
        let read: BTreeSet<Vec<u8>> = (0..128u8)
            .filter(|byte| set >> byte & 1 == 1)
            .map(|byte| longest_start(anchors, read, fold(byte)))
            .collect();
        read.into_iter()
            .flat_map(|read| next.iter().map(move |&state| (state, read.clone())))
            .collect()
    }

    fn consume(&self, states: &BTreeSet<usize>, text: &[u8]) -> BTreeSet<usize> {
        text.iter()
            .fold(states.clone(), |states, byte| self.step(&states, 1 << byte))
    }

    /// The bytes that can come next; anything when the pattern may end here.
    fn followers(&self, states: &BTreeSet<usize>) -> u128 {
        states
            .iter()
            .map(|&state| match self.states[state] {
                State::Byte(set) => set,
                State::Split(..) => 0,
                State::Match => u128::MAX,
            })
            .fold(0, |all, set| all | set)
    }

    fn step(&self, states: &BTreeSet<usize>, set: u128) -> BTreeSet<usize> {
        let next = states
            .iter()
            .filter(|&&state| matches!(self.states[state], State::Byte(own) if own & set != 0))
            .map(|state| state + 1)
            .collect();
        self.closure(next)
    }

    fn closure(&self, mut states: BTreeSet<usize>) -> BTreeSet<usize> {
        let mut open: Vec<usize> = states.iter().copied().collect();
        while let Some(state) = open.pop() {
            if let State::Split(first, second) = self.states[state] {
                open.extend(
                    [first, second]
                        .into_iter()
                        .filter(|&next| states.insert(next)),
                );
            }
        }
        states
    }

    fn sequence(&mut self, nodes: &[Node]) {
        for node in nodes {
            match node {
                Node::Class { set, min, max } => {
                    self.repeat(*min, *max, |nfa| nfa.states.push(State::Byte(*set)));
                }
                Node::Group { branches, min, max } => {
                    self.repeat(*min, *max, |nfa| nfa.alternatives(branches));
                }
                Node::ValueStart | Node::ValueEnd => {}
            }
        }
    }

    fn repeat(&mut self, min: u16, max: u16, body: impl Fn(&mut Self)) {
        for _ in 0..min {
            body(self);
        }
        for _ in min..max {
            let split = self.states.len();
            self.states.push(State::Split(split + 1, split + 1));
            body(self);
            let end = self.states.len();
            self.states[split] = State::Split(split + 1, end);
        }
    }

    fn alternatives(&mut self, branches: &[Vec<Node>]) {
        let mut exits = Vec::new();
        for (index, branch) in branches.iter().enumerate() {
            let last = index + 1 == branches.len();
            let split = self.states.len();
            if !last {
                self.states.push(State::Split(split + 1, split + 1));
            }
            self.sequence(branch);
            if !last {
                exits.push(self.states.len());
                self.states.push(State::Split(0, 0));
                let next = self.states.len();
                self.states[split] = State::Split(split + 1, next);
            }
        }
        let end = self.states.len();
        for exit in exits {
            self.states[exit] = State::Split(end, end);
        }
    }
}

/// The longest end of `read` and `byte` that an anchor starts with.
fn longest_start(anchors: &[(&[u8], Place)], read: &[u8], byte: u8) -> Vec<u8> {
    let text = [read, &[byte]].concat();
    (0..text.len())
        .map(|from| &text[from..])
        .find(|end| anchors.iter().any(|(anchor, _)| anchor.starts_with(end)))
        .unwrap_or_default()
        .to_vec()
}
