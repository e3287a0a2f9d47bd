//! Words that name the value next to them: `passport no. X1234567`, `"dob": "1980-03-12"`.

use super::column;
use super::tables::{Word, words_at};
use super::{account, layout, push, value};
use crate::EntityType;
use crate::detect::Score;
use crate::detect::bytes::{self, at, before};
use crate::detect::shapes::date;
use crate::detect::text::scanner::Scanner;
use std::ops::Range;

/// How far after a word its value may begin, in bytes.
const REACH: usize = 72;
/// Most words between.
const MOST_WORDS: usize = 6;
/// Most bytes between a date and a word that follows it.
const MOST_BETWEEN: usize = 24;
/// Most words between an abbreviation and its number.
const FEW_WORDS: usize = 2;
/// Most values between that are of another form.
const MOST_OTHERS: usize = 1;
/// Words for a day that comes every year.
const BIRTHDAYS: [&str; 13] = [
    "birthday",
    "bday",
    "b-day",
    "geburtstag",
    "anniversaire",
    "cumpleaños",
    "compleanno",
    "aniversário",
    "verjaardag",
    "urodziny",
    "誕生日",
    "生日",
    "생일",
];
/// Longest run of letters that follows a stem, in bytes.
const LONGEST_ENDING: usize = 12;

/// Examines what the word at `start` names, next to it or in the column below.
pub(in crate::detect) fn scan(scanner: &mut Scanner<'_, '_>, word: &'static Word, start: usize) {
    let text = scanner.text;
    let Some(end) = word_end(text, word, start) else {
        return;
    };
    if word.form().is_some_and(|form| form.begins) && !begins_part(text, start) {
        return;
    }
    if column::scan(scanner, &(start..end)) {
        return;
    }
    let is_birth = word.entity == EntityType::DATE_OF_BIRTH;
    if is_birth && let Some(date) = date_before(text, start, end, 1) {
        push(
            scanner,
            date,
            word.entity.clone(),
            Score::percent(85),
            "date-of-birth",
        );
        return;
    }
    let mut between = Between::new(text, end);
    between.may_begin_with_word = is_birth;
    if word.form().is_some() {
        (between.may_begin_with_word, between.most_words) = (true, FEW_WORDS);
    }
    while let Some(place) = between.next_place() {
        let year = || year_end(text, end..place, word);
        if let Some(value_end) = value_end(text, place, word).or_else(year) {
            let rule = if is_birth {
                "date-of-birth"
            } else {
                "named-number"
            };
            push(
                scanner,
                with_series(text, place)..value_end,
                word.entity.clone(),
                Score::percent(85),
                rule,
            );
            return;
        }
        if !between.pass_over(place) {
            break;
        }
    }
    if is_birth && let Some(date) = date_before(text, start, end, MOST_BETWEEN) {
        let score = Score::percent(80);
        push(scanner, date, word.entity.clone(), score, "date-of-birth");
    }
}

/// Whether a label at `start` begins its line, its cell or its part of a sentence: `order ID No.` is that of an order.
fn begins_part(text: &[u8], start: usize) -> bool {
    let gap = bytes::run_back(text, start, 4, |byte| {
        matches!(byte, b' ' | b'"' | b'*' | b'-' | b'\t')
    });
    let sign = before(text, start - gap);
    is_owned(text, start - gap)
        || sign == 0
        || !(sign.is_ascii_alphanumeric()
            || sign >= 0x80
            || matches!(sign, b'_' | b'#' | b'/' | b'.'))
}

/// Whether the word that ends at `end` says whose number it is: `my ID no.`
fn is_owned(text: &[u8], end: usize) -> bool {
    const LONGEST: usize = 6;
    #[rustfmt::skip]
    const OWNERS: [&[u8]; 11] = [b"my", b"your", b"his", b"her", b"their", b"our", b"whose", b"mein", b"meine", b"ihre", b"deine"];
    let length = bytes::run_back(text, end, LONGEST, |byte| byte.is_ascii_alphabetic());
    let word = bytes::slice(text, end - length, end);
    OWNERS.iter().any(|owner| word.eq_ignore_ascii_case(owner))
}

/// Where a number begins with the letters of its series, if they are Greek or Cyrillic, or with its era: `ΑΒ 971337`,
/// `АВ190333`, `昭和55年`.
fn with_series(text: &[u8], number: usize) -> usize {
    const LETTERS: usize = 2;
    const ERAS: [&str; 5] = ["明治", "大正", "昭和", "平成", "令和"];
    let lead = bytes::slice(text, 0, number);
    if let Some(era) = ERAS.iter().find(|era| lead.ends_with(era.as_bytes())) {
        return number - era.len();
    }
    let end = number - usize::from(before(text, number) == b' ');
    let length = bytes::run_back(text, end, 2 * LETTERS + 1, |byte| byte >= 0x80);
    let own = bytes::slice(text, end - length, end);
    let is_series = str::from_utf8(own)
        .is_ok_and(|own| own.chars().count() == LETTERS && own.chars().all(char::is_uppercase));
    let is_number = is_series && at(text, number).is_ascii_digit();
    if is_number { end - length } else { number }
}

