//! The settings as text, merged from their sources, and how one is read as a type.

use std::collections::BTreeMap;
use std::time::Duration;

use engine::Sensitive;

use super::Error;
use super::settings::SETTINGS;

/// What every setting is set to: defaults, overlaid by the environment, overlaid by flags.
#[derive(Debug)]
pub(crate) struct Values(BTreeMap<&'static str, Sensitive<String>>);

impl Values {
    /// Merges the sources. An empty environment variable counts as unset.
    pub(crate) fn merge(
        environment: impl Fn(&str) -> Option<String>,
        flags: impl Fn(&str) -> Option<String>,
    ) -> Self {
        let set = SETTINGS.iter().filter_map(|setting| {
            let from_environment = || {
                let text = environment(setting.env?)?;
                (!text.is_empty()).then_some(text)
            };
            let text = flags(setting.path)
                .or_else(from_environment)
                .or_else(|| setting.default.map(str::to_owned))?;
            Some((setting.path, Sensitive::new(text)))
        });
        Self(set.collect())
    }

    pub(super) fn text(&self, path: &str) -> Option<&str> {
        self.0.get(path).map(|text| text.expose().as_str())
    }

    pub(super) fn required(&self, path: &'static str) -> Result<&str, Error> {
        self.text(path).ok_or(Error::Invalid {
            path,
            expected: "a value",
        })
    }

    pub(super) fn flag(&self, path: &'static str) -> Result<bool, Error> {
        match self.required(path)? {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(Error::Invalid {
                path,
                expected: "true or false",
            }),
        }
    }

    pub(super) fn seconds(&self, path: &'static str) -> Result<Duration, Error> {
        let invalid = Error::Invalid {
            path,
            expected: "a number of seconds above 0",
        };
        match self.required(path)?.parse::<f64>() {
            Ok(seconds) if seconds > 0.0 => {
                Duration::try_from_secs_f64(seconds).map_err(|_| invalid)
            }
            _ => Err(invalid),
        }
    }

    pub(super) fn number<N: std::str::FromStr>(
        &self,
        path: &'static str,
        expected: &'static str,
    ) -> Result<N, Error> {
        self.required(path)?
            .parse()
            .map_err(|_| Error::Invalid { path, expected })
    }
}
