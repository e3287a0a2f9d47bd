//! Finds where a tool would send its requests, and so where the proxy forwards to.

use super::own::{Own, Pointer};
use super::tools::{Provider, Tool};

/// A provider, and the paths of the base URLs that the tool uses for it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Target {
    /// Scheme, host and port.
    pub(super) upstream: String,
    /// The setting that says so, where one does.
    pub(super) place: Option<String>,
    /// The path after that, exactly as in the settings, for each interface that uses it.
    pub(super) paths: Vec<(Provider, String)>,
}

impl Target {
    /// Where the tool's settings point it; otherwise the provider whose key it has; otherwise its
    /// default provider.
    pub(super) fn of(tool: &Tool, own: &Own, variable: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let pointers = pointers(tool, own, &set);
        let is_chosen =
            |pointer: &&Pointer| own.chosen.is_none_or(|chosen| chosen == pointer.provider);
        if let Some(first) = pointers.iter().find(is_chosen)
            && let Some((upstream, _)) = split(&first.url)
        {
            return Self {
                upstream: upstream.to_owned(),
                place: Some(first.place.clone()),
                paths: paths(tool, first, &pointers),
            };
        }
        let has_key = |provider: &Provider| {
            let key = provider.key_variable();
            key.is_some_and(|name| set(name).is_some())
        };
        let providers = || tool.endpoints.iter().map(|endpoint| endpoint.provider);
        let with_key = || providers().find(has_key);
        let provider = own.chosen.or_else(with_key).or_else(|| providers().next());
        Self {
            upstream: provider.map_or("", Provider::url).to_owned(),
            place: None,
            paths: Vec::new(),
        }
    }

    /// The provider of the only key in the environment, for tools whose settings are not known.
    pub(super) fn of_key(variable: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let has_key = |provider: &Provider| {
            let key = provider.key_variable().and_then(&variable);
            key.is_some_and(|key| !key.is_empty())
        };
        let mut with_key = Provider::ALL.into_iter().filter(has_key);
        let (only, None) = (with_key.next()?, with_key.next()) else {
            return None;
        };
        Some(Self {
            upstream: only.url().to_owned(),
            place: only.key_variable().map(str::to_owned),
            paths: Vec::new(),
        })
    }
}

/// Everything that points the tool somewhere, the strongest first.
fn pointers(tool: &Tool, own: &Own, set: &impl Fn(&str) -> Option<String>) -> Vec<Pointer> {
    let variables = tool.endpoints.iter().filter_map(|endpoint| {
        let name = endpoint.variable?;
        Some(Pointer {
            place: name.to_owned(),
            provider: endpoint.provider,
            url: set(name)?,
        })
    });
    let above = own.above.iter().cloned();
    let below = own.below.iter().cloned();
    above.chain(variables).chain(below).collect()
}

/// The paths of the interfaces that are at the same place as the first pointer, each as its first pointer has it.
fn paths(tool: &Tool, first: &Pointer, pointers: &[Pointer]) -> Vec<(Provider, String)> {
    let upstream = split(&first.url).map(|(upstream, _)| upstream);
    let mut paths: Vec<(Provider, String)> = Vec::new();
    let providers = tool.endpoints.iter().map(|endpoint| endpoint.provider);
    for provider in providers.chain([first.provider]) {
        let is_known = paths.iter().any(|(known, _)| *known == provider);
        let of_it = |pointer: &&Pointer| pointer.provider == provider;
        let pointer = if provider == first.provider {
            Some(first)
        } else {
            pointers.iter().find(of_it)
        };
        let parts = pointer.and_then(|pointer| split(&pointer.url));
        if let Some((at, path)) = parts
            && Some(at) == upstream
            && !is_known
        {
            paths.push((provider, path.to_owned()));
        }
    }
    paths
}

/// A base URL in two: scheme, host and port, and the path without a slash at its end.
pub(super) fn split(url: &str) -> Option<(&str, &str)> {
    let url = url.trim();
    let host = url.find("://")? + 3;
    let rest = url.get(host..)?;
    let end = rest.find(['/', '?', '#']).map_or(url.len(), |at| host + at);
    let (origin, path) = url.split_at_checked(end)?;
    let path = path.split(['?', '#']).next().unwrap_or_default();
    Some((origin, path.trim_end_matches('/')))
}

