//! Dense linear algebra over plain slices: the only place that instantiates `faer`.
//!
//! Matrices are slices in row-major order with their shape beside them. Every kernel runs
//! single-threaded inside (`Par::Seq`) or over blocks of a fixed size, so the bits of a result
//! do not depend on the number of threads; callers parallelise over problems with rayon.

use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt;
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;
use thiserror::Error;

/// Rows of the result that one task of [`gram`] computes.
const GRAM_BLOCK: usize = 128;

/// Errors of the dense kernels.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum LinalgError {
    /// A slice does not have the length that the shape says.
    #[error("{what} has {found} entries, its shape {rows}×{cols} needs {rows}·{cols}")]
    Shape {
        /// Which argument.
        what: &'static str,
        /// Rows of the shape.
        rows: usize,
        /// Columns of the shape.
        cols: usize,
        /// Length of the slice.
        found: usize,
    },
    /// An entry of the input is NaN or infinite.
    #[error("entry ({row}, {col}) is {value}: entries must be finite")]
    NotFinite {
        /// Row, from 0.
        row: usize,
        /// Column, from 0.
        col: usize,
        /// The offending value.
        value: f64,
    },
    /// The matrix is not symmetric beyond rounding.
    #[error("entries ({row}, {col}) and ({col}, {row}) differ by {difference:e}: not symmetric")]
    NotSymmetric {
        /// Row, from 0.
        row: usize,
        /// Column, from 0.
        col: usize,
        /// |a_ij − a_ji|.
        difference: f64,
    },
    /// A result is too large for a double.
    #[error("the result overflows double precision: rescale the input")]
    Overflow,
    /// The eigensolver's iteration did not converge.
    #[error("the symmetric eigensolver did not converge on the {n}×{n} matrix")]
    NotConverged {
        /// Size of the matrix.
        n: usize,
    },
    /// The computed eigenvalues violate an identity that exact ones satisfy.
    #[error(
        "computed eigenvalues violate {identity}: {found:e} instead of {expected:e} (tolerance {tolerance:e})"
    )]
    Inaccurate {
        /// The identity.
        identity: &'static str,
        /// Its value from the matrix (scaled to largest entry ~1).
        expected: f64,
        /// Its value from the eigenvalues.
        found: f64,
        /// Largest difference that rounding explains.
        tolerance: f64,
    },
    /// A Cholesky pivot is not positive.
    #[error("the matrix is not positive definite: pivot {pivot} is not > 0")]
    NotPositiveDefinite {
        /// Index of the first bad pivot, from 0.
        pivot: usize,
    },
}

/// Eigenvalues of a symmetric n×n matrix in ascending order.
///
/// The matrix is scaled by a power of two first, so entries of any magnitude work. The result
/// is checked: Σλ = tr A and Σλ² = ‖A‖²_F must hold within `64 n ε` times ‖A‖_F and ‖A‖²_F (a
/// backward stable solver's error is a modest multiple of `√n ε` of these). Cost ≈ 4n³/3.
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
    Ok(decompose(a, n, None)?.into_iter().map(|(value, _)| value).collect())
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
    let pairs = decompose(a, n, Some(&mut vectors))?;
    let sorted = pairs.iter().flat_map(|&(_, k)| vectors[k * n..(k + 1) * n].iter().copied());
    let sorted = sorted.collect();
    Ok((pairs.into_iter().map(|(value, _)| value).collect(), sorted))
}

/// Eigenvalues, ascending, each with the place of its vector in the column-major `vectors`.
fn decompose(
    a: &[f64],
    n: usize,
    vectors: Option<&mut [f64]>,
) -> Result<Vec<(f64, usize)>, LinalgError> {
    check_shape("the matrix", a.len(), n, n)?;
    if let Some(i) = a.iter().position(|v| !v.is_finite()) {
        return Err(LinalgError::NotFinite { row: i / n, col: i % n, value: a[i] });
    }
    let largest = a.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    if largest == 0.0 {
        if let Some(vectors) = vectors {
            (0..n).for_each(|k| vectors[k * n + k] = 1.0);
        }
        return Ok((0..n).map(|k| (0.0, k)).collect());
    }
    let scale = power_of_two_near(largest);
    let scaled: Vec<f64> = a.iter().map(|v| v / scale).collect();
    let rounding = 64.0 * n as f64 * f64::EPSILON;
    check_symmetric(&scaled, n, rounding).map_err(|(row, col)| LinalgError::NotSymmetric {
        row,
        col,
        difference: (a[row * n + col] - a[col * n + row]).abs(),
    })?;

    let mut values = Diag::<f64>::zeros(n);
    let wanted = match vectors {
        Some(_) => ComputeEigenvectors::Yes,
        None => ComputeEigenvectors::No,
    };
    let scratch = self_adjoint_evd_scratch::<f64>(n, wanted, Par::Seq, Default::default());
    self_adjoint_evd(
        MatRef::from_row_major_slice(&scaled, n, n),
        values.as_mut(),
        vectors.map(|v| MatMut::from_column_major_slice_mut(v, n, n)),
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(scratch)),
        Default::default(),
    )
    .map_err(|_| LinalgError::NotConverged { n })?;
    let mut pairs: Vec<(f64, usize)> =
        values.column_vector().iter().copied().enumerate().map(|(k, v)| (v, k)).collect();
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));

    let values: Vec<f64> = pairs.iter().map(|&(value, _)| value).collect();
    check_identities(&scaled, n, &values, rounding)?;
    pairs.iter_mut().for_each(|(value, _)| *value *= scale);
    if pairs.iter().any(|(value, _)| !value.is_finite()) {
        return Err(LinalgError::Overflow);
    }
    Ok(pairs)
}

