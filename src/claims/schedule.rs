//! Claims of page 4, schedules: the optimum, efficiency and clocks.

use std::f64::consts::PI;

use super::integral::{fejer, over_levels};
use super::{Claim, ClaimError, Context, Finding};
use crate::entropy::{Clock, DataModel, DiracMixture, GaussianSpectrum};
use crate::schedule::{Allocation, NoiseLaw, RateProfile, efficiency, entropy_law, sqrt_entropy};

pub(super) fn claims() -> Vec<Claim> {
    vec![
        Claim {
            id: "schedule-optimum",
            statement: "∫ wV/(2Nμ) du is least at μ ∝ √Ḣ_u, with value (∫√Ḣ_u du)²/(2N)",
            theory: "4-schedule.md (S1)",
            how: "Newton's method on the draws at quadrature nodes, in every clock, knowing only the objective; tolerance: Fejér's rule with half the nodes",
            comparisons: 0,
            detects: 1e-8,
            check: |c| optimum(c, 0.0),
        },
        Claim {
            id: "schedule-allocation",
            statement: "with risk ∝ 1/(n−p) the best allocation is p + (N−p|T|) times the √-law",
            theory: "4-schedule.md (S8)",
            how: "as schedule-optimum, with p draws wasted at every level",
            comparisons: 0,
            detects: 1e-8,
            check: |c| optimum(c, 50.0),
        },
        Claim {
            id: "schedule-efficiency",
            statement: "the efficiency is 1/∫(π²/μ) du, whatever the clock of the integral",
            theory: "4-schedule.md (S4)",
            how: "presets against quadrature in the level σ itself",
            comparisons: 0,
            detects: 1e-8,
            check: efficiency_integral,
        },
        Claim {
            id: "schedule-perturbed",
            statement: "π(1+εh) has efficiency 1/(1 + ε²∫h²π/(1+εh))",
            theory: "4-schedule.md (S5)",
            how: "√(1−2ε²) for h = √2 cos 2πF and a/artanh a for εh = a(2F−1), F the distribution function of π, both exact",
            comparisons: 0,
            detects: 1e-8,
            check: perturbed,
        },
        Claim {
            id: "schedule-second-order",
            statement: "an error εh of the schedule costs ε² Var h",
            theory: "4-schedule.md (S5)",
            how: "tilts of the √-law of discrete data, against the variance of ln σ; tolerance: the proved bounds of the remainder",
            comparisons: 0,
            detects: 0.01,
            check: second_order,
        },
        Claim {
            id: "schedule-uniform-equals-rate",
            statement: "uniform sampling and sampling from the rate are equally good: (∫√Ḣ)²/(|T| ∫Ḣ)",
            theory: "4-schedule.md (S6)",
            how: "both efficiencies, and the formula with ∫Ḣ from the information at the ends",
            comparisons: 0,
            detects: 1e-8,
            check: uniform_equals_rate,
        },
        Claim {
            id: "schedule-coordinate-trap",
            statement: "the √-law of clock u is that of ln σ times |du/d ln σ|^½: another law",
            theory: "4-schedule.md (S7)",
            how: "log-ratios of the fitted densities of discrete data in all clocks",
            comparisons: 0,
            detects: 1e-8,
            check: coordinate_trap,
        },
        Claim {
            id: "schedule-trap-distance",
            statement: "the √-laws of N(0, s²) in the clocks ln σ and σ are a known distance apart",
            theory: "4-schedule.md (S11)",
            how: "largest difference of the distribution functions of the two fitted laws against the asinh law and incomplete beta functions",
            comparisons: 0,
            detects: 1e-8,
            check: trap_distance,
        },
        Claim {
            id: "schedule-explicit-width",
            statement: "with the width of a learner stated, √(Ḣ_u/L) is the same law in every clock",
            theory: "4-schedule.md (S7)",
            how: "distribution functions of the laws built in all clocks from one physical width",
            comparisons: 0,
            detects: 1e-8,
            check: explicit_width,
        },
    ]
}

fn atoms() -> Result<DiracMixture, ClaimError> {
    Ok(DiracMixture::on_line(&[-1.0, 0.2, 2.5], &[0.5, 0.2, 0.3])?)
}

