//! The proxy beside the tool, in threads of its own.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};

use tokio::sync::oneshot;

use crate::config::Config;
use crate::log::AccessLog;
use crate::server::{self, StartError};

/// A running proxy.
#[derive(Debug)]
pub(super) struct Proxy {
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    thread: JoinHandle<Result<bool, StartError>>,
}

impl Proxy {
    /// Starts one, on a free port that only this machine can reach, without TLS.
    ///
    /// # Errors
    /// Why it could not start.
    pub(super) fn start(mut config: Config, access: AccessLog) -> Result<Self, StartError> {
        config.port = 0;
        config.tls = None;
        let bare = config.host.trim_start_matches('[').trim_end_matches(']');
        if let Ok(host) = bare.parse::<IpAddr>()
            && host.is_unspecified()
        {
            config.host = loopback(host).to_string();
        }
        let (stop, stopped) = oneshot::channel();
        let (listening, listens) = mpsc::channel();
        let thread = thread::Builder::new()
            .name("proxy".to_owned())
            .spawn(move || {
                let stopped = async {
                    // It also stops when nobody is left to say so.
                    let _ = stopped.await;
                };
                server::run_until(stopped, config, access, None, |address| {
                    // Who started it waits for this.
                    let _ = listening.send(address);
                })
            })?;
        match listens.recv() {
            Ok(address) => Ok(Self {
                address,
                stop,
                thread,
            }),
            Err(_) => match joined(thread) {
                Err(error) => Err(error),
                Ok(_) => Err(ended_early()),
            },
        }
    }

    /// Where it listens, as a tool is told.
    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The host of [`Self::url`].
    pub(super) fn host(&self) -> String {
        self.address.ip().to_string()
    }

    /// Stops it. True when any request had reached it.
    ///
    /// # Errors
    /// Why it ended before.
    pub(super) fn stop(self) -> Result<bool, StartError> {
        // It ended already when nobody listens.
        let _ = self.stop.send(());
        joined(self.thread)
    }
}

fn joined(thread: JoinHandle<Result<bool, StartError>>) -> Result<bool, StartError> {
    // A panic was printed already.
    thread.join().unwrap_or_else(|_| Err(ended_early()))
}

fn ended_early() -> StartError {
    StartError::System(std::io::Error::other("the proxy ended early"))
}

fn loopback(of_kind: IpAddr) -> IpAddr {
    match of_kind {
        IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
    }
}
