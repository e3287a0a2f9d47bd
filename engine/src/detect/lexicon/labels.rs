//! Words that label what follows them in contacts and records, and so are no places and no names.

use crate::detect::bytes;
use std::borrow::Cow;

/// Ways to reach someone, which are no names in any case.
#[rustfmt::skip]
static CONTACTS: bytes::Words = bytes::Words::of(&[
    "tel", "tél", "telefon", "telefono", "teléfono", "telefone", "téléphone", "telephone", "telefoon", "phone", "fax", "telefax", "cell", "cel",
    "celular", "cellulare", "mob", "mobil", "mobile", "mobiel", "móvil", "movil", "handy", "gsm", "natel", "tlf", "telf", "puh", "tfno", "email",
    "e-mail", "mail", "web", "website", "homepage", "whatsapp", "тел", "факс", "моб", "τηλ", "sími", "fon", "mobilnr", "tel-nr",
]);

/// Names of numbers.
#[rustfmt::skip]
static NUMBERS: bytes::Words = bytes::Words::of(&[
    "iban", "bic", "swift", "vat", "ust", "ustid", "ust-id", "ust-idnr", "hrb", "siret", "siren", "rcs", "tva", "nif", "cif", "nie", "dni", "rut",
    "ruc", "cuit", "cuil", "curp", "nip", "regon", "krs", "pesel", "ičo", "dič", "cnpj", "cpf", "kvk", "btw", "cvr", "oib", "dob", "mrn", "ssn", "sin",
    "nino", "nhs", "nir", "ahv", "avs", "bsn", "aadhaar", "gstin", "abn", "acn", "tfn", "nric", "cnic", "nhi", "ppsn", "passport", "attn", "инн", "огрн",
    "кпп", "снилс", "αφμ", "αμκα",
]);

/// Whether this is such a word, in any case.
pub(in crate::detect) fn is_label(word: &[u8]) -> bool {
    is_contact(word) || NUMBERS.hold(&lowered(word))
}

/// Whether this is a word for a way to reach someone.
pub(in crate::detect) fn is_contact(word: &[u8]) -> bool {
    CONTACTS.hold(&lowered(word))
}

/// A word with small letters outside ASCII, where [`bytes::Words`] ignores no case.
fn lowered(word: &[u8]) -> Cow<'_, [u8]> {
    match str::from_utf8(word) {
        Ok(word) if !word.is_ascii() => word.to_lowercase().into_bytes().into(),
        _ => word.into(),
    }
}
