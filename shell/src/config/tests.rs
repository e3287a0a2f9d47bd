use super::*;
use engine::detect::Names;

fn resolve(environment: &[(&str, &str)], flags: &[(&str, &str)]) -> Result<Config, Error> {
    let find = |pairs: &[(&str, &str)], name: &str| {
        let found = pairs.iter().find(|(key, _)| *key == name);
        found.map(|(_, text)| (*text).to_owned())
    };
    let values = Values::defaults()
        .with_environment(|name| find(environment, name))
        .with_flags(|setting| find(flags, setting.path));
    Config::resolve(&values)
}

#[test]
fn later_sources_win() {
    let config = resolve(&[], &[]).unwrap();
    assert_eq!(config.mode.origin().authority(), "localhost:20128");
    assert_eq!((config.host.as_str(), config.port), ("127.0.0.1", 8000));

    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("x.yaml");
    std::fs::write(
        &file,
        "proxy: {upstream: http://file.example}\nport: 81\nhost: file.example",
    )
    .unwrap();
    let command = [("port", "80"), ("proxy.timeout", "7")];
    let values = Values::defaults()
        .with_command_defaults(&command)
        .with_file(&file)
        .unwrap()
        .with_environment(|name| {
            (name == "MASK_UPSTREAM_URL").then(|| "https://env.example".to_owned())
        })
        .with_flags(|setting| (setting.path == "host").then(|| "flag.example".to_owned()));
    let config = Config::resolve(&values).unwrap();
    assert_eq!(config.limits.timeout, Duration::from_secs(7));
    assert_eq!(config.port, 81);
    assert_eq!(config.mode.origin().authority(), "env.example");
    assert_eq!(config.host, "flag.example");
}

#[test]
fn an_upstream_wins_over_the_base_url_and_that_over_the_provider_type() {
    let of = |settings: &[(&'static str, &str)]| {
        let values = Values::defaults().with_command_defaults(settings);
        let mode = Config::resolve(&values).unwrap().mode;
        mode.origin().authority().to_owned()
    };
    let kind = ("provider.type", "anthropic");
    let base = ("provider.base_url", "https://base.example/v1");
    let upstream = ("proxy.upstream", "http://up.example:81/v1");
    let gateway = ("proxy.mode", "gateway");
    assert_eq!(of(&[kind]), "api.anthropic.com");
    assert_eq!(of(&[kind, base]), "base.example");
    assert_eq!(of(&[kind, base, upstream]), "up.example:81");
    assert_eq!(of(&[kind, base, gateway]), "base.example");
    assert_eq!(of(&[kind, base, upstream, gateway]), "up.example:81");
}

#[test]
fn an_empty_environment_variable_is_unset() {
    let config = resolve(&[("MASK_ANCHOR_SECRET", ""), ("MASK_API_KEY", "")], &[]).unwrap();
    assert!(config.credentials.held.is_none());
    assert!(matches!(
        config.engine.operator,
        Operator::Pseudonym { anchor: None }
    ));
}

#[test]
fn the_key_of_the_provider_type_wins() {
    let env = [
        ("MASK_API_KEY", "general"),
        ("MASK_GENERIC_API_KEY", "special"),
    ];
    let held = resolve(&env, &[]).unwrap().credentials.held.unwrap();
    assert_eq!(held.bearer.to_str().unwrap(), "Bearer special");
    assert!(!format!("{held:?}").contains("special"));
}

/// It was once possible only in the configuration file.
#[test]
fn a_detector_models_key_is_read_from_the_environment() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("config.yaml");
    let llm = "{type: llm, llm_model: m}, {type: llm, llm_model: n, llm_api_key: own}";
    std::fs::write(&file, format!("detector: [regex, {llm}]\n")).unwrap();
    let values = Values::defaults().with_file(&file).unwrap();
    let values =
        values.with_environment(|name| (name == "MASK_LLM_API_KEY").then(|| "held".to_owned()));
    let config = Config::resolve(&values).unwrap();
    let keys = config
        .external_detectors
        .iter()
        .map(|detector| match &detector.kind {
            ExternalKind::Llm(llm) => llm.api_key.as_ref().map(|key| key.expose().as_str()),
            _ => None,
        });
    assert_eq!(keys.collect::<Vec<_>>(), [Some("held"), Some("own")]);
}