/// Where the value of a word ends that begins at `place`.
fn value_end(text: &[u8], place: usize, word: &Word) -> Option<usize> {
    let Some(form) = word.form() else {
        let has_no_year = || BIRTHDAYS.contains(&word.text);
        let birthday = || has_no_year().then(|| date::day_end(text, place)).flatten();
        return value::end(text, place, &word.entity).or_else(birthday);
    };
    layout::form_end(text, place, form).filter(|end| is_near(text, place..*end, form.near))
}

/// Where a year alone ends that follows a word for a birth, or one for a year of birth: `born in 1948`, `Jahrgang 1959`.
/// A birthday in a year is no birth.
fn year_end(text: &[u8], between: Range<usize>, word: &Word) -> Option<usize> {
    const MOST: usize = 12;
    #[rustfmt::skip]
    const JOINING: [&str; 16] = [
        "in", "im", "i", "en", "em", "nel", "nell", "w", "v", "au", "în", "jahr", "jahre", "roku", "år", "в",
    ];
    let gap = bytes::slice(text, between.start, between.end);
    let gap = str::from_utf8(gap).ok().filter(|gap| gap.len() <= MOST)?;
    let mut words = gap
        .split(|letter: char| !letter.is_alphabetic())
        .filter(|word| !word.is_empty());
    let is_near = words.all(|word| JOINING.contains(&word.to_lowercase().as_str()));
    let is_birth = word.entity == EntityType::DATE_OF_BIRTH && !BIRTHDAYS.contains(&word.text);
    (is_birth && is_near)
        .then(|| date::year_of_life_end(text, between.end))
        .flatten()
}

/// Whether one of the words is near a value.
fn is_near(text: &[u8], value: Range<usize>, words: &[&str]) -> bool {
    const NEAR: usize = 80;
    let start = value.start.saturating_sub(NEAR);
    let around = bytes::slice(text, start, text.len().min(value.end + NEAR));
    let begins =
        |word: &&str| (0..around.len()).any(|at| bytes::begins(around, at, word.as_bytes()));
    words.is_empty() || words.iter().any(begins)
}

/// Whether all of a cell is a value of the word that heads its column.
pub(super) fn is_whole(cell: &[u8], word: &Word) -> bool {
    match word.form() {
        Some(form) => layout::form_end(cell, 0, form) == Some(cell.len()),
        None => value::is_whole(cell, &word.entity),
    }
}

/// The date before a word that may follow its date: `am 3. Dezember 1969 in Köln geboren`.
fn date_before(text: &[u8], start: usize, end: usize, most: usize) -> Option<Range<usize>> {
    const FOLLOWING: [&str; 14] = [
        "geboren",
        "born",
        "született",
        "syntynyt",
        "doğumlu",
        "doğdu",
        "doğdum",
        "生まれ",
        "出生",
        "г.р.",
        "г. р.",
        "года рождения",
        "р.н.",
        "року народження",
    ];
    const LONGEST_DATE: usize = 24;
    let word = bytes::slice(text, start, end);
    if !FOLLOWING
        .iter()
        .any(|own| word.eq_ignore_ascii_case(own.as_bytes()))
    {
        return None;
    }
    let gap = bytes::run_back(text, start, most, |byte| {
        is_letter(byte) || matches!(byte, b' ' | b'-' | b'.')
    });
    let until = start - gap;
    let first = until.saturating_sub(LONGEST_DATE);
    let mut places = (first..until).filter(|&place| {
        bytes::begins_word(text, place)
            && (at(text, place).is_ascii_digit() || is_letter(at(text, place)))
    });
    places.find_map(|place| {
        let date = date::end(text, place)?;
        (until..=start).contains(&date).then_some(place..date)
    })
}

/// Reports the date of birth behind a star, as in `Halina Weber (*02.11.1944)`.
#[inline]
pub(in crate::detect) fn scan_birth(scanner: &mut Scanner<'_, '_>, start: usize) {
    let text = scanner.text;
    let star = start - usize::from(before(text, start) == b' ');
    if before(text, star) == b'*'
        && let Some(end) = birth_end(text, star - 1, start)
    {
        let entity = EntityType::DATE_OF_BIRTH;
        push(
            scanner,
            start..end,
            entity,
            Score::percent(80),
            "date-of-birth",
        );
    }
}

