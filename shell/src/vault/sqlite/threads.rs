//! Threads that wait for the database, so that reactors do not.

use std::fmt;
use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use tokio::sync::oneshot;

use super::super::{ANSWER_TIME, VaultError};
use super::database::Database;
use crate::base::panics::contain;

/// How long an answer may take on top of what SQLite waits for other processes.
const MARGIN: Duration = Duration::from_secs(1);

/// How long the last job may take.
const FINISH_TIME: Duration = Duration::from_secs(2);

/// How long a thread waits for a job before it maintains its connection.
const IDLE: Duration = Duration::from_secs(1);

type Job = Box<dyn FnOnce(&mut Database) + Send>;

/// Threads with a connection each, which take jobs from one queue.
pub(super) struct Threads {
    jobs: Sender<Job>,
}

impl Threads {
    /// Starts a thread for each of the connections; `between` is done between two jobs.
    pub(super) fn start(
        name: &str,
        databases: Vec<Database>,
        between: fn(&mut Database),
    ) -> io::Result<Self> {
        let (jobs, queue) = channel();
        let queue = Arc::new(Mutex::new(queue));
        for database in databases {
            let queue = Arc::clone(&queue);
            thread::Builder::new()
                .name(name.to_owned())
                .spawn(move || work(database, &queue, between))?;
        }
        Ok(Self { jobs })
    }

    /// Runs a job and waits for its answer.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Database) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, VaultError> {
        let (answer, answered) = oneshot::channel();
        let job = move |database: &mut Database| {
            // Nobody waits for it any more.
            if !answer.is_closed() {
                let _ = answer.send(job(database));
            }
        };
        self.jobs
            .send(Box::new(job))
            .map_err(|_| VaultError::Unreachable)?;
        match tokio::time::timeout(ANSWER_TIME + MARGIN, answered).await {
            Ok(Ok(answer)) => answer.map_err(|error| class_of(&error)),
            Ok(Err(_)) => Err(VaultError::Unreachable),
            Err(_) => Err(VaultError::Timeout),
        }
    }

    /// Runs a last job and waits for its end, but not for long.
    pub(super) fn finish<T: 'static>(
        &self,
        job: impl FnOnce(&mut Database) -> rusqlite::Result<T> + Send + 'static,
    ) {
        let (done, ended) = channel();
        let job = move |database: &mut Database| {
            if let Err(error) = job(database) {
                class_of(&error);
            }
            // The caller may have given up.
            let _ = done.send(());
        };
        if self.jobs.send(Box::new(job)).is_ok() {
            // What is not finished by then is done at the next start.
            let _ = ended.recv_timeout(FINISH_TIME);
        }
    }
}

impl fmt::Debug for Threads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Threads")
    }
}

fn work(mut database: Database, queue: &Mutex<Receiver<Job>>, between: fn(&mut Database)) {
    loop {
        let job = queue
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .recv_timeout(IDLE);
        if matches!(job, Err(RecvTimeoutError::Disconnected)) {
            return;
        }
        database.follow_path();
        if let Ok(job) = job {
            // Callers that wait for the answer learn that there is none.
            let _ = contain(|| job(&mut database));
        }
        between(&mut database);
    }
}

/// The error for a failure of SQLite: only its kind. The log has the details.
fn class_of(error: &rusqlite::Error) -> VaultError {
    use rusqlite::ErrorCode as Code;
    let code = error.sqlite_error_code();
    tracing::warn!(code = ?code, "the session vault failed");
    match (error, code) {
        (_, Some(Code::DatabaseBusy | Code::DatabaseLocked)) => VaultError::Timeout,
        (_, Some(Code::DatabaseCorrupt | Code::NotADatabase | Code::TypeMismatch)) => {
            VaultError::Corrupt
        }
        (
            rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
            | rusqlite::Error::Utf8Error(..),
            _,
        ) => VaultError::Corrupt,
        _ => VaultError::Refused,
    }
}
