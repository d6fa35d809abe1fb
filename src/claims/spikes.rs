//! Claims of page 6d, spiked populations and two-point equivalents, against simulated sample
//! covariances.

use num_complex::Complex64;

use super::finite_size::{self, approaches, plan};
use super::samples::over_samples;
use super::{Claim, ClaimError, Context, Finding};
use crate::evidence::Sampled;
use crate::montecarlo::{Stream, Streams};
use crate::numeric::linalg::{LinalgError, cholesky_solve, gram, symmetric_eigenvalues};
use crate::resolvent::SilversteinLaw;
use crate::resolvent::silverstein::Outlier;
use crate::spectrum::Spectrum;

// Power in quick mode, standard errors of the extrapolated limits: positions 0.05 % (above),
// 0.37 % (below) and 0.32 % (between), overlaps 0.08 %, 0.12 % and 0.06 %, the two-point trace
// 0.25 %. `detects` is at least ten of the largest. Full mode is more precise.

pub(super) fn claims() -> Vec<Claim> {
    vec![
        Claim {
            id: "spike-position",
            statement: "the sample eigenvalue of a detached spike tends to x(τ₀), above, below and between the bulks",
            theory: "6d-spikes-and-two-point.md (O1)",
            how: "eigenvalues of simulated spiked sample covariances at n, 2n, 4n, extrapolated to n → ∞; the limit and the 1/n decay are tested",
            comparisons: SPIKED.len() * finite_size::COMPARISONS,
            detects: 0.04,
            check: spike_position,
        },
        Claim {
            id: "spike-overlap",
            statement: "the squared overlap of its sample eigenvector with the population eigenvector tends to τ₀x′(τ₀)/x(τ₀)",
            theory: "6d-spikes-and-two-point.md (O3)",
            how: "overlaps from the eigenvalues of simulated sample covariances and of their minors at n, 2n, 4n, extrapolated to n → ∞",
            comparisons: SPIKED.len() * finite_size::COMPARISONS,
            detects: 0.015,
            check: spike_overlap,
        },
        Claim {
            id: "two-point-simulation",
            statement: "(1/p) tr A(Ŝ−z)⁻¹B(Ŝ−z′)⁻¹ tends to its equivalent like 1/n",
            theory: "6d-spikes-and-two-point.md (T2)",
            how: "resolvents of simulated sample covariances at n, 2n, 4n, extrapolated to n → ∞",
            comparisons: finite_size::COMPARISONS,
            detects: 0.03,
            check: two_point,
        },
    ]
}

/// A population of a bulk and one spike.
struct Spiked {
    spike: f64,
    /// Two atoms of the bulk, ascending, with equal weights.
    bulk: [f64; 2],
    /// n/p.
    samples: usize,
    /// How many halves of the bulk are below the spike.
    below: usize,
}

/// Above, below and between: several standard deviations of a sample eigenvalue, √(2/n) of it,
/// away from the edges at the smallest n, so that the rank finds it.
const SPIKED: [Spiked; 3] = [
    Spiked { spike: 10.0, bulk: [1.0, 1.0], samples: 2, below: 2 },
    Spiked { spike: 0.2, bulk: [1.0, 1.0], samples: 8, below: 0 },
    Spiked { spike: 12.0, bulk: [1.0, 100.0], samples: 4, below: 1 },
];

impl Spiked {
    fn outlier(&self) -> Result<Outlier, ClaimError> {
        let spectrum = Spectrum::from_atoms(&self.bulk, &[0.5, 0.5])?;
        Ok(SilversteinLaw::new(&spectrum, 1.0 / self.samples as f64)?.outlier(self.spike)?)
    }

    /// The mean of `statistic` over simulations with n samples and p + 1 = n/`samples` + 1
    /// features, of which the first is the spike. It is told Ŝ, p + 1 and the spike's rank.
    fn simulate(
        &self,
        streams: Streams,
        (n, replicates): (usize, u64),
        statistic: impl Fn(&[f64], usize, usize) -> Result<f64, LinalgError> + Sync + Send,
    ) -> Result<Sampled, ClaimError> {
        let p = n / self.samples;
        let bulk = (0..p).map(|j| self.bulk[2 * j / p]);
        let atoms: Vec<f64> = [self.spike].into_iter().chain(bulk).collect();
        mean_over_covariances(streams, &atoms, (n, replicates), |s| {
            statistic(s, p + 1, self.below * p / 2)
        })
    }
}

/// The mean of `statistic`(Ŝ) over Gaussian samples of n draws, Σ diagonal.
fn mean_over_covariances(
    streams: Streams,
    atoms: &[f64],
    (n, replicates): (usize, u64),
    statistic: impl Fn(&[f64]) -> Result<f64, LinalgError> + Sync + Send,
) -> Result<Sampled, ClaimError> {
    let scales: Vec<f64> = atoms.iter().map(|t| (t / n as f64).sqrt()).collect();
    let of_covariance = |x: &[f64], _: &mut Stream| statistic(&gram(x, n, atoms.len())?);
    Ok(over_samples(streams, &scales, (n, replicates), of_covariance)?.sampled()?)
}

