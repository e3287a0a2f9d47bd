//! Process metrics, under the usual Prometheus names.

use std::fmt::Display;
use std::io::Write;

use crate::base::clock;
use crate::system::descriptors;
use crate::system::usage::Usage;

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

    /// Appends in the exposition format what the system reports, which may be less on some systems.
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
            "Maximum number of open file descriptors.",
            descriptors::limit(),
        );
        let usage = Usage::now();
        metric(
            text,
            "process_cpu_seconds_total",
            "counter",
            "CPU time, user and system, in seconds.",
            usage.processor,
        );
        metric(
            text,
            "process_resident_memory_bytes",
            "gauge",
            "Resident memory, in bytes.",
            usage.resident,
        );
        metric(
            text,
            "process_virtual_memory_bytes",
            "gauge",
            "Virtual memory, in bytes.",
            usage.reserved,
        );
        metric(text, "process_threads", "gauge", "Threads.", usage.threads);
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
