//! One strong value in many forms.

use super::marked::check;

const SIGNED: &str = "⟦kV7#mQ2xLp9w⟧";
const PLAIN: &str = "⟦kV7mQ2xLp9wTz4⟧";

/// Checks that exactly the value is found: `⟦V⟧` is a value with a special character, `⟦W⟧` one of
/// letters and digits only, if the form does not allow others.
#[track_caller]
pub(crate) fn check_forms(forms: &[&str]) {
    let texts: Vec<_> = forms
        .iter()
        .map(|form| form.replace("⟦V⟧", SIGNED).replace("⟦W⟧", PLAIN))
        .collect();
    check(&texts.iter().map(String::as_str).collect::<Vec<_>>());
}
