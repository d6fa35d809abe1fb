//! Gaussian data with a covariance spectrum (theory page 3, E3).

use super::analytic::ln_1p_square;
use super::model::check_sigma;
use super::{DataModel, EntropyError, LowNoise, Unit};
use crate::evidence::{Certified, Evidence};
use crate::numeric::CompensatedSum;
use crate::spectrum::Spectrum;

/// Largest variance, and largest inverse of a positive one: keeps s/σ² in range.
const LARGEST: f64 = 1e300;
/// Relative rounding bound of both sums, proved below (E3): 12u and 23u are needed.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// x0 ~ N(0, Σ), with the eigenvalues of Σ given by a spectrum.
///
/// With variances sⱼ of multiplicity mⱼ (a spectrum with a dimension; totals) or of weight mⱼ
/// (one without; per coordinate),
///
/// mmse(σ) = Σⱼ mⱼ sⱼσ²/(sⱼ+σ²),  I(σ) = ½ Σⱼ mⱼ ln(1 + sⱼ/σ²)  (E3).
///
/// Certified: every term is positive and computed to a few units of rounding, and the sum is
/// compensated, so 16ε bounds the relative error whatever the number of terms.
///
/// ```
/// use rootrate::entropy::{DataModel, GaussianSpectrum};
/// let g = GaussianSpectrum::from_variances(&[(4.0, 1), (1.0, 2)])?;
/// // 4·1/(4+1) + 2·1/(1+1)
/// assert!((g.mmse(1.0)?.value() - 1.8).abs() < 1e-14);
/// # Ok::<(), rootrate::entropy::EntropyError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct GaussianSpectrum {
    /// (variance, multiplicity or weight)
    terms: Vec<(f64, f64)>,
    unit: Unit,
}

impl GaussianSpectrum {
    /// From a population spectrum: totals when it has a dimension, else per coordinate.
    ///
    /// # Errors
    /// [`EntropyError::Parameter`] for a positive variance outside [1e-300, 1e300].
    pub fn new(spectrum: &Spectrum) -> Result<Self, EntropyError> {
        let (unit, counts) = match (spectrum.dimension(), spectrum.multiplicities()) {
            (Some(dimension), Some(m)) => {
                (Unit::Total { dimension }, m.into_iter().map(|m| m as f64).collect())
            }
            _ => (Unit::PerCoordinate, spectrum.weights().to_vec()),
        };
        Self::checked(spectrum.atoms().iter().copied().zip(counts).collect(), unit)
    }

    /// From variances with their multiplicities; totals, with d the sum of the latter.
    ///
    /// # Errors
    /// [`EntropyError::Shape`] without any variance or for a dimension of 0,
    /// [`EntropyError::Parameter`] for a variance that is not 0 or in [1e-300, 1e300].
    pub fn from_variances(variances: &[(f64, usize)]) -> Result<Self, EntropyError> {
        let dimension = variances.iter().try_fold(0usize, |d, &(_, m)| d.checked_add(m));
        let Some(dimension) = dimension.filter(|&d| d > 0) else {
            return Err(EntropyError::Shape {
                what: "sum of the multiplicities",
                found: if dimension.is_none() { "more than 2⁶⁴".into() } else { "0".into() },
                expected: "a dimension ≥ 1 that fits a machine word".into(),
            });
        };
        let terms = variances.iter().map(|&(s, m)| (s, m as f64)).collect();
        Self::checked(terms, Unit::Total { dimension })
    }

    fn checked(terms: Vec<(f64, f64)>, unit: Unit) -> Result<Self, EntropyError> {
        for (index, &(value, _)) in terms.iter().enumerate() {
            if value != 0.0 && !(1.0 / LARGEST..=LARGEST).contains(&value) {
                return Err(EntropyError::Parameter {
                    name: format!("variance {index}"),
                    value,
                    valid: "variances must be 0 or between 1e-300 and 1e300",
                });
            }
        }
        Ok(Self { terms, unit })
    }

    /// Σⱼ mⱼ f(√sⱼ/σ, sⱼ) over the positive variances, with its certificate.
    fn total(&self, sigma: f64, f: impl Fn(f64, f64) -> f64) -> Certified {
        let positive = self.terms.iter().filter(|t| t.0 > 0.0);
        let value =
            positive.map(|&(s, m)| m * f(s.sqrt() / sigma, s)).collect::<CompensatedSum>().value();
        // Underflow loses less than the smallest normal number in each of Σ mⱼ directions.
        let directions: f64 = self.terms.iter().map(|t| t.1).sum();
        Certified::new(value, ROUNDING * value + 2.0 * directions * f64::MIN_POSITIVE)
    }
}

impl DataModel for GaussianSpectrum {
    fn name(&self) -> String {
        match (&self.terms[..], self.unit) {
            ([(s, _)], Unit::Total { dimension }) => {
                format!("Gaussian, variance {s}, d = {dimension}")
            }
            ([(s, _)], Unit::PerCoordinate) => format!("Gaussian, variance {s}"),
            (many, _) => format!("Gaussian, {} variances", many.len()),
        }
    }

    fn unit(&self) -> Unit {
        self.unit
    }

    fn low_noise(&self) -> LowNoise {
        let rank: f64 = self.terms.iter().filter(|t| t.0 > 0.0).map(|t| t.1).sum();
        if rank > 0.0 {
            LowNoise::Continuous { dimension: rank }
        } else {
            // all variances zero: a point mass
            LowNoise::Discrete { entropy: 0.0 }
        }
    }

    /// (E3). q = √s/σ carries 2u, q² 5u, 1 + q² 6u, the quotient 7u, times m 8u; the branch
    /// q > 1 has one rounding more, and the sum adds 4u.
    fn mmse(&self, sigma: f64) -> Result<Evidence, EntropyError> {
        check_sigma(sigma)?;
        let term = |q: f64, s: f64| {
            if q <= 1.0 { s / (1.0 + q * q) } else { sigma * sigma / (1.0 + (1.0 / q) * (1.0 / q)) }
        };
        Ok(self.total(sigma, term).into())
    }

    /// (E3).
    fn information(&self, sigma: f64) -> Result<Evidence, EntropyError> {
        check_sigma(sigma)?;
        let term = |q: f64, s: f64| {
            if q.is_finite() {
                0.5 * ln_1p_square(q)
            } else {
                // q > 1e308: |½ ln s| + |ln σ| ≤ 1091 against a difference ≥ 709
                0.5 * s.ln() - sigma.ln()
            }
        };
        Ok(self.total(sigma, term).into())
    }
}
