//! Simulations at three sizes against the limit that they should approach like 1/n.

use statrs::distribution::{ContinuousCDF, Normal};

use super::{ClaimError, Context, Finding};
use crate::evidence::Sampled;
use crate::montecarlo::finite_size_check;

/// Statistical comparisons of one [`approaches`]: the limit and the form of the decay.
pub(super) const COMPARISONS: usize = 2;

/// Largest standard error of a simulation, relative to its mean.
const PRECISION: f64 = 2e-3;

/// The sizes n of the three simulations with their numbers of replicates, `effort` being what
/// brings their standard errors below 0.2 % and the limit's to about that.
///
/// The neglected O(1/n²) term κ/n² of a difference biases the limit by about 5κ/(16 n₀²) (M4):
/// 3e-4 κ in quick mode, 8e-5 κ in full mode, where κ is of the order of the quantity itself.
/// The claims' standard errors of the limit are larger.
pub(super) fn plan(context: &Context<'_>, effort: u64) -> [(usize, u64); 3] {
    // the spread of a replicate falls at least like n^{-1/2}
    let (n, effort) = if context.quick { (32, effort) } else { (64, effort.div_ceil(2)) };
    [(n, 3_000 * effort), (2 * n, 2_000 * effort), (4 * n, 1_000 * effort)]
}

/// Whether simulation − theory = a + b/n with a = 0 (M4).
pub(super) fn approaches(
    context: &Context<'_>,
    simulations: &[(usize, Sampled)],
    theory: f64,
) -> Result<Finding, ClaimError> {
    let (sizes, samples): (Vec<usize>, Vec<Sampled>) = simulations.iter().copied().unzip();
    let coarse = |s: &&Sampled| s.standard_error > PRECISION * s.mean.abs();
    if let (1, Some(s)) = (context.thinning, samples.iter().find(coarse)) {
        let share = 100.0 * s.standard_error / s.mean.abs();
        return Err(ClaimError(format!(
            "a standard error is {share:.2} % of its mean: too coarse"
        )));
    }
    let outcome = finite_size_check(&sizes, &samples, &vec![theory; sizes.len()])?;
    Ok(Finding::worst([
        context.standardised(outcome.limit / outcome.limit_error),
        context.standardised(standard_normal(outcome.decay_p_value)),
    ]))
}

/// The |z| of a two-sided p-value, at most 37.
pub(super) fn standard_normal(p_value: f64) -> f64 {
    -Normal::standard().inverse_cdf(p_value.max(1e-300) / 2.0)
}
