//! The spectrum of a sample covariance.

use super::{Spectrum, SpectrumError};
use crate::data::DataMatrix;
use crate::numeric::linalg::{gram, gram_outer, power_of_two_near, symmetric_eigenvalues};

/// Largest eigenproblem accepted (a dense matrix of 3.2 GB).
const MAX_SIZE: usize = 20_000;

impl Spectrum {
    /// Eigenvalues of the centred sample covariance (1/n) Σᵢ (xᵢ − x̄)(xᵢ − x̄)ᵀ of n rows of p
    /// features. Divided by n, not n − 1: it is the exact covariance of the uniform law on the
    /// given rows.
    ///
    /// Sets the dimension p. Computed from the smaller of the p×p and n×n Gram matrices; when
    /// n < p the remaining p − n eigenvalues are exact zeros. Eigenvalues carry an absolute
    /// rounding error of about max(n, p) ε λ_max; those not above it are set to 0 and counted
    /// in [`clipped`](Self::clipped). Cost n p min(n, p) + (4/3) min(n, p)³.
    ///
    /// # Errors
    /// Fewer than two rows, all rows equal, min(n, p) > 20,000, variances beyond the range of
    /// doubles, a failed eigensolver.
    ///
    /// ```
    /// use rootrate::{data::DataMatrix, spectrum::Spectrum};
    /// let data = DataMatrix::from_rows(&[vec![0.0, 1.0], vec![2.0, 1.0]])?;
    /// assert_eq!(Spectrum::from_data(&data)?.atoms(), &[0.0, 1.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_data(data: &DataMatrix) -> Result<Self, SpectrumError> {
        let (n, p) = (data.rows(), data.cols());
        if n < 2 {
            return Err(SpectrumError::TooFewRows { rows: n });
        }
        let size = n.min(p);
        if size > MAX_SIZE {
            return Err(SpectrumError::TooLarge { rows: n, cols: p, size, limit: MAX_SIZE });
        }
        let largest = data.values().iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        let scale = if largest == 0.0 { 1.0 } else { power_of_two_near(largest) };
        let centred = centre(data, scale);
        if centred.iter().all(|&v| v == 0.0) {
            return Err(SpectrumError::Constant { rows: n });
        }
        let product = if n >= p { gram(&centred, n, p) } else { gram_outer(&centred, n, p) };
        drop(centred);
        let mut eigenvalues = symmetric_eigenvalues(&product?, size)?;

        let noise = n.max(p) as f64 * f64::EPSILON * eigenvalues[size - 1];
        let mut zeroed = 0;
        for value in &mut eigenvalues {
            if value.abs() <= noise {
                zeroed += usize::from(*value != 0.0);
                *value = 0.0;
            }
            *value = *value / n as f64 * scale * scale;
        }
        if eigenvalues[size - 1].is_infinite() || eigenvalues[size - 1] < f64::MIN_POSITIVE {
            return Err(SpectrumError::Scale { largest });
        }
        eigenvalues.resize(p, 0.0);
        Ok(Self::from_eigenvalues(&eigenvalues)?.with_clipped(zeroed))
    }
}

/// Rows divided by `scale` and centred, row-major.
///
/// The first row is subtracted before the mean: constant columns become exact zeros, and a
/// large common offset costs no digits beyond those that the data themselves have lost.
fn centre(data: &DataMatrix, scale: f64) -> Vec<f64> {
    let (n, p) = (data.rows(), data.cols());
    let mut values: Vec<f64> = data.values().iter().map(|v| v / scale).collect();
    let first = values[..p].to_vec();
    let mut means = vec![0.0; p];
    for row in values.chunks_exact_mut(p) {
        for ((v, f), m) in row.iter_mut().zip(&first).zip(&mut means) {
            *v -= f;
            *m += *v;
        }
    }
    means.iter_mut().for_each(|m| *m /= n as f64);
    for row in values.chunks_exact_mut(p) {
        row.iter_mut().zip(&means).for_each(|(v, m)| *v -= m);
    }
    values
}
