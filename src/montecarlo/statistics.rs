//! Moments that merge, confidence intervals, and the comparison of a theory with a simulation.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

use super::MonteCarloError;
use super::error::check;
use crate::evidence::{Evidence, Sampled};

/// Values that one leaf of [`Moments::of`] takes in sequence.
const LEAF: usize = 256;
/// Degrees of freedom from which Student's tail is the normal one to 3.3e-7 relative within 6σ
/// (the ratio is 1 + z⁴/4ν + …).
const NORMAL_FROM: f64 = 1e9;

/// Count, mean and sum of squared deviations of a set of numbers (M3).
///
/// ```
/// use rootrate::montecarlo::Moments;
/// let moments = Moments::of(&[1.0, 2.0, 4.0, 5.0]);
/// assert_eq!((moments.count(), moments.mean()), (4, 3.0));
/// assert!((moments.variance().unwrap() - 10.0 / 3.0).abs() < 1e-15);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Moments {
    count: u64,
    mean: f64,
    m2: f64,
}

impl Moments {
    /// The moments of `values`, by a balanced tree of fixed shape over leaves of 256: a pure
    /// function of the values in their order, with rounding that grows like log n.
    pub fn of(values: &[f64]) -> Self {
        if values.len() <= LEAF {
            let mut moments = Self::default();
            values.iter().for_each(|&x| moments.push(x));
            return moments;
        }
        let middle = values.len().div_ceil(2 * LEAF) * LEAF;
        let mut left = Self::of(&values[..middle]);
        left.merge(&Self::of(&values[middle..]));
        left
    }

    /// Adds one number (Welford, *Technometrics* 4, 1962).
    pub fn push(&mut self, x: f64) {
        self.count += 1;
        let delta = x - self.mean;
        self.mean += delta / self.count as f64;
        self.m2 += delta * (x - self.mean);
    }

    /// Adds the numbers that `other` summarises (Chan, Golub and LeVeque 1979), (M3).
    pub fn merge(&mut self, other: &Self) {
        if other.count == 0 {
            return;
        }
        let total = self.count + other.count;
        let delta = other.mean - self.mean;
        let share = other.count as f64 / total as f64;
        self.mean += delta * share;
        self.m2 += other.m2 + delta * delta * (self.count as f64 * share);
        self.count = total;
    }

    /// How many numbers.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Their mean; 0 for none.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// Their unbiased sample variance.
    ///
    /// # Errors
    /// Fewer than two numbers, or an overflow.
    pub fn variance(&self) -> Result<f64, MonteCarloError> {
        if self.count < 2 {
            return Err(MonteCarloError::TooFewReplicates { found: self.count, needed: 2 });
        }
        let variance = self.m2 / (self.count - 1) as f64;
        if !(self.mean.is_finite() && variance.is_finite()) {
            return Err(MonteCarloError::NotFinite);
        }
        Ok(variance)
    }

    /// The mean with its standard error √(variance/count).
    ///
    /// # Errors
    /// As [`variance`](Self::variance).
    pub fn sampled(&self) -> Result<Sampled, MonteCarloError> {
        let standard_error = (self.variance()? / self.count as f64).sqrt();
        Ok(Sampled { mean: self.mean, standard_error, replicates: self.count })
    }
}

/// The interval that covers the expectation with probability `level`, by Student's law with
/// R − 1 degrees of freedom (exact for normal replicates, asymptotic otherwise).
///
/// # Errors
/// `level` outside (0, 1), fewer than two replicates, a sample that is not finite.
pub fn confidence_interval(sampled: &Sampled, level: f64) -> Result<(f64, f64), MonteCarloError> {
    check("level", level, |l| 0.0 < l && l < 1.0, "a probability strictly between 0 and 1")?;
    let quantile = two_sided_quantile(1.0 - level, freedom(sampled)?)?;
    let half = quantile * sampled.standard_error;
    if !half.is_finite() {
        return Err(MonteCarloError::NotFinite);
    }
    Ok((sampled.mean - half, sampled.mean + half))
}

/// A theory's value beside a simulation's (M7).
///
/// Let b be the theory's error bound and a an allowance for the finite size, stated by the
/// caller. The hypothesis is |E simulation − theory| ≤ a + b, and
///
/// z = sign(Δ)·max(0, |Δ| − a − b)/s,  Δ = simulation − theory,
///
/// with s the standard error. Under the hypothesis P(p_value ≤ α) ≤ α for every α, so the
/// false-alarm rate is at most the level whatever the true deviation within a + b.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Comparison {
    /// What the theory says.
    pub theory: Evidence,
    /// What the simulation says.
    pub simulation: Sampled,
    /// Finite-size allowance a ≥ 0, absolute.
    pub allowance: f64,
    /// The standardised difference; ±`f64::MAX` for a difference without any spread.
    pub z: f64,
    /// Two-sided, by Student's law with R − 1 degrees of freedom.
    pub p_value: f64,
}

