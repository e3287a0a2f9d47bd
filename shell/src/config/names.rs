//! Finds settings by name, and suggests the closest for a wrong name.

use super::error::suggestion;
use super::settings::Setting;
use super::table::SETTINGS;

/// The setting at a path of the table.
pub(crate) fn find(path: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|setting| setting.path == path)
}

/// Whether a path is above settings: `proxy` is above `proxy.mode`.
pub(super) fn is_section(path: &str) -> bool {
    SETTINGS.iter().any(|setting| {
        let below = setting.path.strip_prefix(path);
        below.is_some_and(|below| below.starts_with('.'))
    })
}

/// A suggestion for a key of a section (an empty path is the top level).
pub(super) fn meant(section: &str, key: &str) -> Option<&'static str> {
    let paths = || SETTINGS.iter().map(|setting| setting.path);
    if section.is_empty() && key.contains('.') {
        return suggestion(key, paths());
    }
    let below = |path: &'static str| match section {
        "" => Some(path),
        section => path.strip_prefix(section)?.strip_prefix('.'),
    };
    let first = |path: &'static str| path.split('.').next().unwrap_or(path);
    let last = |path: &'static str| path.rsplit('.').next().unwrap_or(path);
    suggestion(key, paths().filter_map(below).map(first)).or_else(|| {
        let found = suggestion(key, paths().map(last))?;
        paths().find(|path| last(path) == found)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_setting_has_a_unique_path_and_variable() {
        let mut paths = HashSet::new();
        let mut envs = HashSet::new();
        for setting in SETTINGS {
            assert!(paths.insert(setting.path), "{}", setting.path);
            if let Some(env) = setting.env {
                assert!(env.starts_with("MASK_") && envs.insert(env), "{env}");
            }
        }
    }

    #[test]
    fn secrets_have_no_command_line_flags() {
        for setting in SETTINGS.iter().filter(|setting| setting.secret) {
            assert!(setting.flag.is_none(), "{}", setting.path);
            assert!(setting.default.is_none(), "{}", setting.path);
        }
        assert!(find("provider.api_key").is_some_and(|key| key.secret));
    }

    #[test]
    fn no_path_is_both_a_setting_and_a_section() {
        for setting in SETTINGS {
            assert!(!is_section(setting.path), "{}", setting.path);
        }
    }

    #[test]
    fn suggestions_come_from_the_same_and_other_sections() {
        assert_eq!(meant("proxy", "time_out"), Some("timeout"));
        assert_eq!(meant("", "prox"), Some("proxy"));
        assert_eq!(meant("", "max_body"), Some("proxy.max_body"));
        assert_eq!(meant("proxy", "base_url"), Some("provider.base_url"));
        assert_eq!(meant("", "vault.tll"), Some("vault.ttl"));
        assert_eq!(meant("", "zzz"), None);
    }
}
