//! The values of consecutive replicates: what an engine returns.

use super::{Moments, MonteCarloError};
use crate::evidence::Sampled;

/// One value a replicate, in the order of the replicates.
///
/// All statistics are functions of the values in this order. Shards of a range, computed
/// anywhere and appended in order, therefore give the bits of one run (M5).
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    first: u64,
    values: Vec<f64>,
}

impl Sample {
    /// The values of replicates `first, first + 1, …`.
    ///
    /// # Errors
    /// [`MonteCarloError::NotFinite`] if one is NaN or infinite.
    pub fn new(first: u64, values: Vec<f64>) -> Result<Self, MonteCarloError> {
        if values.iter().any(|v| !v.is_finite()) {
            return Err(MonteCarloError::NotFinite);
        }
        Ok(Self { first, values })
    }

    /// The first replicate.
    pub fn first(&self) -> u64 {
        self.first
    }

    /// The values, one a replicate.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Appends the sample of the replicates that follow.
    ///
    /// # Errors
    /// [`MonteCarloError::NotContiguous`] if `next` does not begin where this one ends.
    pub fn append(&mut self, next: &Self) -> Result<(), MonteCarloError> {
        let expected = self.first.saturating_add(self.values.len() as u64);
        if next.first != expected {
            return Err(MonteCarloError::NotContiguous { expected, found: next.first });
        }
        self.values.extend_from_slice(&next.values);
        Ok(())
    }

    /// 3(Σδ²)²/Σδ⁴, δ = x − mean: how many normal replicates would spread as evenly. Where it
    /// is small the spread rests on rare draws, and a normal standard error does not describe
    /// the mean. 0 without any spread.
    pub fn carriers(&self) -> f64 {
        carriers(&self.values)
    }

    /// Count, mean and spread (M3).
    pub fn moments(&self) -> Moments {
        Moments::of(&self.values)
    }

    /// The mean with its standard error.
    ///
    /// # Errors
    /// Fewer than two replicates, or moments that overflow.
    pub fn sampled(&self) -> Result<Sampled, MonteCarloError> {
        self.moments().sampled()
    }

    /// The quantile of `probability` in [0, 1], linear between order statistics (type 7 of
    /// Hyndman and Fan, *Sample quantiles in statistical packages*, 1996). Cost R log R.
    ///
    /// # Errors
    /// No value, or a probability outside [0, 1].
    pub fn quantile(&self, probability: f64) -> Result<f64, MonteCarloError> {
        if !(0.0..=1.0).contains(&probability) {
            return Err(MonteCarloError::Parameter {
                name: "probability",
                value: probability,
                valid: "a number in [0, 1]",
            });
        }
        let mut sorted = self.values.clone();
        sorted.sort_by(f64::total_cmp);
        let Some(last) = sorted.len().checked_sub(1) else {
            return Err(MonteCarloError::TooFewReplicates { found: 0, needed: 1 });
        };
        let position = probability * last as f64;
        let below = (position as usize).min(last);
        let above = (below + 1).min(last);
        let fraction = position - below as f64;
        Ok(sorted[below] * (1.0 - fraction) + sorted[above] * fraction)
    }
}

/// 3(Σδ²)²/Σδ⁴, scaled by the largest |δ| so that nothing overflows.
pub(super) fn carriers(values: &[f64]) -> f64 {
    let mean = Moments::of(values).mean();
    let largest = values.iter().fold(0.0_f64, |a, x| a.max((x - mean).abs()));
    if largest == 0.0 {
        return 0.0;
    }
    let squares = || values.iter().map(|x| ((x - mean) / largest).powi(2));
    3.0 * squares().sum::<f64>().powi(2) / squares().map(|s| s * s).sum::<f64>()
}
