//! Control variates: quantities of known expectation that take variance away (M13).

use serde::Serialize;

use super::{Moments, MonteCarloError, Sample};
use crate::evidence::Sampled;
use crate::numeric::linalg::{LinalgError, cholesky_solve};

/// Fewest replicates a control: below, the coefficients cost more than they bring.
const PER_CONTROL: u64 = 16;
/// Smallest part of a control's variance that those before it may leave: the coefficients then
/// have six digits, and their errors cost variance only, never bias.
const FRESH: f64 = 1e-10;

/// A mean adjusted by control variates.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Controlled {
    /// The adjusted mean, unbiased, with its standard error.
    pub sampled: Sampled,
    /// The coefficients of the two halves, one a control.
    pub coefficients: [Vec<f64>; 2],
    /// Variance of the plain mean over that of the adjusted one; `f64::MAX` if the controls
    /// determine the target.
    pub variance_reduction: f64,
}

/// The mean of `target`, adjusted by `controls`: values of the same replicates, each with its
/// exact expectation.
///
/// Ȳ − βᵀ(X̄ − E X) with β the least-squares coefficients of Y on X. The replicates are split
/// into two halves, and each half takes the β of the other: the result is unbiased for every
/// number of replicates, where one β for all has a bias of order 1/R (M13).
///
/// # Errors
/// Samples of other replicates than the target's; fewer than 16 replicates a control and half;
/// an expectation that is not finite; [`MonteCarloError::Collinear`].
///
/// ```
/// use rootrate::montecarlo::{CpuEngine, Engine, NormalMoments, Streams, control_variate};
/// // means of z², with the expectation 1, tell most of what means of z⁴ say
/// let engine = CpuEngine::DOUBLE;
/// let streams = Streams { seed: 1, experiment: 0 };
/// let samples = engine.run(&NormalMoments::new(64)?, streams, 0..4000, &|_, _| ())?;
/// let controlled = control_variate(&samples.column(3)?, &[(&samples.column(1)?, 1.0)])?;
/// assert!(controlled.variance_reduction > 3.0); // 1/(1 − ρ²) = 4
/// let mean = controlled.sampled;
/// assert!((mean.mean - 3.0).abs() < 5.0 * mean.standard_error);
/// # Ok::<(), rootrate::montecarlo::MonteCarloError>(())
/// ```
pub fn control_variate(
    target: &Sample,
    controls: &[(&Sample, f64)],
) -> Result<Controlled, MonteCarloError> {
    let total = target.values().len();
    for (index, &(control, expectation)) in controls.iter().enumerate() {
        if control.first() != target.first() {
            let (expected, found) = (target.first(), control.first());
            return Err(MonteCarloError::NotContiguous { expected, found });
        }
        let found = control.values().len();
        if found != total {
            return Err(MonteCarloError::Length { name: "control", found, expected: total });
        }
        if !expectation.is_finite() {
            let (name, valid) = ("expectations", "finite numbers");
            return Err(MonteCarloError::Element { name, index, value: expectation, valid });
        }
    }
    let needed = 2 * PER_CONTROL * (controls.len() as u64).max(1);
    if (total as u64) < needed {
        return Err(MonteCarloError::TooFewReplicates { found: total as u64, needed });
    }

    let middle = total / 2;
    let halves = [0..middle, middle..total];
    let mut coefficients = [Vec::new(), Vec::new()];
    for (beta, range) in coefficients.iter_mut().zip(&halves) {
        let columns: Vec<&[f64]> =
            controls.iter().map(|(control, _)| &control.values()[range.clone()]).collect();
        *beta = regress(&target.values()[range.clone()], &columns)?;
    }
    let (mut mean, mut variance) = (0.0, 0.0);
    for (range, beta) in halves.into_iter().zip([&coefficients[1], &coefficients[0]]) {
        let adjusted: Vec<f64> = range
            .map(|i| {
                let adjustment: f64 = controls
                    .iter()
                    .zip(beta)
                    .map(|((control, expectation), beta)| {
                        beta * (control.values()[i] - expectation)
                    })
                    .sum();
                target.values()[i] - adjustment
            })
            .collect();
        let half = Moments::of(&adjusted).sampled()?;
        let share = half.replicates as f64 / total as f64;
        mean += share * half.mean;
        variance += (share * half.standard_error).powi(2);
    }
    let plain = target.sampled()?.standard_error.powi(2);
    let variance_reduction = if plain == variance { 1.0 } else { (plain / variance).min(f64::MAX) };
    let sampled = Sampled { mean, standard_error: variance.sqrt(), replicates: total as u64 };
    Ok(Controlled { sampled, coefficients, variance_reduction })
}

/// The coefficients of the least-squares fit of `y` by `columns` and a constant, from the normal
/// equations of the standardised columns.
fn regress(y: &[f64], columns: &[&[f64]]) -> Result<Vec<f64>, MonteCarloError> {
    let k = columns.len();
    let centred = |values: &[f64]| -> Vec<f64> {
        let mean = Moments::of(values).mean();
        values.iter().map(|v| v - mean).collect()
    };
    let product = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
    let mut standard = Vec::with_capacity(k);
    let mut scales = Vec::with_capacity(k);
    for (index, column) in columns.iter().enumerate() {
        let mut column = centred(column);
        let scale = product(&column, &column).sqrt();
        if scale == 0.0 || !scale.is_finite() {
            return Err(MonteCarloError::Collinear { index });
        }
        column.iter_mut().for_each(|v| *v /= scale);
        standard.push(column);
        scales.push(scale);
    }
    let y = centred(y);
    let mut kernel: Vec<f64> =
        (0..k * k).map(|i| product(&standard[i / k], &standard[i % k])).collect();
    let mut beta: Vec<f64> = standard.iter().map(|column| product(column, &y)).collect();
    cholesky_solve(&mut kernel, k, &mut beta, 1).map_err(|error| match error {
        LinalgError::NotPositiveDefinite { pivot } => MonteCarloError::Collinear { index: pivot },
        _ => MonteCarloError::NotFinite,
    })?;
    if let Some(index) = (0..k).find(|&i| kernel[i * k + i].powi(2) < FRESH) {
        return Err(MonteCarloError::Collinear { index });
    }
    beta.iter_mut().zip(scales).for_each(|(beta, scale)| *beta /= scale);
    Ok(beta)
}
