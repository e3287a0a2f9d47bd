//! Values that are no secret: those of other names, and what stands for a secret under its own name.

use super::half::Half;
use super::names::{Name, Takes, capitalised};
use super::random::Random;
use super::secret::{alnum_of, base64_of, from, hex_of, one_of};
use super::spelling::Spelling;
use super::words::Words;

/// What the values of an innocent name are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// One of a list.
    Listed(&'static str),
    Number,
    Host,
    Person,
    Word,
    Url,
    Path,
    Resource,
    Identifier,
    KeyId,
    Uuid,
    Sha,
    Digest,
    Hash,
    Public,
    Integrity,
    CacheKey,
    Date,
    Version,
    Color,
    Fingerprint,
    Label,
}

/// Kinds whose values are one of a list.
#[rustfmt::skip]
const LISTS: &[(&str, &[&str])] = &[
    ("algorithm", &["bcrypt", "argon2id", "argon2", "scrypt", "pbkdf2", "pbkdf2_sha256", "sha256", "sha512", "SHA-256", "HS256", "RS256", "ES256", "HS512",
        "aes-256-gcm", "AES256", "AES/CBC/PKCS5Padding", "scram-sha-256", "md5", "hmac-sha256", "ecdh-sha2-nistp256", "ed25519", "chacha20-poly1305", "rsa-oaep", "utf-8", "curve25519-sha256", "PBEWithMD5AndDES"]),
    ("scheme", &["Bearer", "bearer", "Basic", "JWT", "Token", "token", "ApiKey", "OAuth", "opaque", "MAC", "sk-", "pk_", "Digest", "Negotiate"]),
    ("boolean", &["true", "false", "yes", "no", "on", "off", "0", "1", "True", "False", "enabled", "disabled"]),
    ("field", &["password", "user_password", "passwd", "access_token", "id_token", "csrf_token", "_token", "authenticity_token", "apiKey", "id", "user_id", "created_at", "token", "name", "email", "pwd", "secret", "session_id", "nextToken", "tenant"]),
    ("header", &["X-API-Key", "Authorization", "X-Auth-Token", "X-CSRF-Token", "x-api-key", "Proxy-Authorization", "X-Access-Token", "X-Session-Token", "Api-Key", "X-XSRF-TOKEN"]),
    ("selector", &["#password", "#user_password", "input[name=password]", "input[type='password']", ".password-field", "[data-test=password]", "#login-form .password", "//input[@id='password']", "#kennwort", "form > input.secret"]),
    ("policy", &["strict", "strong", "medium", "at-least-12-characters", "NIST-800-63B", "length(12) and digits(1)", "default-policy", "complex", "none", "high"]),
    ("regex", &[r"^(?=.*[a-z])(?=.*[A-Z])(?=.*\d).{8,}$", r"[A-Za-z0-9_-]{20,}", r"^[a-f0-9]{32}$", r"\bsk-[A-Za-z0-9]{48}\b", r"(?i)password\s*[:=]\s*(\S+)", r"^.{8,64}$", r"[^\s]{12,}", r"ghp_[0-9a-zA-Z]{36}"]),
    ("model", &["gpt-4o-mini", "bert-base-uncased", "llama-3-8b", "cl100k_base", "sentencepiece", "postgres", "mysql", "claude-sonnet", "roberta-large", "InnoDB", "whisper-1", "bpe"]),
    ("class", &["org.postgresql.Driver", "com.mysql.cj.jdbc.Driver", "BertTokenizerFast", "LlamaTokenizer", "rest_framework.authentication.TokenAuthentication", "StandardTokenizer", "Opaque", "com.example.auth.PasswordEncoder", "WhitespaceTokenizer", "SecretManager"]),
    ("special", &["<pad>", "</s>", "<s>", "<unk>", "[SEP]", "[MASK]", "[PAD]", "[CLS]", "<|endoftext|>", "<|im_end|>", "<eos>", "<bos>"]),
    ("product", &["vault", "keychain", "bitwarden", "1password", "lastpass", "aws-secrets-manager", "osxkeychain", "KeePassXC", "postgresql", "pgcrypto", "azure-key-vault", "gcp", "kubernetes", "manager-core", "github", "keycloak", "okta"]),
    ("kindname", &["Opaque", "kubernetes.io/tls", "RSA", "EC", "oct", "password", "service_account", "ssh-rsa", "string", "generic", "kubernetes.io/dockerconfigjson", "SecureString", "public", "symmetric"]),
    ("state", &["active", "enabled", "production", "staging", "development", "expired", "revoked", "running", "pending", "failed", "local", "test", "rotated", "unknown"]),
    ("level", &["info", "debug", "warn", "error", "INFO", "trace", "WARNING"]),
    ("region", &["eu-west-1", "us-east-1", "eu-central-1", "europe-west3", "Europe/Berlin", "UTC", "ap-southeast-2", "America/New_York", "en_US", "de-DE", "pl_PL"]),
    ("mime", &["application/json", "text/html; charset=utf-8", "application/x-www-form-urlencoded", "text/plain", "image/png", "multipart/form-data"]),
    ("background", &["transparent", "linear-gradient(90deg, red, blue)", "url(lock.svg)", "none", "var(--surface)"]),
];

