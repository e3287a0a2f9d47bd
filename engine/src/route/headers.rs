//! History that request headers refer to.

use crate::history::{HistoryName, is_of_place, is_session_cookie};

/// Agents that name their session in headers, for statistics and caches, and show all of it in each request. What a
/// product in `user-agent` begins with.
const AGENTS: [&[u8]; 3] = [b"claude-cli", b"codex", b"opencode"];

/// The header of an agent that it sends under other names, too.
const OF_AN_AGENT: &str = "x-claude-code-session-id";

/// The proxy's own.
const OWN: &str = "x-mask-session";

/// The conversations that headers name, their names in lower case: `x-session-id: S`, `cookie: sid=S`.
pub(crate) fn named_in_headers<'h>(
    headers: impl Iterator<Item = (&'h str, &'h [u8])>,
) -> Vec<HistoryName> {
    let mut names = Vec::new();
    for (name, value) in headers {
        match name {
            "user-agent" if is_of_agent(value) => return Vec::new(),
            "cookie" => names.extend(named_in_cookies(value)),
            OWN | OF_AN_AGENT => {}
            _ if is_of_place(name) && !value.is_empty() => {
                names.push(HistoryName::place_of_bytes(value));
            }
            _ => {}
        }
    }
    names
}

fn is_of_agent(products: &[u8]) -> bool {
    let mut products = products.split(|byte| *byte == b' ');
    products.any(|product| AGENTS.iter().any(|agent| product.starts_with(agent)))
}

fn named_in_cookies(cookies: &[u8]) -> impl Iterator<Item = HistoryName> {
    cookies.split(|byte| *byte == b';').filter_map(|cookie| {
        let at = cookie.iter().position(|byte| *byte == b'=')?;
        let (name, value) = (cookie.get(..at)?, cookie.get(at + 1..)?);
        let name = str::from_utf8(name).ok()?.trim();
        let names = is_session_cookie(name) && !value.is_empty();
        names.then(|| HistoryName::place_of_bytes(value))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(headers: &[(&str, &str)]) -> Vec<HistoryName> {
        named_in_headers(
            headers
                .iter()
                .map(|(name, value)| (*name, value.as_bytes())),
        )
    }

    /// A provider that keeps history under a header once got an old value's token for a new one.
    #[test]
    fn headers_and_cookies_may_name_a_conversation() {
        let place = [HistoryName::place("S")];
        for header in [
            ("x-session-id", "S"),
            ("x-conversation-id", "S"),
            ("mcp-session-id", "S"),
            ("x-openclaw-session-key", "S"),
            ("x-amzn-bedrock-agentcore-runtime-session-id", "S"),
            ("thread_id", "S"),
            ("x-session", "S"),
            ("cookie", "theme=dark; JSESSIONID=S"),
            ("cookie", "sid=S"),
            ("cookie", "theme=dark; CFTOKEN=S"),
            ("cookie", "CFID=S"),
            ("cookie", "PHPSESSID=S"),
            ("cookie", "ASP.NET_SessionId=S"),
            ("cookie", "connect.sid=S"),
            ("cookie", "osCsid=S"),
            ("cookie", "laravel_session=S"),
            ("cookie", "__Secure-next-auth.session-token.0=S"),
            ("cookie", "SESS9c4f1f0a7b8e2d3c4b5a69788f7e6d5c=S"),
        ] {
            assert_eq!(named(&[header]), place, "{header:?}");
        }
        for header in [
            ("x-request-id", "S"),
            ("x-session-id", ""),
            ("x-mask-session", "S"),
            ("x-session-affinity", "S"),
            ("x-claude-code-session-id", "S"),
            ("cookie", "theme=dark; a"),
            ("cookie", "__cf_bm=S; _cfuvid=S"),
        ] {
            assert_eq!(named(&[header]), [], "{header:?}");
        }
    }

    #[test]
    fn agents_that_show_all_their_history_name_none() {
        for agent in ["codex_cli_rs/0.98.0 (Debian)", "ai/6 opencode/1.2.3"] {
            assert_eq!(named(&[("session-id", "S"), ("user-agent", agent)]), []);
        }
    }
}
