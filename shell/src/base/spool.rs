//! An output with its own thread, so that writers never wait for a disk or a pipe's reader.
//!
//! Lines gather in one buffer. The thread takes the whole buffer and writes it at once, so a line
//! costs no allocation and no system call.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::system::file::{self, FileId};

/// How long lines may gather before they are written. Each writing takes a core from the requests
/// of its moment.
const GATHERING: Duration = Duration::from_millis(250);

/// The most that is written at once. More would block a core for longer than a request takes, which
/// shows in the 99th percentile, and would evict caches.
const MUCH: usize = 128 << 10;

/// How much may wait for a slow output. Anything more is dropped, and counted.
const MAX_WAITING: usize = 16 << 20;

/// How long the last lines may take. An output that does not accept them is given up.
const CLOSE_TIME: Duration = Duration::from_secs(2);

/// The least room for lines that is kept.
const KEPT_ROOM: usize = 32 << 10;

/// How often it is checked, while lines are written, that the file is still at its path.
const PRESENCE_CHECK: Duration = Duration::from_secs(1);

/// An output to which lines are appended.
#[derive(Debug)]
pub(crate) struct Spool(Arc<Queue>);

#[derive(Debug, Default)]
struct Queue {
    waiting: Mutex<Waiting>,
    filled: Condvar,
    ended: Condvar,
    /// Lines that were lost since the metrics were asked for.
    lost: AtomicU64,
    /// Lines dropped since the log last reported it.
    unreported: AtomicU64,
}

#[derive(Debug, Default)]
struct Waiting {
    lines: Vec<u8>,
    /// Whether the writer sleeps until there is a line.
    is_awaited: bool,
    closed: bool,
    /// Whether the writer has ended.
    is_ended: bool,
}

impl Spool {
    /// Opens a file for appending, readable by its owner only, making its directory where that is
    /// missing, and starts the thread that writes to it. A file that is moved away or removed while
    /// lines are written is made anew.
    ///
    /// # Errors
    /// When the file can't be opened for writing.
    pub(crate) fn open(name: &'static str, path: &Path) -> io::Result<Self> {
        if let Some(directory) = path.parent() {
            fs::create_dir_all(directory)?;
        }
        Self::start(name, Appended::open(path)?)
    }

    /// Starts the thread that writes to an output.
    ///
    /// # Errors
    /// When no thread can be started.
    pub(crate) fn start(
        name: &'static str,
        output: impl Write + Send + 'static,
    ) -> io::Result<Self> {
        let queue = Arc::new(Queue::default());
        let of_writer = Arc::clone(&queue);
        thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || {
                let _end = End(&of_writer);
                of_writer.write_to(output, name);
            })?;
        Ok(Self(queue))
    }

    /// Adds whole lines.
    pub(crate) fn append(&self, lines: &[u8]) {
        let mut waiting = self.0.lock();
        if waiting.closed || waiting.lines.len() + lines.len() > MAX_WAITING {
            self.0.count_lost(lines);
            return;
        }
        let before = waiting.lines.len();
        waiting.lines.extend_from_slice(lines);
        let after = waiting.lines.len();
        let is_awaited = mem::take(&mut waiting.is_awaited);
        drop(waiting);
        if is_awaited || (before..after).contains(&(MUCH - 1)) {
            self.0.filled.notify_one();
        }
    }

    /// How many lines could not be written since this was asked last.
    pub(crate) fn take_lost(&self) -> u64 {
        self.0.lost.swap(0, Ordering::Relaxed)
    }

    /// Writes what is waiting and ends the thread, as dropping does. Lines that the output does not
    /// take within two seconds are lost.
    pub(crate) fn close(&self) {
        let mut waiting = self.0.lock();
        waiting.closed = true;
        self.0.filled.notify_one();
        let is_writing = |waiting: &mut Waiting| !waiting.is_ended;
        let ended = self
            .0
            .ended
            .wait_timeout_while(waiting, CLOSE_TIME, is_writing);
        drop(ended);
    }
}

impl Drop for Spool {
    fn drop(&mut self) {
        self.close();
    }
}

