//! Claims of page 3, entropy rate: I-MMSE, the area under the rate is the information, for
//! every data model.

use std::cell::Cell;
use std::f64::consts::LN_2;

use super::integral::{fejer, over_levels};
use super::{Claim, ClaimError, Context, Finding};
use crate::data::{DataMatrix, digits};
use crate::entropy::{
    Component, DataModel, DiracMixture, EmpiricalData, EmpiricalOptions, GaussianMixture,
    GaussianSpectrum, RandomEnergy, Wishart,
};
use crate::spectrum::Spectrum;

const STATEMENT: &str = "I(σ₁) − I(σ₂) = ∫ mmse/σ² d ln σ over [σ₁, σ₂]";
const HOW: &str = "adaptive quadrature of the mmse against the information at both ends; tolerance: the estimate of the quadrature and the evidence of all values";

pub(super) fn claims() -> Vec<Claim> {
    let area = |id, theory, check| Claim {
        id,
        statement: STATEMENT,
        theory,
        how: HOW,
        comparisons: 0,
        detects: 1e-8,
        check,
    };
    vec![
        area("entropy-area-pair", "3-entropy-rate.md (E1)", |c| {
            let pair = DiracMixture::on_line(&[-1.0, 1.0], &[0.5, 0.5])?;
            i_mmse(c, &pair, (0.05, 40.0))
        }),
        area("entropy-area-line", "3-entropy-rate.md (E1)", |c| {
            let atoms = DiracMixture::on_line(&[-1.0, 0.2, 2.5], &[0.5, 0.2, 0.3])?;
            i_mmse(c, &atoms, (0.05, 40.0))
        }),
        area("entropy-area-plane", "3-entropy-rate.md (E1)", |c| {
            let range = if c.quick { (0.3, 3.0) } else { (0.1, 30.0) };
            i_mmse(c, &triangle()?, range)
        }),
        area("entropy-area-gaussian", "3-entropy-rate.md (E1)", |c| {
            let few = GaussianSpectrum::from_variances(&[(9.0, 1), (1.0, 3), (0.01, 20)])?;
            let many = GaussianSpectrum::new(&Spectrum::power_law(1.5, 100)?)?;
            worst(c, &[&few, &many], (1e-3, 1e3))
        }),
        area("entropy-area-wishart", "3-entropy-rate.md (E1)", |c| {
            let [wide, square, tall] = [Wishart::new(0.3)?, Wishart::new(1.0)?, Wishart::new(4.0)?];
            worst(c, &[&wide, &square, &tall], (1e-3, 1e3))
        }),
        area("entropy-area-random-energy", "3-entropy-rate.md (E1)", |c| {
            // the range starts below the transition, where the rate is 0
            let [few, many] = [RandomEnergy::new(0.2)?, RandomEnergy::new(2.0)?];
            worst(c, &[&few, &many], (0.01, 50.0))
        }),
        area("entropy-area-mixture", "3-entropy-rate.md (E1)", |c| {
            let at = Component::isotropic;
            let mixture = GaussianMixture::new(vec![
                at(0.3, vec![-2.0], 0.04),
                at(0.2, vec![0.5], 1.0),
                at(0.5, vec![3.0], 0.25),
            ])?;
            i_mmse(c, &mixture, (0.02, 50.0))
        }),
        Claim {
            id: "entropy-area-empirical",
            statement: STATEMENT,
            theory: "3-entropy-rate.md (E1)",
            how: "digits: quadrature of the sampled mmse against the sampled posterior entropies; standard error: all errors added as if fully correlated",
            comparisons: 3,
            detects: 0.25,
            check: empirical,
        },
        Claim {
            id: "entropy-total-pair",
            statement: "the area under the rate of the pair ±1 is ln 2 less the tail of Gaussian channels",
            theory: "3-entropy-rate.md (E1)",
            how: "quadrature of the mmse over [0.002, 80]; the tail from the series of the mmse in the signal-to-noise ratio",
            comparisons: 0,
            detects: 1e-9,
            check: total_pair,
        },
    ]
}