/// The Gram matrix XᵀX (p×p) of a row-major n×p matrix X; both triangles are filled and equal.
///
/// Computed in parallel over blocks of rows of the result of fixed size, each sequential: the
/// bits do not depend on the number of threads. Cost ≈ n p² (half of a full product).
///
/// # Errors
/// Wrong length.
pub fn gram(x: &[f64], n: usize, p: usize) -> Result<Vec<f64>, LinalgError> {
    check_shape("X", x.len(), n, p)?;
    Ok(self_product(MatRef::from_row_major_slice(x, n, p).transpose()))
}

/// The outer Gram matrix XXᵀ (n×n) of a row-major n×p matrix X; as [`gram`].
///
/// # Errors
/// Wrong length.
pub fn gram_outer(x: &[f64], n: usize, p: usize) -> Result<Vec<f64>, LinalgError> {
    check_shape("X", x.len(), n, p)?;
    Ok(self_product(MatRef::from_row_major_slice(x, n, p)))
}

/// Solves A X = B for a symmetric positive definite A (n×n) and row-major B (n×nrhs).
///
/// `a` must hold a symmetric matrix (only one triangle is read) and is overwritten by its
/// factor; `rhs` is overwritten by the solution. Backward stable: (A + E) x = b with
/// ‖E‖ ≲ n ε ‖A‖. Cost ≈ n³/3 + 2n²·nrhs.
///
/// # Errors
/// Wrong length, a pivot that is not positive, a solution beyond the range of doubles; the
/// contents of both slices are then unspecified.
///
/// ```
/// use rootrate::numeric::linalg::cholesky_solve;
/// let (mut a, mut b) = ([4.0, 2.0, 2.0, 3.0], [8.0, 8.0]);
/// cholesky_solve(&mut a, 2, &mut b, 1)?;
/// assert!((b[0] - 1.0).abs() < 1e-15 && (b[1] - 2.0).abs() < 1e-15);
/// # Ok::<(), rootrate::numeric::linalg::LinalgError>(())
/// ```
pub fn cholesky_solve(
    a: &mut [f64],
    n: usize,
    rhs: &mut [f64],
    nrhs: usize,
) -> Result<(), LinalgError> {
    check_shape("the matrix", a.len(), n, n)?;
    check_shape("the right-hand side", rhs.len(), n, nrhs)?;
    if let Some(i) = a.iter().position(|v| !v.is_finite()) {
        return Err(LinalgError::NotFinite { row: i / n, col: i % n, value: a[i] });
    }
    if n == 0 {
        return Ok(());
    }
    let mut factor = MatMut::from_column_major_slice_mut(a, n, n);
    let scratch = llt::factor::cholesky_in_place_scratch::<f64>(n, Par::Seq, Default::default());
    llt::factor::cholesky_in_place(
        factor.as_mut(),
        Default::default(),
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(scratch)),
        Default::default(),
    )
    .map_err(|llt::factor::LltError::NonPositivePivot { index }| {
        LinalgError::NotPositiveDefinite { pivot: index }
    })?;
    if let Some(pivot) = (0..n).find(|&i| factor[(i, i)].is_nan() || factor[(i, i)] <= 0.0) {
        return Err(LinalgError::NotPositiveDefinite { pivot });
    }
    llt::solve::solve_in_place(
        factor.as_ref(),
        MatMut::from_row_major_slice_mut(rhs, n, nrhs),
        Par::Seq,
        MemStack::new(&mut []),
    );
    if rhs.iter().any(|v| !v.is_finite()) {
        return Err(LinalgError::Overflow);
    }
    Ok(())
}

