//! Claims of page 4, schedules: laws in closed form and laws on unbounded ranges.

use std::f64::consts::PI;

use statrs::function::beta::beta_reg;

use super::integral::over_levels;
use super::schedule::{gaussian, levels};
use super::{Claim, ClaimError, Context, Finding};
use crate::entropy::{Clock, DataModel, DiracMixture, RandomEnergy, Wishart};
use crate::schedule::{NoiseLaw, sqrt_entropy};

pub(super) fn claims() -> Vec<Claim> {
    vec![
        Claim {
            id: "schedule-asinh",
            statement: "Gaussian data, clock ln σ: the asinh law",
            theory: "4-schedule.md (S9)",
            how: "distribution function and normaliser against quadrature of the root of the rate",
            comparisons: 0,
            detects: 1e-8,
            check: asinh,
        },
        Claim {
            id: "schedule-sigma-clock",
            statement: "Gaussian data, clock σ: normaliser ½ s^½ B(¼,¼), E ln σ = ln s, Var ln σ = ½π² + 4G",
            theory: "4-schedule.md (S11)",
            how: "quadrature of the root of the rate over 160 e-folds",
            comparisons: 0,
            detects: 1e-8,
            check: sigma_clock,
        },
        Claim {
            id: "schedule-incomplete-beta",
            statement: "its distribution function is I_x(¼,¼) with x = σ²/(s²+σ²)",
            theory: "4-schedule.md (S12)",
            how: "the series against the continued fraction of another library",
            comparisons: 0,
            detects: 1e-9,
            check: incomplete_beta,
        },
        Claim {
            id: "schedule-wishart",
            statement: "Gaussian data with a Wishart covariance, clock ln σ: an elementary law",
            theory: "4-schedule.md (S14)",
            how: "distribution function and normaliser against quadrature of the root of the rate",
            comparisons: 0,
            detects: 1e-8,
            check: wishart,
        },
        Claim {
            id: "schedule-random-energy",
            statement: "random-energy limit: the asinh law with s = 1, cut at σ_c",
            theory: "4-schedule.md (S15)",
            how: "distribution function and normaliser against quadrature of the root of the rate",
            comparisons: 0,
            detects: 1e-8,
            check: random_energy,
        },
        Claim {
            id: "schedule-pair-moments",
            statement: "discrete data need no cut-off: the √-law of the pair ±1 on (0, ∞)",
            theory: "4-schedule.md (S3)",
            how: "mean and standard deviation of ln σ against quadrature over 80 e-folds, in two clocks",
            comparisons: 0,
            detects: 1e-7,
            check: pair_moments,
        },
        Claim {
            id: "schedule-presets",
            statement: "ln σ has standard deviation π/2 for the cosine schedule and π/√3 for uniform flow time",
            theory: "4-schedule.md (S16)",
            how: "quadrature of the densities over 120 e-folds",
            comparisons: 0,
            detects: 1e-8,
            check: presets,
        },
    ]
}

/// Distribution function and normaliser of a closed law in the clock ln σ, against quadrature
/// of the root of the model's rate.
fn closed_law(
    context: &Context<'_>,
    law: &NoiseLaw,
    model: &dyn DataModel,
    range: (f64, f64),
) -> Result<Vec<Finding>, ClaimError> {
    let root = |s: f64| Ok((model.mmse(s)?.value() / s / s).sqrt());
    let total = over_levels(root, range, &model.kinks())?;
    // the certificates of the rates and of the law are below 1e-13 of them
    let relative = 2.0 * total.estimate / total.value + 1e-13;
    let mut findings = vec![Finding {
        value: total.value,
        expected: context.formula(law.normaliser().value()),
        tolerance: relative * total.value,
    }];
    for s in levels(range, 5) {
        let part = over_levels(root, (range.0, s), &model.kinks())?;
        findings.push(Finding {
            value: part.value / total.value,
            expected: context.formula(law.cdf(s)),
            tolerance: relative + part.estimate / total.value,
        });
    }
    Ok(findings)
}

fn asinh(context: &Context<'_>) -> Result<Finding, ClaimError> {
    let range = (0.01, 80.0);
    let mut findings = Vec::new();
    for s in [0.1, 0.5, 4.0] {
        let law = NoiseLaw::gaussian(s, Clock::LogSigma, range)?;
        findings.extend(closed_law(context, &law, &gaussian(s)?, range)?);
    }
    Ok(Finding::worst(findings))
}

fn wishart(context: &Context<'_>) -> Result<Finding, ClaimError> {
    let range = (0.01, 80.0);
    let mut findings = Vec::new();
    for ratio in [0.3, 1.0, 4.0] {
        let law = NoiseLaw::wishart(ratio, range)?;
        findings.extend(closed_law(context, &law, &Wishart::new(ratio)?, range)?);
    }
    Ok(Finding::worst(findings))
}

