//! The application log: on standard output, and in a file if one is configured.
//!
//! Standard output has only the proxy's own messages, because libraries could quote requests. The
//! file has theirs too, so at `debug` it may contain original values. Separate threads write the
//! lines, so logging never waits for a terminal or a disk.

mod access;

use std::io;
use std::path::Path;
use std::sync::Arc;

use tracing::Level;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, fmt};

use crate::base::clock::Clock;
use crate::base::io_error;
use crate::base::spool::Spool;
use crate::config::Logging;

pub(crate) use access::{Access, AccessLog};

/// The log, running.
#[derive(Debug)]
pub(crate) struct Log {
    outputs: Arc<Outputs>,
    has_access: bool,
}

/// Where lines go.
#[derive(Debug)]
struct Outputs {
    console: Option<Arc<Spool>>,
    file: Option<Arc<Spool>>,
    json: bool,
}

/// Why logging did not start.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    #[error("can't open the log file {path}: {reason}")]
    File { path: String, reason: String },
    #[error("can't start the log: {0}")]
    System(#[from] io::Error),
}

impl Log {
    /// Starts logging, on standard output in colours where that is wanted.
    ///
    /// # Errors
    /// When the file can't be opened, or no thread be started.
    pub(crate) fn start(logging: &Logging, colours: bool) -> Result<Self, StartError> {
        let console = Spool::start("log", io::stdout())?;
        Self::start_with(Some(Arc::new(console)), logging, colours)
    }

    /// Starts logging, but not on standard output, which is another's.
    ///
    /// # Errors
    /// When the file can't be opened, or no thread be started.
    pub(crate) fn start_in_file(logging: &Logging) -> Result<Self, StartError> {
        Self::start_with(None, logging, false)
    }

    fn start_with(
        console: Option<Arc<Spool>>,
        logging: &Logging,
        colours: bool,
    ) -> Result<Self, StartError> {
        let file = logging.file.as_deref().map(open).transpose()?;

        let own = Targets::new().with_target("maskproxy", logging.level);
        let on_console = console
            .as_ref()
            .map(|console| layer(console, logging.json, colours).with_filter(own));
        let all = LevelFilter::from_level(logging.level);
        let in_file = file
            .as_ref()
            .map(|file| layer(file, logging.json, false).with_filter(all));
        // Only a second start in one process fails, and then the first one stays in use.
        let _ = tracing_subscriber::registry()
            .with(on_console)
            .with(in_file)
            .try_init();
        Ok(Self {
            outputs: Arc::new(Outputs {
                console,
                file,
                json: logging.json,
            }),
            has_access: logging.level >= Level::INFO,
        })
    }

    /// Where access lines go; nowhere below level `info`.
    pub(crate) fn access(&self) -> AccessLog {
        AccessLog {
            outputs: Some(Arc::clone(&self.outputs)),
            is_on: self.has_access,
        }
    }

    /// Writes what is still waiting.
    pub(crate) fn close(&self) {
        for spool in self.outputs.all() {
            spool.close();
        }
    }
}

impl Outputs {
    fn append(&self, line: &[u8]) {
        for spool in self.all() {
            spool.append(line);
        }
    }

    fn all(&self) -> impl Iterator<Item = &Arc<Spool>> {
        self.console.iter().chain(&self.file)
    }
}

fn open(path: &Path) -> Result<Arc<Spool>, StartError> {
    let spool = Spool::open("log", path).map_err(|error| StartError::File {
        path: path.display().to_string(),
        reason: io_error::in_words(&error),
    });
    spool.map(Arc::new)
}

fn layer<S>(spool: &Arc<Spool>, json: bool, colours: bool) -> Box<dyn Layer<S> + Send + Sync>
where
    S: tracing::Subscriber + for<'a> tracing_subscriber::registry::LookupSpan<'a>,
{
    let layer = fmt::layer()
        .with_writer(ToSpool(Arc::clone(spool)))
        .with_timer(Clock)
        .with_ansi(colours);
    if json {
        layer.json().flatten_event(true).boxed()
    } else {
        layer.with_target(false).boxed()
    }
}

/// Hands the lines of `tracing`, each whole, to a spool.
#[derive(Debug)]
struct ToSpool(Arc<Spool>);

impl<'a> MakeWriter<'a> for ToSpool {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl io::Write for ToSpool {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.0.append(line);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
