//! The words that names consist of, and what they say about the value.

use crate::detect::bytes::{self, Places};

/// Roles of a word, as bits.
pub(in crate::detect) type Roles = u16;

/// As the last word: this holds something about a secret, not the secret.
pub(in crate::detect) const TAIL: Roles = 1;
/// Anywhere: a key or token that is public or technical.
pub(in crate::detect) const PART: Roles = 1 << 1;
/// Makes more of a key: `api key`.
pub(in crate::detect) const QUALIFIER: Roles = 1 << 2;
/// As the last word: has no meaning, the word before it counts.
pub(in crate::detect) const SKIPPED: Roles = 1 << 3;
pub(in crate::detect) const PASSWORD: Roles = 1 << 4;
pub(in crate::detect) const SECRET: Roles = 1 << 5;
pub(in crate::detect) const MEDIUM: Roles = 1 << 6;
pub(in crate::detect) const WEAK: Roles = 1 << 7;
/// Directly before `key`: the key is public, or only an identifier.
pub(in crate::detect) const NOT_KEY: Roles = 1 << 8;
/// Directly before `token`: the token only marks a place in a list or a stream.
pub(in crate::detect) const NOT_TOKEN: Roles = 1 << 9;
/// As the last word after that of a password or secret: may be the secret or something about it.
pub(in crate::detect) const LOOSE: Roles = 1 << 10;