pub(super) fn gaussian(s: f64) -> Result<GaussianSpectrum, ClaimError> {
    Ok(GaussianSpectrum::from_variances(&[(s * s, 1)])?)
}

/// Relative accuracy that is granted to a fitted law at a point: its own estimate, which is for
/// the whole of it, and ten times the tolerance of the fits, 1e-13 of the maximum in a panel.
fn fit_error(law: &NoiseLaw) -> f64 {
    law.density_error() + 1e-12
}

/// Minimises Σ wᵢ cᵢ/(2(nᵢ−p)) subject to Σ wᵢ nᵢ = N by Newton's method from a uniform start,
/// the multiplier eliminated. Steps are damped so that every n − p keeps a tenth of its value;
/// then they converge quadratically.
fn minimise(weights: &[f64], rates: &[f64], features: f64, draws: f64) -> Vec<f64> {
    let length: f64 = weights.iter().sum();
    let mut excess = vec![draws / length - features; rates.len()];
    for _ in 0..200 {
        let newton = excess.iter().zip(rates).map(|(k, c)| (-0.5 * c / (k * k), c / k.powi(3)));
        let (gradient, curvature): (Vec<f64>, Vec<f64>) = newton.unzip();
        let sum = |f: &dyn Fn(usize) -> f64| -> f64 {
            weights.iter().enumerate().map(|(i, w)| w * f(i)).sum()
        };
        let multiplier = sum(&|i| gradient[i] / curvature[i]) / sum(&|i| 1.0 / curvature[i]);
        let step = |i: usize| (multiplier - gradient[i]) / curvature[i];
        let ratios = (0..excess.len()).map(|i| -step(i) / excess[i]);
        let shrink = ratios.fold(0.0_f64, f64::max);
        let damping = if shrink > 0.9 { 0.9 / shrink } else { 1.0 };
        let steps: Vec<f64> = (0..excess.len()).map(|i| damping * step(i)).collect();
        excess.iter_mut().zip(steps).for_each(|(k, s)| *k += s);
    }
    excess.iter().map(|k| k + features).collect()
}

fn optimum(context: &Context<'_>, features: f64) -> Result<Finding, ClaimError> {
    let model = atoms()?;
    let range = (0.3, 6.0);
    let mut findings = Vec::new();
    for clock in Clock::ALL {
        let law = sqrt_entropy(&model, clock, range)?;
        let ends = (clock.level(range.0), clock.level(range.1));
        let (low, high) = (ends.0.min(ends.1), ends.0.max(ends.1));
        let root = |level: f64| {
            let sigma = clock.sigma(level).clamp(range.0, range.1);
            Ok::<_, ClaimError>(clock.rate(sigma, model.mmse(sigma)?.value()).sqrt())
        };
        let coarse: Result<f64, ClaimError> =
            fejer(64, (low, high)).into_iter().map(|(u, w)| Ok(w * root(u)?)).sum();
        let (levels, weights): (Vec<f64>, Vec<f64>) = fejer(128, (low, high)).into_iter().unzip();
        let roots: Vec<f64> = levels.iter().map(|&u| root(u)).collect::<Result<_, _>>()?;
        let mass: f64 = weights.iter().zip(&roots).map(|(w, r)| w * r).sum();
        let tolerance = (coarse? / mass - 1.0).abs() + fit_error(&law);

        let draws = 2.0 * (features + 10.0) * (high - low);
        let rates: Vec<f64> = roots.iter().map(|r| r * r).collect();
        let best = minimise(&weights, &rates, features, draws);
        let plan = Allocation::new(&law, clock, range, features, draws)?;
        for (&level, &n) in levels.iter().zip(&best) {
            let expected = context.formula(plan.draws_at(clock.sigma(level)));
            findings.push(Finding { value: n, expected, tolerance: tolerance * n });
        }
        let objective = |(w, (c, n)): (&f64, (&f64, &f64))| w * c / (2.0 * (n - features));
        let value: f64 = weights.iter().zip(rates.iter().zip(&best)).map(objective).sum();
        let least = law.normaliser().value().powi(2) / (2.0 * (draws - plan.minimum()));
        let tolerance = 2.0 * tolerance * value;
        findings.push(Finding { value, expected: context.formula(least), tolerance });
    }
    Ok(Finding::worst(findings))
}

