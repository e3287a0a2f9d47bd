//! llm: models with an address in a file use that address, and those of plug-ins their own providers.

use std::path::PathBuf;

use super::files::{text, yaml};
use super::{Own, Surroundings, models};

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
    let given = || Some(("-m", around.option(&["-m", "--model"])?));
    let variable = || Some(("LLM_MODEL", around.set("LLM_MODEL")?));
    let file = "default_model.txt";
    let configured = || Some((file, text(&folder.join(file))?.trim().to_owned()));
    if let Some((place, model)) = given().or_else(variable).or_else(configured) {
        models::select(&mut own, place, &model);
    }
    own
}
