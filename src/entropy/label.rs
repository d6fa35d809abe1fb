//! A hidden label at one observation: posterior probabilities and their divergence from w.

/// Below this spread of the log-likelihoods, ratios are computed as 1 + δ.
const SMALL: f64 = 0.5;

/// What is known of the label after one observation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Posterior {
    /// ln Σ wₖ e^{lₖ}.
    pub(super) log_sum: f64,
    /// KL(r ‖ w).
    pub(super) divergence: f64,
    /// −Σ rₖ ln rₖ.
    pub(super) entropy: f64,
}

/// Turns log-likelihoods lₖ into posterior probabilities rₖ ∝ wₖ e^{lₖ} in place.
///
/// KL = Σ wₖ φ(rₖ/wₖ) with φ(t) = t ln t − t + 1 ≥ 0: no cancellation when r ≈ w, as at large
/// σ, provided that the lₖ are accurate relative to their spread (give them relative to one of
/// them).
pub(super) fn posterior(weights: &[f64], logs: &mut [f64]) -> Posterior {
    let largest = logs.iter().fold(f64::NEG_INFINITY, |a, &l| a.max(l));
    let smallest = logs.iter().fold(f64::INFINITY, |a, &l| a.min(l));
    let weighted = |values: &[f64]| -> f64 { weights.iter().zip(values).map(|(w, x)| w * x).sum() };
    let (log_sum, divergence);
    if largest - smallest < SMALL {
        let middle = 0.5 * (largest + smallest);
        logs.iter_mut().for_each(|l| *l = (*l - middle).exp_m1());
        let mean = weighted(logs);
        // δₖ = rₖ/wₖ − 1
        logs.iter_mut().for_each(|e| *e = (*e - mean) / (1.0 + mean));
        log_sum = middle + mean.ln_1p();
        divergence = weights.iter().zip(&*logs).map(|(w, &d)| w * excess_entropy(d)).sum();
        logs.iter_mut().for_each(|d| *d += 1.0);
    } else {
        logs.iter_mut().for_each(|l| *l = (*l - largest).exp());
        let sum = weighted(logs);
        // not by way of δₖ: small rₖ keep their digits
        logs.iter_mut().for_each(|e| *e /= sum);
        log_sum = largest + sum.ln();
        divergence = weights.iter().zip(&*logs).map(|(w, &t)| w * excess_entropy(t - 1.0)).sum();
    }
    logs.iter_mut().zip(weights).for_each(|(t, w)| *t *= w);
    let entropy = logs.iter().filter(|r| **r > 0.0).map(|r| -r * r.ln()).sum();
    Posterior { log_sum, divergence, entropy }
}

/// φ(1+δ) = (1+δ) ln(1+δ) − δ for δ ≥ −1, to a relative 1e-12.
pub(super) fn excess_entropy(delta: f64) -> f64 {
    if delta.abs() < 1e-3 {
        // the series Σ (−δ)ⁿ/(n(n−1)); the first omitted term is δ⁶/30
        let d = delta;
        return d * d * (1.0 / 2.0 - d * (1.0 / 6.0 - d * (1.0 / 12.0 - d / 20.0)));
    }
    if delta <= -1.0 { 1.0 } else { (1.0 + delta) * delta.ln_1p() - delta }
}
