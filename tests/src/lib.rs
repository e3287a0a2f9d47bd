//! End-to-end tests: real clients, real servers, vectors that every host runs.
//!
//! [`Mock`] is a scripted provider that speaks the three wire formats and misbehaves on demand,
//! [`Proxy`] runs the real binary, [`Client`] is an HTTP client that hides nothing.

mod client;
pub mod component;
mod detecting;
mod http1;
#[cfg(target_os = "linux")]
pub mod limits;
mod mock;
mod port;
mod proxy;
mod redis;
mod redis_fleet;
mod redis_guard;
pub mod score;
pub mod secrecy;
mod service;
pub mod signals;
mod user;
mod values;
pub mod vectors;

pub use client::{Client, Reply, Streamed};
pub use detecting::{Detecting, configuration};
pub use http1::Ending;
pub use mock::{AGENT_PAGE, AGENT_READS, AGENT_WRITES, Misbehaviour, Mock, Recorded, Schema};
pub use port::Reserved;
pub use proxy::{Proxy, ProxyOptions, binary, maskproxy, maskproxy_with};
pub use redis::Redis;
pub use redis_fleet::RedisFleet;
pub use redis_guard::Guard;
pub use service::{Answer, Service};
pub use user::{Ended, User};
pub use values::Values;
