//! Parts of a text that say the same again and again: they are looked through until what is found recurs.
//!
//! A pass is a machine that reads a text from its beginning to its end. Where the text repeats itself and the marks of
//! the pass stand as they stood whole periods before, everything between was found once and will be found again. Where
//! they do not do so soon, they are made to: bounds begin anew at whole periods.

#[cfg(test)]
mod tests;

use super::bytes;
use super::marks::Marks;
use super::pass::Pass;
use std::ops::Range;

/// What looks at a stretch of a text.
type Look<'l> = &'l mut dyn FnMut(&mut Pass<'_, '_>, Range<usize>);

/// A part of a text in which every byte but those of the first period is the one a period before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Repeat {
    start: usize,
    end: usize,
    period: usize,
    /// Up to where it is passed over: what follows it has to be looked at together with what stands before.
    last: usize,
}

/// Longest period, in bytes.
const LONGEST: usize = 1024;
/// Distance of the places at which a text is tested, in bytes.
const APART: usize = 8 * 1024;
/// Bytes that stand again within a period, where a closer look is worth it.
const SAMPLE: usize = 32;
/// Farthest that anything looks back in a repeat, in bytes: over a list of check sums.
const BEHIND: usize = 11 * 1024;
/// Farthest that anything looks ahead in a repeat, in bytes: over the longest values and what stands around them.
const AHEAD: usize = 36 * 1024;
/// Shortest part that is worth it, in bytes.
const SHORTEST: usize = BEHIND + AHEAD + 4 * LONGEST;
/// How much of a repeat is looked through until its finds recur by themselves, and then between the places where bounds
/// begin anew, in bytes.
const TRIED: usize = 16 * 1024;
/// Shortest stretch, in bytes.
const STRETCH: usize = 4;

/// The repeats of a text, none of them short.
pub(super) fn find(text: &[u8]) -> Vec<Repeat> {
    let mut repeats = Vec::new();
    let mut start = 0;
    while start + SHORTEST <= text.len() {
        let repeat = period(text, start).map(|period| Repeat::grown(text, start, period));
        start = repeat.map_or(start + APART, |repeat| repeat.end);
        repeats.extend(repeat.filter(|repeat| repeat.end - repeat.start >= SHORTEST));
    }
    repeats
}

/// How long the unit is that stands at `start` several times.
fn period(text: &[u8], start: usize) -> Option<usize> {
    let at = |from: usize, length: usize| bytes::slice(text, from, from + length);
    let sample = memchr::memmem::Finder::new(at(start, SAMPLE));
    let mut period = 1;
    while period <= LONGEST {
        period += sample.find(at(start + period, LONGEST + SAMPLE - period))?;
        if at(start, 2 * LONGEST) == at(start + period, 2 * LONGEST) {
            return Some(period);
        }
        period += 1;
    }
    None
}

impl Repeat {
    /// The whole repeat that begins at `start`.
    fn grown(text: &[u8], start: usize, period: usize) -> Self {
        let rest = bytes::slice(text, start, text.len());
        let next = bytes::slice(rest, period, rest.len());
        let (blocks, next_blocks) = (rest.as_chunks::<64>().0, next.as_chunks::<64>().0);
        let same = |(block, next): &(&[u8; 64], &[u8; 64])| block == next;
        let whole = 64 * blocks.iter().zip(next_blocks).take_while(same).count();
        let ends = rest.iter().zip(next).skip(whole);
        let whole = whole + ends.take_while(|(byte, next)| byte == next).count();
        let end = start + period + whole;
        Self {
            start,
            end,
            period,
            last: end.saturating_sub(AHEAD),
        }
    }

    /// Whether what stands around `at`, as far as anything looks, is in the repeat.
    const fn holds(&self, at: usize) -> bool {
        self.start + BEHIND <= at && at + AHEAD <= self.end
    }

    /// How long a stretch is after which the text goes on as it did. Literals are looked for at every other place.
    const fn stretch(&self) -> usize {
        let even = self.period << (self.period & 1);
        STRETCH.next_multiple_of(even)
    }

    /// A mark as seen from `at`. No two places see one alike that lies farther ahead than anything looks.
    const fn seen_from(&self, at: usize, mark: usize) -> usize {
        if mark >= self.end {
            mark
        } else if mark > at + AHEAD {
            usize::MAX - at
        } else {
            mark.saturating_sub(at - BEHIND)
        }
    }

