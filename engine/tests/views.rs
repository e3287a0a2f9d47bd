//! Texts are read as a person reads them, whatever their framing or encoding.

use crate::support::unnamed;

use engine::Detectors;

/// `git blame` names people, too.
fn found(text: &str) -> Vec<&str> {
    let found = unnamed::found(text).into_iter();
    found.map(|(_, value)| value).collect()
}

/// Checks that in every text exactly the part between `⟦` and `⟧` is found.
#[track_caller]
fn check(texts: &[&str]) {
    let mut wrong = Vec::new();
    for marked in texts {
        let parts = marked.split('⟦').skip(1);
        let expected: Vec<_> = parts.filter_map(|rest| rest.split('⟧').next()).collect();
        let text = marked.replace(['⟦', '⟧'], "");
        let found = found(&text);
        if found != expected {
            wrong.push(format!(
                "{text:?}\n  expected {expected:?}\n  found    {found:?}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const KEY: &str = "-----BEGIN PRIVATE KEY-----\n\
    MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n\
    MzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNbvJZHtCSuYEvu\n\
    NMoSfm76oqFvAp8Gy0iz5sxjZmSnXyCdPEovGhLa0VzMaQ8s+CLOyS56YyCFGeJZ\n\
    -----END PRIVATE KEY-----";

/// The findings in bare texts: everything between marks, nothing else.
#[rustfmt::skip]
const TEXTS: &[&str] = &[
    // A name and its value, on one line and on several.
    "DB_PASSWORD=⟦Sunset22!a⟧\nDB_HOST=db.internal\n",
    "database:\n  user: app\n  password: ⟦Sunset22!a⟧\n  pool: 5\n",
    "        - name: DB_PASSWORD\n          value: ⟦Sunset22!a⟧\n          more: x\n",
    "variable \"db_password\" {\n  type = string\n  default = \"⟦Sunset22!a⟧\"\n}\n",
    "{\"name\": \"DB_PASSWORD\",\n \"value\": \"⟦Sunset22!a⟧\"}\n",
    "{\n  \"host\": \"db\",\n  \"password\": \"⟦Sunset22!a⟧\"\n}\n",
    "machine api.example.com\n  login bob\n  password ⟦Sunset22!a⟧\n",
    "passwords:\n  - ⟦Sunset22!a⟧\n  - ⟦Sunset22!b⟧\n",
    "user,password\nbob,⟦Sunset22!a⟧\nann,⟦Sunset22!b⟧\n",
    "| User | Password |\n|---|---|\n| bob | ⟦Sunset22!a⟧ |\n| ann | ⟦Sunset22!b⟧ |\n",
    "<add\n  key=\"DB_PASSWORD\"\n  value=\"⟦Sunset22!a⟧\"/>\n",
    "<config>\n  <password>⟦Sunset22!a⟧</password>\n</config>\n",
    "[client]\nuser = app\npassword = \"⟦Sunset22!a⟧\"\n",
    "import os\nos.environ[\"DB_PASSWORD\"] = \"⟦Sunset22!a⟧\"\n",
    "export API_TOKEN='⟦Sunset22-ab⟧'\ncurl example.com\n",
    "The deployment is done.\nthe password is ⟦Sunset22!a⟧\nask me for more\n",
    // Keys, tokens, addresses with credentials.
    "set up\naws_access_key_id = ⟦AKIAQ4LMZ7XK5NPVWR3T⟧\nregion = eu-west-1\n",
    "remote:\n  https://⟦ghp_1B4f8Kd02LmNpQ7sTuVwXyZaBcDeFg0a36IH⟧@github.com/x/y\n",
    "GET /v1 HTTP/1.1\nAuthorization: Bearer ⟦abcDEF123456ghiJKL7890⟧\nHost: x\n",
    "connect to\npostgres://app:⟦Sunset22!a⟧@db.internal:5432/x\nthen\n",
    "mysql -u root -p⟦Sunset22!a⟧ shop\nexit\n",
    // People and machines.
    "Dear team,\nwrite to ⟦alice@firma.example⟧ and ⟦bob.jones@firma.example⟧\nbye\n",
    "call me\nphone: ⟦+49 170 1234567⟧\ntomorrow\n",
    "paid with\ncard ⟦4539 1488 0343 6467⟧\nyesterday\n",
    "her SSN is\n⟦536-22-1234⟧\nas filed\n",
    "eth0:\n  inet ⟦10.0.3.17⟧\n  inet6 ⟦2001:db8:0:1::8a2e⟧\n",
];

/// Texts with one line.
#[rustfmt::skip]
const LINES: &[&str] = &[
    "DB_PASSWORD=⟦Sunset22!a⟧",
    "  password: ⟦Sunset22!a⟧",
    "mail ⟦alice@firma.example⟧",
    "up at ⟦10.0.3.17⟧ now",
    "token ⟦ghp_1B4f8Kd02LmNpQ7sTuVwXyZaBcDeFg0a36IH⟧",
    "postgres://app:⟦Sunset22!a⟧@db.internal/x",
];

type Frame = fn(usize, &str) -> String;

/// What editors, tools and people put before or around a line.
#[rustfmt::skip]
const FRAMES: &[(&str, Frame)] = &[
    ("cat -n", |number, line| format!("{number:6}\t{line}")),
    ("tab", |number, line| format!("{number}\t{line}")),
    ("arrow", |number, line| format!("{number:6}→{line}")),
    ("grep -n", |number, line| format!("{number}:{line}")),
    ("colon and space", |number, line| format!("{number}: {line}")),
    ("grep", |number, line| format!("config/file.yml:{number}:{line}")),
    ("grep with columns", |number, line| format!("src/file.yml:{number}:5:{line}")),
    ("label", |number, line| format!("L{number}: {line}")),
    ("bat", |number, line| format!("{number:4} │ {line}")),
    ("rustc", |number, line| format!("{number:4} | {line}")),
    ("zeros", |number, line| format!("{number:05}| {line}")),
    ("item", |number, line| format!("{number}) {line}")),
    ("item in brackets", |number, line| format!("[{number}] {line}")),
    ("added, with its number", |number, line| format!("{number:8} +{line}")),
    ("blame", |number, line| format!("{:08x} (Ann Lee 2026-11-22 10:00:00 +0100 {number:3}) {line}", number * 0x0bad_cafe % 0xffff_ffff)),
    ("diff", |_, line| format!("< {line}")),
    ("kernel", |number, line| format!("[{number:5}.345678] {line}")),
    ("clock in brackets", |number, line| format!("[2026-11-22 10:00:{:02}] {line}", number % 60)),
    ("klog", |number, line| format!("I1122 10:00:{:02}.123456       1 main.go:42] {line}", number % 60)),
    ("quote", |_, line| format!("> {line}")),
    ("tight quote", |_, line| format!(">{line}")),
    ("quote of a quote", |_, line| format!("> > {line}")),
    ("added", |_, line| format!("+{line}")),
    ("compose", |_, line| format!("db-1  | {line}")),
    ("cri", |number, line| format!("2026-11-22T10:00:{:02}.000000001Z stdout F {line}", number % 60)),
    ("stamp", |number, line| format!("2026-11-22 10:00:{:02} {line}", number % 60)),
    ("syslog", |number, line| format!("Nov 22 10:00:{:02} host app[12]: {line}", number % 60)),
    ("pod", |_, line| format!("[pod/web-7d9f/nginx] {line}")),
    ("stern", |_, line| format!("web-7d9fbb5c4-x2x7k nginx {line}")),
    ("buildkit", |_, line| format!("#12 0.345 {line}")),
    ("box", |_, line| format!("│ {line}  │")),
    ("colour", |_, line| format!("\x1b[32m{line}\x1b[0m")),
    ("spelled colour", |_, line| format!("\\033[1;32m{line}\\033[0m")),
    ("no width", |_, line| format!("\u{feff}{line}\u{200b}")),
];

/// Leaders of comments, which say too little about a line that holds no name.
#[rustfmt::skip]
const LEADERS: &[(&str, Frame)] = &[
    ("shell", |_, line| format!("# {line}")),
    ("C", |_, line| format!("// {line}")),
    ("Javadoc", |_, line| format!(" * {line}")),
    ("SQL", |_, line| format!("-- {line}")),
    ("ini", |_, line| format!("; {line}")),
    ("batch", |_, line| format!("REM {line}")),
];

fn framed(frame: Frame, text: &str) -> String {
    let lines = text.lines().zip(9..);
    let lines = lines.map(|(line, number)| frame(number, line) + "\n");
    lines.collect()
}

#[track_caller]
fn check_all(texts: impl IntoIterator<Item = String>) {
    let texts: Vec<_> = texts.into_iter().collect();
    check(&texts.iter().map(String::as_str).collect::<Vec<_>>());
}

fn texts() -> Vec<String> {
    let key = format!("the key:\n⟦{KEY}⟧\nbehind\n");
    let texts = TEXTS.iter().map(|text| (*text).to_owned());
    texts.chain([key]).collect()
}

/// A file as an agent reads it, lines that a search found, a container's log: one name and one value have one verdict.
#[test]
fn framing_does_not_change_what_is_found() {
    check_all(texts());
    check(LINES);
    let frames = || FRAMES.iter().chain(LEADERS);
    let one = |text: &String| {
        frames()
            .map(|(_, frame)| framed(*frame, text))
            .collect::<Vec<_>>()
    };
    check_all(texts().iter().flat_map(one));
    let lines = LINES.iter().map(|line| (*line).to_owned());
    check_all(lines.flat_map(|line| one(&line)));
}

#[test]
fn nested_framing_does_not_change_what_is_found() {
    let twice = |text: &String| {
        let mut both = Vec::new();
        for (inner, frame) in FRAMES {
            let text = framed(*frame, text);
            for (outer, frame) in FRAMES {
                // A box around cells is a table.
                if *outer != "box" || !matches!(*inner, "box" | "bat") {
                    both.push(framed(*frame, &text));
                }
            }
        }
        both
    };
    check_all(texts().iter().flat_map(twice));
}

/// A listing that begins or ends inside of a key.
#[test]
fn partial_private_keys_are_found_in_every_frame() {
    let lines: Vec<_> = KEY.lines().collect();
    let end = format!("⟦{}⟧\nbehind\n", lines[2..].join("\n"));
    let beginning = format!("before\n⟦{}⟧", lines[..3].join("\n"));
    check_all([end.clone(), beginning.clone()]);
    let frames = FRAMES.iter().chain(LEADERS).map(|(_, frame)| *frame);
    check_all(frames.flat_map(|frame| [framed(frame, &end), framed(frame, &beginning)]));
}

/// The values before and after a change are below the same name.
#[test]
fn both_sides_of_a_diff_are_read() {
    check(&[
        "@@ -8,3 +8,3 @@\n     - name: DB_PASSWORD\n-      value: ⟦Sunset22!a⟧\n+      value: ⟦Sunset22!b⟧\n       more: x\n",
        "     - name: DB_PASSWORD\n-      value: ⟦Sunset22!a⟧\n+      value: ⟦Sunset22!b⟧\n       more: x\n",
        "@@ -8,3 +8,1 @@\n     - name: DB_PASSWORD\n-      value: ⟦Sunset22!a⟧\n-      more: x\n",
        "@@ -1,2 +0,0 @@\n-- name: DB_PASSWORD\n-  value: ⟦Sunset22!a⟧\n",
        "@@\n-- name: DB_PASSWORD\n-  value: ⟦Sunset22!a⟧\n+- name: DB_PASSWORD\n+  value: ⟦Sunset22!b⟧\n",
    ]);
}

#[test]
fn terminal_escapes_are_not_part_of_values() {
    const ESCAPES: &[(&str, &str)] = &[
        ("\x1b[32m", "\x1b[0m"),
        ("\x1b[1;38;5;12m", "\x1b[m"),
        ("\\033[32m", "\\033[0m"),
        ("\\x1b[36m", "\\x1b[0m"),
        ("\\e[32m", "\\e[0m"),
        ("\\E[32m", "\\E[0m"),
        ("\\u001b[32m", "\\u001b[0m"),
        ("\\\\u001b[32m", "\\\\u001b[0m"),
        ("^[[32m", "^[[0m"),
        ("\x1b]8;;https://example.com\x1b\\", "\x1b]8;;\x1b\\"),
        ("\u{200b}", "\u{feff}"),
    ];
    const TEXTS: &[&str] = &[
        "{}⟦ghp_1B4f8Kd02LmNpQ7sTuVwXyZaBcDeFg0a36IH⟧{}",
        "host {}⟦10.0.3.17⟧{} is up",
        "DB_PASSWORD={}⟦Sunset22!a⟧{}",
        "{}DB_PASSWORD{}={}⟦Sunset22!a⟧{}",
        "mail {}⟦alice@firma.de⟧{} now",
        "postgres://app:{}⟦Sunset22!a⟧{}@db/x",
        "DB_{}PASSWORD{}: ⟦Sun{}set22{}!a⟧ ok",
    ];
    let mut texts = Vec::new();
    for (on, off) in ESCAPES {
        for text in TEXTS {
            let mut both = [on, off].into_iter().cycle();
            let parts = text.split("{}");
            let text = parts.fold(String::new(), |text, part| {
                if text.is_empty() && !part.is_empty() {
                    return part.to_owned();
                }
                let escape = both.next().unwrap_or(on);
                text + escape + part
            });
            texts.push(text);
        }
    }
    check(&texts.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn values_are_found_in_encoded_spellings() {
    check(&[
        "https://x.example/?email=⟦alice%40firma.de⟧",
        "https://x.example/?email=⟦alice%2540firma.de⟧&x=1",
        "mysql:\\/\\/app:⟦Sunset22x⟧@db",
        "<a href=\"mailto:⟦alice&#64;firma.de⟧\">",
        "mail ⟦alice&commat;firma&period;de⟧",
        "?log=%1B%5B32mcard%20⟦4539%201488%200343%206467⟧%1B%5B0m",
        "mail ⟦ａｌｉｃｅ＠ｆｉｒｍａ．ｄｅ⟧",
        "Karte ⟦４５３９ １４８８ ０３４３ ６４６７⟧",
        "mail ⟦alice\\u0040firma.de⟧",
        "**⟦2001:db8::8a2e:370:7334⟧**",
        "_⟦ghp_1B4f8Kd02LmNpQ7sTuVwXyZaBcDeFg0a36IH⟧_",
        "source:⟦2a02:8109:b6c0:1::2⟧",
        "log: {\"body\": \"- name: DB_PASSWORD\\n  value: ⟦Sunset22!a⟧\\n  more: x\"} ",
    ]);
}

#[test]
fn quoted_printable_mails_are_decoded() {
    let head = "From: x\nContent-Transfer-Encoding: quoted-printable\n\n";
    let mails = [
        "Your password: ⟦Purpl3=24garden=21⟧\nbye",
        "mail ⟦alice=40firma.de⟧ soon",
        "mail ⟦alice@fir=\nma.de⟧ soon",
        "mail ⟦alice@fir=\r\nma.de⟧ soon",
        "mail ⟦j=C3=BCrgen@firma.de⟧ soon",
    ];
    let mails: Vec<_> = mails.iter().map(|mail| format!("{head}{mail}")).collect();
    check(&mails.iter().map(String::as_str).collect::<Vec<_>>());
    // Elsewhere it is a sign like others.
    check(&["f(a=40firma.de)"]);
}

/// Text that only looks like framing.
#[test]
fn framing_lookalikes_do_not_change_what_is_found() {
    check(&[
        "1. buy milk\n2. call ⟦+49 170 1234567⟧\n3. sleep\n",
        "⟦+49 170 1234567⟧\n⟦+49 171 1234568⟧\n⟦+49 172 1234569⟧\n",
        "⟦2001:db8:0:1::8a2e⟧\n⟦2002:db8:0:1::8a2f⟧\n⟦2003:db8:0:1::8a30⟧\n",
        "\tpassword\n0\t⟦Sunset22!a⟧\n1\t⟦Marble22!b⟧\n",
        "id\tuser\tpassword\n1\tbob\t⟦Sunset22!a⟧\n2\tann\t⟦Marble22!b⟧\n",
        "id|user|password\n1|bob|⟦Sunset22!a⟧\n2|ann|⟦Marble22!b⟧\n",
        " id | user | password\n----+------+------------\n  1 | bob  | ⟦Sunset22!a⟧\n  2 | ann  | ⟦Marble22!b⟧\n",
        "passwords:\n- ⟦Sunset22!a⟧\n- ⟦Marble22!b⟧\n",
        "* the password is ⟦Sunset22!a⟧\n* the host is db\n",
        "secrets:\n  - name: DB_PASSWORD\n    value: ⟦Sunset22!a⟧\n  - name: ADMIN_PASSWORD\n    value: ⟦Marble22!b⟧\n",
        "1,22,333\n2,33,444\n3,44,555\n",
        "10:30 stand-up\n11:45 lunch\n12:00 review\n",
        "@@ -1,2 +1,2 @@\n-5\n-6\n+7\n+8\n",
        "switch (x) {\n1: return 12;\n2: return 13;\n}\n",
        "│ id │ password   │\n│ 1  │ ⟦Sunset22!a⟧ │\n",
    ]);
}

/// What frames a text may itself be a value.
#[test]
fn values_inside_framing_are_found() {
    check(&[
        "Nov 22 10:00:01 ⟦10.0.3.17⟧ sshd[12]: up\nNov 22 10:00:02 ⟦10.0.3.17⟧ sshd[12]: down\n",
        "⟦alice@firma.example⟧/notes.txt:12:one\n⟦alice@firma.example⟧/notes.txt:13:two\n",
        "\u{1b}]8;;mailto:⟦alice@firma.example⟧\u{1b}\\write\u{1b}]8;;\u{1b}\\ to us",
        "@@ -1,1 +1,1 @@ password = \"⟦Sunset22!a⟧\"\n x\n",
    ]);
}

/// The user's own patterns may match framing itself.
#[test]
fn user_patterns_match_the_text_and_its_readings() {
    let settings = engine::detect::DetectorSettings {
        built_in: false,
        patterns: vec![(engine::EntityType::SECRET, r"\d+\tone|two three".to_owned())],
        ..Default::default()
    };
    let detectors = Detectors::new(&settings).expect("patterns");
    let text = "8\tone\n9\ttwo\u{200b} three\n";
    let mut found = Vec::new();
    detectors.detect(text, None, &mut found);
    let mut values: Vec<_> = found
        .iter()
        .map(|found| &text[found.start..found.end])
        .collect();
    values.sort_unstable();
    assert_eq!(values, ["8\tone", "two\u{200b} three"]);
}

/// A space is a space to a reader, whatever character it is: French puts one before a colon, and
/// text pasted from a page is full of them.
#[test]
fn unicode_spaces_and_line_breaks_do_not_hide_values() {
    for space in ["\u{a0}", "\u{202f}", "\u{2003}", "\u{3000}"] {
        let texts = TEXTS.iter().map(|text| text.replace(' ', space));
        check_all(texts);
        check_all([
            format!("Mot de passe{space}: ⟦Sunset22!a⟧"),
            format!("パスワード：{space}⟦Sunset22!a⟧\n"),
            format!("curl{space}-u{space}bob:⟦Sunset22!a⟧ https://api.example.com"),
        ]);
    }
    for end in ["\u{2028}", "\u{2029}", "\u{85}"] {
        check_all(TEXTS.iter().map(|text| text.replace('\n', end)));
    }
}

/// An allowed value is allowed in every spelling.
#[test]
fn allowed_values_are_allowed_in_every_reading() {
    let settings = engine::detect::DetectorSettings {
        allow: vec![engine::detect::Allowed {
            entity: None,
            values: engine::detect::AllowedValues::Exact("help@firma.example".to_owned()),
        }],
        ..Default::default()
    };
    let detectors = Detectors::new(&settings).expect("settings");
    let mut found = Vec::new();
    detectors.detect("?to=help%40firma.example", None, &mut found);
    assert!(found.is_empty(), "{found:?}");
}

/// A name given with a text belongs to it in every reading.
#[test]
fn a_named_text_is_found_without_its_frame() {
    let text = "\u{1b}[32mSunset22!a\u{1b}[0m";
    let found = unnamed::detections(text, Some("password"));
    let values: Vec<_> = found
        .iter()
        .map(|found| &text[found.start..found.end])
        .collect();
    assert_eq!(values, ["Sunset22!a"]);
}

/// A value that is longer than most is masked to its end.
#[test]
fn long_framed_values_are_found_completely() {
    let long = "Sunset22!a".repeat(800);
    let url = "Sunset22xa".repeat(800);
    check_all([
        format!("<password>⟦{long}⟧</password>"),
        format!("postgres://app:⟦{url}⟧@db.internal/x"),
    ]);
}

/// From some depth on nothing was read: JSON in JSON in a line of a log from the sixth level on.
#[test]
fn a_value_is_found_under_nested_encodings() {
    let json = |text: &str| serde_json::to_string(text).unwrap();
    let unicode = |text: &str| text.replace('\\', "\\u005c").replace('@', "\\u0040");
    let encodings = [
        ("{\"password\": \"Kx9-77-zzQ\"}", json as fn(&str) -> String),
        ("to alice@example.com", unicode),
    ];
    for (answer, encode) in encodings {
        let mut text = answer.to_owned();
        for depth in 1..10 {
            text = encode(&text);
            let line = format!("2026-11-25 INFO got {text} from x");
            assert_eq!(found(&line).len(), 1, "{depth}: {line}");
        }
    }
    // Nobody writes so: what can't be read in time is hidden.
    let deep = (0..2000).fold("alice@example.com".to_owned(), |text, _| {
        text.replace('\\', "\\u005c").replace('@', "\\u0040")
    });
    assert_eq!(found(&format!("see {deep} there")), [deep]);
}

/// What stood behind a tab in a value was sent, and so was all of several words with one that is spelled out.
#[test]
fn white_space_within_a_value_does_not_end_it() {
    check(&[
        r#"password = "⟦hun ter2-K\tx9 zz⟧""#,
        r#"here: {"password": "⟦hun ter2-K\tx9 zz⟧"} ok"#,
        r#"connect(password="⟦hun ter2-K\nx9 zz⟧")"#,
        "db:\n  password: \"⟦hun ter2-K\tx9 zz⟧\"\n",
        "DB_PASSWORD=\"⟦kT9x\tQ0815-Kx⟧\"\n",
        "curl -H 'X-Api-Key: ⟦kT9x\tQ0815-Kx⟧' https://x.example",
        "curl -u 'bob:⟦kT9x\tQ0815-Kx⟧' https://x.example",
        "Host: x.example\nX-Api-Key: ⟦kT9x\tQ0815-Kx⟧\nAccept: */*\n",
        // A column, a comment, a path and a pattern.
        "password: ⟦kT9xQ0815-Kx⟧\tuser: bob\n",
        r#"password_file = "C:\temp\new keys""#,
        r#"password_pattern = "^[\w\t ]+$""#,
    ]);
}
