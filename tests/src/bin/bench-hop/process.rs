//! What the kernel says about a process.

use std::fs;

/// A running process.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Process(u32);

impl Process {
    pub(crate) const fn of(pid: u32) -> Self {
        Self(pid)
    }

    /// Its children.
    pub(crate) fn children(self) -> Vec<Self> {
        let list = self.read(&format!("task/{}/children", self.0));
        list.split_whitespace()
            .filter_map(|pid| pid.parse().ok())
            .map(Self)
            .collect()
    }

    /// Processor time so far, user and system, in microseconds. The kernel counts in steps of 10 ms.
    pub(crate) fn processor_time(self) -> f64 {
        let stat = self.read("stat");
        // The name in brackets may hold spaces.
        let fields = stat.rsplit(')').next().unwrap_or_default();
        let ticks: u32 = fields
            .split_whitespace()
            .skip(11)
            .take(2)
            .filter_map(|field| field.parse::<u32>().ok())
            .sum();
        f64::from(ticks) * 10_000.0
    }

    /// How long its threads ran so far, in microseconds. The kernel counts it exactly, and forgets threads
    /// that ended.
    pub(crate) fn run_time(self) -> f64 {
        let threads = fs::read_dir(format!("/proc/{}/task", self.0));
        let threads = threads.into_iter().flatten().flatten();
        let run_time = |thread: fs::DirEntry| {
            let counts = fs::read_to_string(thread.path().join("schedstat")).unwrap_or_default();
            let nanoseconds = counts.split(' ').next().unwrap_or_default();
            nanoseconds.parse().unwrap_or(0.0)
        };
        threads.map(run_time).sum::<f64>() / 1000.0
    }

    /// Resident memory now, in KB.
    pub(crate) fn resident(self) -> f64 {
        self.status("VmRSS:")
    }

    /// The peak resident memory, in KB.
    pub(crate) fn peak(self) -> f64 {
        self.status("VmHWM:")
    }

    fn status(self, name: &str) -> f64 {
        let status = self.read("status");
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix(name))
            .unwrap_or_default();
        line.trim()
            .trim_end_matches(" kB")
            .parse()
            .unwrap_or(f64::NAN)
    }

    fn read(self, file: &str) -> String {
        fs::read_to_string(format!("/proc/{}/{file}", self.0)).unwrap_or_default()
    }
}

/// The machine in one line.
pub(crate) fn machine() -> String {
    let processor = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = processor
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    format!(
        "{}, {cores} cores, Linux {}, load {} at the start",
        model.map_or("unknown processor", |(_, model)| model),
        kernel.trim(),
        load.split(' ').next().unwrap_or_default(),
    )
}

/// Processor time for a table cell; the provider itself has none.
pub(crate) fn cell(microseconds: f64) -> String {
    if microseconds == 0.0 {
        "–".to_owned()
    } else {
        format!("{microseconds:.1}")
    }
}
