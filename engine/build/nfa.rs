//! Where in a match an anchor can stand.

use crate::pattern::Node;
use std::collections::BTreeSet;

/// The pattern as states: each consumes one byte of its set, or jumps.
pub(crate) struct Nfa {
    states: Vec<State>,
}

/// How far from the start of a match a literal can stand, and what can follow it.
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

    /// Where `anchor` can begin: the nearest run of distances from the start.
    pub(crate) fn place(&self, anchor: &[u8], max: usize) -> Option<Place> {
        let mut states = self.closure(BTreeSet::from([0]));
        let mut place: Option<Place> = None;
        for distance in 0..=max {
            let after = self.consume(&states, anchor);
            match &mut place {
                None if after.is_empty() => {}
                None => {
                    place = Some(Place {
                        nearest: distance,
                        farthest: distance,
                        followers: self.followers(&after),
                    });
                }
                Some(_) if after.is_empty() => return place,
                Some(place) => {
                    place.farthest = distance;
                    place.followers |= self.followers(&after);
                }
            }
            states = self.step(&states, u128::MAX);
        }
        None
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
