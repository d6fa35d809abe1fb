//! The command line: one file a subcommand, each parses, calls the library and renders.

use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

mod backend;
mod doctor;
mod entropy;
mod error;
mod figures;
mod model;
mod output;
mod population;
mod progress;
mod report;
mod reproduce;
mod risk;
mod schedule;
mod simulate;
mod spectrum;
mod verify;

pub(crate) use error::CliError;

/// Certified random-matrix numerics: learning curves, entropy rates and noise schedules.
#[derive(Debug, Parser)]
#[command(name = "rootrate", version, about, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    global: Global,
}

/// Options of every subcommand.
#[derive(Debug, Clone, Args)]
pub(crate) struct Global {
    /// Print one JSON object to standard output, and nothing else there
    #[arg(long, global = true)]
    json: bool,
    /// Number of threads (default: all cores); results do not depend on it
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096))]
    threads: Option<u16>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Limiting spectrum of a sample covariance: support, density, CDF
    Spectrum(spectrum::SpectrumArgs),
    /// Learning curve of one linear learner: effective ridge, bias, variance, risk
    Risk(risk::RiskArgs),
    /// mmse, entropy rate and information of a data model
    Entropy(entropy::EntropyArgs),
    /// Training density over noise levels, and how efficient the usual ones are
    Schedule(schedule::ScheduleArgs),
    /// Monte Carlo check of a prediction
    Simulate(simulate::SimulateArgs),
    /// Check the claims of theory/
    Verify(verify::VerifyArgs),
    /// Draw the figures
    Figures(figures::FiguresArgs),
    /// The main job: all claims, all figures, one self-contained report
    Reproduce(reproduce::ReproduceArgs),
    /// What this machine computes with: threads, vector instructions, graphics adapters
    Doctor,
}

/// Runs the parsed command.
pub(crate) fn run(cli: Cli) -> Result<ExitCode, CliError> {
    rootrate::data::finish_writes_on_interrupt();
    if let Some(threads) = cli.global.threads {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads.into())
            .build_global()
            .map_err(|e| CliError::new(format!("cannot start {threads} threads: {e}")))?;
    }
    let json = cli.global.json;
    match cli.command {
        Command::Spectrum(args) => spectrum::run(&args, json),
        Command::Risk(args) => risk::run(&args, json),
        Command::Entropy(args) => entropy::run(&args, json),
        Command::Schedule(args) => schedule::run(&args, json),
        Command::Simulate(args) => simulate::run(&args, json),
        Command::Verify(args) => verify::run(&args, json),
        Command::Figures(args) => figures::run(&args, json),
        Command::Reproduce(args) => reproduce::run(&args, json),
        Command::Doctor => doctor::run(json),
    }
}