/// Signals that the writer has ended, for whatever reason.
struct End<'q>(&'q Queue);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.lock().is_ended = true;
        self.0.ended.notify_all();
    }
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn count_lost(&self, lines: &[u8]) {
        let count = memchr::memchr_iter(b'\n', lines).count();
        let count = u64::try_from(count).unwrap_or(u64::MAX);
        self.lost.fetch_add(count, Ordering::Relaxed);
        self.unreported.fetch_add(count, Ordering::Relaxed);
    }

    /// The output accepts lines again; reports how many were dropped.
    fn report_lost(&self, name: &str) {
        let lost = self.unreported.swap(0, Ordering::Relaxed);
        if lost > 0 {
            tracing::warn!(
                lines = lost,
                "{name} lines were lost: nobody took them in time"
            );
        }
    }

    fn write_to(&self, output: impl Write, name: &str) {
        let mut output = Lines::to(output);
        let mut lines = Vec::new();
        let mut failing = false;
        loop {
            let closed = self.take(&mut lines);
            match output.write(&lines) {
                Ok(()) => {
                    failing = false;
                    if !lines.is_empty() {
                        self.report_lost(name);
                    }
                }
                Err((error, unwritten)) => {
                    self.count_lost(unwritten);
                    if !failing {
                        tracing::error!(kind = %error.kind(), "the {name} file can't be written");
                    }
                    failing = true;
                }
            }
            if closed {
                return;
            }
            // Room for as much as came this time: the next lines come as fast, or seldom.
            let room = lines.len().max(KEPT_ROOM);
            lines.clear();
            lines.shrink_to(2 * room);
            self.gather();
        }
    }

    /// Lets lines come together.
    fn gather(&self) {
        let is_little = |waiting: &mut Waiting| waiting.lines.len() < MUCH && !waiting.closed;
        let gathered = self
            .filled
            .wait_timeout_while(self.lock(), GATHERING, is_little);
        drop(gathered);
    }

    /// Waits for lines and swaps them into `lines`. True when these are the last.
    fn take(&self, lines: &mut Vec<u8>) -> bool {
        let is_idle = |waiting: &mut Waiting| {
            waiting.is_awaited = waiting.lines.is_empty() && !waiting.closed;
            waiting.is_awaited
        };
        let mut waiting = self
            .filled
            .wait_while(self.lock(), is_idle)
            .unwrap_or_else(PoisonError::into_inner);
        mem::swap(&mut waiting.lines, lines);
        waiting.closed
    }
}

/// An output of whole lines.
#[derive(Debug)]
struct Lines<W> {
    output: W,
    /// Whether it ends in the middle of a line whose rest could not be written.
    is_torn: bool,
}

impl<W: Write> Lines<W> {
    fn to(output: W) -> Self {
        let is_torn = false;
        Self { output, is_torn }
    }

    /// Writes lines, apart from what was left of a former one.
    ///
    /// # Errors
    /// The first one, and what could not be written.
    fn write<'l>(&mut self, lines: &'l [u8]) -> Result<(), (io::Error, &'l [u8])> {
        if self.is_torn {
            let ended = self.output.write_all(b"\n");
            ended.map_err(|error| (error, lines))?;
            self.is_torn = false;
        }
        let mut unwritten = lines;
        while !unwritten.is_empty() {
            let written = match self.output.write(unwritten) {
                Ok(0) => Err(io::ErrorKind::WriteZero.into()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(0),
                written => written,
            };
            let written = written.map_err(|error| (error, unwritten))?;
            let (written, rest) = unwritten.split_at(written.min(unwritten.len()));
            self.is_torn = written.last().map_or(self.is_torn, |last| *last != b'\n');
            unwritten = rest;
        }
        Ok(())
    }
}

/// A file that is appended to, whatever becomes of its name.
#[derive(Debug)]
struct Appended {
    path: PathBuf,
    file: File,
    checked: Instant,
}

impl Appended {
    fn open(path: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        if file::is_pipe(path) {
            // Both ends at once: only so nobody is waited for who may read it.
            options.read(true).write(true);
        } else {
            file::private(options.create(true).append(true));
        }
        let file = options.open(path)?;
        Ok(Self {
            path: path.to_owned(),
            file,
            checked: Instant::now(),
        })
    }

    /// Reopens the file if another one, or none, is at its path.
    fn follow_path(&mut self) -> io::Result<()> {
        if self.checked.elapsed() < PRESENCE_CHECK {
            return Ok(());
        }
        self.checked = Instant::now();
        let open = FileId::of(&self.file)?;
        if !FileId::at(&self.path).is_ok_and(|there| there == open) {
            *self = Self::open(&self.path)?;
        }
        Ok(())
    }
}

