//! Simulations at three sizes against the limit that they should approach like 1/n.

use statrs::distribution::{ContinuousCDF, Normal};

use super::{ClaimError, Context, Finding};
use crate::evidence::Sampled;
use crate::montecarlo::finite_size_check;

/// Statistical comparisons of one [`approaches`]: the limit and the form of the decay.
pub(super) const COMPARISONS: usize = 2;

/// Largest standard error of a simulation, relative to its mean.
const PRECISION: f64 = 2e-3;

/// The sizes n of the three simulations with their numbers of replicates: 12,000, 8,000 and
/// 4,000 times `effort`, what brings the standard error of the limit far below what a claim must
/// notice.
///
/// The neglected O(1/n²) term κ/n² of a difference biases the limit by about 5κ/(16 n₀²) (M4):
/// 3e-4 κ in quick mode, 8e-5 κ in full mode, where κ is of the order of the quantity itself.
/// The claims' standard errors of the limit are larger.
pub(super) fn plan(context: &Context<'_>, effort: f64) -> [(usize, u64); 3] {
    let n = if context.quick { 32 } else { 64 };
    [(n, 12e3), (2 * n, 8e3), (4 * n, 4e3)].map(|(n, r)| (n, (effort * r) as u64))
}

/// An error unless every standard error is below 0.2 % of its mean (or the run is thinned).
pub(super) fn precise(
    context: &Context<'_>,
    simulations: &[(usize, Sampled)],
) -> Result<(), ClaimError> {
    let share = simulations.iter().map(|(_, s)| s.standard_error / s.mean.abs());
    match share.fold(0.0, f64::max) {
        share if share > PRECISION && context.thinning == 1 => {
            let percent = 100.0 * share;
            Err(ClaimError(format!("a standard error is {percent:.2} % of its mean: too coarse")))
        }
        _ => Ok(()),
    }
}

/// Whether simulation − theory = a + b/n with a = 0 (M4).
pub(super) fn approaches(
    context: &Context<'_>,
    simulations: &[(usize, Sampled)],
    theory: f64,
) -> Result<Finding, ClaimError> {
    let (sizes, samples): (Vec<usize>, Vec<Sampled>) = simulations.iter().copied().unzip();
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