#[rustfmt::skip]
static WORDS: &[(&str, Roles)] = &[
    ("a", SKIPPED), ("access", QUALIFIER | WEAK), ("accesskey", MEDIUM), ("accessor", TAIL),
    ("accessy", WEAK), ("account", QUALIFIER), ("accountkey", MEDIUM), ("addr", TAIL),
    ("address", TAIL), ("addresses", TAIL), ("adgangskode", PASSWORD), ("adgangskoden", PASSWORD), ("admin", QUALIFIER),
    ("aes", QUALIFIER), ("again", SKIPPED), ("age", TAIL), ("aktivierungscode", PASSWORD), ("alg", TAIL), ("algo", TAIL),
    ("algorithm", TAIL), ("api", QUALIFIER), ("apikey", MEDIUM), ("app", QUALIFIER),
    ("application", QUALIFIER), ("apt", NOT_KEY), ("arg", TAIL | LOOSE), ("args", TAIL | LOOSE), ("arn", TAIL), ("assword", PASSWORD), ("at", TAIL), ("attempts", TAIL),
    ("audience", TAIL), ("auth", QUALIFIER | MEDIUM), ("authcode", MEDIUM),
    ("authentication", MEDIUM), ("authenticity", PART), ("authkey", MEDIUM), ("author", PART),
    ("authority", PART), ("authorization", MEDIUM), ("authors", PART), ("b", SKIPPED),
    ("b64", SKIPPED), ("backend", TAIL), ("base", SKIPPED), ("binding", TAIL), ("bindpw", PASSWORD), ("bindings", TAIL),
    ("bits", TAIL), ("board", TAIL), ("box", TAIL), ("button", TAIL), ("bytes", TAIL),
    ("cache", PART | NOT_KEY), ("callback", TAIL), ("cb", TAIL), ("cdnskey", PART), ("cell", TAIL), ("change", TAIL),
    ("changed", TAIL), ("checksum", TAIL | PART), ("cipher", QUALIFIER), ("class", TAIL),
    ("clave", PASSWORD), ("chave", WEAK | QUALIFIER), ("chiave", WEAK | QUALIFIER), ("client", QUALIFIER), ("code", TAIL), ("codes", TAIL), ("column", TAIL),
    ("composite", PART), ("config", TAIL | LOOSE), ("confirm", SKIPPED), ("confirmation", SKIPPED),
    ("consumer", QUALIFIER), ("continuation", NOT_TOKEN), ("continue", NOT_TOKEN),
    ("contrasena", PASSWORD), ("contrasenya", PASSWORD), ("cookie", WEAK), ("count", TAIL), ("counts", TAIL), ("cred", MEDIUM),
    ("credential", MEDIUM), ("credentials", MEDIUM), ("creds", MEDIUM), ("crt", TAIL),
    ("crypt", QUALIFIER), ("crypto", QUALIFIER), ("csrf", PART), ("css", TAIL),
    ("cursor", NOT_TOKEN), ("data", TAIL | LOOSE), ("date", TAIL), ("dbpass", PASSWORD),
    ("dedup", NOT_KEY | NOT_TOKEN), ("dedupe", NOT_KEY), ("deduplication", NOT_KEY | NOT_TOKEN),
    ("deploy", QUALIFIER), ("derivation", TAIL), ("desc", TAIL), ("description", TAIL),
    ("dev", SKIPPED), ("digest", TAIL), ("digicode", PASSWORD), ("dir", TAIL), ("disabled", TAIL), ("dnskey", PART), ("domain", TAIL),
    ("down", TAIL), ("dsn", WEAK), ("email", TAIL), ("enabled", TAIL), ("enc", SKIPPED),
    ("encoder", TAIL), ("encoding", TAIL), ("encrypt", QUALIFIER), ("encrypted", SKIPPED),
    ("encryption", QUALIFIER), ("end", TAIL), ("endpoint", TAIL), ("enum", TAIL), ("equals", SKIPPED), ("error", TAIL),
    ("errors", TAIL), ("etag", PART), ("event", TAIL), ("exception", TAIL), ("exists", TAIL),
    ("expiration", TAIL), ("expired", TAIL), ("expires", TAIL), ("expiry", TAIL), ("factory", TAIL),
    ("field", TAIL), ("fields", TAIL), ("file", TAIL), ("filename", TAIL), ("files", TAIL),
    ("fingerprint", TAIL), ("flag", TAIL), ("foreign", PART | NOT_KEY), ("forgot", TAIL),
    ("form", TAIL), ("format", TAIL), ("frame", TAIL), ("frames", TAIL), ("freischaltcode", PASSWORD), ("func", TAIL),
    ("function", TAIL), ("geheim", SECRET), ("geheimnis", SECRET), ("generator", TAIL), ("go", TAIL), ("geslo", PASSWORD), ("gpg", NOT_KEY), ("handler", TAIL),
    ("handlers", TAIL), ("hash", TAIL), ("hasher", TAIL), ("hashers", TAIL), ("hashing", TAIL), ("haslo", PASSWORD),
    ("header", TAIL), ("headers", TAIL), ("help", TAIL), ("heslo", PASSWORD), ("hint", TAIL),
    ("hkey", PART), ("hmac", QUALIFIER | MEDIUM), ("hockey", PART), ("host", TAIL), ("hot", PART),
    ("html", TAIL), ("i18n", PART), ("icon", TAIL), ("id", TAIL),
    ("idempotency", NOT_KEY | NOT_TOKEN), ("identified", PASSWORD), ("ids", TAIL), ("idx", TAIL),
    ("index", TAIL), ("info", TAIL), ("injection", PART), ("input", TAIL | NOT_TOKEN), ("instrumentation", PART),
    ("integrity", PART), ("invalid", TAIL), ("issuer", TAIL), ("iterator", TAIL), ("java", TAIL),
    ("jelszava", PASSWORD), ("jelszo", PASSWORD), ("js", TAIL), ("json", TAIL), ("kennwort", PASSWORD), ("khau", PASSWORD), ("klucz", MEDIUM), ("kodeord", PASSWORD), ("kodeordet", PASSWORD), ("key", WEAK),
    ("keyboard", PART), ("keyframe", PART), ("keypad", PART), ("keypass", PASSWORD), ("keys", WEAK),
    ("keyword", PART), ("keywords", PART), ("kind", TAIL), ("label", TAIL), ("labels", TAIL),
    ("len", TAIL), ("length", TAIL), ("level", TAIL), ("levels", TAIL), ("licence", QUALIFIER),
    ("license", QUALIFIER), ("limit", TAIL), ("limits", TAIL), ("link", TAIL), ("list", TAIL),
    ("live", SKIPPED), ("loader", TAIL), ("location", TAIL), ("lock", TAIL), ("login", WEAK), ("losenord", PASSWORD), ("lozinka", PASSWORD),
    ("manager", TAIL), ("map", TAIL), ("master", QUALIFIER), ("masterauth", PASSWORD),
    ("max", TAIL | PART), ("md", TAIL), ("mdp", PASSWORD), ("motdepasse", PASSWORD), ("message", TAIL | NOT_KEY),
    ("messages", TAIL), ("method", TAIL), ("methods", TAIL), ("mgr", TAIL), ("middleware", TAIL),
    ("min", TAIL | PART), ("mode", TAIL), ("model", TAIL), ("models", TAIL), ("monkey", PART),
    ("msg", TAIL), ("name", TAIL), ("names", TAIL), ("new", SKIPPED), ("next", NOT_TOKEN),
    ("node", TAIL), ("num", TAIL), ("number", TAIL), ("oauth", WEAK), ("object", PART | NOT_KEY),
    ("offset", TAIL), ("old", SKIPPED), ("only", TAIL), ("options", TAIL | LOOSE), ("opts", TAIL | LOOSE),
    ("org", TAIL), ("organization", TAIL), ("output", NOT_TOKEN), ("page", TAIL | NOT_TOKEN), ("pagination", NOT_TOKEN),
    ("pairs", TAIL), ("parola", PASSWORD), ("parole", PASSWORD), ("parool", PASSWORD), ("parser", TAIL), ("partition", PART | NOT_KEY),
    ("pasahitz", PASSWORD), ("pasahitza", PASSWORD),
    ("pass", PASSWORD), ("passcode", PASSWORD), ("passe", PASSWORD), ("passkey", MEDIUM), ("passord", PASSWORD), ("passordet", PASSWORD),
    ("passphrase", PASSWORD), ("passw", PASSWORD), ("passwd", PASSWORD), ("password", PASSWORD),
    ("passwordnya", PASSWORD), ("passwords", PASSWORD), ("passwort", PASSWORD), ("passwrd", PASSWORD), ("pat", WEAK),
    ("path", TAIL), ("paths", TAIL), ("pattern", TAIL), ("pem", TAIL), ("pepper", MEDIUM), ("pgp", NOT_KEY),
    ("pk", WEAK), ("placeholder", TAIL), ("plain", SKIPPED), ("plaintext", SKIPPED),
    ("point", TAIL), ("points", TAIL), ("policy", TAIL), ("port", TAIL), ("pos", TAIL),
    ("position", TAIL), ("prefix", TAIL), ("preshared", QUALIFIER), ("press", TAIL), ("prev", NOT_TOKEN), ("primary", PART),
    ("private", QUALIFIER | WEAK), ("privatekey", MEDIUM), ("prod", SKIPPED), ("provider", TAIL),
    ("providers", TAIL), ("psw", PASSWORD), ("pswd", PASSWORD), ("pub", PART | NOT_KEY),
    ("pubkey", PART), ("pubkeys", PART), ("public", PART | NOT_KEY),
    ("publishable", PART | NOT_KEY), ("pw", PASSWORD), ("pwd", PASSWORD), ("py", TAIL),
    ("reader", TAIL), ("realm", TAIL), ("recv", NOT_KEY), ("ref", TAIL), ("reference", TAIL),
    ("regex", TAIL), ("regexp", TAIL), ("repeat", SKIPPED), ("request", TAIL), ("required", TAIL),
    ("requirepass", PASSWORD), ("reset", TAIL), ("resolver", TAIL), ("response", TAIL),
    ("result", NOT_KEY), ("resume", NOT_TOKEN), ("retries", TAIL), ("ring", TAIL), ("root", QUALIFIER),
    ("rootpw", PASSWORD), ("rotation", TAIL), ("row", TAIL), ("rs", TAIL), ("rule", TAIL),
    ("rules", TAIL), ("salasana", PASSWORD), ("salt", MEDIUM), ("sandi", PASSWORD), ("sas", MEDIUM),
    ("schema", TAIL), ("scope", TAIL), ("scopes", TAIL), ("score", TAIL),
    ("secret", QUALIFIER | SECRET), ("secreto", SECRET), ("secrets", SECRET), ("seed", WEAK),
    ("segredo", SECRET), ("secreta", SECRET), ("segreta", SECRET), ("segreto", SECRET), ("selector", TAIL), ("send", NOT_KEY), ("senha", PASSWORD),
    ("server", QUALIFIER), ("service", TAIL | QUALIFIER), ("sessid", WEAK),
    ("session", QUALIFIER | WEAK), ("sessionid", WEAK), ("set", TAIL), ("settings", TAIL),
    ("shard", NOT_KEY), ("shared", QUALIFIER), ("shortcut", PART), ("sifre", PASSWORD),
    ("sig", MEDIUM), ("signature", WEAK), ("signing", QUALIFIER), ("site", NOT_KEY), ("size", TAIL),
    ("sort", PART | NOT_KEY), ("source", TAIL), ("space", TAIL), ("spaces", TAIL),
    ("ssh", QUALIFIER), ("staging", SKIPPED), ("start", TAIL), ("starting", NOT_TOKEN),
    ("state", TAIL), ("status", TAIL), ("storage", TAIL | QUALIFIER), ("store", TAIL),
    ("storepass", PASSWORD), ("stream", TAIL | QUALIFIER), ("strength", TAIL), ("string", SKIPPED),
    ("stroke", TAIL), ("subscription", QUALIFIER), ("suffix", TAIL), ("sync", NOT_TOKEN),
    ("table", TAIL), ("tag", TAIL | NOT_KEY), ("test", SKIPPED), ("text", TAIL | LOOSE), ("time", TAIL),
    ("timeout", TAIL), ("title", TAIL), ("token", MEDIUM), ("tokenize", PART), ("tokenizer", PART),
    ("tokens", PART), ("tokeny", WEAK), ("total", PART), ("translation", PART), ("tree", TAIL),
    ("ts", TAIL), ("ttl", TAIL), ("turkey", PART), ("txt", TAIL | LOOSE), ("type", TAIL), ("types", TAIL),
    ("unique", PART), ("up", TAIL), ("update", TAIL), ("uri", TAIL), ("url", TAIL), ("urls", TAIL),
    ("usage", TAIL), ("user", TAIL), ("username", TAIL), ("userpass", PASSWORD), ("v", SKIPPED),
    ("valid", TAIL), ("validation", TAIL), ("validator", TAIL), ("validators", TAIL),
    ("value", SKIPPED), ("var", TAIL | LOOSE), ("variable", TAIL | LOOSE), ("vars", TAIL | LOOSE), ("vault", TAIL),
    ("verification", NOT_KEY), ("verify", NOT_KEY), ("verifying", NOT_KEY), ("version", TAIL),
    ("view", TAIL), ("views", TAIL), ("wachtwoord", PASSWORD), ("webhook", WEAK), ("widget", PART),
    ("word", TAIL), ("words", TAIL), ("write", QUALIFIER), ("writer", TAIL), ("x", SKIPPED),
    ("xsrf", PART), ("zaporka", PASSWORD), ("zugangscode", PASSWORD), ("y", SKIPPED), ("yaml", TAIL), ("yml", TAIL),
    ("код", SKIPPED), ("КОД", SKIPPED),
];

