//! What the system says of this process, under the names that every Prometheus client uses.

use std::fmt::Display;
use std::fs;
use std::io::Write;

use crate::clock;
use crate::descriptors;

/// The unit of processor time in `/proc`, on every Linux that Rust builds for.
const TICKS_A_SECOND: f64 = 100.0;

/// This process.
#[derive(Debug)]
pub(super) struct Process {
    /// In milliseconds since the epoch.
    started: i64,
}

impl Process {
    /// The process, started about now.
    pub(super) fn started() -> Self {
        Self {
            started: clock::now(),
        }
    }

    /// Appends what is known in the exposition format. Without `/proc` that is less.
    pub(super) fn expose(&self, text: &mut Vec<u8>) {
        let started = self.started.div_euclid(1000);
        metric(
            text,
            "process_start_time_seconds",
            "gauge",
            "Start time of the process since the epoch, in seconds.",
            Some(started),
        );
        metric(
            text,
            "process_open_fds",
            "gauge",
            "Open file descriptors.",
            descriptors::open(),
        );
        metric(
            text,
            "process_max_fds",
            "gauge",
            "How many file descriptors may be open.",
            descriptors::limit(),
        );
        let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
        metric(
            text,
            "process_cpu_seconds_total",
            "counter",
            "Processor time, user and system, in seconds.",
            cpu_seconds(&stat),
        );
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        metric(
            text,
            "process_resident_memory_bytes",
            "gauge",
            "Resident memory, in bytes.",
            bytes(&status, "VmRSS:"),
        );
        metric(
            text,
            "process_virtual_memory_bytes",
            "gauge",
            "Virtual memory, in bytes.",
            bytes(&status, "VmSize:"),
        );
        metric(
            text,
            "process_threads",
            "gauge",
            "Threads.",
            number(&status, "Threads:"),
        );
    }
}

fn metric(text: &mut Vec<u8>, name: &str, kind: &str, help: &str, value: Option<impl Display>) {
    if let Some(value) = value {
        // Writing to a vector can't fail.
        let _ = writeln!(
            text,
            "# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {value}"
        );
    }
}

/// User and system time of `/proc/self/stat`: the 14th and 15th field. The second may hold spaces.
fn cpu_seconds(stat: &str) -> Option<f64> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<f64>().ok();
    Some((ticks()? + ticks()?) / TICKS_A_SECOND)
}

/// A line of `/proc/self/status` in kB.
fn bytes(status: &str, name: &str) -> Option<u64> {
    number(status, name).map(|kilobytes| kilobytes * 1024)
}

fn number(status: &str, name: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_behind_a_name_with_spaces_and_brackets() {
        let stat = "7 (a) b) S 1 2 3 4 5 6 7 8 9 10 250 50 0 0";
        assert_eq!(cpu_seconds(stat), Some(3.0));
        assert_eq!(bytes("Name:\tx\nVmRSS:\t  12 kB\n", "VmRSS:"), Some(12_288));
        assert_eq!(number("", "Threads:"), None);
    }
}
