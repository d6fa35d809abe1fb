//! Claims of page 2, ridge regression, against simulated regressions.

use super::finite_size::{self, approaches, plan, precise};
use super::{Claim, ClaimError, Context, Finding};
use crate::evidence::Sampled;
use crate::learning::{Ridge, ScaleClass, Signal, decoupling_defect, ridgeless_gaussian_exact};
use crate::montecarlo::{Comparison, NoiseKind, RidgeExperiment, TwoPoint};
use crate::spectrum::Spectrum;

/// τ².
const NOISE: f64 = 0.3;
/// The two values of the random scale s, E s = 1, with the probability of the lower one.
const SCALE: (f64, f64) = (0.25, 0.6);

/// Of the risk that every claim of this page must notice.
const DETECTS: f64 = 0.02;

const HOW: &str = "simulated regressions at n, 2n, 4n, extrapolated to n → ∞; both the limit and the 1/n decay are tested";

pub(super) fn claims() -> Vec<Claim> {
    let claim = |id, statement, theory, check| Claim {
        id,
        statement,
        theory,
        how: HOW,
        comparisons: finite_size::COMPARISONS,
        detects: DETECTS,
        check,
    };
    vec![
        claim(
            "ridge-simulation-over",
            "with more samples than features the risk tends to bias + variance of the learning curve like 1/n",
            "2-ridge.md (R4)",
            over as super::Check,
        ),
        claim(
            "ridge-simulation-under",
            "with fewer samples than features the risk tends to bias + variance of the learning curve like 1/n",
            "2-ridge.md (R3)",
            under,
        ),
        claim(
            "ridge-interpolation",
            "the interpolator of least norm (ρ = 0, n < p) has the risk of the learning curve at df1(κ) = n",
            "2-ridge.md (R5)",
            interpolation,
        ),
        claim(
            "ridge-heteroscedastic",
            "noise of unequal variances that is independent of the features enters by its mean variance alone",
            "2-ridge.md (R4)",
            heteroscedastic,
        ),
        claim(
            "ridge-dependent",
            "noise that grows with the scale of the features changes the variance by the predicted defect δ; the decoupled value is excluded",
            "2-ridge.md (R10)",
            dependent,
        ),
        Claim {
            id: "ridge-least-squares",
            statement: "least squares on Gaussian features has the mean excess risk τ²p/(n−p−1) at every n ≥ p + 2",
            theory: "2-ridge.md (R5)",
            how: "simulated regressions with unequal eigenvalues at one small n, no allowance for its size",
            comparisons: 1,
            detects: DETECTS,
            check: least_squares,
        },
    ]
}

/// A family of regressions with p/n fixed: eigenvalues 1 and ¼ in equal numbers, and three
/// times as much signal w² in the former.
struct Family {
    /// p for n = 2.
    features: usize,
    ridge: f64,
    kind: NoiseKind,
    /// Of [`plan`].
    effort: f64,
    /// The first of three experiment numbers.
    experiment: u32,
}

impl Family {
    fn dimension(&self, n: usize) -> usize {
        self.features * n / 2
    }

    fn eigenvalues(p: usize) -> Vec<f64> {
        (0..p).map(|k| if k < p / 2 { 1.0 } else { 0.25 }).collect()
    }

    fn squares(p: usize) -> Vec<f64> {
        (0..p).map(|k| if k < p / 2 { 1.5 } else { 0.5 } / p as f64).collect()
    }

    /// The simulated risk at the three sizes.
    fn simulate(&self, context: &Context<'_>) -> Result<Vec<(usize, Sampled)>, ClaimError> {
        let sizes = plan(context, self.effort).into_iter().zip(self.experiment..);
        let simulations: Vec<_> = sizes
            .map(|((n, replicates), experiment)| {
                let p = self.dimension(n);
                let signal: Vec<f64> = Self::squares(p).iter().map(|w| w.sqrt()).collect();
                let regression = RidgeExperiment::new(
                    &Self::eigenvalues(p),
                    &signal,
                    n,
                    self.ridge,
                    NOISE,
                    self.kind,
                )?;
                let samples = context.simulate(&regression, experiment, replicates)?;
                Ok((n, samples.column(0)?.sampled()?))
            })
            .collect::<Result<_, ClaimError>>()?;
        precise(context, &simulations)?;
        Ok(simulations)
    }

