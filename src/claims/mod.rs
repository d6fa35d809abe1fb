//! Results of `theory/` as checks that can fail.
//!
//! A [`Claim`] names a result, the theory page and equation that state it, and a check that
//! computes both sides by different means. Its tolerance is derived in the check's own
//! comments. Every check takes a [`Context`] with a relative *perturbation* of the formula
//! under test: at zero the claim must pass, at [`Claim::detects`] it must fail. The test suite
//! runs both, so that no claim can pass because it looks at nothing.
//!
//! Statistical checks compare |z| with one threshold for the whole registry, chosen so that
//! the probability of *any* false alarm is at most [`FAMILY_FALSE_ALARM`] (Bonferroni over
//! every comparison of every statistical claim).

use std::fmt;

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, Normal};

use crate::montecarlo::{Engine, Experiment, Samples, Streams};

mod continuous;
mod denoising;
mod digits;
mod entropy;
mod feature_denoiser;
mod finite_size;
mod from_sample;
mod information;
mod integral;
mod marchenko_pastur;
mod moment_curve;
mod monte_carlo;
mod random_features;
mod registry;
mod ridge;
mod samples;
mod schedule;
mod schedule_laws;
mod silverstein;
mod simulation;
mod spikes;

pub use registry::all;

/// Probability that at least one correct statistical claim fails, over the whole registry.
pub const FAMILY_FALSE_ALARM: f64 = 1e-3;
/// Fewest replicates of a thinned simulation: its standard error must be one of a normal mean.
const FEWEST_REPLICATES: u64 = 200;

/// How a check runs.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// Fewer replicates and smaller sizes.
    pub quick: bool,
    /// Seed of every random stream.
    pub seed: u64,
    /// Relative perturbation of the formula under test; 0 to check the formula itself.
    pub perturbation: f64,
    /// Threshold for the |z| of one statistical comparison.
    pub z_threshold: f64,
    /// Where experiments run.
    pub engine: &'a dyn Engine,
    /// One replicate in so many is simulated: 1, or more for an engine that is slow. Power is
    /// lost, not the level.
    pub thinning: u64,
}

impl<'a> Context<'a> {
    /// The context of an honest run.
    pub fn new(quick: bool, seed: u64, engine: &'a dyn Engine) -> Self {
        let comparisons: usize = all().iter().map(|c| c.comparisons).sum();
        Self {
            quick,
            seed,
            perturbation: 0.0,
            z_threshold: z_threshold(comparisons),
            engine,
            thinning: 1,
        }
    }

    /// The same run with the formula under test off by the relative amount `perturbation`.
    pub fn perturbed(self, perturbation: f64) -> Self {
        Self { perturbation, ..self }
    }

    /// `x (1 + perturbation)`: every check passes the formula under test through here.
    pub fn formula(&self, x: f64) -> f64 {
        x * (1.0 + self.perturbation)
    }

    /// The values of `replicates` replicates, thinned, of an experiment on the engine.
    fn simulate(
        &self,
        experiment: &dyn Experiment,
        number: u32,
        replicates: u64,
    ) -> Result<Samples, ClaimError> {
        let streams = Streams { seed: self.seed, experiment: number };
        let replicates = (replicates / self.thinning).max(FEWEST_REPLICATES);
        Ok(self.engine.run(experiment, streams, 0..replicates, &|_, _| ())?)
    }

    /// The finding of one statistical comparison: `z` is standard normal if the claim holds.
    fn standardised(&self, z: f64) -> Finding {
        Finding { value: z, expected: 0.0, tolerance: self.z_threshold }
    }
}

/// Two-sided threshold on |z| for a family of `comparisons` at [`FAMILY_FALSE_ALARM`].
fn z_threshold(comparisons: usize) -> f64 {
    let alpha = FAMILY_FALSE_ALARM / comparisons.max(1) as f64;
    -Normal::standard().inverse_cdf(alpha / 2.0)
}

/// The two sides of a check and the largest difference that is accepted.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Finding {
    /// What was measured or computed by the second method.
    pub value: f64,
    /// What the theory states.
    pub expected: f64,
    /// Largest accepted `|value − expected|`.
    pub tolerance: f64,
}

impl Finding {
    /// Whether the difference is within the tolerance; NaN never is.
    pub fn passed(&self) -> bool {
        (self.value - self.expected).abs() <= self.tolerance
    }

    /// Of several comparisons of one claim the one that is worst against its tolerance.
    ///
    /// # Panics
    /// When `findings` is empty: a claim that compares nothing is a defect of the claim.
    pub fn worst(findings: impl IntoIterator<Item = Self>) -> Self {
        findings
            .into_iter()
            .max_by(|a, b| a.excess().total_cmp(&b.excess()))
            .expect("a claim compares at least one pair of values")
    }

    /// |value − expected| in units of the tolerance; NaN counts as infinite.
    fn excess(&self) -> f64 {
        let ratio = (self.value - self.expected).abs() / self.tolerance;
        if ratio.is_nan() { f64::INFINITY } else { ratio }
    }
}

/// A computation inside a check failed. (Not itself an [`Error`](std::error::Error), so that
/// every error can be turned into it by `?`.)
#[derive(Debug)]
pub struct ClaimError(pub String);

impl fmt::Display for ClaimError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<E: std::error::Error> From<E> for ClaimError {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

/// The signature of a check.
pub type Check = fn(&Context<'_>) -> Result<Finding, ClaimError>;

/// A result of `theory/` together with the check that could refute it.
#[derive(Debug, Clone, Copy)]
pub struct Claim {
    /// Short name, unique.
    pub id: &'static str,
    /// What is claimed.
    pub statement: &'static str,
    /// Page and equation, e.g. `2-ridge.md (R3)`.
    pub theory: &'static str,
    /// How it is checked, and where the tolerance comes from.
    pub how: &'static str,
    /// Number of statistical comparisons in the check; 0 for a deterministic one.
    pub comparisons: usize,
    /// Relative perturbation of the formula that the check is guaranteed to notice.
    pub detects: f64,
    /// The check.
    pub check: Check,
}

/// What became of a claim: one row of `rootrate verify`.
#[derive(Debug, Clone, Serialize)]
pub struct Verdict {
    /// The claim's short name.
    pub id: &'static str,
    /// What is claimed.
    pub statement: &'static str,
    /// Page and equation.
    pub theory: &'static str,
    /// Whether the check passed.
    pub passed: bool,
    /// What was measured (absent when the check could not be carried out).
    pub value: Option<f64>,
    /// What the theory states.
    pub expected: Option<f64>,
    /// Largest accepted difference.
    pub tolerance: Option<f64>,
    /// How it was checked; the error message when the check could not be carried out.
    pub how: String,
}

impl Claim {
    /// Runs the check.
    pub fn verify(&self, context: &Context<'_>) -> Verdict {
        let (finding, how) = match (self.check)(context) {
            Ok(finding) => (Some(finding), self.how.to_owned()),
            Err(error) => (None, format!("could not be carried out: {error}")),
        };
        Verdict {
            id: self.id,
            statement: self.statement,
            theory: self.theory,
            passed: finding.is_some_and(|f| f.passed()),
            value: finding.map(|f| f.value),
            expected: finding.map(|f| f.expected),
            tolerance: finding.map(|f| f.tolerance),
            how,
        }
    }
}