/// Where the date ends that a star at `star` belongs to: it follows a name, and neither begins a list nor emphasizes.
fn birth_end(text: &[u8], star: usize, start: usize) -> Option<usize> {
    let end = date::end(text, start)?;
    let gap = bytes::run_back(text, star, 3, |byte| matches!(byte, b' ' | b',' | b'('));
    let follows_name = gap > 0 && is_letter(before(text, star - gap));
    let is_grouped =
        bytes::run(text, start, 5, |byte| byte.is_ascii_digit()) < 5 && end - start > 7;
    (follows_name && is_grouped && at(text, end) != b'*').then_some(end)
}

/// Reports a bank code after a word for it, if there is an account nearby.
pub(in crate::detect) fn scan_bank(scanner: &mut Scanner<'_, '_>, start: usize) {
    const NEAR: usize = 160;
    const FARTHEST: usize = 24;
    let text = scanner.text;
    let word = bytes::run(text, start, 8, |byte| byte.is_ascii_alphabetic());
    let rest = bytes::slice(text, start + word, text.len().min(start + word + FARTHEST));
    let begins_code = |index: &usize| {
        bytes::begins_word(rest, *index) && account::bank_end(text, start + word + index).is_some()
    };
    let Some(place) = (1..rest.len())
        .find(begins_code)
        .map(|index| start + word + index)
    else {
        return;
    };
    let end = account::bank_end(text, place).unwrap_or(place);
    let around = bytes::slice(text, start.saturating_sub(NEAR), text.len().min(end + NEAR));
    let has_account = around
        .windows(4)
        .any(|window| window.eq_ignore_ascii_case(b"iban"))
        || (0..around.len()).any(|index| {
            bytes::begins_word(around, index) && account::country(around, index).is_some()
        });
    if has_account && begins(text, start) {
        push(
            scanner,
            place..end,
            EntityType::BANK_ACCOUNT,
            Score::percent(85),
            "bank-code",
        );
    }
}

/// The word that says what the value of a name is: the name of a column, or of a member. An ambiguous one counts if there is no
/// other.
pub(in crate::detect) fn topic(name: &[u8]) -> Option<&'static Word> {
    let starts = || (0..name.len()).filter(|&index| begins(name, index));
    let named = |index: usize| {
        let second = at(name, index + 1).to_ascii_lowercase();
        // Most words of a letter fail at the second one.
        let may_stand = move |word: &&Word| word.text.as_bytes().get(1) == Some(&second);
        let words = words_at(name, index).iter().filter(may_stand);
        words.filter(move |word| word_end(name, word, index).is_some())
    };
    let sure = |word: &&Word| word.form().is_none();
    let found = starts().find_map(|index| named(index).find(sure));
    found.or_else(|| starts().find_map(|index| named(index).next()))
}

/// Where a word ends that is at `start` as a whole word, with an ending if it is a stem.
fn word_end(text: &[u8], word: &Word, start: usize) -> Option<usize> {
    let own = word.text.as_bytes();
    let end = start + own.len();
    if !bytes::slice(text, start, end).eq_ignore_ascii_case(own) || !begins(text, start) {
        return None;
    }
    let is_ideographic = matches!(own.first(), Some(0xE1..=0xED));
    if is_ideographic {
        return Some(end);
    }
    let ends_open = !own.last().is_some_and(|last| is_letter(*last));
    let is_part = |index| is_letter(at(text, index)) && bytes::wide_sign(text, index).is_none();
    let ending = (end..=end + LONGEST_ENDING)
        .take_while(|&index| is_part(index))
        .count();
    let hump = at(text, end).is_ascii_uppercase() && at(text, end - 1).is_ascii_lowercase();
    let is_plural = ending == 1 && matches!(at(text, end), b's' | b'S');
    let fits =
        ending == 0 || ends_open || hump || is_plural || word.is_stem && ending <= LONGEST_ENDING;
    fits.then_some(if hump { end } else { end + ending })
}

/// Whether a word begins here: not after a letter, or at a hump.
fn begins(text: &[u8], start: usize) -> bool {
    let (previous, first) = (before(text, start), at(text, start));
    let is_ideographic = matches!(first, 0xE1..=0xED);
    let hump = previous.is_ascii_lowercase() && first.is_ascii_uppercase();
    let is_behind_letter = previous >= 0x80 && !bytes::ends_wide_sign(text, start);
    is_ideographic || hump || bytes::begins_word(text, start) && !is_behind_letter
}

/// A letter of ASCII, or a part of any other character.
const fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte >= 0x80
}

