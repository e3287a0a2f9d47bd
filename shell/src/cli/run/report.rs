//! Messages to the user while the tool runs, and when it has ended.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::mpsc::Receiver;

use engine::EntityType;

use super::launch::{Hop, served};
use super::own::Own;
use super::tools::{Endpoint, Tool, Way};
use crate::cli::counted;

use crate::exchange::{ExchangeCounts, Notice};

/// How many paths the closing line names.
const NAMED_PATHS: usize = 3;

/// Types in words, one and many; types of one word are counted together.
const WORDS: &[(&str, &str, &str)] = &[
    ("EMAIL", "e-mail address", "e-mail addresses"),
    ("PHONE", "phone number", "phone numbers"),
    ("CREDIT_CARD", "card number", "card numbers"),
    ("IBAN", "bank account", "bank accounts"),
    ("BANK_ACCOUNT", "bank account", "bank accounts"),
    ("IP_ADDRESS", "IP address", "IP addresses"),
    ("MAC_ADDRESS", "MAC address", "MAC addresses"),
    ("SSN", "social security number", "social security numbers"),
    ("NATIONAL_ID", "national ID", "national IDs"),
    ("PASSPORT", "passport number", "passport numbers"),
    ("DRIVER_LICENSE", "driver's license", "driver's licenses"),
    ("TAX_ID", "tax ID", "tax IDs"),
    ("HEALTH_ID", "health ID", "health IDs"),
    ("DATE_OF_BIRTH", "date of birth", "dates of birth"),
    ("ADDRESS", "postal address", "postal addresses"),
    ("PERSON", "person's name", "people's names"),
    ("ORGANIZATION", "organization", "organizations"),
    ("LOCATION", "place", "places"),
    ("VIN", "vehicle number", "vehicle numbers"),
    ("LICENSE_PLATE", "license plate", "license plates"),
    ("CRYPTO_WALLET", "wallet address", "wallet addresses"),
    ("API_KEY", "secret", "secrets"),
    ("AUTH_TOKEN", "secret", "secrets"),
    ("JWT", "secret", "secrets"),
    ("PRIVATE_KEY", "secret", "secrets"),
    ("URL_CREDENTIAL", "secret", "secrets"),
    ("SECRET", "secret", "secrets"),
];

/// What is protected, printed before the tool starts.
pub(super) fn opening(
    program: &OsStr,
    upstream: &str,
    place: Option<&str>,
    is_shadow: bool,
) -> String {
    let program = Path::new(program).file_name().unwrap_or(program);
    let program = program.to_string_lossy();
    let why = place.map_or(String::new(), |place| format!(" (from {place})"));
    let does = if is_shadow {
        "only looking at"
    } else {
        "masking"
    };
    format!("{does} what {program} sends to {upstream}{why}")
}

/// Which other providers the tool has a key for, and reaches directly.
pub(super) fn unserved(tool: &Tool, own: &Own, hop: Hop<'_>) -> Vec<String> {
    let served = served(tool, hop);
    let mut warnings = Vec::new();
    // qwen uses the provider of its login only.
    let is_used = |endpoint: &&Endpoint| {
        tool.way != Way::QwenOptions || own.chosen == Some(endpoint.provider)
    };
    for endpoint in tool.endpoints.iter().filter(is_used) {
        let is_served = served
            .iter()
            .any(|served| served.provider == endpoint.provider);
        let key = endpoint.provider.key_variable();
        let key = key.filter(|key| std::env::var_os(key).is_some_and(|value| !value.is_empty()));
        if let Some(key) = key.filter(|_| !is_served) {
            let (name, url) = (tool.name, endpoint.provider.url());
            warnings.push(format!(
                "warning: {key} is set: what {name} sends to {url} goes there directly and is NOT masked \
                 (-u {url} masks it instead)"
            ));
        }
    }
    warnings.dedup();
    warnings
}

/// Prints urgent notices, until no more can come.
pub(super) fn report_all(notices: &Receiver<Notice>, upstream: &str, notify: impl Fn(&str)) {
    for notice in notices {
        notify(&in_words(&notice, upstream));
    }
}

