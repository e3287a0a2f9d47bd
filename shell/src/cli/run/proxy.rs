//! The proxy for the tool, in its own threads.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};

use tokio::sync::oneshot;

use crate::config::Config;
use crate::exchange::Observed;
use crate::log::AccessLog;
use crate::server::{self, Reload, StartError};

/// A running proxy.
#[derive(Debug)]
pub(super) struct Proxy {
    address: SocketAddr,
    live: Option<String>,
    stop: oneshot::Sender<()>,
    thread: JoinHandle<Result<(), StartError>>,
}

/// On a free port that only this machine can reach, without TLS.
fn of_one_user(config: Config) -> Config {
    Config {
        port: 0,
        tls: None,
        guardrail: None,
        host: loopback(&config.host).to_string(),
        ..config
    }
}

impl Proxy {
    /// Starts one for a tool of this machine's user. `read` reads the configuration anew when the lists change.
    ///
    /// # Errors
    /// Why it could not start.
    pub(super) fn start(
        config: Config,
        access: AccessLog,
        observed: Observed,
        read: impl Fn() -> Result<Config, String> + Send + 'static,
    ) -> Result<Self, StartError> {
        let config = of_one_user(config);
        let reload = config.lists.as_ref();
        let reload = reload.map(|lists| Reload::of_lists(lists, move || read().map(of_one_user)));
        let (stop, stopped) = oneshot::channel();
        let (listening, listens) = mpsc::channel();
        let thread = thread::Builder::new()
            .name("proxy".to_owned())
            .spawn(move || {
                let stopped = async {
                    // It also stops if the other side is gone.
                    let _ = stopped.await;
                };
                server::run_until(stopped, config, access, observed, reload, |at| {
                    // The caller waits for this.
                    let _ = listening.send((at.proxy, at.live));
                })
            })?;
        match listens.recv() {
            Ok((address, live)) => Ok(Self {
                address,
                live,
                stop,
                thread,
            }),
            Err(_) => match joined(thread) {
                Err(error) => Err(error),
                Ok(()) => Err(ended_early()),
            },
        }
    }

    /// Where it listens, as given to a tool.
    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The link that opens the live page, where there is one.
    pub(super) fn live(&self) -> Option<&str> {
        self.live.as_deref()
    }

    /// The host of [`Self::url`].
    pub(super) fn host(&self) -> String {
        self.address.ip().to_string()
    }

    /// Stops it.
    ///
    /// # Errors
    /// Why it ended before.
    pub(super) fn stop(self) -> Result<(), StartError> {
        // It has already ended if nobody is listening.
        let _ = self.stop.send(());
        joined(self.thread)
    }
}

fn joined(thread: JoinHandle<Result<(), StartError>>) -> Result<(), StartError> {
    // A panic was logged already.
    thread.join().unwrap_or_else(|_| Err(ended_early()))
}

fn ended_early() -> StartError {
    StartError::System(std::io::Error::other("the proxy ended early"))
}

/// The loopback address of the configured host's kind; the proxy is for the tool alone.
///
/// A name is not resolved: `0` would be every address.
fn loopback(host: &str) -> IpAddr {
    match host.parse() {
        Ok(address) if IpAddr::is_loopback(&address) => address,
        Ok(IpAddr::V6(_)) => Ipv6Addr::LOCALHOST.into(),
        _ => Ipv4Addr::LOCALHOST.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_host_spelling_opens_the_proxy_to_other_machines() {
        for host in [
            "0",
            "0.0.0.0",
            "127.1",
            "::",
            "::ffff:0.0.0.0",
            "192.168.1.20",
            "box.lan",
            "",
        ] {
            assert!(loopback(host).is_loopback(), "{host}");
        }
        for (host, address) in [
            ("127.0.0.2", "127.0.0.2"),
            ("::1", "::1"),
            ("fd00::7", "::1"),
        ] {
            assert_eq!(loopback(host).to_string(), address, "{host}");
        }
    }
}
