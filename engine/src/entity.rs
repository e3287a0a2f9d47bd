//! Entity types.

use std::borrow::Borrow;
use std::fmt;
use std::sync::Arc;

/// The type of a sensitive value, as in a token: `EMAIL` in `<MASK_EMAIL_1>`.
///
/// Built-in types are constants. A user's word list or pattern may name others: a letter, then
/// letters, digits and underscores, at most 64 characters.
#[derive(Clone)]
pub struct EntityType(Name);

#[derive(Clone)]
enum Name {
    BuiltIn(&'static str),
    Own(Arc<str>),
}

/// A type name that breaks the rule given at [`EntityType`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidEntityType;

impl fmt::Display for InvalidEntityType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "an entity type is a letter, then letters, digits and underscores, at most 64 characters",
        )
    }
}

impl std::error::Error for InvalidEntityType {}

macro_rules! built_in {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {
        impl EntityType {
            $($(#[$doc])* pub const $name: Self = Self(Name::BuiltIn(stringify!($name)));)*

            /// Every type that the built-in detectors can find, whether it is on by default or not.
            pub const BUILT_IN: &'static [Self] = &[$(Self::$name),*];
        }
    };
}

built_in! {
    /// An e-mail address.
    EMAIL,
    /// A telephone number.
    PHONE,
    /// A payment card number.
    CREDIT_CARD,
    /// An IPv4 or IPv6 address.
    IP_ADDRESS,
    /// A US social security number.
    SSN,
    /// A vendor's API key.
    API_KEY,
    /// The credential of a `Bearer` or `Basic` authorization.
    AUTH_TOKEN,
    /// A JSON Web Token.
    JWT,
    /// A private key block.
    PRIVATE_KEY,
    /// The password or token in a URL.
    URL_CREDENTIAL,
    /// A value assigned to a secret-looking name, or near one.
    SECRET,
    /// The name of a person.
    PERSON,
    /// The name of a place.
    LOCATION,
    /// The name of an organization.
    ORGANIZATION,
    /// An international bank account number.
    IBAN,
    /// A bank account next to a word for it, and the code of its bank.
    BANK_ACCOUNT,
    /// A country's personal number or identity card.
    NATIONAL_ID,
    /// The number of a passport.
    PASSPORT,
    /// The number of a driving licence.
    DRIVER_LICENSE,
    /// A taxpayer's number.
    TAX_ID,
    /// The number of a patient or an insured person.
    HEALTH_ID,
    /// A date next to a word for birth.
    DATE_OF_BIRTH,
    /// A postal address: a street with its number, and the place that follows it.
    ADDRESS,
    /// The address of a network adapter.
    MAC_ADDRESS,
    /// A vehicle identification number.
    VIN,
    /// The number plate of a vehicle.
    LICENSE_PLATE,
    /// The address of a wallet.
    CRYPTO_WALLET,
}

/// Types that are off unless a configuration turns them on.
const OFF_BY_DEFAULT: [EntityType; 5] = [
    EntityType::LOCATION,
    EntityType::ORGANIZATION,
    EntityType::MAC_ADDRESS,
    EntityType::VIN,
    EntityType::LICENSE_PLATE,
];

impl EntityType {
    /// Text that looks like a token, masked so that it comes back as written.
    pub const LITERAL: Self = Self(Name::BuiltIn("LITERAL"));

    /// The built-in type of this name.
    #[must_use]
    pub fn built_in(name: &str) -> Option<Self> {
        let known = Self::BUILT_IN.iter().find(|known| known.as_str() == name);
        known.cloned()
    }

    /// Whether the built-in detectors find this type by default.
    #[must_use]
    pub fn is_on_by_default(&self) -> bool {
        Self::BUILT_IN.contains(self) && !OFF_BY_DEFAULT.contains(self)
    }

    /// Parses a name: a built-in one, or one of the user's own.
    ///
    /// # Errors
    /// [`InvalidEntityType`] when the name breaks the rule given at [`EntityType`].
    pub fn parse(name: &str) -> Result<Self, InvalidEntityType> {
        if let Some(known) = Self::built_in(name) {
            return Ok(known);
        }
        let valid = name.len() <= 64
            && name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if valid {
            Ok(Self(Name::Own(name.into())))
        } else {
            Err(InvalidEntityType)
        }
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Name::BuiltIn(name) => name,
            Name::Own(name) => name,
        }
    }
}

impl PartialEq for EntityType {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for EntityType {}

impl PartialOrd for EntityType {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for EntityType {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl std::hash::Hash for EntityType {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl Borrow<str> for EntityType {
    fn borrow(&self) -> &str {
        self.as_str()
    }
}

impl fmt::Debug for EntityType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for EntityType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entity_type_is_a_letter_then_word_characters() {
        assert_eq!(EntityType::parse("EMAIL"), Ok(EntityType::EMAIL));
        assert!(EntityType::parse("Employee_id2").is_ok());
        for bad in ["", "1PERSON", "my-person", "É", &"X".repeat(65)] {
            assert_eq!(EntityType::parse(bad), Err(InvalidEntityType));
        }
    }
}
