//! Options that the user passes to the tool.

use std::ffi::{OsStr, OsString};

/// An option and its value as the user gave them.
#[derive(Debug)]
pub(super) struct Given {
    pub(super) value: String,
    /// Which argument holds the value.
    at: usize,
    /// The part of that argument before the value.
    front: String,
    /// The index of the option's name.
    pub(super) begin: usize,
    /// The index after it.
    pub(super) end: usize,
}

impl Given {
    /// The last option of one of these names: `--name value`, `--name=value`, `-n value`, `-nvalue`.
    pub(super) fn last(options: &[OsString], names: &[&str]) -> Option<Self> {
        let mut last = None;
        let mut index = 0;
        while let Some(argument) = options.get(index) {
            let found = names
                .iter()
                .find_map(|name| Self::at(options, index, argument, name));
            index = found.as_ref().map_or(index + 1, |given| given.end);
            last = found.or(last);
        }
        last
    }

    fn at(options: &[OsString], index: usize, argument: &OsStr, name: &str) -> Option<Self> {
        let rest = argument.to_str()?.strip_prefix(name)?;
        let is_long = name.starts_with("--");
        let (value, at, front) = match rest.strip_prefix('=') {
            _ if rest.is_empty() => {
                let value = options.get(index + 1)?.to_str()?;
                (value, index + 1, String::new())
            }
            Some(value) => (value, index, format!("{name}=")),
            None if is_long => return None,
            None => (rest, index, name.to_owned()),
        };
        Some(Self {
            value: value.to_owned(),
            at,
            front,
            begin: index,
            end: at + 1,
        })
    }

    /// Replaces the given value.
    pub(super) fn replace(&self, arguments: &mut [OsString], value: OsString) {
        if let Some(argument) = arguments.get_mut(self.at) {
            *argument = OsString::from(&self.front);
            argument.push(value);
        }
    }
}
