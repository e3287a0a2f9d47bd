//! Failures of external detectors.

/// Why a scan failed. Never shows a text or what was found in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the {detector} detector failed: {reason}")]
pub(crate) struct ScanFailure {
    detector: &'static str,
    reason: Reason,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
enum Reason {
    #[error("its service can't be reached; check its URL and the network")]
    Unreachable,
    #[error("the scan exceeded its timeout; raise the timeout, or try again")]
    Timeout,
    #[error("its service answered with status {0}; check its key and model")]
    Refused(u16),
    #[error("its answer can't be used; test it with `maskproxy doctor`")]
    Unusable,
    #[cfg(feature = "plugins")]
    #[error("it trapped, or exceeded its memory limit")]
    Trapped,
    #[cfg(feature = "plugins")]
    #[error("it returned an error")]
    GaveUp,
}

impl ScanFailure {
    pub(crate) const fn unreachable(detector: &'static str) -> Self {
        Self::of(detector, Reason::Unreachable)
    }

    pub(crate) const fn timeout(detector: &'static str) -> Self {
        Self::of(detector, Reason::Timeout)
    }

    pub(crate) const fn refused(detector: &'static str, status: u16) -> Self {
        Self::of(detector, Reason::Refused(status))
    }

    pub(crate) const fn unusable(detector: &'static str) -> Self {
        Self::of(detector, Reason::Unusable)
    }

    #[cfg(feature = "plugins")]
    pub(crate) const fn trapped(detector: &'static str) -> Self {
        Self::of(detector, Reason::Trapped)
    }

    #[cfg(feature = "plugins")]
    pub(crate) const fn gave_up(detector: &'static str) -> Self {
        Self::of(detector, Reason::GaveUp)
    }

    const fn of(detector: &'static str, reason: Reason) -> Self {
        Self { detector, reason }
    }

    /// The class name; `error_type` in the audit trail.
    pub(crate) const fn class(self) -> &'static str {
        match self.reason {
            Reason::Unreachable => "DetectorUnreachable",
            Reason::Timeout => "DetectorTimeout",
            Reason::Refused(_) => "DetectorRefused",
            Reason::Unusable => "DetectorUnusable",
            #[cfg(feature = "plugins")]
            Reason::Trapped => "DetectorTrapped",
            #[cfg(feature = "plugins")]
            Reason::GaveUp => "DetectorGaveUp",
        }
    }
}
