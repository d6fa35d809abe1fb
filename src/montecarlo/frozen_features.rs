//! Models that are linear in their parameters, with frozen features.

use super::MonteCarloError;
use super::error::check;

/// One feature J(x, σ) = v tanh(w·x + b) exp(−(ln σ − c)²/(2h²)) ∈ R^d of a denoiser
/// D_θ(x, σ) = Σ_k θ_k J_k(x, σ).
///
/// Tensor features, random features of x times bumps in ln σ, are all pairs of (v, w, b) and
/// (c, h).
#[derive(Debug, Clone, PartialEq)]
pub struct FrozenFeature {
    /// v, in units of the data.
    pub direction: Vec<f64>,
    /// w, in inverse units of the data.
    pub weights: Vec<f64>,
    /// b.
    pub bias: f64,
    /// c: the logarithm of the noise level at which the bump is 1.
    pub centre: f64,
    /// h > 0: the width of the bump.
    pub width: f64,
}

impl FrozenFeature {
    /// exp(−(ln σ − c)²/(2h²)).
    pub fn bump(&self, sigma: f64) -> f64 {
        let t = (sigma.ln() - self.centre) / self.width;
        (-0.5 * t * t).exp()
    }

    /// tanh(w·x + b).
    ///
    pub fn activation(&self, x: &[f64]) -> f64 {
        let product: f64 = self.weights.iter().zip(x).map(|(w, x)| w * x).sum();
        (product + self.bias).tanh()
    }

    /// Checks one feature of a list in R^`dimension`.
    pub(super) fn check(&self, index: usize, dimension: usize) -> Result<(), MonteCarloError> {
        for (name, list) in
            [("direction of a feature", &self.direction), ("weights of a feature", &self.weights)]
        {
            let found = list.len();
            if found != dimension {
                return Err(MonteCarloError::Length { name, found, expected: dimension });
            }
            if let Some(&value) = list.iter().find(|v| v.is_nan() || v.abs() >= LARGEST) {
                let valid = "numbers within ±1e50";
                return Err(MonteCarloError::Element { name, index, value, valid });
            }
        }
        let finite = |v: f64| v.abs() < LARGEST;
        check("bias of a feature", self.bias, finite, "a number within ±1e50")?;
        check("centre of a bump", self.centre, finite, "a number within ±1e50")?;
        check("width of a bump", self.width, |h| h > 1e-50, "a finite number > 1e-50")?;
        Ok(())
    }
}

/// Bound of all coordinates: no product of four overflows.
pub(super) const LARGEST: f64 = 1e50;
