//! The Redis form of a session.

use std::collections::HashMap;

use engine::Origin;

use super::super::{Key, Listed, NewSession, Record, StoredMapping, VaultError, timestamp};

pub(super) const SESSIONS: &str = "mask:session:";

/// Separates the parts of a mapping.
const PART: u8 = 0;
const OPEN: u8 = b'o';
const SEALED: u8 = b's';

pub(super) fn name_of(key: &Key) -> String {
    format!("{SESSIONS}{}:{}", key.owner, key.id)
}

/// An owner's tag has no colon; an id may have some.
fn key_of(name: &str) -> Option<Key> {
    let (owner, id) = name.strip_prefix(SESSIONS)?.split_once(':')?;
    Some(Key {
        owner: owner.to_owned(),
        id: id.to_owned(),
    })
}

/// A line of a listing; none for a key of another form.
pub(super) fn read_line(line: &str) -> Option<Listed> {
    let mut parts = line.splitn(5, ' ');
    let mut number = || parts.next()?.parse::<i64>().ok();
    let (created, last_active, mappings) = (number()?, number()?, number()?);
    let of_history = number()? != 0;
    Some(Listed {
        created: timestamp(created).ok()?,
        last_active: timestamp(last_active).ok()?,
        mappings: mappings.cast_unsigned(),
        of_history,
        key: key_of(parts.next()?)?,
    })
}

pub(super) fn read_record(mut fields: HashMap<String, Vec<u8>>) -> Result<Record, VaultError> {
    let version = number(&fields, "v")?;
    let count = number(&fields, "n")?;
    let is_set = |name| fields.get(name).is_some_and(|flag| flag == b"1");
    let made = NewSession {
        created: number(&fields, "c")?.cast_signed(),
        derived: is_set("d"),
        of_history: is_set("h"),
    };
    let mapping = |place: u64| {
        let field = fields
            .remove(&place.to_string())
            .ok_or(VaultError::Corrupt)?;
        let origin = match fields.get(&origin_of(place)) {
            Some(origin) => read_origin(origin).ok_or(VaultError::Corrupt)?,
            None => Origin::User,
        };
        read_mapping(&field, origin)
    };
    Ok(Record {
        version,
        made,
        mappings: (0..count).map(mapping).collect::<Result<_, _>>()?,
    })
}

/// The field with the origin of a mapping's value, unless it is the user.
pub(super) fn origin_of(place: u64) -> String {
    format!("o{place}")
}

fn read_origin(field: &[u8]) -> Option<Origin> {
    Origin::parse(std::str::from_utf8(field).ok()?)
}

fn number(fields: &HashMap<String, Vec<u8>>, name: &str) -> Result<u64, VaultError> {
    let field = fields.get(name).ok_or(VaultError::Corrupt)?;
    let text = std::str::from_utf8(field).map_err(|_| VaultError::Corrupt)?;
    text.parse().map_err(|_| VaultError::Corrupt)
}

/// The type, the id, how the value is kept, the value.
pub(super) fn written(mapping: &StoredMapping) -> Vec<u8> {
    let how = if mapping.is_sealed() { SEALED } else { OPEN };
    [
        mapping.entity().as_str().as_bytes(),
        &[PART],
        mapping.id().as_bytes(),
        &[PART, how],
        mapping.value(),
    ]
    .concat()
}

fn read_mapping(field: &[u8], origin: Origin) -> Result<StoredMapping, VaultError> {
    let mut parts = field.splitn(3, |byte| *byte == PART);
    let mut text = || std::str::from_utf8(parts.next()?).ok();
    let (Some(entity), Some(id)) = (text(), text()) else {
        return Err(VaultError::Corrupt);
    };
    let Some((how, value)) = parts.next().and_then(|part| part.split_first()) else {
        return Err(VaultError::Corrupt);
    };
    match *how {
        OPEN => StoredMapping::read(entity, id, false, value.to_vec(), origin),
        SEALED => StoredMapping::read(entity, id, true, value.to_vec(), origin),
        _ => Err(VaultError::Corrupt),
    }
}
