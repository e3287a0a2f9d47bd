//! Numbers and names in columns that are named for them.

use super::tables::Word;
use crate::EntityType;
use crate::detect::bytes::{self, at};
use crate::detect::lexicon::name::each_word;
use crate::detect::shapes::address;
use crate::detect::syntax::table;
use crate::detect::text::marks::Kind;
use crate::detect::text::scanner::Scanner;
use crate::detect::{Detection, Score, names};
use std::ops::Range;

/// Parts of the names of such columns, as the scan searches for them.
#[rustfmt::skip]
pub(in crate::detect) const HEADERS: &[&str] = &[
    "phone", "mobile", "telefon", "teléfono", "téléphone", "móvil", "movil", "cellulare", "celular", "cell", "tel", "gsm", "komórk", "ssn", "social_sec",
    "surname", "last_name", "lastname", "last name", "first_name", "firstname", "first name", "full_name", "fullname",
    "full name", "given_name", "family_name", "customer_name", "employee_name", "patient_name", "contact_name",
    "vorname", "nachname", "prenom", "prénom", "apellido", "cognome", "sobrenome", "nazwisko", "voornaam", "achternaam",
    "förnamn", "efternamn", "fornavn", "etternavn", "příjmení",
];
/// Columns that hold names beside another one that does: `nom;prenom`.
#[rustfmt::skip]
static BESIDE: bytes::Words = bytes::Words::of(&[
    "name", "nom", "nome", "nombre", "naam", "namn", "navn", "vor", "last", "first", "given",
]);

const WIDE_COLON: &[u8] = "：".as_bytes();

/// The same for a part of a name that the scan met.
pub(in crate::detect) fn scan_header(scanner: &mut Scanner<'_, '_>, start: usize) -> bool {
    let text = scanner.text;
    let begins = |header: &&&str| {
        bytes::slice(text, start, start + header.len()).eq_ignore_ascii_case(header.as_bytes())
    };
    let met = HEADERS.iter().filter(begins).map(|header| header.len());
    scan(scanner, &(start..start + met.max().unwrap_or(0)))
}

