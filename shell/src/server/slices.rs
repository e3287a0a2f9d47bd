//! Asks Linux to run a thread in short slices, so that it comes first when its work arrives.
//!
//! A worker sleeps until bytes come and then runs for microseconds. Beside programs that keep the processors busy (a
//! build, a test run) it would wait for them to end their slices of some milliseconds, which users feel in every delta.
//! Whoever asks for short slices is let in sooner and gets no more time for it (`sched_runtime` in `sched_setattr(2)`,
//! from Linux 6.12 on). Where that is refused with an error, or unknown, everything goes on as it was.

/// The shortest slice that Linux grants, in nanoseconds.
#[cfg(target_os = "linux")]
const SLICE: u64 = 100_000;

/// Asks for short slices for this thread; not for those that it will start. Whether they were granted.
pub(super) fn shorten() -> bool {
    #[cfg(target_os = "linux")]
    if let Some(mut attributes) = linux::attributes().filter(linux::can_be_shortened) {
        attributes.sched_runtime = SLICE;
        attributes.sched_flags |= linux::RESET_ON_FORK;
        return linux::set(&attributes);
    }
    false
}

#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "no library wraps these system calls")]
mod linux {
    use libc::sched_attr;

    /// What threads that this one starts do not inherit: slices, and a niceness below 0.
    pub(super) const RESET_ON_FORK: u64 = libc::SCHED_FLAG_RESET_ON_FORK as u64;
    const THIS_THREAD: libc::pid_t = 0;
    const NO_FLAGS: libc::c_uint = 0;

    /// How this thread is scheduled.
    pub(super) fn attributes() -> Option<sched_attr> {
        let size = u32::try_from(size_of::<sched_attr>()).ok()?;
        let mut attributes = sched_attr {
            size,
            sched_policy: 0,
            sched_flags: 0,
            sched_nice: 0,
            sched_priority: 0,
            sched_runtime: 0,
            sched_deadline: 0,
            sched_period: 0,
        };
        // SAFETY: the kernel writes at most `size` bytes to `attributes`, plain numbers, and keeps no pointer.
        let status = unsafe {
            libc::syscall(
                libc::SYS_sched_getattr,
                THIS_THREAD,
                &raw mut attributes,
                size,
                NO_FLAGS,
            )
        };
        (status == 0).then_some(attributes)
    }

    /// Whether it is scheduled in the ordinary way, by a kernel that knows of slices. Where it has more than ordinary
    /// priority, the threads that it starts are to inherit that.
    pub(super) fn can_be_shortened(attributes: &sched_attr) -> bool {
        i32::try_from(attributes.sched_policy) == Ok(libc::SCHED_OTHER)
            && attributes.sched_nice >= 0
            && attributes.sched_runtime > 0
    }

    /// Changes how this thread is scheduled; false where that is refused.
    pub(super) fn set(attributes: &sched_attr) -> bool {
        // SAFETY: the kernel reads as many bytes as `size` in `attributes` tells, and keeps no pointer.
        let status = unsafe {
            libc::syscall(
                libc::SYS_sched_setattr,
                THIS_THREAD,
                &raw const *attributes,
                NO_FLAGS,
            )
        };
        status == 0
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn a_worker_gets_short_slices_and_what_it_starts_does_not() {
        let worker = || {
            let granted = shorten();
            let started = thread::spawn(linux::attributes).join().expect("no panic");
            (granted, linux::attributes(), started)
        };
        let (granted, own, started) = thread::spawn(worker).join().expect("no panic");
        // Not every kernel and container grants them.
        if granted {
            assert_eq!(own.map(|own| own.sched_runtime), Some(SLICE));
            assert_ne!(started.map(|started| started.sched_runtime), Some(SLICE));
        }
    }
}
