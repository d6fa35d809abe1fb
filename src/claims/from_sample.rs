//! Claims of page 8, from one sample back to the risk.

use super::finite_size::{self, approaches, plan};
use super::information::leading_digits;
use super::{Check, Claim, ClaimError, Context, Finding};
use crate::data::DataMatrix;
use crate::learning::{CrossValidation, CrossValidationPoint, Ridge, RidgePoint, Signal};
use crate::montecarlo::{MonteCarloError, Streams, replicate};
use crate::spectrum::Spectrum;

const RIDGE: f64 = 0.05;
/// τ².
const NOISE: f64 = 0.3;

// Power in quick mode: the standard errors of the extrapolated limits are below 0.4 % of κ, df1,
// df2 and of the prediction error; `detects` is ten of them.

pub(super) fn claims() -> Vec<Claim> {
    let simulated = |id, statement, theory, check| Claim {
        id,
        statement,
        theory,
        how: "means over simulated Gaussian data at n, 2n, 4n, extrapolated to n → ∞; both the limit and the 1/n decay are tested",
        comparisons: finite_size::COMPARISONS,
        detects: 0.05,
        check,
    };
    vec![
        simulated(
            "sample-effective-ridge",
            "the eigenvalues of one sample give the effective ridge of its population, with an error like 1/n",
            "8-from-a-sample.md (G1)",
            effective_ridge as Check,
        ),
        simulated(
            "sample-degrees-of-freedom",
            "the eigenvalues of one sample give the degrees of freedom df2 of its population, with an error like 1/n",
            "8-from-a-sample.md (G3)",
            degrees_of_freedom,
        ),
        simulated(
            "sample-cross-validation",
            "generalised cross-validation tends to excess risk + noise of the learning curve like 1/n",
            "8-from-a-sample.md (G6)",
            cross_validation,
        ),
        Claim {
            id: "digits-held-out",
            statement: "leave-one-out and generalised cross-validation on some images predict the error of a regression of one pixel on the others on further images",
            theory: "8-from-a-sample.md (G5)",
            how: "predicted against held-out mean squared error at three penalties; tolerance: the threshold times both standard errors, and for GCV 5 % for leverages that differ between images",
            comparisons: 6,
            detects: 1.0,
            check: held_out,
        },
    ]
}

/// p = n − 1 features after the intercept, eigenvalues 1 and ¼ in equal numbers, w_k² = 1/p.
fn simulated(
    context: &Context<'_>,
    experiment: u32,
    estimate: fn(&CrossValidationPoint, f64) -> f64,
    truth: fn(&RidgePoint, f64) -> f64,
) -> Result<Finding, ClaimError> {
    let eigenvalue = |k: usize| if k.is_multiple_of(2) { 1.0 } else { 0.25 };
    let mut simulations = Vec::new();
    for ((p, replicates), experiment) in plan(context, 1.0 / 8.0).into_iter().zip(experiment..) {
        let n = p + 1;
        let scales: Vec<f64> = (0..p).map(|k| f64::sqrt(eigenvalue(k))).collect();
        let weight = (1.0 / p as f64).sqrt();
        let streams = Streams { seed: context.seed, experiment };
        let sample = replicate(
            streams,
            0..replicates,
            &|_, _| (),
            || (),
            |(), mut stream| {
                let (mut x, mut y) = (vec![0.0; n * p], vec![0.0; n]);
                stream.fill_normal_f64(&mut x);
                stream.fill_normal_f64(&mut y);
                for (row, y) in x.chunks_mut(p).zip(&mut y) {
                    row.iter_mut().zip(&scales).for_each(|(x, s)| *x *= s);
                    *y = NOISE.sqrt() * *y + weight * row.iter().sum::<f64>();
                }
                let fit =
                    DataMatrix::new(n, p, x).ok().and_then(|x| CrossValidation::new(&x, &y).ok());
                let point = fit.and_then(|fit| fit.point(RIDGE).ok());
                point.map(|point| estimate(&point, p as f64)).ok_or(MonteCarloError::NotFinite)
            },
        )?;
        simulations.push((p, sample.sampled()?));
    }
    let p = 64;
    let eigenvalues: Vec<f64> = (0..p).map(eigenvalue).collect();
    let spectrum = Spectrum::from_eigenvalues(&eigenvalues)?;
    let learner = Ridge::new(&spectrum, p, &Signal::Flat { power: 1.0 }, NOISE)?;
    let point = learner.curve_point(p as f64, RIDGE)?;
    approaches(context, &simulations, context.formula(truth(&point, p as f64)))
}

