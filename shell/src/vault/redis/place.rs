//! Where the servers are, and what a failure means there.

use std::sync::Arc;

use redis::{ConnectionAddr, IntoConnectionInfo};

use super::super::VaultError;
use crate::config::{Nodes, RedisServers, authority};

/// The servers as messages name them: without users and passwords.
#[derive(Debug, Clone)]
pub(super) struct Place {
    addresses: Arc<str>,
    is_tls: bool,
}

impl Place {
    pub(super) fn of(servers: &RedisServers) -> Self {
        let (addresses, is_tls) = match servers {
            RedisServers::One(url) => of_one(url.expose()),
            RedisServers::Sentinel(sentinel) => of_several(&sentinel.sentinels),
            RedisServers::Cluster(nodes) => of_several(nodes),
        };
        Self {
            addresses: addresses.into(),
            is_tls,
        }
    }

    pub(super) fn explain(&self, error: VaultError) -> String {
        let redis = format!("Redis at {} (vault.redis_url)", self.addresses);
        match error {
            VaultError::Unreachable if self.is_tls => {
                format!("{redis} can't be reached; check its name, its port and the network")
            }
            // A server that expects TLS closes the connection.
            VaultError::Unreachable => format!(
                "{redis} can't be reached; check its name and port, and whether it needs TLS (rediss://)"
            ),
            VaultError::Timeout if self.is_tls => {
                format!("{redis} did not answer in time; does it speak TLS?")
            }
            VaultError::Timeout => format!("{redis} did not answer in time"),
            VaultError::SignIn => format!("{redis} does not accept the user or the password"),
            VaultError::Forbidden => format!(
                "{redis} does not give the user all rights that it needs: see docs/sessions.md#redis"
            ),
            VaultError::Untrusted => format!(
                "{redis} has a certificate that is not trusted; it must name this host, and be signed by an authority in vault.redis_ca_certs or by one that the system trusts"
            ),
            VaultError::Refused => format!("{redis} refused the request"),
            VaultError::Corrupt | VaultError::Contended | VaultError::Full => error.to_string(),
        }
    }
}

fn of_one(url: &str) -> (String, bool) {
    match url.into_connection_info() {
        Ok(info) => match info.addr() {
            ConnectionAddr::Tcp(host, port) => (authority(host, *port), false),
            ConnectionAddr::TcpTls { host, port, .. } => (authority(host, *port), true),
            other => (other.to_string(), false),
        },
        // Opening it says why.
        Err(_) => ("its URL".to_owned(), false),
    }
}

fn of_several(nodes: &Nodes) -> (String, bool) {
    let addresses = nodes.addresses.iter();
    let addresses: Vec<_> = addresses
        .map(|address| authority(&address.host, address.port))
        .collect();
    (addresses.join(", "), nodes.is_tls)
}
