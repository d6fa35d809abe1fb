//! What dependent noise does to the variance of least squares (R8).

use super::LearningError;
use super::fixed_point::{FixedPoint, on_grid};
use super::load::Load;
use super::ridge::finite;
use crate::evidence::Certified;
use crate::interval::Interval;

/// A class of samples φ = a z, z ~ N(0, Σ), with noise variance s, drawn with probability
/// ∝ weight.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScaleClass {
    /// Relative frequency, ≥ 0 (as a probability rounded to a multiple of 2⁻⁵²).
    pub weight: f64,
    /// a ≥ 0, the length scale of the features.
    pub scale: f64,
    /// s ≥ 0, the noise variance given a.
    pub noise: f64,
}

/// The variance of least squares on elliptical features, with the noise as it is and with
/// noise of the same mean that is independent of the features.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DecouplingDefect {
    /// θ of (R8), the limit of tr (Σᵢ aᵢ² zᵢzᵢᵀ)⁻¹ for Σ = I.
    pub theta: Certified,
    /// The variance (R9) of the excess risk.
    pub variance: Certified,
    /// The variance if the noise were decoupled: `E[a²] θ E[s]`.
    pub decoupled: Certified,
    /// The decoupling defect δ = variance/decoupled − 1 (R10).
    pub defect: Certified,
    /// Its limit for n ≫ p, `E[a² s]/(E[a²] E[s]) − 1` (R11).
    pub classical: Certified,
}

/// The decoupling defect of least squares (n > p, no penalty) on elliptical features φ = a z
/// whose noise variance s(a) depends on the scale, for n, p → ∞ at any ratio p/n < 1 and any
/// full-rank Σ.
///
/// `E[a²θ/(1+a²θ)] = p/n` (R8), and with the weights ω(a) = a²/(1+a²θ)²,
/// `variance = E[a²] θ E[ω s]/E[ω]` (R9), `defect = E[ω s]/(E[ω] E[s]) − 1` (R10).
///
/// ```
/// use rootrate::learning::{ScaleClass, decoupling_defect};
/// // noise variance proportional to a², two equally likely scales with E a² = 1
/// let class = |a2: f64| ScaleClass { weight: 0.5, scale: a2.sqrt(), noise: a2 };
/// let far = decoupling_defect(&[class(0.5), class(1.5)], 1, 1_000_000_000)?;
/// let near = decoupling_defect(&[class(0.5), class(1.5)], 1_000, 1_001)?;
/// assert!((far.defect.value - 0.25).abs() < 1e-6); // Var a²: large scales weigh more
/// assert!(near.defect.value < -0.2); // at the threshold small scales do
/// # Ok::<(), rootrate::learning::LearningError>(())
/// ```
///
/// # Errors
/// Negative or non-finite weights, scales or noise; squared positive scales outside
/// [1e-140, 1e140]; no noise at all; n·P(a > 0) ≤ p.
///
/// Cost: a few passes over the classes.
pub fn decoupling_defect(
    classes: &[ScaleClass],
    dimension: usize,
    samples: usize,
) -> Result<DecouplingDefect, LearningError> {
    let invalid = |name, value, valid| Err(LearningError::Parameter { name, value, valid });
    for c in classes {
        if !(0.0..=1e100).contains(&c.weight) {
            return invalid("weight", c.weight, "a number between 0 and 1e100");
        }
        if c.scale != 0.0 && !(1e-70..=1e70).contains(&c.scale) {
            return invalid("scale", c.scale, "0 or a number between 1e-70 and 1e70");
        }
        if !(0.0..=1e100).contains(&c.noise) {
            return invalid("noise variance", c.noise, "a number between 0 and 1e100");
        }
    }
    let (p, n) = (dimension as f64, samples as f64);
    if !(1.0..=1e15).contains(&n) {
        return invalid("samples", n, "a number between 1 and 1e15");
    }
    if dimension == 0 {
        return invalid("dimension", p, "a number ≥ 1");
    }
    let total: f64 = classes.iter().map(|c| c.weight).sum();
    if total <= 0.0 {
        return invalid("total weight", total, "classes with positive weights");
    }
    // masses n·P(class); every expectation below is a ratio of sums over them
    let mut sorted: Vec<(ScaleClass, f64)> = classes
        .iter()
        .map(|&c| (c, on_grid(n * (c.weight / total), n)))
        .filter(|&(_, mass)| mass > 0.0)
        .collect();
    sorted.sort_by(|(a, _), (b, _)| b.scale.total_cmp(&a.scale));
    let positive: Vec<(ScaleClass, f64)> =
        sorted.iter().copied().filter(|(c, _)| c.scale > 0.0).collect();
    let rank: f64 = positive.iter().map(|&(_, mass)| mass).sum();
    if rank <= p {
        return invalid("samples", n, "n·P(a > 0) > p: least squares needs more samples");
    }

    // with atoms τ = a⁻² and κ = θ, a²θ/(1+a²θ) = q: (R8) is Σ m t = n P(a>0) − p
    let atoms: Vec<f64> = positive.iter().map(|(c, _)| 1.0 / (c.scale * c.scale)).collect();
    let masses: Vec<f64> = positive.iter().map(|&(_, mass)| mass).collect();
    let free = rank - p; // exact: both are multiples of the grid's unit
    let fixed_point = FixedPoint::new(atoms.clone(), masses, vec![0.0; positive.len()], 0);
    let load = Load::ridge(free, 0.0);
    let (kappa, _) = fixed_point.solve(&load);
    let root = fixed_point.certify(&load, kappa).ok_or(LearningError::Uncertified {
        samples: free,
        ridge: 0.0,
        kappa,
    })?;
    // θ is increasing in the atoms and homogeneous of degree 1, and they carry two roundings
    let theta = root.kappa.widened(2.0 * f64::EPSILON, 0.0);

    let point = Interval::point;
    let mut tilted = [Interval::ZERO; 2];
    for (&(c, mass), &atom) in positive.iter().zip(&atoms) {
        let sum = Interval::rounded(atom, 2, 0.0) + theta;
        let weight = point(mass) * Interval::rounded(atom, 2, 0.0) / sum / sum;
        tilted[0] = tilted[0] + weight;
        tilted[1] = tilted[1] + weight * point(c.noise);
    }
    let mut plain = [Interval::ZERO; 4];
    for &(c, mass) in &sorted {
        let (mass, square) = (point(mass), point(c.scale) * point(c.scale));
        plain[0] = plain[0] + mass;
        plain[1] = plain[1] + mass * square;
        plain[2] = plain[2] + mass * point(c.noise);
        plain[3] = plain[3] + mass * square * point(c.noise);
    }
    let [mass, square, noise, product] = plain;
    if noise.lo() <= 0.0 {
        return invalid("noise variance", 0.0, "some class with noise");
    }
    let power = square / mass * theta;
    let ratio = tilted[1] / tilted[0] * mass / noise;
    Ok(DecouplingDefect {
        theta: finite(theta, "theta")?,
        variance: finite(power * (tilted[1] / tilted[0]), "the variance")?,
        decoupled: finite(power * noise / mass, "the variance")?,
        defect: finite(ratio - Interval::ONE, "the defect")?,
        classical: finite(product * mass / (square * noise) - Interval::ONE, "the defect")?,
    })
}