    /// The risk of the learning curve, the same at every n.
    fn curve(&self) -> Result<f64, ClaimError> {
        let n = 64;
        let p = self.dimension(n);
        let spectrum = Spectrum::from_eigenvalues(&Self::eigenvalues(p))?;
        let learner = Ridge::new(&spectrum, p, &Signal::Custom(Self::squares(p)), NOISE)?;
        Ok(learner.curve_point(n as f64, self.ridge)?.risk.value)
    }

    fn check(&self, context: &Context<'_>) -> Result<Finding, ClaimError> {
        approaches(context, &self.simulate(context)?, context.formula(self.curve()?))
    }
}

fn over(context: &Context<'_>) -> Result<Finding, ClaimError> {
    let kind = NoiseKind::Homoscedastic;
    Family { features: 1, ridge: 0.1, kind, effort: 4.0, experiment: 1200 }.check(context)
}

fn under(context: &Context<'_>) -> Result<Finding, ClaimError> {
    let kind = NoiseKind::Homoscedastic;
    Family { features: 4, ridge: 0.02, kind, effort: 1.25, experiment: 1210 }.check(context)
}

fn interpolation(context: &Context<'_>) -> Result<Finding, ClaimError> {
    let kind = NoiseKind::Homoscedastic;
    Family { features: 4, ridge: 0.0, kind, effort: 1.5, experiment: 1220 }.check(context)
}

fn heteroscedastic(context: &Context<'_>) -> Result<Finding, ClaimError> {
    let kind = NoiseKind::Heteroscedastic(TwoPoint::new(SCALE.0, SCALE.1)?);
    Family { features: 1, ridge: 0.1, kind, effort: 5.0, experiment: 1230 }.check(context)
}

fn dependent(context: &Context<'_>) -> Result<Finding, ClaimError> {
    let (low, weight) = SCALE;
    let kind = NoiseKind::FeatureDependent(TwoPoint::new(low, weight)?);
    let family = Family { features: 1, ridge: 0.0, kind, effort: 8.0, experiment: 1240 };
    let simulations = family.simulate(context)?;

    let high = (1.0 - weight * low) / (1.0 - weight);
    let class = |s: f64, weight| ScaleClass { weight, scale: s.sqrt(), noise: NOISE * s };
    let classes = [class(low, weight), class(high, 1.0 - weight)];
    let prediction = decoupling_defect(&classes, family.dimension(64), 64)?;
    let decoupled = prediction.decoupled.value;
    if approaches(context, &simulations, decoupled)?.passed() {
        return Err(ClaimError("the simulation cannot tell the defect from none".to_owned()));
    }
    let risk = decoupled * (1.0 + prediction.defect.value);
    approaches(context, &simulations, context.formula(risk))
}

fn least_squares(context: &Context<'_>) -> Result<Finding, ClaimError> {
    let (n, p) = (40, 8);
    let replicates = if context.quick { 100_000 } else { 400_000 };
    let theory = ridgeless_gaussian_exact(context.formula(NOISE), p, n)?;
    let signal = vec![1.0; p];
    let regression = RidgeExperiment::new(
        &Family::eigenvalues(p),
        &signal,
        n,
        0.0,
        NOISE,
        NoiseKind::Homoscedastic,
    )?;
    let samples = context.simulate(&regression, 1250, replicates)?;
    let comparison = Comparison::new(theory.into(), samples.column(0)?.sampled()?, 0.0)?;
    Ok(context.standardised(comparison.z))
}
