//! Surrogates for phone numbers: reserved for fiction, or impossible to dial.

use super::{KeyedSequence, digits_of, filled};

/// Country, prefix of its numbers, prefix of reserved numbers, and how many digits are drawn after
/// it.
#[rustfmt::skip]
const RESERVED: &[(&str, &str, &str, usize)] = &[
    // Ofcom, "Telephone numbers for use in TV and radio drama programmes".
    ("44", "7", "7700900", 3), ("44", "20", "2079460", 3), ("44", "113", "1134960", 3), ("44", "121", "1214960", 3),
    ("44", "131", "1314960", 3), ("44", "141", "1414960", 3), ("44", "161", "1614960", 3), ("44", "29", "2920180", 3),
    ("44", "1", "1632960", 3), ("44", "2", "2079460", 3), ("44", "3", "3069990", 3),
    // Bundesnetzagentur, "Rufnummern für Medienproduktionen".
    ("49", "15", "17139200", 2), ("49", "16", "17139200", 2), ("49", "17", "17139200", 2), ("49", "30", "3023125", 3),
    ("49", "40", "4066969", 3), ("49", "69", "6990009", 3), ("49", "89", "8999998", 3), ("49", "221", "2214710", 3),
    ("49", "", "3023125", 3),
    // Arcep, numbers for audiovisual works.
    ("33", "1", "19900", 4), ("33", "2", "26191", 4), ("33", "3", "35301", 4), ("33", "4", "46571", 4),
    ("33", "5", "53649", 4), ("33", "6", "63998", 4), ("33", "7", "63998", 4),
    // ACMA, numbers for fiction.
    ("61", "2", "25550", 4), ("61", "3", "35550", 4), ("61", "7", "75550", 4), ("61", "8", "85550", 4),
    // PTS, numbers for books and films.
    ("46", "7", "7017406", 2), ("46", "8", "8465004", 2),
    // ComReg, numbers for drama.
    ("353", "", "2091", 5),
];

/// Area codes of North America. 555-0100 to 555-0199 are fictional in each.
#[rustfmt::skip]
const AREAS: [&str; 40] = [
    "202", "203", "205", "206", "207", "208", "212", "213", "215", "216", "217", "219", "224", "225", "228", "229", "231",
    "239", "248", "251", "253", "254", "256", "260", "262", "267", "269", "270", "276", "281", "301", "303", "304", "307",
    "312", "313", "314", "317", "319", "320",
];

/// Country codes of two digits; those of three begin otherwise.
const SHORT_CODES: &str = " 20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 65 66 81 82 84 86 90 91 92 93 94 95 98 ";

/// The first candidates are reserved numbers, of which some countries have few.
const FEW: u32 = 24;

/// How many digits of a number say where it is.
struct Split {
    country: Option<String>,
    /// How many digits precede the national number, including a leading 0.
    kept: usize,
}

pub(super) fn drawn(draw: &mut KeyedSequence, value: &str, attempt: u32) -> Option<String> {
    let digits = digits_of(value);
    if value.contains(|c: char| c.is_alphabetic() || !c.is_ascii()) {
        return None;
    }
    let split = split(value, &digits);
    let (kept, national) = digits.split_at_checked(split.kept)?;
    if national.len() < 6 {
        return None;
    }
    let country = split.country.as_deref().filter(|_| attempt < FEW);
    let reserved = country.and_then(|country| reserved(draw, country, national));
    let number = reserved.unwrap_or_else(|| undialled(draw, national.len()));
    Some(filled(value, &format!("{kept}{number}")))
}

fn reserved(draw: &mut KeyedSequence, country: &str, national: &str) -> Option<String> {
    if country == "1" {
        let area = draw.one_of(&AREAS);
        return (national.len() == 10).then(|| format!("{area}55501{}", draw.digits(2)));
    }
    let mut ranges = RESERVED.iter();
    let (.., start, drawn) =
        ranges.find(|(of, begins, ..)| *of == country && national.starts_with(begins))?;
    Some(format!("{start}{}", draw.digits(*drawn)))
}

/// No number begins with zeros, within a country and from abroad.
fn undialled(draw: &mut KeyedSequence, length: usize) -> String {
    let zeros = length.min(3);
    "0".repeat(zeros) + &draw.digits(length - zeros)
}

fn split(value: &str, digits: &str) -> Split {
    let abroad = if value.trim_start_matches('(').starts_with('+') {
        Some(0)
    } else if digits.starts_with("00") {
        Some(2)
    } else {
        None
    };
    if let Some(before) = abroad {
        return split_abroad(value, digits, before);
    }
    let country = national_country(value, digits).map(str::to_owned);
    let kept = usize::from(digits.starts_with('0'));
    Split { country, kept }
}

fn split_abroad(value: &str, digits: &str, before: usize) -> Split {
    let rest = digits.get(before..).unwrap_or_default();
    let length = match rest.get(..2) {
        Some(two) if two.starts_with(['1', '7']) => usize::from(!two.is_empty()),
        Some(two) if SHORT_CODES.contains(&format!(" {two} ")) => 2,
        _ => 3,
    };
    let trunk = usize::from(value.contains("(0)"));
    Split {
        country: rest.get(..length).map(str::to_owned),
        kept: before + length + trunk,
    }
}

/// The country whose numbers are written like this.
fn national_country(value: &str, digits: &str) -> Option<&'static str> {
    let pairs = value.split(|c: char| !c.is_ascii_digit());
    let in_pairs = pairs.clone().count() == 5 && pairs.into_iter().all(|pair| pair.len() == 2);
    let is_german = ["015", "016", "017", "030", "040", "069", "089", "0221"]
        .iter()
        .any(|start| digits.starts_with(start));
    match digits.len() {
        10 if !digits.starts_with(['0', '1']) => Some("1"),
        10 if in_pairs && digits.starts_with('0') => Some("33"),
        _ if is_german => Some("49"),
        11 if digits.starts_with("07") || digits.starts_with("01") || digits.starts_with("02") => {
            Some("44")
        }
        _ => None,
    }
}