/// C = A·Bᵀ in double precision, row-major: A is m×k, B is n×k, C is m×n and overwritten.
///
/// Sequential; entry-wise error ≤ k ε Σ|a||b| (in any order of summation).
///
/// # Errors
/// Wrong lengths.
pub fn matmul_f64(
    a: &[f64],
    b: &[f64],
    c: &mut [f64],
    (m, n, k): (usize, usize, usize),
) -> Result<(), LinalgError> {
    check_product(a.len(), b.len(), c.len(), (m, n, k))?;
    matmul(
        MatMut::from_row_major_slice_mut(c, m, n),
        Accum::Replace,
        MatRef::from_row_major_slice(a, m, k),
        MatRef::from_row_major_slice(b, n, k).transpose(),
        1.0,
        Par::Seq,
    );
    Ok(())
}

/// Y Yᵀ, row-major: the lower triangle by blocks of rows, then mirrored.
fn self_product(y: MatRef<'_, f64>) -> Vec<f64> {
    let (m, k) = (y.nrows(), y.ncols());
    let mut out = vec![0.0; m * m];
    if m == 0 {
        return out;
    }
    out.par_chunks_mut(GRAM_BLOCK * m).enumerate().for_each(|(block, chunk)| {
        let (start, rows) = (block * GRAM_BLOCK, chunk.len() / m);
        let cols = start + rows;
        matmul(
            MatMut::from_row_major_slice_mut(chunk, rows, m).subcols_mut(0, cols),
            Accum::Replace,
            y.submatrix(start, 0, rows, k),
            y.submatrix(0, 0, cols, k).transpose(),
            1.0,
            Par::Seq,
        );
    });
    for i in 0..m {
        for j in i + 1..m {
            out[i * m + j] = out[j * m + i];
        }
    }
    out
}

fn check_shape(
    what: &'static str,
    found: usize,
    rows: usize,
    cols: usize,
) -> Result<(), LinalgError> {
    if rows.checked_mul(cols) == Some(found) {
        Ok(())
    } else {
        Err(LinalgError::Shape { what, rows, cols, found })
    }
}

fn check_product(
    a: usize,
    b: usize,
    c: usize,
    (m, n, k): (usize, usize, usize),
) -> Result<(), LinalgError> {
    check_shape("A", a, m, k)?;
    check_shape("B", b, n, k)?;
    check_shape("C", c, m, n)
}

/// The first (row, col) whose entries differ by more than `tolerance` from their mirror.
fn check_symmetric(a: &[f64], n: usize, tolerance: f64) -> Result<(), (usize, usize)> {
    for i in 0..n {
        for j in 0..i {
            if (a[i * n + j] - a[j * n + i]).abs() > tolerance {
                return Err((i, j));
            }
        }
    }
    Ok(())
}

/// Σλ = tr A and Σλ² = ‖A‖²_F, of the lower triangle, within `rounding` of ‖A‖_F and ‖A‖²_F.
fn check_identities(a: &[f64], n: usize, values: &[f64], rounding: f64) -> Result<(), LinalgError> {
    let trace: f64 = (0..n).map(|i| a[i * n + i]).sum();
    let square: f64 = (0..n)
        .map(|i| {
            let row = &a[i * n..=i * n + i];
            2.0 * row[..i].iter().map(|v| v * v).sum::<f64>() + row[i] * row[i]
        })
        .sum();
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

/// A power of two near x > 0, such that dividing doubles of magnitude ≤ x by it is exact or
/// harmless (it and its inverse are normal).
pub(crate) fn power_of_two_near(x: f64) -> f64 {
    2.0_f64.powi((x.log2().ceil() as i32).clamp(-1000, 1000))
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
        let mut a = vec![0.0; n * n];
        exact.iter().enumerate().for_each(|(i, v)| a[i * n + i] = *v);
        let rounding = 64.0 * n as f64 * f64::EPSILON;
        let check = |changes: &[(usize, f64)]| {
            let mut values = exact.clone();
            changes.iter().for_each(|&(i, change)| values[i] += change);
            check_identities(&a, n, &values, rounding)
        };
        assert_eq!(check(&[]), Ok(()));
        assert!(matches!(check(&[(3, 1e-10)]), Err(LinalgError::Inaccurate { .. })));
        assert!(matches!(check(&[(60, 1e-4), (70, -1e-4)]), Err(LinalgError::Inaccurate { .. })));
        assert!(matches!(check(&[(0, f64::NAN)]), Err(LinalgError::Inaccurate { .. })));
    }
}
