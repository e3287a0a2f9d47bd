//! What people say of passwords and keys: that they are wrong, expired or weak, or that there is none.

/// How such words begin, in lower case; endings of gender and number follow.
#[rustfmt::skip]
const STEMS: &[&str] = &[
    // English
    "accepted", "acquired", "active", "allowed", "attached", "available", "below", "blocked", "case-sensitive", "changed", "completed", "complex", "compromised", "confidential", "configured", "correct", "corrupt", "default", "different",
    "disabled", "documented", "easy", "empty", "enabled", "encrypted", "expired", "exposed", "following", "forgotten", "generated", "hashed", "hidden", "identical", "inactive", "included",
    "insecure", "known", "leaked", "locked", "long", "lost", "mandatory", "needed", "missing", "obsolete", "obvious", "outdated", "possible", "protected", "public", "ready", "rejected", "revoked",
    "rotated", "safe", "salted", "secure", "shared", "short", "similar", "simple", "stolen", "stored", "strong", "supported", "temporary", "unavailable",
    "unchanged", "unique", "unsafe", "unsuccessful", "visible", "verified", "vulnerable", "weak", "wrong", "working",
    // How it is made: `JWT-based`, `4-stellig`
    "achtstellig", "based", "basiert", "digit", "sechsstellig", "stellig", "vierstellig",
    // German
    "abgelaufen", "aktiv", "aktualisiert", "anders", "bekannt", "beschädigt", "deaktiviert", "einfach", "einmalig", "erforderlich",
    "falsch", "fehlerhaft", "gehasht", "geheim", "gekürzt", "geleakt", "gelöscht", "gesetzt", "gespeichert", "gesperrt", "gestohlen",
    "geteilt", "geändert", "gleich", "gültig", "identisch", "inaktiv", "komplex", "kompromittiert", "korrekt", "kurz", "notwendig",
    "nötig", "offen", "optional", "pflicht", "richtig", "schwach", "sicher", "sichtbar", "standard", "stark", "unbekannt", "ungültig", "unsicher",
    "unverschlüsselt", "veraltet", "verfügbar", "vergessen", "verloren", "verschlüsselt", "vorhanden", "zurückgesetzt", "öffentlich",
    // French
    "absent", "actif", "affiché", "ancien", "bloqué", "caché", "changé", "chiffré", "compromis", "connu", "crypté", "différent", "dérobé",
    "erroné", "expiré", "exposé", "facile", "faible", "fausse", "faux", "fort", "haché", "identique", "inactif", "inconnu", "incorrect",
    "invalide", "manquant", "mauvais", "modifié", "nécessaire", "obligatoire", "optionnel", "oublié", "partagé", "perdu", "périmé",
    "requis", "réinitialisé", "révoqué", "sauvegardé", "stocké", "sécurisé", "sûr", "temporaire", "valide", "verrouillé", "vide", "volé",
    // Spanish
    "actualizad", "almacenad", "antigu", "bloquead", "caducad", "cambiad", "cifrad", "compartid", "comprometid", "conocid", "desconocid",
    "diferente", "débil", "encriptad", "equivocad", "erróne", "expirad", "expuest", "filtrad", "fuerte", "fácil", "guardad", "inactiv",
    "insegur", "inválid", "mism", "necesari", "obligatori", "olvidad", "opcional", "perdid", "públic", "requerid", "robad", "segur",
    "temporal", "vacía", "vacío", "vencid", "válid",
    // Italian
    "aggiornat", "attiv", "bloccat", "cambiat", "cifrat", "compromess", "condivis", "conosciut", "corrett", "criptat", "debol",
    "dimenticat", "divers", "errat", "espost", "facoltativ", "inattiv", "insicur", "mancant", "memorizzat", "necessari", "obbligatori",
    "pers", "pubblic", "richiest", "robust", "rubat", "salvat", "sbagliat", "scadut", "sconosciut", "sicur", "temporane", "uguale",
    "valid", "visibil", "vuot",
    // Dutch
    "bekend", "beschikbaar", "fout", "geblokkeerd", "gedeeld", "gehackt", "geldig", "gelekt", "gestolen", "gewijzigd", "hetzelfde",
    "ingeschakeld", "juist", "leeg", "nodig", "onbekend", "ongeldig", "onjuist", "onveilig", "openbaar", "opgeslagen", "optioneel", "tijdelijk", "uitgeschakeld", "uniek",
    "veilig", "veranderd", "vereist", "vergeten", "verkeerd", "verlopen", "verouderd", "verplicht", "versleuteld", "zichtbaar", "zwak",
    // Polish
    "aktualn", "aktywn", "bezpieczn", "błędn", "dostępn", "inn", "konieczn", "nieaktualn", "nieaktywn", "niebezpieczn", "niepoprawn",
    "nieprawidłow", "nieważn", "niewłaściw", "nieznan", "obowiązkow", "opcjonaln", "poprawn", "prawidłow", "prost", "publiczn", "pust", "siln", "silne",
    "skradzion", "słab", "tymczasow", "udostępnion", "ujawnion", "ważn", "widoczn", "wygas", "wymagan", "zablokowan", "zagubion",
    "zahaszowan", "zapisan", "zapomnian", "zaszyfrowan", "zmienion", "złe",
    // Czech and Danish
    "dlouh", "forkert", "gyldig", "krátk", "neplatn", "nesprávn", "platn", "povinn", "prázdn", "příliš", "påkrævet", "správn", "ugyldig", "uložen", "zapomenut",
    "zašifrovan",
    // Portuguese
    "alterad", "armazenad", "ativ", "atualizad", "conhecid", "corret", "criptografad", "errad", "esquecid", "expost", "frac", "inativ",
    "incorret", "mesm", "necessári", "obrigatóri", "roubad", "temporári", "vazad", "vazi", "visível",
    // Other languages
    "compus", "endret", "gerekli", "krävs", "obligatorisk", "zorunlu", "yanlış", "pogrešn", "používan", "uspešn", "успешн", "изменен", "неверн", "недействительн", "одинаков", "отличает",
    // How much it is so: too, wholly, still
    "altfor", "ancora", "assez", "bastante", "complètement", "completament", "demais", "demasiad", "encore", "entirely", "entièrement",
    "immer", "liian", "masih", "muito", "muy", "nadal", "noch", "nog", "otherwise", "prea", "previše", "preveč", "príliš", "slightly",
    "still", "ogólnie", "simply", "terlalu", "too", "totalement", "totally", "totalment", "troppo", "túl", "vollständig", "zbyt", "zcela",
    "слишком",
];

