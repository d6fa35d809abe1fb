//! Thin, checked wrappers around the numerical crates, and the few kernels they lack.

pub mod chebyshev;
pub mod quadrature;
mod sum;

pub(crate) use sum::CompensatedSum;
