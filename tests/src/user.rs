//! A user of `maskproxy run`.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::{Output, Stdio};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;
use tokio::time::timeout;

use crate::binary;

/// How long a command may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// A user with their own home, a project to work in, and fake tools on the PATH.
#[derive(Debug)]
pub struct User {
    directory: TempDir,
    environment: Vec<(String, String)>,
}

impl Default for User {
    fn default() -> Self {
        Self::new()
    }
}

impl User {
    /// A user with only the tools.
    #[must_use]
    pub fn new() -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        for name in ["home", "project", "bin"] {
            fs::create_dir(directory.path().join(name)).expect("a directory");
        }
        let user = Self {
            directory,
            environment: Vec::new(),
        };
        for tool in [
            "claude", "codex", "opencode", "qwen", "aider", "llm", "openai", "gemini", "cline",
            "my-tool",
        ] {
            let fake = binary().with_file_name("fake-tool");
            symlink(fake, user.path("bin").join(tool)).expect("a link");
        }
        user
    }

    /// With this variable in the environment.
    #[must_use]
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }

    /// A path in the user's directory: `home`, `project`, `bin`.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// `maskproxy run` with these arguments, started in the project.
    #[must_use]
    pub fn command(&self, arguments: &[&str]) -> Command {
        let path = std::env::var("PATH").unwrap_or_default();
        let mut command = Command::new(binary());
        command
            .arg("run")
            .args(arguments)
            .env_clear()
            .env("HOME", self.path("home"))
            .env("PATH", format!("{}:{path}", self.path("bin").display()))
            .envs(self.environment.iter().cloned())
            .current_dir(self.path("project"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        command
    }

    /// Runs to the end, with this on standard input.
    pub async fn run(&self, arguments: &[&str], input: &str) -> Ended {
        let mut child = self.command(arguments).spawn().expect("it starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        // A tool that reads no input may have ended by now.
        let _ = stdin.write_all(input.as_bytes()).await;
        drop(stdin);
        let output = timeout(PATIENCE, child.wait_with_output()).await;
        Ended::new(&output.expect("it ends").expect("an output"))
    }
}

/// The output of a command.
#[derive(Debug)]
pub struct Ended {
    /// The exit code; none when a signal ended it.
    pub code: Option<i32>,
    /// Standard output.
    pub printed: String,
    /// Standard error.
    pub errors: String,
}

impl Ended {
    fn new(output: &Output) -> Self {
        Self {
            code: output.status.code(),
            printed: String::from_utf8_lossy(&output.stdout).into_owned(),
            errors: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// The arguments and environment of the fake tool.
    #[must_use]
    pub fn seen(&self) -> Value {
        let line = self.printed.lines().next().unwrap_or_default();
        serde_json::from_str(line).unwrap_or_else(|_| panic!("{}{}", self.printed, self.errors))
    }
}
