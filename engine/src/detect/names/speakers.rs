//! Who speaks in a chat, in small letters too: `kofi: anyone there?`, `[10:02] bob: yes`, `<ana> hi`.
//!
//! A line of such a form may be anything (`error: …`), so it needs another beside it, and a first name or a question in one of
//! them.

use super::lists::{Lists, Marks};
use super::token::{Kind, Token, hash_of};
use crate::detect::bytes;
use std::ops::Range;

/// The shortest name, in bytes: shorter words are in no list.
const SHORTEST: usize = 3;

/// What someone says: a line and its speaker.
#[derive(Debug)]
struct Turn {
    speaker: Range<usize>,
    /// Whether only a first name is written so.
    is_sure: bool,
    /// Whether nothing but a name may be written so.
    may_be_name: bool,
}

/// The turns of a text so far, and those that are next to each other.
#[derive(Debug, Default)]
pub(super) struct Speakers {
    turns: Vec<Turn>,
    sure: Vec<Range<usize>>,
}

impl Speakers {
    /// Reads the line that begins at `start`, if it is a turn.
    #[inline]
    pub(super) fn read(&mut self, text: &str, start: usize, lists: Lists<'_>) {
        let first = bytes::at(text.as_bytes(), start);
        if first.is_ascii_alphanumeric() || matches!(first, b'[' | b'<') || first >= 0xC3 {
            self.read_line(text, start, lists);
        }
    }

    fn read_line(&mut self, text: &str, start: usize, lists: Lists<'_>) {
        let Some(turn) = turn(text, start, lists) else {
            return;
        };
        let last = self.turns.last().map(|turn| turn.speaker.end);
        if last.is_some_and(|last| !are_near(text, last, start)) {
            self.end_chat(text);
        }
        self.turns.push(turn);
    }

    /// Keeps the speakers of turns next to each other, if they are a chat.
    fn end_chat(&mut self, text: &str) {
        let turns = std::mem::take(&mut self.turns);
        let said = |turn: &Turn| said(text, turn.speaker.end);
        let is_proven = turns.iter().any(|turn| turn.is_sure)
            && turns.iter().any(|turn| is_sentence(said(turn)));
        let is_question = turns.iter().any(|turn| said(turn).ends_with(b"?"))
            && turns
                .iter()
                .all(|turn| turn.may_be_name && is_talk(said(turn)));
        if turns.len() < 2 || !(is_proven || is_question) {
            return;
        }
        let named = turns.into_iter().filter(|turn| turn.may_be_name);
        self.sure.extend(named.map(|turn| turn.speaker));
    }

    /// Passes the speakers to `found`, and where they are spoken to in small letters.
    pub(super) fn each(
        mut self,
        text: &str,
        lists: Lists<'_>,
        found: &mut dyn FnMut(Range<usize>),
    ) {
        self.end_chat(text);
        let mut names: Vec<u64> = Vec::new();
        for speaker in self.sure {
            names.push(hash_of(text.get(speaker.clone()).unwrap_or_default()));
            found(speaker);
        }
        names.retain(|name| !lists.marks(*name).has(Marks::COMMON));
        names.sort_unstable();
        let mut word = Token::at(text, 0);
        while !names.is_empty() && word.kind != Kind::Edge {
            let name = without_s(text, &word);
            let is_told = bytes::at(text.as_bytes(), word.end) == b':';
            let is_known = || {
                let name = text.get(name.clone()).unwrap_or_default();
                names.binary_search(&hash_of(name)).is_ok()
            };
            if word.kind == Kind::Lower && !is_told && is_known() {
                found(name);
            }
            word = Token::after(text, word.end);
        }
    }
}

/// The part of a word that may be a name: `kofi` of `kofi's`.
fn without_s(text: &str, word: &Token) -> Range<usize> {
    let written = text.get(word.start..word.end).unwrap_or_default();
    let name = written
        .strip_suffix("'s")
        .or_else(|| written.strip_suffix("’s"));
    word.start..word.start + name.unwrap_or(written).len()
}

/// The turn that begins at `start`.
fn turn(text: &str, start: usize, lists: Lists<'_>) -> Option<Turn> {
    let bytes = text.as_bytes();
    let start = start + time_length(bytes::slice(bytes, start, bytes.len()));
    let is_bracketed = bytes::at(bytes, start) == b'<';
    let speaker = Token::at(text, start + usize::from(is_bracketed));
    let signs: &[u8] = if is_bracketed { b"> " } else { b": " };
    let behind = bytes::slice(bytes, speaker.end, speaker.end + signs.len());
    let says = bytes::at(bytes, speaker.end + signs.len());
    let is_text = says.is_ascii_alphabetic() || says >= 0xC2 || matches!(says, b'@' | b'?');
    let is_written = matches!(speaker.kind, Kind::Lower | Kind::Capital);
    if !is_written || behind != signs || !is_text || speaker.end - speaker.start < SHORTEST {
        return None;
    }
    let is_capital = speaker.kind == Kind::Capital;
    let marks = lists.marks(speaker.hash);
    let is_first = marks.has(Marks::FIRST);
    let is_word = marks.has(Marks::COMMON.with(Marks::PLACE));
    Some(Turn {
        speaker: speaker.start..speaker.end,
        is_sure: is_first && !is_word && (is_bracketed || !is_capital),
        may_be_name: !is_word || is_first && (is_bracketed || is_capital),
    })
}

/// The length of a time before a speaker, with the space behind it: `[10:02] `, `10:02 `.
fn time_length(line: &[u8]) -> usize {
    const LONGEST: usize = 24;
    let is_bracketed = bytes::at(line, 0) == b'[';
    let from = usize::from(is_bracketed);
    if !bytes::at(line, from).is_ascii_digit() {
        return 0;
    }
    let belongs = |byte: u8| {
        byte.is_ascii_digit()
            || matches!(byte, b':' | b'.' | b'/' | b'-')
            || is_bracketed && matches!(byte, b' ' | b',' | b'A' | b'P' | b'M' | b'T' | b'Z')
    };
    let end = from + bytes::run(line, from, LONGEST, belongs);
    let closing: &[u8] = if is_bracketed { b"] " } else { b" " };
    if bytes::slice(line, end, end + closing.len()) == closing {
        end + closing.len()
    } else {
        0
    }
}

/// Whether the next turn begins in one of the next lines.
fn are_near(text: &str, last: usize, start: usize) -> bool {
    const MOST_LINES: usize = 3;
    const FARTHEST: usize = 400;
    let between = bytes::slice(text.as_bytes(), last, start);
    between.len() <= FARTHEST && memchr::memchr_iter(b'\n', between).count() <= MOST_LINES
}

/// What is said behind a speaker.
fn said(text: &str, speaker_end: usize) -> &[u8] {
    const FARTHEST: usize = 400;
    let rest = bytes::slice(text.as_bytes(), speaker_end + 2, text.len());
    let length = bytes::run(rest, 0, FARTHEST, |byte| byte != b'\n');
    bytes::slice(rest, 0, length).trim_ascii_end()
}

/// Whether several words are said, as in no setting.
fn is_sentence(said: &[u8]) -> bool {
    said.contains(&b' ') && !matches!(said.last(), Some(b',' | b';' | b'{' | b'['))
}

/// Whether nothing but people says this: no message of a tool.
fn is_talk(said: &[u8]) -> bool {
    !said.iter().any(|byte| b":`'\"=<>{}_/".contains(byte))
}
