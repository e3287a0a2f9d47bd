//! A provider to try the proxy against: `mock-provider [port]`.

use tests::Mock;

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let port = std::env::args()
        .nth(1)
        .and_then(|port| port.parse().ok())
        .unwrap_or(0);
    let mock = Mock::listen(port).await?;
    println!("listening on {}", mock.url());
    tokio::signal::ctrl_c().await
}
