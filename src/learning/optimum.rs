//! The penalty with the least risk (R6).

use super::ridge::{check_samples, finite};
use super::{LearningError, Ridge, RidgePoint};
use crate::evidence::{Certified, Estimated, Evidence};
use crate::interval::Interval;

/// Step of the scan in ln κ.
const SCAN_STEP: f64 = 0.25;

/// Where the risk as a function of ρ ∈ [0, ∞] is least.
#[derive(Debug, Clone, PartialEq)]
pub enum OptimalRidge {
    /// At a penalty 0 < ρ < ∞.
    Interior {
        /// The best penalty: proved for a flat signal (R6a), estimated otherwise.
        ridge: Evidence,
        /// A proved bracket: the risk falls at its lower and rises at its upper end, so a
        /// local minimiser lies inside (the only one, for a flat signal).
        bracket: (f64, f64),
        /// The learning curve at `ridge`.
        point: RidgePoint,
    },
    /// At ρ = 0: any penalty hurts.
    Ridgeless {
        /// The learning curve at ρ = 0.
        point: RidgePoint,
    },
    /// At ρ = ∞: there is no signal to learn, and the estimate 0 has risk 0.
    Infinite,
}

impl OptimalRidge {
    /// The least risk.
    pub fn risk(&self) -> Certified {
        match self {
            Self::Interior { point, .. } | Self::Ridgeless { point } => point.risk,
            Self::Infinite => Certified::new(0.0, 0.0),
        }
    }
}

impl Ridge {
    /// The penalty of least risk at n = `samples`.
    ///
    /// A flat signal has the closed form ρ* = τ² p/(n P), for every Σ (R6a), and the result is
    /// proved. Otherwise dR/dκ has the sign of
    /// Φ(κ) = (n − df2) Σ s t q² − (τ² + Σ s q²) Σ m t² q (R6); its sign changes are found on a
    /// grid of step 0.25 in ln κ over a range outside which the sign is known, each is enclosed
    /// in a bracket with proved signs, and the one of least risk wins. That a narrower valley
    /// lies between two grid points is not excluded, so the penalty is
    /// [`Estimated`], with half the bracket as its error.
    ///
    /// Cost: one pass over the atoms a grid point (some hundreds).
    ///
    /// # Errors
    /// As [`curve_point`](Self::curve_point).
    pub fn optimal_ridge(&self, samples: f64) -> Result<OptimalRidge, LearningError> {
        check_samples(samples)?;
        if self.fixed_point.weights().iter().all(|&s| s == 0.0) {
            return Ok(OptimalRidge::Infinite);
        }
        if self.noise == 0.0 && samples >= self.rank() {
            return Ok(OptimalRidge::Ridgeless { point: self.curve_point(samples, 0.0)? });
        }
        match self.flat {
            Some(square) => self.flat_optimum(samples, square),
            None => self.scanned_optimum(samples),
        }
    }

    /// (R6a): ρ* = τ²/(n w²) for w_k² = w².
    fn flat_optimum(&self, samples: f64, square: f64) -> Result<OptimalRidge, LearningError> {
        if self.noise == 0.0 {
            return Ok(OptimalRidge::Ridgeless { point: self.curve_point(samples, 0.0)? });
        }
        let exact = Interval::point(self.noise)
            / (Interval::point(samples) * Interval::rounded(square, 1, 0.0));
        let ridge = finite(exact, "the optimal ridge")?;
        let point = self.curve_point(samples, ridge.value)?;
        Ok(OptimalRidge::Interior { ridge: ridge.into(), bracket: (exact.lo(), exact.hi()), point })
    }

    fn scanned_optimum(&self, samples: f64) -> Result<OptimalRidge, LearningError> {
        let (low, high) = self.scan_range(samples)?;
        let steps = ((high.ln() - low.ln()) / SCAN_STEP).ceil().max(1.0);
        let ratio = ((high.ln() - low.ln()) / steps).exp();
        let mut nodes = Vec::with_capacity(steps as usize + 1);
        let mut kappa = low;
        for _ in 0..=steps as usize {
            if let Some(rising) = self.risk_rises(samples, kappa) {
                nodes.push((kappa, rising));
            }
            kappa *= ratio;
        }
        let mut candidates = Vec::new();
        if samples < self.rank() && nodes.first().is_some_and(|&(_, rising)| rising) {
            candidates.push(OptimalRidge::Ridgeless { point: self.curve_point(samples, 0.0)? });
        }
        for pair in nodes.windows(2) {
            let [(a, false), (b, true)] = *pair else { continue };
            let (a, b) = self.narrow(samples, a, b);
            let bracket = (self.penalty_of(samples, a).lo(), self.penalty_of(samples, b).hi());
            let value = bracket.0 + 0.5 * (bracket.1 - bracket.0);
            let point = self.curve_point(samples, value)?;
            let ridge = Estimated { value, estimate: (0.5 * (bracket.1 - bracket.0)).next_up() };
            candidates.push(OptimalRidge::Interior { ridge: ridge.into(), bracket, point });
        }
        candidates
            .into_iter()
            .min_by(|a, b| a.risk().value.total_cmp(&b.risk().value))
            .ok_or(LearningError::Overflow { what: "the scan for the optimal ridge" })
    }

