//! Claims of page 5, Monte Carlo.

use super::{Claim, ClaimError, Context, Finding};
use crate::montecarlo::NormalMoments;

pub(super) fn claims() -> Vec<Claim> {
    vec![Claim {
        id: "mc-normals",
        statement: "the normal variates have the moments 0, 1, 0, 3, 0, 15 of orders 1 to 6",
        theory: "5-monte-carlo.md (M2c)",
        how: "means of powers over independent streams",
        comparisons: 6,
        detects: 0.01,
        check: normals,
    }]
}

/// E Zᵏ = (k−1)!! for even k, else 0.
///
/// Power: with N normals E Z² = 1 has the standard error √(2/N), 0.1 % at N = 2·10⁶, a tenth of
/// `detects`.
fn normals(context: &Context<'_>) -> Result<Finding, ClaimError> {
    const COUNT: usize = 1000;
    let replicates = if context.quick { 2_000 } else { 50_000 };
    let samples = context.simulate(&NormalMoments::new(COUNT)?, 1500, replicates)?;
    let moments = [0.0, 1.0, 0.0, 3.0, 0.0, 15.0];
    let findings: Result<Vec<_>, ClaimError> = (0..)
        .zip(moments)
        .map(|(k, moment)| {
            let sample = samples.column(k)?.sampled()?;
            let difference = sample.mean - context.formula(moment);
            Ok(context.standardised(difference / sample.standard_error))
        })
        .collect();
    Ok(Finding::worst(findings?))
}