fn effective_ridge(context: &Context<'_>) -> Result<Finding, ClaimError> {
    simulated(context, 1320, |p, _| p.sample.kappa.value, |p, _| p.kappa.value)
}

fn degrees_of_freedom(context: &Context<'_>) -> Result<Finding, ClaimError> {
    simulated(context, 1330, |p, n| p.sample.df2.value / n, |p, n| p.df2.value / n)
}

fn cross_validation(context: &Context<'_>) -> Result<Finding, ClaimError> {
    simulated(context, 1340, |p, _| p.gcv.value, |p, _| p.risk.value + NOISE)
}

/// The pixel in the middle of the image on all others that vary.
///
/// Power: at an error of a factor 2 the difference is at least 10 of both standard errors
/// together, each at most 8 % of the error.
fn held_out(context: &Context<'_>) -> Result<Finding, ClaimError> {
    const PIXEL: usize = 14 * 28 + 14;
    let (fitted, further) = if context.quick { (400, 1000) } else { (2000, 5000) };
    let images = leading_digits(fitted + further)?;
    let pixels = images.cols();
    let features = |i: usize| {
        let row = images.row(i);
        row[..PIXEL].iter().chain(&row[PIXEL + 1..]).copied()
    };
    let x = DataMatrix::new(fitted, pixels - 1, (0..fitted).flat_map(features).collect())?;
    let y: Vec<f64> = (0..fitted).map(|i| images.row(i)[PIXEL]).collect();
    let fit = CrossValidation::new(&x, &y)?;
    let mut findings = Vec::new();
    for ridge in [0.01, 0.1, 1.0] {
        let point = fit.point(ridge)?;
        let (level, weights, means) = least_squares(&x, &y, ridge)?;
        let errors: Vec<f64> = (fitted..fitted + further)
            .map(|i| {
                let centred = features(i).zip(&means).map(|(x, m)| x - m);
                let fitted = centred.zip(&weights).map(|(x, w)| x * w).sum::<f64>();
                (images.row(i)[PIXEL] - level - fitted).powi(2)
            })
            .collect();
        let (found, error) = super::samples::mean(&errors);
        for (predicted, allowance) in [(point.leave_one_out, 0.0), (point.gcv, 0.05)] {
            findings.push(Finding {
                value: found,
                expected: context.formula(predicted.value),
                tolerance: context.z_threshold * error.hypot(predicted.estimate)
                    + allowance * predicted.value,
            });
        }
    }
    Ok(Finding::worst(findings))
}

/// The fit itself, by the normal equations: ȳ, w and the means of the features.
fn least_squares(
    x: &DataMatrix,
    y: &[f64],
    ridge: f64,
) -> Result<(f64, Vec<f64>, Vec<f64>), ClaimError> {
    use crate::numeric::linalg::{cholesky_solve, gram_outer};
    let (n, p) = (x.rows(), x.cols());
    let mut means = vec![0.0; p];
    for i in 0..n {
        means.iter_mut().zip(x.row(i)).for_each(|(m, x)| *m += x / n as f64);
    }
    let level = y.iter().sum::<f64>() / n as f64;
    let centred: Vec<f64> =
        (0..n).flat_map(|i| x.row(i).iter().zip(&means).map(|(x, m)| x - m)).collect();
    let mut kernel = gram_outer(&centred, n, p)?;
    (0..n).for_each(|i| kernel[i * n + i] += ridge * (n - 1) as f64);
    let mut dual: Vec<f64> = y.iter().map(|y| y - level).collect();
    cholesky_solve(&mut kernel, n, &mut dual, 1)?;
    let mut weights = vec![0.0; p];
    for (row, a) in centred.chunks(p).zip(&dual) {
        weights.iter_mut().zip(row).for_each(|(w, x)| *w += a * x);
    }
    Ok((level, weights, means))
}
