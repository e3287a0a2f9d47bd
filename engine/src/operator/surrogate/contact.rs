//! Surrogates for e-mail and IP addresses.

use super::KeyedSequence;
use super::names::{NameLanguage, Role};

/// Domains that nobody can own (RFC 2606).
const DOMAINS: [&str; 3] = ["example.com", "example.org", "example.net"];

/// Networks for documentation (RFC 5737).
const NETWORKS: [&str; 3] = ["192.0.2", "198.51.100", "203.0.113"];

/// The first candidates come from those, which are few; the others from the benchmarking network
/// (RFC 2544).
const FEW: u32 = 12;

pub(super) fn email(draw: &mut KeyedSequence, value: &str) -> Option<String> {
    let tongue = NameLanguage::of_domain(value.rsplit_once('@')?.1);
    let first = tongue
        .name(draw, Role::First(None), |_| true)?
        .to_lowercase();
    let last = tongue.name(draw, Role::Last, |_| true)?.to_lowercase();
    let domain = draw.one_of(&DOMAINS);
    Some(format!("{first}.{last}@{domain}"))
}

pub(super) fn address(draw: &mut KeyedSequence, value: &str, attempt: u32) -> Option<String> {
    if value.parse::<std::net::Ipv4Addr>().is_ok() {
        let last = draw.between(1, 254);
        return Some(if attempt < FEW {
            format!("{}.{last}", draw.one_of(&NETWORKS))
        } else {
            let (second, third) = (draw.between(18, 19), draw.below(256));
            format!("198.{second}.{third}.{last}")
        });
    }
    value.parse::<std::net::Ipv6Addr>().ok()?;
    let [first, second, third] = [0; 3].map(|_: u8| draw.between(0x1000, 0xffff));
    // The network for documentation (RFC 3849).
    Some(format!("2001:db8:{first:x}:{second:x}::{third:x}"))
}
