//! Claims of page 1, the Marchenko–Pastur law.

use std::f64::consts::PI;

use num_complex::Complex64;

use super::finite_size::{self, approaches, plan};
use super::samples::over_samples;
use super::{Claim, ClaimError, Context, Finding};
use crate::evidence::Sampled;
use crate::montecarlo::{ResolventTraceExperiment, Stream, Streams};
use crate::numeric::CompensatedSum;
use crate::numeric::linalg::{LinalgError, gram, gram_outer, symmetric_eigenvalues};
use crate::numeric::quadrature::{Tolerance, integrate};
use crate::resolvent::MarchenkoPastur;

/// Ratios c with scales s²: both sides of the hard edge, the edge itself, and extremes.
const LAWS: [(f64, f64); 6] =
    [(0.01, 1.0), (0.3, 2.5), (0.9, 1.0), (1.0, 0.7), (2.0, 1.0), (30.0, 0.1)];

pub(super) fn claims() -> Vec<Claim> {
    vec![
        Claim {
            id: "mp-fixed-point",
            statement: "the closed form of the companion transform is the solution v of z = −1/v + c s²/(1 + s²v) with Im v > 0",
            theory: "1-marchenko-pastur.md (MP3)",
            how: "residual of the equation over a grid of z, in units of the terms' sensitivity to v; tolerance: the promised 8 ulp of v and the rounding of the residual",
            comparisons: 0,
            detects: 1e-12,
            check: fixed_point,
        },
        Claim {
            id: "mp-mass",
            statement: "the continuous part has mass min(1, 1/c), the rest is an atom at 0",
            theory: "1-marchenko-pastur.md (MP5)",
            how: "midpoint rule over the density, exact up to rounding, which is bounded by 2e-14 relative",
            comparisons: 0,
            detects: 1e-12,
            check: mass,
        },
        Claim {
            id: "mp-degrees-of-freedom",
            statement: "∫x/(x+κ) dF = 4s²/(√(a+κ) + √(b+κ))²",
            theory: "1-marchenko-pastur.md (MP7)",
            how: "closed form against the midpoint rule over the density",
            comparisons: 0,
            detects: 1e-12,
            check: degrees_of_freedom,
        },
        Claim {
            id: "mp-distribution",
            statement: "the distribution function in closed form is the integral of the density",
            theory: "1-marchenko-pastur.md (MP8)",
            how: "adaptive quadrature of the density from the lower edge; tolerance: its error estimate and the proved radius of the closed form",
            comparisons: 0,
            detects: 1e-9,
            check: distribution,
        },
        Claim {
            id: "mp-moments",
            statement: "the moments of the law are the Narayana polynomials in c",
            theory: "1-marchenko-pastur.md (MP9)",
            how: "Narayana sum against the midpoint rule over the density, orders 1 to 10",
            comparisons: 0,
            detects: 1e-12,
            check: moments,
        },
        Claim {
            id: "mp-log-determinant",
            statement: "∫ln(1+γx) dF = ln(1 + γs²(1−y)) + (−ln(1−y) − y)/c",
            theory: "1-marchenko-pastur.md (MP11)",
            how: "closed form against the midpoint rule over the density",
            comparisons: 0,
            detects: 1e-12,
            check: log_determinant,
        },
        Claim {
            id: "mp-simulated-moments",
            statement: "simulated Gaussian sample covariances have the law's second and third moments, up to the known terms of order 1/n",
            theory: "1-marchenko-pastur.md (MP9)",
            how: "eigenvalues of simulated Wishart matrices against the exact mean at the same n, p",
            comparisons: 2,
            detects: 0.01,
            check: simulated_moments,
        },
        Claim {
            id: "mp-simulated-resolvent",
            statement: "(1/p) tr(Ŝ + 0.3)⁻¹ of simulated matrices tends to m(−0.3) like 1/n",
            theory: "1-marchenko-pastur.md (MP3)",
            how: "resolvents of simulated Wishart matrices at n, 2n, 4n with p = n/2, extrapolated to n → ∞",
            comparisons: finite_size::COMPARISONS,
            detects: 0.01,
            check: simulated_resolvent,
        },
        Claim {
            id: "mp-simulated-log-determinant",
            statement: "(1/p) ln det(1 + 5Ŝ) of simulated matrices with p > n tends to the closed form like 1/n",
            theory: "1-marchenko-pastur.md (MP11)",
            how: "eigenvalues of simulated Wishart matrices at n, 2n, 4n with p = 2n, extrapolated to n → ∞",
            comparisons: finite_size::COMPARISONS,
            detects: 0.005,
            check: simulated_log_determinant,
        },
    ]
}

