//! What can go wrong when a spectral law is built or evaluated.

use thiserror::Error;

/// Errors of the spectral laws and of their transforms.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ResolventError {
    /// A parameter of the law is outside its domain.
    #[error("{name} = {value:?} is not valid: {valid}")]
    Parameter {
        /// Which parameter.
        name: &'static str,
        /// The value given.
        value: f64,
        /// What would be valid.
        valid: &'static str,
    },
    /// An argument is NaN.
    #[error("the argument {name} is not a number")]
    NotANumber {
        /// Which argument.
        name: &'static str,
    },
    /// An argument is outside the domain of the function.
    #[error("{function} is not defined at {value:?}: the argument must be {valid}")]
    Domain {
        /// Which function.
        function: &'static str,
        /// The value given.
        value: f64,
        /// What would be valid.
        valid: &'static str,
    },
    /// A moment or cumulant is too large for a double.
    #[error("the {what} of order {order} overflows a double")]
    Overflow {
        /// Which quantity.
        what: &'static str,
        /// Its order.
        order: u32,
    },
    /// A list does not have one value per atom.
    #[error("{what} has {found} values, the population has {expected} atoms (one at 0 included)")]
    Shape {
        /// Which list.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The number of atoms.
        expected: usize,
    },
}