/// Kinds whose values are made.
#[rustfmt::skip]
const MADE: &[(&str, Kind)] = &[
    ("number", Kind::Number), ("host", Kind::Host), ("person", Kind::Person), ("word", Kind::Word), ("url", Kind::Url), ("path", Kind::Path),
    ("resource", Kind::Resource), ("identifier", Kind::Identifier), ("keyid", Kind::KeyId), ("uuid", Kind::Uuid), ("sha", Kind::Sha), ("digest", Kind::Digest),
    ("digest32", Kind::Digest), ("digest16", Kind::Digest), ("hash", Kind::Hash), ("public", Kind::Public), ("integrity", Kind::Integrity),
    ("cachekey", Kind::CacheKey), ("date", Kind::Date), ("version", Kind::Version), ("color", Kind::Color), ("fingerprint", Kind::Fingerprint),
    ("label", Kind::Label),
];

/// What forms show for the secret's name in its translation, or beside its field.
#[rustfmt::skip]
const LABELS: &[&str] = &[
    "Password", "Passwort", "Kennwort", "Mot de passe", "Contraseña", "Hasło", "Senha", "Wachtwoord", "Lösenord", "Heslo", "Пароль", "密码", "パスワード", "비밀번호", "Şifre",
    "Parola", "Adgangskode", "Salasana", "Jelszó", "Mật khẩu", "Geheim", "Geheimnis", "Sekret", "Secreto", "Segreto", "Geheime sleutel", "Clé secrète", "Clave secreta",
    "Enter password", "Enter your password", "Confirm password", "Repeat the password", "Forgot your password?", "Show password", "Hide password", "Your password", "New password",
    "Wrong password", "Invalid token", "Reset password", "Change your password", "Password is required", "Passwords do not match", "The password is too short",
    "Password must be at least 8 characters", "Must contain a number", "Passwort vergessen?", "Passwort eingeben", "Passwort wiederholen", "Neues Passwort", "Falsches Passwort",
    "Mot de passe oublié ?", "Mot de passe incorrect", "¿Olvidaste tu contraseña?", "Contraseña incorrecta", "Introduce tu contraseña", "Zapomniałeś hasła?", "Nieprawidłowe hasło",
    "Wpisz hasło", "Password dimenticata?", "Inserisci la password", "Esqueceu a senha?", "Digite sua senha", "Wachtwoord vergeten?", "Glömt lösenordet?", "Забыли пароль?",
    "Введите пароль", "忘记密码？", "请输入密码", "パスワードを入力してください", "비밀번호를 잊으셨나요?", "Şifremi unuttum", "API key", "API-Schlüssel", "Clé d'API", "Clave de API",
    "Access token", "Zugriffstoken", "Jeton d'accès", "Token de acceso", "Paste your token here", "Name of the secret", "Copy to clipboard", "Leave empty to keep the current one",
    "What was the name of your first pet?", "Token expired", "Sign in", "Se connecter", "Iniciar sesión", "Zaloguj się",
];

/// What sentences say of a secret.
#[rustfmt::skip]
const PREDICATES: &[&str] = &[
    "always", "also", "automatically", "cached", "case-sensitive", "changed", "checked", "cleared", "compared", "compromised", "copied", "correct", "created", "declared",
    "decoded", "deleted", "deprecated", "derived", "different", "directly", "displayed", "encoded", "encrypted", "entered", "equal", "expired", "exposed", "forgotten",
    "generated", "given", "handled", "hashed", "identical", "ignored", "immediately", "implemented", "incorrect", "inherited", "initially", "injected", "invalidated", "kept", "known",
    "leaked", "limited", "loaded", "logged", "long", "lost", "managed", "mandatory", "matched", "missing", "mounted", "needed", "nested", "never", "obtained", "omitted", "only", "outdated",
    "parsed", "passed", "persisted", "printed", "protected", "provided", "read", "really", "recommended", "recorded", "refused", "rejected", "relative", "removed", "replaced", "resolved",
    "retrieved", "returned", "reused", "revoked", "rotated", "safe", "saved", "scoped", "secure", "sent", "shared", "shown", "signed", "similar", "simply", "skipped", "specified", "still",
    "stored", "stripped", "strings", "strong", "supplied", "supported", "then", "transmitted", "trimmed", "typed", "unchanged", "unused", "useless", "usually", "validated", "verified",
    "visible", "weak", "written",
];

