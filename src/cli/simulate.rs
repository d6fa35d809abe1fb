//! `rootrate simulate`: Monte Carlo checks of a prediction.

use std::process::ExitCode;

use clap::{Args, Subcommand, ValueEnum};
use rootrate::evidence::Evidence;
use rootrate::montecarlo::{
    Comparison, CpuEngine, Engine, NoiseKind, RidgeExperiment, Streams, confidence_interval,
};
use serde_json::json;

use super::CliError;
use super::output::{Table, emit, number, significant};
use super::progress::bar;
use super::risk::RidgeArgs;

#[derive(Debug, Args)]
pub(crate) struct SimulateArgs {
    #[command(subcommand)]
    experiment: Experiment,
}

#[derive(Debug, Subcommand)]
enum Experiment {
    /// Ridge regressions on Gaussian features, against the learning curve
    Ridge(SimulateRidgeArgs),
}

#[derive(Debug, Args)]
struct SimulateRidgeArgs {
    #[command(flatten)]
    problem: RidgeArgs,
    /// Independent replicates
    #[arg(long, value_name = "R", default_value_t = 200, value_parser = clap::value_parser!(u64).range(2..=1 << 24))]
    replicates: u64,
    /// Seed of the random streams
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Where to run
    #[arg(long, value_enum, default_value_t = Backend::Auto)]
    backend: Backend,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Backend {
    /// The best that there is: the processor
    Auto,
    /// The processor, in double precision
    Cpu,
}

pub(crate) fn run(args: &SimulateArgs, json: bool) -> Result<ExitCode, CliError> {
    let Experiment::Ridge(args) = &args.experiment;
    let point = args.problem.point()?;
    let (spectrum, signal) = args.problem.problem()?;
    let eigenvalues = spectrum
        .eigenvalues_descending()
        .ok_or_else(|| CliError::new("a simulation needs the number of features p: add --dim P"))?;
    let coefficients: Vec<f64> =
        signal.squares(eigenvalues.len())?.iter().map(|w| w.sqrt()).collect();
    let experiment = RidgeExperiment::new(
        &eigenvalues,
        &coefficients,
        args.problem.samples,
        point.ridge,
        args.problem.noise,
        NoiseKind::Homoscedastic,
    )?;
    let progress = bar(args.replicates, "replicates");
    let streams = Streams { seed: args.seed, experiment: 0 };
    let engine = match args.backend {
        Backend::Auto | Backend::Cpu => CpuEngine,
    };
    let sample = engine
        .ridge(&experiment, streams, 0..args.replicates, &|done, _| progress.set_position(done))?;
    progress.finish_and_clear();
    let sampled = sample.sampled()?;
    let interval = confidence_interval(&sampled, 0.95)?;
    let comparison = Comparison::new(Evidence::from(point.risk), sampled, 0.0)?;
    let value = json!({
        "mean": sampled.mean,
        "standard_error": sampled.standard_error,
        "confidence_interval_95": [interval.0, interval.1],
        "quantiles": [0.05, 0.5, 0.95]
            .iter()
            .map(|&u| Ok(json!({"u": u, "value": sample.quantile(u)?})))
            .collect::<Result<Vec<_>, CliError>>()?,
        "replicates": sampled.replicates,
        "backend": "cpu",
        "adapter": engine.name(),
        "seed": args.seed,
        "theory": point.risk.value,
        "theory_error_bound": point.risk.radius,
        "z": comparison.z,
        "p_value": comparison.p_value,
    });
    emit(json, &value, || {
        let mut table = Table::new(["excess risk", "value"]);
        table.row(["simulated mean".to_owned(), significant(sampled.mean, 6)]);
        table.row(["standard error".to_owned(), significant(sampled.standard_error, 2)]);
        table.row(["theory (n, p → ∞)".to_owned(), number(point.risk.value)]);
        table.row(["z".to_owned(), significant(comparison.z, 3)]);
        table.row(["p-value".to_owned(), significant(comparison.p_value, 2)]);
        format!(
            "{} replicates on {}, seed {}\n\n{}\nThe theory is a limit: at finite n it is off by O(1/n).\n",
            sampled.replicates,
            engine.name(),
            args.seed,
            table.render(),
        )
    })?;
    Ok(ExitCode::SUCCESS)
}
