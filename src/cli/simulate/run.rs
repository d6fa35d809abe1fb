//! The options of every simulation, and its run.

use std::path::PathBuf;
use std::sync::Once;

use clap::{Args, ValueEnum};
use rootrate::montecarlo::{
    self, Experiment, MonteCarloError, Plan, Samples, Streams, Target, simulate,
};

use crate::cli::backend::{self, Backend};
use crate::cli::{CliError, progress};

/// Replicates where nothing else is said.
const REPLICATES: u64 = 200;
/// Most replicates, and values, of a run that stops by its standard error, where nothing else
/// is said.
const MOST: u64 = 1 << 24;
const MOST_VALUES: u64 = 1 << 27;

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Simulation")]
pub(super) struct RunArgs {
    /// Independent replicates (default: 200); with --standard-error the largest number (2^24)
    #[arg(long, value_name = "R", value_parser = clap::value_parser!(u64).range(2..=1 << 32))]
    replicates: Option<u64>,
    /// Stop when the standard errors (of the mmse, test loss, risk, traces) are at most REL times
    /// their means
    #[arg(long, value_name = "REL", allow_negative_numbers = true)]
    standard_error: Option<f64>,
    /// Where to run
    #[arg(long, value_enum, default_value_t = Backend::Auto)]
    backend: Backend,
    /// Of variates and arithmetic (default: double on the processor, single on an adapter)
    #[arg(long, value_enum)]
    precision: Option<Precision>,
    /// Keep what has been computed in FILE, and go on from it if it exists
    #[arg(long, value_name = "FILE")]
    checkpoint: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Precision {
    Double,
    Single,
}

/// A simulation that has run.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) samples: Samples,
    pub(super) seed: u64,
    pub(super) backend: &'static str,
    pub(super) adapter: String,
    /// Largest relative error of a replicate that single precision is allowed; 0 in double.
    pub(super) rounding: f64,
    /// The standard errors asked for.
    pub(super) target: Option<Target>,
}

impl RunArgs {
    /// Runs `experiment`; `judged` are the outputs whose standard errors can end it.
    pub(super) fn run(
        &self,
        experiment: &dyn Experiment,
        streams: Streams,
        judged: &[usize],
    ) -> Result<Run, CliError> {
        let engine = montecarlo::open(self.backend.into(), self.precision.map(Into::into))?;
        let most = MOST.min(MOST_VALUES / experiment.outputs() as u64);
        let default = if self.standard_error.is_some() { most } else { REPLICATES };
        let total = self.replicates.unwrap_or(default);
        let mut plan = Plan::new(streams, total);
        plan.target =
            self.standard_error.map(|relative| Target { relative, outputs: judged.to_vec() });
        let bar = progress::replicates(total);
        let begun = Once::new();
        let tell = |done, _| {
            bar.set_position(done);
            // the replicates of an earlier run say nothing about the rate of this one
            begun.call_once(|| bar.reset_eta());
        };
        let ended = simulate(&*engine, experiment, &plan, self.checkpoint.as_deref(), &tell);
        bar.finish_and_clear();
        backend::tell_notes(&*engine);
        let samples = ended.map_err(|error| self.explain(error))?;
        Ok(Run {
            samples,
            seed: streams.seed,
            backend: engine.backend(),
            adapter: engine.name(),
            rounding: match engine.precision() {
                montecarlo::Precision::Double => 0.0,
                montecarlo::Precision::Single => experiment.limit(),
            },
            target: plan.target,
        })
    }

    fn explain(&self, error: MonteCarloError) -> CliError {
        match (&error, &self.checkpoint) {
            (MonteCarloError::Interrupted { .. }, Some(path)) => CliError::interrupted(format!(
                "{error}; the same command goes on from {}",
                path.display()
            )),
            (MonteCarloError::Device { .. }, _) if self.backend == Backend::Gpu => {
                CliError::new(format!(
                    "{error} (--backend auto goes on with the processor; --backend cpu \
                     --precision single draws the same variates)"
                ))
            }
            _ => error.into(),
        }
    }
}

impl From<Precision> for montecarlo::Precision {
    fn from(precision: Precision) -> Self {
        match precision {
            Precision::Double => Self::Double,
            Precision::Single => Self::Single,
        }
    }
}
