//! Eigenvalues and eigenvectors of symmetric matrices.

use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch, tridiag};
use faer::{Mat, MatMut, MatRef, Par};

use super::{LinalgError, check_shape, power_of_two_near, tridiagonal};
use crate::numeric::widest;

/// Partial results of a pass over the matrix.
const LANES: usize = 8;
/// Rows and columns of a tile.
const TILE: usize = 32;

/// Eigenvalues of a symmetric n×n matrix in ascending order.
///
/// The matrix is scaled by a power of two first, so entries of any magnitude work. The result
/// is checked: Σλ = tr A and Σλ² = ‖A‖²_F must hold within `64 n ε` times ‖A‖_F and ‖A‖²_F (a
/// backward stable solver's error is a modest multiple of `√n ε` of these). Householder
/// reflections to tridiagonal form, then the root-free QL iteration. Cost ≈ 4n³/3.
///
/// # Errors
/// Wrong length, non-finite entries, asymmetry beyond `64 n ε max|a|`, no convergence,
/// violated identities, eigenvalues beyond the range of doubles.
///
/// ```
/// use rootrate::numeric::linalg::symmetric_eigenvalues;
/// let e = symmetric_eigenvalues(&[2.0, 1.0, 1.0, 2.0], 2)?;
/// assert!((e[0] - 1.0).abs() < 1e-15 && (e[1] - 3.0).abs() < 1e-15);
/// # Ok::<(), rootrate::numeric::linalg::LinalgError>(())
/// ```
pub fn symmetric_eigenvalues(a: &[f64], n: usize) -> Result<Vec<f64>, LinalgError> {
    let Some(mut scaled) = Scaled::new(a, n)? else { return Ok(vec![0.0; n]) };
    let mut tridiagonal = MatMut::from_column_major_slice_mut(&mut scaled.entries, n, n);
    let mut reflections = Mat::zeros(1, n - 1);
    let scratch = tridiag::tridiag_in_place_scratch::<f64>(n, Par::Seq, Default::default());
    tridiag::tridiag_in_place(
        tridiagonal.as_mut(),
        reflections.as_mut(),
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(scratch)),
        Default::default(),
    );
    let mut values: Vec<f64> = (0..n).map(|i| tridiagonal[(i, i)]).collect();
    let mut coupling: Vec<f64> = (1..n).map(|i| tridiagonal[(i, i - 1)]).collect();
    if !tridiagonal::eigenvalues(&mut values, &mut coupling) {
        return Err(LinalgError::NotConverged { n });
    }
    values.sort_by(f64::total_cmp);
    scaled.unscale(values)
}

/// Eigenvalues in ascending order and eigenvectors of a symmetric n×n matrix: entries kn…kn+n−1
/// of the second list are the unit vector of the k-th eigenvalue.
///
/// As [`symmetric_eigenvalues`]; the vectors are orthonormal and satisfy ‖Av − λv‖ ≲ n ε ‖A‖.
/// Cost ≈ 9n³.
///
/// # Errors
/// As [`symmetric_eigenvalues`].
pub fn symmetric_eigenvectors(a: &[f64], n: usize) -> Result<(Vec<f64>, Vec<f64>), LinalgError> {
    let mut vectors = vec![0.0; n * n];
    let Some(scaled) = Scaled::new(a, n)? else {
        (0..n).for_each(|k| vectors[k * n + k] = 1.0);
        return Ok((vec![0.0; n], vectors));
    };
    let mut values = Diag::<f64>::zeros(n);
    let wanted = ComputeEigenvectors::Yes;
    let scratch = self_adjoint_evd_scratch::<f64>(n, wanted, Par::Seq, Default::default());
    self_adjoint_evd(
        MatRef::from_row_major_slice(&scaled.entries, n, n),
        values.as_mut(),
        Some(MatMut::from_column_major_slice_mut(&mut vectors, n, n)),
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(scratch)),
        Default::default(),
    )
    .map_err(|_| LinalgError::NotConverged { n })?;
    let mut pairs: Vec<(f64, usize)> =
        values.column_vector().iter().copied().enumerate().map(|(k, v)| (v, k)).collect();
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let sorted = pairs.iter().flat_map(|&(_, k)| vectors[k * n..(k + 1) * n].iter().copied());
    let sorted = sorted.collect();
    Ok((scaled.unscale(pairs.into_iter().map(|(value, _)| value).collect())?, sorted))
}

/// A symmetric matrix that is not zero, divided by a power of two near its largest entry.
#[derive(Debug)]
struct Scaled {
    entries: Vec<f64>,
    unit: f64,
    /// 64 n ε.
    rounding: f64,
    /// tr A and ‖A‖²_F of the scaled matrix.
    trace: f64,
    square: f64,
}

