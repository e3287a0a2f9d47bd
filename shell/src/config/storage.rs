//! Sessions and the vault.

use std::path::PathBuf;
use std::time::Duration;

use super::Error;
use super::error::IN_ENVIRONMENT;
use super::redis::{self, RedisSettings};
use super::values::Values;

/// Which requests share a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SessionSettings {
    pub(crate) strategy: Strategy,
    /// Whether a stored session belongs to the credential that made it.
    pub(crate) bind_to_credential: bool,
}

/// Which requests share a session when they name none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Strategy {
    Ephemeral,
    Client,
    Conversation,
}

/// Where sessions are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct VaultSettings {
    pub(crate) store: Store,
    /// Idle time after which a session is forgotten; never if absent.
    pub(crate) ttl: Option<Duration>,
}

/// The kind of vault, and where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Store {
    Memory,
    Sqlite {
        path: PathBuf,
    },
    Redis(Box<RedisSettings>),
    /// Why it can't be opened: it lacks what may be in another's environment or files.
    Unusable(Error),
}

pub(super) fn session(values: &Values) -> Result<SessionSettings, Error> {
    Ok(SessionSettings {
        strategy: match values.required("session.strategy")?.choice()? {
            "client" => Strategy::Client,
            "conversation" => Strategy::Conversation,
            _ => Strategy::Ephemeral,
        },
        bind_to_credential: values.required("session.bind_to_credential")?.boolean()?,
    })
}

pub(super) fn vault(values: &Values) -> Result<VaultSettings, Error> {
    let dsn = values.required("vault.dsn")?;
    let path = dsn.path_of_file()?;
    if dsn.text()?.contains("://") {
        return Err(dsn.must_be("the path of a file, not a URL"));
    }
    let store = match (
        values.required("vault.type")?.choice()?,
        redis::settings(values),
    ) {
        (_, Err(error)) => Store::Unusable(error),
        ("sqlite", _) => Store::Sqlite { path },
        ("redis", Ok(Some(redis))) => Store::Redis(Box::new(redis)),
        ("redis", Ok(None)) => Store::Unusable(Error::Conflict(format!(
            "vault redis needs 'vault.redis_url' (MASK_REDIS_URL){IN_ENVIRONMENT}"
        ))),
        _ => Store::Memory,
    };
    Ok(VaultSettings {
        store,
        ttl: values
            .get("vault.ttl")
            .map(|ttl| ttl.seconds())
            .transpose()?,
    })
}