impl Write for Appended {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // A path that can't be opened now leaves the lines where they went so far.
        let _ = self.follow_path();
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_appended_is_written_when_closed() {
        let directory = std::env::temp_dir().join(format!("spool-{}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        let path = directory.join("lines");
        let spool = Spool::start("test", File::create(&path).unwrap()).unwrap();
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..500).for_each(|_| spool.append(b"line\n")));
            }
        });
        spool.close();
        spool.append(b"too late\n");
        assert_eq!(fs::read_to_string(&path).unwrap(), "line\n".repeat(2000));
        assert_eq!(spool.take_lost(), 1);
        fs::remove_dir_all(directory).unwrap();
    }

    /// A configuration that could not take effect once left its audit trail's thread and file
    /// behind.
    #[test]
    fn dropping_the_spool_ends_its_thread_and_output() {
        struct Output {
            lines: Arc<Mutex<Vec<u8>>>,
            _open: Arc<()>,
        }
        impl Write for Output {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.lines.lock().unwrap().write(bytes)
            }

            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let (lines, open) = (Arc::<Mutex<Vec<u8>>>::default(), Arc::new(()));
        let output = Output {
            lines: Arc::clone(&lines),
            _open: Arc::clone(&open),
        };
        let spool = Spool::start("test", output).unwrap();
        spool.append(b"line\n");
        drop(spool);
        assert_eq!(*lines.lock().unwrap(), b"line\n");
        assert_eq!(Arc::strong_count(&open), 1);
    }

    /// A reader that did not read once kept the process from ending.
    #[test]
    fn a_blocked_output_does_not_block_writers() {
        struct Stuck {
            began: std::sync::mpsc::Sender<()>,
            released: std::sync::mpsc::Receiver<()>,
        }
        impl Write for Stuck {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                let _ = self.began.send(());
                let _ = self.released.recv();
                Err(io::ErrorKind::BrokenPipe.into())
            }

            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let (began, first_write) = std::sync::mpsc::channel();
        let (release, released) = std::sync::mpsc::channel();
        let spool = Spool::start("test", Stuck { began, released }).unwrap();
        let mut line = vec![b'x'; 1 << 20];
        line.push(b'\n');
        // The writer has the first, and 15 more find room.
        spool.append(&line);
        first_write.recv().unwrap();
        (1..20).for_each(|_| spool.append(&line));
        let lost = spool.take_lost();
        assert!((4..=5).contains(&lost), "{lost}");
        spool.close();
        drop(release);
    }

    /// Opening it once waited for a reader.
    #[test]
    fn a_pipe_without_a_reader_is_opened_at_once() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.unwrap().success());
        let spool = Spool::open("test", &path).unwrap();
        spool.append(b"one\n");
        let mut line = String::new();
        let mut reader = io::BufReader::new(File::open(&path).unwrap());
        io::BufRead::read_line(&mut reader, &mut line).unwrap();
        assert_eq!(line, "one\n");
    }

    #[test]
    fn a_full_disk_loses_lines_and_counts_them() {
        let Ok(full) = fs::OpenOptions::new().write(true).open("/dev/full") else {
            return;
        };
        let spool = Spool::start("test", full).unwrap();
        spool.append(b"one\ntwo\n");
        spool.close();
        assert_eq!((spool.take_lost(), spool.take_lost()), (2, 0));
    }

    /// Half a line once took the next one with it, and lines that were written counted as lost.
    #[test]
    fn lines_after_a_disk_full_truncation_stay_intact() {
        struct Disk {
            written: Vec<u8>,
            room: usize,
        }
        impl Write for &mut Disk {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                if self.room == 0 {
                    return Err(io::ErrorKind::StorageFull.into());
                }
                let fitting = bytes.len().min(self.room);
                self.room -= fitting;
                self.written.write(&bytes[..fitting])
            }

            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let written = Vec::new();
        let mut disk = Disk { written, room: 6 };
        let mut lines = Lines::to(&mut disk);
        let (_, unwritten) = lines.write(b"one\ntwo\nthree\n").unwrap_err();
        assert_eq!(unwritten, b"o\nthree\n");
        assert!(lines.write(b"four\n").is_err());
        lines.output.room = 100;
        lines.write(b"five\n").unwrap();
        lines.write(b"six\n").unwrap();
        assert_eq!(disk.written, b"one\ntw\nfive\nsix\n");
    }

    #[test]
    fn a_moved_or_removed_file_is_recreated() {
        let directory = std::env::temp_dir().join(format!("moved-{}", std::process::id()));
        let path = directory.join("deep/lines");
        fs::create_dir_all(directory.join("deep")).unwrap();
        let mut file = Appended::open(&path).unwrap();
        let mut write = |line: &str| {
            file.checked = Instant::now().checked_sub(PRESENCE_CHECK).unwrap();
            file.write_all(line.as_bytes()).unwrap();
        };
        write("one\n");
        fs::rename(&path, directory.join("rotated")).unwrap();
        write("two\n");
        write("three\n");
        assert_eq!(fs::read_to_string(&path).unwrap(), "two\nthree\n");
        fs::remove_dir_all(directory.join("deep")).unwrap();
        write("nowhere\n");
        fs::create_dir(directory.join("deep")).unwrap();
        write("four\n");
        assert_eq!(fs::read_to_string(&path).unwrap(), "four\n");
        assert_eq!(
            fs::read_to_string(directory.join("rotated")).unwrap(),
            "one\n"
        );
        fs::remove_dir_all(directory).unwrap();
    }
}
