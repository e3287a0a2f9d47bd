//! Reserved ports.

use tokio::net::TcpSocket;

/// A reserved port on loopback. While this lives, the system gives it to nobody else. A server can
/// listen there, because servers reuse addresses. Until one does, connections are refused.
#[derive(Debug)]
pub struct Reserved {
    port: u16,
    _socket: TcpSocket,
}

impl Reserved {
    /// Reserves a free port.
    #[must_use]
    pub fn new() -> Self {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.set_reuseaddr(true).expect("an option");
        let any = "127.0.0.1:0".parse().expect("an address");
        socket.bind(any).expect("a free port");
        let address = socket.local_addr().expect("an address");
        Self {
            port: address.port(),
            _socket: socket,
        }
    }

    /// The port.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The port as `http://host:port`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}

impl Default for Reserved {
    fn default() -> Self {
        Self::new()
    }
}
