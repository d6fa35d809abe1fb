//! Integrals over noise levels, for the claims that compare an area with a closed form.

use std::f64::consts::PI;

use super::ClaimError;
use crate::evidence::Estimated;
use crate::numeric::quadrature::{Tolerance, integrate};

/// Relative distance that is kept from a kink, where a value would belong to either side.
const GAP: f64 = 1e-13;
const RELATIVE: f64 = 1e-12;

/// ∫ f(σ) dℓ with ℓ = ln σ over a range of σ, split at `kinks`, by adaptive quadrature.
///
/// The estimate includes the gaps that are left at the kinks.
pub(super) fn over_levels(
    f: impl Fn(f64) -> Result<f64, ClaimError>,
    (low, high): (f64, f64),
    kinks: &[f64],
) -> Result<Estimated, ClaimError> {
    let mut pieces = Vec::new();
    let mut from = low;
    let mut lost = 0.0;
    for &kink in kinks.iter().filter(|&&k| low < k && k < high) {
        let (before, after) = (kink * (1.0 - GAP), kink * (1.0 + GAP));
        pieces.push((from, before));
        lost += GAP * (f(before)?.abs() + f(after)?.abs());
        from = after;
    }
    pieces.push((from, high));
    let mut total = Estimated { value: 0.0, estimate: lost };
    for (a, b) in pieces {
        // a failed evaluation is reported by the quadrature as a value that is not finite
        let at = |l: f64| f(l.exp().clamp(a, b)).unwrap_or(f64::NAN);
        let tolerance = Tolerance { relative: RELATIVE, absolute: RELATIVE * total.value.abs() };
        let piece = integrate(at, a.ln(), b.ln(), tolerance)?;
        total.value += piece.value;
        total.estimate += piece.estimate;
    }
    Ok(total)
}

/// Nodes and weights of Fejér's first rule with n points on [a, b]: for functions that are
/// analytic around it the error falls geometrically with n.
pub(super) fn fejer(n: usize, (a, b): (f64, f64)) -> Vec<(f64, f64)> {
    let half = 0.5 * (b - a);
    (0..n)
        .map(|k| {
            let theta = (k as f64 + 0.5) * PI / n as f64;
            let series: f64 = (1..=n / 2)
                .map(|j| (2.0 * j as f64 * theta).cos() / (4.0 * (j * j) as f64 - 1.0))
                .sum();
            (a + half * (1.0 - theta.cos()), half * 2.0 / n as f64 * (1.0 - 2.0 * series))
        })
        .collect()
}
