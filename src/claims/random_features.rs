//! Claims of page 7, ridge regression on random features.

use super::finite_size::{self, approaches, plan, precise};
use super::{Check, Claim, ClaimError, Context, Finding};
use crate::evidence::Sampled;
use crate::learning::{RandomFeatures, Ridge, Signal};
use crate::montecarlo::RandomFeaturesExperiment;
use crate::spectrum::Spectrum;

/// τ².
const NOISE: f64 = 0.3;

pub(super) fn claims() -> Vec<Claim> {
    let simulated = |id, statement, check| Claim {
        id,
        statement,
        theory: "7-random-features.md (F5)",
        how: "simulated regressions on Gaussian projections at n, 2n, 4n, extrapolated to n → ∞; both the limit and the 1/n decay are tested",
        comparisons: finite_size::COMPARISONS,
        detects: 0.02,
        check,
    };
    vec![
        simulated(
            "random-features-few",
            "with fewer random features than samples the risk tends to that of the two-equation fixed point like 1/n",
            few as Check,
        ),
        simulated(
            "random-features-many",
            "with more random features than samples the risk tends to that of the two-equation fixed point like 1/n",
            many,
        ),
        Claim {
            id: "random-features-kernel",
            statement: "the excess over the kernel limit falls like 1/p with the number of features p",
            theory: "7-random-features.md (F7)",
            how: "the excess at p and 2p features halves; tolerance: the second order, of relative size d/p, and the proved radii",
            comparisons: 0,
            detects: 1e-4,
            check: kernel,
        },
    ]
}

/// d = 2n: eigenvalues 1 and ¼ in equal numbers, three times as much signal in the former.
struct Family {
    /// p for n = 4.
    features: usize,
    /// λ/n.
    ridge: f64,
    /// Of [`plan`].
    effort: f64,
    /// The first of three experiment numbers.
    experiment: u32,
}

fn eigenvalues(d: usize) -> Vec<f64> {
    (0..d).map(|k| if k < d / 2 { 1.0 } else { 0.25 }).collect()
}

fn squares(d: usize) -> Vec<f64> {
    (0..d).map(|k| if k < d / 2 { 1.5 } else { 0.5 } / d as f64).collect()
}

impl Family {
    fn check(&self, context: &Context<'_>) -> Result<Finding, ClaimError> {
        let mut simulations: Vec<(usize, Sampled)> = Vec::new();
        for ((n, replicates), experiment) in
            plan(context, self.effort).into_iter().zip(self.experiment..)
        {
            let (d, p) = (2 * n, self.features * n / 4);
            let signal: Vec<f64> = squares(d).iter().map(|w| w.sqrt()).collect();
            let penalty = self.ridge * n as f64;
            let regression =
                RandomFeaturesExperiment::new(&eigenvalues(d), &signal, n, p, penalty, NOISE)?;
            let samples = context.simulate(&regression, experiment, replicates)?;
            simulations.push((n, samples.column(0)?.sampled()?));
        }
        precise(context, &simulations)?;
        let (n, d) = (64, 128);
        let spectrum = Spectrum::from_eigenvalues(&eigenvalues(d))?;
        let learner = RandomFeatures::new(&spectrum, d, &Signal::Custom(squares(d)), NOISE)?;
        let p = (self.features * n / 4) as f64;
        let point = learner.curve_point(n as f64, p, self.ridge * n as f64)?;
        approaches(context, &simulations, context.formula(point.risk.value))
    }
}

fn few(context: &Context<'_>) -> Result<Finding, ClaimError> {
    Family { features: 2, ridge: 0.02, effort: 2.25, experiment: 1300 }.check(context)
}

fn many(context: &Context<'_>) -> Result<Finding, ClaimError> {
    Family { features: 6, ridge: 0.02, effort: 2.25, experiment: 1310 }.check(context)
}

/// R(p) = R(∞) + a/p + O((d/p)²): (R(p) − R(∞))/(R(2p) − R(∞)) = 2 up to a relative d/p = 1e-5
/// times a constant of order 1 (allowed: 4).
fn kernel(context: &Context<'_>) -> Result<Finding, ClaimError> {
    let (d, n, penalty) = (100, 60.0, 0.6);
    let spectrum = Spectrum::power_law(1.0, d)?;
    let signal = Signal::Flat { power: 1.0 };
    let learner = RandomFeatures::new(&spectrum, d, &signal, NOISE)?;
    let limit = Ridge::new(&spectrum, d, &signal, NOISE)?.curve_point(n, penalty / n)?.risk;
    let risk = |p: f64| Ok::<_, ClaimError>(learner.curve_point(n, p, penalty)?.risk);
    let (one, two) = (risk(1e7)?, risk(2e7)?);
    let (first, second) = (one.value - limit.value, two.value - limit.value);
    let radius = (one.radius + two.radius + 2.0 * limit.radius) / second.abs();
    Ok(Finding {
        value: first / second,
        expected: context.formula(2.0),
        tolerance: 2.0 * (4e-5 + 2.0 * radius),
    })
}
