//! Thin, checked wrappers around the numerical crates, and the few kernels they lack.

pub mod linalg;
pub(crate) mod complex;
pub(crate) mod double_double;
pub mod root;
pub mod chebyshev;
pub mod quadrature;
mod sum;

pub(crate) use sum::CompensatedSum;
pub mod chebyshev;