/// The control Ŝ₁₁ − τ₀ of mean 0 takes most of the variance away: ∂λ/∂Ŝ₁₁ is the overlap.
fn spike_position(context: &Context<'_>) -> Result<Finding, ClaimError> {
    let mut findings = Vec::new();
    for (model, experiment) in SPIKED.iter().zip((1600..).step_by(10)) {
        let mut simulations = Vec::new();
        for ((n, replicates), experiment) in plan(context, 1.0 / 8.0).into_iter().zip(experiment..)
        {
            let streams = Streams { seed: context.seed, experiment };
            let mean = model.simulate(streams, (n, replicates), |s, p, rank| {
                Ok(symmetric_eigenvalues(s, p)?[rank] - (s[0] - model.spike))
            })?;
            simulations.push((n, mean));
        }
        let theory = context.formula(model.outlier()?.sample.value);
        findings.push(approaches(context, &simulations, theory)?);
    }
    Ok(Finding::worst(findings))
}

fn spike_overlap(context: &Context<'_>) -> Result<Finding, ClaimError> {
    let mut findings = Vec::new();
    for (model, experiment) in SPIKED.iter().zip((1630..).step_by(10)) {
        let mut simulations = Vec::new();
        for ((n, replicates), experiment) in plan(context, 1.0 / 8.0).into_iter().zip(experiment..)
        {
            let streams = Streams { seed: context.seed, experiment };
            simulations.push((n, model.simulate(streams, (n, replicates), overlap)?));
        }
        let theory = context.formula(model.outlier()?.overlap.value);
        findings.push(approaches(context, &simulations, theory)?);
    }
    Ok(Finding::worst(findings))
}

/// The squared first entry of the eigenvector of eigenvalue number `rank` of a p×p matrix, from
/// eigenvalues alone (O6): Π(λᵢ − μₖ)/Π_{k≠i}(λᵢ − λₖ) with μ those of the minor without the
/// first row and column. By interlacing each quotient below is in [0, 1].
fn overlap(s: &[f64], p: usize, rank: usize) -> Result<f64, LinalgError> {
    let minor: Vec<f64> = s.chunks(p).skip(1).flat_map(|row| row[1..].to_vec()).collect();
    let (lambda, mu) = (symmetric_eigenvalues(s, p)?, symmetric_eigenvalues(&minor, p - 1)?);
    let others = lambda.iter().enumerate().filter(|&(k, _)| k != rank).map(|(_, l)| l);
    Ok(others.zip(&mu).map(|(l, m)| (lambda[rank] - m) / (lambda[rank] - l)).product())
}

fn two_point(context: &Context<'_>) -> Result<Finding, ClaimError> {
    // atoms, A, B in the two halves of the directions
    let (atoms, a, b) = ([1.0, 4.0], [2.0, 0.5], [0.25, 1.0]);
    let ridges = [0.2, 1.5];
    let law = SilversteinLaw::new(&Spectrum::from_atoms(&atoms, &[0.5, 0.5])?, 0.5)?;
    let [z, z_prime] = ridges.map(|r| Complex64::new(-r, 0.0));
    let theory = law.two_point(z, z_prime, &a, &b)?.value().re;
    let mut simulations = Vec::new();
    for ((n, replicates), experiment) in plan(context, 1.0 / 16.0).into_iter().zip(1660..) {
        let p = n / 2;
        let half = |j: usize| 2 * j / p;
        let all: Vec<f64> = (0..p).map(|j| atoms[half(j)]).collect();
        let streams = Streams { seed: context.seed, experiment };
        let mean = mean_over_covariances(streams, &all, (n, replicates), |s| {
            let [r, r_prime] = ridges.map(|ridge| inverse(s, p, ridge));
            let (r, r_prime) = (r?, r_prime?);
            let entry =
                |i: usize, j: usize| a[half(i)] * r[i * p + j] * b[half(j)] * r_prime[i * p + j];
            Ok((0..p * p).map(|k| entry(k / p, k % p)).sum::<f64>() / p as f64)
        })?;
        simulations.push((n, mean));
    }
    approaches(context, &simulations, context.formula(theory))
}

/// (S + ridge)⁻¹.
fn inverse(s: &[f64], p: usize, ridge: f64) -> Result<Vec<f64>, LinalgError> {
    let (mut shifted, mut inverse) = (s.to_vec(), vec![0.0; p * p]);
    for k in (0..p * p).step_by(p + 1) {
        shifted[k] += ridge;
        inverse[k] = 1.0;
    }
    cholesky_solve(&mut shifted, p, &mut inverse, p)?;
    Ok(inverse)
}
