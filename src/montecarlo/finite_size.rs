//! Is the difference between a deterministic equivalent and simulations the promised O(1/n)?

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, Normal};
use statrs::function::erf::erfc;
use statrs::function::gamma::checked_gamma_ur;

use super::MonteCarloError;
use super::error::check;
use super::statistics::freedom;
use crate::evidence::Sampled;

/// Replicates below which the normal law of the tests is not trusted.
const MIN_REPLICATES: u64 = 100;

/// The weighted fit Δ(n) = a + b/n to the differences simulation − theory, and its tests (M4).
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct FiniteSizeOutcome {
    /// a: the difference extrapolated to n → ∞.
    pub limit: f64,
    /// Standard error of a.
    pub limit_error: f64,
    /// b: the coefficient of the 1/n correction.
    pub slope: f64,
    /// Standard error of b.
    pub slope_error: f64,
    /// Two-sided p-value of a = 0.
    pub limit_p_value: f64,
    /// P-value of the residuals (χ², sizes − 2 degrees of freedom): small if the differences do
    /// not follow a + b/n, for instance decay more slowly.
    pub decay_p_value: f64,
}

impl FiniteSizeOutcome {
    /// Whether both p-values reach α/2, so that a correct theory fails with probability ≤ α.
    ///
    /// # Errors
    /// `alpha` outside (0, 1).
    pub fn passes(&self, alpha: f64) -> Result<bool, MonteCarloError> {
        let threshold = super::family_threshold(alpha, 2)?;
        Ok(self.limit_p_value >= threshold && self.decay_p_value >= threshold)
    }

    /// The smallest error |a| of a theory that [`passes`](Self::passes) rejects with at least
    /// probability `power`: (z_{1−α/4} + z_power)·limit_error (M4).
    ///
    /// # Errors
    /// `alpha` or `power` outside (0, 1).
    pub fn detectable(&self, alpha: f64, power: f64) -> Result<f64, MonteCarloError> {
        let threshold = super::family_threshold(alpha, 2)?;
        check("power", power, |p| 0.0 < p && p < 1.0, "a probability strictly between 0 and 1")?;
        let normal = Normal::standard();
        let distance = normal.inverse_cdf(1.0 - threshold / 2.0) + normal.inverse_cdf(power);
        Ok(distance.max(0.0) * self.limit_error)
    }
}

/// Fits simulation − theory at three or more sizes n by a + b/n, weighted by the standard
/// errors, and tests a = 0 and the form of the decay (M4).
///
/// Sizes like n, 2n, 4n, 8n keep the fit well conditioned. The O(1/n²) remainder is not
/// modelled: the sizes must be large enough that it stays below the standard errors. The
/// simulations must be independent of each other, of at least 100 replicates each.
///
/// # Errors
/// Fewer than three sizes or lists of different lengths, sizes that are zero or repeat, values
/// that are not finite, standard errors that are zero, too few replicates.
///
/// ```
/// use rootrate::evidence::Sampled;
/// use rootrate::montecarlo::finite_size_check;
/// let run = |mean| Sampled { mean, standard_error: 0.001, replicates: 1000 };
/// let simulations = [run(1.0505), run(1.0242), run(1.0128)];
/// let outcome = finite_size_check(&[20, 40, 80], &simulations, &[1.0, 1.0, 1.0])?;
/// assert!(outcome.passes(1e-3)?);
/// assert!(!finite_size_check(&[20, 40, 80], &simulations, &[0.98; 3])?.passes(1e-3)?);
/// # Ok::<(), rootrate::montecarlo::MonteCarloError>(())
/// ```
pub fn finite_size_check(
    sizes: &[usize],
    simulations: &[Sampled],
    theory: &[f64],
) -> Result<FiniteSizeOutcome, MonteCarloError> {
    check("number of sizes", sizes.len() as f64, |k| k >= 3.0, "at least 3 sizes")?;
    for (name, found) in [("simulations", simulations.len()), ("theory", theory.len())] {
        if found != sizes.len() {
            return Err(MonteCarloError::Length { name, found, expected: sizes.len() });
        }
    }
    for (index, &size) in sizes.iter().enumerate() {
        if size == 0 || sizes[..index].contains(&size) {
            let valid = "sizes are positive and distinct";
            return Err(MonteCarloError::Element {
                name: "sizes",
                index,
                value: size as f64,
                valid,
            });
        }
    }
    for (index, (simulation, &value)) in simulations.iter().zip(theory).enumerate() {
        freedom(simulation)?;
        check("standard error", simulation.standard_error, |s| s > 0.0, "a finite number > 0")?;
        if simulation.replicates < MIN_REPLICATES {
            return Err(MonteCarloError::TooFewReplicates {
                found: simulation.replicates,
                needed: MIN_REPLICATES,
            });
        }
        if !value.is_finite() {
            let valid = "finite numbers";
            return Err(MonteCarloError::Element { name: "theory", index, value, valid });
        }
    }

    // Weights relative to the smallest standard error, 1/n relative to the smallest size:
    // neither can then overflow.
    let unit = simulations.iter().map(|s| s.standard_error).fold(f64::INFINITY, f64::min);
    let smallest = sizes.iter().copied().min().unwrap_or(1) as f64;
    let x: Vec<f64> = sizes.iter().map(|&n| smallest / n as f64).collect();
    let y: Vec<f64> = simulations.iter().zip(theory).map(|(s, t)| (s.mean - t) / unit).collect();
    let weight: Vec<f64> = simulations.iter().map(|s| (unit / s.standard_error).powi(2)).collect();
    let total: f64 = weight.iter().sum();
    let mean = |v: &[f64]| weight.iter().zip(v).map(|(w, v)| w * v).sum::<f64>() / total;
    let (x_mean, y_mean) = (mean(&x), mean(&y));
    let sum = |f: &dyn Fn(usize) -> f64| (0..x.len()).map(|k| weight[k] * f(k)).sum::<f64>();
    let sxx = sum(&|k| (x[k] - x_mean) * (x[k] - x_mean));
    let slope = sum(&|k| (x[k] - x_mean) * (y[k] - y_mean)) / sxx;
    let limit = y_mean - slope * x_mean;
    let limit_error = (1.0 / total + x_mean * x_mean / sxx).sqrt();
    let chi2 = sum(&|k| (y[k] - limit - slope * x[k]).powi(2));
    let freedom = (x.len() - 2) as f64;

    let outcome = FiniteSizeOutcome {
        limit: limit * unit,
        limit_error: limit_error * unit,
        slope: slope * unit * smallest,
        slope_error: unit * smallest / sxx.sqrt(),
        limit_p_value: erfc((limit / limit_error).abs() / std::f64::consts::SQRT_2),
        decay_p_value: if chi2 > 0.0 {
            checked_gamma_ur(freedom / 2.0, chi2 / 2.0).map_err(|_| MonteCarloError::NotFinite)?
        } else {
            1.0
        },
    };
    let numbers = [outcome.limit, outcome.limit_error, outcome.slope, outcome.slope_error];
    let p_values = [outcome.limit_p_value, outcome.decay_p_value];
    if numbers.iter().chain(&p_values).any(|v| !v.is_finite()) {
        return Err(MonteCarloError::NotFinite);
    }
    Ok(outcome)
}
