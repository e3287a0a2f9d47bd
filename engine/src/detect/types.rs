//! Which built-in types are enabled.

use crate::EntityType;
use crate::detect::DetectorSettings;

/// A set of built-in types: a bit each, in the order of [`EntityType::BUILT_IN`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Types(u64);

impl Default for Types {
    fn default() -> Self {
        Self::of(&DetectorSettings::default())
    }
}

impl Types {
    /// The types that a configuration enables.
    pub(super) fn of(settings: &DetectorSettings) -> Self {
        let all = EntityType::BUILT_IN.iter().enumerate();
        let bits = all.filter(|(_, entity)| settings.looks_for(entity));
        Self(bits.fold(0, |bits, (index, _)| bits | 1 << index))
    }

    /// Whether a type is one of them.
    pub(super) fn hold(self, entity: &EntityType) -> bool {
        let index = EntityType::BUILT_IN.iter().position(|own| own == entity);
        index.is_some_and(|index| self.0 >> index & 1 == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_type_has_a_bit() {
        let all = Types::of(&DetectorSettings {
            types: EntityType::BUILT_IN
                .iter()
                .map(|own| (own.clone(), true))
                .collect(),
            ..DetectorSettings::default()
        });
        assert!(EntityType::BUILT_IN.len() <= 64);
        assert!(EntityType::BUILT_IN.iter().all(|own| all.hold(own)));
        assert!(!all.hold(&EntityType::LITERAL));
    }
}
