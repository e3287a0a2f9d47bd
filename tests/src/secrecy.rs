//! Every feature at once, and every spelling in which one of them could write a value.

/// A configuration with every feature that sees values. `presidio` is the URL of an external detector.
#[must_use]
pub fn every_feature(presidio: &str) -> String {
    format!(
        "
operator: encrypt
session: {{strategy: conversation}}
vault: {{type: sqlite, dsn: vault.db}}
policy:
  - {{name: trial, header: {{x-team: trial}}, shadow: true}}
  - {{name: lax, tool: open_*, mask: none}}
restore:
  - {{tool: web_fetch, action: ask}}
  - guard
detector:
  - {{type: regex}}
  - {{type: presidio, url: '{presidio}'}}
"
    )
}

/// Which spellings of these values a text holds.
pub fn spelled_in<'v>(text: &str, values: impl IntoIterator<Item = &'v str>) -> Vec<String> {
    let spelled = values.into_iter().flat_map(spellings);
    spelled.filter(|value| text.contains(value)).collect()
}

/// A value bare, as JSON, percent-encoded, in hex and in base64.
fn spellings(value: &str) -> [String; 6] {
    let quoted = serde_json::Value::from(value).to_string();
    let hex = |prefix: &str| {
        let bytes = value.bytes().map(|byte| format!("{prefix}{byte:02x}"));
        bytes.collect::<String>()
    };
    let percent = value.bytes().map(|byte| match byte {
        byte if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) => {
            char::from(byte).to_string()
        }
        byte => format!("%{byte:02X}"),
    });
    [
        value.to_owned(),
        quoted[1..quoted.len() - 1].to_owned(),
        percent.collect(),
        hex(""),
        hex("").to_uppercase(),
        base64(value.as_bytes()),
    ]
}

/// Of the whole groups of three bytes.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (groups, _) = bytes.as_chunks::<3>();
    let group = |group: &[u8; 3]| {
        let bits = u32::from_be_bytes([0, group[0], group[1], group[2]]);
        [18, 12, 6, 0].map(|shift| char::from(DIGITS[(bits >> shift & 63) as usize]))
    };
    groups.iter().flat_map(group).collect()
}
