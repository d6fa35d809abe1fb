//! `rootrate simulate ridge`.

use std::process::ExitCode;

use clap::Args;
use rootrate::montecarlo::{NoiseKind, RidgeExperiment, Streams};

use super::FINITE_SIZE;
use super::report::{Quantity, single};
use super::run::RunArgs;
use crate::cli::CliError;
use crate::cli::risk::RidgeArgs;

#[derive(Debug, Args)]
pub(super) struct RidgeSimulation {
    #[command(flatten)]
    problem: RidgeArgs,
    /// Seed of the random streams
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    run: RunArgs,
}

impl RidgeSimulation {
    pub(super) fn run(&self, json: bool) -> Result<ExitCode, CliError> {
        let problem = self.problem.problem()?;
        let point = self.problem.point(&problem)?;
        let (spectrum, signal) = problem;
        let eigenvalues = spectrum.eigenvalues_descending().unwrap_or_default();
        let coefficients: Vec<f64> =
            signal.squares(eigenvalues.len())?.iter().map(|w| w.sqrt()).collect();
        let experiment = RidgeExperiment::new(
            &eigenvalues,
            &coefficients,
            self.problem.samples,
            point.ridge,
            self.problem.noise(),
            NoiseKind::Homoscedastic,
        )?;
        let streams = Streams { seed: self.seed, experiment: 0 };
        let run = self.run.run(&experiment, streams, &[0])?;
        let risk = Quantity { name: "excess risk", output: 0, theory: Some(point.risk.into()) };
        single(&run, &risk, FINITE_SIZE, json)?;
        Ok(ExitCode::SUCCESS)
    }
}
