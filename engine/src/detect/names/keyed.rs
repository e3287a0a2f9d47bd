//! Names under a key that only a person's name has: `"first_name": "anna"`, `Patient: Anna
//! Schmidt`.

use super::asian;
use super::lists::{Lists, Marks};
use super::particles::is_particle;
use super::placeholders::is_placeholder;
use super::threes::Threes;
use super::token::hash_of;
use crate::detect::bytes;
use std::ops::Range;

/// Keys of a name or a part of it, without their signs, in many languages.
#[rustfmt::skip]
static NAMES: bytes::Words = bytes::Words::of(&[
    "firstname", "lastname", "surname", "fullname", "familyname", "givenname", "middlename", "maidenname", "forename",
    "customername", "clientname", "patientname", "employeename", "contactname", "personname",
    "cardholdername", "accountholdername", "beneficiaryname", "recipientname", "sendername", "guestname",
    "passengername", "studentname", "teachername", "doctorname", "borrowername", "applicantname", "candidatename",
    "spousename", "parentname", "childname", "nameoncard", "firstandlastname",
    "vorname", "nachname", "familienname", "geburtsname", "vorundnachname", "vornamenachname",
    "kundenname",
    "prénom", "prenom", "nomdefamille", "nomcomplet", "nometprénom", "prénometnom", "nomdenaissance", "nomduclient",
    "nomdupatient",
    "apellido", "apellidos", "nombrecompleto", "nombreyapellidos", "nombredelcliente",
    "imię", "imie", "nazwisko", "imięinazwisko", "imieinazwisko",
    "sobrenome", "nomecompleto", "nomedocliente", "nomedopaciente", "cognome", "nomeecognome",
    "voornaam", "achternaam", "volledigenaam",
    "jméno", "příjmení", "jménoapříjmení", "förnamn", "efternamn", "fornavn", "etternavn", "efternavn", "etunimi",
    "sukunimi", "nume", "prenume", "prezime", "vezetéknév", "keresztnév", "soyad", "adsoyad",
    "имя", "Имя", "фамилия", "Фамилия", "фио", "ФИО", "отчество", "Отчество", "прізвище", "Прізвище",
    "όνομα", "Όνομα", "επώνυμο", "Επώνυμο", "ονοματεπώνυμο", "Ονοματεπώνυμο",
    "姓名", "名前", "お名前", "氏名", "患者姓名", "患者名", "客户姓名", "성명", "이름",
    "고객명", "الاسم", "नाम", "שם", "ชื่อ",
]);
/// Keys of a person in a role: in small letters, text may follow.
#[rustfmt::skip]
static ROLES: bytes::Words = bytes::Words::of(&[
    "patient", "emergencycontact", "ansprechpartner", "ansprechpartnerin", "patientin", "kontoinhaber",
    "kontoinhaberin", "karteninhaber", "versicherter", "versicherte", "sachbearbeiter", "sachbearbeiterin",
    "patiente", "titulaireducompte", "paciente", "titulardelacuenta", "pacjent", "pacjentka", "osobakontaktowa",
    "paziente", "intestatario", "contactpersoon", "rekeninghouder", "patiënt", "пациент", "Пациент", "ασθενής",
    "Ασθενής", "患者", "联系人", "聯絡人", "担当者", "환자", "담당자", "客户", "客戶", "收件人", "收货人", "收貨人", "申请人", "投保人", "被保险人", "经办人", "户名", "员工", "家长", "契約者", "申込者", "受取人", "保護者", "고객", "수신인", "신청인", "예금주", "보호자", "accountholder", "cardholder",
]);

/// The last byte of `：`.
pub(super) const WIDE_COLON: u8 = 0x9A;
/// Farthest that a key is followed back, and that a value is followed, in bytes.
const LONGEST_KEY: usize = 48;
const LONGEST_VALUE: usize = 80;
const MOST_WORDS: usize = 5;

/// The name that a whole text is, under such a key.
pub(super) fn whole_under(key: &str, text: &str, lists: Lists<'_>) -> Option<Range<usize>> {
    is_key(key.as_bytes()).then(|| whole(text, lists))?
}

