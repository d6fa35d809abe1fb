//! Claims of page 2, ridge regression, that need no simulation.

use super::{Claim, ClaimError, Context, Finding};
use crate::learning::{Ridge, Signal};
use crate::resolvent::MarchenkoPastur;
use crate::spectrum::Spectrum;

/// (n, p) with p/n exact: far below, near, at and above the interpolation threshold.
const SHAPES: [(usize, usize); 5] = [(1024, 10), (1024, 700), (1024, 1023), (512, 512), (64, 1000)];
const PENALTIES: [f64; 4] = [1e-6, 0.01, 0.5, 20.0];

pub(super) fn claims() -> Vec<Claim> {
    vec![
        Claim {
            id: "ridge-effective-ridge",
            statement: "for isotropic features the effective ridge is the inverse of the companion transform: κ = 1/v(−ρ)",
            theory: "2-ridge.md (R1)",
            how: "certified fixed point against the closed Marchenko–Pastur form; tolerance: the proved radius and 8 ulp of v",
            comparisons: 0,
            detects: 1e-12,
            check: effective_ridge,
        },
        Claim {
            id: "ridge-degrees-of-freedom",
            statement: "df1(κ) of the population is the mean of df1(ρ) of the sample, in the limit",
            theory: "2-ridge.md (R2)",
            how: "certified df1 for isotropic features against tr Ŝ(Ŝ+ρ)⁻¹ of the Marchenko–Pastur law",
            comparisons: 0,
            detects: 1e-12,
            check: degrees_of_freedom,
        },
        Claim {
            id: "ridge-optimal",
            statement: "for a flat signal the best penalty is ρ* = τ²p/(nP), whatever the spectrum",
            theory: "2-ridge.md (R6a)",
            how: "golden-section search on the learning curve, for several spectra on both sides of the threshold; tolerance: how far the rounding of the risk lets the minimum wander",
            comparisons: 0,
            detects: 1e-4,
            check: optimal,
        },
    ]
}

/// Compares `value` of isotropic features with `expected`, in units of the two accuracies.
fn isotropic(
    pair: impl Fn(&Ridge, &MarchenkoPastur, f64, f64) -> Result<(f64, f64, f64), ClaimError>,
) -> Result<Finding, ClaimError> {
    let mut findings = Vec::new();
    for (n, p) in SHAPES {
        let learner = Ridge::new(&Spectrum::identity(), p, &Signal::Flat { power: 1.0 }, 1.0)?;
        let law = MarchenkoPastur::new(p as f64 / n as f64, 1.0)?;
        for penalty in PENALTIES {
            let (value, radius, expected) = pair(&learner, &law, n as f64, penalty)?;
            // 8 ulp of the closed form, one of each operation on it
            let tolerance = radius + 10.0 * f64::EPSILON * value;
            findings.push(Finding { value, expected, tolerance });
        }
    }
    Ok(Finding::worst(findings))
}

fn effective_ridge(context: &Context<'_>) -> Result<Finding, ClaimError> {
    isotropic(|learner, law, n, penalty| {
        let kappa = learner.effective_ridge(n, penalty)?;
        let companion = law.companion((-penalty).into())?.re;
        Ok((kappa.value, kappa.radius, context.formula(1.0 / companion)))
    })
}

fn degrees_of_freedom(context: &Context<'_>) -> Result<Finding, ClaimError> {
    isotropic(|learner, law, n, penalty| {
        let df1 = learner.curve_point(n, penalty)?.df1;
        let sample = law.ratio() * n * law.degrees_of_freedom(penalty)?;
        Ok((df1.value, df1.radius, context.formula(sample)))
    })
}

/// τ² and P of [`optimal`].
const NOISE: f64 = 0.3;
const POWER: f64 = 2.0;

/// The search compares computed risks, each within r of its exact value. Around the minimum
/// R ≈ R* + ½R″x², x = ln(ρ/ρ*), and it can only be led astray among points that differ by
/// less than 2r: |x| ≤ 2√(r/R″), with a factor 2 for the terms beyond the second. R″ is a
/// second difference over x = ±0.1, which the fourth derivative changes by a per cent.
fn optimal(context: &Context<'_>) -> Result<Finding, ClaimError> {
    let spectra = [
        Spectrum::from_eigenvalues(&[1.0; 100])?,
        Spectrum::power_law(1.2, 100)?,
        Spectrum::from_atoms(&[1.0, 9.0], &[0.8, 0.2])?,
    ];
    let mut findings = Vec::new();
    for spectrum in &spectra {
        let learner = Ridge::new(spectrum, 100, &Signal::Flat { power: POWER }, NOISE)?;
        for n in [40.0, 100.0, 300.0] {
            let risk = |x: f64| Ok::<_, ClaimError>(learner.curve_point(n, x.exp())?.risk);
            let value = golden_section(-12.0, 6.0, |x| Ok(risk(x)?.value))?;
            let (left, centre, right) = (risk(value - 0.1)?, risk(value)?, risk(value + 0.1)?);
            let curvature = (left.value - 2.0 * centre.value + right.value) / 0.01;
            findings.push(Finding {
                value: value.exp(),
                expected: context.formula(NOISE * 100.0 / (n * POWER)),
                tolerance: value.exp() * 4.0 * (centre.radius / curvature).sqrt(),
            });
        }
    }
    Ok(Finding::worst(findings))
}

/// The minimiser of a unimodal function on [low, high], to 1e-9.
fn golden_section(
    mut low: f64,
    mut high: f64,
    f: impl Fn(f64) -> Result<f64, ClaimError>,
) -> Result<f64, ClaimError> {
    let share = 0.5 * (5.0_f64.sqrt() - 1.0);
    let (mut left, mut right) = (high - share * (high - low), low + share * (high - low));
    let (mut f_left, mut f_right) = (f(left)?, f(right)?);
    while high - low > 1e-9 {
        if f_left < f_right {
            (high, right, f_right) = (right, left, f_left);
            left = high - share * (high - low);
            f_left = f(left)?;
        } else {
            (low, left, f_left) = (left, right, f_right);
            right = low + share * (high - low);
            f_right = f(right)?;
        }
    }
    Ok(0.5 * (low + high))
}
