//! What an agent has to read beside names of secrets: ids, public keys, pages of a list, labels of a form. And
//! the secrets that stand in like places.

#[path = "support/found.rs"]
mod found;

use found::{found, leaves};

/// Each text, and the part of it that is masked.
#[track_caller]
fn masks(texts: &[(&str, &str)]) {
    let wrong: Vec<_> = texts
        .iter()
        .map(|(text, value)| {
            let found: Vec<_> = found(text).into_iter().map(|(_, value)| value).collect();
            (text, value, found)
        })
        .filter(|(_, value, found)| found != &[**value])
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn numbers_hashes_and_algorithms_of_code_stay() {
    leaves(&[
        "pub const ERROR_INVALID_KEY: u32 = 2150858820u32;",
        "pub const CRED_PASSWORD: u32 = 0x00000020u32;",
        "    DW_AT_pass = 0x2227,",
        "([4f52a1b](https://github.com/googleapis/google-auth-library-python/commit/4f52a1b8c3d9e0f1a2b3c4d5e6f708192a3b4c5d))",
        "token compare 3745e48...08d59ae",
        "secret_key: 3745e48...08d59ae",
        "https://git.example.com/auth-token/compare/3745e48...08d59ae",
        "host_key = \"ecdsa-sha2-nistp256\"",
        "api_key: hmac-sha1-96",
    ]);
    masks(&[
        ("password = \"0xdeadbeef99\"", "0xdeadbeef99"),
        ("DB_PASSWORD=0x2227f1", "0x2227f1"),
        (
            "holisticTOKEN-4f52a1b8c3d9e0f1a2b3c4d5e6f708192a3b4c5d",
            "4f52a1b8c3d9e0f1a2b3c4d5e6f708192a3b4c5d",
        ),
    ]);
}

#[test]
fn ids_of_what_happened_stay() {
    leaves(&[
        "Session 4c1f7a52-9b1e-4f0a-8a51-0e6b1d2c3f4a started",
        "Session: 4c1f7a52-9b1e-4f0a-8a51-0e6b1d2c3f4a",
        "resume session 4c1f7a52-9b1e-4f0a-8a51-0e6b1d2c3f4a",
        "opened session_4f3c9b1e8d7a6f5e4d3c2b1a09f8e7d6",
        "idempotency-key: 4c1f7a52-9b1e-4f0a-8a51-0e6b1d2c3f4a",
        "auth request 4c1f7a52-9b1e-4f0a-8a51-0e6b1d2c3f4a failed",
        "webhook delivery 4c1f7a52-9b1e-4f0a-8a51-0e6b1d2c3f4a",
        "login event id 65f1c2d3e4a5b6c7d8e9f0a1",
        "session=4c1f7a52-9b1e-4f0a-8a51-0e6b1d2c3f4a",
        "auth: request-id=4c1f7a52-9b1e-4f0a-8a51-0e6b1d2c3f4a",
    ]);
    masks(&[
        (
            "auth_token 4c1f7a52-9b1e-4f0a-8a51-0e6b1d2c3f4a",
            "4c1f7a52-9b1e-4f0a-8a51-0e6b1d2c3f4a",
        ),
        (
            "token: 4c1f7a52-9b1e-4f0a-8a51-0e6b1d2c3f4a",
            "4c1f7a52-9b1e-4f0a-8a51-0e6b1d2c3f4a",
        ),
        (
            "AUTH_TOKEN=4c1f7a52-9b1e-4f0a-8a51-0e6b1d2c3f4a",
            "4c1f7a52-9b1e-4f0a-8a51-0e6b1d2c3f4a",
        ),
        (
            "access key 4f3c9b1e8d7a6f5e4d3c2b1a09f8e7d6",
            "4f3c9b1e8d7a6f5e4d3c2b1a09f8e7d6",
        ),
    ]);
}

#[test]
fn names_of_resources_stay() {
    leaves(&[
        "arn:aws:kms:us-east-1:054443519087:key/4c1f7a52-9b1e-4f0a-8a51-0e6b1d2c3f4a",
        "\"arn:aws:secretsmanager:us-east-1:054443519087:secret:prod/db-AbCdEf\"",
        "https://acme-kv.vault.azure.net/secrets/db/4f3c9b1e8d7a6f5e4d3c2b1a09f8e7d6",
        "ecs/auth/4f3c9b1e8d7a6f5e4d3c2b1a09f8e7d6",
        "access point ap-d85983ec8eb1b7a2a",
        "private-subnet-0a1b2c3d4e5f60718",
        "auth-service-7d9f8b6c5d-x2k4p 1/1 Running",
        "kubectl logs secret-manager-6b8f9d7c5-zx9k2",
        "s3_key = \"builds/app-ea6812f09c4d7b3e5a1f.zip\"",
        "object key: uploads/4c1f7a52-9b1e-4f0a-8a51-0e6b1d2c3f4a.jpg",
        "\"token\": \"0x742d35Cc6634C0532925a3b844Bc9e7595f8fE21\"",
        "tokenAddress: \"0x742d35Cc6634C0532925a3b844Bc9e7595f8fE21\"",
        "token: \"color.blue.500\"",
    ]);
    masks(&[
        (
            "the key q7RkT2vLw9ZxB4nM6pYs8DfG works",
            "q7RkT2vLw9ZxB4nM6pYs8DfG",
        ),
        (
            "PRIVATE_KEY=0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318",
            "0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318",
        ),
        (
            "signing_key: \"builds/q7RkT2vLw9ZxB4nM6pYs8DfG\"",
            "builds/q7RkT2vLw9ZxB4nM6pYs8DfG",
        ),
    ]);
}

#[test]
fn tokens_and_keys_that_mark_a_place_stay() {
    leaves(&[
        "\"nextToken\": \"CiAKGjBpNDd2Nmp2Zml2cXRwYjBpOXA\"",
        "\"nextPageToken\": \"CiAKGjBpNDd2Nmp2Zml2cXRwYjBpOXA\"",
        "page_token=CiAKGjBpNDd2Nmp2Zml2cXRwYjBpOXA",
        "continuation_token: \"CiAKGjBpNDd2Nmp2Zml2cXRwYjBpOXA\"",
        "aws ecs list-tasks --starting-token CiAKGjBpNDd2Nmp2Zml2cXRwYjBpOXA",
        "{\"shardKey\":\"65f1c2d3e4a5b6c7d8e9f0a1\"}",
        "dedup_key=4f3c9b1e8d7a6f5e4d3c2b1a09f8e7d6",
        "message key 4f3c9b1e8d7a6f5e4d3c2b1a09f8e7d6",
        "cache key 4f3c9b1e8d7a6f5e4d3c2b1a09f8e7d6 hit",
    ]);
    masks(&[
        (
            "PAGE_ACCESS_TOKEN=q7RkT2vLw9ZxB4nM6pYs8DfG",
            "q7RkT2vLw9ZxB4nM6pYs8DfG",
        ),
        (
            "SYNC_TOKEN=q7RkT2vLw9ZxB4nM6pYs8DfG",
            "q7RkT2vLw9ZxB4nM6pYs8DfG",
        ),
        (
            "routing_key = \"4f3c9b1e8d7a6f5e4d3c2b1a09f8e7d6\"",
            "4f3c9b1e8d7a6f5e4d3c2b1a09f8e7d6",
        ),
    ]);
}

#[test]
fn public_keys_stay() {
    leaves(&[
        "Public key: i/yaOKRU9J/MWo126behuy4H7LsBdWWy6TsF7hJ/1oY=",
        "wg peer public key: i/yaOKRU9J/MWo126behuy4H7LsBdWWy6TsF7hJ/1oY=",
        "verify_key = \"4f3c9b1e8d7a6f5e4d3c2b1a09f8e7d64f3c9b1e8d7a6f5e4d3c2b1a09f8e7d6\"",
        "gpg --recv-keys 0xA1673343CE1FC77D",
        "apt-key adv --recv-keys A16733B7E1F2C4D5E6A7B8C9D0E1F2A3B4C5D6E7",
        "minisign public key 437E433A7BB179DD",
        "key id A16733B7E1F2C4D5E6A7B8C9D0E1F2A3B4C5D6E7",
        "\"site_key\": \"0x4AAAAAAAG17DP5CFQoafiz\"",
        "\"signature\": \"2fiCCJb37/AalCApnmcBpa8++MpL99n+E3kE3wFxEwSjTrinCtQc0l9nBVczaBPDAwOAq8CXcDn/2rBOeVxIfA==\"",
        "\"src/auth/token.rs\": \"b3daccf65376979e142321a43f7e3eb658153c5b5bbea4829565a2e04307ae44\",",
    ]);
    masks(&[
        (
            "PrivateKey = i/yaOKRU9J/MWo126behuy4H7LsBdWWy6TsF7hJ/1oY=",
            "i/yaOKRU9J/MWo126behuy4H7LsBdWWy6TsF7hJ/1oY=",
        ),
        (
            "https://b.example.com/f?X-Amz-Signature=549fc192d30184f069a6d279bd4414194f896e6ef51bd12f7f79b1761e5804c8",
            "549fc192d30184f069a6d279bd4414194f896e6ef51bd12f7f79b1761e5804c8",
        ),
        (
            "verify token q7RkT2vLw9ZxB4nM6pYs8DfG",
            "q7RkT2vLw9ZxB4nM6pYs8DfG",
        ),
    ]);
}

#[test]
fn labels_checks_and_columns_stay() {
    leaves(&[
        "{\"password\": \"Passwort\"}",
        "{\"password\": \"Contraseña\"}",
        "{\"password\": \"Hasło\"}",
        "{\"password\": \"Пароль\"}",
        "{\"password\": \"パスワード\"}",
        "{\"password\": \"密码\"}",
        "\"secret\": \"Geheimnis\"",
        "label.password=Passwort",
        "\"pass\": \"success\"",
        "'password' => 'required|string|min:8|confirmed',",
        "'password' => 'hashed',",
        "\"password\": \"VARCHAR(255)\"",
    ]);
    masks(&[
        ("{\"password\": \"Passwort7\"}", "Passwort7"),
        ("'password' => 'tiger|River77'", "tiger|River77"),
        ("\"password\": \"Summer(2024)\"", "Summer(2024)"),
        ("DB_PASSWORD=hashed77X", "hashed77X"),
    ]);
}

/// Found in the source and the documents of packages.
#[test]
fn names_of_files_and_algorithms_and_times_stay() {
    leaves(&[
        "boost/iterator/multi_pass.hpp\nx64-windows/include/boost/iterator/multi_pass_fwd.hpp\n",
        "Files: man/hu/man1/gpasswd.1\n       man/ja/man1/gpasswd.1\n",
        "Files: hmac-md5-meta.c hmac-ripemd160-meta.c\n hmac-sha1-meta.c hmac-sha224-meta.c\n",
        "salsa20-128-set-key.c salsa20-256-set-key.c\n",
        "git-credential-osxkeychain: git-credential-osxkeychain.o\n",
        "    b\"ssh-dss\",\n    b\"ecdsa-sha2-nistp256\",\n_SSH_KEYS = [\"ecdsa-sha2-nistp256\", \"ecdsa-sha2-nistp521\"]\n",
        "#password_encryption = scram-sha-256\t\t# scram-sha-256 or md5\n",
        "#define SN_hmac_sha3_224 \"id-hmacWithSHA3-224\"\n# Group.HmacSHA3 = HmacSHA3-224, HmacSHA3-256\n",
        "Self::HmacWithSha224 => HMAC_WITH_SHA224_OID,\n",
        "pub AuthModeSupported: NDIS_802_11_AUTHENTICATION_MODE,\n",
        "<AuthenticationStatement AuthenticationInstant=\"2002-04-18T16:56:53Z\">",
        "- Release GPG key: 3ABC01543F22DD2239285CDD818674489FBC127E\n",
        "\"Unexpected_token_A_parameter_name_was_expected_without_braces_1069\": \"予期しないトークンです。型パラメーター名\"",
        "\"The_specified_path_does_not_exist_Colon_0_5058\": \"x\"",
        "    TestVector {\n        key: &hex!(\"b52c505a37d78eda5dd34f20c22540ea1b58963cf8e5bf8ffa85f9f2492505b4\"),\n",
        "use sendinblue::{\n    DebugAbbrevOffset, DebugAddrBase, DebugLocListsBase, DebugRngListsBase,\n",
        "#  undef XXH3_64bits_reset_withSecret\n#  undef XXH3_64bits_update\n",
        ".private_extern _ChaCha20_ctr32_neon\n",
        "pub type PF_NPPasswordChangeNotify = Option<unsafe extern \"system\" fn(x: u32)>;\n",
        "if(key.wrapping_mul(0x9E3779B97F4A7C15) >> 7)",
        "tokenStartI=i+1;null!=(_a=value[i+1])&&_a.match(x);",
        "SPEC CHECKSUMS:\n  Alamofire: f36a35757af4587d8e4f4bfa223ad10be2422b8c\n  Auth0: c1599c74610e111fe54daebc533889fcbc328fe9\n",
        "gpg: using RSA key 4CF2E7B8F7F3084A211BD20D4454B77F58A13242",
        "return n.secret=r,n.pass=e.pass,n});",
        "let auth = \"Basic SFNT/TrueType\";",
        "Win32_System_PasswordManagement = [\"Win32_System\"]\n",
    ]);
    masks(&[
        ("password: hmac-sha-garden7", "hmac-sha-garden7"),
        (
            "Auth0: c1599c74610e111fe54daebc533889fcbc328fe9",
            "c1599c74610e111fe54daebc533889fcbc328fe9",
        ),
        ("db.password: gpasswd.Tr0ub4dor", "gpasswd.Tr0ub4dor"),
    ]);
}

#[test]
fn words_with_dashes_regions_and_types_stay() {
    leaves(&[
        "creds: aws / eu-west-1\n",
        "The token is sha256-hashed",
        "ssh_key: ed25519\n",
        "password: Sha256Hasher\n",
        "The net user command lists accounts12 and groups",
    ]);
    masks(&[
        (
            "password: correct-horse-battery-staple\n",
            "correct-horse-battery-staple",
        ),
        (
            "echo hunter22x | docker login -u bob --password-stdin",
            "hunter22x",
        ),
        ("net user bob hunter22 /add", "hunter22"),
        ("call 832 919 0358", "832 919 0358"),
    ]);
}

#[test]
fn what_speaks_of_secrets_and_numbers_stays() {
    leaves(&[
        "existingSecret: \"postgres-auth-2\"\n",
        "const int ledPin = 13;\nsaltRounds = 10\nseed: 20240101\notp = pyotp.TOTP(secret)\n",
        "enable password encryption\nsnmp-server location DC1-Rack22\nmongo --port 27017 -p\n",
        "const salt = bcrypt.genSaltSync(10);\n.login(\"user\", callback)\n",
        "the basalt formation, pin 13 is the LED, random_seed=1234567890",
    ]);
}

#[test]
fn names_in_code_that_hold_the_number_of_an_algorithm_or_type_stay() {
    leaves(&[
        "export interface KeyPair { publicKey: Uint8Array; secretKey: Uint8Array }\n",
        "export interface KeyPair {\n  secretKey: Uint8Array\n}\n",
        "struct Login { password: Utf8PathBuf, token: CachedX509Token }\n",
        "  #cachedToken: CachedX509Token | undefined;\n",
        "let cipher_key: AES256Key = derive(&seed);\nsecret: Http2SecretStore,\n",
        "Ok(ConnectionTrafficSecrets::Chacha20Poly1305 { key, iv })\n",
        "const fetchWithAuth = x509Authentication ? secured : plain\n",
        "(0, x509_workload_identity_auth_1.isX509WorkloadIdentity)(identity)\n",
        "if self not in (PrivateFormat.OpenSSH, PrivateFormat.PKCS12):\n",
        "  token_endpoint_auth: CredentialsAPI.McpOauthTokenEndpointAuth;\n",
        "if(r.password=null,t.at(-1)!=r.passwordVerification)throw Error(e)",
    ]);
    masks(&[
        ("password: Md5Monkey\n", "Md5Monkey"),
        ("password=Utf8Panda\n", "Utf8Panda"),
        ("secretKey: Aes256Kx9Qz\n", "Aes256Kx9Qz"),
        ("token: Xk9McpQ2v7LpOauth4\n", "Xk9McpQ2v7LpOauth4"),
    ]);
}

#[test]
fn lines_of_a_script_below_the_word_of_a_name_stay() {
    leaves(&[
        "\tx_install base-passwd\n\tx_install base-files\n\n\tp; progress $base INSTCORE \"Installing packages\" #3\n",
        "  basedir=`pwd`\n\n  found_file_switch=0\n  for arg in \"$@\"; do\n",
    ]);
    masks(&[
        ("host\tpasswd\nalpha\tTr0ub4dor&3\n", "Tr0ub4dor&3"),
        ("Your `password`\n\nTr0ub4dor&3\n", "Tr0ub4dor&3"),
    ]);
}

#[test]
fn an_image_in_base64_that_holds_the_beginning_of_a_token_stays() {
    let token =
        "EAAW4yMxVVvk7vM3lkDPIitj40reKMbxoBqyl91irjbtE8pDXBc9K50zYCmekRYPcFBTSqQ2YIHxgsSnhmaf5I";
    let image = "Zm9vYmFyL2Jhei9xdXV4K2NvcmdlL2dyYXVsdC9nYXJwbHkvd2FsZG8vZnJlZC9wbHVnaA".repeat(3);
    leaves(&[&format!(
        "src=\"data:image/png;base64,{image}/{token}+{image}\""
    )]);
    masks(&[
        (&format!("https://graph.example.com/v12/me/{token}"), token),
        (&format!("{image} {token}"), token),
    ]);
}
