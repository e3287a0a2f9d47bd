//! The proxy under attack, and its vault.

use std::fs::{self, File, OpenOptions};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use tests::signals::{self, Signal};
use tests::{Redis, Reserved, binary};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};
use tokio::time::{sleep, timeout};

use crate::client::check_provider;
use crate::random::Random;

/// How long a start or a stop may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(40);

/// Where sessions are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Vault {
    Memory,
    Sqlite,
    Redis,
}

impl Vault {
    pub(crate) const ALL: [Self; 3] = [Self::Memory, Self::Sqlite, Self::Redis];
}

/// A proxy on one port, however often it is started.
pub(crate) struct Target {
    directory: TempDir,
    port: Reserved,
    vault: Vault,
    redis: Option<Redis>,
    upstream: String,
    strategy: &'static str,
    anchor: Option<&'static str>,
    version: u32,
    child: Option<Child>,
}

impl Target {
    pub(crate) async fn start(
        vault: Vault,
        upstream: &str,
        random: &mut Random,
    ) -> Result<Self, String> {
        let redis = match vault {
            Vault::Redis => Some(Redis::start().await),
            Vault::Memory | Vault::Sqlite => None,
        };
        let directory = tempfile::tempdir().map_err(|error| error.to_string())?;
        let port = Reserved::new();
        let mut target = Self {
            child: None,
            directory,
            port,
            vault,
            redis,
            upstream: upstream.to_owned(),
            strategy: random.of_these(&["ephemeral", "client", "conversation"]),
            anchor: random
                .once_in(2)
                .then_some("a secret of thirty-two characters"),
            version: 0,
        };
        target.start_again().await?;
        Ok(target)
    }

    pub(crate) fn url(&self) -> String {
        self.port.url()
    }

    /// Does one thing to it, and tells what.
    pub(crate) async fn disturb(&mut self, random: &mut Random) -> Result<String, String> {
        let pause = random.between(50, 900);
        let told = match random.between(0, 10) {
            0 | 1 => {
                self.kill().await;
                self.start_again().await?;
                "killed".to_owned()
            }
            2 => {
                signals::send(Signal::STOP, self.pid()?);
                sleep(Duration::from_millis(pause)).await;
                signals::send(Signal::CONT, self.pid()?);
                format!("paused {pause} ms")
            }
            3 => {
                self.stop_gracefully().await?;
                self.start_again().await?;
                "stopped".to_owned()
            }
            4 | 5 => {
                signals::send(Signal::HUP, self.pid()?);
                "hung up".to_owned()
            }
            6 | 7 => {
                self.reconfigure()?;
                "reconfigured".to_owned()
            }
            _ => self.disturb_vault(random, pause).await?,
        };
        match self.ended() {
            None => Ok(told),
            Some(ended) => Err(format!(
                "the proxy ended: {ended} after {told}: {}",
                self.printed()
            )),
        }
    }

    async fn disturb_vault(&mut self, random: &mut Random, pause: u64) -> Result<String, String> {
        let pause_time = Duration::from_millis(pause);
        match (&mut self.redis, self.vault) {
            (Some(redis), _) if random.once_in(2) => {
                redis.stop().await;
                sleep(pause_time).await;
                redis.start_again().await;
                Ok(format!("Redis away for {pause} ms"))
            }
            (Some(redis), _) => {
                redis.pause();
                sleep(pause_time).await;
                redis.resume();
                Ok(format!("Redis paused {pause} ms"))
            }
            (None, Vault::Sqlite) => {
                for name in ["vault.db", "vault.db-wal", "vault.db-shm"] {
                    // It may not be there yet.
                    let _ = fs::remove_file(self.directory.path().join(name));
                }
                Ok("vault removed".to_owned())
            }
            (None, _) => Ok("nothing".to_owned()),
        }
    }

    /// What is wrong so far no longer is: clients get their last answers.
    pub(crate) async fn recover(&mut self) -> Result<(), String> {
        self.wait_until_it_serves().await
    }

