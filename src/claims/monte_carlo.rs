//! Claims of page 5, Monte Carlo.

use super::{Claim, ClaimError, Context, Finding};
use crate::montecarlo::{Streams, replicate};

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
fn normals(context: &Context) -> Result<Finding, ClaimError> {
    const BATCH: usize = 1000;
    let replicates = if context.quick { 2_000 } else { 50_000 };
    let mut findings = Vec::new();
    for (power, moment) in (1..).zip([0.0, 1.0, 0.0, 3.0, 0.0, 15.0]) {
        let streams = Streams { seed: context.seed, experiment: 1500 + power as u32 };
        let sample = replicate(
            streams,
            0..replicates,
            &|_, _| (),
            || vec![0.0; BATCH],
            |z, mut stream| {
                stream.fill_normal_f64(z);
                Ok(z.iter().map(|z| z.powi(power)).sum::<f64>() / BATCH as f64)
            },
        )?
        .sampled()?;
        let difference = sample.mean - context.formula(moment);
        findings.push(context.standardised(difference / sample.standard_error));
    }
    Ok(Finding::worst(findings))
}
