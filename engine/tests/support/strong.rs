//! One strong value in many forms.

use crate::marked::check;

const SIGNED: &str = "⟦kV7#mQ2xLp9w⟧";
const PLAIN: &str = "⟦kV7mQ2xLp9wTz4⟧";

/// Checks that exactly the value is found: `⟦V⟧` stands for one with a sign in it, `⟦W⟧` for one of letters and digits where
/// the form has no room for signs.
#[track_caller]
pub(crate) fn check_forms(forms: &[&str]) {
    let texts: Vec<_> = forms
        .iter()
        .map(|form| form.replace("⟦V⟧", SIGNED).replace("⟦W⟧", PLAIN))
        .collect();
    check(&texts.iter().map(String::as_str).collect::<Vec<_>>());
}