/// Endings that carry their role into a longer word: `dbpassword`, `apitoken`.
const ENDINGS: &[(&str, Roles)] = &[
    ("password", PASSWORD),
    ("passwd", PASSWORD),
    ("pwd", PASSWORD),
    ("passphrase", PASSWORD),
    ("passwort", PASSWORD),
    ("secret", SECRET),
    ("secretkey", SECRET),
    ("token", MEDIUM),
    ("apikey", MEDIUM),
    ("accesskey", MEDIUM),
    ("authkey", MEDIUM),
    ("privatekey", MEDIUM),
    ("accountkey", MEDIUM),
    ("key", WEAK),
    ("access", WEAK),
    ("sessionid", WEAK),
    ("sessid", WEAK),
];

/// Stems of words for a password in scripts and spellings outside ASCII.
const FOREIGN: &[&str] = &[
    "hasł",
    "codice",
    "código",
    "codigo",
    "contrase",
    "парол",
    "密码",
    "密碼",
    "口令",
    "パスワード",
    "비밀번호",
    "lösenord",
    "şifre",
    "jelszó",
    "khẩu",
    "รหัสผ่าน",
    "סיסמה",
    "κωδικ",
    "पासवर्ड",
    "лозинк",
    "parolă",
    "暗証番号",
    "비번",
    "عبور",
    "گذرواژه",
    "পাসওয়ার্ড",
    "பாஸ்வேர்ட்",
    "ססמה",
    "סיסמא",
    "暗号",
    "slaptažodis",
    "المرور",
    "السر",
    "секрет",
    "秘密",
    "シークレット",
    // What forms say of the field: required, to be confirmed.
    "pflichtfeld",
    "erforderlich",
    "bestätig",
    "obligatori",
    "obligatoire",
    "obrigatóri",
    "obbligatori",
    "requerid",
    "verplicht",
    "wymagan",
];

