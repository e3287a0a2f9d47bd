//! The arguments and environment that make a tool use the proxy.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};

use serde_json::{Map, Value, json};
use tempfile::NamedTempFile;

use super::given::Given;
use super::own::{self, Own};
use super::target::path_behind;
use super::tools::{Endpoint, Provider, Tool, Way, variable_and_path};

/// Variables that send requests through another proxy, loopback included.
const PROXY_VARIABLES: [&str; 6] = [
    "HTTP_PROXY",
    "http_proxy",
    "HTTPS_PROXY",
    "https_proxy",
    "ALL_PROXY",
    "all_proxy",
];

/// A tool's command line and its additional environment.
#[derive(Debug)]
pub(super) struct Launch {
    pub(super) arguments: Vec<OsString>,
    pub(super) environment: Vec<(String, OsString)>,
    /// A file that an argument names; it is removed when this is dropped.
    settings: Option<NamedTempFile>,
}

/// Where the proxy is, and where it forwards to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hop<'a> {
    /// `http://host:port`.
    pub(super) url: &'a str,
    /// Host without port, as the tool sees it.
    pub(super) host: &'a str,
    pub(super) upstream: &'a str,
    /// The paths of the tool's own base URLs, if those set the upstream.
    pub(super) paths: &'a [(Provider, String)],
}

impl Hop<'_> {
    /// Whether the provider that the tool's settings name is pointed at the proxy: its requests, and its key, must
    /// not go to another one.
    pub(super) fn points(&self, own: &Own) -> bool {
        let named = own.above.first().map(|pointer| pointer.provider);
        let owner = self.owner();
        own.named.is_some() && (!self.paths.is_empty() || owner.is_none() || owner == named)
    }

    /// The known provider with this public address, if any.
    fn owner(&self) -> Option<Provider> {
        let mut all = Provider::ALL.into_iter();
        all.find(|provider| provider.url() == self.upstream)
    }

    /// The base URL that a tool gets for an endpoint.
    fn base(&self, endpoint: &Endpoint) -> String {
        let is_of_it = |(provider, _): &&(Provider, String)| *provider == endpoint.provider;
        let path = match self.paths.iter().find(is_of_it) {
            Some((_, path)) => path,
            None => path_behind(self.upstream, endpoint.path),
        };
        format!("{}{path}", self.url)
    }
}

impl Launch {
    /// Points `tool`, and the variables that the user named, at the proxy.
    ///
    /// # Errors
    /// When a settings file can't be written.
    pub(super) fn new(
        tool: Option<&Tool>,
        own: &Own,
        variables: &[String],
        arguments: Vec<OsString>,
        hop: Hop<'_>,
    ) -> io::Result<Self> {
        let mut launch = Self {
            arguments,
            environment: Vec::new(),
            settings: None,
        };
        for given in variables {
            let (name, path) = variable_and_path(given);
            let path = path_behind(hop.upstream, path);
            launch.set(name, format!("{}{path}", hop.url));
        }
        if let Some(tool) = tool {
            let endpoints = served(tool, hop);
            for endpoint in &endpoints {
                if let Some(variable) = endpoint.variable {
                    launch.set(variable, hop.base(endpoint));
                }
            }
            launch.point(tool.way, own, &endpoints, hop)?;
        }
        launch.keep_other_proxies_out(hop.host, |name| std::env::var_os(name));
        Ok(launch)
    }

    /// Configures the tool in its own way.
    fn point(
        &mut self,
        way: Way,
        own: &Own,
        endpoints: &[Endpoint],
        hop: Hop<'_>,
    ) -> io::Result<()> {
        let named = own.named.as_deref().filter(|_| hop.points(own));
        let first = endpoints.first().map(|endpoint| hop.base(endpoint));
        let first = first.unwrap_or_default();
        match way {
            Way::Variables => {}
            Way::AiderOptions => self.add_aider_options(own, endpoints, hop),
            Way::ClaudeSettings => self.add_claude_settings(&first)?,
            Way::ClineSettings => {
                let of_named = |endpoint: &&Endpoint| {
                    let named = own.above.first().map(|pointer| pointer.provider);
                    named == Some(endpoint.provider)
                };
                let base = endpoints.iter().find(of_named);
                let base = base.map_or(first, |endpoint| hop.base(endpoint));
                self.add_cline_settings(named, own, &base)?;
            }
            Way::CodexOverrides => self.add_codex_overrides(named, &first),
            Way::OpencodeConfig => self.add_opencode_config(named, endpoints, hop),
            Way::QwenOptions => self.add_qwen_options(own, endpoints, hop),
        }
        Ok(())
    }

