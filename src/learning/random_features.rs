//! Ridge regression on random features (F1)–(F6).

use serde::Serialize;

use super::load::Load;
use super::ridge::{check_samples, finite};
use super::{LearningError, Ridge, Signal};
use crate::evidence::Certified;
use crate::interval::Interval;
use crate::spectrum::Spectrum;

/// Positive eigenvalues must lie within 1/RANGE and RANGE, penalties within 1/RANGE and
/// MAX_PENALTY: then nothing in (F4) underflows.
const RANGE: f64 = 1e100;
const MAX_PENALTY: f64 = 1e150;
/// Largest finite number of features.
const MAX_COUNT: f64 = 1_125_899_906_842_624.0; // 2⁵⁰

/// Ridge regression on p random features: data x of covariance Σ in d dimensions, features
/// z = F x/√p with F a p×d matrix of independent standard normals.
///
/// The learner minimises the **summed** loss Σᵢ (yᵢ − aᵀzᵢ)² + λ|a|² over n draws of
/// y = w*ᵀx + noise; with p → ∞ it is [`Ridge`] with ρ = λ/n. In the limit n, p, d → ∞ at any
/// ratios, ν₂ is the root of
///
/// ν₂ (n − df1)(p − df1) = pλ, df1 = Σ λ_k/(λ_k+ν₂) < min(n, p) (F3),
///
/// ν₁ = ν₂(1 − df1/p), and with G = df1 − df2, D = (n − df2)(p − df2) − G², t = λ_k/(λ_k+ν₂),
/// q = 1 − t, s_k = w_k² λ_k,
///
/// bias = n[(p − df2) Σ s q² + G Σ s t q]/D, variance = τ²[df2 (p − df2) + G²]/D (F5).
///
/// The risk is the excess over the noise on fresh data, averaged over F. All values are
/// [`Certified`] for these formulas; finite n, p, d differ from them by O(1/n).
///
/// Cost: O(atoms) a point.
///
/// ```
/// use rootrate::learning::{RandomFeatures, Ridge, Signal};
/// use rootrate::spectrum::Spectrum;
///
/// let spectrum = Spectrum::power_law(1.0, 100)?;
/// let signal = Signal::Flat { power: 1.0 };
/// let learner = RandomFeatures::new(&spectrum, 100, &signal, 0.3)?;
/// let point = learner.curve_point(60.0, 40.0, 0.5)?;
/// // the defining pair (F1)
/// let (nu1, nu2) = (point.nu1.value, point.nu2.value);
/// assert!((60.0 - 0.5 / nu1 - point.df1.value).abs() < 1e-12);
/// assert!((40.0 - 40.0 * nu1 / nu2 - point.df1.value).abs() < 1e-12);
/// // infinitely many features are the kernel limit
/// let ridge = Ridge::new(&spectrum, 100, &signal, 0.3)?.curve_point(60.0, 0.5 / 60.0)?;
/// let kernel = learner.curve_point(60.0, f64::INFINITY, 0.5)?;
/// assert!((kernel.risk.value - ridge.risk.value).abs() < 1e-14);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Source: Defilippis, Loureiro & Misiakiewicz 2024 (for general features; here those of a
/// linear map).
#[derive(Debug, Clone)]
pub struct RandomFeatures {
    ridge: Ridge,
}

/// A point of the learning curve of random features; the risk is the excess over the noise.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RandomFeaturesPoint {
    /// Number of samples n.
    pub samples: f64,
    /// Number of random features p; may be ∞.
    pub features: f64,
    /// Penalty λ on the summed loss.
    pub penalty: f64,
    /// ν₁ of (F1): the effective penalty on the samples, λ/ν₁ = n − df1.
    pub nu1: Certified,
    /// ν₂ of (F1): the effective ridge κ.
    pub nu2: Certified,
    /// tr Σ(Σ+ν₂)⁻¹.
    pub df1: Certified,
    /// tr Σ²(Σ+ν₂)⁻².
    pub df2: Certified,
    /// Of (F5).
    pub bias: Certified,
    /// Of (F5).
    pub variance: Certified,
    /// Excess risk, bias + variance.
    pub risk: Certified,
    /// Newton steps over all atoms (0 where ν₂ = 0 is exact).
    pub steps: usize,
}

impl RandomFeatures {
    /// A learner on data of `dimension` = d with spectrum H, signal and noise as in
    /// [`Ridge::new`].
    ///
    /// # Errors
    /// As [`Ridge::new`]; positive eigenvalues outside [1e-100, 1e100].
    pub fn new(
        spectrum: &Spectrum,
        dimension: usize,
        signal: &Signal,
        noise: f64,
    ) -> Result<Self, LearningError> {
        let ridge = Ridge::new(spectrum, dimension, signal, noise)?;
        let atoms = ridge.fixed_point.atoms();
        if let Some(&value) = atoms.iter().find(|t| !(1.0 / RANGE..=RANGE).contains(*t)) {
            return Err(LearningError::Parameter {
                name: "eigenvalue",
                value,
                valid: "0 or a number between 1e-100 and 1e100",
            });
        }
        Ok(Self { ridge })
    }

