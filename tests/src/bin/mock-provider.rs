//! A provider to try the proxy against: `mock-provider [port [TLS port, file for its certificate]]`.

use tests::Mock;

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let port = |index: usize| arguments.get(index).and_then(|port| port.parse().ok());
    let mut mock = Mock::listen(port(0).unwrap_or(0)).await?;
    println!("listening on {}", mock.url());
    if let (Some(port), Some(file)) = (port(1), arguments.get(2)) {
        std::fs::write(file, mock.listen_tls(port).await?)?;
    }
    tokio::signal::ctrl_c().await
}
