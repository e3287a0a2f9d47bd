//! Quantiles of a histogram.

/// How many observations were at most so long.
#[derive(Debug, Default, Clone, PartialEq)]
pub(super) struct Histogram(Vec<(f64, u64)>);

/// A quantile, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Quantile {
    pub(super) seconds: f64,
    /// It is above the last bound, so it may be any longer time.
    pub(super) is_least: bool,
}

impl Histogram {
    /// Adds the bucket of an upper bound, with the count of all up to it.
    pub(super) fn add_bucket(&mut self, bound: f64, count: u64) {
        self.0.push((bound, count));
        self.0.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    }

    /// How many observations there were.
    pub(super) fn count(&self) -> u64 {
        self.0.last().map_or(0, |(_, count)| *count)
    }

    /// The observations since an earlier moment.
    pub(super) fn since(&self, earlier: &Self) -> Self {
        let buckets = self.0.iter().zip(&earlier.0);
        Self(
            buckets
                .map(|((bound, now), (_, then))| (*bound, now.saturating_sub(*then)))
                .collect(),
        )
    }

    /// The time that this share of the observations did not exceed, as Prometheus estimates it: evenly spread
    /// between two bounds. None without an observation.
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    pub(super) fn quantile(&self, share: f64) -> Option<Quantile> {
        let rank = share * self.count() as f64;
        let at = self.0.iter().position(|(_, count)| *count as f64 >= rank)?;
        if self.count() == 0 {
            return None;
        }
        let (bound, count) = *self.0.get(at)?;
        let below = at.checked_sub(1).and_then(|below| self.0.get(below));
        let (lower, counted) = below.copied().unwrap_or_default();
        if bound.is_infinite() {
            return Some(Quantile {
                seconds: lower,
                is_least: true,
            });
        }
        let within = (rank - counted as f64) / count.saturating_sub(counted).max(1) as f64;
        Some(Quantile {
            seconds: lower + (bound - lower) * within,
            is_least: false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn histogram(counts: [u64; 3]) -> Histogram {
        let mut histogram = Histogram::default();
        for (bound, count) in [0.1, 0.5, f64::INFINITY].into_iter().zip(counts) {
            histogram.add_bucket(bound, count);
        }
        histogram
    }

    fn seconds(histogram: &Histogram, share: f64) -> f64 {
        histogram.quantile(share).unwrap().seconds
    }

    #[test]
    fn a_quantile_lies_between_the_bounds_of_its_bucket() {
        let of_ten = histogram([5, 10, 10]);
        assert!((seconds(&of_ten, 0.5) - 0.1).abs() < 1e-9);
        assert!((seconds(&of_ten, 0.9) - 0.42).abs() < 1e-9);
    }

    #[test]
    fn a_quantile_beyond_the_last_bound_is_a_minimum() {
        let quantile = histogram([0, 0, 3]).quantile(0.5).unwrap();
        assert_eq!((quantile.seconds, quantile.is_least), (0.5, true));
    }

    #[test]
    fn there_is_no_quantile_without_observations() {
        assert_eq!(histogram([0, 0, 0]).quantile(0.5), None);
        assert_eq!(Histogram::default().quantile(0.5), None);
        let now = histogram([5, 10, 10]);
        assert_eq!(now.since(&now).quantile(0.99), None);
    }

    /// A restarted service counts from zero.
    #[test]
    fn decreasing_counts_do_not_wrap() {
        assert_eq!(histogram([0, 1, 1]).since(&histogram([5, 9, 9])).count(), 0);
    }
}
