//! Computes the features of a word and its surroundings.

use super::line::Line;
use super::lists::{Lists, Marks};
use super::token::{self, Kind, Token, mix};
use super::walk::Tag;

/// Places of weights.
pub const PLACES: usize = 1_000_000;
/// Most features of a word.
const MOST: usize = 56;

/// The features of a word, as hashes.
#[derive(Debug, Clone)]
pub struct Features {
    hashes: [u32; MOST],
    count: usize,
}

impl Default for Features {
    fn default() -> Self {
        Self {
            hashes: [0; MOST],
            count: 0,
        }
    }
}

impl Features {
    /// The hashes.
    #[must_use]
    pub fn hashes(&self) -> &[u32] {
        self.hashes.get(..self.count).unwrap_or_default()
    }

    /// The places of their weights, of which features may share one.
    #[must_use]
    pub fn places(&self) -> impl ExactSizeIterator<Item = usize> {
        let place = |hash: &u32| ((u64::from(*hash) * PLACES as u64) >> u32::BITS) as usize;
        self.hashes().iter().map(place)
    }

    /// The features that are kept.
    #[must_use]
    pub fn some(&self, keep: &mut dyn FnMut(u32) -> bool) -> Self {
        let mut some = Self::default();
        for &hash in self.hashes().iter().filter(|hash| keep(**hash)) {
            some.add(hash);
        }
        some
    }

    const fn add(&mut self, hash: u32) {
        if self.count < MOST {
            self.hashes[self.count] = hash;
            self.count += 1;
        }
    }

    #[inline]
    fn push(&mut self, what: What, value: u64) {
        let mixed = (value ^ (what as u64).wrapping_mul(0xA076_1D64_78BD_642F))
            .wrapping_mul(0xE703_7ED1_A0B4_28DB);
        let hash = (mixed ^ (mixed >> 31)).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> u32::BITS;
        self.add(hash as u32);
    }
}

/// The kinds of features.
#[derive(Clone, Copy)]
enum What {
    Bias,
    Word,
    Shape,
    Prefix,
    Suffix,
    Marks,
    MarksShape,
    MarksNext,
    MarksPrevious,
    MarksTag,
    MarksAround,
    Previous,
    Next,
    Second,
    SecondNext,
    TwoBefore,
    TwoBehind,
    Around,
    PreviousMarks,
    NextMarks,
    TwoBeforeMarks,
    PreviousEnd,
    NextEnd,
    Tag,
    TagWord,
    TagPrevious,
    TagNext,
    TagShape,
    Kinds,
    KindsMarks,
    Start,
    Key,
    WholeKey,
    KeyMarks,
    Line,
    LineMarks,
    PreviousSuffix,
    EarlierTag,
    Script,
    Rare,
    LineShape,
    LineShapeMarks,
    LineEnds,
    LineStart,
    Compound,
    Frame,
    FrameMarks,
}

/// A word and its surroundings.
pub(super) struct Surroundings<'t> {
    pub(super) text: &'t str,
    pub(super) lists: Lists<'t>,
    /// Hashes of the key of the text.
    pub(super) key: Option<(u64, u64)>,
    /// The head of its column, in a table.
    pub(super) column: Option<&'t str>,
    pub(super) token: Token,
    pub(super) marks: Marks,
    pub(super) previous: Token,
    pub(super) next: Token,
    /// How the previous part of a name was tagged.
    pub(super) tag: Tag,
    /// The line of the word.
    pub(super) line: &'t Line,
    /// Whether a capitalized word comes directly before.
    pub(super) joined: bool,
    /// How the previous capitalized word was tagged.
    pub(super) before: Tag,
}

const fn both(first: u64, second: u64) -> u64 {
    first.rotate_left(17) ^ second.wrapping_mul(0x94D0_49BB_1331_11EB)
}

