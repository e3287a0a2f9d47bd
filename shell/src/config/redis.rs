//! Which servers keep the sessions of vault `redis`, as `vault.redis_url` names them.
//!
//! ```text
//! redis://user:password@host:port/database                                   one server
//! redis+sentinel://user:password@host:port,host:port/primary/database        whom sentinels name
//! redis+cluster://user:password@host:port,host:port                          a cluster
//! ```
//!
//! `rediss` for TLS; `unix:///path` for a socket.

use std::fs;
use std::path::{Path, PathBuf};

use ::redis::IntoConnectionInfo;
use engine::Sensitive;
use percent_encoding::percent_decode_str;

use super::Error;
use super::item::Item;
use super::values::Values;
use crate::base::io_error;

const SENTINEL_PORT: u16 = 26379;
const CLUSTER_PORT: u16 = 6379;

const SENTINEL_FORM: &str = "redis+sentinel://HOST:PORT,HOST:PORT/PRIMARY/DATABASE, the database a \
    number that may be left out";
const CLUSTER_FORM: &str = "redis+cluster://HOST:PORT,HOST:PORT";

/// The vault `redis`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RedisSettings {
    pub(crate) servers: RedisServers,
    pub(crate) tls: RedisTls,
}

/// How the proxy and the servers know each other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct RedisTls {
    /// The authorities of the servers; those of the system when absent.
    pub(crate) authorities: Option<Pem>,
    /// The certificate and the key that the proxy presents.
    pub(crate) identity: Option<(Pem, Pem)>,
}

/// A PEM file, and what it held when it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pem {
    pub(crate) path: PathBuf,
    pub(crate) content: Sensitive<Vec<u8>>,
}

/// The servers of vault `redis`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RedisServers {
    /// One server, as its URL names it.
    One(Sensitive<String>),
    /// The server that sentinels name.
    Sentinel(Sentinel),
    /// The nodes of a cluster: one that answers names the others.
    Cluster(Nodes),
}

/// Sentinels, and what they watch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sentinel {
    pub(crate) sentinels: Nodes,
    /// How the sentinels call the primary.
    pub(crate) primary: String,
    pub(crate) database: i64,
    /// For the servers that they name.
    pub(crate) login: Login,
}

/// Servers that are reached in the same way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Nodes {
    /// At least one.
    pub(crate) addresses: Vec<Address>,
    pub(crate) is_tls: bool,
    pub(crate) login: Login,
}

/// Where a server listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) host: String,
    pub(crate) port: u16,
}

/// As whom the proxy signs in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Login {
    pub(crate) username: Option<String>,
    pub(crate) password: Option<Sensitive<String>>,
}

impl RedisSettings {
    /// The files that it was read from.
    pub(super) fn paths(&self) -> impl Iterator<Item = &Path> {
        let RedisTls {
            authorities,
            identity,
        } = &self.tls;
        let identity = identity.iter().flat_map(|(chain, key)| [chain, key]);
        authorities.iter().chain(identity).map(|file| &*file.path)
    }
}

/// The vault, where its servers are named.
///
/// # Errors
/// When the URL is none, or the files of TLS can't be read or don't fit to it.
pub(super) fn settings(values: &Values) -> Result<Option<RedisSettings>, Error> {
    let Some(url) = values.get("vault.redis_url") else {
        return Ok(None);
    };
    let settings = RedisSettings {
        servers: servers(&url)?,
        tls: tls(values)?,
    };
    if settings.paths().next().is_some() && !url.text()?.starts_with("rediss") {
        return Err(Error::Conflict(
            "certificates for Redis need TLS: begin 'vault.redis_url' with rediss".to_owned(),
        ));
    }
    Ok(Some(settings))
}

fn tls(values: &Values) -> Result<RedisTls, Error> {
    let chain = pem(values, "vault.redis_certfile")?;
    let identity = match (chain, pem(values, "vault.redis_keyfile")?) {
        (Some(chain), Some(key)) => Some((chain, key)),
        (None, None) => None,
        _ => {
            return Err(Error::Conflict(
                "'vault.redis_certfile' and 'vault.redis_keyfile' need each other".to_owned(),
            ));
        }
    };
    Ok(RedisTls {
        authorities: pem(values, "vault.redis_ca_certs")?,
        identity,
    })
}

