//! Recognizes numbers that count, measure or enumerate.

use super::{Cluster, Gap};
use crate::detect::bytes;
use crate::detect::shapes::context;
use std::ops::Range;

/// Words after a number that say what it counts.
#[rustfmt::skip]
const UNITS: &[&str] = &[
    "times", "bytes", "byte", "bits", "users", "people", "points", "items", "rows", "records",
    "requests", "messages", "followers", "subscribers", "customers", "seconds", "secs", "ms", "px", "kb",
    "mb", "gb", "usd", "eur", "dollars", "euros", "tokens", "lines", "entries", "events", "views",
];
/// The same in other languages, and currencies.
#[rustfmt::skip]
const COUNTED: &[&str] = &[
    "zł", "pln", "euro", "eur", "euros", "usd", "brl", "inr", "chf", "reais", "rs", "rupees", "lakh", "lakhs", "crore", "crores",
    "osób", "ludzi", "sztuk", "mieszkańców", "personas", "habitantes", "unidades", "pessoas", "persone", "abitanti",
    "pezzi", "personnes", "habitants", "km", "kg", "m",
];
/// Words right before a number that say so.
#[rustfmt::skip]
const MEASURES: &[&str] = &[
    "count", "total", "buffer", "breakpoint", "breakpoints", "hours", "size", "bytes", "limit", "resolution",
];
/// Words right before a telephone number, however round it is.
const LABELS: &[&str] = &[
    "phone",
    "tel",
    "telephone",
    "telefon",
    "fax",
    "mobile",
    "number",
    "call",
];
/// Words right before a time.
const TIMES: &[&str] = &["at", "since", "until", "after", "before"];

/// Whether `count` groups from `index` on are a quantity, a time, or years.
pub(super) fn is_quantity(cluster: &Cluster<'_>, index: usize, count: usize) -> bool {
    let text = cluster.text;
    let start = cluster.group(index).start;
    let end = cluster.group(index + count - 1).end;
    context::is_after(text, start, MEASURES)
        || count == 1
            && (is_round(cluster, index) && !context::is_after(text, start, LABELS)
                || is_binary(cluster, index)
                || is_counted(text, end))
        || count == 1 && is_moment(cluster, index) && context::is_after(text, start, TIMES)
        || count > 1 && are_years(cluster, index, count)
        || count == 2 && is_range(cluster, index)
}

/// `512 345 678 zł`, `R$ 512 345 678`
pub(super) fn is_amount(text: &[u8], span: &Range<usize>) -> bool {
    let lead = bytes::slice(text, 0, span.start).trim_ascii_end();
    let rest = bytes::slice(text, span.end, text.len()).trim_ascii_start();
    let is_money = lead.ends_with(b"$")
        || ["€", "£", "₹"]
            .iter()
            .any(|sign| lead.ends_with(sign.as_bytes()));
    let is_counted = |unit: &&str| {
        rest.get(..unit.len())
            .is_some_and(|word| word.eq_ignore_ascii_case(unit.as_bytes()))
            && !rest
                .get(unit.len())
                .is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte >= 0x80)
    };
    is_money
        || context::is_after(text, span.start, &["rs", "inr", "eur", "pln", "usd", "brl"])
        || rest.starts_with("€".as_bytes())
        || rest.starts_with(b"%")
        || COUNTED.iter().any(is_counted)
}

/// `17179869184 bytes`
pub(super) fn is_counted(text: &[u8], end: usize) -> bool {
    context::after(text, end, UNITS)
}

/// `17179869184`: whole mebibytes, or one less.
pub(super) fn is_binary(cluster: &Cluster<'_>, index: usize) -> bool {
    const MEBIBYTE: u64 = 1 << 20;
    let group = cluster.group(index);
    let number = cluster.values(index, 1).fold(0u64, |number, digit| {
        number.wrapping_mul(10) + u64::from(digit)
    });
    (8..=15).contains(&group.len()) && (number + 1) % MEBIBYTE <= 1
}

/// `10000000`
fn is_round(cluster: &Cluster<'_>, index: usize) -> bool {
    const ZEROS: usize = 6;
    let group = cluster.group(index);
    bytes::run_back(cluster.text, group.end, ZEROS, |byte| byte == b'0') == ZEROS
}

/// Seconds since 1970, in these years.
fn is_moment(cluster: &Cluster<'_>, index: usize) -> bool {
    (1_500_000_000..2_000_000_000).contains(&number(cluster, index))
}

fn are_years(cluster: &Cluster<'_>, index: usize, count: usize) -> bool {
    (index..index + count).all(|index| {
        cluster.group(index).len() == 4 && (1900..=2100).contains(&number(cluster, index))
    })
}

/// `1024-1535`
fn is_range(cluster: &Cluster<'_>, index: usize) -> bool {
    let (first, last) = (number(cluster, index), number(cluster, index + 1));
    let fours = cluster.is_shaped(index, 2, [4, 4]);
    fours && cluster.gap(index) == Gap::Dash && (1000..last).contains(&first)
}

/// The value of a group of ten digits at most.
fn number(cluster: &Cluster<'_>, index: usize) -> u64 {
    cluster
        .values(index, 1)
        .take(10)
        .fold(0, |number, digit| number * 10 + u64::from(digit))
}