/// What stands in place of a secret in examples.
#[rustfmt::skip]
const PLACEHOLDERS: &[&str] = &[
    "<password>", "<your-password>", "<PASSWORD>", "<secret>", "<your password here>", "[password]", "[your-token]", "your-password-here", "your_password", "yourpassword",
    "YOUR_API_KEY", "your-api-key-here", "YOUR_SECRET_HERE", "insert-your-key-here", "replace-me", "REPLACE_ME", "replace_with_your_token", "xxxxxxxx", "xxxx", "XXXXXXXXXXXX", "********", "***",
    "••••••••", "...", "<redacted>", "[REDACTED]", "REDACTED", "(hidden)", "<hidden>", "[FILTERED]", "********redacted********", "TODO", "FIXME", "tbd", "n/a", "none", "null", "nil", "undefined",
    "<none>", "<set>", "(sensitive value)", "<sensitive>", "your_token_here", "my-password-here", "enter-your-password", "{password}", "{your_key}", "%PASSWORD%", "@@PASSWORD@@",
    "__PASSWORD__", "sk-xxxxxxxxxxxxxxxx", "ghp_xxxxxxxxxxxxxxxxxxxx", "example_password_here", "put-your-secret-here", "<insert token>", "xxxxx-xxxxx-xxxxx", "0000000000000000",
];

/// Whether a value under the name of a key is one: who knows.
const AMBIGUOUS: &[&str] = &[
    "changeme",
    "password",
    "secret",
    "test",
    "pass",
    "example",
    "dummy",
    "admin",
    "foo",
    "default",
    "CHANGE_ME",
    "change-me",
    "secretpassword",
    "mypassword",
    "mysecret",
    "user",
];

/// References to what is kept elsewhere; `SNAKE` and the like stand for the name.
#[rustfmt::skip]
const REFERENCES: &[&str] = &[
    "${SNAKE}", "$SNAKE", "${{ secrets.SNAKE }}", "{{ SNAKE }}", "{{ .Values.camel }}", "{{snake}}", "$(SNAKE)", "$(cat /run/secrets/snake)", "`cat snake.txt`", "%SNAKE%", "%(snake)s", "%s", "{snake}", "{}",
    "<%= ENV['SNAKE'] %>", "#{snake}", "${env:SNAKE}", "env:SNAKE", "env(SNAKE)", "${var.snake}", "!vault", "!Ref Pascal", "vault:secret/data/app#snake", "op://vault/app/snake", "file:///run/secrets/snake",
    "/run/secrets/snake", "/etc/app/snake", "arn:aws:secretsmanager:eu-west-1:123456789012:secret:app", "ref+awsssm://app/snake", "${SNAKE:?required}", "@env.SNAKE", "@Microsoft.KeyVault(SecretUri=app)",
    "{{ lookup('env', 'SNAKE') }}", "{{ vault_snake }}", "__SNAKE__", "${project.dotted}", "$ENV{SNAKE}", "$env:SNAKE",
];

