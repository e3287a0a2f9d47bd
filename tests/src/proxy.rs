//! The real binary, running.

use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;
use tokio::io::AsyncWriteExt;
use tokio::process::{Child, Command};
use tokio::time::sleep;

use crate::client::Client;
use crate::signals::{self, Signal};

/// How long a start, an end or a line may take on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

const CONFIG: &str = "maskproxy.yaml";

/// How the proxy is started, beyond upstream and port.
#[derive(Debug, Clone, Default)]
pub struct ProxyOptions {
    /// More flags.
    pub flags: Vec<String>,
    /// More environment variables.
    pub environment: Vec<(String, String)>,
    /// The configuration file, as YAML.
    pub yaml: Option<String>,
    /// Whether it serves HTTPS.
    pub https: bool,
}

impl ProxyOptions {
    /// Adds a configuration file.
    #[must_use]
    pub fn config(mut self, path: &Path) -> Self {
        let path = path.to_string_lossy().into_owned();
        self.flags.extend(["-c".to_owned(), path]);
        self
    }

    /// Adds a flag.
    #[must_use]
    pub fn flag(mut self, flag: &str) -> Self {
        self.flags.push(flag.to_owned());
        self
    }

    /// Names a configuration file with this YAML.
    #[must_use]
    pub fn yaml(mut self, yaml: &str) -> Self {
        self.yaml = Some(yaml.to_owned());
        self
    }

    /// Says that it serves HTTPS.
    #[must_use]
    pub fn https(mut self) -> Self {
        self.https = true;
        self
    }

    /// Adds an environment variable.
    #[must_use]
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }
}

/// A running proxy with its own directory; it is killed when dropped.
#[derive(Debug)]
pub struct Proxy {
    child: Child,
    directory: TempDir,
    port: u16,
}

impl Proxy {
    /// Starts one on a free port and waits until it serves.
    pub async fn start(upstream: &str) -> Self {
        Self::start_with(upstream, &ProxyOptions::default()).await
    }

