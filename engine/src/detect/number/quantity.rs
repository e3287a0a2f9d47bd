//! Numbers that count, measure or list something.

use super::{Cluster, Gap, context};
use crate::detect::bytes;

/// Words after a number that say what it counts.
#[rustfmt::skip]
const UNITS: &[&str] = &[
    "times", "bytes", "byte", "bits", "users", "people", "points", "items", "rows", "records",
    "requests", "messages", "followers", "subscribers", "customers", "seconds", "secs", "ms", "px", "kb",
    "mb", "gb", "usd", "eur", "dollars", "euros", "tokens", "lines", "entries", "events", "views",
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
