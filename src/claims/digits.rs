//! Claims about real images: the empirical law of the digits.

use super::information::leading_digits;
use super::integral::fejer;
use super::samples::mean;
use super::{Claim, ClaimError, Context, Finding};
use crate::data::DataMatrix;
use crate::entropy::{DataModel, EmpiricalData, EmpiricalOptions, GaussianSpectrum};
use crate::montecarlo::Streams;
use crate::numeric::linalg::gram_outer;
use crate::spectrum::Spectrum;

/// Tells the random streams of these claims apart from others under one seed.
const EXPERIMENT: u32 = 0x4000;

pub(super) fn claims() -> Vec<Claim> {
    vec![
        Claim {
            id: "digits-linear-bound",
            statement: "the denoiser of the images is at least as good as the best linear one, and no better at large noise",
            theory: "3-entropy-rate.md (E1)",
            how: "sampled mmse of the empirical law against the eigenvalues of its covariance, one-sided; at σ = 100 the two agree",
            comparisons: 8,
            detects: 0.02,
            check: linear_bound,
        },
        Claim {
            id: "digits-total-variance",
            statement: "at large noise the mmse is the trace of the covariance",
            theory: "3-entropy-rate.md (E3)",
            how: "eigenvalues of the digits' covariance against the sum of the pixels' variances; tolerance: the first order in 1/σ², and rounding",
            comparisons: 0,
            detects: 1e-8,
            check: total_variance,
        },
        Claim {
            id: "digits-total-information",
            statement: "the area under the rate of N images is ln N, whatever the dimension: the optimal denoiser of the data memorises them",
            theory: "3-entropy-rate.md (E9′)",
            how: "quadrature of the sampled mmse; standard error: the errors of all levels added as if fully correlated",
            comparisons: 1,
            detects: 0.3,
            check: total_information,
        },
        Claim {
            id: "digits-denoiser",
            statement: "the mmse is the mean square error of the softmax denoiser",
            theory: "3-entropy-rate.md (E9)",
            how: "simulated errors of the denoiser against ½E‖x0 − x′‖² from other draws",
            comparisons: 2,
            detects: 0.3,
            check: denoiser,
        },
        Claim {
            id: "digits-shuffled",
            statement: "with every pixel shuffled among the images nothing is left of their covariance but the Marchenko–Pastur law: ∫x² dF = 1 + c",
            theory: "1-marchenko-pastur.md (MP9)",
            how: "mean square of the correlations of the shuffled pixels, whose expectation is exact at finite size, c = (p−1)/(n−1)",
            comparisons: 1,
            detects: 0.03,
            check: shuffled,
        },
    ]
}

fn empirical(
    context: &Context<'_>,
    images: &DataMatrix,
    queries: usize,
) -> Result<EmpiricalData, ClaimError> {
    Ok(EmpiricalData::new(images, EmpiricalOptions { queries, seed: context.seed })?)
}

/// (images, queries)
fn size(context: &Context<'_>) -> (usize, usize) {
    if context.quick { (1000, 500) } else { (10_000, 1000) }
}

fn linear_bound(context: &Context<'_>) -> Result<Finding, ClaimError> {
    let (count, queries) = size(context);
    let images = leading_digits(count)?;
    let law = empirical(context, &images, queries)?;
    let linear = GaussianSpectrum::new(&Spectrum::from_data(&images)?)?;
    let levels = [0.3, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 100.0];
    let mut findings = Vec::new();
    for point in law.profile(&levels, None)? {
        let bound = linear.mmse(point.sigma)?.value();
        let excess = context.formula(point.mmse.mean) - bound;
        // at large σ the control variates leave next to no statistical error: then rounding
        let error = point.mmse.standard_error + 1e-12 * bound;
        findings.push(context.standardised((excess / error).max(0.0)));
    }
    Ok(Finding::worst(findings))
}

/// mmse(σ) = Σs − Σs²/σ² + …, and Σs² ≤ (Σs)²; an eigensolver of backward error 784ε.
fn total_variance(context: &Context<'_>) -> Result<Finding, ClaimError> {
    let images = leading_digits(1000)?;
    let linear = GaussianSpectrum::new(&Spectrum::from_data(&images)?)?;
    let count = images.rows() as f64;
    let variance = |j: usize| {
        let column = || (0..images.rows()).map(|i| images.row(i)[j]);
        let mean = column().sum::<f64>() / count;
        column().map(|x| (x - mean).powi(2)).sum::<f64>() / count
    };
    let value: f64 = (0..images.cols()).map(variance).sum();
    let sigma = 1e6;
    Ok(Finding {
        value,
        expected: context.formula(linear.mmse(sigma)?.value()),
        tolerance: value * (value / sigma / sigma + 784.0 * 4.0 * f64::EPSILON),
    })
}

