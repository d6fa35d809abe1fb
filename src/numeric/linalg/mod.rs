//! Dense linear algebra over plain slices: the only place that instantiates `faer`.
//!
//! Matrices are slices in row-major order with their shape beside them. Every kernel runs
//! single-threaded inside (`Par::Seq`) or over blocks of a fixed size, so the bits of a result
//! do not depend on the number of threads; callers parallelise over problems with rayon.

mod cholesky;
mod eigen;
mod product;
mod real;
mod tridiagonal;

use thiserror::Error;

pub use cholesky::cholesky_solve;
pub(crate) use cholesky::{factor, solve_factored};
pub use eigen::{symmetric_eigenvalues, symmetric_eigenvectors};
pub use product::{gram, gram_outer, matmul_f64};
pub(crate) use product::{gram_lower, gram_outer_lower, product_transposed};
pub use real::Real;

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

/// A power of two near x > 0, such that dividing doubles of magnitude ≤ x by it is exact or
/// harmless (it and its inverse are normal).
pub(crate) fn power_of_two_near(x: f64) -> f64 {
    2.0_f64.powi((x.log2().ceil() as i32).clamp(-1000, 1000))
}
