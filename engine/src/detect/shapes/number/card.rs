//! Payment card numbers.

use super::{Cluster, Gap, phone_metadata, quantity};
use crate::EntityType;
use crate::detect::bytes::{self, before};
use crate::detect::shapes::context::{self, Words};
use crate::detect::text::scanner::Scanner;
use crate::detect::{Detection, Score};

const SHORTEST: usize = 12;
const LONGEST: usize = 19;
const MAX_PARTS: usize = 6;
#[rustfmt::skip]
static CONTEXT: Words = Words::of(&[
    "card", "credit", "debit", "visa", "mastercard", "amex", "maestro", "pan", "cc", "karte",
    "carte", "tarjeta", "cartao", "cartão", "carta", "kart", "карт", "kredit",
]);
/// Names of fields whose value looks like a card number in one group, but is another number. The
/// grouping of cards overrides any word.
#[rustfmt::skip]
const FIELDS: &[&str] = &[
    "account", "acct", "build", "iban", "invoice", "offset", "order", "ref", "reference", "seed", "serial", "time", "tracking", "ts",
];
/// Words directly before a long number that name its kind; a card may follow its user.
#[rustfmt::skip]
const KINDS: &[&str] = &[
    "barcode", "ean", "epoch", "gtin", "iccid", "id", "ids", "imei", "isbn", "project", "timestamp", "uid", "upc",
];

/// Reports the card at a group; returns the number of its groups.
pub(super) fn find(
    scanner: &mut Scanner<'_, '_>,
    cluster: &Cluster<'_>,
    index: usize,
) -> Option<usize> {
    if !matches!(cluster.group(index).len(), 4 | 6 | 8 | SHORTEST..=LONGEST)
        || !starts_free(cluster, index)
    {
        return None;
    }
    let start = cluster.group(index).start;
    let mut near = None;
    let mut is_near =
        || *near.get_or_insert_with(|| cluster.follows(start, context::BACK, &CONTEXT));
    let count =
        shapes(cluster, index).find(|&count| accepts(cluster, index, count, &mut is_near))?;
    scanner.push(Detection {
        start,
        end: cluster.group(index + count - 1).end,
        entity: EntityType::CREDIT_CARD,
        score: Score::percent(if is_near() { 99 } else { 85 }),
        rule: "card",
    });
    Some(count)
}

/// `%B` begins the first track of a magnetic stripe.
fn starts_free(cluster: &Cluster<'_>, index: usize) -> bool {
    let start = cluster.group(index).start;
    let on_track = || bytes::slice(cluster.text, start.saturating_sub(2), start) == b"%B";
    cluster.starts_free(index) || index == 0 && on_track()
}

/// How many groups may be a card: one, or as many as cards are printed in.
fn shapes<'c>(cluster: &'c Cluster<'_>, index: usize) -> impl Iterator<Item = usize> + 'c {
    let single = (SHORTEST..=LONGEST).contains(&cluster.group(index).len());
    let gap = cluster.gap(index);
    let separates = matches!(
        gap,
        Gap::Space | Gap::Dash | Gap::Dot | Gap::Slash | Gap::Columns
    );
    let joined = (index..cluster.count - 1).take_while(|&index| cluster.gap(index) == gap);
    let (fewest, most) = match (single, separates) {
        (true, _) => (1, 1),
        (false, true) => (2, 1 + joined.take(MAX_PARTS - 1).count()),
        (false, false) => (1, 0),
    };
    (fewest..=most)
        .rev()
        .filter(move |&count| count == 1 || is_printed(cluster, index, count))
}

fn accepts(
    cluster: &Cluster<'_>,
    index: usize,
    count: usize,
    is_near: &mut impl FnMut() -> bool,
) -> bool {
    let last = index + count - 1;
    let ends = cluster.ends_free(last) || may_go_on(cluster, last) && is_near();
    if !ends {
        return false;
    }
    let mut digits = [0; LONGEST];
    let length = cluster.digits(index, count);
    for (to, digit) in digits.iter_mut().zip(cluster.values(index, count)) {
        *to = digit;
    }
    let Some(digits) = digits.get(..length) else {
        return false;
    };
    if is_telephone(cluster, index, digits) {
        return false;
    }
    match brand(digits) {
        Some(_) if is_near() => luhn(digits) || count == 4,
        Some(Brand::Usual) => luhn(digits) && !is_other(cluster, index, count, digits),
        // An issuer that the table does not know, where the text says that this is a card.
        None if is_near() => luhn(digits) && digits.len() >= 15 || is_fours(cluster, index, count),
        _ => false,
    }
}

