//! The optimal allocation of a finite number of draws (S8).

use serde::{Serialize, Serializer};

use super::closed::distance;
use super::{NoiseLaw, ScheduleError};
use crate::entropy::Clock;

/// N draws for ridgeless learners with p features each, one learner per unit of the clock:
///
/// n(u) = p + (N − p|T|) √(wV)(u)/∫√(wV) draws per unit of the clock (S8).
///
/// Every learner first gets its p draws, the rest follows the √-law.
///
/// ```
/// use rootrate::entropy::Clock;
/// use rootrate::schedule::{Allocation, NoiseLaw};
/// let range = (0.05, 80.0);
/// let law = NoiseLaw::gaussian(0.5, Clock::LogSigma, range).unwrap();
/// let plan = Allocation::new(&law, Clock::LogSigma, range, 100.0, 1e4).unwrap();
/// assert!((plan.draws_between(0.05, 80.0) - 1e4).abs() < 1e-8);
/// assert!(plan.draws_at(80.0) > 100.0);
/// ```
#[derive(Debug, Clone, Serialize)]
pub struct Allocation {
    #[serde(serialize_with = "clock_name")]
    clock: Clock,
    range: (f64, f64),
    length: f64,
    features: f64,
    draws: f64,
    minimum: f64,
    #[serde(serialize_with = "law_name")]
    optimum: NoiseLaw,
    #[serde(skip)]
    law: NoiseLaw,
}

fn clock_name<S: Serializer>(clock: &Clock, s: S) -> Result<S::Ok, S::Error> {
    s.serialize_str(clock.name())
}

fn law_name<S: Serializer>(law: &NoiseLaw, s: S) -> Result<S::Ok, S::Error> {
    s.serialize_str(law.name())
}

impl Allocation {
    /// The allocation of `draws` = N for learners with `features` = p on a range of levels,
    /// given the asymptotically optimal law (∝ √(wV) in the clock).
    ///
    /// # Errors
    /// Unless p ≥ 0, the range has a positive, finite length in the clock, and N > p|T|.
    pub fn new(
        optimum: &NoiseLaw,
        clock: Clock,
        range: (f64, f64),
        features: f64,
        draws: f64,
    ) -> Result<Self, ScheduleError> {
        let floor = NoiseLaw::uniform(clock, range)?;
        if !(features.is_finite() && features >= 0.0) {
            let valid = "the number of features must be finite and ≥ 0";
            return Err(ScheduleError::Parameter { name: "features", value: features, valid });
        }
        if !draws.is_finite() {
            let valid = "the number of draws must be finite";
            return Err(ScheduleError::Parameter { name: "draws", value: draws, valid });
        }
        let length = distance(clock, range.0, range.1);
        let minimum = features * length;
        if draws <= minimum {
            return Err(ScheduleError::TooFewDraws { draws, features, length, minimum });
        }
        let parts = vec![(minimum, floor), (draws - minimum, optimum.clone())];
        let law = NoiseLaw::mixture(&format!("allocation ({clock})"), parts)?;
        Ok(Self { clock, range, length, features, draws, minimum, optimum: optimum.clone(), law })
    }

    /// The law of a single draw, n(u)/N.
    pub fn law(&self) -> &NoiseLaw {
        &self.law
    }

    /// N.
    pub fn draws(&self) -> f64 {
        self.draws
    }

    /// p|T|, the draws that N must exceed.
    pub fn minimum(&self) -> f64 {
        self.minimum
    }

    /// n(u): draws per unit of the clock at σ, which is what the learner at σ gets.
    pub fn draws_at(&self, sigma: f64) -> f64 {
        self.draws * self.law.density(self.clock, sigma)
    }

    /// Draws with σ in (σ_a, σ_b], not rounded; 0 if σ_a ≥ σ_b.
    pub fn draws_between(&self, low: f64, high: f64) -> f64 {
        self.draws * (self.law.cdf(high) - self.law.cdf(low)).max(0.0)
    }
}
