//! `rootrate simulate random-features`.

use std::process::ExitCode;

use clap::Args;
use rootrate::learning::RandomFeatures;
use rootrate::montecarlo::{RandomFeaturesExperiment, Streams};

use super::FINITE_SIZE;
use super::report::{Quantity, single};
use super::run::RunArgs;
use crate::cli::CliError;
use crate::cli::risk::ProblemArgs;

#[derive(Debug, Args)]
pub(super) struct RandomFeaturesSimulation {
    #[command(flatten)]
    problem: ProblemArgs,
    /// Number of samples n
    #[arg(long, value_name = "N")]
    samples: usize,
    /// Number of random features p
    #[arg(long, value_name = "P")]
    features: usize,
    /// Ridge penalty λ > 0 on the summed loss (n times the ρ of `simulate ridge`)
    #[arg(long, value_name = "LAMBDA", allow_negative_numbers = true)]
    ridge: f64,
    /// Seed of the random streams
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    run: RunArgs,
}

impl RandomFeaturesSimulation {
    pub(super) fn run(&self, json: bool) -> Result<ExitCode, CliError> {
        let (spectrum, signal) = self.problem.read()?;
        let eigenvalues = spectrum.eigenvalues_descending().unwrap_or_default();
        let coefficients: Vec<f64> =
            signal.squares(eigenvalues.len())?.iter().map(|w| w.sqrt()).collect();
        let experiment = RandomFeaturesExperiment::new(
            &eigenvalues,
            &coefficients,
            self.samples,
            self.features,
            self.ridge,
            self.problem.noise,
        )?;
        let theory =
            RandomFeatures::new(&spectrum, eigenvalues.len(), &signal, self.problem.noise)?
                .curve_point(self.samples as f64, self.features as f64, self.ridge)?;
        let streams = Streams { seed: self.seed, experiment: 2 };
        let run = self.run.run(&experiment, streams, &[0])?;
        let risk = Quantity { name: "excess risk", output: 0, theory: Some(theory.risk.into()) };
        single(&run, &risk, FINITE_SIZE, json)?;
        Ok(ExitCode::SUCCESS)
    }
}
