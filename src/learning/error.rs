//! What can go wrong in a learning curve.

use thiserror::Error;

use crate::numeric::linalg::LinalgError;

/// Errors of the learning curves.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum LearningError {
    /// A parameter is outside its domain.
    #[error("{name} = {value:?} is not valid: {valid}")]
    Parameter {
        /// Which parameter.
        name: &'static str,
        /// The value given.
        value: f64,
        /// What would be valid.
        valid: &'static str,
    },
    /// Counts do not fit together.
    #[error("{what}: found {found}, expected {expected}")]
    Shape {
        /// What was counted.
        what: &'static str,
        /// What was found.
        found: String,
        /// What would be valid.
        expected: String,
    },
    /// ρ = 0 with as many samples as directions of positive variance: the risk is infinite.
    #[error(
        "interpolation threshold: without a penalty the risk is infinite at n = rank = {rank} (n = {samples} given): use a ridge > 0 or n ≠ rank"
    )]
    Threshold {
        /// The number of samples n.
        samples: f64,
        /// The number of directions of positive variance.
        rank: f64,
    },
    /// λ = 0 with as many samples as random features, or as directions that these can see: the
    /// risk is infinite.
    #[error(
        "interpolation threshold: without a penalty the risk is infinite at n = min(features, rank) (n = {samples}, features = {features}, rank = {rank}): use a penalty > 0 or another n"
    )]
    FeatureThreshold {
        /// The number of samples n.
        samples: f64,
        /// The number of random features p.
        features: f64,
        /// The number of directions of positive variance.
        rank: f64,
    },
    /// The certificate could not confirm the solution.
    #[error(
        "no certified effective ridge at n = {samples}, ridge = {ridge}: the certificate refused κ = {kappa}"
    )]
    Uncertified {
        /// The number of samples n.
        samples: f64,
        /// The penalty ρ.
        ridge: f64,
        /// The refused solution.
        kappa: f64,
    },
    /// The data's Gram matrix could not be decomposed.
    #[error("the features' Gram matrix: {0}")]
    Linalg(LinalgError),
    /// A result is too large for double precision.
    #[error("{what} overflows: rescale the features, the noise or the signal")]
    Overflow {
        /// The result concerned.
        what: &'static str,
    },
}
