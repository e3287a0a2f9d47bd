//! Payment card numbers.

use super::{Cluster, Gap, context};
use crate::EntityType;
use crate::detect::pass::Pass;
use crate::detect::{Detection, Score};

const SHORTEST: usize = 12;
const LONGEST: usize = 19;
const MAX_PARTS: usize = 6;
#[rustfmt::skip]
const CONTEXT: &[&str] = &[
    "card", "credit", "debit", "visa", "mastercard", "amex", "maestro", "pan", "cc", "karte",
    "carte", "tarjeta", "cartao", "cartão", "carta", "kart", "карт",
];
/// Words before a number that only looks like a card.
#[rustfmt::skip]
const NOT_CARDS: &[&str] = &[
    "ean", "gtin", "isbn", "upc", "barcode", "imei", "iccid", "timestamp", "order", "tracking",
    "invoice", "serial", "iban", "account no", "ref",
];

/// Reports the card at a group; the count of groups that it takes.
pub(super) fn find(pass: &mut Pass<'_, '_>, cluster: &Cluster<'_>, index: usize) -> Option<usize> {
    if !matches!(cluster.group(index).len(), 4 | 6 | 8 | SHORTEST..=LONGEST)
        || !cluster.starts_free(index)
    {
        return None;
    }
    let count = shape(cluster, index)?;
    let mut digits = [0; LONGEST];
    let length = cluster.digits(index, count);
    for (to, digit) in digits.iter_mut().zip(cluster.values(index, count)) {
        *to = digit;
    }
    let digits = digits.get(..length)?;
    let start = cluster.group(index).start;
    let near = context::before(cluster.text, start, CONTEXT);
    let accepted = match brand(digits) {
        Some(Brand::Usual) if !near => {
            luhn(digits) && !context::before(cluster.text, start, NOT_CARDS)
        }
        Some(_) if near => luhn(digits) || count == 4,
        // An issuer that the table does not know, where the text says that this is a card.
        None if near => luhn(digits) && digits.len() >= 15 || is_fours(cluster, index, count),
        _ => false,
    };
    if !accepted {
        return None;
    }
    pass.push(Detection {
        start,
        end: cluster.group(index + count - 1).end,
        entity: EntityType::CREDIT_CARD,
        score: Score::percent(if near { 99 } else { 85 }),
        rule: "card",
    });
    Some(count)
}

/// One group, or groups in a pattern that cards are printed in.
fn shape(cluster: &Cluster<'_>, index: usize) -> Option<usize> {
    let single = cluster.group(index).len();
    if (SHORTEST..=LONGEST).contains(&single) {
        return cluster.ends_free(index).then_some(1);
    }
    [Gap::Space, Gap::Dash]
        .into_iter()
        .flat_map(|gap| (2..=MAX_PARTS).rev().map(move |count| (gap, count)))
        .find(|&(gap, count)| {
            cluster.joined(index, count, gap)
                && cluster.ends_free(index + count - 1)
                && is_printed(cluster, index, count)
        })
        .map(|(_, count)| count)
}

fn is_fours(cluster: &Cluster<'_>, index: usize, count: usize) -> bool {
    cluster.lengths(index, count).eq([4, 4, 4, 4])
}

fn is_printed(cluster: &Cluster<'_>, index: usize, count: usize) -> bool {
    let fours = cluster.lengths(index, count - 1).all(|length| length == 4);
    let last = cluster.group(index + count - 1).len();
    let total = cluster.digits(index, count);
    let lengths = || cluster.lengths(index, count);
    fours && (1..=4).contains(&last) && (SHORTEST..=LONGEST).contains(&total)
        || lengths().eq([4, 6, 5])
        || lengths().eq([4, 6, 4])
        || lengths().eq([8, 8])
        || lengths().eq([6, 13])
        || lengths().eq([4, 4, 5])
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
        2221..=2720 | 5100..=5599 | 2200..=2204 | 9792 => &[16],
        3400..=3499 | 3700..=3799 | 1800 | 2131 => &[15],
        3000..=3059 | 3095 | 3600..=3699 | 3800..=3999 => &[14, 16],
        4000..=4999 => &[13, 16, 19],
        3528..=3589 | 6200..=6299 | 8100..=8299 => &[16, 17, 18, 19],
        6011 | 6440..=6599 => &[16, 19],
        5018 | 5020 | 5038 | 5600..=5899 | 6304 | 6390..=6399 | 6700..=6799 | 604 => {
            &[12, 13, 14, 15, 16, 17, 18, 19]
        }
        5000..=5099 | 6000..=6099 => &[16, 18, 19],
        _ => return None,
    };
    Some(if usual.contains(&digits.len()) {
        Brand::Usual
    } else {
        Brand::Unusual
    })
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
