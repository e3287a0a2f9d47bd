//! One pass over a text that finds the places where a detection may begin, and asks the detector of each.

pub(super) mod anchor;
pub(super) mod anchors;
pub(super) mod grams;
pub(super) mod named;
mod rarity;

use crate::detect::shapes::{email, ids, ipv6, number};
use crate::detect::text::scanner::Scanner;
use crate::detect::{bytes, names, shapes, syntax};
use anchor::Anchor;
use grams::Grams;

/// How many bytes are examined together.
const STEP: usize = 32;
/// A step and what follows: enough to see whether a number continues.
const WINDOW: usize = STEP + WORD;
const WORD: usize = size_of::<u64>();
const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// Examines every place in the text where a detection may begin.
pub(super) fn scan(scanner: &mut Scanner<'_, '_>, grams: &Grams) {
    scan_grams(scanner, grams);
    for sign in memchr::memchr_iter(b'@', scanner.text) {
        email::scan(scanner, sign);
    }
    scan_numbers(scanner);
}

/// Examines literals.
fn scan_grams(scanner: &mut Scanner<'_, '_>, grams: &Grams) {
    let text = scanner.text;
    // One more pair shows that a step is whole.
    let until = text.len() / grams::STEP * grams::STEP + 2;
    let whole = pairs(text, until.min(text.len()));
    scan_pairs(scanner, grams, whole, 0, grams::STEP);
    let mut at = whole.len().saturating_sub(1) / grams::AT_ONCE * grams::STEP;
    while at < text.len() {
        let mut padded = [0; grams::STEP + 2];
        let (last, _) = window(text, at, &mut padded).as_chunks();
        scan_pairs(scanner, grams, last, at, text.len() - at);
        at += grams::STEP;
    }
}

fn pairs(text: &[u8], end: usize) -> &[[u8; 2]] {
    bytes::slice(text, 0, end).as_chunks().0
}

/// Examines the grams that begin with as many pairs as are examined at once, and continues while
/// one more follows; of each, those that begin in its first bytes.
#[inline(never)]
fn scan_pairs(
    scanner: &mut Scanner<'_, '_>,
    grams: &Grams,
    pairs: &[[u8; 2]],
    start: usize,
    first: usize,
) {
    let beyond = grams::STEP.saturating_sub(first) / 2;
    let own = u64::MAX >> (8 * beyond).min(63);
    let mut at = start;
    for window in pairs.array_windows().step_by(grams::AT_ONCE) {
        let bits = grams.bits(window) & own;
        if bits != 0 {
            scan_around(scanner, grams, bits, at);
        }
        at += grams::STEP;
    }
}

/// Examines digits and colons. Most steps contain neither.
#[inline(never)]
fn scan_numbers(scanner: &mut Scanner<'_, '_>) {
    let text = scanner.text;
    let mut state = State::new();
    let mut padded = [0; WINDOW];
    let (steps, rest) = text.as_chunks::<STEP>();
    let mut index = 0;
    for step in steps {
        if holds_digit_or_colon(step) {
            state.scan(window(text, index, &mut padded), index, scanner);
        } else {
            state.forget();
        }
        index += STEP;
    }
    if !rest.is_empty() {
        state.own = (1 << rest.len()) - 1;
        state.scan(window(text, index, &mut padded), index, scanner);
    }
}

/// Whether a step contains a digit or colon: all bytes are examined at once, so none is missed.
#[inline]
fn holds_digit_or_colon(step: &[u8; STEP]) -> bool {
    let is_one = |byte: u8| byte.wrapping_sub(b'0') <= b':' - b'0';
    step.iter().fold(false, |found, &byte| found | is_one(byte))
}

/// The bytes from `index` on, followed by zeros.
#[inline]
fn window<'w, const LENGTH: usize>(
    text: &'w [u8],
    index: usize,
    padded: &'w mut [u8; LENGTH],
) -> &'w [u8; LENGTH] {
    let rest = text.get(index..).unwrap_or_default();
    rest.first_chunk().unwrap_or_else(|| {
        *padded = [0; LENGTH];
        for (to, from) in padded.iter_mut().zip(rest) {
            *to = *from;
        }
        padded
    })
}

/// What precedes a step.
struct State {
    /// Bit 0 is set when the byte before is a digit.
    digit_before: u64,
    /// Colons of the five bytes before, lowest bit first.
    colons_before: u64,
    /// The bytes of a step that are examined, lowest bit first.
    own: u64,
}

impl State {
    const fn new() -> Self {
        Self {
            digit_before: 0,
            colons_before: 0,
            own: (1 << STEP) - 1,
        }
    }

    /// A step contains neither digits nor colons.
    const fn forget(&mut self) {
        (self.digit_before, self.colons_before) = (0, 0);
    }

    /// Examines the step at `index`, with which a window begins.
    #[inline(never)]
    fn scan(&mut self, window: &[u8; WINDOW], index: usize, scanner: &mut Scanner<'_, '_>) {
        let mut words = [0; WINDOW / WORD];
        for (word, bytes) in words.iter_mut().zip(window.as_chunks().0) {
            *word = u64::from_le_bytes(*bytes);
        }
        self.numbers(&words, index, scanner);
        self.colons(&words, index, scanner);
    }