    /// Looks at a repeat from `first` on, in short stretches, until all recurs; where to go on then. Where nothing does
    /// for long, where that is.
    fn recurring(
        &self,
        pass: &mut Pass<'_, '_>,
        first: usize,
        look: Look<'_>,
    ) -> Result<usize, usize> {
        let mut recurrence = Recurrence::default();
        let mut from = first;
        while from < first + TRIED && self.holds(from + self.stretch()) {
            look(pass, from..from + self.stretch());
            from += self.stretch();
            if let Some(distance) = self.pass_over(&mut recurrence, pass, from) {
                return Ok(from + distance);
            }
        }
        Err(from)
    }

    /// Looks at a repeat from `first` on, in long stretches at whose ends bounds begin anew: by themselves they recur too
    /// seldom where each has a cycle of its own. They do so before its last unit, too, which may name what stands behind;
    /// where that begins.
    fn renewing(&self, pass: &mut Pass<'_, '_>, first: usize, look: Look<'_>) -> usize {
        let stretch = TRIED.next_multiple_of(self.stretch());
        let mut recurrence = Recurrence::default();
        let mut from = first;
        while self.holds(from + stretch) {
            look(pass, from..from + stretch);
            from += stretch;
            pass.marks.renew();
            from += self.pass_over(&mut recurrence, pass, from).unwrap_or(0);
        }
        let last_unit = (self.end - self.period).next_multiple_of(2);
        look(pass, from..last_unit);
        pass.marks.renew();
        last_unit
    }

    /// Passes over what recurs from `at` on; how far that reaches.
    fn pass_over(
        &self,
        recurrence: &mut Recurrence<Marks>,
        pass: &mut Pass<'_, '_>,
        at: usize,
    ) -> Option<usize> {
        let seen = |mark| self.seen_from(at, mark);
        let distance = recurrence.pass_over(
            pass,
            at,
            |pass, known| pass.marks.are(known, &seen),
            |pass| pass.marks.moved(&seen),
        )?;
        pass.marks = self.moved_on(at, distance, &pass.marks);
        Some(distance)
    }

    /// The marks at `at`, moved by `distance` as far as they matter and lie in the repeat.
    fn moved_on(&self, at: usize, distance: usize, marks: &Marks) -> Marks {
        marks.moved(&|mark| {
            let moves = (at - BEHIND..self.end).contains(&mark);
            if moves { mark + distance } else { mark }
        })
    }
}

/// Hands a text to `look` in stretches, from its beginning to its end, without those whose finds recur. What was looked
/// at for something else does not matter.
pub(super) fn each_stretch(pass: &mut Pass<'_, '_>, look: Look<'_>) {
    if !pass.repeats.is_empty() {
        pass.marks = Marks::default();
    }
    let mut from = 0;
    for index in 0..pass.repeats.len() {
        let Some(&repeat) = pass.repeats.get(index) else {
            break;
        };
        let first = (repeat.start + BEHIND).next_multiple_of(2);
        look(pass, from..first);
        from = repeat
            .recurring(pass, first, look)
            .unwrap_or_else(|from| repeat.renewing(pass, from, look));
    }
    look(pass, from..pass.text.len());
}

/// Finds out where a text that is looked through is looked through as before.
#[derive(Debug)]
pub(super) struct Recurrence<S> {
    known: Option<Known<S>>,
    places: usize,
}

/// A place, the state that it was reached in, and how much was found before.
#[derive(Debug)]
struct Known<S> {
    at: usize,
    state: S,
    found: usize,
}

impl<S> Default for Recurrence<S> {
    fn default() -> Self {
        Self {
            known: None,
            places: 0,
        }
    }
}

impl<S> Recurrence<S> {
    /// How far everything recurs from `at` on, where a known state stands again. What is found there is kept.
    pub(super) fn pass_over(
        &mut self,
        pass: &mut Pass<'_, '_>,
        at: usize,
        stands_again: impl Fn(&Pass<'_, '_>, &S) -> bool,
        state: impl Fn(&Pass<'_, '_>) -> S,
    ) -> Option<usize> {
        let repeat = pass.repeats.iter().find(|repeat| repeat.holds(at))?;
        let known = self.known.as_ref().filter(|known| repeat.holds(known.at));
        if let Some(known) = known
            && (at - known.at).is_multiple_of(repeat.period)
            && stands_again(pass, &known.state)
        {
            let distance = at - known.at;
            let times = repeat.last.saturating_sub(at) / distance;
            pass.find_again(known.found, distance, times);
            return Some(distance * times);
        }
        // The distance may be of many places, and begin at any: what is known is renewed ever more seldom.
        self.places += 1;
        if known.is_none() || self.places.is_power_of_two() {
            let (state, found) = (state(pass), pass.found_count());
            self.known = Some(Known { at, state, found });
        }
        None
    }
}
