//! `maskproxy audit tail`.

use std::collections::VecDeque;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use super::entry::{Entry, printable};
use super::follow::Trail;

/// How often a followed file is checked.
const POLL: Duration = Duration::from_millis(200);

/// Which lines of a trail are shown, and how.
#[derive(Debug)]
pub(super) struct Tail {
    pub(super) path: PathBuf,
    pub(super) follow: bool,
    /// Print the lines unchanged instead of as text.
    pub(super) json: bool,
    /// How many of the lines that are there already; all without it.
    pub(super) last: Option<usize>,
}

impl Tail {
    /// Prints the existing lines, then new ones if it follows, until nobody reads the output.
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
