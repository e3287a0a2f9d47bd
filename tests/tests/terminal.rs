//! Behaviour on a terminal, which `script` of util-linux provides.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use tests::{Mock, Proxy, binary, maskproxy};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::Command;
use tokio::time::{sleep, timeout};

const PATIENCE: Duration = Duration::from_secs(30);

/// Ctrl-C, as the keyboard sends it.
const CTRL_C: &[u8] = b"\x03";

/// Runs a shell command on a terminal; types `keys` once `ready` is printed. Exit code and what was shown.
async fn on_terminal(
    command: &str,
    home: &Path,
    ready: &str,
    keys: &[u8],
) -> (Option<i32>, String) {
    let mut child = Command::new("script")
        .args(["-qefc", command, "/dev/null"])
        .env_clear()
        .env("HOME", home)
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("TERM", "xterm-256color")
        .current_dir(home)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("script is installed");
    // Kept open: its end would be the terminal's.
    let mut keyboard = child.stdin.take().expect("a pipe");
    let mut screen = child.stdout.take().expect("a pipe");
    let run = async {
        let mut shown = Vec::new();
        let mut typed = false;
        while screen.read_buf(&mut shown).await.expect("a pipe") > 0 {
            if !typed && String::from_utf8_lossy(&shown).contains(ready) {
                keyboard.write_all(keys).await.expect("a pipe");
                keyboard.flush().await.expect("a pipe");
                typed = true;
            }
        }
        let status = child.wait().await.expect("a status");
        (status.code(), String::from_utf8_lossy(&shown).into_owned())
    };
    timeout(PATIENCE, run).await.expect("it ends")
}

#[tokio::test]
async fn a_tool_has_the_terminal_and_gets_ctrl_c_once() {
    let home = tempfile::tempdir().expect("a directory");
    let script = home.path().join("tool");
    // A loop, not one long wait: the key may come before the wait has begun.
    let text = "test -t 0 && test -t 1 && test -t 2 && echo has-terminal\n\
                n=0; trap 'n=$((n+1))' INT; echo ready\n\
                while test $n = 0; do sleep 0.1; done\n\
                sleep 0.5; exit $((40+n))\n";
    fs::write(&script, text).expect("a file");
    // Without `exec` the shell that `script` starts gets the signal, too.
    let command = format!("exec {} run sh --env-var X -- ./tool", binary().display());
    let (code, shown) = on_terminal(&command, home.path(), "ready", CTRL_C).await;
    assert!(shown.contains("has-terminal"), "{shown}");
    assert_eq!(code, Some(41), "one Ctrl-C: {shown}");
}

#[tokio::test]
async fn bars_and_colours_appear_only_on_terminals() {
    let home = tempfile::tempdir().expect("a directory");
    let trail = home.path().join("audit.log");
    let line = r#"{"ts":"2026-03-01T10:00:00.000Z","event":"proxy.request","status":200}"#;
    fs::write(&trail, format!("{line}\n")).expect("a file");
    let trail = trail.to_str().expect("UTF-8");
    for (arguments, mark) in [
        (&["audit", "stats", trail][..], "█"),
        (&["detect", "alice@example.com"], "\u{1b}[1m"),
    ] {
        let command = format!("{} {}", binary().display(), arguments.join(" "));
        let (_, shown) = on_terminal(&command, home.path(), "\u{0}", b"").await;
        assert!(shown.contains(mark), "{shown}");
        let (_, plain, _) = maskproxy(arguments, "").await;
        assert!(!plain.is_empty() && !plain.contains(mark), "{plain}");
    }
}

/// It was aborted when it could not say so on the terminal that was gone.
#[tokio::test]
async fn top_ends_when_its_terminal_is_closed() {
    let home = tempfile::tempdir().expect("a directory");
    let mock = Mock::start().await;
    let proxy = Proxy::start(&mock.url()).await;
    // Only `top` is to learn of it.
    let command = format!(
        "trap '' HUP; stty cols 80 rows 24; {} top --url {}; echo $? > code",
        binary().display(),
        proxy.url()
    );
    let mut child = Command::new("script")
        .args(["-qefc", &command, "/dev/null"])
        .env("HOME", home.path())
        .env("TERM", "xterm-256color")
        .current_dir(home.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .expect("script is installed");
    let mut screen = child.stdout.take().expect("a pipe");
    let mut shown = Vec::new();
    let drawn = async {
        while !String::from_utf8_lossy(&shown).contains("quits") {
            assert!(screen.read_buf(&mut shown).await.expect("a pipe") > 0);
        }
    };
    timeout(PATIENCE, drawn).await.expect("it draws");
    child.kill().await.expect("a process");
    let code = async {
        loop {
            match fs::read_to_string(home.path().join("code")) {
                Ok(code) if code.ends_with('\n') => break code,
                _ => sleep(Duration::from_millis(50)).await,
            }
        }
    };
    let code = timeout(PATIENCE, code).await.expect("it ends");
    assert!(["0\n", "1\n"].contains(&&*code), "{code}");
}

/// `mask` without a file seemed to hang.
#[tokio::test]
async fn a_prompt_asks_for_text_typed_on_the_terminal() {
    let home = tempfile::tempdir().expect("a directory");
    let command = format!("exec {} mask -s session", binary().display());
    let typed = b"to alice@example.com\n\x04";
    let (code, shown) = on_terminal(&command, home.path(), "Ctrl-D", typed).await;
    assert_eq!(code, Some(0), "{shown}");
    assert!(shown.contains("to <MASK_EMAIL_1>"), "{shown}");

    let command = format!("exec {} detect", binary().display());
    let (code, shown) = on_terminal(&command, home.path(), "Ctrl-D", typed).await;
    assert_eq!(code, Some(2), "{shown}");
    assert!(shown.contains("no text given"), "{shown}");
}