#[test]
fn types_come_from_the_file_names_also_from_environment() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("config.yaml");
    let detector = "{types: {PHONE: false, LOCATION: true}, names: off}";
    std::fs::write(&file, format!("detector: {detector}\n")).unwrap();
    let choice = |names: &str| {
        let values = Values::defaults().with_file(&file).unwrap();
        let names = Some(names.to_owned()).filter(|names| !names.is_empty());
        let values = values.with_environment(|name| names.clone().filter(|_| name == "MASK_NAMES"));
        DetectorChoice::read(&values).unwrap()
    };
    let (own, given) = (choice("").own, choice("eager").own);
    assert_eq!((own.names, given.names), (Names::Off, Names::Eager));
    let types = [EntityType::PHONE, EntityType::LOCATION, EntityType::EMAIL];
    assert_eq!(
        types.each_ref().map(|of| own.looks_for(of)),
        [false, false, true]
    );
    assert_eq!(
        types.each_ref().map(|of| given.looks_for(of)),
        [false, true, true]
    );
}

#[test]
fn errors_name_the_variable_and_never_show_the_value() {
    for (env, value) in [
        ("MASK_UPSTREAM_URL", "hunter2://x"),
        ("MASK_API_KEY", "hunter2\n"),
        ("MASK_SESSION_STRATEGY", "hunter2"),
        ("MASK_VAULT", "hunter2"),
        ("MASK_VAULT_TTL", "7y"),
        ("MASK_REDIS_URL", "hunter2"),
        ("MASK_ENCRYPT_KEY", "hunter2"),
        ("MASK_ENCRYPT_KEY", &"g".repeat(64)),
        ("MASK_ENCRYPT_KEY", &"a".repeat(63)),
        ("MASK_PROVIDER_TYPE", "hunter2"),
        ("MASK_AUDIT_PATH", "hunter2\n"),
        ("MASK_NAMES", "hunter2"),
    ] {
        let error = resolve(&[(env, value)], &[]).unwrap_err().to_string();
        assert!(error.contains(env), "{error}");
        assert!(!error.contains(value), "{error}");
        assert!(!error.contains('\n'), "{error}");
    }
}

#[test]
fn a_zero_or_invalid_time_to_live_is_refused() {
    for ttl in ["0", "-1", "0s", "7 days", "NaN"] {
        let error = resolve(&[("MASK_VAULT_TTL", ttl)], &[]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "setting 'vault.ttl' (MASK_VAULT_TTL) must be a number of seconds above 0, \
             or a time such as 30s, 12h or 7d"
        );
    }
}

#[test]
fn a_time_to_live_may_have_a_unit() {
    for ttl in ["604800", "7d", "1w"] {
        let config = resolve(&[("MASK_VAULT_TTL", ttl)], &[]).unwrap();
        assert_eq!(
            config.vault.ttl,
            Some(Duration::from_hours(7 * 24)),
            "{ttl}"
        );
    }
}

#[test]
fn an_overflowing_duration_is_refused() {
    for ttl in ["inf", "1e400", "1e10", "99999w"] {
        let error = resolve(&[("MASK_VAULT_TTL", ttl)], &[]).unwrap_err();
        assert!(
            error.to_string().ends_with("at most a billion seconds"),
            "{error}"
        );
    }
}

#[test]
fn a_flag_out_of_range_is_refused() {
    for port in ["-1", "65536", "x", ""] {
        let error = resolve(&[], &[("port", port)]).unwrap_err().to_string();
        assert_eq!(
            error,
            "setting 'port' (--port) must be a whole number from 0 to 65535"
        );
    }
}

/// `maskproxy config` once showed `http://[[::1]]:8000`.
#[test]
fn an_ipv6_address_to_listen_on_may_have_brackets() {
    for host in ["::1", "[::1]"] {
        let config = resolve(&[], &[("host", host)]).unwrap();
        assert_eq!(authority(&config.host, config.port), "[::1]:8000");
    }
    assert_eq!(authority("localhost", 80), "localhost:80");
}

