//! A small random generator with the same sequence on every machine (xorshift64*).

pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `bound`; 0 when it is 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let high = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33;
        usize::try_from(high).expect("31 bits") % bound.max(1)
    }

    pub(crate) fn one_in(&mut self, bound: usize) -> bool {
        self.below(bound) == 0
    }

    pub(crate) fn pick<'t, T>(&mut self, list: &'t [T]) -> &'t T {
        &list[self.below(list.len())]
    }

    /// Cuts a text at character boundaries into pieces of up to `longest` characters, the first of which may be longer: a
    /// single piece that ends as texts usually do, `5 %`, is taken for a whole text if something else follows.
    pub(crate) fn pieces(&mut self, text: &str, longest: usize) -> Vec<String> {
        let mut chars = text.chars().peekable();
        let mut out: Vec<String> = Vec::new();
        while chars.peek().is_some() {
            let piece: String = chars.by_ref().take(self.below(longest) + 1).collect();
            match out.as_mut_slice() {
                [first] if ends_as_texts_do(first) => first.push_str(&piece),
                _ => out.push(piece),
            }
        }
        out
    }

    /// Cuts bytes anywhere into pieces of up to `longest` bytes.
    pub(crate) fn chunks<'b>(&mut self, mut bytes: &'b [u8], longest: usize) -> Vec<&'b [u8]> {
        let mut out = Vec::new();
        while !bytes.is_empty() {
            let (piece, rest) = bytes.split_at((self.below(longest) + 1).min(bytes.len()));
            out.push(piece);
            bytes = rest;
        }
        out
    }
}

fn ends_as_texts_do(text: &str) -> bool {
    let mut last = text.chars().rev().take(3);
    last.any(|letter| matches!(letter, '%' | '&' | '\\' | 'M'))
}

/// The seeds to run: `SEED` alone, to replay a failure, or this many from 1 on.
pub(crate) fn seeds(count: u64) -> std::ops::RangeInclusive<u64> {
    match std::env::var("SEED")
        .ok()
        .and_then(|seed| seed.parse().ok())
    {
        Some(seed) => seed..=seed,
        None => 1..=count,
    }
}
