//! Numbers that are grouped like phone numbers but are something else.

use super::{Cluster, Gap};
use crate::detect::bytes::{self, at, before};

/// Whether a number is the operand of an assignment in code (`= 17179869184;`).
pub(super) fn is_operand(cluster: &Cluster<'_>, index: usize) -> bool {
    let text = cluster.text;
    let group = cluster.group(index);
    let spaces = bytes::run_back(text, group.start, 2, |byte| byte == b' ');
    let assigned = spaces > 0
        && matches!(
            before(text, group.start - spaces),
            b'=' | b'+' | b'*' | b'<' | b'>'
        );
    assigned || at(text, group.end) == b';'
}

/// Postal codes and numbers of taxpayers, and ids: `01310-178`, `012.345.678-09`, `012/345/67890`; a place in a count
/// (`03711 / 19935`); the rest of a large number (`18 021 727 925`).
pub(super) fn is_official(cluster: &Cluster<'_>, index: usize, count: usize) -> bool {
    let last = cluster.gap(index + count - 2);
    match cluster.gap(index) {
        Gap::Dash => {
            // Of these, only Indonesian mobiles are telephone numbers.
            let mobile = cluster.values(index, 2).take(2).eq([0, 8]);
            cluster.is_shaped(index, count, [5, 4])
                || cluster.is_shaped(index, count, [5, 3])
                || cluster.is_shaped(index, count, [4, 4, 4]) && !mobile
        }
        Gap::Dot => {
            cluster.is_shaped(index, count, [3, 3, 3, 2]) && last == Gap::Dash
                || cluster.is_shaped(index, count, [4, 4, 4])
        }
        Gap::Slash => cluster.is_shaped(index, count, [3, 3, 5]),
        Gap::Wide => {
            cluster.is_shaped(index, count, [5, 5]) || cluster.is_shaped(index, count, [4, 4])
        }
        Gap::Space => {
            cluster.gap_before(index) == Gap::Space
                && cluster.lengths(index, count).all(|length| length == 3)
        }
        _ => false,
    }
}

/// Whether groups of equal length are in a row, as in a table of codes: `0045 0302 0301`, `05 06
/// 07`.
pub(super) fn is_list(cluster: &Cluster<'_>, index: usize) -> bool {
    let length = cluster.group(index).len();
    let after_another =
        cluster.gap_before(index) == Gap::Space && cluster.group(index - 1).len() == length;
    let pair = cluster.is_shaped(index, 2, [4, 4]) && cluster.gap(index) == Gap::Space;
    let codes = pair
        && (cluster.values(index + 1, 1).next() == Some(0)
            || cluster.is_shaped(index, 3, [4, 4, 4]));
    after_another || codes
}

/// Whether the bytes of a dump are in a row: `0c 04 31 32 33 34`.
pub(super) fn is_byte_row(cluster: &Cluster<'_>, index: usize) -> bool {
    cluster.lengths(index, 2).eq([2, 2]) && (cluster.is_in_dump(2) || is_counted_up(cluster, index))
}

/// `01 02 03 04 05`, `05 04 00 00 00`
fn is_counted_up(cluster: &Cluster<'_>, index: usize) -> bool {
    const PAIRS: usize = 5;
    let mut pairs = [0; PAIRS];
    for (offset, pair) in pairs.iter_mut().enumerate() {
        *pair = cluster.number(index + offset, 2);
    }
    let [first, second, rest @ ..] = pairs;
    let rises = |pair: &[u32; 2]| pair[0] + second == pair[1] + first;
    pairs.array_windows().all(rises) || rest == [0; PAIRS - 2]
}

/// ``[`0299767508`](https://…)``: a revision that a list of changes links to.
pub(super) fn is_linked(text: &[u8], start: usize, end: usize) -> bool {
    const LONGEST_LINK: usize = 200;
    let closed = end + usize::from(at(text, end) == b'`');
    let link = bytes::slice(text, closed, text.len().min(closed + LONGEST_LINK));
    let length = bytes::run(link, 0, link.len(), |byte| byte != b')');
    let link = bytes::slice(link, 0, length);
    matches!(before(text, start), b'[' | b'`')
        && bytes::begins(link, 0, b"](")
        && (bytes::holds(link, b"/commit") || bytes::holds(link, b"/rev"))
}

/// `2026-11-21`, `04.06.2024`, `11/21/2026`, `20261121`, also with a time after it.
pub(super) fn is_date(cluster: &Cluster<'_>, index: usize, count: usize) -> bool {
    let number = |index| cluster.number(index, 8);
    let year = |number: u32| (1900..=2100).contains(&number);
    let (first, second, third) = (number(index), number(index + 1), number(index + 2));
    let gap = cluster.gap(index);
    let day = |number: u32| (1..=31).contains(&number);
    if count >= 3 && gap == cluster.gap(index + 1) && gap != Gap::Space {
        let month = (1..=12).contains(&second);
        let any_year = gap == Gap::Dash && cluster.group(index).len() == 4 && month;
        let ordered = (year(first) || any_year) && day(second) && day(third);
        let any_year = gap == Gap::Slash && cluster.is_shaped(index, 3, [2, 2, 4]);
        let reversed =
            day(first) && day(second) && (year(third) || any_year || third < 100 && count == 3);
        if ordered || reversed {
            return true;
        }
    }
    let pair = year(first) && year(second) && count == 2;
    let compact = cluster.group(index).len() == 8
        && year(first / 10_000)
        && day(first % 100)
        && first / 100 % 100 <= 12;
    pair || compact
}

/// `011011101101`
pub(super) fn are_bits(digits: &[u8]) -> bool {
    digits.len() >= 10 && digits.iter().all(|digit| *digit < 2)
}

/// `0123456789` and its like, or one digit over and over (`037777777777`).
pub(super) fn is_sequence(digits: &[u8]) -> bool {
    let steps = |step: u8| {
        digits
            .windows(2)
            .all(|pair| matches!(pair, [first, second] if (first + step) % 10 == *second))
    };
    let ends_alike = digits
        .last_chunk::<10>()
        .is_some_and(|last| last.iter().all(|digit| digit == &last[0]));
    let begins_counted = digits.starts_with(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    begins_counted || steps(1) || steps(0) || steps(9) || ends_alike
}