#[test]
fn incomplete_tls_settings_are_refused() {
    for env in [
        "MASK_SSL_CERTFILE",
        "MASK_SSL_KEYFILE",
        "MASK_SSL_KEYFILE_PASSWORD",
        "MASK_SSL_CA_CERTS",
    ] {
        let error = resolve(&[(env, "x.pem")], &[]).unwrap_err().to_string();
        assert!(error.starts_with("HTTPS needs both"), "{error}");
    }
}

#[test]
fn keys_are_read_from_hex_and_kept_out_of_debug() {
    let key = "00ff".repeat(16);
    let values = Values::defaults()
        .with_environment(|name| (name == "MASK_ENCRYPT_KEY").then(|| key.clone()))
        .with_flags(|_| None);
    let values = values.with_command_defaults(&[("operator.type", "encrypt")]);
    let OperatorSettings::Encrypt { key } = protection::operator(&values).unwrap() else {
        panic!("not encrypt");
    };
    assert_eq!(key.expose()[..3], [0, 255, 0]);
    assert_eq!(format!("{key:?}"), "[32 bytes]");
}

/// A URL's password, or the key in its query, was part of it.
#[test]
fn nothing_that_could_be_a_value_is_in_debug_output() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("config.yaml");
    let text = "
proxy: {mode: gateway}
provider: {api_key: hunter2, headers: {x-team: hunter2}, base_url: 'https://u:hunter2@a.example/hunter2?key=hunter2'}
operator: {anchor_secret: hunter2}
vault: {type: redis, redis_url: 'rediss://:hunter2@b.example:1/0'}
tls: {certfile: c.pem, keyfile: k.pem, keyfile_password: hunter2}
detector:
  - {type: regex, patterns: {TICKET: hunter2}, terms: {PROJECT: [hunter2]}, allow: [hunter2, {type: EMAIL, value: hunter2}]}
  - {type: llm, llm_model: m, llm_instructions: hunter2, llm_api_key: hunter2, llm_base_url: 'https://u:hunter2@c.example'}
  - {type: presidio, url: 'https://u:hunter2@d.example/?key=hunter2'}
";
    std::fs::write(&file, text).unwrap();
    let values = Values::defaults().with_file(&file).unwrap();
    let shown = format!("{values:?} {:?}", Config::resolve(&values).unwrap());
    assert!(!shown.contains("hunter2"), "{shown}");
}

#[test]
fn every_listed_choice_is_accepted() {
    for setting in SETTINGS {
        let settings::Kind::Choice(names) = setting.kind else {
            continue;
        };
        for name in names {
            let values = Values::defaults().with_command_defaults(&[(setting.path, name)]);
            let resolved = Config::resolve(&values);
            assert!(!matches!(resolved, Err(Error::Invalid { .. })), "{name}");
        }
    }
}

/// The files of a folder of `tests/vectors/config`, with their text.
fn files(folder: &str) -> Vec<(PathBuf, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../tests/vectors/config")
        .join(folder);
    let entries = std::fs::read_dir(folder).unwrap();
    let files = entries.map(|entry| {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        (path, text)
    });
    files.collect()
}

fn resolve_file(path: &std::path::Path) -> Result<Config, Error> {
    Config::resolve(&Values::defaults().with_file(path)?)
}

#[test]
fn valid_files_are_accepted() {
    let files = files("valid");
    assert!(files.len() > 10);
    for (path, _) in files {
        if let Err(error) = resolve_file(&path) {
            panic!("{}: {error}", path.display());
        }
    }
}