    /// Number of directions of positive variance.
    pub fn rank(&self) -> f64 {
        self.ridge.rank()
    }

    /// The learning curve at n = `samples` ≥ 1 and p = `features` ≥ 1 (any real numbers; p may
    /// be ∞), and λ = `penalty` ≥ 0 on the summed loss.
    ///
    /// λ = 0 is the limit (F6): least squares for n > min(p, rank), the interpolator of least
    /// norm for n < min(p, rank).
    ///
    /// # Errors
    /// Samples outside [1, 2⁵⁰], features outside [1, 2⁵⁰] ∪ {∞}, a penalty outside
    /// {0} ∪ [1e-100, 1e150] ([`Parameter`](LearningError::Parameter)); λ = 0 at
    /// n = min(p, rank), unless without noise and n = rank < p
    /// ([`FeatureThreshold`](LearningError::FeatureThreshold)); results beyond the range of f64.
    pub fn curve_point(
        &self,
        samples: f64,
        features: f64,
        penalty: f64,
    ) -> Result<RandomFeaturesPoint, LearningError> {
        check_samples(samples)?;
        if !((1.0..=MAX_COUNT).contains(&features) || features == f64::INFINITY) {
            return Err(LearningError::Parameter {
                name: "features",
                value: features,
                valid: "a number between 1 and 2^50, or infinite",
            });
        }
        if !(penalty == 0.0 || (1.0 / RANGE..=MAX_PENALTY).contains(&penalty)) {
            return Err(LearningError::Parameter {
                name: "penalty",
                value: penalty,
                valid: "0 or a number between 1e-100 and 1e150",
            });
        }
        let rank = self.rank();
        if penalty == 0.0 {
            let threshold = Err(LearningError::FeatureThreshold { samples, features, rank });
            if samples == features && samples <= rank + self.ridge.rank_error {
                return threshold;
            }
            if samples.min(features) + self.ridge.rank_error >= rank {
                // every direction is seen: ordinary least squares (R5)
                let point = self.ridge.curve_point(samples, 0.0);
                let point = match point {
                    Err(LearningError::Threshold { .. }) => return threshold,
                    other => other?,
                };
                let zero = Certified::new(0.0, 0.0);
                return Ok(RandomFeaturesPoint {
                    samples,
                    features,
                    penalty,
                    nu1: zero,
                    nu2: zero,
                    df1: point.df1,
                    df2: point.df2,
                    bias: point.bias,
                    variance: point.variance,
                    risk: point.risk,
                    steps: 0,
                });
            }
        }
        self.solved(samples, features, penalty)
    }

    /// The point where ν₂ > 0.
    fn solved(&self, n: f64, p: f64, penalty: f64) -> Result<RandomFeaturesPoint, LearningError> {
        let fixed_point = &self.ridge.fixed_point;
        let samples = Interval::point(n);
        let load = Load::random_features(n, p, Interval::point(penalty) / samples);
        let (nu2, steps) = fixed_point.solve(&load);
        let refused = LearningError::Uncertified { samples: n, ridge: penalty / n, kappa: nu2 };
        let root = fixed_point.certify(&load, nu2).ok_or(refused)?;

        // everything relative to M = max(n, p), which may be infinite
        let most = n.max(p);
        let inverse =
            if most.is_finite() { Interval::ONE / Interval::point(most) } else { Interval::ZERO };
        let (least_left, most_left) = load.shares(root.load);
        let gap = root.gap * inverse;
        let (features_left, nu_ratio) = if p < n {
            (least_left + gap, root.load / Interval::point(p))
        } else {
            (most_left + gap, most_left)
        };
        // D/M = (n + p − 2 df1)/M · (−dL/d ln ν + G)
        let determinant = (least_left + most_left) * root.slack;
        let noise = Interval::point(self.ridge.noise);
        let variance = noise * (root.df2 * features_left + root.gap * gap);
        let cross = fixed_point.cross_signal(nu2, &root);
        let bias = samples * (features_left * root.signal + gap * cross);
        let part = |x: Interval, what| finite((x / determinant).non_negative(), what);
        Ok(RandomFeaturesPoint {
            samples: n,
            features: p,
            penalty,
            nu1: finite(root.kappa * nu_ratio, "ν₁")?,
            nu2: finite(root.kappa, "ν₂")?,
            df1: finite(root.df1, "df1")?,
            df2: finite(root.df2, "df2")?,
            bias: part(bias, "the bias")?,
            variance: part(variance, "the variance")?,
            risk: part(bias + variance, "the risk")?,
            steps,
        })
    }
}
