//! Continuous population laws and their Gauss rules (theory page 6e).

mod gauss;

use std::f64::consts::PI;

use num_complex::Complex64;

use super::{Spectrum, SpectrumError};
use crate::numeric::CompensatedSum;
use crate::resolvent::MarchenkoPastur;
use gauss::{UnitRule, bernstein_szego, legendre};

/// Largest number of nodes of a rule: Gauss–Legendre nodes cost O(n²).
pub(crate) const MAX_NODES: usize = 4096;
/// Ends of the interval: as for the atoms of a population of the general law.
const ENDS: std::ops::RangeInclusive<f64> = 1e-60..=1e60;
/// Largest |1 − e| ln(b/a) of a power law: no weight of a rule underflows.
const STEEPEST: f64 = 600.0;
const U: f64 = 0.5 * f64::EPSILON;

/// A population law H with a continuous part on [a, b] ⊂ [0, ∞) (C1): the limit of population
/// spectra that are no finite list of atoms.
///
/// ```
/// use rootrate::spectrum::ContinuousLaw;
/// let law = ContinuousLaw::uniform(1.0, 3.0)?;
/// // the n-point Gauss rule has the moments of H up to order 2n − 1
/// let rule = law.rule(2)?;
/// assert!((rule.moment(3) - 10.0).abs() < 1e-13);
/// # Ok::<(), rootrate::spectrum::SpectrumError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContinuousLaw {
    kind: Kind,
    /// a, exact or (Marchenko–Pastur) with a relative error of 8u.
    lower: f64,
    /// b, likewise.
    upper: f64,
    /// b − a, relative error ≤ 8u.
    width: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    /// `span` = ln(b/a), relative error ≤ 10u.
    Power {
        exponent: f64,
        span: f64,
    },
    Uniform,
    Semicircle,
    /// r = √min(c₀, 1/c₀) and 1 − r.
    MarchenkoPastur {
        law: MarchenkoPastur,
        root: f64,
        gap: f64,
    },
}

/// A Gauss rule for the continuous part of a law, normalised to mass one.
#[derive(Debug, Clone)]
pub(crate) struct Quadrature {
    /// Nodes τⱼ > 0.
    pub(crate) atoms: Vec<f64>,
    /// Weights hⱼ with sum one.
    pub(crate) weights: Vec<f64>,
    /// Proved bound of the nodes' relative error.
    pub(crate) atom_error: f64,
    /// Proved bound of the weights' relative error against the exact rule (C6).
    pub(crate) weight_error: f64,
}

impl ContinuousLaw {
    /// The power law on [a, b]: density ∝ τ^{−e}.
    ///
    /// # Errors
    /// Unless 10⁻⁶⁰ ≤ a < b ≤ 10⁶⁰ and |1 − e| ln(b/a) ≤ 600.
    pub fn power(exponent: f64, a: f64, b: f64) -> Result<Self, SpectrumError> {
        check_end("power-law lower end", a)?;
        let width = check_interval(a, b)?;
        let span = (width / a).ln_1p();
        let steepness = (1.0 - exponent).abs() * span;
        if steepness.is_nan() || steepness > STEEPEST {
            let valid = "a finite number with |1 − exponent| ln(b/a) ≤ 600";
            return Err(SpectrumError::Parameter { name: "exponent", value: exponent, valid });
        }
        Ok(Self { kind: Kind::Power { exponent, span }, lower: a, upper: b, width })
    }

    /// The uniform law on [a, b].
    ///
    /// # Errors
    /// Unless 0 ≤ a < b ≤ 10⁶⁰ (a = 0 or ≥ 10⁻⁶⁰).
    pub fn uniform(a: f64, b: f64) -> Result<Self, SpectrumError> {
        let width = check_interval(a, b)?;
        Ok(Self { kind: Kind::Uniform, lower: a, upper: b, width })
    }

    /// Wigner's semicircle on [a, b]: density 8√((τ−a)(b−τ))/(π(b−a)²).
    ///
    /// # Errors
    /// Unless 0 ≤ a < b ≤ 10⁶⁰ (a = 0 or ≥ 10⁻⁶⁰).
    pub fn semicircle(a: f64, b: f64) -> Result<Self, SpectrumError> {
        let width = check_interval(a, b)?;
        Ok(Self { kind: Kind::Semicircle, lower: a, upper: b, width })
    }