#[test]
fn invalid_files_are_refused_with_their_expected_message() {
    let files = files("invalid");
    assert!(files.len() > 70);
    let mut wrong = Vec::new();
    for (path, text) in files {
        let error = resolve_file(&path).unwrap_err().to_string();
        let expected = text.lines().next().unwrap().trim_start_matches("# ");
        let shown = path.display().to_string();
        let error = error.replace(&shown, "{file}");
        if error != expected || error.contains("hunter2") {
            wrong.push(format!(
                "{shown}\n  is       {error}\n  must be  {expected}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_setting_of_a_full_file_is_read() {
    let (path, _) = files("valid")
        .into_iter()
        .find(|(path, _)| path.ends_with("whole.yaml"))
        .unwrap();
    let values = Values::defaults().with_file(&path).unwrap();
    let limits = limits(&values).unwrap();
    assert_eq!(limits.timeout, Duration::from_millis(500));
    assert_eq!(limits.max_connections, NonZeroUsize::new(100));
    let headers = provider::headers(&values, "provider.headers").unwrap();
    assert_eq!(headers[0].0, "x-team");
    assert!(headers[0].1.is_sensitive());
    let credentials = provider::credentials(&values).unwrap();
    assert_eq!(credentials.held.unwrap().plain.to_str().unwrap(), "0123456");
    let vault = storage::vault(&values).unwrap();
    assert_eq!(vault.ttl, Some(Duration::from_hours(7 * 24)));
    assert!(matches!(vault.store, Store::Sqlite { path } if path.ends_with("sessions.db")));
    assert_eq!(audit_path(&values).unwrap(), None);
    let routes = routes::read(&values).unwrap();
    assert!(routes.find("/v1/messages").is_some() && routes.find("/responses").is_none());
    let tls = listener::tls(&values).unwrap().unwrap();
    assert_eq!(tls.keyfile_password.unwrap().expose(), "hunter2");
}

#[test]
fn variables_in_the_file_stay_literal() {
    let (path, _) = files("valid")
        .into_iter()
        .find(|(path, _)| path.ends_with("variable_is_literal.yaml"))
        .unwrap();
    let held = resolve_file(&path).unwrap().credentials.held.unwrap();
    assert_eq!(held.plain.to_str().unwrap(), "${OPENAI_API_KEY}");
}

/// A slip of the editor: a line lost, or cut in the middle. None may crash or show a value.
#[test]
fn damaged_files_never_crash_or_leak_values() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("damaged.yaml");
    for (_, text) in files("valid").into_iter().chain(files("invalid")) {
        let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
        for (index, line) in lines.iter().enumerate() {
            let half = line.chars().take(line.chars().count() / 2).collect();
            for instead in [
                String::new(),
                half,
                line.replacen(": ", ":", 1),
                line.replace('"', ""),
            ] {
                let mut damaged: Vec<&str> = lines.clone();
                damaged[index] = &instead;
                std::fs::write(&file, damaged.join("\n")).unwrap();
                if let Err(error) = resolve_file(&file) {
                    let error = error.to_string();
                    assert!(
                        !error.contains("hunter2"),
                        "{error}\n{}",
                        damaged.join("\n")
                    );
                    assert!(!error.contains('\n'), "{error}");
                }
            }
        }
    }
}

/// With a model as the only detector, its failure once let requests through unmasked.
#[test]
fn a_model_with_fallback_needs_another_detector() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("x.yaml");
    let lone = "{type: llm, llm_model: m, llm_fallback_on_error: true}";
    for (detector, is_usable) in [
        (lone.to_owned(), false),
        (format!("[{lone}, {lone}]"), false),
        (format!("[{lone}, {{type: terms}}]"), false),
        (format!("[{lone}, regex]"), true),
        (
            format!("[{lone}, {{type: terms, terms: {{NAME: [Ann]}}}}]"),
            true,
        ),
        (
            format!("[{lone}, {{type: presidio, url: 'http://a.example'}}]"),
            true,
        ),
        ("{type: llm, llm_model: m}".to_owned(), true),
    ] {
        std::fs::write(&file, format!("detector: {detector}")).unwrap();
        let resolved = resolve_file(&file);
        assert_eq!(resolved.is_ok(), is_usable, "{detector}");
        if let Err(error) = resolved {
            assert!(
                error.to_string().contains("llm_fallback_on_error"),
                "{error}"
            );
        }
    }
}

/// Rules had to call a plug-in `plugin`, and then never used it.
#[test]
fn a_rule_names_an_external_detector_by_its_type() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("x.yaml");
    for (detector, settings) in [
        ("wasm", "path: a.wasm"),
        ("presidio", "url: 'http://a.example'"),
        ("llm", "llm_model: m"),
    ] {
        let named = |name: &str| {
            let rules = format!("policy: {{rules: [{{detectors: [{name}]}}]}}");
            let own = format!("detector: [regex, {{type: {detector}, {settings}}}]");
            std::fs::write(&file, format!("{rules}\n{own}")).unwrap();
            resolve_file(&file).map(drop)
        };
        assert_eq!(named(detector), Ok(()));
        assert!(named("plugin").is_err());
    }
}
