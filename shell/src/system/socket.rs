//! Additional TCP options.

use std::io;
use std::time::Duration;

use socket2::SockRef;
use tokio::net::TcpStream;

/// Drops a connection if the other end does not acknowledge sent bytes for this time.
///
/// # Errors
/// When the system refuses.
#[cfg(target_os = "linux")]
pub(crate) fn limit_silence(stream: &TcpStream, limit: Duration) -> io::Result<()> {
    SockRef::from(stream).set_tcp_user_timeout(Some(limit))
}

/// Gives up a connection whose other end does not answer for so long.
///
/// # Errors
/// When the system refuses.
#[cfg(not(target_os = "linux"))]
pub(crate) fn limit_silence(stream: &TcpStream, limit: Duration) -> io::Result<()> {
    let keepalive = socket2::TcpKeepalive::new().with_time(limit);
    SockRef::from(stream).set_tcp_keepalive(&keepalive)
}
