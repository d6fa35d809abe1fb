//! What can go wrong when a data model is built or evaluated.

use thiserror::Error;

/// Errors of the data models and of the clocks.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum EntropyError {
    /// A noise level is not a positive finite number.
    #[error("noise level σ = {sigma:?} is not valid: σ must be a finite number > 0")]
    NoiseLevel {
        /// The level given.
        sigma: f64,
    },
    /// A parameter of a model is outside its domain.
    #[error("{name} = {value:?} is not valid: {valid}")]
    Parameter {
        /// Which parameter.
        name: String,
        /// The value given.
        value: f64,
        /// What would be valid.
        valid: &'static str,
    },
    /// Shapes or counts do not fit together.
    #[error("{what}: {found}, expected {expected}")]
    Shape {
        /// What was counted.
        what: &'static str,
        /// What was found.
        found: String,
        /// What would be valid.
        expected: String,
    },
    /// A file that describes a model cannot be read or is not of the expected form.
    #[error("{path}: {reason}")]
    File {
        /// Which file.
        path: String,
        /// What is wrong with it, and where.
        reason: String,
    },
    /// The method for this model has no result of useful accuracy here.
    #[error("{method} gives no usable value at σ = {sigma:?}: {reason}")]
    NoConvergence {
        /// The numerical method.
        method: &'static str,
        /// The noise level.
        sigma: f64,
        /// Why.
        reason: String,
    },
}
