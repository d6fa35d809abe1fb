//! `rootrate risk`: learning curves.

use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::CliError;

mod from_sample;
mod problem;
mod random_features;
mod ridge;

pub(crate) use problem::ProblemArgs;
pub(crate) use ridge::RidgeArgs;

#[derive(Debug, Args)]
pub(crate) struct RiskArgs {
    #[command(subcommand)]
    learner: Learner,
}

#[derive(Debug, Subcommand)]
enum Learner {
    /// Ridge regression on p features from n samples
    Ridge(RidgeArgs),
    /// Ridge regression on random projections of the features
    RandomFeatures(random_features::RandomFeaturesArgs),
    /// Effective ridge, cross-validated error and best penalty from a data file alone
    FromSample(from_sample::FromSampleArgs),
}

pub(crate) fn run(args: &RiskArgs, json: bool) -> Result<ExitCode, CliError> {
    match &args.learner {
        Learner::Ridge(args) => ridge::run(args, json),
        Learner::RandomFeatures(args) => random_features::run(args, json),
        Learner::FromSample(args) => from_sample::run(args, json),
    }
}
