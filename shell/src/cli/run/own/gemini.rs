//! Gemini CLI: its variables override `.env`; its settings choose one of three interfaces.

use super::files::{dotenv, json, text};
use super::{Own, Pointer, Surroundings, is_on};
use crate::cli::run::tools::Provider;

const VARIABLES: [(&str, Provider); 3] = [
    ("GOOGLE_GEMINI_BASE_URL", Provider::Gemini),
    ("GOOGLE_VERTEX_BASE_URL", Provider::Vertex),
    ("CODE_ASSIST_ENDPOINT", Provider::CodeAssist),
];

const NO_LOGIN: &str = "with -p, Gemini CLI stops with 'Invalid auth method selected' if a base URL is set \
                        and no login is chosen: add \"security\": {\"auth\": {\"selectedType\": \
                        \"gemini-api-key\"}} to ~/.gemini/settings.json";

pub(super) fn own(around: &Surroundings<'_>) -> Own {
    let dotenv_file = env_file(around);
    let value = |name: &str| {
        let (_, text) = dotenv_file.as_ref()?;
        dotenv(text, name)
    };
    let variable = |name: &str| around.set(name).or_else(|| value(name));
    let mut own = Own {
        chosen: chosen(around, &variable),
        ..Own::default()
    };
    if own.chosen.is_none() && around.option(&["-p", "--prompt"]).is_some() {
        own.obstacles.push(NO_LOGIN);
    }
    for (name, provider) in VARIABLES {
        if let Some(((path, _), url)) = dotenv_file.as_ref().zip(value(name)) {
            let place = format!("{name} in {path}");
            own.below.push(Pointer::new(place, provider, url));
        }
    }
    if let Some(region) = variable("GOOGLE_CLOUD_LOCATION") {
        let url = match region.as_str() {
            "global" => Provider::Vertex.url().to_owned(),
            "us" | "eu" => format!("https://aiplatform.{region}.rep.googleapis.com"),
            region => format!("https://{region}-aiplatform.googleapis.com"),
        };
        let place = "GOOGLE_CLOUD_LOCATION".to_owned();
        own.below.push(Pointer::new(place, Provider::Vertex, url));
    }
    own
}

/// The one `.env` file that is read: the first on the way up, then the user's.
fn env_file(around: &Surroundings<'_>) -> Option<(String, String)> {
    let folders = around.directory.ancestors().chain([around.home.as_path()]);
    let mut paths = folders.flat_map(|folder| [folder.join(".gemini/.env"), folder.join(".env")]);
    paths.find_map(|path| Some((around.shown(&path), text(&path)?)))
}

/// How the user logs in decides which interface is used.
fn chosen(
    around: &Surroundings<'_>,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Option<Provider> {
    let is_set = |name: &str| variable(name).is_some_and(|value| is_on(&value));
    let folders = [around.directory.as_path(), around.home.as_path()];
    let selected = folders.iter().find_map(|folder| {
        let settings = json(&folder.join(".gemini/settings.json"))?;
        let auth = settings.get("security").and_then(|part| part.get("auth"));
        let selected = auth.and_then(|auth| auth.get("selectedType"));
        let selected = selected.or_else(|| settings.get("selectedAuthType"))?;
        Some(selected.as_str()?.to_owned())
    });
    match selected.as_deref() {
        Some("vertex-ai") => Some(Provider::Vertex),
        Some("oauth-personal" | "cloud-shell" | "compute-default-credentials") => {
            Some(Provider::CodeAssist)
        }
        Some(_) => Some(Provider::Gemini),
        None if is_set("GOOGLE_GENAI_USE_GCA") => Some(Provider::CodeAssist),
        None if is_set("GOOGLE_GENAI_USE_VERTEXAI") => Some(Provider::Vertex),
        None => None,
    }
}
