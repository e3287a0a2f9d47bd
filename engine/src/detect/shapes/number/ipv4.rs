//! IPv4 addresses.

use super::{Cluster, Gap, release};
use crate::EntityType;
use crate::detect::bytes::{self, at, before, is_word};
use crate::detect::shapes::context::{self, Words};
use crate::detect::shapes::prefix::with_prefix;
use crate::detect::text::boundary::is_emphasis;
use crate::detect::text::scanner::Scanner;
use crate::detect::{Detection, Score};

const OCTETS: usize = 4;
/// Longest prefix of a network, in bits.
const BITS: u32 = 32;
/// The first octet of all loopback addresses.
const LOOPBACK: u8 = 127;
/// Words after which four numbers are something else.
#[rustfmt::skip]
static NOT_ADDRESSES: Words = Words::of(&[
    "version", "ver.", "release", "build", "oid", "identifier", "hyperspec", "rfc", "section", "chapter", "revision", "upgraded",
    "firmware", "clause", "paragraph",
]);
/// Words that make an address certain even so.
static ADDRESSES: Words = Words::of(&[
    "ip", "host", "addr", "server", "gateway", "client", "from", "dns",
]);
/// Words that an address is joined to in names: `ip-10.1.2.3`, `host_10.1.2.3`.
const HOSTS: &[&str] = &["ip", "host", "addr", "address"];
/// Words right before an address that do so, too.
const PLACES: &[&str] = &["at", "via"];

/// Reports the address at a group; returns the number of its groups.
pub(super) fn find(
    scanner: &mut Scanner<'_, '_>,
    cluster: &Cluster<'_>,
    index: usize,
) -> Option<usize> {
    if !cluster.joined(index, OCTETS, Gap::Dot) || cluster.gap_before(index) == Gap::Dot {
        return None;
    }
    let text = cluster.text;
    if cluster.gap(index + OCTETS - 1) == Gap::Dot {
        // More than four parts: an object identifier or a section. None of its tail is an address.
        let pairs = cluster.joined(index, 5, Gap::Dot) && cluster.is_shaped(index, 5, [2; 5]);
        let is_telephone = before(text, cluster.group(index).start) == b'+';
        return (!pairs && !is_telephone).then(|| dotted(cluster, index));
    }
    let octets = octets(cluster, index)?;
    let (start, end) = (
        cluster.group(index).start,
        cluster.group(index + OCTETS - 1).end,
    );
    // `https://10.0.0.1/8` and `redis://:x@10.0.0.1/0` continue with a path.
    let network_end = match before(text, start) {
        b'/' | b'@' => end,
        _ => with_prefix(text, end, BITS),
    };
    let is_network = network_end > end;
    if is_reserved_for_documents(octets)
        || is_network && octets[0] == LOOPBACK
        || !stands_free(cluster, index, octets)
        || is_version(text, start)
        || release::is_release(text, start..end, octets)
        || cluster.is_drawn(index, OCTETS)
    {
        return Some(OCTETS);
    }
    scanner.push(Detection {
        start,
        end: network_end,
        entity: EntityType::IP_ADDRESS,
        score: Score::percent(90),
        rule: "ipv4",
    });
    Some(OCTETS + usize::from(is_network))
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
        let number = (length <= 3).then(|| cluster.number(index + offset, 3))?;
        let padded = length > 1 && cluster.values(index + offset, 1).next() == Some(0);
        *octet = u8::try_from(number).ok().filter(|_| !padded)?;
    }
    Some(octets)
}

/// Loopback, this network (RFC 1122) and the ranges of RFC 5737: they name no one.
const fn is_reserved_for_documents(octets: [u8; OCTETS]) -> bool {
    matches!(
        octets,
        [127, 0, 0, 1] | [0, ..] | [192, 0, 2, _] | [198, 51, 100, _] | [203, 0, 113, _]
    )
}

/// Whether the words before suggest a version, and not a host.
fn is_version(text: &[u8], start: usize) -> bool {
    context::within(text, start, 24, &NOT_ADDRESSES)
        && !context::within(text, start, 12, &ADDRESSES)
        && !context::is_after(text, start, PLACES)
}

fn stands_free(cluster: &Cluster<'_>, index: usize, octets: [u8; OCTETS]) -> bool {
    let text = cluster.text;
    let (start, end) = (
        cluster.group(index).start,
        cluster.group(index + OCTETS - 1).end,
    );
    let previous = before(text, start);
    let ends_range = || {
        cluster.gap_before(index) == Gap::Dash
            && index
                .checked_sub(OCTETS)
                .is_some_and(|first| is_whole(cluster, first))
    };
    let marked = previous == b'_' && is_emphasis(bytes::slice(text, 0, start).iter().rev(), b'_');
    let attached = is_word(previous) && !marked && !bytes::follows_escape(text, start)
        || previous == b'.'
        || previous == b'-' && is_word(before(text, start - 1)) && !ends_range();
    let attached =
        attached && !(matches!(previous, b'-' | b'_') && context::is_after(text, start, HOSTS));
    let next = at(text, end);
    let begins_range =
        || next == b'-' && (is_whole(cluster, index + OCTETS) || is_range(cluster, index, octets));
    let marked = next == b'_' && is_emphasis(bytes::slice(text, end, text.len()).iter(), b'_');
    let continues = is_word(next) && !marked
        || matches!(next, b'.' | b'-') && is_word(at(text, end + 1)) && !begins_range();
    !attached && !continues
}

/// Whether four octets and no more begin at a group.
fn is_whole(cluster: &Cluster<'_>, index: usize) -> bool {
    cluster.joined(index, OCTETS, Gap::Dot)
        && cluster.gap(index + OCTETS - 1) != Gap::Dot
        && octets(cluster, index).is_some()
}

/// `192.168.1.10-20`: a range in a private network (RFC 1918), where a version is least likely.
fn is_range(cluster: &Cluster<'_>, index: usize, octets: [u8; OCTETS]) -> bool {
    let last = index + OCTETS;
    let end = cluster.number(last, 4);
    let is_private = matches!(octets, [10, ..] | [192, 168, ..] | [172, 16..=31, ..]);
    is_private
        && cluster.gap(last) == Gap::None
        && !is_word(at(cluster.text, cluster.group(last).end))
        && (u32::from(octets[OCTETS - 1]) + 1..256).contains(&end)
}
