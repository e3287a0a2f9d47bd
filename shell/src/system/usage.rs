//! Resource usage of this process, from `/proc`.

use std::fs;

/// The unit of processor time in `/proc`, on every Linux that Rust builds for.
const TICKS_A_SECOND: f64 = 100.0;

/// Processor time, memory and threads, as far as the system tells.
#[derive(Debug)]
pub(crate) struct Usage {
    /// User and system time, in seconds.
    pub(crate) processor: Option<f64>,
    /// In bytes.
    pub(crate) resident: Option<u64>,
    /// In bytes.
    pub(crate) reserved: Option<u64>,
    pub(crate) threads: Option<u64>,
}

impl Usage {
    /// That of now.
    pub(crate) fn now() -> Self {
        let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        Self {
            processor: processor_seconds(&stat),
            resident: bytes(&status, "VmRSS:"),
            reserved: bytes(&status, "VmSize:"),
            threads: number(&status, "Threads:"),
        }
    }
}

/// User and system time of `/proc/self/stat`: the 14th and 15th field. The second may hold spaces.
fn processor_seconds(stat: &str) -> Option<f64> {
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
    fn fields_after_a_name_with_spaces_and_brackets_are_found() {
        let stat = "7 (a) b) S 1 2 3 4 5 6 7 8 9 10 250 50 0 0";
        assert_eq!(processor_seconds(stat), Some(3.0));
        assert_eq!(bytes("Name:\tx\nVmRSS:\t  12 kB\n", "VmRSS:"), Some(12_288));
        assert_eq!(number("", "Threads:"), None);
    }
}
