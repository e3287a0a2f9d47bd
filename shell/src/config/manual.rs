//! Writes the manual page of the configuration file, maskproxy.yaml(5), from the tables of settings.

use clap_mangen::roff::{Roff, bold, roman};

use super::fields::FIELDS;
use super::sections::{flags, sections};
use super::settings::{Kind, Setting};

/// The page's name, with the section of the manual.
pub(crate) const NAME: &str = "maskproxy.yaml.5";

const ABOUT: &[&str] = &[
    "Settings come from the configuration file, from environment variables and from the flags of maskproxy proxy. Flags \
     override variables, variables override the file, and the file overrides the defaults. An empty variable or value \
     counts as unset.",
    "The file is YAML. Name it with -c FILE or MASK_CONFIG; no file is read otherwise. The service of the packages reads \
     /etc/maskproxy/maskproxy.yaml. A dot in a setting's name stands for a level. You can also write the name with its \
     dot. Where a section has a type, you can give just the type: vault: sqlite.",
    "Unknown settings and wrong types stop the start, with one line that names the setting but never its value. Variables \
     are not expanded. Paths are relative to the working directory, not to the file; ~ is not expanded.",
    "maskproxy config --show prints all settings and where each comes from. maskproxy doctor tests whether everything \
     works.",
];

const EXAMPLE: &str = "\
port: 8000
proxy:
  upstream: https://api.anthropic.com
  unrouted: refuse
detector:
  terms:
    PROJECT: [Bluebird, Operation Walnut]
vault: sqlite";

/// The page.
pub(crate) fn page() -> String {
    let mut page = Roff::new();
    page.control("TH", ["maskproxy.yaml", "5"]);
    page.control("SH", ["NAME"]);
    page.text([roman("maskproxy.yaml - configuration file of maskproxy")]);
    page.control("SH", ["DESCRIPTION"]);
    for (index, paragraph) in ABOUT.iter().enumerate() {
        if index > 0 {
            page.control("PP", []);
        }
        page.text([roman(*paragraph)]);
    }
    for (heading, settings) in sections() {
        page.control("SH", [heading.to_uppercase().as_str()]);
        for setting in settings {
            of_setting(&mut page, setting);
        }
    }
    page.control("SH", ["DETECTORS"]);
    page.text([roman(
        "The setting detector is a type, a mapping with these keys, or a list of them, whose findings are pooled.",
    )]);
    for field in FIELDS {
        let of = format!("For {}.", field.of.join(", "));
        let value = value(field.kind, field.default, field.secret);
        entry(&mut page, field.key, field.help, &format!("{of} {value}"));
    }
    page.control("SH", ["EXAMPLE"]);
    page.control("nf", []);
    for line in EXAMPLE.lines() {
        page.text([roman(line)]);
    }
    page.control("fi", []);
    page.control("SH", ["SEE ALSO"]);
    page.text([
        bold("maskproxy"),
        roman("(1), "),
        bold("maskproxy-proxy"),
        roman("(1)"),
    ]);
    page.to_roff()
}

fn of_setting(page: &mut Roff, setting: &Setting) {
    let mut about = value(setting.kind, setting.default, setting.secret);
    let flags = flags(setting).into_iter();
    let names: Vec<_> = setting
        .env
        .map(str::to_owned)
        .into_iter()
        .chain(flags)
        .collect();
    if !names.is_empty() {
        about = format!("{about} Also {}.", names.join(", "));
    }
    entry(page, setting.path, setting.help, &about);
}

/// What a setting accepts, and what it is if nothing is set.
fn value(kind: Kind, default: Option<&str>, is_secret: bool) -> String {
    let default = default.map(|default| format!(" Default: {default}."));
    let secret = if is_secret { " Secret." } else { "" };
    format!(
        "Value: {}.{}{secret}",
        kind.expected(),
        default.unwrap_or_default()
    )
}

fn entry(page: &mut Roff, name: &str, help: &str, about: &str) {
    page.control("TP", []);
    page.text([bold(name)]);
    page.text([roman(sentence(help))]);
    page.control("br", []);
    page.text([roman(about)]);
}

/// A line of help as a sentence, without Markdown.
fn sentence(help: &str) -> String {
    let mut letters = help.chars().filter(|letter| *letter != '`');
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    let sentence: String = first.chain(letters).collect();
    sentence + "."
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, SETTINGS, Values};

    #[test]
    fn the_page_lists_every_detector_setting_once() {
        let page = page().replace("\\-", "-");
        let names = SETTINGS.iter().map(|setting| setting.path);
        for name in names.chain(FIELDS.iter().map(|field| field.key)) {
            let heading = format!(".TP\n\\fB{name}\\fR\n");
            assert_eq!(page.matches(&heading).count(), 1, "{name}");
        }
    }

    #[test]
    fn the_example_of_the_page_works() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("maskproxy.yaml");
        std::fs::write(&file, EXAMPLE).unwrap();
        let values = Values::defaults().with_file(&file).unwrap();
        assert!(Config::resolve(&values).is_ok());
    }
}
