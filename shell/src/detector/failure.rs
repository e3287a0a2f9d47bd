//! What goes wrong with a waiting detector.

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
    #[error("the scan took longer than its timeout allows; raise that, or try again")]
    Timeout,
    #[error("its service answered with status {0}; check its key and model")]
    Refused(u16),
    #[error("its answer can't be used; `maskproxy doctor` tries it")]
    Unusable,
    #[cfg(feature = "plugins")]
    #[error("it trapped, or wanted more memory than it may have")]
    Trapped,
    #[cfg(feature = "plugins")]
    #[error("it gave up with an error of its own")]
    GaveUp,
}

impl ScanFailure {
    pub(super) const fn unreachable(detector: &'static str) -> Self {
        Self::of(detector, Reason::Unreachable)
    }

    pub(super) const fn timeout(detector: &'static str) -> Self {
        Self::of(detector, Reason::Timeout)
    }

    pub(super) const fn refused(detector: &'static str, status: u16) -> Self {
        Self::of(detector, Reason::Refused(status))
    }

    pub(super) const fn unusable(detector: &'static str) -> Self {
        Self::of(detector, Reason::Unusable)
    }

    #[cfg(feature = "plugins")]
    pub(super) const fn trapped(detector: &'static str) -> Self {
        Self::of(detector, Reason::Trapped)
    }

    #[cfg(feature = "plugins")]
    pub(super) const fn gave_up(detector: &'static str) -> Self {
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

/// Why a detector can't be used as configured. Never shows a value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum StartError {
    #[error(
        "setting 'detector': no local model is built in for type ner; use presidio (an analyzer of \
         your own) or llm instead"
    )]
    NoLocalModel,
    #[cfg(not(feature = "plugins"))]
    #[error("setting 'detector': type wasm is not built in; build with the feature plugins")]
    NoPlugins,
    #[cfg(feature = "plugins")]
    #[error("the plug-in {path} {fault}")]
    Plugin { path: String, fault: PluginFault },
    #[error(
        "setting 'detector.llm_api_key' or MASK_LLM_API_KEY must be set for a detector of type llm without an \
         llm_base_url of its own"
    )]
    NoKey,
    #[error(
        "setting 'detector.llm_api_key' must be a key without line breaks and control characters"
    )]
    InvalidKey,
    #[error("setting 'detector.{0}' must be an http or https URL")]
    InvalidUrl(&'static str),
    #[error(
        "HTTPS_PROXY, HTTP_PROXY or ALL_PROXY names a proxy that can't be used for the detector"
    )]
    Egress,
    #[error("the detector can't be reached securely: the system has no root certificates")]
    NoRoots,
}

/// Why a component can't be a plug-in.
#[cfg(feature = "plugins")]
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PluginFault {
    #[error("can't be read: {0}")]
    Unreadable(String),
    #[error("is no WebAssembly file")]
    NotWasm,
    #[error("is a WebAssembly module; make a component of it")]
    Module,
    #[error("can't be compiled: {0}")]
    Invalid(String),
    #[error("imports {0}, and a plug-in may import nothing")]
    Import(String),
    #[error("does not implement the world detector of wit/detector.wit: {0}")]
    NotADetector(String),
    #[error("can't be run on this machine: {0}")]
    Host(String),
}
