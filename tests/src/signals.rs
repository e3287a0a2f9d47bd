//! Sends signals without a `kill` program, which a bare machine lacks.

use rustix::process::{Pid, kill_process, kill_process_group};

pub use rustix::process::Signal;

/// Sends a signal to a process.
pub fn send(signal: Signal, process: u32) {
    kill_process(pid(process), signal).expect("the process is there");
}

/// Kills a group of processes, if any of them is left.
pub fn kill_group(leader: u32) {
    // None may be left.
    let _ = kill_process_group(pid(leader), Signal::KILL);
}

fn pid(process: u32) -> Pid {
    let process = i32::try_from(process).ok().and_then(Pid::from_raw);
    process.expect("the id of a process")
}