fn in_words(notice: &Notice, upstream: &str) -> String {
    match notice {
        Notice::Unmasked(path) => format!(
            "warning: a request to {path} went to {upstream} and was NOT masked: the path has no route (add \
             it to proxy.add_routes, or set proxy.unrouted to mask or refuse)"
        ),
        Notice::Unreachable(fault) => format!("can't reach {upstream}: {fault}"),
    }
}

/// The line at the end. The policy lets some types through.
pub(super) fn closing(tally: &ExchangeCounts, let_through: &[EntityType]) -> String {
    let mut parts = vec![requests(tally), masked(tally)];
    let all_failed = tally.failed >= tally.requests;
    if tally.is_shadow {
        parts.push("NOTHING was masked (policy shadow)".to_owned());
        return parts.join(", ");
    }
    // If no request got through, it does not claim that nothing was left unmasked.
    let rest = || (!all_failed).then(|| rest(tally, let_through));
    parts.extend(unmasked(tally).or_else(rest));
    parts.join(", ")
}

/// `23 requests`, and how many of them failed.
fn requests(tally: &ExchangeCounts) -> String {
    let requests = counted(tally.requests, "request", "requests");
    match tally.failed {
        0 => requests,
        failed if failed >= tally.requests => format!("{requests} (failed)"),
        failed => format!("{requests} ({failed} failed)"),
    }
}

/// `14 values masked (3 e-mail addresses, 11 secrets)`: different ones, where they are kept.
fn masked(tally: &ExchangeCounts) -> String {
    let values = &tally.values;
    let sum: u64 = values.values().sum();
    if sum == 0 {
        return if tally.is_shadow {
            "nothing found to mask".to_owned()
        } else {
            "no values masked".to_owned()
        };
    }
    let mut kinds = Vec::<(&str, &str, u64)>::new();
    for (_, one, many) in WORDS {
        if kinds.iter().all(|(_, known, _)| known != many) {
            kinds.push((one, many, 0));
        }
    }
    let mut own = Vec::new();
    for (entity, count) in values {
        let words = WORDS.iter().find(|(name, ..)| *name == entity.as_str());
        let kind = kinds
            .iter_mut()
            .find(|(_, many, _)| words.is_some_and(|(.., known)| known == many));
        match kind {
            Some((.., sum)) => *sum += count,
            None => own.push(format!("{count} {entity}")),
        }
    }
    let kinds = kinds.into_iter().filter(|(.., count)| *count > 0);
    let kinds = kinds.map(|(one, many, count)| counted(count, one, many));
    let kinds: Vec<_> = kinds.chain(own).collect();
    let values = if tally.counts_places {
        counted(sum, "place", "places")
    } else {
        counted(sum, "value", "values")
    };
    let masked = if tally.is_shadow {
        "would be masked"
    } else {
        "masked"
    };
    format!("{values} {masked} ({})", kinds.join(", "))
}

/// `4 requests to /v1/foo were NOT masked`, if there were any.
fn unmasked(tally: &ExchangeCounts) -> Option<String> {
    let mut paths: Vec<_> = tally.unmasked.iter().collect();
    paths.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let sum: u64 = tally.unmasked.values().sum::<u64>() + tally.unmasked_elsewhere;
    if sum == 0 {
        return None;
    }
    let mut parts: Vec<_> = paths
        .iter()
        .take(NAMED_PATHS)
        .map(|(path, count)| format!("{} to {path}", counted(**count, "request", "requests")))
        .collect();
    let named: u64 = paths
        .iter()
        .take(NAMED_PATHS)
        .map(|(_, count)| **count)
        .sum();
    if sum > named {
        parts.push(format!("{} to other paths", sum - named));
    }
    let were = if sum == 1 { "was" } else { "were" };
    Some(format!("{} {were} NOT masked", listed(&parts)))
}

/// What was left unmasked in masked requests.
fn rest(tally: &ExchangeCounts, let_through: &[EntityType]) -> String {
    let mut exceptions = Vec::new();
    if !let_through.is_empty() {
        let types: Vec<_> = let_through.iter().map(EntityType::as_str).collect();
        exceptions.push(format!(
            "what the policy lets through ({})",
            types.join(", ")
        ));
    }
    if tally.has_unread {
        exceptions.push("parts that can't be read, such as images".to_owned());
    }
    if tally.has_warned {
        exceptions.push("values in paths, queries and headers".to_owned());
    }
    if exceptions.is_empty() {
        "nothing left unmasked".to_owned()
    } else {
        format!("nothing left unmasked except {}", listed(&exceptions))
    }
}

