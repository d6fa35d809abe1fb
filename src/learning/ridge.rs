//! The learning curve of ridge regression (R1)–(R5).

use serde::Serialize;

use super::fixed_point::{FixedPoint, on_grid};
use super::load::Load;
use super::{LearningError, Signal};
use crate::evidence::Certified;
use crate::interval::Interval;
use crate::spectrum::Spectrum;

/// Positive eigenvalues, noise and signal must lie within 1/MAX and MAX, penalties within the
/// wider [1e-300, 1e300]: no sum over atoms can then overflow or lose its leading digits.
const MAX: f64 = 1e280;
/// Largest dimension and sample count, 2⁵⁰: differences of counts are exact.
const MAX_COUNT: f64 = 1_125_899_906_842_624.0;

/// One linear learner: features with covariance Σ, signal and noise; its risk at any number of
/// samples n and any penalty ρ.
///
/// The learner minimises the mean loss (1/n)Σᵢ(yᵢ − wᵀφᵢ)² + ρ|w|² over n draws of
/// y = w*ᵀφ + noise, with p features of covariance Σ; noise of variance τ² that is decoupled
/// from the features ((R8) says what happens otherwise). In the limit n, p → ∞ at any ratio,
/// with eigenvalues λ_k of Σ,
///
/// κ = ρ + (κ/n) df1(κ) (R1), df1 = Σ λ/(λ+κ), df2 = Σ λ²/(λ+κ)² (R2),
/// bias = κ² Σ w_k² λ_k/(λ_k+κ)² / (1 − df2/n) (R3), variance = τ² (df2/n)/(1 − df2/n) (R4).
///
/// All values are [`Certified`] for these formulas; finite n and p differ from them by O(1/n).
///
/// Cost: O(atoms) a point, 2 passes where the start is good (1 µs each per 1,000 atoms).
///
/// ```
/// use rootrate::learning::{Ridge, Signal};
/// use rootrate::spectrum::Spectrum;
///
/// let spectrum = Spectrum::from_eigenvalues(&[4.0, 1.0, 1.0, 0.25])?;
/// let learner = Ridge::new(&spectrum, 4, &Signal::Flat { power: 1.0 }, 0.3)?;
/// let point = learner.curve_point(10.0, 0.03)?;
/// // the defining equation (R1)
/// let kappa = point.kappa.value;
/// assert!((kappa - 0.03 - kappa * point.df1.value / 10.0).abs() < 1e-14);
/// assert!(point.risk.relative_radius() < 1e-13);
/// // n = 4 without penalty is the interpolation threshold
/// assert!(learner.curve_point(4.0, 0.0).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Sources: Dobriban & Wager 2018; Hastie, Montanari, Rosset & Tibshirani 2022; Bach 2024.
#[derive(Debug, Clone)]
pub struct Ridge {
    pub(super) fixed_point: FixedPoint,
    pub(super) noise: f64,
    /// P/p, for a flat signal.
    pub(super) flat: Option<f64>,
    /// How far the rank may be off: 0 where every atom stands for whole directions.
    pub(super) rank_error: f64,
}

/// A point of the learning curve; the risk is the excess over the noise.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RidgePoint {
    /// Number of samples n.
    pub samples: f64,
    /// Penalty ρ on the mean loss.
    pub ridge: f64,
    /// Effective ridge κ (R1).
    pub kappa: Certified,
    /// tr Σ(Σ+κ)⁻¹ (R2).
    pub df1: Certified,
    /// tr Σ²(Σ+κ)⁻² (R2).
    pub df2: Certified,
    /// (R3).
    pub bias: Certified,
    /// (R4).
    pub variance: Certified,
    /// Excess risk, bias + variance.
    pub risk: Certified,
    /// Newton steps over all atoms (0 where κ = 0 is exact).
    pub steps: usize,
}

