//! Which paths are masked, and by which schema.

use engine::Schema;
use engine::route::Routes;

use super::Error;
use super::item::Item;
use super::settings::Kind;
use super::values::Values;

const SCHEMA: Kind = Kind::Choice(&["chat_style", "messages_style", "responses", "generic"]);

pub(super) fn read(values: &Values) -> Result<Routes, Error> {
    let Some(item) = values.get("proxy.routes") else {
        return Ok(Routes::default());
    };
    let routes = item.map(SCHEMA)?;
    if routes.is_empty() {
        return Err(item.must_be("a mapping with at least one path"));
    }
    let routes = routes.into_iter().map(|(path, schema)| {
        // Only paths are shown: a route is no secret.
        let schema = Item {
            path: format!("{}.{path}", item.path).into(),
            ..schema
        };
        if !is_path(path) {
            return Err(item.must_be("a mapping of paths, which begin with '/', to schemas"));
        }
        Ok((path, schema_of(&schema)?))
    });
    Ok(Routes::new(routes.collect::<Result<Vec<_>, _>>()?))
}

fn schema_of(item: &Item<'_>) -> Result<Schema, Error> {
    Ok(match item.choice()? {
        "chat_style" => Schema::ChatStyle,
        "messages_style" => Schema::MessagesStyle,
        "responses" => Schema::Responses,
        _ => Schema::Generic,
    })
}

/// Whether this is the path of a URL, without a query.
fn is_path(path: &str) -> bool {
    path.starts_with('/')
        && path.len() <= 1024
        && path
            .bytes()
            .all(|b| b.is_ascii_graphic() && !b"?#\"<>\\^`{|}".contains(&b))
}
