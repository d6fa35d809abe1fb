//! Claims of page 5c: simulated denoising against the theory of page 3.

use super::finite_size::precise;
use super::information::{leading_digits, triangle};
use super::{Claim, ClaimError, Context, Finding};
use crate::data::DataMatrix;
use crate::entropy::{Component, DataModel, DiracMixture, GaussianMixture};
use crate::evidence::{Certified, Evidence};
use crate::montecarlo::{
    Comparison, DenoisingExperiment, EmpiricalExperiment, Experiment, Samples,
};

/// The first experiment number of these claims.
const EXPERIMENT: u32 = 2800;
/// Draws a replicate.
const DRAWS: usize = 200;

// Power: every comparison has a standard error below 0.2 % of its value, or the claim is not
// carried out. A formula off by `detects`, 2 %, is at least 10 standard errors away, and is
// missed with probability below Φ(4.6 − 10) = 4e-8. Full mode takes four times as many draws.

pub(super) fn claims() -> Vec<Claim> {
    let claim = |id, statement, theory, how, comparisons, check| Claim {
        id,
        statement,
        theory,
        how,
        comparisons,
        detects: 0.02,
        check,
    };
    vec![
        claim(
            "mmse-pair",
            "mmse and information of Dirac mixtures are the mean squared error of the posterior mean and the mean information density",
            "5c-denoising-kernels.md (M8)",
            "certified values of the pair ±1 and of three points in the plane against simulated denoising",
            8,
            pair as super::Check,
        ),
        claim(
            "mmse-mixture",
            "mmse and information of a Gaussian mixture, likewise",
            "5c-denoising-kernels.md (M15)",
            "one dimension: quadrature against simulated denoising",
            4,
            mixture,
        ),
        claim(
            "mmse-digits",
            "half the mean squared distance to a posterior draw is the mmse, and −ln of the posterior of the truth has the mean H(x0|x_σ), repeated rows counted as one value",
            "5c-denoising-kernels.md (M19)",
            "two digits, one of them twice (a pair of Diracs at their distance), and the corners of a cube (three independent pairs): certified values against simulated denoising",
            8,
            digits,
        ),
    ]
}

/// Four times as many replicates in full mode.
fn simulate(
    context: &Context<'_>,
    experiment: &dyn Experiment,
    (number, replicates): (u32, u64),
) -> Result<Samples, ClaimError> {
    let replicates = if context.quick { replicates } else { 4 * replicates };
    context.simulate(experiment, EXPERIMENT + number, replicates)
}

/// One finding an output of `samples`, against as many values of the theory.
fn compare(
    context: &Context<'_>,
    samples: &Samples,
    theory: impl IntoIterator<Item = Evidence>,
) -> Result<Vec<Finding>, ClaimError> {
    let one = |(output, theory): (usize, Evidence)| {
        let mut found = samples.column(output)?.sampled()?;
        precise(context, &[(output, found)])?;
        // the formula times 1 + δ, without touching its error bound
        found.mean += theory.value() - context.formula(theory.value());
        Ok(context.standardised(Comparison::new(theory, found, 0.0)?.z))
    };
    theory.into_iter().enumerate().map(one).collect()
}

/// mmse and information of `law` at each level.
fn values(law: &dyn DataModel, levels: &[f64]) -> Result<Vec<Evidence>, ClaimError> {
    let mut values = Vec::new();
    for &sigma in levels {
        values.extend([law.mmse(sigma)?, law.information(sigma)?]);
    }
    Ok(values)
}

fn pair(context: &Context<'_>) -> Result<Finding, ClaimError> {
    let point: &[f64] = &[0.0];
    let parts = [(0.5, &[-1.0][..], point), (0.5, &[1.0][..], point)];
    let levels = [0.8, 1.0];
    let experiment = DenoisingExperiment::new(&parts, &levels, DRAWS)?;
    let samples = simulate(context, &experiment, (0, 8_000))?;
    let law = DiracMixture::on_line(&[-1.0, 1.0], &[0.5, 0.5])?;
    let mut findings = compare(context, &samples, values(&law, &levels)?)?;

    let none: &[f64] = &[0.0, 0.0];
    let parts =
        [(0.5, &[0.0, 0.0][..], none), (0.3, &[1.5, 0.0][..], none), (0.2, &[0.3, 1.7][..], none)];
    let levels = [0.7, 1.0];
    let experiment = DenoisingExperiment::new(&parts, &levels, DRAWS)?;
    let samples = simulate(context, &experiment, (1, 6_000))?;
    findings.extend(compare(context, &samples, values(&triangle()?, &levels)?)?);
    Ok(Finding::worst(findings))
}

fn mixture(context: &Context<'_>) -> Result<Finding, ClaimError> {
    let parts: [(f64, &[f64], &[f64]); 2] = [(0.3, &[-1.5], &[0.09]), (0.7, &[1.0], &[0.5])];
    let levels = [0.4, 0.8];
    let experiment = DenoisingExperiment::new(&parts, &levels, DRAWS)?;
    let samples = simulate(context, &experiment, (2, 4_500))?;
    let component = |&(weight, mean, variances): &(f64, &[f64], &[f64])| {
        Component::isotropic(weight, mean.to_vec(), variances[0])
    };
    let law = GaussianMixture::new(parts.iter().map(component).collect())?;
    Ok(Finding::worst(compare(context, &samples, values(&law, &levels)?)?))
}

fn digits(context: &Context<'_>) -> Result<Finding, ClaimError> {
    // the middle 14×14 pixels of the first two images; the distance of two images is all that
    // matters of them
    let images = leading_digits(2)?;
    let middle = |i: usize| -> Vec<f64> {
        images.row(i).chunks(28).skip(7).take(14).flat_map(|row| row[7..21].to_vec()).collect()
    };
    let rows = [middle(0), middle(1), middle(0)];
    let square: f64 = rows[0].iter().zip(&rows[1]).map(|(a, b)| (a - b) * (a - b)).sum();
    let distance = square.sqrt();
    let levels = [distance, 1.5 * distance];
    let experiment = EmpiricalExperiment::new(&DataMatrix::from_rows(&rows)?, &levels)?;
    let samples = simulate(context, &experiment, (3, 400_000))?;
    let law = DiracMixture::on_line(&[0.0, distance], &[2.0 / 3.0, 1.0 / 3.0])?;
    let mut theory: Vec<Evidence> = Vec::new();
    for sigma in levels {
        theory.extend([law.mmse(sigma)?, law.conditional_entropy(sigma)?.into()]);
    }
    let mut findings = compare(context, &samples, theory)?;

    let corners =
        (0..8).map(|i| (0..3).map(|c| if i >> c & 1 == 0 { -1.0 } else { 1.0 }).collect());
    let corners = DataMatrix::from_rows(&corners.collect::<Vec<Vec<f64>>>())?;
    let levels = [1.2, 1.8];
    let experiment = EmpiricalExperiment::new(&corners, &levels)?;
    let samples = simulate(context, &experiment, (4, 200_000))?;
    let law = DiracMixture::on_line(&[-1.0, 1.0], &[0.5, 0.5])?;
    let mut theory = Vec::new();
    for sigma in levels {
        for one in [law.mmse(sigma)?, Evidence::from(law.conditional_entropy(sigma)?)] {
            theory.push(Certified::new(3.0 * one.value(), 3.0 * one.error() + 1e-15).into());
        }
    }
    findings.extend(compare(context, &samples, theory)?);
    Ok(Finding::worst(findings))
}
