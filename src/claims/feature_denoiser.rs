//! Claims of page 5d, random-feature denoisers.

use super::finite_size::{self, approaches, plan};
use super::{Check, Claim, ClaimError, Context, Finding};
use crate::evidence::Sampled;
use crate::montecarlo::{Activation, FeatureDenoiserExperiment};

// Power in quick mode: all three losses are perturbed together, and the most precise of their
// extrapolated limits has a standard error of 0.2 %, a twelfth of `detects`.

pub(super) fn claims() -> Vec<Claim> {
    let simulated = |id, statement, check| Claim {
        id,
        statement,
        theory: "5d-feature-denoiser.md (M16e)",
        how: "simulated denoisers at d, 2d, 4d, extrapolated to d → ∞, against a fixed point solved in 60 digits; both the limit and the 1/d decay are tested",
        comparisons: 3 * finite_size::COMPARISONS,
        detects: 0.025,
        check,
    };
    vec![
        simulated(
            "denoiser-one-noise",
            "test loss, training loss and optimum of a tanh feature denoiser with one noise draw a datum tend to the limits of the fixed point like 1/d",
            one_noise as Check,
        ),
        simulated(
            "denoiser-anisotropic",
            "the same for two noise draws a datum and data of two variances, whose source couples to the features' covariance",
            anisotropic,
        ),
        simulated(
            "denoiser-relu",
            "the same for centred ReLU features and two noise draws a datum",
            relu,
        ),
    ]
}

/// A problem per dimension, and its limits.
struct Family {
    variances: [f64; 2],
    time: f64,
    /// n/d and p/d, times 2.
    twice_samples: usize,
    twice_features: usize,
    noises: usize,
    penalty: f64,
    activation: Activation,
    /// Of test loss, training loss and optimum: tests/golden/generate_feature_denoiser.py.
    limits: [f64; 3],
    /// The first of three experiment numbers.
    experiment: u32,
}

impl Family {
    fn check(&self, context: &Context<'_>) -> Result<Finding, ClaimError> {
        let mut simulations: [Vec<(usize, Sampled)>; 3] = Default::default();
        for ((n, replicates), experiment) in
            plan(context, 1.0 / 40.0).into_iter().zip(self.experiment..)
        {
            let d = n / 2;
            let [low, high] = self.variances;
            let variances: Vec<f64> = (0..d).map(|k| if k < d / 2 { low } else { high }).collect();
            let samples = self.twice_samples * d / 2;
            let denoiser = FeatureDenoiserExperiment::new(
                &variances,
                samples,
                self.twice_features * d / 2,
                self.noises,
                self.time,
                self.penalty,
                self.activation,
                samples,
            )?;
            let losses = context.simulate(&denoiser, experiment, replicates)?;
            for (output, list) in simulations.iter_mut().enumerate() {
                list.push((d, losses.column(output)?.sampled()?));
            }
        }
        let findings = simulations.iter().zip(self.limits);
        let findings: Result<Vec<_>, _> = findings
            .map(|(list, limit)| approaches(context, list, context.formula(limit)))
            .collect();
        Ok(Finding::worst(findings?))
    }
}

fn one_noise(context: &Context<'_>) -> Result<Finding, ClaimError> {
    let family = Family {
        variances: [1.0; 2],
        time: 0.5,
        twice_samples: 8,
        twice_features: 4,
        noises: 1,
        penalty: 0.01,
        activation: Activation::Tanh,
        limits: [0.611_970_624_281_431_4, 0.222_852_091_830_207_1, 0.259_536_940_267_158_9],
        experiment: 2830,
    };
    family.check(context)
}

fn anisotropic(context: &Context<'_>) -> Result<Finding, ClaimError> {
    let family = Family {
        variances: [0.4, 1.6],
        time: 0.3,
        twice_samples: 6,
        twice_features: 5,
        noises: 2,
        penalty: 0.02,
        activation: Activation::Tanh,
        limits: [0.681_298_375_310_951_8, 0.328_042_955_183_036_5, 0.379_134_322_240_872_6],
        experiment: 2835,
    };
    family.check(context)
}

fn relu(context: &Context<'_>) -> Result<Finding, ClaimError> {
    let family = Family {
        variances: [1.0; 2],
        time: 0.4,
        twice_samples: 4,
        twice_features: 3,
        noises: 2,
        penalty: 0.05,
        activation: Activation::Relu,
        limits: [0.804_734_776_067_660_3, 0.409_593_667_796_043_2, 0.482_850_384_336_526],
        experiment: 2840,
    };
    family.check(context)
}
