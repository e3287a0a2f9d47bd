//! Takes memory from a process that runs.

use rustix::process::{Pid, Resource, Rlimit, prlimit};

/// Lets a process have so many bytes more of memory of its own than it has now, or as many as it wants.
pub fn limit_memory(process: u32, more: Option<u64>) {
    let current = more.map(|more| memory(process) + more);
    let limit = Rlimit {
        current,
        maximum: None,
    };
    let process = i32::try_from(process).ok().and_then(Pid::from_raw);
    prlimit(process, Resource::Data, limit).expect("a process of this user");
}

/// How many bytes it has; what an allocator only reserved does not count.
fn memory(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).expect("a process");
    let mut lines = status.lines();
    let size = lines.find_map(|line| line.strip_prefix("VmData:"));
    let size = size.and_then(|size| size.split_whitespace().next()?.parse::<u64>().ok());
    size.expect("a size in KiB") * 1024
}
