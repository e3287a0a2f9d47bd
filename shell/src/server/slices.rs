//! Asks Linux to run a thread in short slices, so that it comes first when its work arrives.
//!
//! A worker sleeps until bytes come and then runs for microseconds. Beside programs that keep the processors busy (a
//! build, a test run) it would wait for them to end their slices of some milliseconds, which users feel in every delta.
//! Whoever asks for short slices is let in at once and gets no more time for it (`sched_runtime` in `sched_setattr(2)`,
//! from Linux 6.12 on). Without leave, or on another system, everything goes on as it was.

/// The shortest slice that Linux grants, in nanoseconds.
#[cfg(target_os = "linux")]
const SLICE: u64 = 100_000;

/// Asks for short slices for this thread; not for those that it will start.
pub(super) fn shorten() {
    #[cfg(target_os = "linux")]
    if let Some(mut attributes) = linux::attributes() {
        attributes.sched_runtime = SLICE;
        attributes.sched_flags |= linux::RESET_ON_FORK;
        linux::set(&attributes);
    }
}

#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "no library wraps these system calls")]
mod linux {
    use libc::sched_attr;

    /// What threads that this one starts do not inherit: slices, and priority above the ordinary.
    pub(super) const RESET_ON_FORK: u64 = libc::SCHED_FLAG_RESET_ON_FORK as u64;
    const THIS_THREAD: libc::pid_t = 0;
    const NO_FLAGS: libc::c_uint = 0;

    /// How this thread is scheduled, where that is the ordinary way.
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
        let is_ordinary = i32::try_from(attributes.sched_policy) == Ok(libc::SCHED_OTHER);
        (status == 0 && is_ordinary).then_some(attributes)
    }

    /// Changes how this thread is scheduled, where that is allowed.
    pub(super) fn set(attributes: &sched_attr) {
        // SAFETY: the kernel reads as many bytes as `size` in `attributes` tells, and keeps no pointer.
        unsafe {
            libc::syscall(
                libc::SYS_sched_setattr,
                THIS_THREAD,
                &raw const *attributes,
                NO_FLAGS,
            )
        };
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn a_worker_gets_short_slices_and_what_it_starts_does_not() {
        let before = linux::attributes().expect("ordinary scheduling");
        let (own, started) = thread::spawn(|| {
            shorten();
            let started = thread::spawn(linux::attributes).join().expect("no panic");
            (
                linux::attributes().expect("ordinary"),
                started.expect("ordinary"),
            )
        })
        .join()
        .expect("no panic");
        // Kernels before 6.12 report none and keep none.
        if before.sched_runtime > 0 {
            assert_eq!(own.sched_runtime, SLICE);
        }
        assert_eq!(started.sched_runtime, before.sched_runtime);
        assert_eq!(own.sched_nice, before.sched_nice);
    }
}