/// What people write where there is none, or nobody knows it.
#[rustfmt::skip]
const NOTHING: &[&str] = &[
    "aucun", "aucune", "brak", "desconhecida", "desconocida", "geen", "inconnu", "keine", "keiner", "keines", "keins", "nenhum", "nenhuma",
    "nessun", "nessuna", "nessuno", "nieznane", "ninguna", "ninguno", "onbekend", "pendente", "pendiente", "sconosciuta", "unbekannt",
];

/// The longest ending, in characters.
const ENDING: usize = 2;

/// Whether a word says how a password or a key is.
pub(in crate::detect) fn is_one(word: &str) -> bool {
    let word = word.to_lowercase();
    let mut endings = STEMS.iter().filter_map(|stem| word.strip_prefix(stem));
    endings
        .any(|ending| ending.chars().count() <= ENDING && ending.chars().all(char::is_alphabetic))
}

/// `JWT-based`, `4-stellig`: whether the last part of a word says how a password or a key is.
pub(in crate::detect) fn ends_with_one(word: &str) -> bool {
    word.rsplit_once('-').is_some_and(|(_, last)| is_one(last))
}

/// Whether a word says that there is no password, or that it is not known.
pub(in crate::detect) fn is_nothing(word: &str) -> bool {
    NOTHING
        .iter()
        .any(|nothing| word.eq_ignore_ascii_case(nothing))
}