impl Ridge {
    /// A learner of `dimension` = p features with spectrum H: every atom stands for weight × p
    /// directions (whole numbers exactly, others rounded to a multiple of 2⁻⁵² p), the noise has
    /// variance `noise` = τ².
    ///
    /// # Errors
    /// A dimension that differs from the one the spectrum carries, or is not in 1..=2⁵⁰;
    /// positive eigenvalues outside [1e-280, 1e280]; negative, non-finite or larger than 1e280
    /// noise or signal; what [`Signal`] excludes.
    pub fn new(
        spectrum: &Spectrum,
        dimension: usize,
        signal: &Signal,
        noise: f64,
    ) -> Result<Self, LearningError> {
        let p = dimension as f64;
        if !(1.0..=MAX_COUNT).contains(&p) {
            return Err(LearningError::Parameter {
                name: "dimension",
                value: p,
                valid: "a whole number between 1 and 2^50",
            });
        }
        if let Some(own) = spectrum.dimension().filter(|&own| own != dimension) {
            return Err(LearningError::Shape {
                what: "dimension",
                found: dimension.to_string(),
                expected: format!("{own}, the dimension of the spectrum"),
            });
        }
        if !(0.0..=MAX).contains(&noise) {
            return Err(LearningError::Parameter {
                name: "noise variance",
                value: noise,
                valid: "a number between 0 and 1e280",
            });
        }
        let masses = directions(spectrum, p);
        let whole = masses.iter().all(|m| m.fract() == 0.0);
        let descending: Vec<f64> = masses.iter().rev().copied().collect();
        let (squares, roundings) = signal.group(&descending, p)?;

        let (mut atoms, mut kept, mut weights) = (Vec::new(), Vec::new(), Vec::new());
        for ((&atom, &mass), &square) in
            spectrum.atoms().iter().zip(&masses).zip(squares.iter().rev())
        {
            if atom == 0.0 || mass == 0.0 {
                continue;
            }
            if !(1.0 / MAX..=MAX).contains(&atom) {
                return Err(LearningError::Parameter {
                    name: "eigenvalue",
                    value: atom,
                    valid: "0 or a number between 1e-280 and 1e280",
                });
            }
            atoms.push(atom);
            kept.push(mass);
            weights.push(square * atom);
        }
        if atoms.is_empty() {
            return Err(LearningError::Parameter {
                name: "rank",
                value: 0.0,
                valid: "some direction of positive variance",
            });
        }
        if !(0.0..=MAX).contains(&weights.iter().sum()) {
            return Err(LearningError::Overflow { what: "the variance of the signal" });
        }
        let flat = match signal {
            Signal::Flat { power } => Some(power / p),
            _ => None,
        };
        let rank_error = if whole { 0.0 } else { 1e-9 * p };
        let fixed_point = FixedPoint::new(atoms, kept, weights, roundings + 1);
        Ok(Self { fixed_point, noise, flat, rank_error })
    }

    /// Number of directions of positive variance: the interpolation threshold.
    pub fn rank(&self) -> f64 {
        self.fixed_point.rank()
    }

    /// κ of (R1): `curve_point(samples, ridge)?.kappa`.
    ///
    /// # Errors
    /// As [`curve_point`](Self::curve_point).
    pub fn effective_ridge(&self, samples: f64, ridge: f64) -> Result<Certified, LearningError> {
        self.curve_point(samples, ridge).map(|point| point.kappa)
    }

    /// The learning curve at n = `samples` ≥ 1 (any real number) and ρ = `ridge` ≥ 0.
    ///
    /// Without a penalty (R5): for n > rank κ = 0 and the variance is τ² rank/(n − rank); for
    /// n < rank κ solves df1(κ) = n.
    ///
    /// # Errors
    /// Samples outside [1, 2⁵⁰] or a ridge outside {0} ∪ [1e-300, 1e300]
    /// ([`Parameter`](LearningError::Parameter)); ridge 0 at n = rank with noise
    /// ([`Threshold`](LearningError::Threshold)); results beyond the range of f64.
    pub fn curve_point(&self, samples: f64, ridge: f64) -> Result<RidgePoint, LearningError> {
        check_samples(samples)?;
        check_ridge(ridge)?;
        let rank = self.rank();
        let noise = Interval::point(self.noise);
        if ridge == 0.0 && samples + self.rank_error >= rank {
            if (samples - rank).abs() <= self.rank_error && self.noise > 0.0 {
                return Err(LearningError::Threshold { samples, rank });
            }
            let slack = Interval::point(samples) - Interval::point(rank);
            let variance = if self.noise == 0.0 {
                Interval::ZERO
            } else {
                noise * Interval::point(rank) / slack
            };
            let zero = Certified::new(0.0, 0.0);
            let df = Certified::new(rank, 0.0);
            let variance = finite(variance, "the variance")?;
            return Ok(RidgePoint {
                samples,
                ridge,
                kappa: zero,
                df1: df,
                df2: df,
                bias: zero,
                variance,
                risk: variance,
                steps: 0,
            });
        }
        let load = Load::ridge(samples, ridge);
        let (kappa, steps) = self.fixed_point.solve(&load);
        let root = self.fixed_point.certify(&load, kappa).ok_or(LearningError::Uncertified {
            samples,
            ridge,
            kappa,
        })?;
        let bias = Interval::point(samples) * root.signal;
        let variance = noise * root.df2;
        Ok(RidgePoint {
            samples,
            ridge,
            kappa: finite(root.kappa, "the effective ridge")?,
            df1: finite(root.df1, "df1")?,
            df2: finite(root.df2, "df2")?,
            bias: finite((bias / root.slack).non_negative(), "the bias")?,
            variance: finite((variance / root.slack).non_negative(), "the variance")?,
            risk: finite(((bias + variance) / root.slack).non_negative(), "the risk")?,
            steps,
        })
    }

