//! The prediction error of ridge regression, estimated from the data it is fitted to (G4), (G5).

use serde::Serialize;

use super::{LearningError, SamplePoint, SampleSpectrum};
use crate::data::DataMatrix;
use crate::evidence::Estimated;
use crate::numeric::linalg::{LinalgError, gram, gram_outer, symmetric_eigenvectors};

/// Ridge regression with an intercept on one data set, decomposed once; its training error, its
/// generalised cross-validation and its leave-one-out error at any penalty.
///
/// The learner minimises (1/(n−1)) Σᵢ(yᵢ − b − wᵀxᵢ)² + ρ|w|²: the intercept takes one of the n
/// samples, and centred data are in the theory n − 1 samples.
///
/// Values from the data have the accuracy of a double-precision eigendecomposition of the
/// smaller Gram matrix, about 1e-16 λ_max/(λ+ρ) relative; eigenvalues that rounding cannot tell
/// from 0 are set to 0. The errors of GCV and leave-one-out are standard errors, hence
/// [`Estimated`].
///
/// Cost: O(n p min(n, p)) once, O(n·rank) a penalty.
///
/// ```
/// use rootrate::data::DataMatrix;
/// use rootrate::learning::CrossValidation;
/// // y = 2 x without noise: no penalty is best
/// let x = DataMatrix::new(5, 1, vec![0.0, 1.0, 2.0, 3.0, 5.0])?;
/// let fit = CrossValidation::new(&x, &[1.0, 3.0, 5.0, 7.0, 11.0])?;
/// assert!(fit.point(0.0)?.gcv.value < 1e-28);
/// assert!(fit.point(1.0)?.gcv.value > 0.1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Sources: Golub, Heath & Wahba 1979 (GCV); Craven & Wahba 1979; Hastie, Montanari, Rosset &
/// Tibshirani 2022 (its limit).
#[derive(Debug, Clone)]
pub struct CrossValidation {
    spectrum: SampleSpectrum,
    rows: usize,
    /// Left singular vectors of the centred X, rows × rank.
    left: Vec<f64>,
    /// Their products with y.
    products: Vec<f64>,
    /// What is left of the centred y, and of 1 − 1/n in the leverages, outside their span.
    rest: Vec<(f64, f64)>,
}

/// Errors of the fit at one penalty, all in units of y².
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CrossValidationPoint {
    /// κ̂, df̂1, df̂2, of the centred data as n − 1 samples.
    pub sample: SamplePoint,
    /// Mean squared residual of the fitted data (a finite sum, see [`CrossValidation`]).
    pub train: f64,
    /// Generalised cross-validation: the error on fresh data, noise included, with its standard
    /// error.
    pub gcv: Estimated,
    /// Leave-one-out error, with its standard error.
    pub leave_one_out: Estimated,
}

impl CrossValidation {
    /// Features in the columns of `x`, one response a row.
    ///
    /// # Errors
    /// Fewer than 3 rows, another number of responses, responses that are not finite, features
    /// that do not vary, or the eigensolver's.
    pub fn new(x: &DataMatrix, responses: &[f64]) -> Result<Self, LearningError> {
        let (n, p) = (x.rows(), x.cols());
        if n < 3 {
            return Err(LearningError::Shape {
                what: "samples",
                found: n.to_string(),
                expected: "at least 3".into(),
            });
        }
        if responses.len() != n {
            return Err(LearningError::Shape {
                what: "responses",
                found: responses.len().to_string(),
                expected: format!("one a sample, {n}"),
            });
        }
        if let Some(&value) = responses.iter().find(|y| y.is_nan() || y.abs() > 1e150) {
            let valid = "a number within ±1e150";
            return Err(LearningError::Parameter { name: "response", value, valid });
        }
        let mut centred = x.values().to_vec();
        for j in 0..p {
            let column = || x.values().iter().skip(j).step_by(p);
            let mean = column().map(|v| v / n as f64).sum::<f64>();
            // what rounding of the mean leaves of a constant column is no variation
            let constant = n as f64 * f64::EPSILON * column().fold(0.0_f64, |a, v| a.max(v.abs()));
            for v in centred.iter_mut().skip(j).step_by(p) {
                *v = if (*v - mean).abs() > constant { *v - mean } else { 0.0 };
            }
        }
        let mean = responses.iter().map(|y| y / n as f64).sum::<f64>();
        let y: Vec<f64> = responses.iter().map(|y| y - mean).collect();

        let samples = (n - 1) as f64;
        let kernel = if n <= p { gram_outer(&centred, n, p) } else { gram(&centred, n, p) };
        let mut kernel = kernel.map_err(linalg)?;
        kernel.iter_mut().for_each(|v| *v /= samples);
        let (values, vectors) = symmetric_eigenvectors(&kernel, n.min(p)).map_err(linalg)?;
        let largest = values.last().copied().unwrap_or(0.0);
        let rounding = 16.0 * n.max(p) as f64 * f64::EPSILON * largest;
        let mut first = values.partition_point(|&l| l <= rounding);
        // centring leaves n − 1 directions
        first = first.max(values.len().saturating_sub(n - 1));
        let kept = &values[first..];
        if kept.is_empty() {
            let valid = "features that vary between the samples";
            return Err(LearningError::Parameter { name: "variance", value: largest, valid });
        }
        let spectrum = SampleSpectrum::new(kept, n - 1)?;
        let rank = kept.len();
        let mut left = vec![0.0; n * rank];
        let directions = vectors.chunks(n.min(p)).skip(first);
        for (k, (vector, value)) in directions.zip(kept).enumerate() {
            let unit = 1.0 / (samples * value).sqrt();
            for i in 0..n {
                left[i * rank + k] = if n <= p {
                    vector[i]
                } else {
                    unit * dot(&centred[i * p..(i + 1) * p], vector)
                };
            }
        }
        let mut products = vec![0.0; rank];
        for (row, y) in left.chunks(rank).zip(&y) {
            products.iter_mut().zip(row).for_each(|(sum, u)| *sum += u * y);
        }
        let rest = left.chunks(rank).zip(&y).map(|(row, y)| {
            // with n − 1 directions nothing is left but rounding
            if rank == n - 1 {
                return (0.0, 0.0);
            }
            let leverage = 1.0 / n as f64 + dot(row, row);
            (y - dot(row, &products), (1.0 - leverage).max(0.0))
        });
        let rest = rest.collect();
        Ok(Self { spectrum, rows: n, left, products, rest })
    }