    /// The Marchenko–Pastur law of ratio c₀ and variance s²: the population is itself a sample
    /// covariance. For c₀ > 1 it has an atom of mass 1 − 1/c₀ at 0.
    ///
    /// # Errors
    /// Unless c₀ is in [10⁻¹⁰, 10¹⁰] and s² in [10⁻⁴⁰, 10⁴⁰].
    pub fn marchenko_pastur(ratio: f64, scale: f64) -> Result<Self, SpectrumError> {
        for (name, value, domain, valid) in [
            ("population ratio", ratio, 1e-10..=1e10, "a number in [1e-10, 1e10]"),
            ("population scale", scale, 1e-40..=1e40, "a number in [1e-40, 1e40]"),
        ] {
            if !domain.contains(&value) {
                return Err(SpectrumError::Parameter { name, value, valid });
            }
        }
        let domain = "a number in [1e-100, 1e100]";
        let law = MarchenkoPastur::new(ratio, scale).map_err(|_| SpectrumError::Parameter {
            name: "population ratio",
            value: ratio,
            valid: domain,
        })?;
        // (MP2): for c₀ > 1 the continuous part is that of 1/c₀, s²c₀
        let (small, top) = if ratio > 1.0 { (1.0 / ratio, scale * ratio) } else { (ratio, scale) };
        let root = small.sqrt();
        let difference = if ratio > 1.0 { (ratio - 1.0) / ratio } else { 1.0 - ratio };
        let gap = difference / (1.0 + root);
        Ok(Self {
            kind: Kind::MarchenkoPastur { law, root, gap },
            lower: top * gap * gap,
            upper: top * (1.0 + root) * (1.0 + root),
            width: 4.0 * top * root,
        })
    }

    /// The interval [a, b] of the continuous part.
    pub fn support(&self) -> (f64, f64) {
        (self.lower, self.upper)
    }

    /// H({0}).
    pub fn atom_at_zero(&self) -> f64 {
        match self.kind {
            Kind::MarchenkoPastur { law, .. } => law.atom_at_zero(),
            _ => 0.0,
        }
    }

    /// H((0, ∞)).
    pub(crate) fn positive_mass(&self) -> f64 {
        1.0 / self.population_ratio()
    }

    /// 1/H((0, ∞)) = max(1, c₀), exact.
    pub(crate) fn population_ratio(&self) -> f64 {
        match self.kind {
            Kind::MarchenkoPastur { law, .. } => law.ratio().max(1.0),
            _ => 1.0,
        }
    }

    /// The density of the continuous part at τ (C1), in floating point without a bound: a few
    /// ulp, times τ/|τ−end| next to an end where it vanishes or diverges.
    pub fn pdf(&self, tau: f64) -> f64 {
        if !(self.lower..=self.upper).contains(&tau) {
            return 0.0;
        }
        match self.kind {
            Kind::Power { exponent, span } => {
                let slope = 1.0 - exponent;
                let end = if slope >= 0.0 { self.upper } else { self.lower };
                power_factor(slope.abs() * span) * (slope * (tau / end).ln()).exp() / (span * tau)
            }
            Kind::Uniform => 1.0 / self.width,
            Kind::Semicircle => {
                let (x, y) = ((tau - self.lower) / self.width, (self.upper - tau) / self.width);
                8.0 * (x * y).sqrt() / (PI * self.width)
            }
            Kind::MarchenkoPastur { law, .. } => law.density(tau).unwrap_or(0.0),
        }
    }

