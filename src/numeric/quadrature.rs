//! Adaptive Clenshaw–Curtis quadrature on a finite interval.
//!
//! The rule on one panel is that of the crate `quadrature`, which by itself stops at 257
//! points without saying whether it converged and counts a non-finite value as 0. Here the
//! interval is split where the estimate is largest until the tolerance is met; a value that
//! is not finite, or a tolerance that cannot be met, is an error.

use std::cell::Cell;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

use quadrature::clenshaw_curtis;
use thiserror::Error;

use crate::evidence::Estimated;

/// Most panels an integral is split into.
const MAX_PANELS: usize = 4096;
/// First cuts, unequal so that a symmetric or periodic integrand is not sampled in step.
const FIRST_CUTS: [f64; 4] = [0.0, 0.2817, 0.6302, 1.0];

/// When to stop: the error estimate is at most `max(absolute, relative · |integral|)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tolerance {
    /// Relative to the magnitude of the integral.
    pub relative: f64,
    /// Absolute.
    pub absolute: f64,
}

impl Tolerance {
    /// A purely relative tolerance.
    pub fn relative(relative: f64) -> Self {
        Self { relative, absolute: 0.0 }
    }
}

/// Why an integral has no value.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum QuadratureError {
    /// A limit is NaN or infinite, or the limits are further apart than the largest number.
    #[error("limits [{a}, {b}] are not valid: both must be finite, and so must their difference")]
    Limits {
        /// Lower limit.
        a: f64,
        /// Upper limit.
        b: f64,
    },
    /// A tolerance is negative or NaN, or both are zero.
    #[error(
        "tolerance (relative {relative}, absolute {absolute}) is not valid: both must be ≥ 0 and one > 0"
    )]
    Tolerance {
        /// The relative tolerance given.
        relative: f64,
        /// The absolute tolerance given.
        absolute: f64,
    },
    /// The integrand is NaN or infinite somewhere.
    #[error("the integrand is {value} at x = {x}: it must be finite on the closed interval")]
    NotFinite {
        /// Where.
        x: f64,
        /// The value found.
        value: f64,
    },
    /// The tolerance was not met.
    #[error(
        "the error estimate of the integral ({integral}) is still {estimate} after {panels} panels: loosen the tolerance, or split at kinks and remove singularities by a change of variable"
    )]
    NoConvergence {
        /// Best value found.
        integral: f64,
        /// Its error estimate.
        estimate: f64,
        /// Panels used.
        panels: usize,
    },
}

/// ∫ₐᵇ f(x) dx by globally adaptive Clenshaw–Curtis panels; `b < a` gives minus the integral
/// from b to a.
///
/// The estimate is the larger of the change when all panels are halved and of the sum over the
/// panels of the change in the last doubling of their points, each never less than the
/// rounding level ε · max|f| · width. It is heuristic: a feature narrower than the distance of
/// the first few points can be missed, so split at kinks and known peaks.
/// f is evaluated at both limits and must be finite there.
///
/// Cost: about 100–500 evaluations where f is smooth, up to 257 a panel elsewhere.
///
/// ```
/// use rootrate::numeric::quadrature::{Tolerance, integrate};
/// let i = integrate(|x| x.exp(), 0.0, 1.0, Tolerance::relative(1e-12))?;
/// assert!((i.value - (1f64.exp() - 1.0)).abs() <= 1e-12 * i.value);
/// # Ok::<(), rootrate::numeric::quadrature::QuadratureError>(())
/// ```
///
/// # Errors
/// Every variant of [`QuadratureError`].
pub fn integrate(
    f: impl Fn(f64) -> f64,
    a: f64,
    b: f64,
    tolerance: Tolerance,
) -> Result<Estimated, QuadratureError> {
    let Tolerance { relative, absolute } = tolerance;
    // (negated so that NaN is refused)
    if !(relative >= 0.0 && absolute >= 0.0 && relative + absolute > 0.0) {
        return Err(QuadratureError::Tolerance { relative, absolute });
    }
    if !(b - a).is_finite() {
        return Err(QuadratureError::Limits { a, b });
    }
    if a == b {
        return Ok(Estimated { value: 0.0, estimate: 0.0 });
    }
    let cuts = FIRST_CUTS.map(|s| if s == 1.0 { b } else { a + s * (b - a) });
    let edges = cuts.windows(2).map(|w| (w[0], w[1]));
    // An infinite target returns the crate's lowest order: the scale of the integral.
    let mut scale = 0.0;
    for (l, r) in edges.clone() {
        scale += Panel::new(&f, l, r, f64::INFINITY)?.integral;
    }
    let mut panels = BinaryHeap::new();
    for (l, r) in edges {
        panels.push(Panel::new(&f, l, r, absolute.max(relative * f64::abs(scale)) / 16.0)?);
    }
    loop {
        let (integral, estimate) = totals(&panels);
        let allowed = absolute.max(relative * integral.abs());
        let converged = estimate <= allowed;
        let stuck = QuadratureError::NoConvergence { integral, estimate, panels: panels.len() };
        // Two orders of one panel can agree by accident: agreement is checked by halving every
        // panel. Otherwise every panel above its share is halved, and at least the worst.
        let share = allowed / panels.len() as f64;
        let mut split = Vec::new();
        while panels.peek().is_some_and(|p| converged || split.is_empty() || p.error > share) {
            split.extend(panels.pop());
        }
        if panels.len() + 2 * split.len() > MAX_PANELS {
            return Err(stuck);
        }
        for p in split {
            let middle = 0.5 * (p.a + p.b);
            if middle == p.a || middle == p.b {
                return Err(stuck);
            }
            panels.push(Panel::new(&f, p.a, middle, allowed / 16.0)?);
            panels.push(Panel::new(&f, middle, p.b, allowed / 16.0)?);
        }
        if converged {
            let (value, estimate) = totals(&panels);
            let estimate = estimate.max((value - integral).abs());
            if estimate <= absolute.max(relative * value.abs()) {
                return Ok(Estimated { value, estimate });
            }
        }
    }
}

/// Sums of the panels' integrals and error estimates.
fn totals(panels: &BinaryHeap<Panel>) -> (f64, f64) {
    panels.iter().fold((0.0, 0.0), |(i, e), p| (i + p.integral, e + p.error))
}

/// One panel; ordered by its error estimate.
struct Panel {
    a: f64,
    b: f64,
    integral: f64,
    error: f64,
}

impl Panel {
    fn new(f: &impl Fn(f64) -> f64, a: f64, b: f64, target: f64) -> Result<Self, QuadratureError> {
        let bad = Cell::new(None);
        let largest = Cell::new(0.0_f64);
        let checked = |x: f64| {
            let value = f(x);
            if value.is_finite() {
                largest.set(largest.get().max(value.abs()));
            } else if bad.get().is_none() {
                bad.set(Some(QuadratureError::NotFinite { x, value }));
            }
            value
        };
        // The crate divides its target by the signed half-width.
        let (lower, upper) = (a.min(b), a.max(b));
        let output = clenshaw_curtis::integrate(checked, lower, upper, target);
        if let Some(error) = bad.get() {
            return Err(error);
        }
        let rounding = f64::EPSILON * largest.get() * (upper - lower);
        Ok(Self {
            a,
            b,
            integral: if b < a { -output.integral } else { output.integral },
            error: output.error_estimate.max(rounding),
        })
    }
}

impl Ord for Panel {
    fn cmp(&self, other: &Self) -> Ordering {
        self.error.total_cmp(&other.error)
    }
}

impl PartialOrd for Panel {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Panel {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Panel {}