    /// Stops it for good, and looks at what it wrote.
    pub(crate) async fn stop(&mut self) -> Result<(), String> {
        self.stop_gracefully().await?;
        let printed = self.printed();
        for bad in ["internal error", "panicked"] {
            if printed.contains(bad) {
                return Err(format!("{bad}: {printed}"));
            }
        }
        let audit = fs::read_to_string(self.path("audit.log")).unwrap_or_default();
        check_provider(&printed).and_then(|()| check_provider(&audit))
    }

    async fn start_again(&mut self) -> Result<(), String> {
        self.reconfigure()?;
        self.child = Some(spawn(&self.directory, &self.port, self.anchor)?);
        self.wait_until_it_serves().await
    }

    async fn wait_until_it_serves(&mut self) -> Result<(), String> {
        let begun = Instant::now();
        while TcpStream::connect(("127.0.0.1", self.port.port()))
            .await
            .is_err()
        {
            if let Some(ended) = self.ended() {
                return Err(format!("it did not start: {ended}: {}", self.printed()));
            }
            if begun.elapsed() > PATIENCE {
                return Err(format!("it does not serve: {}", self.printed()));
            }
            sleep(Duration::from_millis(10)).await;
        }
        Ok(())
    }

    async fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            // It may have ended.
            let _ = child.kill().await;
        }
    }

    async fn stop_gracefully(&mut self) -> Result<(), String> {
        signals::send(Signal::TERM, self.pid()?);
        let Some(mut child) = self.child.take() else {
            return Ok(());
        };
        match timeout(PATIENCE, child.wait()).await {
            Ok(Ok(status)) if status.success() => Ok(()),
            ended => Err(format!(
                "it did not stop well: {ended:?}: {}",
                self.printed()
            )),
        }
    }

    fn pid(&self) -> Result<u32, String> {
        let gone = || format!("the proxy is gone: {}", self.printed());
        let id = self.child.as_ref().and_then(Child::id);
        id.ok_or_else(gone)
    }

    /// How it ended by itself, if it did.
    fn ended(&mut self) -> Option<String> {
        match self.child.as_mut()?.try_wait() {
            Ok(None) => None,
            ended => Some(format!("{ended:?}")),
        }
    }

    /// Puts another configuration in the place of the former.
    fn reconfigure(&mut self) -> Result<(), String> {
        self.version += 1;
        let vault = match (&self.redis, self.vault) {
            (Some(redis), _) => format!("{{type: redis, redis_url: '{}'}}", redis.url()),
            (None, Vault::Sqlite) => {
                format!(
                    "{{type: sqlite, dsn: '{}'}}",
                    self.path("vault.db").display()
                )
            }
            (None, _) => "{type: memory}".to_owned(),
        };
        let yaml = format!(
            "proxy: {{upstream: '{}', timeout: 3, connect_timeout: 2}}\n\
             session: {{strategy: {}}}\nvault: {vault}\n\
             provider: {{headers: {{x-version: '{}'}}}}\n",
            self.upstream, self.strategy, self.version
        );
        let (new, file) = (self.path("new.yaml"), self.path("maskproxy.yaml"));
        let written = fs::write(&new, yaml).and_then(|()| fs::rename(new, file));
        written.map_err(|error| error.to_string())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// All that it printed.
    fn printed(&self) -> String {
        fs::read_to_string(self.path("output")).unwrap_or_default()
    }
}

fn spawn(directory: &TempDir, port: &Reserved, anchor: Option<&str>) -> Result<Child, String> {
    let output = || -> std::io::Result<File> {
        let path = directory.path().join("output");
        OpenOptions::new().create(true).append(true).open(path)
    };
    let (out, err) = (output(), output());
    let mut command = Command::new(binary());
    command
        .args(["proxy", "--reload", "-c", "maskproxy.yaml", "--port"])
        .arg(port.port().to_string())
        .env_clear()
        .env("MASK_AUDIT_PATH", "audit.log")
        .current_dir(directory.path())
        .stdin(std::process::Stdio::null())
        .stdout(out.map_err(|error| error.to_string())?)
        .stderr(err.map_err(|error| error.to_string())?)
        .kill_on_drop(true);
    if let Some(anchor) = anchor {
        command.env("MASK_ANCHOR_SECRET", anchor);
    }
    command.spawn().map_err(|error| error.to_string())
}
