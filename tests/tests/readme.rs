//! The README's commands work.

use tests::{Client, maskproxy};

const README: &str = include_str!("../../README.md");

/// The lines of the fenced blocks.
fn code() -> impl Iterator<Item = &'static str> {
    let blocks = README.split("```").skip(1).step_by(2);
    blocks.flat_map(|block| block.lines().skip(1))
}

/// The words of a command line, as a shell splits them.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (at, part) in line.split('"').enumerate() {
        match at % 2 {
            0 => words.extend(part.split_whitespace().map(str::to_owned)),
            _ => words.push(part.to_owned()),
        }
    }
    words
}

#[tokio::test]
async fn every_command_runs() {
    let commands: Vec<_> = code()
        .filter(|line| ["cargo ", "maskproxy "].iter().any(|c| line.starts_with(c)))
        .collect();
    assert_eq!(
        commands.len(),
        5,
        "a new command needs its check here: {commands:?}"
    );
    for command in commands {
        let words = words(command);
        let arguments: Vec<_> = words.iter().map(String::as_str).collect();
        match arguments.as_slice() {
            ["cargo", "install", "--locked", "--path", path] => {
                let manifest = include_str!("../../shell/Cargo.toml");
                assert!(*path == "shell" && manifest.contains("name = \"maskproxy\""));
            }
            // `run.rs` runs it.
            ["maskproxy", "run", tool] => {
                let (status, printed, _) = maskproxy(&["run", "--list"], "").await;
                assert_eq!(status, Some(0));
                assert!(
                    printed.lines().any(|line| line.starts_with(tool)),
                    "{printed}"
                );
            }
            ["maskproxy", "proxy", ..] => starts(&arguments[1..]).await,
            ["maskproxy", "detect", ".env", ..] => finds_in_a_file().await,
            ["maskproxy", rest @ ..] => {
                let (status, printed, errors) = maskproxy(rest, "").await;
                assert_eq!((status, errors.as_str()), (Some(0), ""), "{printed}");
                assert!(printed.contains("<MASK_"), "{printed}");
            }
            other => panic!("unchecked: {other:?}"),
        }
    }
}

/// A file that holds a secret fails the command.
async fn finds_in_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join(".env");
    std::fs::write(&file, "DB_PASSWORD=hunter2-Kx9\n").expect("a file");
    let (status, printed, _) = maskproxy(&["detect", &file.to_string_lossy()], "").await;
    assert_eq!(status, Some(1), "{printed}");
    assert!(printed.contains("SECRET"), "{printed}");
}

/// The proxy starts with these arguments, on a port that is free.
async fn starts(arguments: &[&str]) {
    let [mode, "--upstream", upstream] = arguments else {
        panic!("{arguments:?}")
    };
    assert_eq!(*mode, "proxy");
    let proxy = tests::Proxy::start(upstream).await;
    let health = Client::get(&proxy.url(), "/health").await;
    assert_eq!(health.text(), r#"{"status":"ok"}"#);
}
