//! Chinese, Japanese and Korean addresses, which go from region to house: `東京都千代田区丸の内1-9-1`,
//! `北京市朝阳区建国路88号`, `서울특별시 강남구 테헤란로 448`.

use crate::detect::bytes;
use std::ops::Range;

/// What the scan searches for: the sign of a postal code, of a block or house, and of the largest
/// regions.
pub(in crate::detect) const SIGNS: &[&str] = &[
    "〒",
    "丁目",
    "番地",
    "号",
    "號",
    "東京都",
    "大阪府",
    "京都府",
    "北海道",
    "県",
    "특별시 ",
    "광역시 ",
    "경기도 ",
];

/// The first byte of most Korean syllables, from which on it is one of Hangul, and that of the others in one.
const HANGUL: u8 = 0xEA;
const HANGUL_REST: u8 = 0x80;
/// Most bytes on either side of a sign.
const REACH: usize = 90;
/// What regions, towns and streets end with.
const PLACES: &[char] = &[
    '都', '道', '府', '県', '省', '市', '区', '區', '町', '村', '郡', '县', '縣', '镇', '鎮',
];
const STREETS: &[char] = &['路', '街', '巷', '弄', '道', '丁', '目', '番', '町', '区'];

/// The address around a sign at `start`: two names of places or streets, and a number.
pub(super) fn find(text: &[u8], start: usize) -> Option<Range<usize>> {
    if bytes::at(text, start) >= HANGUL {
        return korean(text, start);
    }
    let from = back(text, start);
    let to = forward(text, start);
    let own = str::from_utf8(bytes::slice(text, from, to)).ok()?;
    let places = own.chars().filter(|sign| PLACES.contains(sign)).count();
    let streets = own.chars().filter(|sign| STREETS.contains(sign)).count();
    let has_number = own
        .chars()
        .any(|sign| sign.is_ascii_digit() || ('０'..='９').contains(&sign));
    let is_whole = places >= 2 && (streets > 0 || own.contains('〒')) && has_number;
    let trimmed = own.trim_end_matches([' ', '-', '、']);
    is_whole.then_some(from..from + trimmed.len())
}

/// Whether all of a text is such an address: `神奈川県横浜市西区みなとみらい2-3-1`.
pub(super) fn is_one(text: &str) -> bool {
    let places = text.chars().filter(|sign| PLACES.contains(sign)).count();
    places >= 2 && text.chars().all(belongs) && text.contains(|sign: char| sign.is_ascii_digit())
}

/// Words of Korean from the region around `start` to the number behind a street.
fn korean(text: &[u8], start: usize) -> Option<Range<usize>> {
    const MOST_WORDS: usize = 6;
    let from = start - bytes::run_back(text, start, REACH, |byte| byte >= HANGUL_REST);
    let line = bytes::slice(text, from, text.len().min(from + REACH));
    let line = line.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    let is_number = |word: &str| word.starts_with(|sign: char| sign.is_ascii_digit());
    let is_street = |word: &str| word.ends_with(['로', '길', '동', '리']);
    let (mut end, mut last) = (0, "");
    for word in line.split(' ').take(MOST_WORDS) {
        if is_number(word) && is_street(last) {
            let digits = bytes::run(word.as_bytes(), 0, word.len(), |byte| {
                byte.is_ascii_digit() || byte == b'-'
            });
            return Some(from..from + korean_unit_end(line, end + digits));
        }
        (end, last) = (end + word.len() + 1, word);
    }
    None
}

/// Where the numbers of building, floor and flat end behind a house: `448, 12층`, `97, 101동 302호`.
fn korean_unit_end(line: &str, house: usize) -> usize {
    let mut end = house;
    loop {
        let rest = line.get(end..).unwrap_or_default();
        let unit = rest.trim_start_matches([',', ' ']);
        let digits = bytes::run(unit.as_bytes(), 0, 5, |byte| byte.is_ascii_digit());
        let behind = unit.get(digits..).unwrap_or_default();
        let sign = ["층", "동", "호"]
            .iter()
            .find(|sign| behind.starts_with(**sign));
        match sign.filter(|_| digits > 0 && unit.len() < rest.len()) {
            Some(sign) => end += rest.len() - unit.len() + digits + sign.len(),
            None => return end,
        }
    }
}

fn belongs(sign: char) -> bool {
    matches!(sign, '\u{3400}'..='\u{9FFF}' | '\u{3041}'..='\u{30FF}' | '々' | '〒' | '－' | '０'..='９' | '−' | '‐')
        || sign.is_ascii_digit()
        || sign == '-'
}

/// Where the address begins: after verbs, particles and other text.
fn back(text: &[u8], start: usize) -> usize {
    let window = bytes::slice(text, start.saturating_sub(REACH), start);
    let text = window
        .utf8_chunks()
        .last()
        .map_or("", |chunk| chunk.valid());
    let begins = text
        .char_indices()
        .rev()
        .find(|(_, sign)| !belongs(*sign) || "はがをにへと是在住为為".contains(*sign));
    let own = begins.map_or(text, |(index, sign)| {
        text.get(index + sign.len_utf8()..).unwrap_or_default()
    });
    start - own.len()
}

fn forward(text: &[u8], start: usize) -> usize {
    let window = bytes::slice(text, start, text.len().min(start + REACH));
    let text = window
        .utf8_chunks()
        .next()
        .map_or("", |chunk| chunk.valid());
    let mut end = 0;
    let mut spaces = 0;
    for (index, sign) in text.char_indices() {
        // A space follows a postal code, and precedes the name of a building.
        if sign == ' ' && spaces == 0 {
            spaces += 1;
            continue;
        }
        if !belongs(sign) || "はがをにへとで在".contains(sign) {
            break;
        }
        end = index + sign.len_utf8();
    }
    start + end
}