/// What code writes instead of a quoted value.
#[rustfmt::skip]
const EXPRESSIONS: &[&str] = &[
    "os.environ[\"SNAKE\"]", "os.getenv(\"SNAKE\")", "process.env.SNAKE", "config.camel", "config[\"snake\"]", "options.camel", "self.snake", "this.camel", "settings.SNAKE", "getPascal()", "get_snake()",
    "await fetchPascal(client)", "request.form['snake']", "req.body.camel", "params[:snake]", "ENV['SNAKE']", "args.snake", "props.camel", "user.camel", "secrets.token_hex(32)", "generatePascal(16)", "null", "None", "nil",
    "undefined", "\"\"", "true", "false", "camel", "snake", "SNAKE", "input.value", "event.target.value", "System.getenv(\"SNAKE\")", "os.Getenv(\"SNAKE\")", "env::var(\"SNAKE\")?", "String::new()", "new String()",
    "random.choice(words)", "crypto.randomBytes(32)", "uuid.uuid4()", "getpass.getpass()", "String", "string", "str", "Optional[str]", "SecretStr", "&str", "useState('')", "document.getElementById('kebab').value", "form.camel.data",
    "data.get('snake')", "decrypt(row.snake)", "base64.b64decode(snake)", "bcrypt.hash(camel, 10)", "Buffer.from(camel)", "cfg.Pascal", "cfg.Auth.Pascal", "viper.GetString(\"snake\")", "flags.camel", "var.snake", "local.snake", "data.vault.snake",
    "await prompt('Words')", "readLine()", "row[2]", "parts[1]", "match[1]", "argv[2]", "$1", "sys.argv[1]", "faker.password()", "len(snake)", "mock.ANY", "lambda: snake", "null!", "Symbol('camel')",
];

/// What stands under the name of a secret and is none.
pub(super) struct Stand {
    pub(super) text: String,
    /// An expression, which stands without the quotes of its form.
    pub(super) expression: bool,
    /// Either verdict is right.
    pub(super) ambiguous: bool,
}

/// What stands for the secret of a name in a place.
pub(super) fn stand(
    random: &mut Random,
    half: Half,
    name: &Name,
    spelling: Spelling,
    code: bool,
) -> Stand {
    if code && random.below(5) < 3 {
        let text = fill_name(one_of(random, EXPRESSIONS, half), name);
        return Stand {
            text,
            expression: true,
            ambiguous: false,
        };
    }
    loop {
        let (text, ambiguous) = match random.below(12) {
            // Of a key or token: a password is that.
            0 if name.takes == Takes::Key => (one_of(random, AMBIGUOUS, half).to_owned(), true),
            1..5 => (fill_name(one_of(random, REFERENCES, half), name), false),
            5..7 if spelling.holds_spaces() && spelling != Spelling::Line => {
                let label = one_of(random, LABELS, half);
                // A single word may be somebody's password.
                (label.to_owned(), !label.contains(' '))
            }
            7 if spelling.holds_spaces() => (fill_name("snake", name), true),
            _ => (one_of(random, PLACEHOLDERS, half).to_owned(), false),
        };
        if spelling.holds_spaces() || !text.contains(' ') {
            return Stand {
                text,
                expression: false,
                ambiguous,
            };
        }
    }
}

/// What marks the place of a secret: a placeholder, or a reference to it.
pub(super) fn mark(random: &mut Random, half: Half, name: &Name) -> String {
    let list = if random.one_in(3) {
        REFERENCES
    } else {
        PLACEHOLDERS
    };
    fill_name(one_of(random, list, half), name)
}

fn fill_name(template: &str, name: &Name) -> String {
    [
        "snake", "SNAKE", "camel", "Pascal", "kebab", "dotted", "Words",
    ]
    .iter()
    .fold(template.to_owned(), |text, style| {
        text.replace(style, &name.styled(style).unwrap_or_default())
    })
}

impl Kind {
    /// The kind that a table of names calls so.
    pub(super) fn named(name: &str) -> Self {
        let listed = LISTS.iter().find(|(list, _)| *list == name);
        let made = MADE.iter().find(|(made, _)| *made == name);
        match (listed, made) {
            (Some((list, _)), _) => Self::Listed(list),
            (None, Some((_, kind))) => *kind,
            (None, None) => panic!("no kind of values is called {name}"),
        }
    }

    /// Whether either verdict about such values is right.
    pub(super) fn is_ambiguous(self) -> bool {
        matches!(self, Self::Hash | Self::KeyId)
    }