/// Stems of words for a key or token there.
const FOREIGN_KEYS: &[&str] = &[
    "schlüssel",
    "clé",
    "ключ",
    "密钥",
    "密鑰",
    "访问令牌",
    "アクセストークン",
    "秘密鍵",
];

/// Whether a word only says in some language that a password or secret belongs here, as a form does.
pub(in crate::detect) fn is_label(word: &str) -> bool {
    let word = word.trim_end_matches([':', '*', '?', '.', '…']);
    if word.is_ascii() {
        return is_ascii_label(word.as_bytes());
    }
    if !word.chars().all(char::is_alphabetic) || word.chars().count() > LONGEST_LABEL {
        return false;
    }
    let lower = word.to_lowercase();
    match known(lower.as_bytes()) {
        Some(roles) => roles & (PASSWORD | SECRET) != 0,
        None => FOREIGN.iter().any(|stem| lower.contains(stem)),
    }
}

/// Longest label of one word, in characters.
const LONGEST_LABEL: usize = 16;

fn is_ascii_label(word: &[u8]) -> bool {
    static STEMS: bytes::WordInitials = bytes::WordInitials::of(FOREIGN);
    if word.len() > LONGEST_LABEL || !word.iter().all(u8::is_ascii_alphabetic) {
        return false;
    }
    match known(bytes::lowered(word, &mut [0; LONGEST_LABEL])) {
        Some(roles) => roles & (PASSWORD | SECRET) != 0,
        None => STEMS.stand_in(word, |_| true),
    }
}

