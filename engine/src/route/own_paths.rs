//! The proxy's own paths, in every spelling.

use super::path;

/// Paths that the proxy answers itself, and no others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Own {
    /// `/health`.
    Health,
    /// `/ready`.
    Ready,
    /// `/metrics`.
    Metrics,
}

impl Own {
    /// The path exactly as documented: a quick check.
    #[must_use]
    pub fn at(path: &str) -> Option<Self> {
        match path {
            "/health" => Some(Self::Health),
            "/ready" => Some(Self::Ready),
            "/metrics" => Some(Self::Metrics),
            _ => None,
        }
    }

    /// The path in any reading of any server.
    #[must_use]
    pub fn however_spelled(path: &str) -> Option<Self> {
        path::readings(path, |reading| Self::at(str::from_utf8(reading).ok()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_an_own_path_is_recognized() {
        for path in [
            "/health/",
            "//health",
            "/Health",
            "/v1/../health",
            "/%68ealth",
            "/health;x",
        ] {
            assert_eq!(Own::however_spelled(path), Some(Own::Health), "{path}");
        }
        assert_eq!(Own::however_spelled("/metrics//"), Some(Own::Metrics));
        assert_eq!(Own::however_spelled("/./Ready"), Some(Own::Ready));
        assert_eq!(Own::however_spelled("/healthy"), None);
        assert_eq!(Own::however_spelled("/v1/health"), None);
    }
}