/// The path that a tool gets after the proxy's address, if it expects one after the provider's
/// address and the proxy itself adds the upstream's path.
pub(super) fn path_behind<'a>(upstream: &str, expected: &'a str) -> &'a str {
    let (_, path) = split(upstream).unwrap_or_default();
    let is_version = |segment: &str| {
        let digits = segment.strip_prefix('v').unwrap_or_default();
        digits.starts_with(|first: char| first.is_ascii_digit())
    };
    // `/openai/v1` is a whole base URL, to `/openai` the tool's own path is added.
    if path.split('/').any(is_version) {
        return "";
    }
    expected
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(tool: &str, own: &Own, variables: &[(&str, &str)]) -> Target {
        let tool = Tool::of_program(tool.as_ref()).unwrap();
        Target::of(tool, own, |name| {
            let (_, value) = variables.iter().find(|(known, _)| *known == name)?;
            Some((*value).to_owned())
        })
    }

    fn pointer(provider: Provider, url: &str) -> Pointer {
        Pointer {
            place: "a file".to_owned(),
            provider,
            url: url.to_owned(),
        }
    }

    #[test]
    fn the_upstream_comes_from_settings_then_key_then_tool() {
        let file = Own {
            above: vec![pointer(Provider::Anthropic, "https://file.example/a/")],
            ..Own::default()
        };
        let variables = [("ANTHROPIC_BASE_URL", "http://variable.example:81")];
        let target = of("claude", &file, &variables);
        assert_eq!(target.upstream, "https://file.example");
        assert_eq!(target.paths, [(Provider::Anthropic, "/a".to_owned())]);
        assert_eq!(target.place.as_deref(), Some("a file"));

        let none = Own::default();
        let target = of("claude", &none, &variables);
        assert_eq!(target.upstream, "http://variable.example:81");
        assert_eq!(target.place.as_deref(), Some("ANTHROPIC_BASE_URL"));
        let key = [("ANTHROPIC_API_KEY", "x")];
        assert_eq!(of("aider", &none, &key).upstream, Provider::Anthropic.url());
        assert_eq!(of("aider", &none, &[]).upstream, Provider::OpenAi.url());
    }

    /// An unknown tool's prompts, and its key, once went to whoever listened at the default address.
    #[test]
    fn an_unknown_tool_goes_to_the_provider_of_its_only_key() {
        let of_keys = |keys: &[&str]| {
            let target = Target::of_key(|name| keys.contains(&name).then(|| "x".to_owned()));
            target.map(|target| target.upstream)
        };
        assert_eq!(
            of_keys(&["OPENAI_API_KEY"]).as_deref(),
            Some(Provider::OpenAi.url())
        );
        assert_eq!(of_keys(&["OPENAI_API_KEY", "GEMINI_API_KEY"]), None);
        assert_eq!(of_keys(&[]), None);
    }

    #[test]
    fn an_interface_at_another_host_is_ignored() {
        let at = |anthropic: &str| {
            let variables = [
                ("OPENAI_API_BASE", "http://gateway.example/v1"),
                ("ANTHROPIC_API_BASE", anthropic),
            ];
            of("aider", &Own::default(), &variables).paths
        };
        let openai = (Provider::OpenAi, "/v1".to_owned());
        assert_eq!(at("http://other.example"), std::slice::from_ref(&openai));
        let both = [openai, (Provider::Anthropic, "/anthropic".to_owned())];
        assert_eq!(at("http://gateway.example/anthropic"), both);
    }

    #[test]
    fn a_base_url_is_split_after_its_host() {
        for (url, parts) in [
            ("http://h", Some(("http://h", ""))),
            ("http://h:1/", Some(("http://h:1", ""))),
            (" https://h/openai/v1/ ", Some(("https://h", "/openai/v1"))),
            ("https://h/v1?x=1", Some(("https://h", "/v1"))),
            ("h/v1", None),
        ] {
            assert_eq!(split(url), parts, "{url}");
        }
    }

    #[test]
    fn a_missing_api_version_is_added_to_the_path() {
        for (upstream, path) in [
            ("http://h", "/v1"),
            ("http://h/openai", "/v1"),
            ("http://h/openai/v1", ""),
            ("http://h/v1beta/openai", ""),
            ("http://h/api/paas/v4/", ""),
            ("http://h/vendor", "/v1"),
        ] {
            assert_eq!(path_behind(upstream, "/v1"), path, "{upstream}");
        }
    }
}
