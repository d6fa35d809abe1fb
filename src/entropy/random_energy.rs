//! The random-energy limit: exponentially many Gaussian points (theory page 3, E8).

use super::analytic::ln_1p_square;
use super::model::check_sigma;
use super::{DataModel, EntropyError, LowNoise, Unit};
use crate::evidence::{Certified, Evidence};

/// Relative rounding bound of every smooth branch, and relative uncertainty of σ_c (E8).
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// N = e^{αd} points drawn from N(0, I_d), each with probability 1/N, as d → ∞; per
/// coordinate.
///
/// Ḣ_ℓ = 1/(1+σ²) for σ > σ_c and 0 below, with σ_c² = 1/(e^{2α}−1);
/// I = min(½ ln(1+1/σ²), α): above σ_c the noise hides which point it was, below it the
/// points are told apart (E8).
///
/// Certified. Within rounding of σ_c, where the side cannot be told, the radius of the mmse
/// covers the whole jump.
///
/// ```
/// use rootrate::entropy::{DataModel, RandomEnergy};
/// let m = RandomEnergy::new(0.5 * 2f64.ln())?; // σ_c = 1
/// assert!((m.critical_sigma() - 1.0).abs() < 1e-15);
/// assert_eq!(m.mmse(0.9)?.value(), 0.0);
/// # Ok::<(), rootrate::entropy::EntropyError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RandomEnergy {
    alpha: f64,
    critical: f64,
}

impl RandomEnergy {
    /// The limit with ln N = αd.
    ///
    /// # Errors
    /// [`EntropyError::Parameter`] unless 1e-300 ≤ α ≤ 700.
    pub fn new(alpha: f64) -> Result<Self, EntropyError> {
        if !(1e-300..=700.0).contains(&alpha) {
            return Err(EntropyError::Parameter {
                name: "random-energy α".into(),
                value: alpha,
                valid: "α = ln N/d must be between 1e-300 and 700",
            });
        }
        // 1/√(e^{2α}−1) without overflow of e^{2α}
        let critical = (-alpha).exp() / (-(-2.0 * alpha).exp_m1()).sqrt();
        Ok(Self { alpha, critical })
    }

    /// α = ln N / d.
    pub fn alpha(&self) -> f64 {
        self.alpha
    }

    /// σ_c = 1/√(e^{2α}−1), within 16ε of itself.
    pub fn critical_sigma(&self) -> f64 {
        self.critical
    }
}

impl DataModel for RandomEnergy {
    fn name(&self) -> String {
        format!("random-energy limit, α = {}", self.alpha)
    }

    fn unit(&self) -> Unit {
        Unit::PerCoordinate
    }

    fn low_noise(&self) -> LowNoise {
        LowNoise::Discrete { entropy: self.alpha }
    }

    /// (E8).
    fn mmse(&self, sigma: f64) -> Result<Evidence, EntropyError> {
        check_sigma(sigma)?;
        let above = if sigma <= 1.0 {
            sigma * sigma / (1.0 + sigma * sigma)
        } else {
            1.0 / (1.0 + (1.0 / sigma) * (1.0 / sigma))
        };
        let value = if sigma > self.critical { above } else { 0.0 };
        let near_jump = (sigma - self.critical).abs() <= ROUNDING * self.critical;
        let jump = if near_jump { above } else { 0.0 };
        let rounding = if value > 0.0 { ROUNDING * value + f64::MIN_POSITIVE } else { 0.0 };
        Ok(Certified::new(value, jump + rounding + ROUNDING * jump).into())
    }

    /// (E8).
    fn information(&self, sigma: f64) -> Result<Evidence, EntropyError> {
        check_sigma(sigma)?;
        let q = 1.0 / sigma;
        // q overflows only below the smallest σ_c, where the minimum is α anyway.
        let value = (0.5 * ln_1p_square(q)).min(self.alpha);
        Ok(Certified::new(value, ROUNDING * value + f64::MIN_POSITIVE).into())
    }

    fn kinks(&self) -> Vec<f64> {
        vec![self.critical]
    }
}
