//! What can be wrong with an experiment, a sample or a comparison.

use std::path::PathBuf;

use thiserror::Error;

use crate::numeric::linalg::LinalgError;

/// Errors of the Monte Carlo engine and its statistics.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum MonteCarloError {
    /// A number is outside its domain.
    #[error("{name} = {value:?} is not valid: {valid}")]
    Parameter {
        /// Which number.
        name: &'static str,
        /// The value given.
        value: f64,
        /// What would be valid.
        valid: &'static str,
    },
    /// An element of a list is outside its domain.
    #[error("{name}[{index}] = {value:?} is not valid: {valid}")]
    Element {
        /// Which list.
        name: &'static str,
        /// Position, from 0.
        index: usize,
        /// The offending value.
        value: f64,
        /// What would be valid.
        valid: &'static str,
    },
    /// Two lists that belong together differ in length.
    #[error("{name} has {found} entries, expected {expected}")]
    Length {
        /// Which list.
        name: &'static str,
        /// Entries found.
        found: usize,
        /// Entries needed.
        expected: usize,
    },
    /// The design matrix of one replicate would be too large.
    #[error("samples × features = {samples} × {features} exceeds {limit} entries a replicate")]
    TooLarge {
        /// n.
        samples: usize,
        /// p.
        features: usize,
        /// Largest number of entries.
        limit: usize,
    },
    /// The risk of the ridgeless estimator has no finite variance (M6).
    #[error(
        "without a ridge, {samples} samples and {features} features of positive variance give a risk of infinite variance, which no standard error describes: use |samples − features| ≥ 4 or a ridge > 0"
    )]
    InfiniteVariance {
        /// n.
        samples: usize,
        /// Features of positive variance.
        features: usize,
    },
    /// The replicate numbers asked for are empty, too many, or beyond 2³².
    #[error(
        "replicates {start}..{end} are not valid: need start < end ≤ 2³² and at most {limit} a call"
    )]
    ReplicateRange {
        /// First replicate.
        start: u64,
        /// One past the last.
        end: u64,
        /// Most replicates of one call.
        limit: u64,
    },
    /// Too few replicates for a standard error.
    #[error("{found} replicates are too few: at least {needed} are needed")]
    TooFewReplicates {
        /// Replicates found.
        found: u64,
        /// Replicates needed.
        needed: u64,
    },
    /// Samples that should continue each other do not.
    #[error("a sample that ends before replicate {expected} cannot be continued at {found}")]
    NotContiguous {
        /// The replicate that comes next.
        expected: u64,
        /// The replicate that was offered.
        found: u64,
    },
    /// A replicate's value is NaN or infinite, or the moments overflow.
    #[error("the sample is not finite: a value or a moment exceeds double precision")]
    NotFinite,
    /// A replicate's linear system lost too many digits to trust its solution.
    #[error(
        "replicate {replicate}: the normal equations are numerically singular (pivot {pivot} keeps {retained:e} of its diagonal): use a larger ridge"
    )]
    IllConditioned {
        /// The replicate.
        replicate: u32,
        /// Index of the worst pivot.
        pivot: usize,
        /// Squared pivot over the diagonal entry.
        retained: f64,
    },
    /// A graphics adapter cannot run a program, failed, or was lost.
    #[error("adapter {adapter}: {problem}")]
    Device {
        /// The adapter.
        adapter: String,
        /// What happened, and what would help.
        problem: String,
    },
    /// There is no adapter to compute on.
    #[error(
        "no Vulkan, Metal or DirectX 12 adapter was found: install a driver (Debian: mesa-vulkan-drivers gives a software one), look at the environment variable WGPU_BACKEND if it is set, or use --backend cpu"
    )]
    NoAdapter,
    /// Double precision was asked of an adapter.
    #[error(
        "graphics adapters compute in single precision only (replicates that need more are redone in double): leave --precision double out, or use --backend cpu"
    )]
    NoDoublePrecision,
    /// A checkpoint cannot be used.
    #[error("checkpoint {}: {problem}", path.display())]
    Checkpoint {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, and what would help.
        problem: String,
    },
    /// An interrupt ended a simulation, whose checkpoint is written.
    #[error("interrupted after {replicates} replicates")]
    Interrupted {
        /// Replicates in the checkpoint.
        replicates: u64,
    },
    /// Two control variates, or more, say the same.
    #[error(
        "control {index} does not vary, or is a linear combination of those before it: leave it out"
    )]
    Collinear {
        /// Position of the control, from 0.
        index: usize,
    },
    /// A replicate's linear system could not be solved.
    #[error("replicate {replicate}: {source}")]
    Linalg {
        /// The replicate.
        replicate: u32,
        /// Why.
        source: LinalgError,
    },
}

/// `value` if `valid(value)` and finite, an error that says so otherwise.
pub(super) fn check(
    name: &'static str,
    value: f64,
    valid: impl Fn(f64) -> bool,
    description: &'static str,
) -> Result<f64, MonteCarloError> {
    if value.is_finite() && valid(value) {
        Ok(value)
    } else {
        Err(MonteCarloError::Parameter { name, value, valid: description })
    }
}

/// Checks the lists that define a linear problem: eigenvalues ≥ 0 of Σ and as many coefficients
/// of the target.
pub(super) fn check_problem(eigenvalues: &[f64], signal: &[f64]) -> Result<(), MonteCarloError> {
    if signal.len() != eigenvalues.len() {
        return Err(MonteCarloError::Length {
            name: "signal",
            found: signal.len(),
            expected: eigenvalues.len(),
        });
    }
    let element = |name, list: &[f64], ok: fn(f64) -> bool, valid| match list
        .iter()
        .position(|&v| !(v.is_finite() && ok(v)))
    {
        Some(index) => Err(MonteCarloError::Element { name, index, value: list[index], valid }),
        None => Ok(()),
    };
    element("eigenvalues", eigenvalues, |v| v >= 0.0, "finite numbers ≥ 0")?;
    element("signal", signal, |_| true, "finite numbers")
}
