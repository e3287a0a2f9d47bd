//! A provider to try the proxy against.

use std::process::ExitCode;

use tests::Mock;

const USAGE: &str = "usage: mock-provider [PORT [TLS_PORT CERTIFICATE_FILE]]";

#[tokio::main]
async fn main() -> std::io::Result<ExitCode> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let port = |at: usize| arguments.get(at).map(|port| port.parse::<u16>());
    let (port, tls_port, file) = match (port(0), port(1), arguments.get(2)) {
        (None, ..) => (0, None, None),
        (Some(Ok(port)), None, _) => (port, None, None),
        (Some(Ok(port)), Some(Ok(tls_port)), Some(file)) => (port, Some(tls_port), Some(file)),
        _ => {
            eprintln!("{USAGE}");
            return Ok(ExitCode::from(2));
        }
    };
    let mut mock = Mock::listen(port).await?;
    println!("listening on {}", mock.url());
    if let (Some(port), Some(file)) = (tls_port, file) {
        std::fs::write(file, mock.listen_tls(port).await?)?;
    }
    tokio::signal::ctrl_c().await?;
    Ok(ExitCode::SUCCESS)
}
