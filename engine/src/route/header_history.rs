//! History that request headers refer to.

use crate::history::{HistoryName, is_of_place, is_of_turn, is_session_cookie};

/// Agents that name their session in headers, for statistics and caches, and show all of it in each request. What a
/// product in `user-agent` begins with.
const AGENTS: [&[u8]; 4] = [b"claude-cli", b"codex", b"GitHubCopilotChat", b"opencode"];

/// The headers of an agent that it sends under other names, too.
const OF_AN_AGENT: &str = "x-claude-code-";

/// The proxy's own.
const OWN: &str = "x-mask-session";

/// The references to history in the headers of a request.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct HeaderHistory {
    /// The conversations that they name: `x-session-id: S`, `cookie: sid=S`.
    pub(crate) names: Vec<HistoryName>,
    /// Whether the provider may hold more. Clients send ids of runs and tasks to trace them, too, often another one with
    /// each request, so that they identify nothing.
    pub(crate) may_hide: bool,
}

impl HeaderHistory {
    /// Reads headers, their names in lower case.
    pub(crate) fn of<'h>(headers: impl Iterator<Item = (&'h str, &'h [u8])>) -> Self {
        let mut history = Self::default();
        for (name, value) in headers {
            match name {
                "user-agent" if is_of_agent(value) => return Self::default(),
                "cookie" => history.names.extend(named_in_cookies(value)),
                OWN => {}
                _ if value.is_empty() || name.starts_with(OF_AN_AGENT) => {}
                _ if is_of_place(name) => history.names.push(HistoryName::place_of_bytes(value)),
                _ => history.may_hide |= is_of_turn(name),
            }
        }
        history
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.names.is_empty() && !self.may_hide
    }
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

    fn history(headers: &[(&str, &str)]) -> HeaderHistory {
        let headers = headers.iter();
        HeaderHistory::of(headers.map(|(name, value)| (*name, value.as_bytes())))
    }

    fn named(headers: &[(&str, &str)]) -> Vec<HistoryName> {
        history(headers).names
    }

    /// A provider that keeps history under a header once got an old value's token for a new one.
    #[test]
    fn headers_and_cookies_can_identify_a_conversation() {
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

    /// These were not read.
    #[test]
    fn headers_may_refer_to_unknown_history() {
        for header in [
            "x-previous-response-id",
            "x-context-id",
            "x-parent-id",
            "x-run-id",
            "x-task-id",
            "x-room-id",
        ] {
            let history = history(&[(header, "S")]);
            assert!(history.may_hide && history.names.is_empty(), "{header}");
        }
        for header in [
            "x-datadog-parent-id",
            "x-trace-id",
            "traceparent",
            "x-b3-parentspanid",
            "x-request-id",
            "x-client-request-id",
            "x-amzn-bedrock-guardrailidentifier",
            "idempotency-key",
            "openai-project",
            "x-stainless-retry-count",
            "x-portkey-trace-id",
            "x-user-id",
        ] {
            assert!(history(&[(header, "S")]).is_empty(), "{header}");
        }
        assert!(history(&[("x-run-id", "")]).is_empty());
    }

    #[test]
    fn agents_that_send_their_full_history_have_no_hidden_history() {
        for agent in [
            "codex_cli_rs/0.98.0 (Debian)",
            "ai/6 opencode/1.2.3",
            "GitHubCopilotChat/0.49.0",
        ] {
            let headers = [
                ("session-id", "S"),
                ("x-interaction-id", "S"),
                ("user-agent", agent),
            ];
            assert!(history(&headers).is_empty(), "{agent}");
        }
        for header in ["x-claude-code-session-id", "x-claude-code-parent-agent-id"] {
            assert!(history(&[(header, "S")]).is_empty(), "{header}");
        }
    }
}