/// First order: v carries 8 ulp = 16u, which the two terms in v amplify by what `unit` sums;
/// each of the complex operations adds a few u of a term that is at most `unit` itself. 40u.
/// A relative error δ of v shifts the residual by δ v dz/dv, of the order of δ times `unit`
/// away from the edges, where dz/dv vanishes.
fn fixed_point(context: &Context<'_>) -> Result<Finding, ClaimError> {
    let mut findings = Vec::new();
    for (c, s2) in LAWS {
        let law = MarchenkoPastur::new(c, s2)?;
        let (a, b) = law.support();
        for x in [-10.0 * b, -0.1, a, 0.5 * (a + b), b, 3.0 * b] {
            for y in [1e-6, 0.1, 10.0] {
                let z = Complex64::new(x, y);
                let v = law.companion(z)? * context.formula(1.0);
                let shifted = 1.0 + s2 * v;
                let residual = z + 1.0 / v - c * s2 / shifted;
                let unit = z.norm() + 1.0 / v.norm() + c * s2 * s2 * v.norm() / shifted.norm_sqr();
                // the other root of the quadratic is not the transform
                let value = if v.im > 0.0 { residual.norm() / unit } else { f64::INFINITY };
                findings.push(Finding { value, expected: 0.0, tolerance: 20.0 * f64::EPSILON });
            }
        }
    }
    Ok(Finding::worst(findings))
}

fn mass(context: &Context<'_>) -> Result<Finding, ClaimError> {
    by_quadrature(|law| Ok(vec![(context.formula(1.0 - law.atom_at_zero()), bulk(law, |_| 1.0)?)]))
}

fn degrees_of_freedom(context: &Context<'_>) -> Result<Finding, ClaimError> {
    by_quadrature(|law| {
        [0.01, 1.0, 100.0]
            .map(|kappa| {
                let closed = context.formula(law.degrees_of_freedom(kappa)?);
                Ok((closed, bulk(law, |x| x / (x + kappa))?))
            })
            .into_iter()
            .collect()
    })
}

fn moments(context: &Context<'_>) -> Result<Finding, ClaimError> {
    by_quadrature(|law| {
        (1..=10)
            .map(|k| Ok((context.formula(law.moment(k)?), bulk(law, |x| x.powi(k as i32))?)))
            .collect()
    })
}

fn log_determinant(context: &Context<'_>) -> Result<Finding, ClaimError> {
    by_quadrature(|law| {
        [1e-3, 1.0, 1e3]
            .map(|gamma| {
                let closed = context.formula(law.log_determinant(gamma)?);
                Ok((closed, bulk(law, |x| (gamma * x).ln_1p())?))
            })
            .into_iter()
            .collect()
    })
}

/// Worst of the pairs (closed form, quadrature) over all laws, relative to the value.
///
/// With u = ε/2: the density is good to 12u; θ carries 3u, hence x and sin θ about 8u, which
/// x^k multiplies by k ≤ 10; the closed forms are good to 8 ulp = 16u, the moments to 4k ulp
/// ≤ 80u. Together at most 12 + 88 + 80 = 180u, or 90 ε.
fn by_quadrature(
    pairs: impl Fn(&MarchenkoPastur) -> Result<Vec<(f64, f64)>, ClaimError>,
) -> Result<Finding, ClaimError> {
    let mut findings = Vec::new();
    for (c, s2) in LAWS {
        for (expected, value) in pairs(&MarchenkoPastur::new(c, s2)?)? {
            findings.push(Finding { value, expected, tolerance: 90.0 * f64::EPSILON * value });
        }
    }
    Ok(Finding::worst(findings))
}

/// ∫g(x) f(x) dx over the continuous part: with x = a + (b−a) sin²(θ/2), the midpoint rule in
/// θ ∈ (0, π).
///
/// The integrand is an even, 2π-periodic analytic function of θ, for which the rule errs by
/// e^{−2Nα}, α the distance of the nearest singularity from the real axis: |ln √c| for the pole
/// of f at 0 (none if c = 1), acosh(1 + 2d/(b−a)) for a singularity of g at distance d below a.
/// Here α ≥ 0.02, so that the error is below e^{−80} and only rounding is left.
fn bulk(law: &MarchenkoPastur, g: impl Fn(f64) -> f64) -> Result<f64, ClaimError> {
    const NODES: u32 = 2048;
    let (a, b) = law.support();
    let mut sum = CompensatedSum::default();
    for j in 0..NODES {
        let theta = (f64::from(j) + 0.5) * (PI / f64::from(NODES));
        let x = a + (b - a) * (0.5 * theta).sin().powi(2);
        sum.add(g(x) * law.density(x)? * theta.sin());
    }
    Ok(sum.value() * 0.5 * (b - a) * (PI / f64::from(NODES)))
}

