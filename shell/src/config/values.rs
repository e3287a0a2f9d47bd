//! Merges the settings from their sources: defaults, the command's own defaults, the file, the
//! environment, flags. Later sources win.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::file::{self, Settings};
use super::item::Item;
use super::names::find;
use super::settings::{Flag, Setting};
use super::table::SETTINGS;
use super::yaml::{Node, Places};
use super::{Config, Error};

/// The value of every setting, and where it comes from.
#[derive(Debug)]
pub(crate) struct Values {
    given: BTreeMap<&'static str, Given>,
    file: Option<PathBuf>,
    places: Places,
}

#[derive(Debug)]
struct Given {
    node: Node,
    source: Source,
}

/// Where a value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    Default,
    /// What a command sets for itself.
    Command,
    File,
    Environment(&'static str),
    Flag(&'static str),
}

impl Values {
    /// The default of a setting.
    pub(crate) fn defaults() -> Self {
        let mut values = Self {
            given: BTreeMap::new(),
            file: None,
            places: Places::default(),
        };
        for setting in SETTINGS {
            if let Some(default) = setting.default {
                values.set(setting.path, Node::of(default), Source::Default);
            }
        }
        values
    }

    /// Adds what a command sets for itself.
    pub(crate) fn with_command_defaults(mut self, defaults: &[(&'static str, &str)]) -> Self {
        for (path, text) in defaults {
            self.set(path, Node::of(*text), Source::Command);
        }
        self
    }

    /// Adds the settings of a YAML file.
    ///
    /// # Errors
    /// When the file can't be read, is no YAML, or holds something that is no setting. Then all its mistakes
    /// are named, so that they can be corrected at once.
    pub(crate) fn with_file(mut self, path: &Path) -> Result<Self, Error> {
        let (Settings { found, mut errors }, places) = file::read(path)?;
        for (setting, node) in found {
            self.set(setting, node, Source::File);
        }
        self.file = Some(path.to_owned());
        self.places = places;
        if errors.is_empty() {
            return Ok(self);
        }
        let others = Config::read(&self).err().into_iter().flat_map(Error::each);
        // Whether settings go together shows only when each is right.
        errors.extend(others.filter(|error| !matches!(error, Error::Conflict(_))));
        Err(self.located(Error::together(errors)))
    }

    /// Adds environment variables. An empty one counts as unset.
    pub(crate) fn with_environment(mut self, variable: impl Fn(&str) -> Option<String>) -> Self {
        for setting in SETTINGS {
            let Some(env) = setting.env else { continue };
            if let Some(text) = variable(env).filter(|text| !text.is_empty()) {
                self.set(setting.path, Node::of(text), Source::Environment(env));
            }
        }
        self
    }

    /// Adds flags, by the path of their setting.
    pub(crate) fn with_flags(mut self, flag: impl Fn(&Setting) -> Option<String>) -> Self {
        for setting in SETTINGS {
            let Some(definition) = setting.flag else {
                continue;
            };
            if let Some(text) = flag(setting) {
                let name = match definition {
                    Flag::Value { long, .. } => long,
                    Flag::Switches(switches) => switches
                        .iter()
                        .find(|(switch, _)| *switch == text)
                        .map_or(setting.path, |(switch, _)| switch),
                };
                self.set(setting.path, Node::of(text), Source::Flag(name));
            }
        }
        self
    }

    /// The file that was read.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// The error with the line of the file that it is about.
    pub(super) fn located(&self, error: Error) -> Error {
        match &self.file {
            Some(file) => error.at(file, &self.places),
            None => error,
        }
    }

    /// Whether anything but the table's default sets it.
    pub(crate) fn is_set(&self, path: &str) -> bool {
        self.given(path)
            .is_some_and(|(_, source)| source != Source::Default)
    }

    /// The value of a setting, and its source.
    pub(super) fn given(&self, path: &str) -> Option<(&Node, Source)> {
        let given = self.given.get(path)?;
        Some((&given.node, given.source))
    }

    pub(super) fn get(&self, path: &'static str) -> Option<Item<'_>> {
        let given = self.given.get(path)?;
        Some(Item {
            path: path.into(),
            from: Some(given.source),
            kind: find(path)?.kind,
            node: &given.node,
        })
    }

    pub(super) fn required(&self, path: &'static str) -> Result<Item<'_>, Error> {
        self.get(path)
            .ok_or_else(|| Error::Conflict(format!("setting '{path}' must be set")))
    }

    fn set(&mut self, path: &'static str, node: Node, source: Source) {
        self.given.insert(path, Given { node, source });
    }
}
