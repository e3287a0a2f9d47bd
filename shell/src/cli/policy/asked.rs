//! The request of a test.

use std::fs;
use std::io::{self, Read};
use std::path::PathBuf;

use bytes::Bytes;
use clap::ArgMatches;
use engine::route::PROVIDER_KEYS;
use engine::{ClientKeys, KeyHash};
use http::header::AUTHORIZATION;
use http::{HeaderName, HeaderValue, Method, Request};
use http_body_util::Full;

use super::assumed;
use crate::base::io_error;
use crate::cli::Failure;
use crate::config::Config;

/// A request that is tested.
pub(super) struct Asked {
    pub(super) path: String,
    /// Whether the body alone says which path it is.
    pub(super) is_assumed: bool,
    pub(super) request: Request<Full<Bytes>>,
    pub(super) body: Vec<u8>,
}

impl Asked {
    pub(super) fn of(matches: &ArgMatches, config: &mut Config) -> Result<Self, Failure> {
        let body = body(matches)?;
        let given = matches.get_one::<String>("path").cloned();
        let is_assumed = given.is_none();
        let path = match given {
            Some(path) => path,
            None => assumed::path(&body).map_err(Failure::usage)?.to_owned(),
        };
        let length = body.len();
        let mut request = Request::builder()
            .method(Method::POST)
            .uri(&path)
            // Only whether there is a body counts.
            .body(Full::new(Bytes::from(vec![b' '; length.min(1)])))
            .map_err(|_| Failure::usage(format!("{path} is not a path such as /v1/messages")))?;
        let headers = matches.get_many::<(HeaderName, HeaderValue)>("header");
        for (name, value) in headers.into_iter().flatten() {
            request.headers_mut().append(name, value.clone());
        }
        if let Some(name) = matches.get_one::<String>("key") {
            let key = stand_in(name, config, &request)?;
            request.headers_mut().insert(AUTHORIZATION, key);
        }
        Ok(Self {
            path,
            is_assumed,
            request,
            body,
        })
    }
}

/// Gives a name to a key that stands for the unknown one, and returns that key's header.
fn stand_in<B>(
    name: &str,
    config: &mut Config,
    request: &Request<B>,
) -> Result<HeaderValue, Failure> {
    const KEY: &str = "stand-in";
    if !config.client_keys.names().any(|known| known == name) {
        return Err(Failure::usage(format!("policy.keys has no key {name}")));
    }
    if let Some(header) = PROVIDER_KEYS
        .iter()
        .find(|header| request.headers().contains_key(**header))
    {
        return Err(Failure::usage(format!(
            "--key names the key that {header} would contain; use one of them"
        )));
    }
    let hash = KeyHash::of(KEY.as_bytes(), [0; KeyHash::SALT]);
    config.client_keys = ClientKeys::from(vec![(name.to_owned(), hash)]);
    Ok(HeaderValue::from_static(KEY))
}

fn body(matches: &ArgMatches) -> Result<Vec<u8>, Failure> {
    let Some(file) = matches.get_one::<PathBuf>("request") else {
        return Err(Failure::usage("no request is given"));
    };
    let mut body = Vec::new();
    let read = if file.as_os_str() == "-" {
        io::stdin().lock().read_to_end(&mut body).map(|_| body)
    } else {
        fs::read(file)
    };
    read.map_err(|error| {
        let reason = io_error::in_words(&error);
        Failure::new(format!("can't read {}: {reason}", file.display()))
    })
}

/// A header as it is given.
pub(super) fn header(text: &str) -> Result<(HeaderName, HeaderValue), String> {
    let (name, value) = text
        .split_once(':')
        .ok_or("a header is a name, a colon and a value")?;
    let name = HeaderName::try_from(name.trim()).map_err(|_| "a header begins with its name")?;
    let value = HeaderValue::from_bytes(value.trim().as_bytes());
    let value = value.map_err(|_| "a header's value has no control characters")?;
    Ok((name, value))
}