/// The name behind a sign, under such a key.
#[inline]
pub(super) fn behind(text: &str, sign: usize, lists: Lists<'_>) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let next = bytes::at(bytes, sign + 1);
    let end = match bytes::at(bytes, sign) {
        b'>' if next.is_ascii_alphabetic() || next >= 0x80 => {
            return is_key_before(bytes, sign).then(|| value(text, sign + 1, lists))?;
        }
        b':' | b'=' if may_begin(next) => sign,
        WIDE_COLON if may_begin(next) => sign.checked_sub("：".len() - 1)?,
        _ => return None,
    };
    let is_whole = end == sign || bytes::slice(bytes, end, sign + 1) == "：".as_bytes();
    (is_whole && may_follow_key(bytes, end)).then(|| assigned(text, end, sign, lists))?
}

/// The person before a colon who has something to do: `TODO(anselm):`, `TODO anselm:`.
#[inline]
pub(super) fn assignee_before(text: &str, colon: usize, lists: Lists<'_>) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    if bytes::at(bytes, colon + 1) != b' ' {
        return None;
    }
    let end = colon - usize::from(bytes::before(bytes, colon) == b')');
    let belongs = |byte: u8| byte.is_ascii_alphabetic() || byte >= 0x80;
    let start = end - bytes::run_back(bytes, end, LONGEST_KEY, belongs);
    let lead = bytes::slice(bytes, 0, start);
    let opening = if end < colon { b'(' } else { b' ' };
    let lead = lead.strip_suffix(&[opening])?;
    let is_task = ["TODO", "FIXME", "XXX", "HACK"];
    let is_task = is_task.iter().any(|task| lead.ends_with(task.as_bytes()));
    let name = text.get(start..end).filter(|_| is_task)?;
    let is_name = lists.marks(hash_of(name)).is_only_name();
    is_name.then_some(start..end)
}

/// The name in small letters that is alone behind a colon, as lists of staff have it: `Reporter: mukherjee, anil`.
#[inline]
pub(super) fn inverted_behind(text: &str, colon: usize, lists: Lists<'_>) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let start = colon + 2;
    let is_small = bytes::at(bytes, start).is_ascii_lowercase();
    if bytes::at(bytes, colon + 1) != b' ' || !is_small {
        return None;
    }
    let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte >= 0x80;
    let comma = start + bytes::run(bytes, start, LONGEST_KEY, is_letter);
    if bytes::slice(bytes, comma, comma + 2) != b", " {
        return None;
    }
    let end = comma + 2 + bytes::run(bytes, comma + 2, LONGEST_KEY, is_letter);
    let has = |word: Range<usize>, list: Marks| {
        let marks = lists.marks(hash_of(text.get(word).unwrap_or_default()));
        marks.has(list) && !marks.has(Marks::COMMON)
    };
    let ends = matches!(bytes::at(bytes, end), b'\n' | b'\r' | 0);
    let is_name = ends && has(start..comma, Marks::SURNAME) && has(comma + 2..end, Marks::FIRST);
    is_name.then_some(start..end)
}

/// The first name and surname in small letters that are alone behind a colon, as an answer in a chat is: `Customer: devon price`.
#[inline]
pub(super) fn answered_behind(text: &str, colon: usize, lists: Lists<'_>) -> Option<Range<usize>> {
    const MOST: usize = 3;
    let bytes = text.as_bytes();
    let start = colon + 2;
    let first = bytes::at(bytes, start);
    let is_small = first.is_ascii_lowercase() || first >= 0xC3;
    if bytes::at(bytes, colon + 1) != b' ' || !is_small {
        return None;
    }
    let belongs = |byte: u8| byte.is_ascii_lowercase() || byte >= 0x80 || byte == b' ';
    let end = start + bytes::run(bytes, start, LONGEST_KEY, belongs);
    if !matches!(bytes::at(bytes, end), b'\n' | b'\r' | 0) {
        return None;
    }
    let own = text.get(start..end)?.trim_end();
    let has = |word: &str, list: Marks| {
        let marks = lists.marks(hash_of(word));
        marks.has(list) && !marks.has(Marks::COMMON) && !word.starts_with(char::is_uppercase)
    };
    let (first, surnames) = own.split_once(' ')?;
    let count = surnames.split(' ').count();
    let is_name = count < MOST
        && has(first, Marks::FIRST)
        && surnames.split(' ').all(|word| has(word, Marks::SURNAME));
    is_name.then(|| start..start + own.len())
}

