//! The proxy under attack, and its vault.

use std::fs::{self, OpenOptions};
use std::io;
use std::path::PathBuf;
use std::process::Stdio;
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

const CONFIG: &str = "maskproxy.yaml";

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

/// Instances of the proxy with one configuration, each on one port, however often it is started.
pub(crate) struct Target {
    directory: TempDir,
    instances: [Instance; 2],
    vault: Vault,
    redis: Option<Redis>,
    upstream: String,
    strategy: &'static str,
    version: u32,
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
        let strategy = random.of_these(&["ephemeral", "client", "conversation"]);
        let anchor = random
            .once_in(2)
            .then_some("a secret of thirty-two characters");
        let instances = ["one", "two"].map(|name| Instance::new(name, &directory, anchor));
        let mut target = Self {
            directory,
            instances,
            vault,
            redis,
            upstream: upstream.to_owned(),
            strategy,
            version: 0,
        };
        target.reconfigure()?;
        for instance in &mut target.instances {
            instance.start().await?;
        }
        Ok(target)
    }

    pub(crate) fn urls(&self) -> Vec<String> {
        let instances = self.instances.iter();
        instances.map(|instance| instance.port.url()).collect()
    }

    /// Does one thing to it, and describes it.
    pub(crate) async fn disturb(&mut self, random: &mut Random) -> Result<String, String> {
        let pause = random.between(50, 900);
        let which = random.below(self.instances.len());
        let instance = &mut self.instances[which];
        let name = instance.name;
        let seen = match random.between(0, 10) {
            0 | 1 => {
                instance.kill().await;
                instance.start().await?;
                format!("{name} killed")
            }
            2 => {
                signals::send(Signal::STOP, instance.pid()?);
                sleep(Duration::from_millis(pause)).await;
                signals::send(Signal::CONT, instance.pid()?);
                format!("{name} paused {pause} ms")
            }
            3 => {
                instance.stop().await?;
                instance.start().await?;
                format!("{name} stopped")
            }
            4 | 5 => {
                signals::send(Signal::HUP, instance.pid()?);
                format!("{name} hung up")
            }
            6 | 7 => {
                self.reconfigure()?;
                "reconfigured".to_owned()
            }
            _ => self.disturb_vault(random, pause).await?,
        };
        for instance in &mut self.instances {
            if let Some(ended) = instance.ended() {
                let printed = instance.printed();
                return Err(format!("the proxy ended: {ended} after {seen}: {printed}"));
            }
        }
        Ok(seen)
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

    /// Repairs everything, so that clients get their last answers.
    pub(crate) async fn recover(&mut self) -> Result<(), String> {
        for instance in &mut self.instances {
            instance.wait_until_it_serves().await?;
        }
        Ok(())
    }

    /// Stops it for good, and checks what it wrote.
    pub(crate) async fn stop(&mut self) -> Result<(), String> {
        for instance in &mut self.instances {
            instance.stop().await?;
            instance.check()?;
        }
        Ok(())
    }

    /// Replaces the configuration.
    fn reconfigure(&mut self) -> Result<(), String> {
        self.version += 1;
        let directory = self.directory.path();
        let vault = match (&self.redis, self.vault) {
            (Some(redis), _) => format!("{{type: redis, redis_url: '{}'}}", redis.url()),
            (None, Vault::Sqlite) => {
                let path = directory.join("vault.db");
                format!("{{type: sqlite, dsn: '{}'}}", path.display())
            }
            (None, _) => "{type: memory}".to_owned(),
        };
        let yaml = format!(
            "proxy: {{upstream: '{}', timeout: 3, connect_timeout: 2}}\n\
             session: {{strategy: {}}}\nvault: {vault}\n\
             provider: {{headers: {{x-version: '{}'}}}}\n",
            self.upstream, self.strategy, self.version
        );
        let (new, file) = (directory.join("new.yaml"), directory.join(CONFIG));
        let written = fs::write(&new, yaml).and_then(|()| fs::rename(new, file));
        written.map_err(|error| error.to_string())
    }
}

/// One proxy on its port.
struct Instance {
    name: &'static str,
    directory: PathBuf,
    port: Reserved,
    anchor: Option<&'static str>,
    child: Option<Child>,
}

impl Instance {
    fn new(name: &'static str, directory: &TempDir, anchor: Option<&'static str>) -> Self {
        Self {
            name,
            directory: directory.path().to_owned(),
            port: Reserved::new(),
            anchor,
            child: None,
        }
    }

    async fn start(&mut self) -> Result<(), String> {
        let spawned = self.spawn().map_err(|error| error.to_string())?;
        self.child = Some(spawned);
        self.wait_until_it_serves().await
    }

    fn spawn(&self) -> io::Result<Child> {
        let output = || {
            let path = self.path("output");
            OpenOptions::new().create(true).append(true).open(path)
        };
        let mut command = Command::new(binary());
        command
            .args(["proxy", "--reload", "-c", CONFIG, "--port"])
            .arg(self.port.port().to_string())
            .env_clear()
            .env("MASK_AUDIT_PATH", self.path("audit"))
            .current_dir(&self.directory)
            .stdin(Stdio::null())
            .stdout(output()?)
            .stderr(output()?)
            .kill_on_drop(true);
        if let Some(anchor) = self.anchor {
            command.env("MASK_ANCHOR_SECRET", anchor);
        }
        command.spawn()
    }

    async fn wait_until_it_serves(&mut self) -> Result<(), String> {
        let begun = Instant::now();
        let address = ("127.0.0.1", self.port.port());
        while TcpStream::connect(address).await.is_err() {
            if let Some(ended) = self.ended() {
                let printed = self.printed();
                return Err(format!("it did not start: {ended}: {printed}"));
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

    /// Stops it properly.
    async fn stop(&mut self) -> Result<(), String> {
        signals::send(Signal::TERM, self.pid()?);
        let Some(mut child) = self.child.take() else {
            return Ok(());
        };
        match timeout(PATIENCE, child.wait()).await {
            Ok(Ok(status)) if status.success() => Ok(()),
            ended => {
                let printed = self.printed();
                Err(format!("it did not stop well: {ended:?}: {printed}"))
            }
        }
    }

    /// Checks what it wrote.
    fn check(&self) -> Result<(), String> {
        let printed = self.printed();
        for bad in ["internal error", "panicked"] {
            if printed.contains(bad) {
                return Err(format!("{bad}: {printed}"));
            }
        }
        let audit = fs::read_to_string(self.path("audit")).unwrap_or_default();
        check_provider(&printed).and_then(|()| check_provider(&audit))
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

    /// All that it printed.
    fn printed(&self) -> String {
        fs::read_to_string(self.path("output")).unwrap_or_default()
    }

    fn path(&self, what: &str) -> PathBuf {
        self.directory.join(format!("{what}-{}", self.name))
    }
}