    fn set(&mut self, name: &str, value: impl Into<OsString>) {
        self.environment.push((name.to_owned(), value.into()));
    }

    /// Puts the base URL into the settings that the user passes, or passes some.
    fn add_claude_settings(&mut self, url: &str) -> io::Result<()> {
        let own = json!({"env": {"ANTHROPIC_BASE_URL": url}});
        let Some(given) = Given::last(self.options(), &["--settings"]) else {
            self.prepend(["--settings".into(), own.to_string().into()]);
            return Ok(());
        };
        let is_inline = given.value.trim_start().starts_with('{');
        let text = if is_inline {
            given.value.clone()
        } else {
            // The tool itself says what is wrong with its settings.
            fs::read_to_string(&given.value).unwrap_or_default()
        };
        let Ok(Value::Object(mut settings)) = serde_json::from_str(&text) else {
            return Ok(());
        };
        lay_over(&mut settings, own);
        let settings = Value::Object(settings).to_string();
        if is_inline {
            given.replace(&mut self.arguments, settings.into());
            return Ok(());
        }
        // Not on the command line, which every user of the machine can read.
        let file = settings_file(&settings)?;
        given.replace(&mut self.arguments, file.path().into());
        self.settings = Some(file);
        Ok(())
    }

    /// aider's `.env` files outrank the environment, and its options those.
    fn add_aider_options(&mut self, own: &Own, endpoints: &[Endpoint], hop: Hop<'_>) {
        for endpoint in endpoints {
            let base = hop.base(endpoint);
            let name = endpoint.variable.unwrap_or_default();
            if name == "OPENAI_API_BASE" {
                self.replace_or_prepend("--openai-api-base", &base);
            } else if own.set_by_files.contains(&name) {
                // It replaces a file's value for the same option, so it is set only where needed.
                self.prepend(["--set-env".into(), format!("{name}={base}").into()]);
            }
        }
    }

    /// Puts the base URL into a copy of the user's providers, which it alone can read.
    fn add_cline_settings(&mut self, named: Option<&str>, own: &Own, base: &str) -> io::Result<()> {
        let (Some(id), Some(settings)) = (named, &own.settings) else {
            return Ok(());
        };
        let mut settings = settings.clone();
        lay_over(
            &mut settings,
            json!({"providers": {id: {"settings": {"baseUrl": base}}}}),
        );
        let file = settings_file(&Value::Object(settings).to_string())?;
        self.set(own::CLINE_FILE, file.path());
        // Not in a process that was started before, with other settings.
        self.set("CLINE_SESSION_BACKEND_MODE", "local");
        self.settings = Some(file);
        Ok(())
    }

    /// The later of two overrides wins, and those of a subcommand come after those before it.
    fn add_codex_overrides(&mut self, named: Option<&str>, base: &str) {
        let setting = match named {
            Some(id) => format!("model_providers.{id}.base_url"),
            None => "openai_base_url".to_owned(),
        };
        let own: Vec<OsString> = [
            format!("{setting}=\"{base}\""),
            // A compressed request can't be masked.
            "features.enable_request_compression=false".to_owned(),
        ]
        .into_iter()
        .flat_map(|value| ["-c".into(), value.into()])
        .collect();
        if let Some(given) = Given::last(self.options(), &["-c", "--config"]) {
            let after = given.end;
            self.arguments.splice(after..after, own.clone());
        }
        self.arguments.splice(0..0, own);
    }

