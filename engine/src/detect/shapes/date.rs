//! Dates in the usual formats: `1980-03-12`, `12.3.80`, `12 March 1980`, `1980年3月12日`.

use super::ids::MONTHS;
use crate::detect::bytes::{self, at};
use crate::detect::text::boundary::free_after;

/// Longest name of a month, in bytes.
const LONGEST_NAME: usize = 36;
/// Words between day, month and year.
const BETWEEN: &[&str] = &["de", "del", "of", "di", "do", "da", "d"];
/// Endings of days in figures.
const ENDINGS: &[&str] = &["st", "nd", "rd", "th", "er", "º", "ª", "°", "-го", "e", "."];
/// The sign behind a number, and what the number is.
type Part = (&'static str, fn(Figures) -> bool);
/// Year, month and day with the signs behind them in Chinese and Japanese, and in Korean.
const SIGNED: [[Part; 3]; 2] = [
    [
        ("年", Figures::is_any),
        ("月", Figures::is_month),
        ("日", Figures::is_day),
    ],
    [
        ("년", Figures::is_any),
        ("월", Figures::is_month),
        ("일", Figures::is_day),
    ],
];
/// Months as Poles and Hungarians write them: `12 III 1984`.
const ROMAN: [&str; 12] = [
    "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII",
];
/// Day and month: `12.3.`
const DOTTED: [Part; 2] = [(".", Figures::is_day), (".", Figures::is_month)];

/// Where the date ends that begins at `start`.
pub(in crate::detect) fn end(text: &[u8], start: usize) -> Option<usize> {
    let end = named(text, start)
        .or_else(|| signed(text, start))
        .or_else(|| separated(text, start))
        .or_else(|| compact(text, start))?;
    let end = time_end(text, end).unwrap_or(end);
    free_after(text, end).then_some(end)
}

/// Where a day without its year ends that begins at `start`: `9 August`, `August 9th`, `12.3.`, `3月12日`.
pub(in crate::detect) fn day_end(text: &[u8], start: usize) -> Option<usize> {
    let end = named_day(text, start)
        .or_else(|| {
            SIGNED
                .iter()
                .find_map(|[_, day @ ..]| parts_end(text, start, day))
        })
        .or_else(|| parts_end(text, start, &DOTTED))?;
    free_after(text, end).then_some(end)
}

/// Where a year alone ends in which somebody who lives may have been born: `1984`.
pub(in crate::detect) fn year_of_life_end(text: &[u8], start: usize) -> Option<usize> {
    let year = figures(text, start, 4).filter(|year| (1900..=2039).contains(&year.value))?;
    let is_free = free_after(text, year.end) && !matches!(at(text, year.end), b'-' | b'/' | b'.')
        || matches!(
            bytes::slice(text, year.end, year.end + 2),
            [b'.' | b'-', b' ' | b'\n']
        )
        || at(text, year.end) == b'.' && year.end + 1 == text.len();
    is_free.then_some(year.end)
}

/// `9 August`, `9. August`, `August 9th`
fn named_day(text: &[u8], start: usize) -> Option<usize> {
    if let Some(day) = figures(text, start, 2) {
        let month = gap(text, day.end);
        return month_end(text, month).filter(|_| day.is_day() && month > day.end);
    }
    let day = figures(text, gap(text, month_end(text, start)?), 2).filter(|day| day.is_day())?;
    let ending = ENDINGS
        .iter()
        .find(|ending| bytes::begins(text, day.end, ending.as_bytes()));
    Some(day.end + ending.map_or(0, |ending| ending.len()))
}

/// A number in figures.
#[derive(Clone, Copy)]
struct Figures {
    value: u32,
    count: usize,
    end: usize,
}

fn figures(text: &[u8], start: usize, most: usize) -> Option<Figures> {
    let count = bytes::run(text, start, most + 1, |byte| byte.is_ascii_digit());
    let digits = bytes::slice(text, start, start + count);
    let value = digits
        .iter()
        .fold(0, |value, digit| value * 10 + u32::from(digit - b'0'));
    (1..=most).contains(&count).then_some(Figures {
        value,
        count,
        end: start + count,
    })
}

impl Figures {
    const fn is_any(self) -> bool {
        self.count > 0
    }

    fn is_day(self) -> bool {
        self.count <= 2 && (1..=31).contains(&self.value)
    }

    fn is_month(self) -> bool {
        self.count <= 2 && (1..=12).contains(&self.value)
    }

    /// Four digits, or the last two; of Thailand's calendar, too.
    fn is_year(self) -> bool {
        match self.count {
            4 => (1850..=2100).contains(&self.value) || (2400..=2650).contains(&self.value),
            count => count == 2,
        }
    }
}

/// `12.3.1980`, `03/12/80`, `1980 - 3 - 12`: one sign between, spaces around it.
fn separated(text: &[u8], start: usize) -> Option<usize> {
    let first = figures(text, start, 4)?;
    let (sign, second) = joint(text, first.end)?;
    let second = figures(text, second, 2)?;
    let (again, third) = joint(text, second.end)?;
    let third = figures(text, third, 4)?;
    let pair = |one: Figures, other: Figures| {
        one.is_day() && other.is_month() || one.is_month() && other.is_day()
    };
    let is_date = first.count == 4 && first.is_year() && pair(second, third)
        || third.is_year() && pair(first, second)
        || first.count == 2 && second.is_month() && third.count == 2 && third.is_day();
    // `16/7 1943`, `27/11-51`, as in Sweden
    let is_mixed =
        sign == b'/' && matches!(again, b' ' | b'-') && first.is_day() && third.count != 1;
    ((sign == again || is_mixed) && is_date).then_some(third.end)
}

fn joint(text: &[u8], start: usize) -> Option<(u8, usize)> {
    let spaces = bytes::run(text, start, 1, |byte| byte == b' ');
    let sign = at(text, start + spaces);
    if !matches!(sign, b'-' | b'.' | b'/') {
        return (spaces == 1).then_some((b' ', start + 1));
    }
    let after = start + spaces + 1;
    Some((
        sign,
        after + bytes::run(text, after, 1, |byte| byte == b' '),
    ))
}

/// `19800312`, `12031980`, `800312`
fn compact(text: &[u8], start: usize) -> Option<usize> {
    let all = figures(text, start, 8)?;
    let split = |from: usize, count: usize| {
        let end = start + from + count;
        figures(bytes::slice(text, 0, end), start + from, count)
    };
    let fits = |year: (usize, usize), month: usize, day: usize| {
        Some(
            split(year.0, year.1)?.is_year()
                && split(month, 2)?.is_month()
                && split(day, 2)?.is_day(),
        )
    };
    let is_date = match all.count {
        8 => fits((0, 4), 4, 6)? || fits((4, 4), 2, 0)? || fits((4, 4), 0, 2)?,
        6 => fits((0, 2), 2, 4)? || fits((4, 2), 2, 0)?,
        _ => false,
    };
    is_date.then_some(all.end)
}

/// `1980年3月12日`, also after the name of an era: `昭和55年3月12日`; or without the day.
fn signed(text: &[u8], start: usize) -> Option<usize> {
    SIGNED.iter().find_map(|parts| {
        let [month @ .., _] = parts;
        parts_end(text, start, parts).or_else(|| parts_end(text, start, month))
    })
}

/// Where numbers end that each have their sign behind them.
fn parts_end(text: &[u8], start: usize, parts: &[Part]) -> Option<usize> {
    let (mut index, mut end) = (start, start);
    for (sign, is_part) in parts {
        let part = figures(text, index, 4).filter(|part| is_part(*part))?;
        let behind = part.end + bytes::run(text, part.end, 1, |byte| byte == b' ');
        if !bytes::begins(text, behind, sign.as_bytes()) {
            return None;
        }
        end = behind + sign.len();
        index = end + bytes::run(text, end, 1, |byte| byte == b' ');
    }
    Some(end)
}

/// `12 March 1980`, `March 12th, 1980`, `12 de marzo de 1980`, `1980. március 12.`
fn named(text: &[u8], start: usize) -> Option<usize> {
    let Some(first) = figures(text, start, 4) else {
        let month = month_end(text, start)?;
        let day = figures(text, gap(text, month), 2).filter(|day| day.is_day())?;
        return year_end(text, day.end);
    };
    let month = month_end(text, gap(text, first.end))?;
    if first.is_day() {
        return year_end(text, month);
    }
    let day = figures(text, gap(text, month), 2).filter(|day| day.is_day())?;
    (first.count == 4 && first.is_year()).then_some(day.end)
}

fn year_end(text: &[u8], end: usize) -> Option<usize> {
    let year = figures(text, gap(text, end), 4)?;
    year.is_year().then_some(year.end)
}

/// After endings, punctuation and small words: where the next part of a date begins.
fn gap(text: &[u8], end: usize) -> usize {
    let mut index = end;
    for ending in ENDINGS {
        if bytes::begins(text, index, ending.as_bytes()) {
            index += ending.len();
            break;
        }
    }
    index = skip(text, index);
    for word in BETWEEN {
        let behind = index + word.len();
        if bytes::begins(text, index, word.as_bytes()) && matches!(at(text, behind), b' ' | b'\'') {
            return skip(text, behind + 1);
        }
    }
    index
}

fn skip(text: &[u8], index: usize) -> usize {
    index
        + bytes::run(text, index, 3, |byte| {
            matches!(byte, b' ' | b',' | b'.' | b'-' | b'/' | b'\'')
        })
}

/// Where the name of a month ends, with its ending.
fn month_end(text: &[u8], start: usize) -> Option<usize> {
    let length = bytes::run(text, start, LONGEST_NAME, |byte| {
        byte.is_ascii_alphabetic() || byte >= 0x80
    });
    let name = bytes::slice(text, start, start + length);
    let is_month = if ROMAN.iter().any(|month| month.as_bytes() == name) {
        true
    } else if name.is_ascii() {
        let begins = |stem: &&str| bytes::begins(name, 0, stem.as_bytes());
        MONTHS.iter().any(begins)
    } else {
        // Capitals outside ASCII are other bytes.
        let lower = str::from_utf8(name).ok()?.to_lowercase();
        MONTHS.iter().any(|stem| lower.starts_with(stem))
    };
    is_month.then_some(start + length)
}

/// A time directly after a date, as in `1980-03-12T00:00:00Z`.
fn time_end(text: &[u8], end: usize) -> Option<usize> {
    let is_time = at(text, end) == b'T' && at(text, end + 1).is_ascii_digit();
    let length = bytes::run(text, end, 32, |byte| {
        byte.is_ascii_digit() || matches!(byte, b'T' | b':' | b'.' | b'Z' | b'+' | b'-')
    });
    let time = bytes::slice(text, end, end + length);
    let last = time.iter().rposition(u8::is_ascii_alphanumeric)?;
    is_time.then_some(end + last + 1)
}
