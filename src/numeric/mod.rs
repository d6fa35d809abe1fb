//! Thin, checked wrappers around the numerical crates, and the few kernels they lack.

pub mod chebyshev;
pub(crate) mod complex;
pub(crate) mod double_double;
pub mod exp;
pub mod linalg;
pub mod quadrature;
pub mod root;
mod simd;
mod sum;

pub(crate) use simd::widest;
pub(crate) use sum::CompensatedSum;
