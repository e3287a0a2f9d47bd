//! `maskproxy audit tail`.

use std::collections::VecDeque;
use std::fs::{File, Metadata};
use std::io::{self, BufWriter, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use super::entry::{Entry, printable};
use super::lines::Lines;

/// How often a followed file is looked at.
const POLL: Duration = Duration::from_millis(200);

/// What is shown of a trail, and how.
#[derive(Debug)]
pub(super) struct Tail {
    pub(super) path: PathBuf,
    pub(super) follow: bool,
    /// Lines as they stand in the file, instead of text.
    pub(super) json: bool,
    /// How many of the lines that are there already; all without it.
    pub(super) last: Option<usize>,
}

impl Tail {
    /// Prints what is there, and, when it follows, what comes, until nobody reads on.
    ///
    /// # Errors
    /// When the file can't be read or the output not written.
    pub(super) fn print(&self, out: impl Write) -> io::Result<()> {
        let mut trail = Trail::open(&self.path)?;
        let mut out = BufWriter::with_capacity(1 << 16, out);
        match self.last {
            None => trail.read(|line| self.print_line(line, &mut out))?,
            Some(last) => {
                for line in last_lines(&mut trail, last)? {
                    self.print_line(&line, &mut out)?;
                }
            }
        }
        out.flush()?;
        if !self.follow {
            return Ok(());
        }
        loop {
            thread::sleep(POLL);
            trail.follow(&self.path, |line| self.print_line(line, &mut out))?;
            out.flush()?;
        }
    }

    fn print_line(&self, line: &[u8], out: &mut impl Write) -> io::Result<()> {
        match Entry::parse(line) {
            Some(_) if self.json => {
                out.write_all(line)?;
                out.write_all(b"\n")
            }
            Some(entry) => writeln!(out, "{entry}"),
            // Scripts get objects only.
            None if self.json => {
                out.flush()?;
                writeln!(io::stderr(), "{}", as_written(line))
            }
            None => writeln!(out, "{}", as_written(line)),
        }
    }
}

fn as_written(line: &[u8]) -> String {
    printable(&String::from_utf8_lossy(line)).into_owned()
}

fn last_lines(trail: &mut Trail, count: usize) -> io::Result<VecDeque<Vec<u8>>> {
    let mut lines = VecDeque::new();
    trail.read(|line| {
        lines.push_back(line.to_vec());
        if lines.len() > count {
            lines.pop_front();
        }
        Ok(())
    })?;
    Ok(lines)
}

/// A file that grows, and may be truncated, moved away or made anew.
#[derive(Debug)]
struct Trail {
    file: File,
    position: u64,
    lines: Lines,
}

impl Trail {
    fn open(path: &Path) -> io::Result<Self> {
        Ok(Self {
            file: File::open(path)?,
            position: 0,
            lines: Lines::default(),
        })
    }

    /// Reads on to the end of the file.
    fn read(&mut self, mut take: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        let mut buffer = vec![0; 1 << 16];
        loop {
            let count = self.file.read(&mut buffer)?;
            let Some(bytes) = buffer.get(..count).filter(|bytes| !bytes.is_empty()) else {
                return Ok(());
            };
            self.position += bytes.len() as u64;
            self.lines.feed(bytes, &mut take)?;
        }
    }

    /// Reads what came since, wherever it went.
    fn follow(
        &mut self,
        path: &Path,
        mut take: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        if self.file.metadata()?.len() < self.position {
            *self = Self {
                file: reopened(&self.file)?,
                position: 0,
                lines: Lines::default(),
            };
        }
        // The proxy writes on to a file that was moved away until it starts anew.
        self.read(&mut take)?;
        if is_another(&self.file.metadata()?, path) {
            *self = Self::open(path)?;
            self.read(&mut take)?;
        }
        Ok(())
    }
}

/// The same file, read from its beginning.
fn reopened(file: &File) -> io::Result<File> {
    use std::io::Seek;
    let mut file = file.try_clone()?;
    file.rewind()?;
    Ok(file)
}

/// Whether the path now names another file than the open one. A path that names none does not.
fn is_another(open: &Metadata, path: &Path) -> bool {
    path.metadata()
        .is_ok_and(|named| (named.dev(), named.ino()) != (open.dev(), open.ino()))
}
