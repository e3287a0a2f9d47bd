//! The secret from which the ids of sessions are derived, and whether all instances on a vault have the same.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::id::hex;
use super::identity::first;
use crate::config::OperatorSettings;
use crate::vault::{IdKey, Vault, VaultError};

/// What to do if the instance before this one had another secret.
pub(crate) const OTHER_SECRET: &str = "another instance used this vault with another MASK_ANCHOR_SECRET or \
     MASK_ENCRYPT_KEY, or with none, so the two share no session: a conversation that moves from one to the other gets new \
     tokens. Give all instances the same secret; if you have just changed it, restart those that have the old one";

/// The key for ids that a configured secret gives, so that ids are the same on every instance.
pub(super) fn id_key(operator: &OperatorSettings) -> Option<IdKey> {
    let secret = match operator {
        OperatorSettings::Pseudonym { anchor } | OperatorSettings::Surrogate { anchor, .. } => {
            anchor.as_ref()?.expose().as_slice()
        }
        OperatorSettings::Encrypt { key } => key.expose(),
        OperatorSettings::Redact => return None,
    };
    Some(IdKey::new(hash(secret, b"maskproxy session ids")))
}

/// Whether the instance that used the vault last had another secret than this one.
///
/// # Errors
/// When the vault fails.
pub(crate) async fn is_other(
    vault: &Vault,
    operator: &OperatorSettings,
) -> Result<bool, VaultError> {
    let noted = vault.noted_secret().await?;
    Ok(noted.is_some_and(|noted| noted != mark(operator)))
}

/// Notes this instance's secret for those that come later.
///
/// # Errors
/// When the vault fails.
pub(super) async fn note(vault: &Vault, operator: &OperatorSettings) -> Result<(), VaultError> {
    vault.note_secret(mark(operator)).await
}

/// A hash by which two secrets can be compared, and neither be found. Instances without one share the vault's own key.
fn mark(operator: &OperatorSettings) -> String {
    let Some(key) = id_key(operator) else {
        return "none".to_owned();
    };
    hex(&first::<8>(hash(key.expose(), b"maskproxy secret mark")))
}

fn hash(secret: &[u8], purpose: &[u8]) -> [u8; 32] {
    // HMAC accepts keys of any length.
    let mac = Hmac::<Sha256>::new_from_slice(secret);
    mac.map_or([0; 32], |mac| {
        mac.chain_update(purpose).finalize().into_bytes().into()
    })
}
