//! What can be wrong with a population spectrum.

use crate::numeric::linalg::LinalgError;
use thiserror::Error;

/// Errors of [`Spectrum`](super::Spectrum)'s constructors.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SpectrumError {
    /// No atom was given.
    #[error("a spectrum needs at least one atom, none was given")]
    Empty,
    /// Atoms and weights do not pair up.
    #[error("{atoms} atoms but {weights} weights were given: one weight for each atom")]
    Lengths {
        /// Number of atoms.
        atoms: usize,
        /// Number of weights.
        weights: usize,
    },
    /// An atom is NaN or infinite.
    #[error("atom {index} is {value:?}: eigenvalues must be finite numbers ≥ 0")]
    NotFinite {
        /// Position in the input, from 0.
        index: usize,
        /// The offending value.
        value: f64,
    },
    /// An atom is negative beyond rounding.
    #[error(
        "atom {index} is {value:?}: eigenvalues of a covariance are ≥ 0 (values in [−{tolerance:e}, 0) are taken as rounding and clipped to 0)"
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
    #[error("weight {index} is {value:?}: weights must be finite numbers ≥ 0")]
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
    #[error("{name} = {value:?} is not valid: {valid}")]
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
    /// One sample has no covariance.
    #[error("the data have {rows} row: a sample covariance needs at least 2 (rows are samples)")]
    TooFewRows {
        /// Number of rows.
        rows: usize,
    },
    /// All rows of the data are equal.
    #[error("all {rows} rows of the data are equal: their covariance is 0")]
    Constant {
        /// Number of rows.
        rows: usize,
    },
    /// The covariance problem is too large to hold.
    #[error(
        "{rows}×{cols} data need an eigenproblem of size min(rows, cols) = {size}, the limit is {limit}: take fewer rows or features"
    )]
    TooLarge {
        /// Number of rows.
        rows: usize,
        /// Number of columns.
        cols: usize,
        /// min(rows, cols).
        size: usize,
        /// The largest size accepted.
        limit: usize,
    },
    /// Variances of the data leave the range of doubles.
    #[error(
        "the data's largest magnitude is {largest:e}: their variances leave the range of doubles, rescale the data"
    )]
    Scale {
        /// Largest absolute value of the data.
        largest: f64,
    },
    /// The eigenvalue computation failed.
    #[error(transparent)]
    Linalg(#[from] LinalgError),
}