    fn add_opencode_config(&mut self, named: Option<&str>, endpoints: &[Endpoint], hop: Hop<'_>) {
        let variable = "OPENCODE_CONFIG_CONTENT";
        let given = std::env::var(variable).unwrap_or_default();
        let mut config: Map<String, Value> = serde_json::from_str(&given).unwrap_or_default();
        for endpoint in endpoints {
            let name = match (named, endpoint.provider) {
                (Some(named), _) => named,
                (None, Provider::Anthropic) => "anthropic",
                (None, _) => "openai",
            };
            let base = hop.base(endpoint);
            lay_over(
                &mut config,
                json!({"provider": {name: {"options": {"baseURL": base}}}}),
            );
        }
        self.set(variable, Value::Object(config).to_string());
    }

    fn add_qwen_options(&mut self, own: &Own, endpoints: &[Endpoint], hop: Hop<'_>) {
        let used = |endpoint: &&Endpoint| own.chosen == Some(endpoint.provider);
        if let Some(endpoint) = endpoints.iter().find(used)
            && own
                .above
                .iter()
                .any(|pointer| pointer.provider == endpoint.provider)
        {
            // It is the base URL of every provider.
            self.replace_or_prepend("--openai-base-url", &hop.base(endpoint));
        }
        if !own.has_login && Given::last(self.options(), &["--auth-type"]).is_none() {
            self.prepend(["--auth-type".into(), "openai".into()]);
        }
    }

    /// Sets an option, replacing the user's value if there is one.
    fn replace_or_prepend(&mut self, option: &str, value: &str) {
        match Given::last(self.options(), &[option]) {
            Some(given) => given.replace(&mut self.arguments, value.into()),
            None => self.prepend([option.into(), value.into()]),
        }
    }

    /// Requests to loopback must not take the way that the environment names for the others.
    fn keep_other_proxies_out(&mut self, host: &str, variable: impl Fn(&str) -> Option<OsString>) {
        if PROXY_VARIABLES.iter().all(|name| variable(name).is_none()) {
            return;
        }
        for name in ["NO_PROXY", "no_proxy"] {
            let mut hosts = variable(name).unwrap_or_default();
            if !hosts.is_empty() {
                hosts.push(",");
            }
            hosts.push(host);
            self.set(name, hosts);
        }
    }

    fn options(&self) -> &[OsString] {
        options(&self.arguments)
    }

    fn prepend<const N: usize>(&mut self, arguments: [OsString; N]) {
        self.arguments.splice(0..0, arguments);
    }
}

/// The endpoints that the upstream can serve. Those of another provider are left alone, because its
/// requests and key would go to the wrong provider.
pub(super) fn served(tool: &Tool, hop: Hop<'_>) -> Vec<Endpoint> {
    let owner = hop.owner();
    let is_served = |endpoint: &&Endpoint| {
        if hop.paths.is_empty() {
            return owner.is_none_or(|owner| owner == endpoint.provider);
        }
        let mut providers = hop.paths.iter().map(|(provider, _)| *provider);
        providers.any(|provider| provider == endpoint.provider)
    };
    let served: Vec<_> = tool.endpoints.iter().filter(is_served).copied().collect();
    if served.is_empty() {
        return tool.endpoints.to_vec();
    }
    served
}

/// The arguments that are options to the tool: those before `--`.
pub(super) fn options(arguments: &[OsString]) -> &[OsString] {
    let end = arguments.iter().position(|argument| argument == "--");
    let end = end.unwrap_or(arguments.len());
    arguments.get(..end).unwrap_or_default()
}

/// A file that only the user can read, for as long as the tool runs.
fn settings_file(text: &str) -> io::Result<NamedTempFile> {
    let mut file = tempfile::Builder::new()
        .prefix("maskproxy-")
        .suffix(".json")
        .tempfile()?;
    file.write_all(text.as_bytes())?;
    Ok(file)
}

/// Sets members of an object, and of the objects in it, leaving the others.
fn lay_over(object: &mut Map<String, Value>, over: Value) {
    let Value::Object(over) = over else { return };
    for (name, value) in over {
        match (object.get_mut(&name), value) {
            (Some(Value::Object(inner)), value @ Value::Object(_)) => lay_over(inner, value),
            (_, value) => {
                object.insert(name, value);
            }
        }
    }
}

#[cfg(test)]
mod tests;