/// Whether a value, or what comes before it, may begin with a byte.
const fn may_begin(byte: u8) -> bool {
    is_fill(byte) || byte.is_ascii_uppercase() || byte >= 0x80
}

/// Whether a byte may come between a sign and a value.
const fn is_fill(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'*' | b'"' | b'\'' | b'\\' | b'>')
}

/// The name behind the sign at `sign`, under such a key that ends before `end`.
fn assigned(text: &str, end: usize, sign: usize, lists: Lists<'_>) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    if is_operator(bytes, sign) {
        return None;
    }
    if begins_value(bytes, sign + 1) {
        return is_key_before(bytes, end).then(|| value(text, sign + 1, lists))?;
    }
    filled_in(text, end, sign + 1, lists)
}

/// Whether a value may begin after a sign: a letter in quotes, or a capital. This rules out most
/// signs of code.
fn begins_value(text: &[u8], at: usize) -> bool {
    let length = bytes::run(text, at, 12, is_fill);
    let filled = bytes::slice(text, at, at + length);
    let is_quoted = filled.iter().any(|byte| matches!(byte, b'"' | b'\''));
    let first = bytes::at(text, at + length);
    first.is_ascii_uppercase() || first >= 0x80 || is_quoted && first.is_ascii_lowercase()
}

/// The name in small letters that is written into a form, alone behind the label of a line: `Vorname: anna`.
fn filled_in(text: &str, end: usize, at: usize, lists: Lists<'_>) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let start = at + bytes::run(bytes, at, 2, |byte| byte == b' ');
    let is_small = bytes::at(bytes, start).is_ascii_lowercase();
    let is_apart = start > at && matches!(bytes::before(bytes, at), b':');
    if !is_small || !is_apart {
        return None;
    }
    let belongs = |byte: u8| !matches!(byte, b'\n' | b':' | b'=' | b',' | b'{' | b'(');
    let label = bytes::run_back(bytes, end, LONGEST_KEY, belongs);
    let label = bytes::slice(bytes, end - label, end).trim_ascii();
    if !is_name_key(label) {
        return None;
    }
    let name = read(text, start)?;
    let own = text.get(name.clone())?;
    let is_plain = !own.contains(char::is_uppercase);
    let ends = matches!(bytes::at(bytes, name.end), b'\n' | b'\r' | 0);
    (is_plain && ends && is_name(own, Trust::Form, lists)).then_some(name)
}

/// Whether a colon or equals sign is a part of a longer sign: `::`, `==`, `=>`, `!=`.
fn is_operator(text: &[u8], sign: usize) -> bool {
    matches!(bytes::at(text, sign + 1), b':' | b'=' | b'>')
        || matches!(
            bytes::before(text, sign),
            b':' | b'=' | b'!' | b'<' | b'>' | b'+' | b'(' | b')' | b'{'
        )
}

/// Whether a column of this name holds names.
pub(super) fn is_column(name: &[u8]) -> bool {
    is_key(name)
}

/// Whether the text of a cell in such a column is a name.
pub(super) fn is_cell(text: &str, lists: Lists<'_>) -> bool {
    let name = read(text, 0);
    name.is_some_and(|name| name == (0..text.len())) && is_name(text, Trust::Form, lists)
}

/// Whether a key of a name ends before the sign at `end`.
fn is_key_before(text: &[u8], end: usize) -> bool {
    let fill = |byte: u8| matches!(byte, b' ' | b'"' | b'\'' | b'*' | b'`' | b'\\');
    let end = end - bytes::run_back(text, end, 4, fill);
    let belongs = |byte: u8| {
        byte.is_ascii_alphabetic() || byte >= 0x80 || matches!(byte, b'_' | b'-' | b' ' | b'/')
    };
    let length = bytes::run_back(text, end, LONGEST_KEY, belongs);
    let key = behind_wide_sign(bytes::slice(text, end - length, end));
    let length = key.len();
    let last = key.rsplit(|byte| *byte == b' ').next().unwrap_or_default();
    length > 1
        && (is_key(key) || is_key(last) && last.len() < key.len() && text.get(end) == Some(&b'='))
}