/// Whether a number of the form of a card is that of something else.
fn is_other(cluster: &Cluster<'_>, index: usize, count: usize, digits: &[u8]) -> bool {
    if count > 1 {
        return is_cut_out(cluster, index, count)
            || cluster.is_in_dump(cluster.group(index).len())
            || cluster.is_drawn(index, count);
    }
    let group = cluster.group(index);
    is_article(digits)
        || is_in_array(cluster, index)
        || is_negative(cluster.text, group.start)
        || context::is_after(cluster.text, group.start, KINDS)
        || context::is_field(cluster.text, group.start, FIELDS)
        || quantity::is_counted(cluster.text, group.end)
}

/// `mantissa -4386812962460287`; a dash at the start of a line is that of a list or of a diff.
fn is_negative(text: &[u8], start: usize) -> bool {
    const INDENT: usize = 32;
    let dash = start.saturating_sub(1);
    let spaces = bytes::run_back(text, dash, INDENT, |byte| byte == b' ');
    let ahead = before(text, dash - spaces);
    let follows = spaces > 0 || matches!(ahead, b'=' | b'(' | b',' | b'[');
    before(text, start) == b'-' && follows && !matches!(ahead, b'\n' | 0)
}

/// Whether what follows a card may be a date, a check number or a text: `…4242-12/28`, `…4242:12/28`, `…4242.Then`.
fn may_go_on(cluster: &Cluster<'_>, last: usize) -> bool {
    match cluster.gap(last) {
        Gap::Dash | Gap::Dot | Gap::Slash => {
            last + 1 < cluster.count && (2..=3).contains(&cluster.group(last + 1).len())
        }
        _ => {
            let next = bytes::at(cluster.text, cluster.group(last).end);
            matches!(next, b'.' | b'-' | b':' | b'/' | b'_')
        }
    }
}

/// `+4915123895364`; a line that a diff adds begins with `+`, too, and then a card is longer.
fn is_telephone(cluster: &Cluster<'_>, index: usize, digits: &[u8]) -> bool {
    const LONGEST: usize = 15;
    before(cluster.text, cluster.group(index).start) == b'+'
        && digits.len() <= LONGEST
        && phone_metadata::calling_code(digits).is_some()
}

/// Whether groups of four are part of a longer row of such groups, as in a dump. Another card, its
/// expiry date, or one or two other numbers may be next to it.
fn is_cut_out(cluster: &Cluster<'_>, index: usize, count: usize) -> bool {
    const CARD: u8 = 4;
    const ROW: usize = 3;
    let gap = cluster.gap(index);
    let is_four = |index| cluster.is_shaped(index, 1, [CARD]);
    if count == 1 || !is_four(index) {
        return false;
    }
    let next = index + count;
    let ahead = (next..next + ROW)
        .take_while(|&index| cluster.gap_before(index) == gap && is_four(index))
        .count();
    let behind = (cluster.taken..index)
        .rev()
        .take(ROW)
        .take_while(|&index| cluster.gap(index) == gap && is_four(index))
        .count();
    let goes_on = ahead > 0 && !is_block(cluster, next) && !is_month(cluster, next);
    let follows = behind > 0
        && !index
            .checked_sub(CARD.into())
            .is_some_and(|at| is_block(cluster, at));
    goes_on && (follows || ahead == ROW) || follows && behind == ROW
}

/// Whether a long number is in a list of similar numbers that are not cards, as in a table of
/// constants.
fn is_in_array(cluster: &Cluster<'_>, index: usize) -> bool {
    const FEWEST: usize = 17;
    let group = cluster.group(index);
    let between = |byte: u8| byte == b',' || byte.is_ascii_whitespace();
    let gap = bytes::run(cluster.text, group.end, 16, between);
    let next = group.end + gap;
    let ahead = bytes::run(cluster.text, next, LONGEST + 2, |byte| {
        byte.is_ascii_digit()
    });
    let gap = bytes::run_back(cluster.text, group.start, 16, between);
    let last = group.start - gap;
    let behind = bytes::run_back(cluster.text, last, LONGEST + 2, |byte| {
        byte.is_ascii_digit()
    });
    let is_other = |start: usize, length: usize| {
        let mut digits = [0; LONGEST + 2];
        for (to, digit) in digits
            .iter_mut()
            .zip(bytes::slice(cluster.text, start, start + length))
        {
            *to = digit - b'0';
        }
        length >= FEWEST && !luhn(digits.get(..length).unwrap_or_default())
    };
    group.len() >= FEWEST && (is_other(next, ahead) || is_other(last - behind, behind))
}