fn efficiency_integral(context: &Context<'_>) -> Result<Finding, ClaimError> {
    let range = (0.05, 20.0);
    let mut findings = Vec::new();
    for best in [
        NoiseLaw::gaussian(0.5, Clock::LogSigma, range)?,
        NoiseLaw::wishart(0.5, range)?,
        sqrt_entropy(&gaussian(1.0)?, Clock::Flow, range)?,
    ] {
        for schedule in [NoiseLaw::edm(), NoiseLaw::cosine(), NoiseLaw::logit_normal(0.0, 1.0)?] {
            // the integrand as a density in σ: times σ as one in ln σ
            let chi = over_levels(
                |s| {
                    let (p, m) = (best.density(Clock::Sigma, s), schedule.density(Clock::Sigma, s));
                    Ok(p * p / m * s)
                },
                range,
                &[],
            )?;
            let found = efficiency(&schedule, &best)?;
            let relative = chi.estimate / chi.value + 2.0 * fit_error(&best);
            findings.push(Finding {
                value: 1.0 / chi.value,
                expected: context.formula(found.value),
                tolerance: found.estimate + relative / chi.value,
            });
        }
    }
    Ok(Finding::worst(findings))
}

/// ∫₀¹ dF/(1 + ε√2 cos 2πF) = 1/√(1−2ε²), ∫₀¹ dF/(1 + a(2F−1)) = artanh(a)/a.
fn perturbed(context: &Context<'_>) -> Result<Finding, ClaimError> {
    let range = (0.05, 20.0);
    let best = NoiseLaw::gaussian(0.5, Clock::LogSigma, range)?;
    let mut findings = Vec::new();
    for epsilon in [0.05_f64, 0.3, 0.6] {
        let a = epsilon * 3.0_f64.sqrt() / 1.1;
        let wave = |f: f64| 1.0 + epsilon * 2.0_f64.sqrt() * (2.0 * PI * f).cos();
        let tilt = |f: f64| 1.0 + a * (2.0 * f - 1.0);
        let cases: [(&dyn Fn(f64) -> f64, f64); 2] =
            [(&wave, (1.0 - 2.0 * epsilon * epsilon).sqrt()), (&tilt, a / a.atanh())];
        for (factor, exact) in cases {
            let law = NoiseLaw::from_density("perturbed", Clock::LogSigma, range, &[], |s| {
                best.density(Clock::LogSigma, s) * factor(best.cdf(s))
            })?;
            let found = efficiency(&law, &best)?;
            findings.push(Finding {
                value: found.value,
                expected: context.formula(exact),
                tolerance: found.estimate + fit_error(&law),
            });
        }
    }
    Ok(Finding::worst(findings))
}

/// With |εh| ≤ δ and V = Var h, (S5) puts (1−eff)/ε² between V/(1+δ+ε²V) and V/(1−δ+ε²V).
fn second_order(context: &Context<'_>) -> Result<Finding, ClaimError> {
    const EPSILON: f64 = 1e-3;
    let range = (0.1_f64, 20.0_f64);
    let mut findings = Vec::new();
    for clock in [Clock::LogSigma, Clock::Sigma, Clock::OrnsteinUhlenbeck] {
        let best = sqrt_entropy(&atoms()?, clock, range)?;
        let (mean, sd) = (best.mean_log_sigma().value, best.sd_log_sigma().value);
        let width = (range.1 / range.0).ln();
        let law = NoiseLaw::from_density("tilted", Clock::LogSigma, range, &[], |s| {
            let h = (s.ln() - mean) / width;
            best.density(Clock::LogSigma, s) * (1.0 + EPSILON * h)
        })?;
        let found = efficiency(&law, &best)?;
        let variance = (sd / width).powi(2);
        findings.push(Finding {
            value: (1.0 - found.value) / EPSILON.powi(2),
            expected: context.formula(variance),
            tolerance: variance * EPSILON / (1.0 - EPSILON) + found.estimate / EPSILON.powi(2),
        });
    }
    Ok(Finding::worst(findings))
}