    /// The n-point Gauss rule of H as a population: positive weights with sum one.
    ///
    /// Exact for polynomials of degree 2n − 1 in τ for the uniform law, the semicircle and the
    /// Marchenko–Pastur law (whose atom at 0, for c₀ > 1, is one atom more); for the power law
    /// it is the Gauss–Legendre rule in ln τ, weighted by τ^{1−e} and normalised, whose error
    /// falls faster than geometrically. Cost O(n), Legendre O(n²): 0.2 s for n = 4096.
    ///
    /// # Errors
    /// Unless 1 ≤ n ≤ 4096.
    pub fn rule(&self, n: usize) -> Result<Spectrum, SpectrumError> {
        if !(1..=MAX_NODES).contains(&n) {
            let valid = "a whole number from 1 to 4096";
            return Err(SpectrumError::Parameter { name: "nodes", value: n as f64, valid });
        }
        let Quadrature { mut atoms, mut weights, .. } = self.quadrature(n);
        let zero = self.atom_at_zero();
        if zero > 0.0 {
            weights.iter_mut().for_each(|w| *w *= 1.0 - zero);
            atoms.push(0.0);
            weights.push(zero);
        }
        Spectrum::from_atoms(&atoms, &weights)
    }

    /// The n-point rule of the continuous part with its rounding bounds (C6).
    pub(crate) fn quadrature(&self, n: usize) -> Quadrature {
        let rule = match self.kind {
            Kind::Power { .. } | Kind::Uniform => legendre(n),
            Kind::Semicircle => bernstein_szego(n, 0.0, 1.0),
            Kind::MarchenkoPastur { root, gap, .. } => bernstein_szego(n, root, gap),
        };
        let mut quadrature = match self.kind {
            Kind::Power { exponent, span } => self.power_rule(&rule, 1.0 - exponent, span),
            _ => self.linear_rule(&rule),
        };
        let sum = quadrature.weights.iter().copied().collect::<CompensatedSum>().value();
        quadrature.weights.iter_mut().for_each(|w| *w /= sum);
        quadrature.weight_error = 1.01 * (quadrature.weight_error + (sum - 1.0).abs()) + 4.0 * U;
        quadrature
    }

    /// τ = a + (b−a)s near a, b − (b−a)s near b, where s ≤ ½ up to rounding.
    fn linear_rule(&self, rule: &UnitRule) -> Quadrature {
        let place = |distance: f64, upper: bool| {
            let step = self.width * distance;
            if upper { self.upper - step } else { self.lower + step }
        };
        Quadrature {
            atoms: rule.nodes.iter().map(|n| place(n.distance, n.upper)).collect(),
            weights: rule.nodes.iter().map(|n| n.weight).collect(),
            atom_error: rule.node_error + 40.0 * U,
            weight_error: rule.weight_error,
        }
    }

    /// The same in ln τ, with weights ω τ^{1−e}/∫τ^{1−e} d ln τ.
    fn power_rule(&self, rule: &UnitRule, slope: f64, span: f64) -> Quadrature {
        let steepness = slope.abs() * span;
        let place = |distance: f64, upper: bool| {
            let step = span * distance;
            if upper { self.upper * (-step).exp() } else { self.lower * step.exp() }
        };
        let factor = power_factor(steepness);
        let weigh = |distance: f64, upper: bool| {
            // from the end where the weight is largest
            let from_top = if upper == (slope >= 0.0) { distance } else { 1.0 - distance };
            factor * (-steepness * from_top).exp()
        };
        Quadrature {
            atoms: rule.nodes.iter().map(|n| place(n.distance, n.upper)).collect(),
            weights: rule.nodes.iter().map(|n| n.weight * weigh(n.distance, n.upper)).collect(),
            atom_error: 0.6 * span * (rule.node_error + 12.0 * U) + 12.0 * U,
            weight_error: rule.weight_error + steepness * (rule.node_error + 16.0 * U) + 40.0 * U,
        }
    }

    /// Proved bounds of the errors of the exact n-point rule for the integrals of τ/(u−τ) and
    /// of its square over the continuous part: ∞ where u is too close to it.
    pub(crate) fn quadrature_errors(&self, n: usize, u: Complex64) -> (f64, f64) {
        let unresolved = (f64::INFINITY, f64::INFINITY);
        let Some((half, kappa)) = self.elliptic_radius(u) else { return unresolved };
        let reach = (kappa + ((kappa - 1.0) * (kappa + 1.0)).sqrt()).ln() * (1.0 - 8.0 * U);
        let degree = 2.0 * n as f64;
        let (first, second) = match self.kind {
            Kind::Power { exponent, span } => {
                let steepness = (1.0 - exponent).abs() * span;
                power_errors(degree, steepness, half, kappa, reach)
            }
            _ => self.linear_errors(degree, reach, u),
        };
        if first.is_nan() || second.is_nan() {
            return unresolved;
        }
        (1.01 * first + f64::MIN_POSITIVE, 1.01 * second + f64::MIN_POSITIVE)
    }