/// From σ = 0.1, where the nearest images are told apart, to σ = 1000, where the information
/// left is ½γ Var up to a relative γ Var, 1e-4 (E5″). Between, Fejér's rule in ln σ.
fn total_information(context: &Context<'_>) -> Result<Finding, ClaimError> {
    let (count, queries) = size(context);
    let law = empirical(context, &leading_digits(count)?, queries)?;
    let (low, high) = (0.1_f64, 1000.0_f64);
    let nodes = fejer(48, (low.ln(), high.ln()));
    let mut levels: Vec<f64> = nodes.iter().map(|(l, _)| l.exp()).collect();
    levels.push(high);
    let points = law.profile(&levels, None)?;
    let mut area = 0.5 * points[nodes.len()].mmse.mean / (high * high);
    let mut error = 0.0;
    for ((l, w), point) in nodes.iter().zip(&points) {
        let weight = w * (-2.0 * l).exp();
        area += weight * point.mmse.mean;
        error += weight * point.mmse.standard_error;
    }
    let expected = context.formula((count as f64).ln());
    Ok(context.standardised((area - expected) / error))
}

/// With standardised columns, (1/p) tr S² = 1 + (2/p) Σ_{i<j} r_ij². Shuffled, r_ij has mean 0
/// and variance 1/(n−1) exactly, and r_ij² is uncorrelated between pairs, with a variance of
/// 2/(n−1)² up to O(1/n): the standard deviation of the sum is 2√((p−1)/p)/(n−1). Only pixels
/// inked in a quarter of the images are taken, so that no column's kurtosis is of order n.
fn shuffled(context: &Context<'_>) -> Result<Finding, ClaimError> {
    let n = if context.quick { 600 } else { 3000 };
    let images = leading_digits(n)?;
    let streams = Streams { seed: context.seed, experiment: EXPERIMENT + 16 };
    let mut columns = Vec::new();
    for j in 0..images.cols() {
        let mut column: Vec<f64> = (0..n).map(|i| images.row(i)[j]).collect();
        if 4 * column.iter().filter(|x| **x > 0.0).count() < n {
            continue;
        }
        let mut stream = streams.replicate(j as u32);
        for i in (1..n).rev() {
            column.swap(i, (stream.uniform() * (i + 1) as f64) as usize);
        }
        let mean = column.iter().sum::<f64>() / n as f64;
        column.iter_mut().for_each(|x| *x -= mean);
        let norm = column.iter().map(|x| x * x).sum::<f64>().sqrt();
        column.iter_mut().for_each(|x| *x /= norm);
        columns.extend(column);
    }
    let p = columns.len() / n;
    // the rows of `columns` are the pixels
    let correlations = gram_outer(&columns, p, n)?;
    let second = correlations.iter().map(|r| r * r).sum::<f64>() / p as f64;
    let (p, freedom) = (p as f64, n as f64 - 1.0);
    let expected = context.formula(1.0 + (p - 1.0) / freedom);
    let deviation = 2.0 * ((p - 1.0) / p).sqrt() / freedom;
    Ok(context.standardised((second - expected) / deviation))
}

/// A denoiser of its own: squared distances to all images, softmax, mean.
fn denoiser(context: &Context<'_>) -> Result<Finding, ClaimError> {
    let images = leading_digits(300)?;
    let queries = if context.quick { 1000 } else { 5000 };
    let law = empirical(context, &images, queries)?;
    let levels = [1.5, 3.0];
    let mut findings = Vec::new();
    for (level, point) in law.profile(&levels, None)?.into_iter().enumerate() {
        let sigma = point.sigma;
        let streams = Streams { seed: context.seed, experiment: EXPERIMENT + level as u32 };
        let mut choice = streams.replicate(0);
        let mut noise = streams.replicate(1);
        let mut errors = Vec::new();
        let mut x = vec![0.0; images.cols()];
        for _ in 0..queries {
            let image = images.row((choice.uniform() * images.rows() as f64) as usize);
            noise.fill_normal_f64(&mut x);
            x.iter_mut().zip(image).for_each(|(x, y)| *x = y + sigma * *x);
            let exponents: Vec<f64> = (0..images.rows())
                .map(|i| -squared_distance(&x, images.row(i)) / (2.0 * sigma * sigma))
                .collect();
            let largest = exponents.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let likelihood: Vec<f64> = exponents.iter().map(|e| (e - largest).exp()).collect();
            let total: f64 = likelihood.iter().sum();
            let mut denoised = vec![0.0; images.cols()];
            for (i, q) in likelihood.iter().map(|l| l / total).enumerate() {
                if q > 1e-20 {
                    denoised.iter_mut().zip(images.row(i)).for_each(|(d, y)| *d += q * y);
                }
            }
            errors.push(squared_distance(image, &denoised));
        }
        // the two sides' draws are independent
        let (found, error) = mean(&errors);
        let expected = context.formula(point.mmse.mean);
        let z = (found - expected) / error.hypot(point.mmse.standard_error);
        findings.push(context.standardised(z));
    }
    Ok(Finding::worst(findings))
}

fn squared_distance(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(a, b)| (a - b).powi(2)).sum()
}
