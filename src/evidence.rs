//! Values that carry their evidence: no iterative method in this crate returns a bare float.
//!
//! Three types make three different promises. [`Certified`] is proved (interval arithmetic or
//! an analytic error bound that includes rounding), [`Estimated`] is a heuristic error
//! estimate, [`Sampled`] is a Monte Carlo mean with its standard error. [`Evidence`] is any of
//! the three, for interfaces whose models differ in what they can promise.

use serde::Serialize;

/// A value with a proved bound: `|value − exact| ≤ radius`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Certified {
    /// The computed value.
    pub value: f64,
    /// Proved bound of the absolute error, rounding included.
    pub radius: f64,
}

/// A value with a heuristic estimate of its absolute error.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Estimated {
    /// The computed value.
    pub value: f64,
    /// Estimate of the absolute error (for instance from halving the step).
    pub estimate: f64,
}

/// A Monte Carlo mean with its standard error.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Sampled {
    /// Mean over the replicates.
    pub mean: f64,
    /// Standard error of the mean.
    pub standard_error: f64,
    /// Number of independent replicates.
    pub replicates: u64,
}

/// A value together with whichever of the three kinds of evidence its method can give.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Evidence {
    /// Proved.
    Certified(Certified),
    /// Heuristic.
    Estimated(Estimated),
    /// Statistical.
    Sampled(Sampled),
}

impl Certified {
    /// A value with its proved bound.
    pub fn new(value: f64, radius: f64) -> Self {
        Self { value, radius }
    }

    /// Whether the proved interval contains `x`.
    pub fn contains(&self, x: f64) -> bool {
        (x - self.value).abs() <= self.radius
    }

    /// The bound relative to the value's magnitude.
    pub fn relative_radius(&self) -> f64 {
        self.radius / self.value.abs()
    }
}

impl Evidence {
    /// The value, or the mean.
    pub fn value(&self) -> f64 {
        match self {
            Self::Certified(c) => c.value,
            Self::Estimated(e) => e.value,
            Self::Sampled(s) => s.mean,
        }
    }

    /// The bound, the estimate, or one standard error.
    pub fn error(&self) -> f64 {
        match self {
            Self::Certified(c) => c.radius,
            Self::Estimated(e) => e.estimate,
            Self::Sampled(s) => s.standard_error,
        }
    }

    /// `"certified"`, `"estimated"` or `"sampled"`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Certified(_) => "certified",
            Self::Estimated(_) => "estimated",
            Self::Sampled(_) => "sampled",
        }
    }

    /// The evidence of `factor · x`, with a relative rounding of 2⁻⁵² added to a proved bound.
    pub fn scaled(&self, factor: f64) -> Self {
        let f = factor.abs();
        match *self {
            Self::Certified(c) => {
                let value = factor * c.value;
                let radius =
                    (f * c.radius + value.abs() * f64::EPSILON) * (1.0 + 4.0 * f64::EPSILON);
                Self::Certified(Certified::new(value, radius))
            }
            Self::Estimated(e) => {
                Self::Estimated(Estimated { value: factor * e.value, estimate: f * e.estimate })
            }
            Self::Sampled(s) => Self::Sampled(Sampled {
                mean: factor * s.mean,
                standard_error: f * s.standard_error,
                replicates: s.replicates,
            }),
        }
    }
}

impl From<Certified> for Evidence {
    fn from(c: Certified) -> Self {
        Self::Certified(c)
    }
}

impl From<Estimated> for Evidence {
    fn from(e: Estimated) -> Self {
        Self::Estimated(e)
    }
}

impl From<Sampled> for Evidence {
    fn from(s: Sampled) -> Self {
        Self::Sampled(s)
    }
}
