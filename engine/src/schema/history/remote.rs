//! Tools that the provider runs elsewhere and that keep their input: MCP servers and connectors.
//!
//! One conversation may read there what another wrote, and no request names it.

use crate::json::{Kind, Value};

/// Members that contain such tools.
const LISTS: [&str; 3] = ["connectors", "mcpServers", "mcp_servers"];

/// Members that only such a tool has.
const MEMBERS: [&str; 4] = ["connector_id", "mcpServers", "mcp_servers", "server_url"];

/// What their types begin with.
const TYPES: [&str; 2] = ["connector", "mcp"];

/// Whether a request, or one of those in it, uses such tools.
pub(super) fn is_used_by(request: Value<'_>) -> bool {
    request.members().any(|(key, value)| {
        if key.is_text("tools") {
            value.elements().any(is_remote)
        } else {
            is_one_of(key, &LISTS) && has_content(value)
        }
    })
}

fn is_remote(tool: Value<'_>) -> bool {
    tool.members().any(|(key, value)| {
        if key.is_text("type") {
            let kind = value.text();
            TYPES.iter().any(|name| kind.starts_with(name))
        } else {
            is_one_of(key, &MEMBERS) && has_content(value)
        }
    })
}

fn is_one_of(key: Value<'_>, names: &[&str]) -> bool {
    names.iter().any(|name| key.is_text(name))
}

fn has_content(value: Value<'_>) -> bool {
    match value.kind() {
        Kind::Array => value.elements().next().is_some(),
        Kind::Object => value.members().next().is_some(),
        Kind::String => !value.raw_content().is_empty(),
        Kind::Key | Kind::Scalar => false,
    }
}