fn distribution(context: &Context<'_>) -> Result<Finding, ClaimError> {
    let mut findings = Vec::new();
    for c in [0.05, 0.6, 2.0, 9.0] {
        let law = MarchenkoPastur::new(c, 1.0)?;
        let (a, b) = law.support();
        for end in [0.3, 1.5, 2.8] {
            let x = |theta: f64| a + (b - a) * (0.5 * theta).sin().powi(2);
            // NaN cannot occur: x is finite; were it to, the quadrature refuses it
            let integrand = |theta: f64| law.density(x(theta)).unwrap_or(f64::NAN) * theta.sin();
            let part = integrate(integrand, 0.0, end, Tolerance::relative(1e-12))?;
            let scale = 0.5 * (b - a);
            let closed = law.cdf_certified(x(end))?;
            findings.push(Finding {
                value: law.atom_at_zero() + scale * part.value,
                expected: context.formula(closed.value),
                // and the rounding of x(end) and of the sum
                tolerance: scale * part.estimate + closed.radius + 8.0 * f64::EPSILON,
            });
        }
    }
    Ok(Finding::worst(findings))
}

/// E tr W² = np(n+p+1) and E tr W³ = np(n² + p² + 3np + 3n + 3p + 4) for W = XᵀX with Gaussian
/// entries, so that the moments of the spectrum of Ŝ = W/n have exactly the means
/// (1 + c) + 1/n and (1 + 3c + c²) + 3(1+c)/n + 4/n².
///
/// Power in quick mode: one replicate has a relative standard deviation of 0.067 (k = 2), hence
/// the mean of 5,000 a standard error of 0.095 %, a tenth of `detects`.
fn simulated_moments(context: &Context<'_>) -> Result<Finding, ClaimError> {
    let (samples, features, replicates) =
        if context.quick { (64, 32, 5_000) } else { (128, 64, 8_000) };
    let n = samples as f64;
    let c = features as f64 / n;
    let law = MarchenkoPastur::new(c, 1.0)?;
    let corrections = [1.0 / n, 3.0 * (1.0 + c) / n + 4.0 / (n * n)];
    let findings = [2, 3].into_iter().zip(corrections).map(|(k, correction)| {
        let streams = Streams { seed: context.seed, experiment: 1100 + k };
        let power = |x: f64| x.powi(k as i32);
        let mean = spectral_mean(streams, (samples, features), replicates, power)?;
        let expected = context.formula(law.moment(k)?) + correction;
        Ok(context.standardised((mean.mean - expected) / mean.standard_error))
    });
    Ok(Finding::worst(findings.collect::<Result<Vec<_>, ClaimError>>()?))
}

/// Power in quick mode: the limit has a standard error of 0.06 %, a seventeenth of `detects`.
fn simulated_resolvent(context: &Context<'_>) -> Result<Finding, ClaimError> {
    let theory = MarchenkoPastur::new(0.5, 1.0)?.stieltjes_real(-0.3)?;
    let mut simulations = Vec::new();
    for ((n, replicates), experiment) in plan(context, 0.25).into_iter().zip(1110..) {
        let z = Complex64::new(-0.3, 0.0);
        let traces = ResolventTraceExperiment::new(&vec![1.0; n / 2], n, &[z])?;
        let samples = context.simulate(&traces, experiment, replicates)?;
        simulations.push((n, samples.column(0)?.sampled()?));
    }
    approaches(context, &simulations, context.formula(theory))
}

/// Power in quick mode: the limit has a standard error of 0.033 %, a fifteenth of `detects`.
fn simulated_log_determinant(context: &Context<'_>) -> Result<Finding, ClaimError> {
    let theory = MarchenkoPastur::new(2.0, 1.0)?.log_determinant(5.0)?;
    let mut simulations = Vec::new();
    for ((n, replicates), experiment) in plan(context, 1.0 / 16.0).into_iter().zip(1120..) {
        let streams = Streams { seed: context.seed, experiment };
        let statistic = |x: f64| (5.0 * x).ln_1p();
        simulations.push((n, spectral_mean(streams, (n, 2 * n), replicates, statistic)?));
    }
    approaches(context, &simulations, context.formula(theory))
}

/// The mean of (1/p) Σ f(λ) over the eigenvalues λ of Ŝ = XᵀX/n, X n×p with standard normal
/// entries.
fn spectral_mean(
    streams: Streams,
    (n, p): (usize, usize),
    replicates: u64,
    f: impl Fn(f64) -> f64 + Sync + Send,
) -> Result<Sampled, ClaimError> {
    let statistic = |x: &[f64], _: &mut Stream| -> Result<f64, LinalgError> {
        let kernel = if n < p { gram_outer(x, n, p)? } else { gram(x, n, p)? };
        let nonzero = symmetric_eigenvalues(&kernel, n.min(p))?;
        let zeros = (p - nonzero.len()) as f64;
        let sum: f64 = nonzero.iter().map(|&w| f(w / n as f64)).sum();
        Ok((sum + zeros * f(0.0)) / p as f64)
    };
    Ok(over_samples(streams, &vec![1.0; p], (n, replicates), statistic)?.sampled()?)
}