impl Surroundings<'_> {
    pub(super) fn features(&self, found: &mut Features) {
        found.count = 0;
        let Self {
            text,
            token,
            previous,
            next,
            ..
        } = self;
        let second = Token::before(text, previous.start);
        let second_next = Token::after(text, next.end);
        let word = token.hash;
        let marks = u64::from(self.marks.0);
        let kind = token.kind as u64;
        let tag = self.tag as u64 | u64::from(self.joined) << 2;
        let kinds = (previous.kind as u64) << 4 | next.kind as u64;
        let marks_of = |token: &Token| {
            let marks = if token.is_capital() {
                self.lists.marks(token.hash).0
            } else {
                0
            };
            u64::from(marks) | (token.kind as u64) << 4
        };
        let (next_marks, previous_marks) = (marks_of(next), marks_of(previous));
        let ends = Ends::of(text.get(token.start..token.end).unwrap_or_default());
        let shape = kind | ends.shape << 4;

        found.push(What::Bias, 0);
        found.push(What::Word, word);
        found.push(What::Shape, shape);
        for (length, prefix) in ends.prefixes.into_iter().enumerate() {
            found.push(What::Prefix, both(prefix, length as u64));
        }
        for (length, suffix) in ends.suffixes.into_iter().enumerate() {
            found.push(What::Suffix, both(suffix, length as u64));
        }
        found.push(What::Rare, both(ends.suffixes[1], marks));
        found.push(What::Marks, marks);
        found.push(What::MarksShape, marks | shape << 4);
        found.push(What::MarksNext, marks | next_marks << 8);
        found.push(What::MarksPrevious, marks | previous_marks << 8);
        found.push(What::MarksTag, marks | tag << 8);
        found.push(
            What::MarksAround,
            marks | next_marks << 8 | previous_marks << 20 | tag << 32,
        );
        found.push(What::Previous, previous.hash);
        found.push(What::Next, next.hash);
        found.push(What::Second, second.hash);
        found.push(What::SecondNext, second_next.hash);
        found.push(What::TwoBefore, both(previous.hash, second.hash));
        found.push(What::TwoBehind, both(next.hash, second_next.hash));
        found.push(What::Around, both(previous.hash, next.hash));
        found.push(What::PreviousMarks, both(previous.hash, marks));
        found.push(What::NextMarks, both(next.hash, marks));
        found.push(
            What::TwoBeforeMarks,
            both(both(previous.hash, second.hash), marks),
        );
        found.push(What::Tag, tag);
        found.push(What::TagWord, both(word, tag));
        found.push(What::TagPrevious, both(previous.hash, tag));
        found.push(What::TagNext, both(next.hash, tag));
        found.push(What::TagShape, shape | tag << 16);
        found.push(What::Kinds, kinds);
        found.push(What::KindsMarks, kinds | marks << 8 | tag << 16);
        found.push(
            What::EarlierTag,
            self.before as u64 | (previous.kind as u64) << 3 | marks << 8,
        );
        if previous.kind == Kind::Lower {
            let end = suffix_of(text, previous);
            found.push(What::PreviousEnd, end);
            found.push(What::PreviousSuffix, both(end, marks));
        }
        if next.kind == Kind::Lower {
            found.push(What::NextEnd, suffix_of(text, next));
        }
        let line = u64::from(is_start(previous))
            | u64::from(matches!(next.kind, Kind::Line | Kind::Edge)) << 1;
        if line != 0 {
            found.push(What::Line, line | tag << 2);
            found.push(What::LineMarks, line | marks << 2 | next_marks << 6);
        }
        if matches!(previous.kind, Kind::Sign | Kind::Line | Kind::Edge) {
            found.push(What::Start, both(second.hash, previous.hash ^ marks));
        }
        self.frame_features(found, &second, &second_next);
        self.key_features(found);
        if self.marks == Marks::default() {
            let tail = self.tail();
            found.push(What::Compound, u64::from(tail) | (next.kind as u64) << 8);
        }
        if ends.script != 0 {
            found.push(What::Script, ends.script << 8 | marks);
        }
        self.line_features(found, marks, tag);
    }

    /// The form of a text: signs and kinds of words around the word.
    fn frame_features(&self, found: &mut Features, second: &Token, second_next: &Token) {
        let marks = u64::from(self.marks.0);
        let kind = self.token.kind as u64;
        let behind = both(frame_of(&self.next), frame_of(second_next));
        let frame = both(frame_of(&self.previous), behind);
        found.push(What::Frame, both(frame, both(frame_of(second), kind)));
        found.push(What::FrameMarks, both(frame, marks | kind << 8));
    }

    /// The key that the word stands behind, or else the head of its column.
    fn key_features(&self, found: &mut Features) {
        let column = || self.column.map(key_hashes);
        if let Some((key, whole)) = self.key_before().or_else(column) {
            found.push(What::Key, key);
            found.push(What::WholeKey, whole);
            found.push(What::KeyMarks, both(key, u64::from(self.marks.0)));
        }
    }

    /// How much of the end of an unknown word is a word of a language: `Urnenfunde`.
    fn tail(&self) -> u8 {
        const SHORTEST: usize = 4;
        let word = self
            .text
            .get(self.token.start..self.token.end)
            .unwrap_or_default();
        let mut starts = word.char_indices().skip(3).map(|(index, _)| index);
        let tail = starts.find_map(|start| {
            let tail = word.get(start..).filter(|tail| tail.len() >= SHORTEST)?;
            let marks = self.lists.marks(token::hash_of(tail));
            (marks.has(Marks::COMMON)).then_some(tail.len())
        });
        tail.map_or(0, |length| u8::try_from(length.min(8)).unwrap_or(8))
    }

    /// The kind of line: a capitalized word is more likely a name in prose than in code.
    fn line_features(&self, found: &mut Features, marks: u64, tag: u64) {
        let line = self.line;
        let shape = line.code | line.words << 3 | line.capitals << 6;
        let starts = u64::from(is_start(&self.previous));
        found.push(What::LineShape, shape | line.above << 9);
        found.push(What::LineShapeMarks, shape | marks << 9 | tag << 13);
        found.push(What::LineEnds, line.first | line.last << 8 | marks << 12);
        found.push(
            What::LineStart,
            line.first | starts << 8 | line.above << 9 | line.code << 12 | marks << 15,
        );
    }

    /// Hash of the key before the word: `name: Anna`, `"customer": "Anna"`, `<name>Anna`.
    fn key_before(&self) -> Option<(u64, u64)> {
        const LONGEST: usize = 32;
        let bytes = self.text.as_bytes();
        let lead = bytes.get(..self.token.start)?;
        let fill = |byte: &u8| matches!(byte, b' ' | b'"' | b'\'' | b'*' | b'`' | b'\\' | b'|');
        let end = lead
            .iter()
            .rposition(|byte| !fill(byte))
            .map_or(0, |index| index + 1);
        if end == 0 {
            return self.key;
        }
        if self.token.start - end > 4 || !matches!(lead.get(end - 1), Some(b':' | b'=' | b'>')) {
            return None;
        }
        let lead = lead.get(..end - 1)?;
        let lead = lead.get(..lead.iter().rposition(|byte| !fill(byte))? + 1)?;
        let floor = lead.len().saturating_sub(LONGEST);
        let start = lead.iter().rposition(|byte| {
            !(byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-') || *byte >= 0x80)
        });
        let start = start.map_or(0, |index| index + 1).max(floor);
        let key = self.text.get(start..lead.len())?;
        (!key.is_empty()).then(|| (key_hash(key), plain_key(key)))
    }
}

