//! Files and outputs as a coding agent sends them: all sensitive values are found, and nothing
//! else.

use crate::support::work;

use std::time::Duration;

use engine::{Detectors, detect};

fn found(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    Detectors::built_in().detect(text, None, &mut found);
    detect::merge(found)
        .into_iter()
        .map(|detection| {
            let value = text[detection.start..detection.end].to_owned();
            (detection.entity.as_str().to_owned(), value)
        })
        .collect()
}

#[track_caller]
fn check(text: &str, expected: &[(&str, &str)]) {
    let found = found(text);
    let found: Vec<_> = found
        .iter()
        .map(|(entity, value)| (entity.as_str(), value.as_str()))
        .collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn an_env_file() {
    check(
        "# local settings\n\
         APP_ENV=production\n\
         PORT=8080\n\
         LOG_LEVEL=debug\n\
         BASE_URL=https://app.example.com/api\n\
         SESSION_SECRET=\n\
         DB_PASSWORD=s3cr3t-Pa55\n\
         SMTP_PASSWORD=\"m4il&p#77!\"\n\
         JWT_SECRET=Zm9vYmFyYmF6cXV4MTIzNDU2\n\
         BACKUP_SECRET_ACCESS_KEY=wJalrXUtnFEMIK7MDENGbPxRfiCYzQ81mKp0\n\
         DATABASE_URL=postgres://app:7HB4jfejsD4yEs@db.internal:5432/app\n\
         REDIS_URL=redis://:pw7x@cache:6379/0\n\
         GITHUB_TOKEN=ghp_16C7e42F292c6912E7710c838347Ae178B4a\n\
         X_KEY=q7RkT2vLw9ZxB4nM6pYs8DfG\n",
        &[
            ("SECRET", "s3cr3t-Pa55"),
            ("SECRET", "m4il&p#77!"),
            ("SECRET", "Zm9vYmFyYmF6cXV4MTIzNDU2"),
            ("SECRET", "wJalrXUtnFEMIK7MDENGbPxRfiCYzQ81mKp0"),
            ("URL_CREDENTIAL", "7HB4jfejsD4yEs"),
            ("URL_CREDENTIAL", "pw7x"),
            ("API_KEY", "ghp_16C7e42F292c6912E7710c838347Ae178B4a"),
            ("SECRET", "q7RkT2vLw9ZxB4nM6pYs8DfG"),
        ],
    );
}

#[test]
fn git_output() {
    check(
        "origin\tgit@github.com:org/repo.git (fetch)\n\
         mirror\thttps://oauth2:glpat-8w7oMwSvvPSRDDgjqn5w@git.example.com/org/repo.git (push)\n\
         commit 73577d326106913c48ff32d5f8c7859e9051bd80\n\
         Date:   2026-09-27 11:04:55 +0200\n\
         4f3c9b1e8d7a6f5e4d3c2b1a09f8e7d6c5b4a392 2026-09-27 bump to 1.4.2\n\
         @@ -1,3 +1,4 @@\n\
         +20260927,15912,4.25\n",
        &[("API_KEY", "glpat-8w7oMwSvvPSRDDgjqn5w")],
    );
}

#[test]
fn log_lines() {
    check(
        "2026-09-27T09:49:08.123+08:00 INFO request_id=3c4e0d90-f9b5-4016-93ba-f60924e1601d port=5432 took 1790517229401\n\
         {\"level\":\"info\",\"ts\":1790517229401,\"card_last4\": \"4242\", \"amount\": \"1,234.50\"}\n\
         DEBUG headers={'Authorization': 'Bearer 7f3a9c2e5b8d4f6a1c0e', 'X-Trace': 'a81'}\n",
        &[("AUTH_TOKEN", "7f3a9c2e5b8d4f6a1c0e")],
    );
}

#[test]
fn a_kubernetes_secret() {
    check(
        "apiVersion: v1\n\
         kind: Secret\n\
         metadata:\n  name: db\n  uid: 3f2504e0-4f89-11d3-9a0c-0305e82c3301\n\
         data:\n  DB_PASSWORD: czNjcjN0LVBhNTUtbG9uZw==\n",
        &[("SECRET", "czNjcjN0LVBhNTUtbG9uZw==")],
    );
}

#[test]
fn a_ci_script() {
    check(
        "mysql --user=root --password=x7Kq2 shop\n\
         CI_JOB_TOKEN=[MASKED]\n\
         curl -H \"Authorization: token ghp_16C7e42F292c6912E7710c838347Ae178B4a\" https://api.example.com\n\
         curl -d '{\"api_key\": \"r24nS4OIPrymMuQPkkVSdgVx04zm\"}' https://api.example.com\n",
        &[
            ("SECRET", "x7Kq2"),
            ("API_KEY", "ghp_16C7e42F292c6912E7710c838347Ae178B4a"),
            ("SECRET", "r24nS4OIPrymMuQPkkVSdgVx04zm"),
        ],
    );
}

#[test]
fn rows_and_markup() {
    check(
        "id,email,phone,ssn,card\n\
         7,ann@example.org,555-010-9981,536-22-1234,4111111111111111\n\
         <svg viewBox=\"0 0 512 512\" width=\"1024\" height=\"768\"></svg>\n\
         <a href=\"tel:+6281234567890\">call</a>\n",
        &[
            ("EMAIL", "ann@example.org"),
            ("PHONE", "555-010-9981"),
            ("SSN", "536-22-1234"),
            ("CREDIT_CARD", "4111111111111111"),
            ("PHONE", "+6281234567890"),
        ],
    );
}

#[test]
fn source_code_without_secrets() {
    check(
        r#"
MAX_TOKENS = 4096
TOKEN_URL = "https://auth.example.com/oauth/token"
SECRET_FILE = "/run/secrets/db"
KEY_PATH = "keys/main.pem"
AUTH_HEADER = "X-Api-Key"
TOKEN_TYPE = "bearer"
KEY_LENGTH = 32
TOKEN_PATTERN = "[a-z]+"
cache_key = "user_profile_page"
sort_key = "created_at"

class Client:
    """A client.

    api_key: When set, the key that is sent with each request.
    """

    token: str = ""

    def __init__(self, token, api_key=None):
        self._token = token
        self.api_key = api_key or os.environ["SERVICE_API_KEY"]

    def login(self, password):
        response = self.post(TOKEN_URL, password=password, api_key=api_key)
        return response.json()["access_token"]
"#,
        &[],
    );
}

/// Each was read as the header of a table, or as a name above its value.
#[test]
fn continued_code_lines_are_not_table_headers() {
    for code in [
        "export type WarningCode =\n  | \"NEXTAUTH_URL\"\n  | \"NO_SECRET\"\n  | \"TWITTER_OAUTH_2_BETA\"\n  | \"DEBUG_ENABLED\"\n",
        "type ConfigError =\n  | MissingAPIRoute\n  | MissingSecret\n  | UnsupportedStrategy\n  | MissingAuthorize\n",
        "spawn(\n    close_fds,\n    pass_fds, cwd, env,\n    startupinfo, creationflags, shell,\n    p2cread, p2cwrite, env2,\n)\n",
        "    try:\n        unlink(path)\n    except OSError:\n        pass\n    raise\n",
        "fetch(url, {\n  mode: 'cors',\n  credentials: 'include',\n})\n",
    ] {
        check(code, &[]);
    }
}

#[test]
fn source_code_with_secrets() {
    let pem = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEAyN0oQ0bq0xPz7c1r5v4n3m2l1k0j\nAAKCAQEAyN0oQ0bq0xPz7c1r5v4n3m2l1k0j\n-----END RSA PRIVATE KEY-----";
    check(
        &format!(
            "GITHUB_TOKEN = 'ghp_16C7e42F292c6912E7710c838347Ae178B4a'\n\
             DB_PASSWORD = \"tr0ub4dor&3\"\n\
             PRIVATE_KEY = \"\"\"{pem}\"\"\"\n\
             EMPTY_PASSWORD = \"\"\"\"\"\"\n\
             NAME = 'plain'\n"
        ),
        &[
            ("API_KEY", "ghp_16C7e42F292c6912E7710c838347Ae178B4a"),
            ("SECRET", "tr0ub4dor&3"),
            ("PRIVATE_KEY", pem),
        ],
    );
}

/// The shapes that leak most often, by themselves and without a name.
#[test]
fn keys_of_well_known_vendors() {
    for key in [
        "AKIAQYLPMN5HHHFPZAM2",
        "AIzaSyD4x8Kq2mVb7Lr9Wt3Zc6Nf1Hj5Gp0Ue2s",
        "glpat-8w7oMwSvvPSRDDgjqn5w",
        "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",
        "npm_4xKq2mVb7Lr9Wt3Zc6Nf1Hj5Gp0Ue2sYd8Ba",
        "sk_live_4xKq2mVb7Lr9Wt3Zc6Nf1Hj5",
        "sk_test_4xKq2mVb7Lr9Wt3Zc6Nf1Hj5",
        "whsec_4xKq2mVb7Lr9Wt3Zc6Nf1Hj5Gp0Ue2sY",
    ] {
        check(&format!("see {key} there"), &[("API_KEY", key)]);
    }
}

/// What could be read either way.
#[test]
fn ambiguous_cases_keep_their_decided_verdict() {
    check("version 1.2.3.4 of libfoo, 10.0.0.1.5, 1.2.3.4-rc1", &[]);
    check("password: hunter 2", &[("SECRET", "hunter")]);
    check(
        "Cookie: session=4xKq2mVb7Lr9Wt3Zc6Nf1Hj5Gp0",
        &[("SECRET", "4xKq2mVb7Lr9Wt3Zc6Nf1Hj5Gp0")],
    );
    check(
        "two parts: eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0",
        &[("JWT", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0")],
    );
    check(
        "alice%40example.com and alice&#64;example.com",
        &[
            ("EMAIL", "alice%40example.com"),
            ("EMAIL", "alice&#64;example.com"),
        ],
    );
}

/// A hundred kilobytes in which a careless pattern would look ahead or back from every character.
#[test]
fn repetitive_text_is_scanned_in_linear_time() {
    const SIZE: usize = 100_000;
    let many = |unit: &str| unit.repeat(SIZE / unit.len());
    let numbered = |make: &dyn Fn(usize) -> String, size: usize| -> String {
        (0..SIZE / size).map(make).collect()
    };
    let runs = [
        many("a"),
        many("deadbeef"),
        many("abc."),
        many("QmFzZTY0"),
        many("1 "),
        format!("1{}1", " ".repeat(SIZE)),
        many("-"),
        many("a@"),
        format!("a@{}", many("d")),
        format!("a@{}", many("d.")),
        many(&format!("{}@{}.com ", "l".repeat(64), "d".repeat(251))),
        format!("-----BEGIN RSA PRIVATE KEY-----\n{}", many("A")),
        format!("eyJ{}.eyJ", many("A")),
        many("a://"),
        many("bearer "),
        many("xcurl \\\n"),
        many("a b\n"),
        many("\\n"),
        format!("password = \"{}", many("x ")),
        numbered(&|n| format!("curl \\{}", "\n".repeat(3900 + n)), 4000),
        numbered(&|n| format!("{n}:*:*:"), 10),
        numbered(&|n| format!("backupcode{n}\n"), 16),
    ];
    for run in runs {
        let (_, took) = work::timed(|| found(&run));
        let shown: String = run.chars().take(40).collect();
        assert!(took < Duration::from_secs(1), "{shown}: {took:?}");
    }
}
