//! Between-component variance and label information by Monte Carlo, in two or more coordinates.

use rayon::prelude::*;

use super::line::{log_ratio, mean_offset};
use super::reduced::Reduced;
use crate::entropy::control::{Controls, rare_event_error};
use crate::entropy::label::posterior;
use crate::evidence::Evidence;
use crate::montecarlo::Stream;

/// Number of this experiment in the address of its random streams.
const EXPERIMENT: u32 = 0x4d49_5854;
/// Draws of one task.
const TASK: usize = 256;

/// One draw: posterior variance of μₖ, KL(r ‖ w), entropy of r, and four control variates.
type Draw = [f64; 7];

/// The remainders of (Q1) and (Q2) as means over x_σ of the posterior variance of μₖ and of
/// KL(r ‖ w), both conditional on x_σ (Rao–Blackwell).
///
/// Draw q takes its component at the point (q + U)/samples of the cumulative weights and
/// x_σ = mₖ + sₖ z. Control variates, with B the covariance of the means: ‖mₖ − m̄‖² − tr B,
/// z·(mₖ − m̄), zᵀBz − tr B and −ln wₖ − H(w). Rare events are accounted for through (Q3).
pub(super) fn between(
    mixture: &Reduced,
    sigma: f64,
    samples: usize,
    seed: u64,
) -> (Evidence, Evidence) {
    let widths: Vec<f64> = mixture.variances.iter().map(|v| sigma.hypot(v.sqrt())).collect();
    let cumulative: Vec<f64> = mixture
        .weights
        .iter()
        .scan(0.0, |sum, w| {
            *sum += w;
            Some(*sum)
        })
        .collect();
    let spread: f64 = components(mixture).map(|(w, m)| w * dot(m, m)).sum();
    let entropy: f64 = mixture.weights.iter().map(|w| -w * w.ln()).sum();
    let mut draws: Vec<Draw> = vec![[0.0; 7]; samples];
    draws.par_chunks_mut(TASK).enumerate().for_each(|(task, chunk)| {
        let mut z = vec![0.0; mixture.coordinates];
        let mut logs = vec![0.0; mixture.weights.len()];
        for (i, draw) in chunk.iter_mut().enumerate() {
            let q = task * TASK + i;
            let mut stream = Stream::new(seed, EXPERIMENT, q as u32);
            let point = (q as f64 + stream.uniform()) / samples as f64;
            let drawn = cumulative.partition_point(|&c| c < point).min(logs.len() - 1);
            stream.fill_normal_f64(&mut z);
            *draw = one_draw(mixture, &widths, sigma, drawn, &z, &mut logs, (spread, entropy));
        }
    });
    let column = |i: usize| -> Vec<f64> { draws.iter().map(|d| d[i]).collect() };
    let controls = Controls::new((3..7).map(column).collect());
    let (variance_bound, entropy_bound) = rare_events(mixture, &widths, sigma);
    let rare_variance = rare_event_error(&column(0), variance_bound, spread);
    let rare_entropy = rare_event_error(&column(2), entropy_bound, std::f64::consts::LN_2);
    let variance = controls.estimate(&column(0), rare_variance);
    let information = controls.estimate(&column(1), rare_entropy);
    (variance.into(), information.into())
}

fn one_draw(
    mixture: &Reduced,
    widths: &[f64],
    sigma: f64,
    drawn: usize,
    z: &[f64],
    logs: &mut [f64],
    (spread, entropy): (f64, f64),
) -> Draw {
    let d = mixture.coordinates;
    let (m0, v0) = (mixture.mean(drawn), mixture.variance(drawn));
    let s0 = &widths[drawn * d..][..d];
    for (k, log) in logs.iter_mut().enumerate() {
        let (m, v, s) = (mixture.mean(k), mixture.variance(k), &widths[k * d..][..d]);
        *log = (0..d)
            .map(|j| log_ratio(s0[j] * z[j], m[j] - m0[j], (v[j], s[j]), (v0[j], s0[j])))
            .sum();
    }
    let label = posterior(&mixture.weights, logs);
    let mut variance = 0.0;
    for j in 0..d {
        let offset = |k: usize| {
            let i = k * d + j;
            let (delta, own) = (mixture.means[i] - m0[j], (mixture.variances[i], widths[i]));
            mean_offset(sigma, s0[j] * z[j], delta, own, (v0[j], s0[j]))
        };
        let mean: f64 = logs.iter().enumerate().map(|(k, r)| r * offset(k)).sum();
        variance +=
            logs.iter().enumerate().map(|(k, r)| r * (offset(k) - mean).powi(2)).sum::<f64>();
    }
    let along: f64 = components(mixture).map(|(w, m)| w * dot(m, z).powi(2)).sum();
    [
        variance,
        label.divergence,
        label.entropy,
        dot(m0, m0) / spread - 1.0,
        dot(m0, z) / spread.sqrt(),
        along / spread - 1.0,
        -mixture.weights[drawn].ln() - entropy,
    ]
}

/// Bounds (Q3) of E tr Cov(μₖ | x_σ) and of the label's posterior entropy.
///
/// Σ_{k<j} √(wₖwⱼ) ∫√(pₖpⱼ)·(½‖μₖ − μⱼ‖², 2) dx: √(pₖpⱼ) is a Gaussian of the Bhattacharyya
/// mass, coordinate by coordinate, and μₖ − μⱼ is affine in x.
fn rare_events(mixture: &Reduced, widths: &[f64], sigma: f64) -> (f64, f64) {
    let d = mixture.coordinates;
    let (mut variance, mut entropy) = (0.0, 0.0);
    for k in 0..mixture.weights.len() {
        for l in 0..k {
            let mut log_mass = 0.5 * (mixture.weights[k].ln() + mixture.weights[l].ln());
            let mut square = 0.0;
            for j in 0..d {
                let (a, b) = (k * d + j, l * d + j);
                let (v, s) = (mixture.variances[a], widths[a]);
                let (v0, s0) = (mixture.variances[b], widths[b]);
                let delta = mixture.means[a] - mixture.means[b];
                let hypot = s.hypot(s0);
                log_mass +=
                    0.5 * (2.0 * (s / hypot) * (s0 / hypot)).ln() - (0.5 * delta / hypot).powi(2);
                // √(pₖpₗ) ∝ N(y; y*, s*²), y = x − mₗ
                let centre = delta * (s0 / hypot).powi(2);
                let width = std::f64::consts::SQRT_2 * s * (s0 / hypot);
                let at = |y: f64| mean_offset(sigma, y, delta, (v, s), (v0, s0));
                square += at(centre).powi(2) + (at(centre + width) - at(centre)).powi(2);
            }
            variance += 0.5 * log_mass.exp() * square;
            entropy += 2.0 * log_mass.exp();
        }
    }
    (variance, entropy)
}

fn components(mixture: &Reduced) -> impl Iterator<Item = (f64, &[f64])> {
    mixture.weights.iter().enumerate().map(|(k, &w)| (w, mixture.mean(k)))
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