impl Scaled {
    /// `None` for the zero matrix.
    fn new(a: &[f64], n: usize) -> Result<Option<Self>, LinalgError> {
        check_shape("the matrix", a.len(), n, n)?;
        let largest = largest(a);
        if !largest.is_finite() {
            let i = a.iter().position(|v| !v.is_finite()).unwrap_or(0);
            return Err(LinalgError::NotFinite { row: i / n, col: i % n, value: a[i] });
        }
        if largest == 0.0 {
            return Ok(None);
        }
        let unit = power_of_two_near(largest);
        let entries: Vec<f64> = a.iter().map(|v| v / unit).collect();
        let rounding = 64.0 * n as f64 * f64::EPSILON;
        check_symmetric(&entries, n, rounding).map_err(|(row, col)| LinalgError::NotSymmetric {
            row,
            col,
            difference: (a[row * n + col] - a[col * n + row]).abs(),
        })?;
        let trace = (0..n).map(|i| entries[i * n + i]).sum();
        let square = (0..n)
            .map(|i| {
                let row = &entries[i * n..=i * n + i];
                2.0 * row[..i].iter().map(|v| v * v).sum::<f64>() + row[i] * row[i]
            })
            .sum();
        Ok(Some(Self { entries, unit, rounding, trace, square }))
    }

    /// The eigenvalues of the original matrix from those of the scaled one, checked.
    fn unscale(&self, mut values: Vec<f64>) -> Result<Vec<f64>, LinalgError> {
        check_identities((self.trace, self.square), &values, self.rounding)?;
        values.iter_mut().for_each(|value| *value *= self.unit);
        if values.iter().any(|value| !value.is_finite()) {
            return Err(LinalgError::Overflow);
        }
        Ok(values)
    }
}

/// The largest magnitude; NaN or ∞ if any entry is not finite.
fn largest(a: &[f64]) -> f64 {
    widest(
        #[inline(always)]
        || {
            let (mut most, mut not_finite) = ([0.0_f64; LANES], [0.0_f64; LANES]);
            let (lanes, rest) = a.as_chunks::<LANES>();
            for chunk in lanes {
                for l in 0..LANES {
                    let size = chunk[l].abs();
                    most[l] = if size > most[l] { size } else { most[l] };
                    // NaN from the first entry on that is not finite
                    not_finite[l] += 0.0 * chunk[l];
                }
            }
            let finite = not_finite.iter().sum::<f64>() + rest.iter().map(|v| 0.0 * v).sum::<f64>();
            rest.iter().chain(&most).fold(0.0, |m: f64, v| m.max(v.abs())) + finite
        },
    )
}

/// A (row, col) whose entries differ by more than `tolerance` from their mirror, by tiles that
/// stay in the cache.
fn check_symmetric(a: &[f64], n: usize, tolerance: f64) -> Result<(), (usize, usize)> {
    for rows in (0..n).step_by(TILE) {
        for cols in (0..=rows).step_by(TILE) {
            for i in rows..(rows + TILE).min(n) {
                for j in cols..(cols + TILE).min(i) {
                    if (a[i * n + j] - a[j * n + i]).abs() > tolerance {
                        return Err((i, j));
                    }
                }
            }
        }
    }
    Ok(())
}

/// Σλ = tr A and Σλ² = ‖A‖²_F within `rounding` of ‖A‖_F and ‖A‖²_F.
fn check_identities(
    (trace, square): (f64, f64),
    values: &[f64],
    rounding: f64,
) -> Result<(), LinalgError> {
    let checks = [
        ("Σλ = tr A", trace, values.iter().sum::<f64>(), rounding * square.sqrt()),
        ("Σλ² = ‖A‖²_F", square, values.iter().map(|v| v * v).sum(), rounding * square),
    ];
    for (identity, expected, found, tolerance) in checks {
        let difference = (expected - found).abs();
        if difference.is_nan() || difference > tolerance {
            return Err(LinalgError::Inaccurate { identity, expected, found, tolerance });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_eigenvalues_are_caught() {
        // diag(0 ×50, 1 ×50): a perturbation of one value, and one that keeps the trace between
        // two equal values (second order in the sum of squares), both far below plotting
        // accuracy.
        let n = 100;
        let exact: Vec<f64> = (0..n).map(|i| f64::from(u8::from(i >= 50))).collect();
        let rounding = 64.0 * n as f64 * f64::EPSILON;
        let check = |changes: &[(usize, f64)]| {
            let mut values = exact.clone();
            changes.iter().for_each(|&(i, change)| values[i] += change);
            check_identities((50.0, 50.0), &values, rounding)
        };
        assert_eq!(check(&[]), Ok(()));
        assert!(matches!(check(&[(3, 1e-10)]), Err(LinalgError::Inaccurate { .. })));
        assert!(matches!(check(&[(60, 1e-4), (70, -1e-4)]), Err(LinalgError::Inaccurate { .. })));
        assert!(matches!(check(&[(0, f64::NAN)]), Err(LinalgError::Inaccurate { .. })));
    }
}
