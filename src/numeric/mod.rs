//! Thin, checked wrappers around the numerical crates, and the few kernels they lack.

pub mod exp;
pub mod linalg;