impl Comparison {
    /// Compares. If the theory is itself a simulation, the two standard errors add in
    /// quadrature and the smaller number of replicates counts.
    ///
    /// # Errors
    /// A negative or non-finite allowance, values that are not finite, fewer than two replicates.
    ///
    /// ```
    /// use rootrate::evidence::{Certified, Sampled};
    /// use rootrate::montecarlo::Comparison;
    /// let simulation = Sampled { mean: 1.03, standard_error: 0.01, replicates: 400 };
    /// let comparison = Comparison::new(Certified::new(1.0, 1e-9).into(), simulation, 0.0)?;
    /// assert!(comparison.z > 2.99 && comparison.p_value < 0.003);
    /// # Ok::<(), rootrate::montecarlo::MonteCarloError>(())
    /// ```
    pub fn new(
        theory: Evidence,
        simulation: Sampled,
        allowance: f64,
    ) -> Result<Self, MonteCarloError> {
        check("allowance", allowance, |a| a >= 0.0, "a finite number ≥ 0")?;
        check("theory", theory.value(), |_| true, "a finite number")?;
        check("theory's error", theory.error(), |e| e >= 0.0, "a finite number ≥ 0")?;
        let mut freedom = freedom(&simulation)?;
        let (bound, spread) = match theory {
            Evidence::Sampled(other) => {
                freedom = freedom.min(self::freedom(&other)?);
                (0.0, simulation.standard_error.hypot(other.standard_error))
            }
            _ => (theory.error(), simulation.standard_error),
        };
        let difference = simulation.mean - theory.value();
        let excess = (difference.abs() - allowance - bound).max(0.0);
        let z =
            if excess == 0.0 { 0.0 } else { (excess / spread).min(f64::MAX).copysign(difference) };
        let p_value = two_sided(z, freedom)?;
        Ok(Self { theory, simulation, allowance, z, p_value })
    }

    /// Whether the p-value reaches `threshold` (see [`family_threshold`]).
    pub fn agrees(&self, threshold: f64) -> bool {
        self.p_value >= threshold
    }
}

/// The threshold of each p-value so that `tests` of them raise a false alarm with probability
/// at most `alpha` together: α/m (Bonferroni), whatever the dependence between them.
///
/// (Šidák's 1 − (1−α)^{1/m} is larger by less than a factor 1 + α/2 for small α, and needs
/// independence: not worth its assumption.)
///
/// # Errors
/// `alpha` outside (0, 1), or no test.
pub fn family_threshold(alpha: f64, tests: usize) -> Result<f64, MonteCarloError> {
    check("alpha", alpha, |a| 0.0 < a && a < 1.0, "a probability strictly between 0 and 1")?;
    check("tests", tests as f64, |m| m >= 1.0, "at least one test")?;
    Ok(alpha / tests as f64)
}

/// P(|T| ≥ |z|) for Student's T; the normal law from 10⁹ degrees of freedom.
fn two_sided(z: f64, freedom: f64) -> Result<f64, MonteCarloError> {
    let tail = if freedom >= NORMAL_FROM {
        Normal::standard().sf(z.abs())
    } else {
        student(freedom)?.sf(z.abs())
    };
    Ok((2.0 * tail).clamp(0.0, 1.0))
}

/// z with P(|T| ≥ z) = `probability` in (0, 1), by bisection to the last bit: the tail falls
/// monotonically. (The library's own inverse is wrong in the third digit at 10⁶ degrees.)
fn two_sided_quantile(probability: f64, freedom: f64) -> Result<f64, MonteCarloError> {
    let (mut low, mut high) = (0.0, 1.0);
    while two_sided(high, freedom)? > probability {
        low = high;
        high *= 2.0;
    }
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return Ok(middle);
        }
        if two_sided(middle, freedom)? > probability {
            low = middle;
        } else {
            high = middle;
        }
    }
}

fn student(freedom: f64) -> Result<StudentsT, MonteCarloError> {
    StudentsT::new(0.0, 1.0, freedom).map_err(|_| MonteCarloError::NotFinite)
}

/// R − 1, once the sample is known to be usable.
pub(super) fn freedom(sampled: &Sampled) -> Result<f64, MonteCarloError> {
    check("mean", sampled.mean, |_| true, "a finite number")?;
    check("standard error", sampled.standard_error, |s| s >= 0.0, "a finite number ≥ 0")?;
    if sampled.replicates < 2 {
        return Err(MonteCarloError::TooFewReplicates { found: sampled.replicates, needed: 2 });
    }
    Ok((sampled.replicates - 1) as f64)
}
