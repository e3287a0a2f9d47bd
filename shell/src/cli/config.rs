//! `maskproxy config`.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{ArgMatches, Command};
use engine::{EntityType, Schema};
use serde_json::{Map, Value, json};

use super::{Failure, print, sources, switch, warning};
use crate::config::{Config, Mode, Shown, Source, Values, authority, shown};

/// The command.
pub(super) fn command() -> Command {
    Command::new("config")
        .about("Shows the settings in effect")
        .arg(sources::config_file())
        .arg(switch(
            "show",
            "Print every setting and where it comes from; secrets, header values, words and patterns are masked",
        ))
        .arg(switch("routes", "Print the default routes and the schema of each"))
        .arg(switch("path", "Print only the path of the configuration file"))
        .arg(switch("json", "Print one JSON object with every setting"))
}

/// Checks the configuration and prints it.
pub(super) fn run(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let values = sources::values(matches, &[])?;
    if matches.get_flag("path") {
        let path = values.file().map(|path| path.display().to_string());
        return print(|out| match path {
            Some(path) => writeln!(out, "{path}"),
            None => writeln!(out, "no configuration file"),
        });
    }
    let config = Config::without_vault(&values)?;
    let routes = Config::default_routes(&values)?;
    if matches.get_flag("routes") {
        return print(|out| print_routes(out, &routes));
    }
    let lines = shown(&values);
    print(|out| {
        if matches.get_flag("json") {
            return writeln!(out, "{}", as_json(&config, &values, &lines, &routes));
        }
        if matches.get_flag("show") {
            print_settings(out, &values, &lines)?;
            writeln!(
                out,
                "\n`maskproxy config --routes` lists the default routes."
            )?;
        } else {
            print_summary(out, &config, &values, &lines)?;
        }
        let warnings = warning::all(&config).chain(warning::of_listener(&config));
        for warning in warnings.chain(warning::of_vault(&config)) {
            writeln!(out, "\n{warning}")?;
        }
        Ok(())
    })
}

fn print_head(out: &mut dyn Write, values: &Values) -> io::Result<()> {
    writeln!(out, "maskproxy {}", env!("CARGO_PKG_VERSION"))?;
    match values.file() {
        Some(path) => writeln!(out, "configuration file: {}", path.display()),
        None => writeln!(out, "configuration file: none"),
    }
}

fn print_settings(out: &mut dyn Write, values: &Values, lines: &[Shown]) -> io::Result<()> {
    print_head(out, values)?;
    writeln!(out)?;
    for line in lines {
        let text = format!("{}: {}", line.path, text(&line.value));
        match line.source {
            Some(source) if source != Source::Default => {
                writeln!(out, "{text:<48}  # {}", name(source))?;
            }
            _ => writeln!(out, "{}", text.trim_end())?,
        }
    }
    Ok(())
}

/// The default routes that are in force.
fn print_routes(out: &mut dyn Write, routes: &[(&str, Schema)]) -> io::Result<()> {
    if routes.is_empty() {
        return writeln!(out, "no default routes, because proxy.routes replaces them");
    }
    writeln!(out, "A default route matches every path with this ending:")?;
    for (ending, schema) in routes {
        writeln!(out, "  {ending:<44}{}", schema.as_str())?;
    }
    Ok(())
}

/// The settings that a user asks for first.
fn print_summary(
    out: &mut dyn Write,
    config: &Config,
    values: &Values,
    lines: &[Shown],
) -> io::Result<()> {
    print_head(out, values)?;
    writeln!(out)?;
    let set = |path: &str| {
        let line = lines.iter().find(|line| line.path == path);
        line.map_or(String::new(), |line| text(&line.value))
    };
    let detectors = lines.iter().filter(|line| {
        let (setting, key) = line.path.rsplit_once('.').unwrap_or_default();
        key == "type" && setting.starts_with("detector")
    });
    let detectors: Vec<_> = detectors.map(|line| text(&line.value)).collect();
    let scheme = if config.tls.is_some() {
        "https"
    } else {
        "http"
    };
    for (name, value) in [
        (
            "listens on",
            format!("{scheme}://{}", authority(&config.host, config.port)),
        ),
        ("mode", set("proxy.mode")),
        ("upstream", config.mode.to_string()),
        (
            "provider",
            format!("{}, {}", set("provider.type"), key(config)),
        ),
        ("detector", detectors.join(", ")),
        ("policy", set("policy.type")),
        ("operator", set("operator.type")),
        ("session", set("session.strategy")),
        ("vault", set("vault.type")),
        (
            "audit",
            match &config.audit_path {
                Some(path) => path.display().to_string(),
                None => "off".to_owned(),
            },
        ),
    ] {
        writeln!(out, "{name:<12} {value}")?;
    }
    writeln!(out, "\n`maskproxy config --show` lists every setting.")
}

/// Whose key the provider gets.
fn key(config: &Config) -> &'static str {
    if warning::has_own_key(config) {
        return "with the proxy's own key";
    }
    if config.credentials.forward_client && matches!(config.mode, Mode::Transparent { .. }) {
        "with the client's key"
    } else {
        "without a key"
    }
}

fn as_json(config: &Config, values: &Values, lines: &[Shown], routes: &[(&str, Schema)]) -> Value {
    let routes = routes.iter();
    let routes = routes.map(|(ending, schema)| ((*ending).to_owned(), schema.as_str().into()));
    let settings: Map<String, Value> = lines
        .iter()
        .map(|line| {
            let source = line.source.map(name);
            let shown = json!({"value": line.value, "source": source});
            (line.path.clone(), shown)
        })
        .collect();
    let unmasked: Vec<_> = config.unmasked.iter().map(EntityType::as_str).collect();
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "file": values.file().map(|path| path.display().to_string()),
        "settings": settings,
        "default_routes": routes.collect::<Map<String, Value>>(),
        "upstream": config.mode.to_string(),
        "detected_but_not_masked": unmasked,
        "masks_nothing": config.shadow,
    })
}

fn name(source: Source) -> &'static str {
    match source {
        Source::Default => "default",
        Source::Command => "command",
        Source::File => "file",
        Source::Environment(name) | Source::Flag(name) => name,
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(list) => list.iter().map(text).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}