/// The roles of a word in lower case.
pub(in crate::detect) fn roles(word: &[u8]) -> Roles {
    if let Some(roles) = known(word) {
        return roles;
    }
    if !word.is_ascii() {
        let word = str::from_utf8(word).unwrap_or_default().to_lowercase();
        let holds = |stems: &[&str]| stems.iter().any(|stem| word.contains(stem));
        return if holds(FOREIGN) {
            PASSWORD
        } else if holds(FOREIGN_KEYS) {
            MEDIUM
        } else {
            0
        };
    }
    if word.starts_with(b"password") && word.len() < 11 {
        return PASSWORD;
    }
    // Hardly any other word ends with two letters that one of these endings has.
    let last = word.last_chunk().copied().unwrap_or_default();
    if !matches!(
        &last,
        b"ey" | b"et" | b"en" | b"rd" | b"wd" | b"ss" | b"se" | b"rt" | b"id"
    ) {
        return 0;
    }
    let strongest = ENDINGS
        .iter()
        .find(|(ending, _)| word.ends_with(ending.as_bytes()));
    strongest.map_or(0, |(_, roles)| *roles)
}

/// Whether a lower-case word is common in names.
pub(in crate::detect) fn is_known(word: &[u8]) -> bool {
    known(word).is_some()
}

/// The roles of a word of the list.
fn known(word: &[u8]) -> Option<Roles> {
    let is = |index: usize| {
        let known = WORDS.get(index);
        known.is_some_and(|(known, _)| known.as_bytes() == word)
    };
    let index = PLACES.find(word, is)?;
    WORDS.get(index).map(|(_, roles)| *roles)
}

static PLACES: Places<1024> = {
    let mut places = Places::none();
    let mut index = 0;
    while (index as usize) < WORDS.len() {
        places = places.with(WORDS[index as usize].0.as_bytes(), index);
        index += 1;
    }
    places
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_ending_gives_a_word_its_roles() {
        for (ending, roles) in ENDINGS {
            assert_eq!(
                super::roles(format!("db{ending}").as_bytes()),
                *roles,
                "{ending}"
            );
        }
    }

    #[test]
    fn every_listed_word_has_its_roles() {
        for (word, roles) in WORDS {
            assert_eq!(known(word.as_bytes()), Some(*roles), "{word}");
        }
    }
}
