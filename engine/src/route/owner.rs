//! What identifies the owner of a request.

use super::keys::PROVIDER_KEYS;
use super::query::{credentials, other_credentials, users};

/// Last words in names of headers that contain a credential, such as `cf-aig-authorization`, `helicone-auth` and
/// `x-litellm-api-key`.
const CREDENTIALS: [&str; 18] = [
    "apikey",
    "auth",
    "authentication",
    "authorization",
    "bearer",
    "credential",
    "credentials",
    "creds",
    "jwt",
    "key",
    "passphrase",
    "passwd",
    "password",
    "pat",
    "pwd",
    "secret",
    "token",
    "vk",
];

/// Those that may end a word without a sign before them: `authtoken`.
const ENDINGS: [&str; 4] = ["apikey", "password", "secret", "token"];

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
const USERS: [&str; 28] = [
    "authentik-uid",
    "client-cn",
    "client-dn",
    "client-fingerprint",
    "client-s-dn",
    "clientcert-subject",
    "consumer-custom-id",
    "consumer-id",
    "credential-identifier",
    "email",
    "employee-id",
    "oidc-identity",
    "principal",
    "principal-id",
    "principal-name",
    "ssl-client-cert",
    "sub",
    "subject-dn",
    "tls-client-cert",
    "user",
    "user-id",
    "user-uid",
    "user-uuid",
    "userid",
    "user-login",
    "user-name",
    "userinfo",
    "username",
];

/// The header as which a provider's key in the query counts.
const KEY_OF_QUERY: &str = "x-goog-api-key";

/// Stands for the header of further credentials in the query.
const QUERY: &str = "?";

/// Stands for the header in which a user is named, where the query names one.
const USER_OF_QUERY: &str = "?user";

/// The header that tells callers apart where no credential does.
const COOKIE: &str = "cookie";

/// What the names of cookies contain by which a client is logged in.
const OF_LOGIN: [&str; 5] = ["auth", "jwt", "session", "sso", "token"];

/// What identifies a request's owner, each with its header: its credentials, also those of the query, and the user
/// that a gateway in front names, because all of its users may share one credential. The order of the headers, whose
/// names are in lower case, does not matter.
pub fn identity<'h>(
    headers: impl IntoIterator<Item = (&'h str, &'h [u8])>,
    query: &'h str,
) -> Vec<(&'h str, &'h [u8])> {
    let (mut identity, mut cookies) = (Vec::new(), Vec::new());
    for (name, value) in headers.into_iter().filter(|(_, value)| !value.is_empty()) {
        if is_credential(name) || names_user(name) {
            identity.push((name, value));
        } else if name == COOKIE {
            cookies.extend(logins(value).map(|cookie| (COOKIE, cookie)));
        }
    }
    let keys = credentials(query).map(|key| (KEY_OF_QUERY, key.as_bytes()));
    let others = other_credentials(query).map(|pair| (QUERY, pair.as_bytes()));
    let users = users(query).map(|pair| (USER_OF_QUERY, pair.as_bytes()));
    identity.extend(keys.chain(others).chain(users));
    if !is_credential_of(&identity) {
        identity.extend(cookies);
    }
    identity.sort_by_key(|(name, _)| (rank(name), *name));
    identity
}

/// Whether part of an [`identity`] is a credential: anyone can send the name of a user, and many the same cookie.
#[must_use]
pub fn is_credential_of(identity: &[(&str, &[u8])]) -> bool {
    let mut names = identity.iter().map(|(name, _)| *name);
    names.any(|name| name == QUERY || is_credential(name))
}

/// The cookies by which a client is logged in.
fn logins(cookies: &[u8]) -> impl Iterator<Item = &[u8]> {
    let cookies = cookies.split(|byte| *byte == b';').map(<[u8]>::trim_ascii);
    cookies.filter(|cookie| {
        let equals = memchr::memchr(b'=', cookie).unwrap_or(cookie.len());
        let (name, value) = cookie.split_at(equals);
        let name = name.to_ascii_lowercase();
        let has = |part: &str| memchr::memmem::find(&name, part.as_bytes()).is_some();
        let is_login = name.ends_with(b"sid") || OF_LOGIN.iter().any(|part| has(part));
        value.len() > 1 && is_login && !has("csrf") && !has("xsrf")
    })
}

/// Whether a header, its name in lower case, contains a credential of any kind. Some servers write `_` for `-`.
#[must_use]
pub fn is_credential(name: &str) -> bool {
    let mut words = name.rsplit(['-', '_']);
    let last = words.next().unwrap_or_default();
    let before = words.next().unwrap_or_default();
    let ends = |end: &&str| {
        let before = last.strip_suffix(*end);
        before.is_some_and(|before| !PASSING.contains(&before))
    };
    !PASSING.contains(&before) && (CREDENTIALS.contains(&last) || ENDINGS.iter().any(ends))
}

pub(crate) fn names_user(name: &str) -> bool {
    if name.contains('_') {
        return names_user(&name.replace('_', "-"));
    }
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
    fn gateway_headers_identify_the_caller() {
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
            "api_key",
            "x-api_key",
            "access_token",
            "authtoken",
            "x_user_id",
            "remote_user",
            "x-openwebui-user_email",
            "x-bf-vk",
            "x-userinfo",
            "x-credential-identifier",
            "x-user-uuid",
            "x-auth-request-sub",
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
            "x-csrftoken",
            "x-idempotency-key",
            "x-keyboard",
            "x-request-uid",
            "x-stainless-retry-count",
        ] {
            assert!(of(&[(name, "a")]).is_empty(), "{name}");
        }
    }

    /// Two users shared a session when only their cookies told them apart.
    #[test]
    fn cookies_identify_the_caller_only_as_a_last_resort() {
        let cookie = (
            "cookie",
            "theme=dark; __Secure-next-auth.session-token=a; csrftoken=b",
        );
        let login = ("cookie", &b"__Secure-next-auth.session-token=a"[..]);
        assert_eq!(of(&[cookie]), [login]);
        assert!(!is_credential_of(&of(&[cookie])));
        let key = ("api-key", "k");
        assert_eq!(of(&[cookie, key]), [("api-key", &b"k"[..])]);
        for none in ["theme=dark", "sidebar=open", "sid=", "session"] {
            assert!(of(&[("cookie", none)]).is_empty(), "{none}");
        }
    }

    /// Two users shared a session when only `subscription-key` or `code` in the query told them apart.
    #[test]
    fn query_credentials_identify_the_caller() {
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
            "ak=a",
            "X-Goog-Signature=a",
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

    /// Two users of a gateway shared a session when only the query named them.
    #[test]
    fn a_query_user_identifies_without_being_a_credential() {
        for pair in ["user=a", "userId=a", "user_email=a", "user%5Fid=a"] {
            let identity = identity(std::iter::empty(), pair);
            assert_eq!(identity, [("?user", pair.as_bytes())]);
            assert!(!is_credential_of(&identity));
        }
    }

    /// Derived ids of sessions depend on it.
    #[test]
    fn identity_does_not_depend_on_header_order() {
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
