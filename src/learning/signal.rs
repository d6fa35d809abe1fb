//! How the signal is spread over the eigen-directions of the features.

use super::LearningError;
use super::sums::COMPENSATED_ROUNDINGS;
use crate::numeric::CompensatedSum;

/// Largest |E| of [`Signal::Power`]: beyond it k^{−E} underflows at the largest dimension.
const MAX_EXPONENT: f64 = 30.0;
/// Largest dimension in which a signal is given direction by direction.
pub(super) const MAX_DIRECTIONS: f64 = 67_108_864.0; // 2²⁶

/// The squared signal w_k² of each eigen-direction k of Σ, counted from the largest
/// eigenvalue; P = Σ_k w_k² is its power.
#[derive(Debug, Clone, PartialEq)]
pub enum Signal {
    /// w_k² = P/p (the mean over an isotropic prior).
    Flat {
        /// P ≥ 0.
        power: f64,
    },
    /// w_k² ∝ k^{−E}.
    Power {
        /// E, between −30 and 30.
        exponent: f64,
        /// P ≥ 0.
        power: f64,
    },
    /// One w_k² ≥ 0 per direction, p of them.
    Custom(Vec<f64>),
}

impl Signal {
    /// w_k² of every direction of a p-dimensional problem, from the largest eigenvalue down.
    ///
    /// # Errors
    /// A negative or non-finite power, an exponent beyond ±30, or a list whose length is not p.
    pub fn squares(&self, dimension: usize) -> Result<Vec<f64>, LearningError> {
        Ok(self.group(&vec![1.0; dimension], dimension as f64)?.0)
    }

    /// Σ w_k² of each group of directions with equal eigenvalue, from the largest eigenvalue
    /// down, with the number of relative roundings it may carry.
    ///
    /// `groups` holds the number of directions of each; they sum to `dimension`.
    pub(super) fn group(
        &self,
        groups: &[f64],
        dimension: f64,
    ) -> Result<(Vec<f64>, u32), LearningError> {
        match self {
            Self::Flat { power } => {
                check_power(*power)?;
                Ok((groups.iter().map(|m| m * (power / dimension)).collect(), 2))
            }
            Self::Power { exponent, power } => {
                check_power(*power)?;
                if !(-MAX_EXPONENT..=MAX_EXPONENT).contains(exponent) {
                    return Err(LearningError::Parameter {
                        name: "signal exponent",
                        value: *exponent,
                        valid: "a number between -30 and 30",
                    });
                }
                check_directions(groups, dimension)?;
                // relative to the largest term, so that no sign of E overflows
                let unit = if *exponent < 0.0 { dimension } else { 1.0 };
                let sums = group_sums(groups, |k| ((k as f64 + 1.0) / unit).powf(-exponent));
                let mut total = CompensatedSum::default();
                sums.iter().for_each(|&s| total.add(s));
                let total = total.value();
                // powf: 4 ulp = 8 roundings, and |E| ≤ 30 times the one of its argument
                let term = 8 + MAX_EXPONENT as u32;
                let roundings = 2 * (term + COMPENSATED_ROUNDINGS) + COMPENSATED_ROUNDINGS + 2;
                Ok((sums.iter().map(|s| power * (s / total)).collect(), roundings))
            }
            Self::Custom(squares) => {
                if squares.len() as f64 != dimension {
                    return Err(LearningError::Shape {
                        what: "squared signal weights",
                        found: squares.len().to_string(),
                        expected: format!("one per direction, p = {dimension}"),
                    });
                }
                squares.iter().try_for_each(|&w| check_power(w))?;
                check_directions(groups, dimension)?;
                Ok((group_sums(groups, |k| squares[k]), COMPENSATED_ROUNDINGS))
            }
        }
    }
}

fn check_power(power: f64) -> Result<(), LearningError> {
    if power.is_finite() && power >= 0.0 {
        return Ok(());
    }
    Err(LearningError::Parameter {
        name: "signal power",
        value: power,
        valid: "a finite number ≥ 0",
    })
}

/// A signal that differs between directions needs whole directions to differ between.
fn check_directions(groups: &[f64], dimension: f64) -> Result<(), LearningError> {
    if dimension > MAX_DIRECTIONS {
        return Err(LearningError::Parameter {
            name: "dimension",
            value: dimension,
            valid: "at most 2^26 for a signal that is given direction by direction",
        });
    }
    let total: f64 = groups.iter().sum();
    if total == dimension && groups.iter().all(|m| m.fract() == 0.0) {
        return Ok(());
    }
    Err(LearningError::Shape {
        what: "directions of the spectrum",
        found: format!("groups of weight × p directions that are not whole, in sum {total}"),
        expected: format!("whole numbers that sum to p = {dimension}, or a flat signal"),
    })
}

fn group_sums(groups: &[f64], square: impl Fn(usize) -> f64) -> Vec<f64> {
    let mut next = 0;
    groups
        .iter()
        .map(|&m| {
            let mut sum = CompensatedSum::default();
            for k in next..next + m as usize {
                sum.add(square(k));
            }
            next += m as usize;
            sum.value()
        })
        .collect()
}
