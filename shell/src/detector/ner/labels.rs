//! What the labels of a model mean.

use std::collections::BTreeMap;

use engine::EntityType;

use crate::detector::span::entity_named;

/// What models call the types: in capitals, only letters and digits.
#[rustfmt::skip]
const NAMES: [(EntityType, &[&str]); 15] = [
    (EntityType::PERSON, &[
        "PER", "NAME", "FULLNAME", "GIVENNAME", "FIRSTNAME", "MIDDLENAME", "LASTNAME", "SURNAME", "PATIENT", "DOCTOR",
    ]),
    (EntityType::LOCATION, &["LOC", "GPE", "CITY", "STATE", "COUNTY", "COUNTRY"]),
    (EntityType::ORGANIZATION, &["ORG", "ORGANISATION", "COMPANY", "COMPANYNAME"]),
    (EntityType::ADDRESS, &[
        "STREET", "STREETNAME", "STREETADDRESS", "BUILDINGNUMBER", "BUILDINGNUM", "SECONDARYADDRESS", "ZIPCODE", "ZIP",
    ]),
    (EntityType::EMAIL, &["EMAILADDRESS"]),
    (EntityType::PHONE, &["PHONENUMBER", "TELEPHONENUM", "TELEPHONENUMBER", "TELEPHONE"]),
    (EntityType::CREDIT_CARD, &["CREDITCARDNUMBER"]),
    (EntityType::SSN, &["USSSN", "SOCIALNUM", "SOCIALSECURITYNUMBER"]),
    (EntityType::BANK_ACCOUNT, &["ACCOUNTNUMBER", "ACCOUNTNUM", "ROUTINGNUMBER"]),
    (EntityType::DATE_OF_BIRTH, &["DATEOFBIRTH", "DOB", "BIRTHDATE"]),
    (EntityType::NATIONAL_ID, &["GOVERNMENTID", "IDCARD", "IDCARDNUM"]),
    (EntityType::DRIVER_LICENSE, &["DRIVERSLICENSE", "DRIVERLICENSENUM"]),
    (EntityType::PASSPORT, &["PASSPORTNUMBER"]),
    (EntityType::TAX_ID, &["TAXNUM", "TAXNUMBER"]),
    (EntityType::SECRET, &["PASSWORD", "PIN"]),
];

/// The labels of a model, in the order of its output.
#[derive(Debug)]
pub(super) struct Labels {
    pub(super) all: Vec<Label>,
    /// The kinds that they name, each once.
    pub(super) kinds: Vec<Kind>,
}

/// One label: `B-PER`, `I-PER`, `L-PER`, `U-PER`, `PER` or `O`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Label {
    /// Its place among the kinds.
    pub(super) kind: usize,
    /// The token is the first of its entity, whatever label precedes it.
    pub(super) begins: bool,
    /// The token is the last of its entity.
    pub(super) ends: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Kind {
    name: String,
    /// `None` for the label of all other tokens.
    pub(super) entity: Option<EntityType>,
}

impl Labels {
    /// The labels of `id2label` in `config.json`; `None` unless they are numbered from 0 and some name a type.
    pub(super) fn read(by_number: &BTreeMap<String, String>) -> Option<Self> {
        let mut kinds = Vec::new();
        let numbers = 0..by_number.len();
        let all =
            numbers.map(|number| Some(label(by_number.get(&number.to_string())?, &mut kinds)));
        let all = all.collect::<Option<_>>()?;
        let names_one = kinds.iter().any(Kind::is_named);
        names_one.then_some(Self { all, kinds })
    }

    pub(super) fn kind(&self, label: Label) -> Option<&Kind> {
        self.kinds.get(label.kind)
    }
}

impl Kind {
    fn of(name: &str) -> Self {
        let is_nothing = matches!(name, "" | "O" | "o" | "0");
        Self {
            name: name.to_owned(),
            entity: (!is_nothing).then(|| entity_of(name)),
        }
    }

    /// Whether it has a name of its own: exporters write `LABEL_1` when nobody named the labels.
    fn is_named(&self) -> bool {
        self.entity.is_some() && !self.name.starts_with("LABEL_")
    }
}

fn label(text: &str, kinds: &mut Vec<Kind>) -> Label {
    let (prefix, name) = match text.split_once('-') {
        Some((prefix @ ("B" | "I" | "L" | "E" | "U" | "S"), name)) => (prefix, name),
        _ => ("I", text),
    };
    let known = kinds.iter().position(|kind| kind.name == name);
    let kind = known.unwrap_or_else(|| {
        kinds.push(Kind::of(name));
        kinds.len() - 1
    });
    Label {
        kind,
        begins: matches!(prefix, "B" | "U" | "S"),
        ends: matches!(prefix, "L" | "E" | "U" | "S"),
    }
}

fn entity_of(name: &str) -> EntityType {
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    let squeezed = letters.collect::<String>().to_ascii_uppercase();
    let known = NAMES.iter().find(|(_, names)| names.contains(&&*squeezed));
    known.map_or_else(|| entity_named(name), |(entity, _)| entity.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(labels: &[&str]) -> Option<Labels> {
        let numbered = labels.iter().enumerate();
        let by_number = numbered.map(|(number, label)| (number.to_string(), (*label).to_owned()));
        Labels::read(&by_number.collect())
    }

    #[test]
    fn labels_of_any_scheme_name_types() {
        for (label, entity, begins, ends) in [
            ("B-PER", "PERSON", true, false),
            ("I-GIVEN_NAME", "PERSON", false, false),
            ("L-Organisation", "ORGANIZATION", false, true),
            ("S-GPE", "LOCATION", true, true),
            ("street_name", "ADDRESS", false, false),
            ("E-MAIL", "MAIL", false, true),
            ("B-EMAIL_ADDRESS", "EMAIL", true, false),
            ("B-MISC", "MISC", true, false),
            ("U-credit card number", "CREDIT_CARD", true, true),
        ] {
            let labels = read(&["O", label]).unwrap();
            let found = labels.all[1];
            let entity = EntityType::parse(entity).unwrap();
            assert_eq!(labels.kind(found).unwrap().entity, Some(entity), "{label}");
            assert_eq!((found.begins, found.ends), (begins, ends), "{label}");
            assert_eq!(labels.kind(labels.all[0]).unwrap().entity, None);
        }
    }

    #[test]
    fn meaningless_labels_are_refused() {
        assert!(read(&["LABEL_0", "LABEL_1"]).is_none());
        assert!(read(&["O"]).is_none());
        let gap = [("0", "O"), ("2", "B-PER")]
            .map(|(number, label)| (number.to_owned(), label.to_owned()));
        assert!(Labels::read(&gap.into()).is_none());
    }
}
