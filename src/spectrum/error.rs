//! What can be wrong with a population spectrum.

use thiserror::Error;

/// Errors of [`Spectrum`](super::Spectrum)'s constructors.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SpectrumError {
    /// No atom was given.
    #[error("a spectrum needs at least one atom, none was given")]
    Empty,
    /// An atom is NaN or infinite.
    #[error("atom {index} is {value}: eigenvalues must be finite numbers ≥ 0")]
    NotFinite {
        /// Position in the input, from 0.
        index: usize,
        /// The offending value.
        value: f64,
    },
    /// An atom is negative beyond rounding.
    #[error(
        "atom {index} is {value}: eigenvalues of a covariance are ≥ 0 (values in [−{tolerance:e}, 0) are taken as rounding and clipped to 0)"
    )]
    Negative {
        /// Position in the input, from 0.
        index: usize,
        /// The offending value.
        value: f64,
        /// The magnitude up to which a negative value counts as rounding.
        tolerance: f64,
    },
    /// A weight is negative, NaN or infinite.
    #[error("weight {index} is {value}: weights must be finite numbers ≥ 0")]
    BadWeight {
        /// Position in the input, from 0.
        index: usize,
        /// The offending value.
        value: f64,
    },
    /// The weights do not sum to one.
    #[error("the weights sum to {sum}, they must sum to 1 (within 1e-9)")]
    WeightSum {
        /// The sum found.
        sum: f64,
    },
    /// Every atom is zero.
    #[error("every eigenvalue is 0: the covariance carries no signal")]
    AllZero,
    /// A parameter of a law is outside its domain.
    #[error("{name} = {value} is not valid: {valid}")]
    Parameter {
        /// Which parameter.
        name: &'static str,
        /// The value given.
        value: f64,
        /// What would be valid.
        valid: &'static str,
    },
    /// `weight × dimension` is not a whole number of directions.
    #[error(
        "atom {atom} with weight {weight} stands for {directions} of {dimension} directions: weight × dimension must be a whole number"
    )]
    FractionalMultiplicity {
        /// The atom.
        atom: f64,
        /// Its weight.
        weight: f64,
        /// weight × dimension.
        directions: f64,
        /// The dimension asked for.
        dimension: usize,
    },
}
