//! The two precisions of the dense kernels, and `faer` for each.

use std::fmt::Debug;
use std::ops::{Add, AddAssign, Mul, MulAssign, Sub};

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt;
use faer::linalg::matmul::{
    matmul,
    triangular::{self, BlockStructure},
};
use faer::{Accum, Auto, MatMut, MatRef, Par};

/// Sizes up to which a Cholesky factorisation runs without blocks, and the width of blocks
/// beyond: measured, 64 to 2000 rows, both precisions.
const CHOLESKY: (usize, usize) = (32, 64);

/// The numbers of the dense kernels: `f64` and `f32`.
pub trait Real:
    Kernels
    + Copy
    + Debug
    + PartialOrd
    + Into<f64>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + AddAssign
    + MulAssign
    + Send
    + Sync
    + 'static
{
    /// 0.
    const ZERO: Self;
    /// The largest relative error of a rounding: 2⁻⁵³ or 2⁻²⁴.
    const ROUNDING: f64;

    /// The nearest number of this precision.
    fn rounded(x: f64) -> Self;
}

/// What `faer` computes, sequentially: methods, so that it is compiled here once a precision and
/// not again in every crate that calls the generic functions.
pub trait Kernels: Sized {
    /// C = A·B.
    fn multiply(c: MatMut<'_, Self>, a: MatRef<'_, Self>, b: MatRef<'_, Self>);

    /// The lower triangle of C = Y·Yᵀ.
    fn multiply_lower(c: MatMut<'_, Self>, y: MatRef<'_, Self>);

    /// A = L·Lᵀ in the lower triangle, or the first pivot that is not positive and finite.
    fn factor(a: MatMut<'_, Self>) -> Result<(), usize>;

    /// X = (L·Lᵀ)⁻¹·X.
    fn solve(l: MatRef<'_, Self>, x: MatMut<'_, Self>);
}

macro_rules! real {
    ($t:ty) => {
        impl Real for $t {
            const ZERO: Self = 0.0;
            const ROUNDING: f64 = <$t>::EPSILON as f64 / 2.0;

            fn rounded(x: f64) -> Self {
                x as Self
            }
        }

        impl Kernels for $t {
            fn multiply(c: MatMut<'_, Self>, a: MatRef<'_, Self>, b: MatRef<'_, Self>) {
                matmul(c, Accum::Replace, a, b, 1.0, Par::Seq);
            }

            fn multiply_lower(c: MatMut<'_, Self>, y: MatRef<'_, Self>) {
                let full = BlockStructure::Rectangular;
                let lower = BlockStructure::TriangularLower;
                let replace = Accum::Replace;
                triangular::matmul(c, lower, replace, y, full, y.transpose(), full, 1.0, Par::Seq);
            }

            fn factor(a: MatMut<'_, Self>) -> Result<(), usize> {
                let (recursion_threshold, block_size) = CHOLESKY;
                let auto = <llt::factor::LltParams as Auto<Self>>::auto();
                let params =
                    llt::factor::LltParams { recursion_threshold, block_size, ..auto }.into();
                let n = a.nrows();
                let scratch = llt::factor::cholesky_in_place_scratch::<Self>(n, Par::Seq, params);
                let mut memory = MemBuffer::new(scratch);
                let stack = MemStack::new(&mut memory);
                llt::factor::cholesky_in_place(a, Default::default(), Par::Seq, stack, params)
                    .map(|_| ())
                    .map_err(|llt::factor::LltError::NonPositivePivot { index }| index)
            }

            fn solve(l: MatRef<'_, Self>, x: MatMut<'_, Self>) {
                llt::solve::solve_in_place(l, x, Par::Seq, MemStack::new(&mut []));
            }
        }
    };
}

real!(f64);
real!(f32);
