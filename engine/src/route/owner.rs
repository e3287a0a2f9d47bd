//! What identifies the owner of a request.

use super::keys::PROVIDER_KEYS;
use super::query::{credentials, other_credentials};

/// Last words in names of headers that contain a credential, such as `cf-aig-authorization`, `helicone-auth` and
/// `x-litellm-api-key`.
const CREDENTIALS: [&str; 14] = [
    "apikey",
    "auth",
    "authentication",
    "authorization",
    "bearer",
    "credential",
    "credentials",
    "jwt",
    "key",
    "passphrase",
    "password",
    "pat",
    "secret",
    "token",
];

/// Words before them in names of headers that differ from one request to the next.
const PASSING: [&str; 14] = [
    "cache",
    "challenge",
    "continuation",
    "csrf",
    "dedup",
    "idempotency",
    "page",
    "proof",
    "request",
    "requirements",
    "trace",
    "turnstile",
    "websocket",
    "xsrf",
];

/// Last words in names of headers in which a gateway names its user, such as `x-openwebui-user-id`. Their values are the same
/// in all requests of a user: a token that is signed anew (`x-pomerium-jwt-assertion`) would split a user's sessions.
const USERS: [&str; 21] = [
    "authentik-uid",
    "claim-sub",
    "client-dn",
    "client-s-dn",
    "clientcert-subject",
    "consumer-custom-id",
    "consumer-id",
    "email",
    "oidc-identity",
    "principal-id",
    "principal-name",
    "ssl-client-cert",
    "subject-dn",
    "tls-client-cert",
    "user",
    "user-id",
    "user-sub",
    "userid",
    "user-login",
    "user-name",
    "username",
];

/// The header as which a provider's key in the query counts.
const KEY_OF_QUERY: &str = "x-goog-api-key";

/// Stands for the header of further credentials in the query.
const QUERY: &str = "?";

/// What identifies a request's owner, each with its header: its credentials, also those of the query, and the user
/// that a gateway in front names, because all of its users may share one credential. The order of the headers, whose
/// names are in lower case, does not matter.
pub fn identity<'h>(
    headers: impl IntoIterator<Item = (&'h str, &'h [u8])>,
    query: &'h str,
) -> Vec<(&'h str, &'h [u8])> {
    let headers = headers.into_iter();
    let of_headers = headers
        .filter(|(name, value)| !value.is_empty() && (is_credential(name) || names_user(name)));
    let keys = credentials(query).map(|key| (KEY_OF_QUERY, key.as_bytes()));
    let others = other_credentials(query).map(|pair| (QUERY, pair.as_bytes()));
    let mut identity: Vec<_> = of_headers.chain(keys).chain(others).collect();
    identity.sort_by_key(|(name, _)| (rank(name), *name));
    identity
}

/// Whether part of an [`identity`] is a credential: anyone can send the name of a user.
#[must_use]
pub fn is_credential_of(identity: &[(&str, &[u8])]) -> bool {
    let mut names = identity.iter().map(|(name, _)| *name);
    names.any(|name| name == QUERY || is_credential(name))
}

/// Whether a header, its name in lower case, contains a credential of any kind.
#[must_use]
pub fn is_credential(name: &str) -> bool {
    let mut words = name.rsplit('-');
    let last = words.next().unwrap_or_default();
    let before = words.next().unwrap_or_default();
    CREDENTIALS.contains(&last) && !PASSING.contains(&before)
}

pub(crate) fn names_user(name: &str) -> bool {
    USERS.iter().any(|user| {
        let before = name.strip_suffix(user);
        before.is_some_and(|before| before.is_empty() || before.ends_with('-'))
    })
}

fn rank(name: &str) -> usize {
    let mut known = PROVIDER_KEYS.iter();
    let known = known.position(|known| *known == name);
    known.unwrap_or(PROVIDER_KEYS.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of<'h>(headers: &[(&'h str, &'h str)]) -> Vec<(&'h str, &'h [u8])> {
        let headers = headers.iter();
        identity(headers.map(|(name, value)| (*name, value.as_bytes())), "")
    }

    /// Two users of a gateway once shared a session, when one key of the provider served both.
    #[test]
    fn the_headers_of_gateways_identify() {
        for name in [
            "apikey",
            "authorization",
            "cf-access-client-secret",
            "cf-aig-authorization",
            "helicone-auth",
            "ocp-apim-subscription-key",
            "private-token",
            "x-auth-token",
            "x-bearer",
            "x-credential",
            "x-pat",
            "cf-access-authenticated-user-email",
            "remote-email",
            "ssl-client-subject-dn",
            "x-amzn-mtls-clientcert-subject",
            "x-amzn-oidc-identity",
            "x-auth-request-email",
            "x-authenticated-userid",
            "x-authentik-email",
            "x-authentik-uid",
            "x-consumer-id",
            "x-forwarded-tls-client-cert",
            "x-forwarded-user",
            "x-goog-authenticated-user-id",
            "x-litellm-api-key",
            "x-ms-client-principal-id",
            "x-ms-client-principal-name",
            "x-pomerium-claim-email",
            "x-openwebui-user-id",
            "x-portkey-virtual-key",
        ] {
            assert_eq!(of(&[(name, "a")]).len(), 1, "{name}");
            assert!(of(&[(name, "")]).is_empty(), "{name}");
        }
        for name in [
            "cf-access-jwt-assertion",
            "idempotency-key",
            "openai-sentinel-chat-requirements-token",
            "sec-websocket-key",
            "user-agent",
            "x-csrf-token",
            "x-idempotency-key",
            "x-keyboard",
            "x-request-uid",
            "x-stainless-retry-count",
        ] {
            assert!(of(&[(name, "a")]).is_empty(), "{name}");
        }
    }

    /// Two users shared a session when only `subscription-key` or `code` in the query told them apart.
    #[test]
    fn every_credential_in_the_query_identifies() {
        fn of(query: &str) -> Vec<(&str, &[u8])> {
            identity(std::iter::empty(), query)
        }
        assert_eq!(of("alt=sse&key=a"), [("x-goog-api-key", &b"a"[..])]);
        for pair in [
            "subscription-key=a",
            "code=a",
            "TOKEN=a",
            "%74oken=a",
            "sig=a",
            "X-Amz-Security-Token=a",
            "access_key=a",
            "authToken=a",
            "client_secret=a",
        ] {
            let query = format!("api-version=1&{pair}");
            let identity = of(&query);
            assert_eq!(identity, [("?", pair.as_bytes())]);
            assert!(is_credential_of(&identity));
        }
        for query in ["", "alt=sse", "page_token=a", "code=", "keyboard=a"] {
            assert!(of(query).is_empty(), "{query}");
        }
    }

    /// Derived ids of sessions depend on it.
    #[test]
    fn the_order_is_that_of_the_names() {
        let sent = [
            ("x-auth-token", "a"),
            ("apikey", "b"),
            ("api-key", "c"),
            ("authorization", "d"),
        ];
        let sorted = [
            ("authorization", &b"d"[..]),
            ("api-key", b"c"),
            ("apikey", b"b"),
            ("x-auth-token", b"a"),
        ];
        assert_eq!(of(&sent), sorted);
    }
}
