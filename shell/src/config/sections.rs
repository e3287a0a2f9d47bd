//! The sections in which the reference pages show the settings.

use super::settings::{Flag, Setting};
use super::table::SETTINGS;

/// A heading, and the beginnings of the paths of its settings.
const SECTIONS: &[(&str, &[&str])] = &[
    ("Listening", &["host", "port", "tls."]),
    ("Forwarding", &["proxy."]),
    ("Provider", &["provider."]),
    ("Masking", &["detector", "policy.", "operator.", "restore"]),
    ("Sessions and vault", &["session.", "vault."]),
    (
        "Audit trail, log and traces",
        &["audit.", "log", "tracing."],
    ),
];

/// Each heading with its settings.
pub(super) fn sections()
-> impl Iterator<Item = (&'static str, impl Iterator<Item = &'static Setting>)> {
    SECTIONS.iter().map(|(heading, prefixes)| {
        let belongs = |setting: &&Setting| {
            let path = setting.path;
            prefixes.iter().any(|prefix| path.starts_with(prefix))
        };
        (*heading, SETTINGS.iter().filter(belongs))
    })
}

/// The flags of a setting.
pub(super) fn flags(setting: &Setting) -> Vec<String> {
    match setting.flag {
        Some(Flag::Value { long, .. }) => vec![format!("--{long}")],
        Some(Flag::Switches(switches)) => {
            let switches = switches.iter().map(|(switch, _)| format!("--{switch}"));
            switches.collect()
        }
        None => Vec::new(),
    }
}