/// What is between a word and its value.
struct Between<'t> {
    text: &'t [u8],
    at: usize,
    until: usize,
    /// Whether letters may begin a value, as the name of a month does.
    may_begin_with_word: bool,
    most_words: usize,
    words: usize,
    others: usize,
    breaks: usize,
    /// Colons and signs of equality.
    assigned: usize,
    strokes: usize,
    quotes: usize,
}

impl<'t> Between<'t> {
    fn new(text: &'t [u8], end: usize) -> Self {
        Self {
            text,
            at: end,
            until: text.len().min(end + REACH),
            may_begin_with_word: false,
            most_words: MOST_WORDS,
            words: 0,
            others: 0,
            breaks: 0,
            assigned: 0,
            strokes: 0,
            quotes: 0,
        }
    }

    /// The next position at which a value may begin; `None` if the text continues with something
    /// else.
    fn next_place(&mut self) -> Option<usize> {
        while self.at < self.until {
            let byte = at(self.text, self.at);
            if byte.is_ascii_digit() || byte.is_ascii_uppercase() && self.begins_number() {
                return Some(self.at);
            }
            if let Some(width) = bytes::wide_sign(self.text, self.at) {
                self.at += width;
                continue;
            }
            if is_letter(byte) && self.may_begin_with_word {
                return Some(self.at);
            }
            if is_letter(byte) {
                self.pass_word()?;
                continue;
            }
            self.pass_sign(byte)?;
        }
        None
    }

    /// Whether letters begin a number: `AB 1234567`, `X1234567`, `NID-9665`, `B-AB 1234`.
    fn begins_number(&self) -> bool {
        const MOST: usize = 9;
        let capitals = bytes::run(self.text, self.at, MOST, |byte| byte.is_ascii_uppercase());
        let end = self.at + capitals;
        let next = at(self.text, end);
        let joined = matches!(next, b'-' | b' ' | b'.') && capitals <= 5;
        let behind = at(self.text, end + 1);
        next.is_ascii_digit()
            || joined && behind.is_ascii_digit()
            || joined && capitals < 4 && {
                let more = bytes::run(self.text, end + 1, 3, |byte| byte.is_ascii_uppercase());
                more > 0
                    && matches!(at(self.text, end + 1 + more), b' ' | b'-' | b'0'..=b'9')
                    && bytes::run(self.text, end + 1 + more, 2, |byte| {
                        !byte.is_ascii_alphabetic()
                    }) == 2
            }
    }

    /// Skips a word, unless there were many. After letters outside ASCII, where some languages use
    /// no spaces, a number may begin at once.
    fn pass_word(&mut self) -> Option<()> {
        let is_ascii = at(self.text, self.at).is_ascii();
        self.at += bytes::run(self.text, self.at, REACH, |byte| {
            byte >= 0x80 || is_ascii && byte.is_ascii_alphabetic()
        });
        self.words += 1;
        (self.words <= self.most_words).then_some(())
    }

    /// Skips a value of another form; returns whether to search further.
    fn pass_over(&mut self, place: usize) -> bool {
        if !at(self.text, place).is_ascii_digit() {
            return self.pass_word().is_some();
        }
        let length = bytes::run(self.text, place, REACH, |byte| byte.is_ascii_alphanumeric());
        self.others += usize::from(length > 1);
        self.at = place + length;
        self.others <= MOST_OTHERS
    }

    /// Skips punctuation, unless something else follows it.
    fn pass_sign(&mut self, byte: u8) -> Option<()> {
        let next = at(self.text, self.at + 1);
        match byte {
            b'\n' => {
                self.breaks += 1;
                // The label of a form, and its value in the next line.
                (self.breaks < 2 && self.words <= 3 || next == b'\n' && self.words == 0)
                    .then_some(())?;
            }
            b',' => (next == b' ' && self.quotes < 2).then_some(())?,
            b'.' => {
                let is_end = next == b' ' && self.words > 0 && !self.follows_short_word();
                (!is_end).then_some(())?;
            }
            b':' | b'=' => self.assigned += 1,
            b'|' | b'\t' => self.strokes += 1,
            b'"' | b'\'' => self.quotes += usize::from(byte == b'"'),
            b'<' => self.at += bytes::run(self.text, self.at, 24, |byte| byte != b'>'),
            b';' | b'&' | b'{' | b'}' | b']' | b'!' => return None,
            _ => {}
        }
        let is_over = self.assigned > 2 || self.strokes > 2 || self.quotes > 3;
        self.at += 1;
        (!is_over).then_some(())
    }

    /// `no.`, `nr.`, `geb.`: the dot ends no sentence.
    fn follows_short_word(&self) -> bool {
        bytes::run_back(self.text, self.at, 5, is_letter) < 4
    }
}
