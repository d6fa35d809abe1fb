//! `rootrate simulate`: Monte Carlo checks of a prediction.

use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::CliError;

mod denoiser;
mod mmse;
mod random_features;
mod report;
mod resolvent;
mod ridge;
mod run;

#[derive(Debug, Args)]
pub(crate) struct SimulateArgs {
    #[command(subcommand)]
    experiment: Experiment,
}

#[derive(Debug, Subcommand)]
enum Experiment {
    /// Ridge regressions on Gaussian features, against the learning curve
    Ridge(ridge::RidgeSimulation),
    /// Ridge regressions on random features, against their learning curve
    RandomFeatures(random_features::RandomFeaturesSimulation),
    /// Squared error of the optimal denoiser of a mixture or a data set, against its mmse
    Mmse(mmse::MmseSimulation),
    /// Denoisers that are linear in random features, at one noise level
    Denoiser(denoiser::DenoiserSimulation),
    /// Resolvent traces of sample covariances, against their limits
    Resolvent(resolvent::ResolventSimulation),
}

pub(crate) fn run(args: &SimulateArgs, json: bool) -> Result<ExitCode, CliError> {
    match &args.experiment {
        Experiment::Ridge(args) => args.run(json),
        Experiment::RandomFeatures(args) => args.run(json),
        Experiment::Mmse(args) => args.run(json),
        Experiment::Denoiser(args) => args.run(json),
        Experiment::Resolvent(args) => args.run(json),
    }
}

/// What is said where the theory is a limit.
const FINITE_SIZE: &str =
    "The theory is a limit: at finite n it is off by O(1/n), which z counts too.";
