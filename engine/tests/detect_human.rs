//! Secrets as people write them: weak tokens, passwords in sentences of several languages, phrases of words. Each
//! beside what looks like it and is none.

#[path = "support/marked.rs"]
mod marked;

use marked::check;

#[test]
fn weak_tokens_where_they_are_assigned() {
    check(&[
        "Use api_key=⟦topsecret99⟧ to log in",
        "TOKEN=⟦hunter2-Kx9⟧\n",
        "{\"api_key\":\"⟦abc123⟧\"}",
        "{\"access_token\": \"⟦swordfish42⟧\"}",
        "The API key is ⟦topsecret99⟧.",
        "grafana_token=⟦ginger85-jUsn⟧\n",
        "LDAP_BIND_CREDENTIAL=⟦PVUjlybE#ZMrA⟧\n",
        "my secret=⟦hunter2⟧ works, (client_secret=⟦sup3rs3cret⟧)",
        "my password: ⟦S3cretPassw0rd⟧, user: bob",
        "password: ⟦correct-horse-battery-staple⟧\npassword=⟦correct-horse-battery-staple⟧ and more\n",
        "the password is ⟦correct-horse-battery-staple⟧.",
        // Words, names of others, and pieces of a text.
        "secret: blue-ocean-tiger-prod\npassword: the-name-of-the-secret\n",
        "{\"token\": \"covid19\"}, {\"token\": \"abc123\"}",
        "api_key=value42, access_token=token12, auth_token: user10\n",
        "access_token = config.tokens[12]\napi_key: sha256\n",
        "{\"api_key\": \"required\", \"token_type\": \"oauth20\"}",
        "f(api_key=api_key_v22)\nlet api_key = next_key(10);\n",
    ]);
}

#[test]
fn passwords_with_a_dot_between_words() {
    check(&[
        "DB_PASSWORD=⟦canyon.velvet14⟧\n",
        "db:\n  password: ⟦harbor.lantern73⟧\n",
        "{\"password\":\"⟦biscuit.cobalt26⟧\"}",
        "connect user=svc password=⟦meadow.meadow66⟧ host=x",
        "password = \"⟦maple.otter78⟧\"\n",
        "password = config.value12\npassword: form.password12\n",
        "{\"password\": \"utils.sha256\"}, {\"password\": \"users.passwords\"}",
    ]);
}

#[test]
fn passwords_in_sentences_of_several_languages() {
    check(&[
        "Le mot de passe de redis est ⟦maple_pickle14⟧, merci.",
        "La contraseña de mongo es ⟦walrus99⟧ y el usuario es svc.",
        "La password di ftp è ⟦EudyK6mc⟧",
        "A senha do grafana é ⟦ginger_meadow27⟧, não compartilhe.",
        "Hasło do vpn: ⟦cobalt_walrus25⟧",
        "Het wachtwoord voor smtp is ⟦willow_thunder76⟧.",
        "Das Passwort für ldap lautet ⟦harbor_lantern80⟧.",
        "I reset your password to ⟦crimson.willow98⟧ today.",
        "Use this API key for grafana: ⟦nJ-LbG9dY1AakO78O-YcrUM-DiNL9Z2N⟧",
        "@bob creds: user `svc` pw `⟦Saffron5683⟧`",
        "Credentials: admin / ⟦Coffee@2020⟧\nLogin: root / ⟦rocket5777⟧\n",
        "The password for the release is not version 2.4.1.",
        "Das Passwort muss mindestens 8 Zeichen lang sein.",
        "The password for users is set in Settings on page 12.",
        "login: 10 / 12345678 per day",
    ]);
}

#[test]
fn seed_phrases_of_wallets() {
    check(&[
        "MNEMONIC=\"⟦tiger river purple monkey sunset dragon winter coffee rocket garden silver falcon⟧\"\n",
        "{\"seed_phrase\": \"⟦abandon ability able about above absent absorb abstract absurd abuse access zoo⟧\"}",
        "seed phrase: ⟦tiger river purple monkey sunset dragon winter coffee rocket garden silver falcon⟧\n",
        "My recovery phrase is ⟦tiger river purple monkey sunset dragon winter coffee rocket garden silver falcon⟧.",
        "The mnemonic tiger river purple monkey sunset dragon winter coffee rocket garden silver falcon",
        "mnemonic: the name that the assembler knows and that stands first before all others",
        "seed_phrase = generate words with entropy\n",
    ]);
}
