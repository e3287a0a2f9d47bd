//! The files that `run` keeps for a user: the anchor secret, the audit trail, the log.

use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use engine::Sensitive;
use etcetera::BaseStrategy;
use etcetera::base_strategy::Xdg;

use crate::system::file;

/// The secret in hex.
const DIGITS: usize = 64;

/// The user's own directories for `maskproxy`.
#[derive(Debug)]
pub(in crate::cli) struct Home {
    config: PathBuf,
    state: PathBuf,
}

impl Home {
    /// As the XDG base directory specification places them; none when the user has no home.
    pub(in crate::cli) fn of_user() -> Option<Self> {
        let base = Xdg::new().ok()?;
        Some(Self {
            config: base.config_dir().join("maskproxy"),
            state: base.state_dir()?.join("maskproxy"),
        })
    }

    /// Makes the directory of what the user sets.
    pub(super) fn make_config(&self) -> io::Result<()> {
        make_private(&self.config)
    }

    /// Where `run` writes the audit trail.
    pub(in crate::cli) fn audit_file(&self) -> PathBuf {
        self.state.join("audit.log")
    }

    /// Where `run` writes the log.
    pub(super) fn log_file(&self) -> PathBuf {
        self.state.join("maskproxy.log")
    }

    /// Makes the directory of the two.
    pub(super) fn make_state(&self) -> io::Result<()> {
        make_private(&self.state)
    }

    /// Where the live page keeps what is never or always masked.
    pub(super) fn lists_file(&self) -> PathBuf {
        self.config.join("lists.yaml")
    }

    /// Where the anchor secret is kept.
    pub(super) fn anchor_file(&self) -> PathBuf {
        self.config.join("anchor-secret")
    }

    /// The user's anchor secret, made the first time.
    ///
    /// # Errors
    /// When it can't be read or kept, or what is kept is no secret.
    pub(super) fn anchor_secret(&self) -> io::Result<Sensitive<String>> {
        self.make_config()?;
        let path = self.anchor_file();
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        let mut file = file::private(options).open(&path)?;
        // Two first runs agree: one writes while the other waits, then reads.
        file.lock()?;
        file::make_private(&path)?;
        let mut kept = String::new();
        Read::by_ref(&mut file)
            .take(1024)
            .read_to_string(&mut kept)?;
        let kept = kept.trim();
        if kept.is_empty() {
            return make_secret(&mut file);
        }
        let is_secret = kept.len() == DIGITS && kept.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_secret {
            return Err(io::Error::other(format!(
                "it does not hold {DIGITS} hex digits; delete it, and a new one is made"
            )));
        }
        Ok(Sensitive::new(kept.to_owned()))
    }
}

fn make_secret(file: &mut File) -> io::Result<Sensitive<String>> {
    let mut bytes = [0; DIGITS / 2];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    let mut secret = String::with_capacity(DIGITS);
    for byte in bytes {
        // Writing to a string can't fail.
        let _ = write!(secret, "{byte:02x}");
    }
    file.rewind()?;
    file.set_len(0)?;
    file.write_all(secret.as_bytes())?;
    file.write_all(b"\n")?;
    file.sync_all()?;
    Ok(Sensitive::new(secret))
}

/// A directory that only its owner can read. An existing one is left unchanged.
fn make_private(directory: &Path) -> io::Result<()> {
    if let Some(parent) = directory.parent() {
        fs::create_dir_all(parent)?;
    }
    match file::make_private_directory(directory) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    fn home() -> (tempfile::TempDir, Home) {
        let directory = tempfile::tempdir().unwrap();
        let home = Home {
            config: directory.path().join("a/config"),
            state: directory.path().join("state"),
        };
        (directory, home)
    }

    #[test]
    fn concurrent_first_runs_agree_on_one_secret() {
        let (_directory, home) = home();
        let secret = || home.anchor_secret().unwrap().expose().clone();
        let secrets: Vec<_> = thread::scope(|scope| {
            let runs: Vec<_> = (0..16).map(|_| scope.spawn(secret)).collect();
            runs.into_iter().map(|run| run.join().unwrap()).collect()
        });
        assert!(secrets.iter().all(|secret| *secret == secrets[0]));
        assert_eq!(secrets[0].len(), 64);
        assert!(secrets[0].bytes().all(|byte| byte.is_ascii_hexdigit()));
        assert!(file::is_private(&home.anchor_file()));
        assert!(file::is_private(&home.config));
    }

    #[test]
    fn a_leftover_empty_secret_file_is_filled() {
        let (_directory, home) = home();
        make_private(&home.config).unwrap();
        fs::write(home.anchor_file(), "\n").unwrap();
        let secret = home.anchor_secret().unwrap();
        assert_eq!(secret.expose(), home.anchor_secret().unwrap().expose());
        let kept = fs::read_to_string(home.anchor_file()).unwrap();
        assert_eq!(kept, format!("{}\n", secret.expose()));
    }

    #[test]
    fn an_invalid_secret_file_is_not_used_overwritten_or_shown() {
        let (_directory, home) = home();
        make_private(&home.config).unwrap();
        fs::write(home.anchor_file(), "hunter2").unwrap();
        let error = home.anchor_secret().unwrap_err().to_string();
        assert!(error.contains("delete it") && !error.contains("hunter2"));
        assert_eq!(fs::read_to_string(home.anchor_file()).unwrap(), "hunter2");
    }
}
