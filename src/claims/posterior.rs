//! Claims of page 3, entropy rate: simulated posteriors.

use std::f64::consts::PI;

use super::information::triangle;
use super::{Claim, ClaimError, Context, Finding};
use crate::entropy::{Component, DataModel, GaussianMixture};
use crate::montecarlo::Streams;

/// Tells the random streams of these claims apart from others under one seed.
const EXPERIMENT: u32 = 0x3000;

pub(super) fn claims() -> Vec<Claim> {
    vec![
        Claim {
            id: "entropy-dirac-monte-carlo",
            statement: "mmse and H(x0|x_σ) are the mean posterior variance and entropy",
            theory: "3-entropy-rate.md (E5′)",
            how: "three points in the plane: certified values against simulated posteriors",
            comparisons: 4,
            detects: 0.05,
            check: dirac_monte_carlo,
        },
        Claim {
            id: "entropy-mixture-monte-carlo",
            statement: "mmse and information of a Gaussian mixture from its posterior means",
            theory: "3-entropy-rate.md (E10)",
            how: "one dimension: quadrature against simulated errors of the denoiser and simulated −ln p",
            comparisons: 4,
            detects: 0.1,
            check: mixture_monte_carlo,
        },
    ]
}

/// Mean and standard error.
pub(super) fn mean(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    (mean, (squares / (n - 1.0) / n).sqrt())
}

/// z of simulated `values` against `expected`.
fn z_score(values: &[f64], expected: f64) -> f64 {
    let (mean, error) = mean(values);
    (mean - expected) / error
}

/// Index of the component that a uniform number selects.
fn select(mut uniform: f64, weights: &[f64]) -> usize {
    for (k, w) in weights.iter().enumerate() {
        uniform -= w;
        if uniform < 0.0 {
            return k;
        }
    }
    weights.len() - 1
}

fn draws(quick: bool) -> usize {
    if quick { 40_000 } else { 1_000_000 }
}

fn dirac_monte_carlo(context: &Context<'_>) -> Result<Finding, ClaimError> {
    let points = [[0.0, 0.0], [1.5, 0.0], [0.3, 1.7]];
    let weights = [0.5, 0.3, 0.2];
    let law = triangle()?;
    let mut findings = Vec::new();
    for (level, sigma) in [0.5, 1.5].into_iter().enumerate() {
        let streams = Streams { seed: context.seed, experiment: EXPERIMENT + level as u32 };
        let mut labels = streams.replicate(0);
        let mut noise = vec![0.0; 2 * draws(context.quick)];
        streams.replicate(1).fill_normal_f64(&mut noise);
        let (mut errors, mut entropies) = (Vec::new(), Vec::new());
        for e in noise.chunks(2) {
            let true_point = points[select(labels.uniform(), &weights)];
            let x = [true_point[0] + sigma * e[0], true_point[1] + sigma * e[1]];
            let likelihood: Vec<f64> = points
                .iter()
                .zip(weights)
                .map(|(a, w)| {
                    let distance = (x[0] - a[0]).powi(2) + (x[1] - a[1]).powi(2);
                    w * (-distance / (2.0 * sigma * sigma)).exp()
                })
                .collect();
            let total: f64 = likelihood.iter().sum();
            let q = likelihood.iter().map(|l| l / total);
            let mut denoised = [0.0, 0.0];
            let mut entropy = 0.0;
            for (q, a) in q.zip(&points) {
                denoised[0] += q * a[0];
                denoised[1] += q * a[1];
                entropy -= if q > 0.0 { q * q.ln() } else { 0.0 };
            }
            let error = [true_point[0] - denoised[0], true_point[1] - denoised[1]];
            errors.push(error[0].powi(2) + error[1].powi(2));
            entropies.push(entropy);
        }
        let mmse = context.formula(law.mmse(sigma)?.value());
        let entropy = context.formula(law.conditional_entropy(sigma)?.value);
        findings.push(context.standardised(z_score(&errors, mmse)));
        findings.push(context.standardised(z_score(&entropies, entropy)));
    }
    Ok(Finding::worst(findings))
}

fn mixture_monte_carlo(context: &Context<'_>) -> Result<Finding, ClaimError> {
    let weights = [0.3, 0.7];
    let (means, variances) = ([-1.5, 1.0], [0.09, 0.5]);
    let component = |k: usize| Component::isotropic(weights[k], vec![means[k]], variances[k]);
    let law = GaussianMixture::new(vec![component(0), component(1)])?;
    let mut findings = Vec::new();
    for (level, sigma) in [0.4_f64, 1.2].into_iter().enumerate() {
        let streams = Streams { seed: context.seed, experiment: EXPERIMENT + 16 + level as u32 };
        let mut labels = streams.replicate(0);
        let mut noise = vec![0.0; 2 * draws(context.quick)];
        streams.replicate(1).fill_normal_f64(&mut noise);
        let (mut errors, mut surprises) = (Vec::new(), Vec::new());
        for e in noise.chunks(2) {
            let k = select(labels.uniform(), &weights);
            let x0 = means[k] + variances[k].sqrt() * e[0];
            let x = x0 + sigma * e[1];
            let (mut density, mut first) = (0.0, 0.0);
            for j in 0..2 {
                let total = variances[j] + sigma * sigma;
                let distance = x - means[j];
                let p = weights[j] * (-0.5 * distance * distance / total).exp()
                    / (2.0 * PI * total).sqrt();
                density += p;
                first += p * (means[j] + variances[j] / total * distance);
            }
            errors.push((x0 - first / density).powi(2));
            // ln p(x|x0)/p(x), whose mean is the information
            let noise_entropy = 0.5 * (2.0 * PI * sigma * sigma).ln() + 0.5 * e[1] * e[1];
            surprises.push(-density.ln() - noise_entropy);
        }
        let mmse = context.formula(law.mmse(sigma)?.value());
        let information = context.formula(law.information(sigma)?.value());
        findings.push(context.standardised(z_score(&errors, mmse)));
        findings.push(context.standardised(z_score(&surprises, information)));
    }
    Ok(Finding::worst(findings))
}