    /// A value of this kind.
    pub(super) fn draw(self, random: &mut Random, half: Half) -> String {
        let words = Words::get(half);
        let word = |random: &mut Random| random.pick(&words.english);
        match self {
            Self::Listed(list) => {
                let values = LISTS.iter().find(|(name, _)| *name == list);
                values.map_or_else(String::new, |(_, values)| {
                    one_of(random, values, half).to_owned()
                })
            }
            Self::Number => {
                let most = random.pick(&[10, 100, 5_000, 100_000]);
                random.below(most).to_string()
            }
            Self::Host => format!("{}{}.example.org", word(random), random.between(1, 9)),
            Self::Person => random.pick(&words.people).to_owned(),
            Self::Word => word(random).to_owned(),
            Self::Url => format!(
                "https://{}.example.org/{}/{}",
                word(random),
                word(random),
                word(random)
            ),
            Self::Path => {
                let folder = random.pick(&[
                    "/etc/",
                    "/var/lib/",
                    "~/.",
                    "config/",
                    "./",
                    "/home/app/",
                    "C:/app/",
                ]);
                let file = random.pick(&[
                    "key.pem",
                    "secrets.yml",
                    "token",
                    "credentials.json",
                    "passwd",
                    "id_rsa",
                    "keystore.jks",
                    "app.log",
                ]);
                format!("{folder}{}/{file}", word(random))
            }
            Self::Resource => {
                let end = random.pick(&["secret", "credentials", "tls", "token", "keys", "auth"]);
                format!("{}-{}-{end}", word(random), word(random))
            }
            Self::Identifier => match random.below(3) {
                0 => format!("{}-{}", word(random), random.between(1, 999)),
                1 => hex_of(random, 8),
                _ => format!("{}_{}", word(random), random.between(1, 99)),
            },
            Self::KeyId => format!(
                "AKIA{}",
                from(random, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16)
            ),
            Self::Uuid => super::secret::uuid(random, words, half),
            Self::Sha => hex_of(random, 40),
            Self::Digest => hex_of(random, 64),
            Self::Hash => format!("$2b$12${}", alnum_of(random, 53)),
            Self::Public => format!(
                "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA{}",
                base64_of(random, 44)
            ),
            Self::Integrity => format!("sha512-{}==", base64_of(random, 86)),
            Self::CacheKey => format!(
                "{}:{}:{}",
                word(random),
                word(random),
                random.between(1, 999)
            ),
            Self::Date => format!(
                "20{}-{:02}-{:02}T{:02}:{:02}:00Z",
                random.between(15, 29),
                random.between(1, 12),
                random.between(1, 28),
                random.below(24),
                random.below(60)
            ),
            Self::Version => format!(
                "{}.{}.{}",
                random.between(0, 20),
                random.between(0, 40),
                random.between(0, 20)
            ),
            Self::Color => format!("#{}", hex_of(random, 6)),
            Self::Fingerprint => format!("SHA256:{}", base64_of(random, 43)),
            Self::Label => match random.below(3) {
                0 => format!(
                    "{} {} {}",
                    capitalised(word(random)),
                    word(random),
                    word(random)
                ),
                _ => one_of(random, LABELS, half).to_owned(),
            },
        }
    }
}

/// What a hole other than a name's or a value's is filled with; `None` for one that nobody knows.
pub(super) fn hole(name: &str, random: &mut Random, half: Half) -> Option<String> {
    let words = Words::get(half);
    Some(match name {
        "user" => match random.below(4) {
            0 => one_of(
                random,
                &[
                    "app",
                    "admin",
                    "root",
                    "deploy",
                    "postgres",
                    "service",
                    "backup",
                    "reporting",
                    "sa",
                    "svc_app",
                ],
                half,
            )
            .to_owned(),
            _ => random.pick(&words.people).to_owned(),
        },
        "host" => Kind::Host.draw(random, half),
        "port" => random.between(1024, 9999).to_string(),
        "word" => Kind::Word.draw(random, half),
        "Word" => capitalised(random.pick(&words.english)),
        "label" => one_of(random, LABELS, half).to_owned(),
        "number" => random.between(10, 9999).to_string(),
        "digit" => random.between(1, 9).to_string(),
        "date" => format!(
            "202{}-0{}-1{}",
            random.below(7),
            random.between(1, 9),
            random.below(10)
        ),
        "version" => Kind::Version.draw(random, half),
        "build" => format!(
            "{}.{}.{}.{}",
            random.between(1, 140),
            random.below(10),
            random.between(1000, 9999),
            random.below(300)
        ),
        "notluhn" => super::personal::not_luhn(random),
        "uuid" => Kind::Uuid.draw(random, half),
        "predicate" => one_of(random, PREDICATES, half).to_owned(),
        "hex6" => hex_of(random, 6),
        "hex8" => hex_of(random, 8),
        "hex32" => hex_of(random, 32),
        "hex40" => hex_of(random, 40),
        "hex64" => hex_of(random, 64),
        "base64" => base64_of(random, 86) + "==",
        "base64short" => base64_of(random, 43),
        "alnum14" => alnum_of(random, 14),
        "alnum24" => alnum_of(random, 24),
        _ => return None,
    })
}
