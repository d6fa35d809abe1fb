//! What can go wrong when a law over noise levels is built or asked.

use thiserror::Error;

use crate::entropy::EntropyError;

/// Errors of [`NoiseLaw`](super::NoiseLaw) and its relatives.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ScheduleError {
    /// A range of noise levels is empty, reversed or not made of valid levels.
    #[error("range {low:?},{high:?} of noise levels is not valid: {valid}")]
    Range {
        /// The lower end given.
        low: f64,
        /// The upper end given.
        high: f64,
        /// What would be valid.
        valid: &'static str,
    },
    /// Continuous data without a cut-off at low noise.
    #[error(
        "{model} is continuous: its entropy rate in ln σ tends to {dimension} > 0 as σ → 0, so its law has infinite mass there; give a lower end σ_min > 0 (a cut-off)"
    )]
    CutOff {
        /// The model's name.
        model: String,
        /// The limit of the rate.
        dimension: f64,
    },
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
    /// A table's row is not valid.
    #[error("table row {index} ({x}, {y}) is not valid: {valid}")]
    Table {
        /// Position, from 0.
        index: usize,
        /// Its noise level.
        x: f64,
        /// Its value.
        y: f64,
        /// What would be valid.
        valid: &'static str,
    },
    /// Two columns of a table differ in length, or it is too short.
    #[error(
        "the table has {levels} noise levels and {values} values: it needs equally many, at least 2"
    )]
    TableShape {
        /// Number of levels.
        levels: usize,
        /// Number of values.
        values: usize,
    },
    /// The model's mmse is a Monte Carlo estimate, too rough to be differentiated adaptively.
    #[error(
        "the mmse of {model} is sampled (standard error {standard_error:.1e} at σ = {sigma:?}): tabulate it as a rate profile and take the law of that"
    )]
    Sampled {
        /// The model's name.
        model: String,
        /// Where it was seen.
        sigma: f64,
        /// The standard error there.
        standard_error: f64,
    },
    /// A density is negative, infinite or not a number.
    #[error("{what} is {value} at σ = {sigma:?}: it must be finite and ≥ 0")]
    Density {
        /// Which function.
        what: String,
        /// The noise level.
        sigma: f64,
        /// The value found.
        value: f64,
    },
    /// The density vanishes on the whole range.
    #[error("{what} has no finite positive mass on the range {low:?},{high:?} (mass {mass:e})")]
    NoMass {
        /// Which law.
        what: String,
        /// The lower end.
        low: f64,
        /// The upper end.
        high: f64,
        /// The mass found.
        mass: f64,
    },
    /// The adaptive fit did not reach a useful accuracy.
    #[error("{what} could not be resolved: estimated relative error {error:.1e}")]
    NotResolved {
        /// Which law.
        what: String,
        /// The relative error reached.
        error: f64,
    },
    /// A uniform number is outside [0, 1].
    #[error("u = {value} is not valid: a probability is in [0, 1]")]
    Probability {
        /// The number given.
        value: f64,
    },
    /// Fewer draws than one for every feature of every learner.
    #[error(
        "{draws} draws are too few: {features} features on a clock range of length {length} need more than {minimum}"
    )]
    TooFewDraws {
        /// The draws given.
        draws: f64,
        /// p.
        features: f64,
        /// |T|.
        length: f64,
        /// p|T|, to be exceeded.
        minimum: f64,
    },
    /// The data model failed.
    #[error(transparent)]
    Model(#[from] EntropyError),
}