/// What the values of a column are.
enum Heading {
    Of(EntityType),
    Named(&'static Word),
    Address(address::Column),
}

/// Examines the table whose header contains the name at `word`; returns whether this decides the
/// value.
pub(in crate::detect) fn scan(scanner: &mut Scanner<'_, '_>, word: &Range<usize>) -> bool {
    let text = scanner.text;
    let in_name = |byte: u8| bytes::is_word(byte) || byte == b'-' || byte >= 0x80;
    let name = word.start - bytes::run_back(text, word.start, 24, in_name)
        ..word.end + bytes::run(text, word.end, 24, in_name);
    // `F. nac.`
    let dot = usize::from(at(text, name.end) == b'.');
    let name = name.start..name.end + dot;
    table::each_below(
        scanner,
        Kind::PersonalNumbers,
        &name,
        |text, name| {
            let own = bytes::slice(text, name.start, name.end);
            // `生年月日：1985年4月12日` is a label with its value.
            if own.windows(WIDE_COLON.len()).any(|sign| sign == WIDE_COLON) {
                return None;
            }
            let is_beside = || BESIDE.hold(own) && is_beside_name(text, &name);
            if names::is_column(own) || is_beside() {
                return Some(Heading::Of(EntityType::PERSON));
            }
            let of_address = || address::column(text, &name).map(Heading::Address);
            heading(own).or_else(of_address)
        },
        |scanner, heading, cell| {
            let own = bytes::slice(text, cell.start, cell.end);
            let (entity, is_value) = match heading {
                Heading::Of(entity) => (entity, is_of(own, entity)),
                Heading::Named(word) => (&word.entity, super::named::is_whole(own, word)),
                Heading::Address(column) => (&EntityType::ADDRESS, column.holds(own)),
            };
            if is_value {
                push(scanner, cell, entity.clone());
            }
        },
    )
}

fn is_of(cell: &[u8], entity: &EntityType) -> bool {
    match entity.as_str() {
        "PERSON" => names::is_cell(cell),
        "PHONE" => is_phone_number(cell),
        _ => is_security_number(cell),
    }
}

/// Whether a cell of the same line heads a column of names.
fn is_beside_name(text: &[u8], name: &Range<usize>) -> bool {
    const FARTHEST: usize = 128;
    let start = name.start - bytes::line_back(text, name.start, FARTHEST);
    let length = bytes::run(text, name.end, FARTHEST, |byte| byte != b'\n');
    let line = bytes::slice(text, start, name.end + length);
    let mut cells = line.split(|byte| matches!(byte, b',' | b';' | b'\t' | b'|' | b'(' | b')'));
    cells.any(|cell| {
        let bare = |byte: &u8| matches!(byte, b' ' | b'"' | b'\'' | b'`' | b'*' | b'\r');
        let begin = cell
            .iter()
            .position(|byte| !bare(byte))
            .unwrap_or(cell.len());
        let end = cell
            .iter()
            .rposition(|byte| !bare(byte))
            .map_or(begin, |last| last + 1);
        names::is_column(bytes::slice(cell, begin, end))
    })
}

/// The values below the name of a column.
fn heading(name: &[u8]) -> Option<Heading> {
    #[rustfmt::skip]
    static PHONES: bytes::Words = bytes::Words::of(&[
        "phone", "phones", "telephone", "cellphone", "homephone", "workphone", "mobilephone", "phonenumber", "phoneno",
        "phonenr", "mobile", "mobilenumber", "mobileno", "telefon", "telefono", "telefone", "telefonnummer", "telefonnr",
        "mobiltelefon", "telefonnumer", "tel", "tél", "téléphone", "portable", "teléfono", "móvil", "movil", "celular", "cellulare", "cell", "handy",
        "mobil", "gsm", "komórka", "komórkowy", "tlf", "mob",
    ]);
    #[rustfmt::skip]
    static WITH_PHONE: bytes::Words = bytes::Words::of(&[
        "number", "numbers", "no", "nr", "num", "nummer", "home", "work", "office", "private", "business", "main",
        "primary", "secondary", "other", "alt", "e", "raw", "formatted", "contact", "day", "evening", "emergency",
    ]);
    let (mut phone, mut other, mut security, mut last) = (false, false, false, false);
    each_word(name, |word| {
        security |= word == b"ssn" || last && word.starts_with(b"sec");
        last = word == b"social";
        let is_phone = PHONES.hold(word);
        // The following word shows what is counted or named: `phone_id`.
        other |=
            phone && !is_phone && !WITH_PHONE.hold(word) && !word.iter().all(u8::is_ascii_digit);
        phone |= is_phone;
    });
    if security {
        return Some(Heading::Of(EntityType::SSN));
    }
    if phone && !other {
        return Some(Heading::Of(EntityType::PHONE));
    }
    super::topic(name).map(Heading::Named)
}

fn push(scanner: &mut Scanner<'_, '_>, cell: Range<usize>, entity: EntityType) {
    scanner.push(Detection {
        start: cell.start,
        end: cell.end,
        entity,
        score: Score::percent(80),
        rule: "column",
    });
}

/// Seven to fifteen digits, not all of them the same.
fn is_phone_number(cell: &[u8]) -> bool {
    let written = cell.iter().all(|&byte| {
        byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.' | b' ' | b'(' | b')' | b'/')
    });
    let digits = cell.iter().filter(|byte| byte.is_ascii_digit());
    let mixed = digits.clone().any(|digit| Some(digit) != cell.last());
    written && mixed && (7..=15).contains(&digits.count())
}

/// Nine digits in one group or three, which are not all zeros.
fn is_security_number(cell: &[u8]) -> bool {
    let groups = || cell.split(|byte| matches!(byte, b'-' | b' ' | b'.'));
    let lengths = groups().map(<[u8]>::len);
    let shaped = lengths.clone().eq([9]) || lengths.eq([3, 2, 4]);
    shaped
        && groups().all(|group| group.iter().all(u8::is_ascii_digit))
        && groups().all(|group| group.iter().any(|&digit| digit != b'0'))
}
