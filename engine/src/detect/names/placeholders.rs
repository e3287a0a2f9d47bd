//! Words in the place of a name that are not names: types, sexes, document names. `last_name:
//! Optional[str]`, `Patient: Male`, `IBAN：…`.

use crate::detect::bytes;

#[rustfmt::skip]
static WORDS: bytes::Words = bytes::Words::of(&[
    "string", "str", "text", "varchar", "nvarchar", "char", "character", "boolean", "bool", "integer", "int", "float", "double",
    "number", "object", "array", "list", "any", "date", "datetime", "timestamp", "optional", "option", "maybe", "required",
    "mandatory", "nullable", "null", "none", "undefined", "unknown", "true", "false", "default", "anonymous", "n/a",
    "male", "female", "other", "männlich", "weiblich", "divers", "masculin", "féminin", "masculino", "femenino", "feminino",
    "hombre", "mujer", "mężczyzna", "kobieta", "maschio", "femmina", "mannelijk", "vrouwelijk",
    "iban", "bic", "vat", "ssn", "pesel", "nip", "regon", "dni", "nif", "cif", "curp", "rfc", "cpf",
    "cnpj", "nhs", "bsn", "ean", "isbn", "imei", "json", "xml", "html", "http", "https",
]);

/// Whether this is such a word.
pub(super) fn is_placeholder(name: &str) -> bool {
    WORDS.hold(name.as_bytes())
}
