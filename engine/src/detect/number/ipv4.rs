//! Addresses of four octets.

use super::{Cluster, Gap, context};
use crate::EntityType;
use crate::detect::bytes::{at, before, is_word};
use crate::detect::pass::Pass;
use crate::detect::{Detection, Score};

const OCTETS: usize = 4;
/// Words after which four numbers are something else.
#[rustfmt::skip]
const NOT_ADDRESSES: &[&str] = &[
    "version", "ver.", "release", "build", "oid", "identifier", "hyperspec", "rfc", "section", "chapter", "revision", "upgraded",
    "firmware", "clause", "paragraph",
];
/// Words that make an address certain even so.
const ADDRESSES: &[&str] = &[
    "ip", "host", "addr", "server", "gateway", "client", "from", "dns",
];

/// Reports the address at a group; the count of groups that it takes.
pub(super) fn find(pass: &mut Pass<'_, '_>, cluster: &Cluster<'_>, index: usize) -> Option<usize> {
    if !cluster.joined(index, OCTETS, Gap::Dot) || cluster.gap_before(index) == Gap::Dot {
        return None;
    }
    if cluster.gap(index + OCTETS - 1) == Gap::Dot {
        // More than four parts: an object identifier or a section. None of its tail is an address.
        let pairs = cluster.joined(index, 5, Gap::Dot)
            && cluster.lengths(index, 5).all(|length| length == 2);
        return (!pairs).then(|| dotted(cluster, index));
    }
    let octets = octets(cluster, index)?;
    let (start, end) = (
        cluster.group(index).start,
        cluster.group(index + OCTETS - 1).end,
    );
    if is_reserved_for_documents(octets) || !stands_free(cluster.text, start, end) {
        return Some(OCTETS);
    }
    let is_version = context::within(cluster.text, start, 24, NOT_ADDRESSES)
        && !context::within(cluster.text, start, 12, ADDRESSES);
    if is_version {
        return Some(OCTETS);
    }
    pass.push(Detection {
        start,
        end,
        entity: EntityType::IP_ADDRESS,
        score: Score::percent(90),
        rule: "ipv4",
    });
    Some(OCTETS)
}

fn dotted(cluster: &Cluster<'_>, index: usize) -> usize {
    (index..cluster.count)
        .take_while(|&index| cluster.gap(index) == Gap::Dot)
        .count()
        + 1
}

fn octets(cluster: &Cluster<'_>, index: usize) -> Option<[u8; OCTETS]> {
    let mut octets = [0; OCTETS];
    for (offset, octet) in octets.iter_mut().enumerate() {
        let length = cluster.group(index + offset).len();
        let number = (length <= 3).then(|| {
            cluster
                .values(index + offset, 1)
                .fold(0, |number, digit| number * 10 + u16::from(digit))
        })?;
        let padded = length > 1 && cluster.values(index + offset, 1).next() == Some(0);
        *octet = u8::try_from(number).ok().filter(|_| !padded)?;
    }
    Some(octets)
}

/// Loopback, unspecified and the ranges of RFC 5737: they name no one.
const fn is_reserved_for_documents(octets: [u8; OCTETS]) -> bool {
    matches!(
        octets,
        [127, 0, 0, 1] | [0, 0, 0, 0] | [192, 0, 2, _] | [198, 51, 100, _] | [203, 0, 113, _]
    )
}

fn stands_free(text: &[u8], start: usize, end: usize) -> bool {
    let previous = before(text, start);
    let attached = is_word(previous) && !crate::detect::bytes::follows_escape(text, start)
        || previous == b'.'
        || previous == b'-' && is_word(before(text, start - 1));
    let next = at(text, end);
    let continues = is_word(next) || matches!(next, b'.' | b'-') && is_word(at(text, end + 1));
    !attached && !continues
}