/// What is behind the last comma or full stop of Chinese and Japanese: `，联系人`.
fn behind_wide_sign(text: &[u8]) -> &[u8] {
    let signs = ["，", "。", "、", "；", "（"];
    if text.is_ascii() {
        return text;
    }
    let last = signs.iter().filter_map(|sign| {
        let at = memchr::memmem::rfind(text, sign.as_bytes())?;
        Some(at + sign.len())
    });
    bytes::slice(text, last.max().unwrap_or(0), text.len())
}

/// Whether this is a key of a name or of a person.
fn is_key(key: &[u8]) -> bool {
    with_plain(key, |key| NAMES.hold(key) || ROLES.hold(key))
}

/// Whether this is a key of a name, whatever signs part its words.
fn is_name_key(key: &[u8]) -> bool {
    with_plain(key, |key| NAMES.hold(key))
}

/// Whether the last letters before `end` are those of a key. This rules out nearly all others.
#[inline]
fn may_follow_key(text: &[u8], end: usize) -> bool {
    let mut last = [0; 3];
    let mut place = end;
    for to in &mut last {
        while parts(bytes::before(text, place)) {
            place -= 1;
        }
        *to = bytes::before(text, place);
        place = place.saturating_sub(1);
    }
    ENDS.hold(last)
}

/// The last three bytes of all keys, from the end.
static ENDS: Threes = with_ends(with_ends(Threes::none(), NAMES.all()), ROLES.all());

const fn with_ends(mut ends: Threes, words: &[&str]) -> Threes {
    let mut rest = words;
    while let [word, others @ ..] = rest {
        if let [.., third, second, last] = word.as_bytes() {
            ends.add([*last, *second, *third]);
        }
        rest = others;
    }
    ends
}

/// Whether a sign parts the words of a key, or stands around it.
#[inline]
const fn parts(byte: u8) -> bool {
    is_joint(byte)
        || matches!(byte, b'"' | b'\'' | b'*' | b'`' | b'\\')
        || byte.is_ascii_whitespace()
}

/// Whether a sign joins the words of a key.
const fn is_joint(byte: u8) -> bool {
    matches!(byte, b'_' | b'-' | b' ' | b'/' | b'.')
}

/// What `test` says of a key without the signs that part its words, in lower case. No long key passes.
fn with_plain(key: &[u8], test: impl FnOnce(&[u8]) -> bool) -> bool {
    let mut plain = [0; LONGEST_KEY];
    let mut length = 0;
    for byte in key {
        if is_joint(*byte) {
            continue;
        }
        let Some(place) = plain.get_mut(length) else {
            return false;
        };
        *place = byte.to_ascii_lowercase();
        length += 1;
    }
    test(bytes::slice(&plain, 0, length))
}

/// The name that a whole text is.
fn whole(text: &str, lists: Lists<'_>) -> Option<Range<usize>> {
    let start = text.len() - text.trim_start().len();
    let name = read(text, start)?;
    (name.end == text.trim_end().len() && is_name(text.get(name.clone())?, Trust::Quoted, lists))
        .then_some(name)
}

/// The name that begins after the sign before `at`.
fn value(text: &str, at: usize, lists: Lists<'_>) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let at = at + bytes::run(bytes, at, 8, |byte| matches!(byte, b' ' | b'\t' | b'*'));
    let quote = bytes::run(bytes, at, 3, |byte| {
        matches!(byte, b'"' | b'\'' | b'\\' | b'>')
    });
    let start = at + quote;
    let name = read(text, start)?;
    let name = name.start..inverted_end(text, name.end, lists).unwrap_or(name.end);
    let is_quoted = quote > 0;
    let trust = if is_quoted {
        Trust::Quoted
    } else {
        Trust::Capitals
    };
    let behind = bytes::at(bytes, name.end);
    let is_asian = || asian::name_length(text.get(name.clone()).unwrap_or_default()).is_some();
    let ends = match behind {
        b'"' | b'\'' | b'\\' => is_quoted,
        b' ' => {
            !is_quoted
                && (matches!(
                    bytes::at(bytes, name.end + 1),
                    b' ' | b'(' | b'|' | b'<' | b'-'
                ) || is_asian())
        }
        b'(' | b'[' | b'{' | b':' | b'=' | b'_' | b'@' | b'$' | b'?' => false,
        byte => !byte.is_ascii_alphanumeric(),
    };
    (ends && is_name(text.get(name.clone())?, trust, lists)).then_some(name)
}