fn pem(values: &Values, setting: &'static str) -> Result<Option<Pem>, Error> {
    let Some(item) = values.get(setting) else {
        return Ok(None);
    };
    let path = item.path_of_file()?;
    match fs::read(&path) {
        Ok(content) => Ok(Some(Pem {
            path,
            content: Sensitive::new(content),
        })),
        Err(error) => Err(Error::Conflict(format!(
            "can't read {} ('{setting}'): {}",
            path.display(),
            io_error::in_words(&error)
        ))),
    }
}

/// # Errors
/// When it is not the URL of Redis servers.
fn servers(item: &Item<'_>) -> Result<RedisServers, Error> {
    let url = item.text()?;
    let Some((scheme, rest)) = url.split_once("://") else {
        return Err(item.invalid());
    };
    let is_tls = scheme.starts_with("rediss");
    match scheme {
        "redis" | "rediss" if is_of_one(url, rest) => Ok(RedisServers::One(item.sensitive()?)),
        "unix" if rest.starts_with('/') => Ok(RedisServers::One(item.sensitive()?)),
        "redis+sentinel" | "rediss+sentinel" => sentinel(rest, is_tls)
            .map(RedisServers::Sentinel)
            .ok_or_else(|| item.must_be(SENTINEL_FORM)),
        "redis+cluster" | "rediss+cluster" => cluster(rest, is_tls)
            .map(RedisServers::Cluster)
            .ok_or_else(|| item.must_be(CLUSTER_FORM)),
        _ => Err(item.invalid()),
    }
}

/// A password with `/`, `?` or `#` ends the host early: a part of it would be taken for the port, and shown.
fn is_of_one(url: &str, rest: &str) -> bool {
    let behind_host = rest.split_once(['/', '?', '#']);
    let is_cut = behind_host.is_some_and(|(_, behind)| behind.contains('@'));
    !rest.is_empty() && !is_cut && url.into_connection_info().is_ok()
}

fn sentinel(rest: &str, is_tls: bool) -> Option<Sentinel> {
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (login, rest) = login_before(rest)?;
    let (hosts, path) = rest.split_once('/')?;
    let (primary, database) = path.split_once('/').unwrap_or((path, "0"));
    let primary = decoded(primary).filter(|primary| !primary.is_empty())?;
    Some(Sentinel {
        sentinels: Nodes {
            addresses: addresses(hosts, SENTINEL_PORT)?,
            is_tls,
            login: login_of_sentinels(query)?,
        },
        primary,
        database: database.parse::<u32>().ok()?.into(),
        login,
    })
}

fn cluster(rest: &str, is_tls: bool) -> Option<Nodes> {
    let (login, hosts) = login_before(rest)?;
    let hosts = hosts.strip_suffix('/').unwrap_or(hosts);
    Some(Nodes {
        addresses: addresses(hosts, CLUSTER_PORT)?,
        is_tls,
        login,
    })
}

/// `user:password@`, where there is one, and what follows it.
fn login_before(rest: &str) -> Option<(Login, &str)> {
    let Some((login, rest)) = rest.rsplit_once('@') else {
        return Some((Login::default(), rest));
    };
    let (username, password) = login.split_once(':').unwrap_or((login, ""));
    Some((Login::new(decoded(username)?, decoded(password)?), rest))
}

fn login_of_sentinels(query: &str) -> Option<Login> {
    let (mut username, mut password) = (String::new(), String::new());
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        match pair.split_once('=')? {
            ("sentinel_username", name) => username = decoded(name)?,
            ("sentinel_password", word) => password = decoded(word)?,
            _ => return None,
        }
    }
    Some(Login::new(username, password))
}

fn addresses(hosts: &str, default: u16) -> Option<Vec<Address>> {
    hosts
        .split(',')
        .map(|host| address(host, default))
        .collect()
}

