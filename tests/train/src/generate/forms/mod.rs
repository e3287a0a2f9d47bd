//! The forms in which a name has a value, as templates.
//!
//! A hole is written `«camel»`. The name of a line fills `snake`, `SNAKE`, `camel`, `Pascal`, `kebab`, `Kebab`, `KEBAB`, `dotted`,
//! `joined`, `words` and `Words`,
//! its value fills `value`, `old` is a value that it had before; [`super::innocent::hole`] fills the others.
//! `«value:20»` is padded with spaces to 20 characters.

mod code;
mod config;
mod data;
mod numbers;
mod personal;
mod plain;
mod prose;
mod shell;

use super::half::Half;
use super::spelling::Spelling;

/// A way to write names and values. A record is what stands before, some lines, and what stands after them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Form {
    /// `group/form`, unique.
    pub(super) id: &'static str,
    pub(super) before: &'static str,
    pub(super) line: &'static str,
    /// What separates lines. `None`: a record has only one.
    pub(super) between: Option<&'static str>,
    pub(super) after: &'static str,
    /// How a value is written in it.
    pub(super) spelling: Spelling,
    /// Whether an expression may stand in the place of the quoted value.
    pub(super) code: bool,
    /// Whether each of its names is one of a secret, as in `gh secret set`.
    pub(super) secrets_only: bool,
}

impl Form {
    const fn of(id: &'static str, spelling: Spelling, line: &'static str) -> Self {
        Self {
            id,
            before: "",
            line,
            between: Some("\n"),
            after: "\n",
            spelling,
            code: false,
            secrets_only: false,
        }
    }

    const fn within(mut self, before: &'static str, after: &'static str) -> Self {
        self.before = before;
        self.after = after;
        self
    }

    const fn between(mut self, between: &'static str) -> Self {
        self.between = Some(between);
        self
    }

    /// One line only.
    const fn once(mut self) -> Self {
        self.between = None;
        self
    }

    const fn spelled(mut self, spelling: Spelling) -> Self {
        self.spelling = spelling;
        self
    }

    const fn code(mut self) -> Self {
        self.code = true;
        self
    }

    const fn secrets_only(mut self) -> Self {
        self.secrets_only = true;
        self
    }

    /// Whether values have a place in it.
    pub(super) fn holds_values(&self) -> bool {
        self.line.contains("«value")
    }
}

/// Every form.
pub(super) fn all() -> impl Iterator<Item = &'static Form> {
    [
        code::FORMS,
        config::FORMS,
        data::FORMS,
        shell::FORMS,
        prose::FORMS,
        plain::FORMS,
        personal::FORMS,
        numbers::FORMS,
    ]
    .into_iter()
    .flatten()
}

/// The forms of a half.
pub(super) fn of(half: Half) -> impl Iterator<Item = &'static Form> {
    all().filter(move |form| half.has(form.id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn form_ids_are_unique() {
        let ids: BTreeSet<&str> = all().map(|form| form.id).collect();
        assert_eq!(ids.len(), all().count());
    }

    #[test]
    fn each_half_has_forms_of_each_group() {
        for half in [Half::Train, Half::Test] {
            let groups: BTreeSet<&str> = of(half)
                .filter_map(|form| Some(form.id.split_once('/')?.0))
                .collect();
            assert_eq!(groups.len(), 8, "{half:?}: {groups:?}");
            assert!(of(half).filter(|form| form.holds_values()).count() >= 60);
        }
    }

    #[test]
    fn code_forms_put_the_value_in_quotes() {
        for form in all().filter(|form| form.code) {
            let before = form.line.split("«value»").next().unwrap_or_default();
            let quote = before.strip_suffix(['"', '\'']).unwrap_or("none");
            assert!(quote.ends_with([' ', '(', '=', '{']), "{}", form.id);
        }
    }
}