    /// From the Chebyshev coefficients of 1/(u−τ) and of its square (C5); `reach` = ln ϱ.
    fn linear_errors(&self, degree: f64, reach: f64, u: Complex64) -> (f64, f64) {
        let (below, above) = ((u - self.lower).norm(), (u - self.upper).norm());
        let modulus = u.norm();
        // |u−a| and |u−b| to 1 %, whatever the rounding of the ends
        if below.min(above) < 1e4 * U * (modulus + self.upper) {
            return (f64::INFINITY, f64::INFINITY);
        }
        let root = 0.99 * below.sqrt() * above.sqrt();
        let centre = 1.01 * (u - (self.lower + 0.5 * self.width)).norm();
        let tail = 1.01 * (-degree * reach).exp() / -(-reach).exp_m1();
        let tail_of_k = tail * (degree - 1.0 / (-reach).exp_m1());
        let inverse = 4.0 * tail / root;
        let square = 4.0 * (tail_of_k + tail * centre / root) / root / root;
        (modulus * inverse, modulus * (2.0 * inverse + modulus * square))
    }

    /// Half the length of the interval in the variable of the rule, and a lower bound of the
    /// elliptic radius κ = (|w−α| + |w−β|)/(β−α) > 1 of the nearest singularity w.
    fn elliptic_radius(&self, u: Complex64) -> Option<(f64, f64)> {
        let (half, kappa, error) = match self.kind {
            Kind::Power { span, .. } => {
                let log = u.ln();
                let (alpha, beta) = (self.lower.ln(), self.upper.ln());
                let sum = (log - alpha).norm() + (log - beta).norm();
                let size = log.norm() + alpha.abs() + beta.abs() + 1.0;
                (0.5 * span, sum / span, 32.0 * U * (size + sum) / span)
            }
            _ => {
                let sum = (u - self.lower).norm() + (u - self.upper).norm();
                let size = u.norm() + self.upper;
                (0.5 * self.width, sum / self.width, 32.0 * U * (size + sum) / self.width)
            }
        };
        let kappa = kappa - error;
        (kappa > 1.0 && kappa.is_finite()).then_some((half, kappa))
    }
}

/// From the largest modulus on an ellipse in ln τ (C5').
fn power_errors(degree: f64, steepness: f64, half: f64, kappa: f64, reach: f64) -> (f64, f64) {
    // nearly the largest ellipse: the best trade of ϱ^{−2n} against the distance of u
    let rho = (reach * (degree * reach / (1.0 + degree * reach))).exp();
    let rho = rho.min(1.0 + 4.0 * degree / steepness);
    let semi = 0.5 * (rho + 1.0 / rho);
    let bound = (2.6 / (half * (kappa - semi))).max(1.6);
    let growth = 0.5 * steepness * (semi - 1.0) + power_factor(steepness).ln();
    let log = (4.0 * bound).ln() + growth - degree * rho.ln() - (1.0 - 1.0 / rho).ln();
    (log.exp(), bound * log.exp())
}

/// y e^y/sinh y = 2y/(1 − e^{−2y}) at 2y = `steepness`: 1/mean of e^{−steepness·s} over [0, 1].
fn power_factor(steepness: f64) -> f64 {
    if steepness == 0.0 { 1.0 } else { steepness / -(-steepness).exp_m1() }
}

fn check_end(name: &'static str, value: f64) -> Result<(), SpectrumError> {
    if ENDS.contains(&value) {
        return Ok(());
    }
    Err(SpectrumError::Parameter { name, value, valid: "a number in [1e-60, 1e60]" })
}

/// b − a of an interval in {0} ∪ [10⁻⁶⁰, 10⁶⁰].
fn check_interval(a: f64, b: f64) -> Result<f64, SpectrumError> {
    if a != 0.0 {
        check_end("lower end", a)?;
    }
    check_end("upper end", b)?;
    if a >= b {
        let valid = "a number below the upper end of the interval";
        return Err(SpectrumError::Parameter { name: "lower end", value: a, valid });
    }
    Ok(b - a)
}
