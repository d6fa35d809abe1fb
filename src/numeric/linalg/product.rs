//! Products of matrices, and of a matrix with its own transpose.

use faer::{MatMut, MatRef};
use rayon::prelude::*;

use super::{LinalgError, Real, check_shape};

/// Rows of the result that one task of [`gram`] computes.
const GRAM_BLOCK: usize = 128;

/// The Gram matrix XᵀX (p×p) of a row-major n×p matrix X; both triangles are filled and equal.
///
/// Computed in parallel over blocks of rows of the result of fixed size, each sequential: the
/// bits do not depend on the number of threads. Cost ≈ n p² (half of a full product).
///
/// # Errors
/// Wrong length.
pub fn gram<T: Real>(x: &[T], n: usize, p: usize) -> Result<Vec<T>, LinalgError> {
    check_shape("X", x.len(), n, p)?;
    Ok(self_product(MatRef::from_row_major_slice(x, n, p).transpose()))
}

/// The outer Gram matrix XXᵀ (n×n) of a row-major n×p matrix X; as [`gram`].
///
/// # Errors
/// Wrong length.
pub fn gram_outer<T: Real>(x: &[T], n: usize, p: usize) -> Result<Vec<T>, LinalgError> {
    check_shape("X", x.len(), n, p)?;
    Ok(self_product(MatRef::from_row_major_slice(x, n, p)))
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
    product_transposed(a, b, c, (m, n, k));
    Ok(())
}

/// [`matmul_f64`] in either precision, for slices that are known to fit.
pub(crate) fn product_transposed<T: Real>(
    a: &[T],
    b: &[T],
    c: &mut [T],
    (m, n, k): (usize, usize, usize),
) {
    T::multiply(
        MatMut::from_row_major_slice_mut(c, m, n),
        MatRef::from_row_major_slice(a, m, k),
        MatRef::from_row_major_slice(b, n, k).transpose(),
    );
}

/// One triangle of XᵀX (p×p) of a row-major n×p matrix X, for [`factor`](super::factor); the
/// other triangle of `out` is left as it is. Sequential: for problems that are many, and small.
/// An entry errs by at most (K + n/K) times a rounding of Σ|x||x|, with K ≤ 512 the terms that
/// `faer` sums at a time.
pub(crate) fn gram_lower<T: Real>(x: &[T], (n, p): (usize, usize), out: &mut [T]) {
    let x = MatRef::from_row_major_slice(x, n, p);
    T::multiply_lower(MatMut::from_column_major_slice_mut(out, p, p), x.transpose());
}

/// The same of XXᵀ (n×n).
pub(crate) fn gram_outer_lower<T: Real>(x: &[T], (n, p): (usize, usize), out: &mut [T]) {
    let x = MatRef::from_row_major_slice(x, n, p);
    T::multiply_lower(MatMut::from_column_major_slice_mut(out, n, n), x);
}

/// Y Yᵀ, row-major: the lower triangle by blocks of rows, then mirrored.
fn self_product<T: Real>(y: MatRef<'_, T>) -> Vec<T> {
    let (m, k) = (y.nrows(), y.ncols());
    let mut out = vec![T::ZERO; m * m];
    if m == 0 {
        return out;
    }
    out.par_chunks_mut(GRAM_BLOCK * m).enumerate().for_each(|(block, chunk)| {
        let (start, rows) = (block * GRAM_BLOCK, chunk.len() / m);
        let cols = start + rows;
        T::multiply(
            MatMut::from_row_major_slice_mut(chunk, rows, m).subcols_mut(0, cols),
            y.submatrix(start, 0, rows, k),
            y.submatrix(0, 0, cols, k).transpose(),
        );
    });
    for i in 0..m {
        for j in i + 1..m {
            out[i * m + j] = out[j * m + i];
        }
    }
    out
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
