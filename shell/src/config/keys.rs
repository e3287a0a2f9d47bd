//! Client keys that rules name.

use engine::{ClientKeys, KeyHash};

use super::Error;
use super::error::{all, shown_key};
use super::settings::Kind;
use super::values::Values;

pub(super) fn read(values: &Values) -> Result<ClientKeys, Error> {
    let Some(item) = values.get("policy.keys") else {
        return Ok(ClientKeys::default());
    };
    let entries = item.map(Kind::Text)?.into_iter();
    let keys = all(entries.map(|(name, entry)| {
        if name.is_empty() || shown_key(name) != name {
            return Err(
                item.must_be("a mapping of names, of letters, digits, `-`, `_` and `.`, to hashes")
            );
        }
        let hash = KeyHash::parse(entry.text()?).ok_or_else(|| {
            entry.must_be("what `maskproxy key add NAME` prints, and never a key itself")
        })?;
        Ok((name.to_owned(), hash))
    }));
    Ok(keys?.into())
}