/// `a, b and c`.
fn listed(parts: &[String]) -> String {
    match parts.split_last() {
        None => String::new(),
        Some((only, [])) => only.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(requests: u64, values: &[(&str, u64)], unmasked: &[(&str, u64)]) -> ExchangeCounts {
        let of_type = |(name, count): &(&str, u64)| (EntityType::parse(name).unwrap(), *count);
        let at_path = |(path, count): &(&str, u64)| ((*path).to_owned(), *count);
        ExchangeCounts {
            requests,
            values: values.iter().map(of_type).collect(),
            unmasked: unmasked.iter().map(at_path).collect(),
            ..ExchangeCounts::default()
        }
    }

    #[test]
    fn the_closing_line_counts_in_words() {
        for (tally, line) in [
            (
                tally(23, &[("EMAIL", 3), ("API_KEY", 4), ("SECRET", 7)], &[]),
                "23 requests, 14 values masked (3 e-mail addresses, 11 secrets), nothing left unmasked",
            ),
            (
                tally(1, &[("PROJECT", 1)], &[]),
                "1 request, 1 value masked (1 PROJECT), nothing left unmasked",
            ),
            (
                tally(2, &[("JWT", 1), ("EMAIL", 1)], &[]),
                "2 requests, 2 values masked (1 e-mail address, 1 secret), nothing left unmasked",
            ),
            (
                tally(4, &[], &[]),
                "4 requests, no values masked, nothing left unmasked",
            ),
        ] {
            assert_eq!(closing(&tally, &[]), line);
        }
    }

    #[test]
    fn the_closing_line_names_what_was_not_masked() {
        let one = tally(5, &[], &[("/v1/foo", 1)]);
        let line = closing(&one, &[]);
        assert!(
            line.ends_with(", 1 request to /v1/foo was NOT masked"),
            "{line}"
        );

        let mut many = tally(
            40,
            &[],
            &[("/a", 4), ("/b", 9), ("/c", 1), ("/d", 2), ("/e", 1)],
        );
        many.unmasked_elsewhere = 20;
        assert!(
            closing(&many, &[]).ends_with(
                ", 9 requests to /b, 4 requests to /a, 2 requests to /d and 22 to other paths were NOT masked"
            ),
            "{}",
            closing(&many, &[])
        );
    }

    /// "Nothing left unmasked" was wrong with a policy that lets types through.
    #[test]
    fn the_closing_line_names_the_types_that_the_policy_lets_through() {
        let line = closing(&tally(1, &[], &[]), &[EntityType::PHONE]);
        assert!(
            line.ends_with("nothing left unmasked except what the policy lets through (PHONE)"),
            "{line}"
        );
    }

    #[test]
    fn the_closing_line_says_that_policy_shadow_masks_nothing() {
        let mut tally = tally(2, &[("EMAIL", 3)], &[]);
        (tally.is_shadow, tally.counts_places) = (true, true);
        assert_eq!(
            closing(&tally, &[]),
            "2 requests, 3 places would be masked (3 e-mail addresses), NOTHING was masked (policy shadow)"
        );
    }

    /// It was also printed after requests that were never sent, and after requests with images.
    #[test]
    fn the_closing_line_says_nothing_left_unmasked_only_if_true() {
        let mut tally = tally(3, &[("EMAIL", 1)], &[]);
        tally.failed = 1;
        assert_eq!(
            closing(&tally, &[]),
            "3 requests (1 failed), 1 value masked (1 e-mail address), nothing left unmasked"
        );
        tally.failed = 3;
        assert_eq!(
            closing(&tally, &[]),
            "3 requests (failed), 1 value masked (1 e-mail address)"
        );
        tally.failed = 0;
        tally.has_unread = true;
        assert!(
            closing(&tally, &[])
                .ends_with("nothing left unmasked except parts that can't be read, such as images")
        );
        // It was printed although an address stood in a path.
        tally.has_warned = true;
        assert!(closing(&tally, &[]).ends_with(" and values in paths, queries and headers"));
        tally.counts_places = true;
        assert!(closing(&tally, &[]).contains("1 place masked"));
    }
}