fn random_energy(context: &Context<'_>) -> Result<Finding, ClaimError> {
    let range = (0.01, 80.0);
    let mut findings = Vec::new();
    for alpha in [0.2, 2.0] {
        let law = NoiseLaw::random_energy(alpha, range)?;
        findings.extend(closed_law(context, &law, &RandomEnergy::new(alpha)?, range)?);
    }
    Ok(Finding::worst(findings))
}

/// √Ḣ_σ dσ = √(mmse/σ) d ln σ. Outside of s e^{±80} less than 2e-17 of the mass is left, and
/// less than 1e-13 of the second moment.
fn sigma_clock(context: &Context<'_>) -> Result<Finding, ClaimError> {
    let mut findings = Vec::new();
    for s in [0.3_f64, 1.0, 5.0] {
        let model = gaussian(s)?;
        let law = NoiseLaw::gaussian_sigma_clock(s)?;
        let range = (s * (-80.0_f64).exp(), s * 80.0_f64.exp());
        let root = |x: f64| Ok((model.mmse(x)?.value() / x).sqrt());
        let mass = over_levels(root, range, &[s])?;
        findings.push(Finding {
            value: mass.value,
            expected: context.formula(law.normaliser().value()),
            tolerance: mass.estimate + 1e-13 * mass.value,
        });
        let (mean, sd) = moments(root, range, &[s])?;
        for (value, formula) in [(mean, law.mean_log_sigma()), (sd, law.sd_log_sigma())] {
            let expected = context.formula(formula.value);
            findings.push(Finding { value, expected, tolerance: MOMENT_ERROR });
        }
    }
    Ok(Finding::worst(findings))
}

/// The library's incomplete beta function is a continued fraction, stopped at 1e-15 or so.
fn incomplete_beta(context: &Context<'_>) -> Result<Finding, ClaimError> {
    let law = NoiseLaw::gaussian_sigma_clock(1.0)?;
    let findings = [1e-6_f64, 0.01, 0.3, 0.9, 1.5, 20.0].map(|sigma| {
        let value = beta_reg(0.25, 0.25, sigma * sigma / (1.0 + sigma * sigma));
        Finding { value, expected: context.formula(law.cdf(sigma)), tolerance: 1e-12 * value }
    });
    Ok(Finding::worst(findings))
}

/// Of [`moments`]: three integrals to 1e-12 each, the first moment of a number near 100 and the
/// squared deviation up to 1e3.
const MOMENT_ERROR: f64 = 1e-9;

/// Mean and standard deviation of the density ∝ f in ln σ.
fn moments(
    f: impl Fn(f64) -> Result<f64, ClaimError>,
    range: (f64, f64),
    kinks: &[f64],
) -> Result<(f64, f64), ClaimError> {
    let mass = over_levels(&f, range, kinks)?.value;
    // shifted, so that no integral vanishes
    let first = over_levels(|s| Ok(f(s)? * (s.ln() + 100.0)), range, kinks)?.value;
    let mean = first / mass - 100.0;
    let second = over_levels(|s| Ok(f(s)? * (s.ln() - mean).powi(2)), range, kinks)?.value;
    Ok((mean, (second / mass).sqrt()))
}

/// Above σ = e^{75} less than e^{−37} of the mass of the slower law (∝ σ^{−½}) is left, and
/// 1e-12 of its variance; below 0.02 nothing (E7).
fn pair_moments(context: &Context<'_>) -> Result<Finding, ClaimError> {
    let pair = DiracMixture::on_line(&[-1.0, 1.0], &[0.5, 0.5])?;
    let range = (0.02, 75.0_f64.exp());
    let mut findings = Vec::new();
    for clock in [Clock::LogSigma, Clock::Sigma] {
        let law = sqrt_entropy(&pair, clock, (0.0, f64::INFINITY))?;
        let root = |s: f64| {
            let rate = clock.rate(s, pair.mmse(s)?.value());
            Ok(rate.sqrt() / clock.log_sigma_speed(s))
        };
        let (mean, sd) = moments(root, range, &[0.2, 2.0, 1e3])?;
        for (value, found) in [(mean, law.mean_log_sigma()), (sd, law.sd_log_sigma())] {
            findings.push(Finding {
                value,
                expected: context.formula(found.value),
                tolerance: found.estimate + MOMENT_ERROR,
            });
        }
    }
    Ok(Finding::worst(findings))
}

/// Both densities fall like e^{−|ln σ|}: beyond 60 e-folds 1e-22 of the variance is left.
fn presets(context: &Context<'_>) -> Result<Finding, ClaimError> {
    let range = ((-60.0_f64).exp(), 60.0_f64.exp());
    let flow = NoiseLaw::uniform(Clock::Flow, (0.0, f64::INFINITY))?;
    let mut findings = Vec::new();
    for (law, exact) in [(NoiseLaw::cosine(), PI / 2.0), (flow, PI / 3.0_f64.sqrt())] {
        let (_, value) = moments(|s| Ok(law.density(Clock::LogSigma, s)), range, &[1.0])?;
        let expected = context.formula(exact);
        // the mean, found to 1e-10, enters in second order
        findings.push(Finding { value, expected, tolerance: 1e-11 });
    }
    Ok(Finding::worst(findings))
}
