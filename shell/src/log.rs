//! The application log on standard output.

use tracing_subscriber::fmt;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::config::Logging;

/// Starts logging. Only the proxy's own messages are logged: libraries could quote requests.
pub(crate) fn start(logging: &Logging) {
    let own = tracing_subscriber::filter::Targets::new().with_target("maskproxy", logging.level);
    let registry = tracing_subscriber::registry().with(own);
    if logging.json {
        registry.with(fmt::layer().json()).init();
    } else {
        registry
            .with(
                fmt::layer()
                    .with_target(false)
                    .with_ansi(crate::cli::colours()),
            )
            .init();
    }
}
