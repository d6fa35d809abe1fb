//! Finite mixtures of point masses on a line or in the plane, with certificates (E5–E7).

mod geometry;
mod strip;
mod trapezoid;

use self::geometry::Points;
use self::strip::Integrand;
use super::model::check_sigma;
use super::{DataModel, EntropyError, LowNoise, Unit};
use crate::evidence::{Certified, Evidence};
use crate::numeric::CompensatedSum;

/// x0 equal to one of finitely many centres a_k, with probabilities w_k.
///
/// With p(x) = Σ_k w_k N(x; a_k, σ²) and posterior weights q_k(x) = w_k N(x; a_k, σ²)/p(x),
///
/// mmse(σ) = ∫ p Var_q(a) dx,  H(x0|x_σ) = −∫ p Σ_k q_k ln q_k dx,  I = H(w) − H(x0|x_σ)  (E5).
///
/// All certified: both integrands are positive and analytic in a strip where they are bounded
/// by a multiple of themselves on the real axis, so the trapezoid rule has a proved *relative*
/// error (E6), and the mmse keeps its digits down to rates of 1e-290, where it is exponentially
/// small. Only nodes with two atoms in sight are visited: gaps and far clusters cost nothing.
///
/// Centres are points of a line or a plane, or of any dimension if they lie on one line.
/// Equal centres are merged.
///
/// Cost: roughly 10²–10³ exponentials an atom and level on a line; in the plane the square of
/// that and more (below 10⁹, beyond which an error says so).
///
/// ```
/// use rootrate::entropy::{DataModel, DiracMixture};
/// let pair = DiracMixture::on_line(&[-1.0, 1.0], &[0.5, 0.5])?;
/// // 1 − E tanh(1/σ² + Z/σ)
/// assert!((pair.mmse(1.0)?.value() - 0.4495995092).abs() < 1e-10);
/// assert_eq!(pair.mmse(1.0)?.kind(), "certified");
/// # Ok::<(), rootrate::entropy::EntropyError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct DiracMixture {
    points: Points,
    dimension: usize,
    entropy: f64,
}

impl DiracMixture {
    /// Centres (each of the same dimension) with their probabilities.
    ///
    /// # Errors
    /// [`EntropyError::Shape`] without a centre, for mismatched lengths, or when the centres
    /// span more than two dimensions (use a Monte Carlo mixture model there);
    /// [`EntropyError::Parameter`] for a coordinate that is not finite or above 1e150 in
    /// magnitude, a bad weight, or weights that do not sum to 1 within 1e-9.
    pub fn new(centres: &[Vec<f64>], weights: &[f64]) -> Result<Self, EntropyError> {
        let points = Points::new(centres, weights)?;
        let entropy = entropy_of(&points.weights);
        Ok(Self { points, dimension: centres[0].len(), entropy })
    }

    /// Centres on the real line.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn on_line(centres: &[f64], weights: &[f64]) -> Result<Self, EntropyError> {
        let centres: Vec<Vec<f64>> = centres.iter().map(|&a| vec![a]).collect();
        Self::new(&centres, weights)
    }

    /// Number of distinct centres.
    pub fn atoms(&self) -> usize {
        self.points.len()
    }

    /// H(x0|x_σ) in nats, with a certificate relative to itself.
    ///
    /// # Errors
    /// As [`mmse`](DataModel::mmse).
    pub fn conditional_entropy(&self, sigma: f64) -> Result<Certified, EntropyError> {
        check_sigma(sigma)?;
        trapezoid::integrate(&self.points, sigma, Integrand::Entropy)
    }

    fn certified_mmse(&self, sigma: f64) -> Result<Certified, EntropyError> {
        check_sigma(sigma)?;
        trapezoid::integrate(&self.points, sigma, Integrand::Variance)
    }

    /// Var(x0), within (n+64)·ε of itself: distances are taken from the likeliest centre, as
    /// in (E6.5).
    fn variance(&self) -> f64 {
        let (at, weights) = (&self.points.at, &self.points.weights);
        let origin = at[likeliest(weights)];
        let moment = |axis: usize| {
            let d = || at.iter().map(move |a| a[axis] - origin[axis]);
            let mean: f64 = d().zip(weights).map(|(d, w)| w * d).sum();
            d().zip(weights).map(|(d, w)| w * (d - mean) * (d - mean)).sum::<f64>()
        };
        moment(0) + moment(1)
    }
}

impl DataModel for DiracMixture {
    fn name(&self) -> String {
        let n = self.atoms();
        if self.points.planar || self.dimension > 1 || n > 4 {
            return format!("{n} Diracs, d = {}", self.dimension);
        }
        let centres: Vec<String> = self.points.at.iter().map(|a| a[0].to_string()).collect();
        format!("Diracs at {}", centres.join(", "))
    }

    fn unit(&self) -> Unit {
        Unit::Total { dimension: self.dimension }
    }

    fn low_noise(&self) -> LowNoise {
        LowNoise::Discrete { entropy: self.entropy }
    }

    /// (E5), certified by (E6).
    ///
    /// # Errors
    /// [`EntropyError::NoiseLevel`]; [`EntropyError::NoConvergence`] when the rule would need
    /// more than 10⁹ exponentials (many atoms in the plane at small σ).
    fn mmse(&self, sigma: f64) -> Result<Evidence, EntropyError> {
        Ok(self.certified_mmse(sigma)?.into())
    }

    /// H(w) − H(x0|x_σ), or at large σ the middle of ½ mmse/σ² ≤ I ≤ ½ Var/σ² (E5), whichever
    /// is the sharper.
    fn information(&self, sigma: f64) -> Result<Evidence, EntropyError> {
        let conditional = self.conditional_entropy(sigma)?;
        let value = self.entropy - conditional.value;
        let radius = conditional.radius + 16.0 * f64::EPSILON * self.entropy;
        let difference = Certified::new(value, radius);
        let variance = self.variance();
        if self.points.offset > 0.0 || variance / sigma / sigma > 1e-2 {
            return Ok(difference.into());
        }
        let mmse = self.certified_mmse(sigma)?;
        let rounding = (self.atoms() as f64 + 64.0) * f64::EPSILON * variance;
        let half_rate = |x: f64| 0.5 * x / sigma / sigma;
        let middle = half_rate(0.5 * (mmse.value + variance));
        let width = half_rate(0.5 * (variance - mmse.value).abs() + mmse.radius + rounding);
        let sandwich = Certified::new(middle, width + f64::MIN_POSITIVE);
        let sharper = if sandwich.radius < difference.radius { sandwich } else { difference };
        Ok(sharper.into())
    }
}

/// −Σ w ln w, positive terms only: the largest weight's by ln(1 + rest/w), so that it keeps its
/// digits when one weight is nearly one. Within 16ε relative.
fn entropy_of(weights: &[f64]) -> f64 {
    let top = likeliest(weights);
    let others = || weights.iter().enumerate().filter(|&(i, _)| i != top).map(|(_, &w)| w);
    let rest = others().collect::<CompensatedSum>().value();
    let mut sum: CompensatedSum = others().map(|w| -w * w.ln()).collect();
    sum.add(weights[top] * (rest / weights[top]).ln_1p());
    sum.value()
}

/// Index of the largest weight; 0 without any.
fn likeliest(weights: &[f64]) -> usize {
    (0..weights.len()).max_by(|&i, &j| weights[i].total_cmp(&weights[j])).unwrap_or(0)
}
