//! Symmetric positive definite systems.

use faer::{MatMut, MatRef};

use super::{LinalgError, Real, check_shape};

/// Solves A X = B for a symmetric positive definite A (n×n) and row-major B (n×nrhs).
///
/// `a` must hold a symmetric matrix (only one triangle is read) and is overwritten by its
/// factor; `rhs` is overwritten by the solution. Backward stable: (A + E) x = b with
/// ‖E‖ ≲ n ε ‖A‖, with ε of the precision of `T`. Cost ≈ n³/3 + 2n²·nrhs.
///
/// # Errors
/// Wrong length, a pivot that is not positive, a solution beyond the range of doubles; the
/// contents of both slices are then unspecified.
///
/// ```
/// use rootrate::numeric::linalg::cholesky_solve;
/// let (mut a, mut b) = ([4.0_f64, 2.0, 2.0, 3.0], [8.0_f64, 8.0]);
/// cholesky_solve(&mut a, 2, &mut b, 1)?;
/// assert!((b[0] - 1.0).abs() < 1e-15 && (b[1] - 2.0).abs() < 1e-15);
/// # Ok::<(), rootrate::numeric::linalg::LinalgError>(())
/// ```
pub fn cholesky_solve<T: Real>(
    a: &mut [T],
    n: usize,
    rhs: &mut [T],
    nrhs: usize,
) -> Result<(), LinalgError> {
    check_shape("the matrix", a.len(), n, n)?;
    check_shape("the right-hand side", rhs.len(), n, nrhs)?;
    if let Some(i) = a.iter().position(|&v| !v.into().is_finite()) {
        return Err(LinalgError::NotFinite { row: i / n, col: i % n, value: a[i].into() });
    }
    factor(a, n)?;
    solve_factored(a, n, rhs, nrhs)
}

/// Overwrites one triangle of a symmetric positive definite n×n matrix (columns from the
/// diagonal down, column after column) by its factor, whose diagonal is then positive; the
/// other one is not read. A NaN anywhere in the triangle reaches a pivot and is an error.
pub(crate) fn factor<T: Real>(a: &mut [T], n: usize) -> Result<(), LinalgError> {
    T::factor(MatMut::from_column_major_slice_mut(a, n, n))
        .map_err(|pivot| LinalgError::NotPositiveDefinite { pivot })?;
    let bad = |root: f64| root.is_nan() || root <= 0.0;
    match (0..n).find(|&i| bad(a[i * n + i].into())) {
        Some(pivot) => Err(LinalgError::NotPositiveDefinite { pivot }),
        None => Ok(()),
    }
}

/// The rest of [`cholesky_solve`], after [`factor`].
pub(crate) fn solve_factored<T: Real>(
    a: &[T],
    n: usize,
    rhs: &mut [T],
    nrhs: usize,
) -> Result<(), LinalgError> {
    let x = MatMut::from_row_major_slice_mut(rhs, n, nrhs);
    T::solve(MatRef::from_column_major_slice(a, n, n), x);
    if rhs.iter().any(|&v| !v.into().is_finite()) {
        return Err(LinalgError::Overflow);
    }
    Ok(())
}