/// Whether four groups of four are a card of a usual brand.
fn is_block(cluster: &Cluster<'_>, index: usize) -> bool {
    let mut digits = [0; 16];
    for (to, digit) in digits.iter_mut().zip(cluster.values(index, 4)) {
        *to = digit;
    }
    is_fours(cluster, index, 4) && luhn(&digits) && brand(&digits) == Some(Brand::Usual)
}

/// `1228` at the end of a row.
fn is_month(cluster: &Cluster<'_>, index: usize) -> bool {
    let number = cluster.number(index, 4);
    cluster.gap(index) == Gap::None
        && (1..=12).contains(&(number / 100))
        && (20..=50).contains(&(number % 100))
}

fn is_fours(cluster: &Cluster<'_>, index: usize, count: usize) -> bool {
    cluster.is_shaped(index, count, [4, 4, 4, 4])
}

fn is_printed(cluster: &Cluster<'_>, index: usize, count: usize) -> bool {
    const FOURS: u64 = 0x0404_0404_0404_0404;
    let fours = cluster.shape(index, count - 1) == FOURS & u64::MAX >> (8 * (9 - count));
    let last = cluster.group(index + count - 1).len();
    let total = cluster.digits(index, count);
    match cluster.gap(index) {
        Gap::Slash | Gap::Columns => return is_fours(cluster, index, count),
        // Short rows with dots are numbers of other kinds.
        Gap::Dot if total < 15 || count == 2 => return false,
        _ => {}
    }
    fours && (1..=4).contains(&last) && (SHORTEST..=LONGEST).contains(&total)
        || cluster.is_shaped(index, count, [4, 6, 5])
        || cluster.is_shaped(index, count, [4, 6, 4])
        || cluster.is_shaped(index, count, [8, 8])
        || cluster.is_shaped(index, count, [6, 13])
        || cluster.is_shaped(index, count, [6, 10])
        || cluster.is_shaped(index, count, [4, 4, 5])
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Brand {
    /// A length that this issuer prints.
    Usual,
    /// A number that is a card only where the text says so.
    Unusual,
}

/// The issuer by its leading digits (ISO/IEC 7812 ranges as the networks publish them).
fn brand(digits: &[u8]) -> Option<Brand> {
    let prefix = digits
        .iter()
        .take(4)
        .fold(0u16, |number, &digit| number * 10 + u16::from(digit));
    let usual: &[usize] = match prefix {
        3400..=3499 | 3700..=3799 | 1800 | 2131 => &[15],
        3000..=3059 | 3095 | 3600..=3699 | 3800..=3999 => &[14, 16],
        4000..=4999 => &[13, 16, 19],
        3528..=3589 | 6200..=6299 | 6360..=6369 | 8100..=8299 => &[16, 17, 18, 19],
        6011 | 6440..=6599 => &[16, 19],
        5018 | 5020 | 5038 | 5600..=5899 | 6304 | 6390..=6399 | 6700..=6799 | 604 => {
            &[12, 13, 14, 15, 16, 17, 18, 19]
        }
        2200..=2204 | 2221..=2720 | 5000..=5599 | 6000..=6099 | 6370..=6389 | 9792 => &[16],
        _ => return None,
    };
    Some(if usual.contains(&digits.len()) {
        Brand::Usual
    } else {
        Brand::Unusual
    })
}

/// The check digit of an article's number of thirteen digits (GS1), which hardly any card has by chance.
fn is_article(digits: &[u8]) -> bool {
    const DIGITS: usize = 13;
    let sum: u32 = digits
        .iter()
        .zip([1, 3].into_iter().cycle())
        .map(|(&digit, weight)| u32::from(digit) * weight)
        .sum();
    digits.len() == DIGITS && sum.is_multiple_of(10)
}

/// ISO/IEC 7812-1, annex B.
fn luhn(digits: &[u8]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(place, &digit)| {
            let value = u32::from(digit) << (place % 2);
            if value > 9 { value - 9 } else { value }
        })
        .sum();
    sum.is_multiple_of(10)
}
