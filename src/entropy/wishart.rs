//! Gaussian data whose covariance is itself a white Wishart matrix (theory page 3, E4).

use super::model::check_sigma;
use super::{DataModel, EntropyError, LowNoise, Unit};
use crate::evidence::{Certified, Evidence};

/// Relative rounding bounds of mmse and information (E4).
const MMSE_ROUNDING: f64 = 20.0 * f64::EPSILON;
const INFORMATION_ROUNDING: f64 = 160.0 * f64::EPSILON;

/// x0 ~ N(0, Ŝ) with Ŝ = ZᵀZ/n, Z n×p white, in the limit p/n → c; per coordinate.
///
/// The spectrum of Ŝ is the Marchenko–Pastur law of ratio c and mean 1. With
/// P, M = √((1±√c)² + σ²),
///
/// Ḣ_ℓ = R = 4/(P+M)² = e^{−η}/√c,  cosh η = (1+c+σ²)/(2√c),  mmse = σ² R,
/// I = ½[−ln(1−R) − ln(1−cR)/c − R]  (E4; Tulino & Verdú 2004 for the Shannon transform).
///
/// No step cancels, so both are certified relative to themselves for every σ and c,
/// c = 1 and c > 1 included. As σ → 0, R → min(1, 1/c).
///
/// ```
/// use rootrate::entropy::{DataModel, Wishart};
/// let w = Wishart::new(0.3)?;
/// assert!((w.mmse(1.0)?.value() - 0.462708597307219).abs() < 1e-15);
/// # Ok::<(), rootrate::entropy::EntropyError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wishart {
    ratio: f64,
}

impl Wishart {
    /// A white Wishart covariance of ratio c = p/n.
    ///
    /// # Errors
    /// [`EntropyError::Parameter`] unless 1e-300 ≤ c ≤ 1e300.
    pub fn new(ratio: f64) -> Result<Self, EntropyError> {
        if (1e-300..=1e300).contains(&ratio) {
            Ok(Self { ratio })
        } else {
            Err(EntropyError::Parameter {
                name: "Wishart ratio c".into(),
                value: ratio,
                valid: "c = p/n must be between 1e-300 and 1e300",
            })
        }
    }

    /// The ratio c.
    pub fn ratio(&self) -> f64 {
        self.ratio
    }

    /// (P, M, 1+√c, |1−√c|); |1−√c| = |1−c|/(1+√c) does not cancel.
    fn radii(&self, sigma: f64) -> (f64, f64, f64, f64) {
        let plus = 1.0 + self.ratio.sqrt();
        let minus = (1.0 - self.ratio).abs() / plus;
        (plus.hypot(sigma), minus.hypot(sigma), plus, minus)
    }
}

impl DataModel for Wishart {
    fn name(&self) -> String {
        format!("Wishart covariance, c = {}", self.ratio)
    }

    fn unit(&self) -> Unit {
        Unit::PerCoordinate
    }

    fn low_noise(&self) -> LowNoise {
        LowNoise::Continuous { dimension: (1.0 / self.ratio).min(1.0) }
    }

    /// (E4).
    fn mmse(&self, sigma: f64) -> Result<Evidence, EntropyError> {
        check_sigma(sigma)?;
        let (p, m, ..) = self.radii(sigma);
        let root = if sigma > 1.0 { 2.0 / (p / sigma + m / sigma) } else { 2.0 * sigma / (p + m) };
        let value = root * root;
        Ok(Certified::new(value, MMSE_ROUNDING * value + f64::MIN_POSITIVE).into())
    }

    /// (E4). The factors 1−R and 1−cR come from their product σ²R and from P+M−2max(1,√c),
    /// which is σ² times a sum of positive terms.
    fn information(&self, sigma: f64) -> Result<Evidence, EntropyError> {
        check_sigma(sigma)?;
        let c = self.ratio;
        let (p, m, plus, minus) = self.radii(sigma);
        let half = 2.0 / (p + m);
        let rate = half * half;
        let high = p + m + 2.0 * c.sqrt().max(1.0);
        // t/(P+1+√c) + t/(M+|1−√c|), in a scale t in which neither term leaves the range
        let t = sigma.max(minus);
        let ends = t / (p + plus) + t / (m + minus);
        let spread = ends * (high / (p + m) / (p + m));
        // ln(1 − max(1,c)R) and ln(1 − min(1,c)R)
        let major = sigma * (sigma / t) * spread;
        let log_major =
            if major > 1e-290 { major.ln() } else { 2.0 * sigma.ln() - t.ln() + spread.ln() };
        let minor = 4.0 / (ends * high);
        let log_minor = if t > 1e-290 { (t * minor).ln() } else { t.ln() + minor.ln() };
        let (log_r, log_cr) =
            if c <= 1.0 { (log_major, log_minor) } else { (log_minor, log_major) };
        let minus_log = |x: f64, log: f64| if x <= 0.5 { -(-x).ln_1p() } else { -log };
        let second = if c * rate < 1e-20 { rate } else { minus_log(c * rate, log_cr) / c };
        let value = 0.5 * (minus_log(rate, log_r) + (second - rate));
        Ok(Certified::new(value, INFORMATION_ROUNDING * value + f64::MIN_POSITIVE).into())
    }
}
