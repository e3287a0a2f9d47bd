//! qwen-code: the environment overrides `.env`, options override both, and `modelProviders`
//! overrides everything.

use serde_json::Value;

use super::files::{dotenv, json, text};
use super::{Own, Pointer, Surroundings};
use crate::cli::run::tools::Provider;

const BASE_URL: &str = "OPENAI_BASE_URL";

pub(super) fn own(around: &Surroundings<'_>) -> Own {
    let mut own = Own::default();
    let option = "--openai-base-url";
    if let Some(url) = around.option(&[option]) {
        own.above
            .push(Pointer::new(option.to_owned(), Provider::OpenAi, url));
    }
    let folders = around.directory.ancestors().chain([around.home.as_path()]);
    let mut files = folders.flat_map(|folder| [folder.join(".qwen/.env"), folder.join(".env")]);
    // Only the first is read.
    let file = files.find_map(|path| Some((around.shown(&path), text(&path)?)));
    if let Some((shown, text)) = file
        && let Some(url) = dotenv(&text, BASE_URL)
    {
        let place = format!("{BASE_URL} in {shown}");
        own.below.push(Pointer::new(place, Provider::OpenAi, url));
    }
    let folders = [around.directory.as_path(), around.home.as_path()];
    let files = folders
        .iter()
        .map(|folder| folder.join(".qwen/settings.json"));
    for path in files.chain(["/etc/qwen-code/settings.json".into()]) {
        let Some(settings) = json(&path) else {
            continue;
        };
        let shown = around.shown(&path);
        for (setting, url) in [
            ("env.OPENAI_BASE_URL", &settings["env"][BASE_URL]),
            (
                "security.auth.baseUrl",
                &settings["security"]["auth"]["baseUrl"],
            ),
        ] {
            if let Some(url) = url.as_str().filter(|url| !url.is_empty()) {
                let place = format!("{setting} in {shown}");
                own.below.push(Pointer::new(place, Provider::OpenAi, url));
            }
        }
        if names_an_address(&settings["modelProviders"]) {
            let place = format!("modelProviders in {shown}");
            own.bypass(&place, "of its models to the addresses it contains");
        }
    }
    own
}

fn names_an_address(providers: &Value) -> bool {
    let mut lists = providers.as_object().into_iter().flatten();
    lists.any(|(_, models)| {
        let mut models = models.as_array().into_iter().flatten();
        models.any(|model| model["baseUrl"].is_string())
    })
}