/// What a neighbour says of the form of a text: its sign, or that it is a word.
fn frame_of(token: &Token) -> u64 {
    match token.kind {
        Kind::Sign => token.hash,
        kind => kind as u64,
    }
}

fn is_start(previous: &Token) -> bool {
    matches!(previous.kind, Kind::Line | Kind::Edge)
}

/// Hash of a key without its signs: `firstName`, `first_name`.
fn plain_key(key: &str) -> u64 {
    let letters = key.chars().filter(|letter| letter.is_alphabetic());
    letters
        .flat_map(char::to_lowercase)
        .fold(5, |hash, letter| mix(hash, u32::from(letter)))
}

/// Hashes of a key.
pub(super) fn key_hashes(key: &str) -> (u64, u64) {
    (key_hash(key), plain_key(key))
}

/// Hash of the last word of a key: `name` of `customerName`, `first_name`.
fn key_hash(key: &str) -> u64 {
    let last = key
        .rsplit(['_', '-', ' ', '.'])
        .find(|part| !part.is_empty())
        .unwrap_or(key);
    let mut start = 0;
    let mut was_small = false;
    for (index, letter) in last.char_indices() {
        if letter.is_uppercase() && was_small {
            start = index;
        }
        was_small = letter.is_lowercase();
    }
    token::hash_of(last.get(start..).unwrap_or(last))
}

/// Hash of the last three letters.
fn suffix_of(text: &str, token: &Token) -> u64 {
    let word = text.get(token.start..token.end).unwrap_or_default();
    word.chars()
        .rev()
        .take(3)
        .fold(3, |hash, letter| mix(hash, u32::from(letter)))
}

/// How a word begins and ends.
struct Ends {
    prefixes: [u64; 3],
    suffixes: [u64; 3],
    /// Its length, a hyphen, an apostrophe.
    shape: u64,
    /// Its non-ASCII letters.
    script: u64,
}

impl Ends {
    fn of(word: &str) -> Self {
        let small = |letter: char| {
            if letter.is_ascii() {
                letter.to_ascii_lowercase()
            } else {
                letter.to_lowercase().next().unwrap_or(letter)
            }
        };
        let mut ends = Self {
            prefixes: [0; 3],
            suffixes: [0; 3],
            shape: 0,
            script: 0,
        };
        let mut hash = 7;
        for (index, letter) in word.chars().take(4).enumerate() {
            hash = mix(hash, u32::from(small(letter)));
            if let Some(prefix) = index
                .checked_sub(1)
                .and_then(|index| ends.prefixes.get_mut(index))
            {
                *prefix = hash;
            }
        }
        hash = 11;
        for (index, letter) in word.chars().rev().take(4).enumerate() {
            hash = mix(hash, u32::from(small(letter)));
            if let Some(suffix) = index
                .checked_sub(1)
                .and_then(|index| ends.suffixes.get_mut(index))
            {
                *suffix = hash;
            }
        }
        let length = word.len().min(12) as u64 / 2;
        let bytes = word.as_bytes();
        let is_ascii = word.is_ascii();
        let has_apostrophe = bytes.contains(&b'\'') || !is_ascii && word.contains('’');
        ends.shape =
            length | u64::from(bytes.contains(&b'-')) << 4 | u64::from(has_apostrophe) << 5;
        if is_ascii {
            return ends;
        }
        ends.script =
            word.chars()
                .find(|letter| !letter.is_ascii())
                .map_or(0, |letter| match letter {
                    '\u{80}'..='\u{24F}' => 1,
                    '\u{370}'..='\u{3FF}' => 2,
                    '\u{400}'..='\u{52F}' => 3,
                    _ => 4,
                });
        ends
    }
}