    /// [`curve_point`](Self::curve_point) at every penalty, equal to it to the last bit.
    ///
    /// # Errors
    /// The first error of any point.
    pub fn curve(&self, samples: f64, ridges: &[f64]) -> Result<Vec<RidgePoint>, LearningError> {
        ridges.iter().map(|&ridge| self.curve_point(samples, ridge)).collect()
    }

    /// Whether κ = `kappa` is proved to solve (R1) within a relative 1e-12; returns the proved
    /// interval. The check uses nothing of the solver (R7).
    pub fn certify(&self, samples: f64, ridge: f64, kappa: f64) -> Option<Certified> {
        check_samples(samples).ok()?;
        check_ridge(ridge).ok()?;
        self.fixed_point.certify(&Load::ridge(samples, ridge), kappa)?.kappa.certify(kappa)
    }
}

/// Expected excess risk of least squares with n = `samples` draws of p = `dimension` Gaussian
/// features of any full-rank covariance and decoupled noise: τ² p/(n − p − 1), exact at every
/// n ≥ p + 2 (an inverse Wishart mean); (R5) is its limit.
///
/// # Errors
/// [`Parameter`](LearningError::Parameter) for n < p + 2, where the mean is infinite or least
/// squares interpolates, and for values out of range.
pub fn ridgeless_gaussian_exact(
    noise: f64,
    dimension: usize,
    samples: usize,
) -> Result<Certified, LearningError> {
    let (p, n) = (dimension as f64, samples as f64);
    if !(0.0..=MAX).contains(&noise) {
        return Err(LearningError::Parameter {
            name: "noise variance",
            value: noise,
            valid: "a number between 0 and 1e280",
        });
    }
    check_samples(n)?;
    if n < p + 2.0 {
        return Err(LearningError::Parameter {
            name: "samples",
            value: n,
            valid: "at least p + 2: the mean is infinite for n = p and n = p ± 1",
        });
    }
    let factor = Interval::point(p) / Interval::point(n - p - 1.0);
    finite(Interval::point(noise) * factor, "the variance")
}

/// Weight × p of every atom: whole where it is so up to rounding, else on the grid of exact
/// sums.
fn directions(spectrum: &Spectrum, p: f64) -> Vec<f64> {
    if let Some(whole) = spectrum.multiplicities() {
        return whole.into_iter().map(|m| m as f64).collect();
    }
    let round = |mass: f64| {
        let whole = mass.round();
        if (mass - whole).abs() <= 1e-12 * mass { whole } else { on_grid(mass, p) }
    };
    spectrum.weights().iter().map(|w| round(w * p)).collect()
}

pub(super) fn check_samples(samples: f64) -> Result<(), LearningError> {
    if (1.0..=MAX_COUNT).contains(&samples) {
        return Ok(());
    }
    Err(LearningError::Parameter {
        name: "samples",
        value: samples,
        valid: "a number between 1 and 2^50",
    })
}

fn check_ridge(ridge: f64) -> Result<(), LearningError> {
    if ridge == 0.0 || (1e-300..=1e300).contains(&ridge) {
        return Ok(());
    }
    Err(LearningError::Parameter {
        name: "ridge",
        value: ridge,
        valid: "0 or a number between 1e-300 and 1e300",
    })
}

pub(super) fn finite(x: Interval, what: &'static str) -> Result<Certified, LearningError> {
    x.to_certified().ok_or(LearningError::Overflow { what })
}