    /// Examines the numbers that begin in a step. Most are short and alone, and are skipped, except
    /// in long words.
    #[inline]
    fn numbers(
        &mut self,
        words: &[u64; WINDOW / WORD],
        index: usize,
        scanner: &mut Scanner<'_, '_>,
    ) {
        let digits = marked(&words.map(|word| below(word, COLON)));
        let mut starts = digits & !(digits << 1 | self.digit_before) & self.own;
        self.digit_before = digits >> (STEP - 1) & 1;
        // More than three digits, or another number that begins near the end of one, two or three.
        let long = digits >> 1 & digits >> 2 & digits >> 3;
        let ends = digits << 1 & !digits;
        let near = ends & (digits >> 1 | digits >> 2 | digits >> 3 | digits >> 4);
        let mut looked_at = starts & (long | near >> 1 | near >> 2 | near >> 3);
        if words.iter().any(|word| word & HIGHS != 0) {
            looked_at = starts;
        }
        while starts != 0 {
            let offset = starts.trailing_zeros();
            starts &= starts - 1;
            let start = index + offset as usize;
            if looked_at >> offset & 1 == 1
                || ids::is_in_long_word(scanner, start)
                || ids::begins_account(scanner.text, start)
            {
                let length = (digits >> offset).trailing_ones().min(LONG);
                number::scan(scanner, start, length as usize);
            }
        }
    }

    /// Examines colons that follow another within five bytes.
    #[inline]
    fn colons(
        &mut self,
        words: &[u64; WINDOW / WORD],
        index: usize,
        scanner: &mut Scanner<'_, '_>,
    ) {
        let [words @ .., _] = words;
        let marks = words.map(|word| below(word, COLON + 1) ^ below(word, COLON));
        if self.colons_before == 0 && marks == [0; STEP / WORD] {
            return;
        }
        let colons = self.colons_before | marked(&marks) << 5;
        let near = colons << 1 | colons << 2 | colons << 3 | colons << 4 | colons << 5;
        let mut paired = colons & near & self.own << 5;
        while paired != 0 {
            let colon = index + paired.trailing_zeros() as usize - 5;
            ipv6::scan(scanner, colon);
            ids::find_mac_address(scanner, colon);
            paired &= paired - 1;
        }
        self.colons_before = colons >> STEP;
    }
}

#[inline(never)]
fn scan_around(scanner: &mut Scanner<'_, '_>, grams: &Grams, bits: u64, at: usize) {
    grams.verify(scanner.text, at, bits, |anchor, start| {
        scan_at(scanner, anchor, start);
    });
}

/// Examines what begins at an anchor.
fn scan_at(scanner: &mut Scanner<'_, '_>, anchor: Anchor, start: usize) {
    match anchor {
        Anchor::Url => shapes::url::scan(scanner, start),
        Anchor::Pem => shapes::pem::scan(scanner, start),
        Anchor::PemEnd => shapes::pem::scan_end(scanner, start),
        Anchor::PuttyKey => shapes::pem::scan_lines(scanner, start),
        Anchor::EncodedPem => shapes::pem::scan_encoded(scanner, start),
        Anchor::WebKey => shapes::jwk::scan(scanner, start),
        Anchor::Jwt => shapes::jwt::scan(scanner, start),
        Anchor::Manifest => syntax::manifest::scan(scanner, start),
        Anchor::Scheme => syntax::authorization::scan(scanner, start),
        Anchor::Authorization => syntax::authorization::scan_header(scanner, start),
        Anchor::Command(command) => syntax::command_line::scan(scanner, command, start),
        Anchor::Port => syntax::pgpass::scan(scanner, start),
        Anchor::Call(opening) => syntax::call::scan(scanner, opening, start),
        Anchor::DataSource => syntax::call::scan_host(scanner, start),
        Anchor::Header => {
            shapes::ids::scan_header(scanner, start);
        }
        Anchor::Word(index) => scan_word(scanner, index, start),
        Anchor::Street(index) => shapes::address::scan(scanner, index, start),
        Anchor::Field => shapes::address::scan_field(scanner, start),
        Anchor::AddressSign => shapes::address::scan_sign(scanner, start),
        Anchor::Segment => shapes::hl7::scan(scanner, start),
        Anchor::Title => names::scan_title(scanner, start),
        Anchor::Bank => shapes::ids::scan_bank(scanner, start),
        Anchor::Zone => shapes::ids::scan_zone(scanner, start),
        Anchor::Name(stem) => syntax::assigned::scan(scanner, stem, start),
        Anchor::Phrase(phrase) => syntax::assigned::scan_phrase(scanner, phrase, start),
        Anchor::Vendor { rule, anchor } => shapes::vendor::try_rule(scanner, rule, anchor, start),
    }
}

fn scan_word(scanner: &mut Scanner<'_, '_>, index: u16, start: usize) {
    if let Some(word) = shapes::ids::WORDS.get(usize::from(index)) {
        shapes::ids::scan_word(scanner, word, start);
    }
}

/// As many digits of a number as are seen wherever in a step it begins.
const LONG: u32 = 8;
/// The byte `:` directly follows `9`, at this distance from `0`.
const COLON: u64 = 10;

/// The high bit of every byte from `0` on, as far as `count` (at most 128) bytes.
#[inline]
const fn below(word: u64, count: u64) -> u64 {
    !beyond(word, count) & HIGHS
}

/// The high bit of every other byte, among irrelevant bits.
#[inline]
const fn beyond(word: u64, count: u64) -> u64 {
    let distance = word ^ (ONES * 0x30);
    let carried = (distance & !HIGHS) + ONES * (0x80 - count);
    carried | distance
}

/// The bytes of words that are marked by their high bits, lowest bit first.
#[inline]
fn marked(marks: &[u64]) -> u64 {
    let marks = marks.iter().rev();
    marks.fold(0, |bits, marks| bits << WORD | compress(*marks))
}

/// The high bits of eight bytes as eight bits.
#[inline]
const fn compress(marks: u64) -> u64 {
    gather(marks >> 7)
}

/// The low bits of eight bytes, which hold no others, as eight bits.
#[inline]
const fn gather(ones: u64) -> u64 {
    ones.wrapping_mul(0x0102_0408_1020_4080) >> 56
}
