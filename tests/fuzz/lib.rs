//! Shared by the fuzz targets.

use std::sync::{Arc, LazyLock};

use engine::{
    Detectors, Engine, EntityType, Mapping, Masked, NoMemory, Restoring, Schema, Sensitive,
    Session, Settings,
};

/// The engine with its built-in detectors.
pub static ENGINE: LazyLock<Engine> = LazyLock::new(|| {
    Engine::new(Settings {
        detectors: Detectors::built_in(),
        ..Settings::default()
    })
});

/// Every wire format.
pub const SCHEMAS: [Schema; 3] = [Schema::ChatStyle, Schema::MessagesStyle, Schema::Responses];

/// A session that has issued a few tokens.
#[must_use]
pub fn session() -> Session {
    let mut session = Session::new();
    for (entity, id, value) in [
        (EntityType::EMAIL, "1", "alice@example.com"),
        (EntityType::EMAIL, "12", "bob@example.org"),
        (EntityType::SECRET, "3", "qu\"ote\\back\nline \u{e9}"),
        (EntityType::API_KEY, "0123456789ABCDEF", "<MASK_EMAIL_1>"),
    ] {
        let value = Sensitive::new(value.to_owned());
        session.adopt(Arc::new(Mapping::new(entity, id, value)));
    }
    session
}

/// Masks a request, if it can be.
#[must_use]
pub fn mask(schema: Schema, request: &[u8], session: &mut Session) -> Option<Masked> {
    let mut request = ENGINE.request(schema, request.to_vec()).ok()?;
    request.know_history(true);
    request.mask(session, &NoMemory).ok()
}

/// Restores a reply that arrives in pieces of the given sizes, over and over.
#[must_use]
pub fn restore(
    restoring: &Restoring,
    content_type: &str,
    reply: &[u8],
    sizes: &[usize],
) -> Vec<u8> {
    let mut restorer = restoring.reply(Some(content_type));
    let mut out = Vec::new();
    let mut rest = reply;
    for size in sizes.iter().copied().cycle() {
        if rest.is_empty() {
            break;
        }
        let (piece, after) = rest.split_at(size.clamp(1, rest.len()));
        restorer.push(piece, &mut out);
        rest = after;
    }
    restorer.finish(&mut out);
    out
}