    /// The eigenvalues of the centred features' covariance.
    pub fn spectrum(&self) -> &SampleSpectrum {
        &self.spectrum
    }

    /// The errors at ρ = `ridge` ≥ 0; the limit ρ → 0 for 0.
    ///
    /// # Errors
    /// As [`SampleSpectrum::point`]; a sample that the others say nothing about (its leverage
    /// is 1) has no leave-one-out error.
    pub fn point(&self, ridge: f64) -> Result<CrossValidationPoint, LearningError> {
        let sample = self.spectrum.point(ridge)?;
        let (n, eigenvalues) = (self.rows as f64, self.spectrum.eigenvalues());
        let rank = eigenvalues.len();
        // 1 − leverage and residual, both in the same unit: their quotient has a limit at ρ = 0
        let interpolates = rank == self.rows - 1;
        let unit = if interpolates { eigenvalues[0] + ridge } else { ridge };
        let filter: Vec<f64> = eigenvalues.iter().map(|l| unit / (l + ridge)).collect();
        let filtered: Vec<f64> = filter.iter().zip(&self.products).map(|(f, z)| f * z).collect();
        let freedom = filter.iter().sum::<f64>() + (self.rows - 1 - rank) as f64;
        let (mut squares, mut singles) = (Vec::new(), Vec::new());
        for (row, &(residual, slack)) in self.left.chunks(rank).zip(&self.rest) {
            let residual = residual + dot(row, &filtered);
            let slack = slack + row.iter().zip(&filter).map(|(u, f)| u * u * f).sum::<f64>();
            squares.push((residual * n / freedom).powi(2));
            singles.push((residual / slack).powi(2));
        }
        if ridge == 0.0 && !singles.iter().all(|single| single.is_finite()) {
            let valid = "positive: without a penalty some row has leverage 1, because the other \
                         rows do not vary in one of its directions";
            return Err(LearningError::Parameter { name: "ridge", value: ridge, valid });
        }
        let gcv = mean(&squares, "generalised cross-validation")?;
        let leave_one_out = mean(&singles, "the leave-one-out error")?;
        let share = freedom / n * if interpolates { ridge / unit } else { 1.0 };
        Ok(CrossValidationPoint { sample, train: gcv.value * share * share, gcv, leave_one_out })
    }

    /// [`point`](Self::point) at every penalty.
    ///
    /// # Errors
    /// The first error of any point.
    pub fn curve(&self, ridges: &[f64]) -> Result<Vec<CrossValidationPoint>, LearningError> {
        ridges.iter().map(|&ridge| self.point(ridge)).collect()
    }
}

/// The mean with its standard error.
fn mean(values: &[f64], what: &'static str) -> Result<Estimated, LearningError> {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let deviation = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>();
    let estimate = (deviation / (n * (n - 1.0))).sqrt();
    if mean.is_finite() && estimate.is_finite() {
        Ok(Estimated { value: mean, estimate })
    } else {
        Err(LearningError::Overflow { what })
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn linalg(source: LinalgError) -> LearningError {
    LearningError::Linalg(source)
}