/// `host`, `host:port`, `[::1]:port`.
fn address(text: &str, default: u16) -> Option<Address> {
    let (host, port) = match text.strip_prefix('[') {
        Some(text) => {
            let (host, rest) = text.split_once(']')?;
            (
                host,
                rest.strip_prefix(':').or(rest.is_empty().then_some("")),
            )
        }
        None => match text.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (text, Some("")),
        },
    };
    let port = match port? {
        "" => default,
        port => port.parse().ok().filter(|port| *port != 0)?,
    };
    let is_host = !host.is_empty() && !host.contains(['/', '?', '#', '@', ' ']);
    is_host.then(|| Address {
        host: host.to_owned(),
        port,
    })
}

fn decoded(text: &str) -> Option<String> {
    let text = percent_decode_str(text).decode_utf8().ok()?;
    Some(text.into_owned())
}

impl Login {
    fn new(username: String, password: String) -> Self {
        let given = |text: String| Some(text).filter(|text| !text.is_empty());
        Self {
            username: given(username),
            password: given(password).map(Sensitive::new),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(host: &str, port: u16) -> Address {
        let host = host.to_owned();
        Address { host, port }
    }

    fn parts(login: &Login) -> (Option<&str>, Option<&str>) {
        let password = login.password.as_ref().map(|word| word.expose().as_str());
        (login.username.as_deref(), password)
    }

    /// A password that was not encoded once made a URL of another host, whose "port" was a part of it.
    #[test]
    fn a_url_with_an_unencoded_password_is_refused() {
        let is_url = |rest| is_of_one(&format!("redis://{rest}"), rest);
        for rest in [
            "h",
            "h:1/2",
            ":p@h",
            "u:p@[::1]:1/0",
            "u:a%2Fb@h",
            "u:a+b@h?protocol=resp3",
        ] {
            assert!(is_url(rest), "{rest}");
        }
        for rest in [
            "",
            "u:12/x@h",
            "u:12#x@h:1",
            "u:12?x@h",
            ":a/b@h",
            "h:x",
            "h/x",
        ] {
            assert!(!is_url(rest), "{rest}");
        }
    }

    #[test]
    fn a_sentinel_url_gives_hosts_primary_and_credentials() {
        let read = sentinel(
            "app:p%40ss%2Fx@a.example:1,[::1]:2,b.example/main/3?sentinel_password=s",
            true,
        )
        .unwrap();
        let sentinels = read.sentinels;
        let expected = [at("a.example", 1), at("::1", 2), at("b.example", 26379)];
        assert_eq!(sentinels.addresses, expected);
        assert!(sentinels.is_tls);
        assert_eq!((&*read.primary, read.database), ("main", 3));
        assert_eq!(parts(&read.login), (Some("app"), Some("p@ss/x")));
        assert_eq!(parts(&sentinels.login), (None, Some("s")));
        let read = sentinel("a/main", false).unwrap();
        assert_eq!((&*read.primary, read.database), ("main", 0));
        assert_eq!(parts(&read.login), (None, None));
    }

    #[test]
    fn an_invalid_sentinel_url_is_refused() {
        for rest in [
            "",
            "a",
            "a/",
            "/main",
            "a,/main",
            "a:0/main",
            "a:x/main",
            "[::1/main",
            "a/main/x",
            "a/main/1/2",
            "a/main?db=1",
            "a/main?sentinel_password",
        ] {
            assert!(sentinel(rest, false).is_none(), "{rest}");
        }
    }

    #[test]
    fn a_cluster_url_gives_nodes_and_no_database() {
        let read = cluster(":word@a:7000,b/", false).unwrap();
        assert_eq!(read.addresses, [at("a", 7000), at("b", 6379)]);
        assert_eq!(parts(&read.login), (None, Some("word")));
        for rest in ["", "/", "a/1", "a,,b", "a?x=1"] {
            assert!(cluster(rest, false).is_none(), "{rest}");
        }
    }
}