    /// Starts one with options.
    pub async fn start_with(upstream: &str, options: &ProxyOptions) -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let output = |name: &str| {
            let file = std::fs::File::create(directory.path().join(name)).expect("an output file");
            Stdio::from(file)
        };
        let mut command = Command::new(binary());
        command.args(["proxy", "--upstream", upstream, "--host", "127.0.0.1"]);
        if let Some(yaml) = &options.yaml {
            let path = directory.path().join(CONFIG);
            std::fs::write(&path, yaml).expect("a configuration file");
            command.arg("-c").arg(path);
        }
        let child = command
            .args(["--port", "0"])
            .args(&options.flags)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("MASK_AUDIT_PATH", directory.path().join("audit.log"))
            .envs(options.environment.iter().cloned())
            .current_dir(directory.path())
            .stdin(Stdio::null())
            .stdout(output("stdout"))
            .stderr(output("stderr"))
            .kill_on_drop(true)
            .spawn()
            .expect("the proxy starts");
        let mut proxy = Self {
            child,
            directory,
            port: 0,
        };
        proxy.port = proxy.announced_port().await;
        proxy.wait_until_it_serves(options.https).await;
        proxy
    }

    /// Where it listens, as `http://host:port`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Where other gateways have texts masked, as `http://host:port`.
    #[must_use]
    pub fn guardrail(&self) -> String {
        let printed = self.printed();
        let mut lines = printed.lines();
        let address = lines.find_map(|line| line.strip_prefix("guardrail at "));
        address.expect("a guardrail").to_owned()
    }

    /// Its port.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Its directory.
    #[must_use]
    pub fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// Changes the configuration file, all of it at once.
    pub fn reconfigure(&self, yaml: &str) {
        let new = self.directory.path().join("new.yaml");
        std::fs::write(&new, yaml).expect("a configuration file");
        std::fs::rename(new, self.directory.path().join(CONFIG)).expect("put in place");
    }

    /// Removes the configuration file.
    pub fn remove_configuration(&self) {
        std::fs::remove_file(self.directory.path().join(CONFIG)).expect("a configuration file");
    }

    /// Waits until it has printed a text.
    pub async fn prints(&self, text: &str) {
        self.prints_times(text, 1).await;
    }

    /// Waits until it has printed a text that many times.
    pub async fn prints_times(&self, text: &str, times: usize) {
        let begin = Instant::now();
        while self.printed().matches(text).count() < times {
            let patient = begin.elapsed() < PATIENCE;
            assert!(patient, "no '{text}' in:\n{}", self.printed());
            sleep(Duration::from_millis(20)).await;
        }
    }

    /// Its process id.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.id().expect("the proxy runs")
    }

    /// The lines that it printed so far, standard output and standard error. They gather for a moment
    /// before they are written: what is not there may still come, until it has [stopped](Self::stop).
    #[must_use]
    pub fn printed(&self) -> String {
        self.lines("stdout") + &self.lines("stderr")
    }

    /// The lines of the audit file so far; others may still come, as for [`printed`](Self::printed).
    #[must_use]
    pub fn audit_text(&self) -> String {
        self.lines("audit.log")
    }

    /// The audit events so far.
    #[must_use]
    pub fn audit(&self) -> Vec<Value> {
        let text = self.audit_text();
        text.lines()
            .map(|line| serde_json::from_str(line).expect("a JSON line"))
            .collect()
    }

    /// Waits until the audit file holds `count` events of that name, and returns them.
    pub async fn audited(&self, event: &str, count: usize) -> Vec<Value> {
        let begin = Instant::now();
        loop {
            let mut events = self.audit();
            events.retain(|line| line["event"] == event);
            if events.len() >= count {
                return events;
            }
            let text = self.audit_text();
            assert!(begin.elapsed() < PATIENCE, "no {count} {event} in:\n{text}");
            sleep(Duration::from_millis(20)).await;
        }
    }

    /// The metrics so far.
    pub async fn metrics(&self) -> String {
        Client::get(&self.url(), "/metrics").await.text()
    }

    /// Everything that it wrote anywhere: output, audit, and any other file but its configuration.
    #[must_use]
    pub fn written(&self) -> String {
        let mut all = String::new();
        let mut directories = vec![self.directory.path().to_owned()];
        while let Some(directory) = directories.pop() {
            for entry in std::fs::read_dir(directory).expect("a directory").flatten() {
                if entry.path().is_dir() {
                    directories.push(entry.path());
                } else if entry.file_name() != CONFIG {
                    all +=
                        &String::from_utf8_lossy(&std::fs::read(entry.path()).unwrap_or_default());
                }
            }
        }
        all
    }

    /// Sends SIGTERM.
    pub fn terminate(&self) {
        signals::send(Signal::TERM, self.pid());
    }

    /// Stops it properly: whatever it has to say is written then.
    pub async fn stop(&mut self) {
        self.terminate();
        assert_eq!(self.wait().await, Some(0), "{}", self.printed());
    }

    /// Kills it, without cleanup.
    pub async fn kill(&mut self) {
        self.child.kill().await.expect("the proxy is killed");
    }

    /// Waits for its end and returns the exit code.
    pub async fn wait(&mut self) -> Option<i32> {
        self.ended().await.code()
    }

    /// Waits for its end, of whatever kind.
    pub async fn ended(&mut self) -> ExitStatus {
        let ended = tokio::time::timeout(PATIENCE, self.child.wait()).await;
        ended.expect("the proxy ends").expect("a status")
    }

    /// The port that it took.
    async fn announced_port(&mut self) -> u16 {
        let begin = Instant::now();
        loop {
            let ended = self.child.try_wait().expect("a status");
            let printed = self.printed();
            let mut announced = printed
                .lines()
                .filter(|line| line.starts_with("listening on "))
                .filter_map(|line| line.rsplit(':').next()?.parse().ok());
            if let Some(port) = announced.next() {
                return port;
            }
            assert!(ended.is_none(), "the proxy ended at once: {printed}");
            assert!(begin.elapsed() < PATIENCE, "no address in: {printed}");
            sleep(Duration::from_millis(1)).await;
        }
    }

    /// Waits until signals are caught, too.
    async fn wait_until_it_serves(&self, https: bool) {
        if !https {
            let health = Client::get(&self.url(), "/health").await;
            assert_eq!(health.status, 200, "{}", self.printed());
        }
    }

    /// The whole lines of a file: of the last one there may be a part.
    fn lines(&self, name: &str) -> String {
        let bytes = std::fs::read(self.directory.path().join(name)).unwrap_or_default();
        let end = bytes.iter().rposition(|byte| *byte == b'\n');
        let lines = end.map_or(&[][..], |end| &bytes[..=end]);
        String::from_utf8_lossy(lines).into_owned()
    }
}

/// `MASKPROXY_BIN`, else the binary in the folder that this test was built into.
#[must_use]
pub fn binary() -> PathBuf {
    if let Some(path) = std::env::var_os("MASKPROXY_BIN") {
        return path.into();
    }
    let test = std::env::current_exe().expect("the test's own path");
    let built = test
        .ancestors()
        .map(|folder| folder.join("maskproxy"))
        .find(|path| path.is_file());
    built.expect("maskproxy is built first: cargo build -p maskproxy")
}

/// Runs the real binary to its end: exit code, standard output, standard error.
pub async fn maskproxy(arguments: &[&str], input: &str) -> (Option<i32>, String, String) {
    maskproxy_with(arguments, &[], input).await
}

/// The same with environment variables.
pub async fn maskproxy_with(
    arguments: &[&str],
    environment: &[(&str, &str)],
    input: &str,
) -> (Option<i32>, String, String) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let mut child = Command::new(binary())
        .args(arguments)
        .env_clear()
        // Else the user's own is found, with what `run` left there.
        .env("HOME", directory.path())
        .envs(environment.iter().copied())
        .current_dir(directory.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("the binary starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    // A command that reads no input may have ended by now.
    let _ = stdin.write_all(input.as_bytes()).await;
    drop(stdin);
    let ended = tokio::time::timeout(PATIENCE, child.wait_with_output()).await;
    let output = ended.expect("the command ends").expect("an output");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}
