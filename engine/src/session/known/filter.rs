//! Rules out nearly every position of a text, so that few are compared with values.

use std::collections::BTreeMap;

use super::{Head, SHORTEST};

/// How many grams a head has. A value that begins at one of this many positions has a gram at the last of them.
pub(super) const STEP: usize = SHORTEST + 1 - size_of::<Gram>();

type Gram = [u8; 4];

fn hash(gram: Gram) -> u32 {
    // The golden ratio's fraction spreads them.
    u32::from_le_bytes(gram).wrapping_mul(0x9e37_79b9)
}

/// The grams of four bytes of all heads, as a set over their hashes.
#[derive(Clone)]
pub(super) enum Filter {
    Few(Box<Places<2048>>),
    Several(Box<Places<8192>>),
    Many(Bits),
}

/// A byte for each hash, which is looked up faster than a bit.
#[derive(Clone)]
pub(super) struct Places<const N: usize>([bool; N]);

/// A bit for each hash.
#[derive(Clone, Default)]
pub(super) struct Bits {
    words: Vec<u64>,
    /// How many bits of a hash don't belong to the place of its bit.
    shift: u32,
}

impl Default for Filter {
    fn default() -> Self {
        Self::Many(Bits::default())
    }
}

impl Filter {
    /// The most heads for which the smaller sets have room.
    const FEW: usize = 8;
    const SEVERAL: usize = 64;
    /// The minimum number of bits per head.
    const BITS: usize = 32;
    /// How many steps are looked at together, since hardly any holds a gram, and how many bytes they read.
    const AT_ONCE: usize = 10;
    const WINDOW: usize = STEP * (Self::AT_ONCE - 1) + size_of::<Gram>();

    /// Adds the head that was added to these last.
    pub(super) fn add(&mut self, head: &[u8], all: &BTreeMap<Head, u32>) {
        if self.has_room(all.len()) {
            return self.set(head);
        }
        *self = Self::with_room(all.len());
        for head in all.keys() {
            self.set(head.0.expose());
        }
    }

    fn has_room(&self, heads: usize) -> bool {
        match self {
            Self::Few(_) => heads <= Self::FEW,
            Self::Several(_) => heads <= Self::SEVERAL,
            Self::Many(bits) => bits.words.len() * 64 >= heads * Self::BITS,
        }
    }

    fn with_room(heads: usize) -> Self {
        if heads <= Self::FEW {
            Self::Few(Box::new(Places::empty()))
        } else if heads <= Self::SEVERAL {
            Self::Several(Box::new(Places::empty()))
        } else {
            Self::Many(Bits::for_bits(2 * heads * Self::BITS))
        }
    }

    fn set(&mut self, head: &[u8]) {
        for gram in head.array_windows() {
            match self {
                Self::Few(places) => places.set(*gram),
                Self::Several(places) => places.set(*gram),
                Self::Many(bits) => bits.set(*gram),
            }
        }
    }

    /// The first step from one on at which a head may begin, or before the next step.
    pub(super) fn next_step(&self, text: &[u8], from: usize) -> Option<usize> {
        match self {
            Self::Few(places) => Self::next_of(text, from, |gram| places.hold(gram)),
            Self::Several(places) => Self::next_of(text, from, |gram| places.hold(gram)),
            Self::Many(bits) => Self::next_of(text, from, |gram| bits.hold(gram)),
        }
    }

    #[inline]
    fn next_of(text: &[u8], from: usize, holds: impl Fn(Gram) -> bool) -> Option<usize> {
        // A head that begins at a step, or before the next one, contains the last gram that begins in the step.
        let mut at = from + STEP - 1;
        loop {
            at += Self::bytes_without(text.get(at..)?, &holds);
            for _ in 0..Self::AT_ONCE {
                let gram = text.get(at..)?.first_chunk()?;
                let step = at + 1 - STEP;
                let begins =
                    |start: usize| text.get(start..).is_some_and(|text| begin(text, &holds));
                if holds(*gram) && (step..=at).any(begins) {
                    return Some(step);
                }
                at += STEP;
            }
        }
    }

    /// A number of bytes at the beginning in which no step holds a gram.
    #[inline]
    fn bytes_without(text: &[u8], holds: impl Fn(Gram) -> bool) -> usize {
        let mut at = 0;
        let window = |at: usize| {
            text.get(at..)
                .and_then(<[u8]>::first_chunk::<{ Self::WINDOW }>)
        };
        while let Some(bytes) = window(at) {
            let gram = |step: usize| {
                let at = STEP * step;
                [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]
            };
            if (0..Self::AT_ONCE).fold(false, |any, step| any | holds(gram(step))) {
                break;
            }
            at += Self::AT_ONCE * STEP;
        }
        at
    }

    /// Whether a text may begin with a head.
    pub(super) fn may_begin(&self, text: &[u8]) -> bool {
        match self {
            Self::Few(places) => begin(text, |gram| places.hold(gram)),
            Self::Several(places) => begin(text, |gram| places.hold(gram)),
            Self::Many(bits) => begin(text, |gram| bits.hold(gram)),
        }
    }
}

/// Whether a text begins with grams that are all held, as many as a head has.
#[inline]
fn begin(text: &[u8], holds: impl Fn(Gram) -> bool) -> bool {
    let mut grams = text.array_windows().take(STEP);
    grams.all(|gram| holds(*gram))
}

impl<const N: usize> Places<N> {
    const fn empty() -> Self {
        Self([false; N])
    }

    fn set(&mut self, gram: Gram) {
        self.0[Self::place(gram)] = true;
    }

    #[inline]
    fn hold(&self, gram: Gram) -> bool {
        self.0[Self::place(gram)]
    }

    #[inline]
    fn place(gram: Gram) -> usize {
        (hash(gram) >> (u32::BITS - N.trailing_zeros())) as usize
    }
}

impl Bits {
    /// Room for at least so many.
    fn for_bits(bits: usize) -> Self {
        let words = (bits / 64).next_power_of_two();
        Self {
            words: vec![0; words],
            shift: u32::BITS.saturating_sub((words * 64).trailing_zeros()),
        }
    }

    fn set(&mut self, gram: Gram) {
        let (word, bit) = self.place(gram);
        if let Some(bits) = self.words.get_mut(word) {
            *bits |= bit;
        }
    }

    #[inline]
    fn hold(&self, gram: Gram) -> bool {
        let (word, bit) = self.place(gram);
        self.words.get(word).copied().unwrap_or(0) & bit != 0
    }

    #[inline]
    fn place(&self, gram: Gram) -> (usize, u64) {
        let place = hash(gram) >> self.shift;
        ((place / 64) as usize, 1 << (place % 64))
    }
}