fn uniform_equals_rate(context: &Context<'_>) -> Result<Finding, ClaimError> {
    let model = atoms()?;
    let range = (0.2, 6.0);
    let rate_law = entropy_law(&model, range)?;
    let area = model.information(range.0)?.value() - model.information(range.1)?.value();
    let mut findings = Vec::new();
    for clock in Clock::ALL {
        let best = sqrt_entropy(&model, clock, range)?;
        let uniform = efficiency(&NoiseLaw::uniform(clock, range)?, &best)?;
        let rate = efficiency(&rate_law, &best)?;
        let length = (clock.level(range.1) - clock.level(range.0)).abs();
        let root = best.normaliser().value();
        for expected in [rate.value, root * root / (length * area)] {
            findings.push(Finding {
                value: uniform.value,
                expected: context.formula(expected),
                tolerance: uniform.estimate + rate.estimate + 2.0 * fit_error(&best),
            });
        }
    }
    Ok(Finding::worst(findings))
}

/// ln(π_u/π_ℓ) in one coordinate, between two levels; |dℓ/du| is the clock's speed.
fn coordinate_trap(context: &Context<'_>) -> Result<Finding, ClaimError> {
    let profile = RateProfile::from_model(&atoms()?, (0.2, 10.0), 1e-13)?;
    let reference = profile.sqrt_entropy(Clock::LogSigma)?;
    let (a, b) = (0.3, 5.0);
    let mut findings = Vec::new();
    for clock in Clock::ALL {
        let law = profile.sqrt_entropy(clock)?;
        let ratio =
            |s: f64| law.density(Clock::LogSigma, s) / reference.density(Clock::LogSigma, s);
        findings.push(Finding {
            value: (ratio(b) / ratio(a)).ln(),
            expected: context
                .formula(0.5 * (clock.log_sigma_speed(a) / clock.log_sigma_speed(b)).ln()),
            tolerance: 2.0 * (fit_error(&law) + fit_error(&reference)),
        });
    }
    Ok(Finding::worst(findings))
}

/// Levels at equal distances in ln σ, ends excluded.
pub(super) fn levels(range: (f64, f64), count: usize) -> impl Iterator<Item = f64> {
    (1..count).map(move |i| range.0 * (range.1 / range.0).powf(i as f64 / count as f64))
}

fn trap_distance(context: &Context<'_>) -> Result<Finding, ClaimError> {
    let range = (0.02, 50.0);
    let mut findings = Vec::new();
    for s in [0.5, 3.0] {
        let profile = RateProfile::from_model(&gaussian(s)?, range, 1e-13)?;
        let log = profile.sqrt_entropy(Clock::LogSigma)?;
        let sigma = profile.sqrt_entropy(Clock::Sigma)?;
        let asinh = NoiseLaw::gaussian(s, Clock::LogSigma, range)?;
        let beta = NoiseLaw::gaussian_sigma_clock(s)?;
        let (from, to) = (beta.cdf(range.0), beta.cdf(range.1));
        let largest = |f: &dyn Fn(f64) -> f64| levels(range, 200).map(f).fold(0.0, f64::max);
        findings.push(Finding {
            value: largest(&|x| (log.cdf(x) - sigma.cdf(x)).abs()),
            expected: context
                .formula(largest(&|x| (asinh.cdf(x) - (beta.cdf(x) - from) / (to - from)).abs())),
            tolerance: fit_error(&log) + fit_error(&sigma),
        });
    }
    Ok(Finding::worst(findings))
}

/// A width that is 0.1 + σ/(1+σ) in ln σ is that divided by |dℓ/du| in the clock u.
fn explicit_width(context: &Context<'_>) -> Result<Finding, ClaimError> {
    let range = (0.2, 10.0);
    let profile = RateProfile::from_model(&atoms()?, range, 1e-13)?;
    let width = |s: f64| 0.1 + s / (1.0 + s);
    let reference = profile.sqrt_weighted(Clock::LogSigma, |s| 1.0 / (s * s * width(s)))?;
    let mut findings = Vec::new();
    for clock in Clock::ALL {
        let law =
            profile.sqrt_entropy_with_width(clock, |s| width(s) / clock.log_sigma_speed(s))?;
        findings.extend(levels(range, 20).map(|s| Finding {
            value: law.cdf(s),
            expected: context.formula(reference.cdf(s)),
            tolerance: fit_error(&law) + fit_error(&reference),
        }));
    }
    Ok(Finding::worst(findings))
}