/// Where the first name behind a surname ends, if one follows: `Schmidt, Anna`.
fn inverted_end(text: &str, end: usize, lists: Lists<'_>) -> Option<usize> {
    let first = text.get(end..)?.strip_prefix(", ")?;
    let first = read(first, 0)?;
    let start = end + 2;
    let own = text.get(start..start + first.end)?;
    let is_first = |word: &str| lists.marks(hash_of(word)).has(Marks::FIRST);
    let is_written = own.starts_with(char::is_uppercase) && own.split(' ').count() <= 2;
    let ends = matches!(
        bytes::at(text.as_bytes(), start + first.end),
        b'\n' | b'\r' | b'"' | b'\'' | b'\\' | 0
    );
    (is_written && ends && own.split([' ', '-']).any(is_first)).then_some(start + first.end)
}

/// The letters of at most some words, and what joins them, from `start` on.
fn read(text: &str, start: usize) -> Option<Range<usize>> {
    let rest = text.get(start..)?;
    if let Some(length) = asian::name_length(rest) {
        return Some(start..start + length);
    }
    let mut end = start;
    let mut word = start;
    for (index, letter) in rest.char_indices() {
        let at = start + index;
        let belongs = match letter {
            ' ' => text.as_bytes().get(at + 1) != Some(&b' '),
            '-' | '\'' | '’' => true,
            '.' => at - word <= 4,
            _ => letter.is_alphabetic() || is_caseless(letter),
        };
        if !belongs || index > LONGEST_VALUE {
            break;
        }
        if letter == ' ' {
            word = at + 1;
        } else {
            end = at + letter.len_utf8();
        }
    }
    let name = text.get(start..end)?;
    let closing = name.len() - name.trim_end_matches(['\'', '-']).len();
    let end = end - closing;
    (end > start + 1 && rest.starts_with(char::is_alphabetic)).then_some(start..end)
}

/// What surrounds a value says how a name may be written in it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Trust {
    /// With capitals.
    Capitals,
    /// As in a list of names, in quotes.
    Quoted,
    /// In any way but as a word of a language: the fields of a form and the columns of a table hold nothing else.
    Form,
}

/// Whether words are a name, by how they are written and by the lists that contain them.
fn is_name(value: &str, trust: Trust, lists: Lists<'_>) -> bool {
    if asian::name_length(value) == Some(value.len()) {
        return !is_placeholder(value);
    }
    let words = || {
        value
            .split([' ', '-', ','])
            .filter(|word| !word.is_empty() && !is_particle(word))
    };
    let marks = |word: &str| lists.marks(hash_of(word.trim_end_matches('.')));
    let is_capital = |word: &str| word.starts_with(char::is_uppercase);
    let is_listed = words().any(|word| marks(word).has(Marks::FIRST.with(Marks::SURNAME)));
    let is_plain = words().all(|word| marks(word).has(Marks::COMMON) || is_key(word.as_bytes()));
    let is_written = words().all(is_capital);
    let is_strange = words().all(|word| !marks(word).has(Marks::COMMON));
    let is_caseless = value.contains(is_caseless);
    let is_accepted = match trust {
        _ if is_caseless => true,
        Trust::Capitals => is_written,
        Trust::Quoted => is_written || is_listed,
        Trust::Form => is_written || is_listed || is_strange,
    };
    let is_apart = trust != Trust::Capitals;
    let count = words().count();
    (1..=MOST_WORDS).contains(&count)
        && !is_key(value.as_bytes())
        && !is_placeholder(value)
        && is_accepted
        && (!is_plain || is_listed && is_written && (is_apart || count > 1))
}

/// Whether a character is of a script without capitals: Hebrew, Arabic, those of India, Thai. Signs on their letters are
/// among them.
const fn is_caseless(letter: char) -> bool {
    matches!(letter, '\u{590}'..='\u{5FF}' | '\u{620}'..='\u{6FF}' | '\u{900}'..='\u{DFF}' | '\u{E00}'..='\u{E7F}')
}