/// Three points in the plane with unequal weights.
pub(super) fn triangle() -> Result<DiracMixture, ClaimError> {
    let points = [vec![0.0, 0.0], vec![1.5, 0.0], vec![0.3, 1.7]];
    Ok(DiracMixture::new(&points, &[0.5, 0.3, 0.2])?)
}

/// The area of the rate between two levels against the information there.
fn i_mmse(
    context: &Context<'_>,
    model: &dyn DataModel,
    (low, high): (f64, f64),
) -> Result<Finding, ClaimError> {
    let largest_error = Cell::new(0.0_f64);
    let rate = |sigma: f64| {
        let mmse = model.mmse(sigma)?;
        largest_error.set(largest_error.get().max(mmse.error() / sigma / sigma));
        Ok(mmse.value() / sigma / sigma)
    };
    let area = over_levels(rate, (low, high), &model.kinks())?;
    let (below, above) = (model.information(low)?, model.information(high)?);
    Ok(Finding {
        value: area.value,
        expected: context.formula(below.value() - above.value()),
        // 4ε: the difference, and the roundings of the limits of the integral
        tolerance: area.estimate
            + largest_error.get() * (high / low).ln()
            + below.error()
            + above.error()
            + 4.0 * f64::EPSILON * below.value(),
    })
}

fn worst(
    context: &Context<'_>,
    models: &[&dyn DataModel],
    range: (f64, f64),
) -> Result<Finding, ClaimError> {
    let findings: Result<Vec<_>, _> = models.iter().map(|m| i_mmse(context, *m, range)).collect();
    Ok(Finding::worst(findings?))
}

/// The empirical law of a few digits, at levels where they are confused. The quadrature in
/// ln σ is exact far below the standard error.
fn empirical(context: &Context<'_>) -> Result<Finding, ClaimError> {
    let images = leading_digits(200)?;
    let queries = if context.quick { 1000 } else { 10_000 };
    let law = EmpiricalData::new(&images, EmpiricalOptions { queries, seed: context.seed })?;
    let mut findings = Vec::new();
    for (low, high) in [(0.8_f64, 1.6_f64), (1.6, 4.0), (4.0, 40.0)] {
        let nodes = fejer(24, (low.ln(), high.ln()));
        let mut levels: Vec<f64> = nodes.iter().map(|(l, _)| l.exp()).collect();
        levels.extend([low, high]);
        let points = law.profile(&levels, None)?;
        let (mut area, mut error) = (0.0, 0.0);
        for ((l, w), point) in nodes.iter().zip(&points) {
            let weight = w * (-2.0 * l).exp();
            area += weight * point.mmse.mean;
            error += weight * point.mmse.standard_error;
        }
        let ends = &points[nodes.len()..];
        let difference = ends[0].information.mean - ends[1].information.mean;
        error += ends[0].information.standard_error + ends[1].information.standard_error;
        findings.push(context.standardised((area - context.formula(difference)) / error));
    }
    Ok(Finding::worst(findings))
}

/// The first `count` of the digits.
pub(super) fn leading_digits(count: usize) -> Result<DataMatrix, ClaimError> {
    let all = digits();
    Ok(DataMatrix::new(count, all.cols(), all.values()[..count * all.cols()].to_vec())?)
}

/// At 0.002 nothing is left of H(x0|x_σ) (E7). At 80, with γ = 1/σ² and
/// mmse = 1 − γ + γ² − (5/3)γ³ + …, I = ½γ(1 − γ/2 + γ²/3 − …); the next term is below 2e-16.
fn total_pair(context: &Context<'_>) -> Result<Finding, ClaimError> {
    let pair = DiracMixture::on_line(&[-1.0, 1.0], &[0.5, 0.5])?;
    let rate = |sigma: f64| Ok(pair.mmse(sigma)?.value() / sigma / sigma);
    let area = over_levels(rate, (0.002, 80.0), &[])?;
    let gamma: f64 = 1.0 / 6400.0;
    let tail = 0.5 * gamma * (1.0 - gamma / 2.0 + gamma * gamma / 3.0);
    let expected = context.formula(LN_2 - tail);
    // the certificates of the rate are below 1e-14 of it
    Ok(Finding { value: area.value, expected, tolerance: area.estimate + 1e-14 })
}