    /// The range of κ outside which the sign of dR/dκ is known: below it the risk falls or
    /// ρ < 0, above it the risk rises.
    fn scan_range(&self, n: f64) -> Result<(f64, f64), LearningError> {
        let f = &self.fixed_point;
        let over = |g: &dyn Fn(f64, f64, f64) -> f64| -> f64 {
            let masses = f.masses().iter().zip(f.weights());
            f.atoms().iter().zip(masses).map(|(&t, (&m, &s))| g(t, m, s)).sum()
        };
        let (smallest, largest) = (f.atoms()[0], f.atoms()[f.atoms().len() - 1]);
        // κ ≥ τ_max and κ² ≥ 2Σmτ²/n: Σstq² ≥ Σsτ/(8κ), n−df2 ≥ n/2, Σmt²q ≤ Σmτ²/κ²
        let second = over(&|t, m, _| m * (t / largest).powi(2));
        let tilt = over(&|t, _, s| s * (t / largest));
        let total = self.noise + over(&|_, _, s| s);
        let high =
            largest * (2.0 * second / n).sqrt().max(16.0 * second / n * (total / tilt)).max(1.0);
        let low = if n < self.rank() {
            // ρ ≥ 0 means κ ≥ κ(0); the first node clears the proved end
            self.curve_point(n, 0.0)?.kappa.value * (1.0 + 1e-11)
        } else {
            // κ ≤ τ_min: Σstq² ≤ κ²Σs/τ², n−df2 ≤ n, Σmt²q ≥ κΣ(m/τ)/8
            let first = over(&|t, m, _| m * (smallest / t));
            let second = over(&|t, _, s| s * (smallest / t).powi(2));
            smallest * (self.noise * first / (8.0 * n * second)).min(1.0)
        };
        if low > 0.0 && high.is_finite() {
            Ok((low, high.max(2.0 * low)))
        } else {
            Err(LearningError::Overflow { what: "the scan for the optimal ridge" })
        }
    }

    /// The sign of Φ(κ) (R6), where interval arithmetic decides it.
    fn risk_rises(&self, n: f64, kappa: f64) -> Option<bool> {
        let sums = self.fixed_point.sums(n, kappa);
        let phi = (sums.penalty() + sums.gap) * self.fixed_point.signal_slope(kappa)
            - (Interval::point(self.noise) + sums.signal) * sums.variance_slope;
        if phi.lo() > 0.0 {
            Some(true)
        } else if phi.hi() < 0.0 {
            Some(false)
        } else {
            None
        }
    }

    /// Shrinks a bracket of κ with proved signs: bisection until the sign at the midpoint is
    /// lost in rounding, then each side towards that point.
    fn narrow(&self, n: f64, mut a: f64, mut b: f64) -> (f64, f64) {
        let middle = |a: f64, b: f64| a + 0.5 * (b - a);
        let mut undecided = None;
        while undecided.is_none() {
            let mid = middle(a, b);
            if !(a < mid && mid < b) {
                return (a, b);
            }
            match self.risk_rises(n, mid) {
                Some(true) => b = mid,
                Some(false) => a = mid,
                None => undecided = Some(mid),
            }
        }
        let centre = undecided.unwrap_or(a);
        let (mut left, mut right) = (centre, centre);
        for _ in 0..8 {
            let mid = middle(a, left);
            if self.risk_rises(n, mid) == Some(false) {
                a = mid
            } else {
                left = mid
            }
            let mid = middle(right, b);
            if self.risk_rises(n, mid) == Some(true) { b = mid } else { right = mid }
        }
        (a, b)
    }

    /// ρ(κ) = κ (n − df1)/n, the inverse of (R1), enclosed.
    fn penalty_of(&self, n: f64, kappa: f64) -> Interval {
        self.fixed_point.sums(n, kappa).penalty() / Interval::point(n) * Interval::point(kappa)
    }
}
