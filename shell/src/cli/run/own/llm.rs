//! llm: models with an address in a file use that address.

use std::path::PathBuf;

use super::files::{text, yaml};
use super::{Own, Surroundings};

pub(super) fn own(around: &Surroundings<'_>) -> Own {
    let mut own = Own::default();
    let folder = around.set("LLM_USER_PATH").map(PathBuf::from);
    let folder = folder.unwrap_or_else(|| {
        let config = around.set("XDG_CONFIG_HOME").map(PathBuf::from);
        let config = config.unwrap_or_else(|| around.home.join(".config"));
        config.join("io.datasette.llm")
    });
    let path = folder.join("extra-openai-models.yaml");
    let is_pointed = |text: &String| yaml(text, "api_base").is_some();
    if text(&path).as_ref().is_some_and(is_pointed) {
        let place = format!("api_base in {}", around.shown(&path));
        own.bypass(&place, "of its models to the address it contains");
    }
    own
}
