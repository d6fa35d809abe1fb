//! `rootrate simulate`: Monte Carlo checks of a prediction.

use std::process::ExitCode;

use clap::{Args, Subcommand, ValueEnum};
use rootrate::evidence::Evidence;
use rootrate::montecarlo::{
    Comparison, CpuEngine, DenoisingExperiment, Engine, NoiseKind, RidgeExperiment, Sample,
    Streams, confidence_interval,
};
use serde_json::json;

use super::CliError;
use super::model::ModelArgs;
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
    /// Squared error of the optimal denoiser of a mixture, against its mmse
    Mmse(SimulateMmseArgs),
}

#[derive(Debug, Args)]
struct SimulateRidgeArgs {
    #[command(flatten)]
    problem: RidgeArgs,
    /// Seed of the random streams
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    run: RunArgs,
}

#[derive(Debug, Args)]
struct SimulateMmseArgs {
    #[command(flatten)]
    model: ModelArgs,
    /// Noise level σ, in units of the data
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    at: f64,
    #[command(flatten)]
    run: RunArgs,
}

#[derive(Debug, Args)]
struct RunArgs {
    /// Independent replicates
    #[arg(long, value_name = "R", default_value_t = 200, value_parser = clap::value_parser!(u64).range(2..=1 << 24))]
    replicates: u64,
    /// Where to run
    #[arg(long, value_enum, default_value_t = Backend::Auto)]
    backend: Backend,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Backend {
    /// The best engine there is; so far the processor
    Auto,
    /// The processor, in double precision
    Cpu,
}

impl Backend {
    fn engine(self) -> CpuEngine {
        match self {
            Self::Auto | Self::Cpu => CpuEngine::DOUBLE,
        }
    }
}

pub(crate) fn run(args: &SimulateArgs, json: bool) -> Result<ExitCode, CliError> {
    match &args.experiment {
        Experiment::Ridge(args) => ridge(args, json),
        Experiment::Mmse(args) => mmse(args, json),
    }
}

fn ridge(args: &SimulateRidgeArgs, json: bool) -> Result<ExitCode, CliError> {
    let problem = args.problem.problem()?;
    let point = args.problem.point(&problem)?;
    let (spectrum, signal) = problem;
    let eigenvalues = spectrum.eigenvalues_descending().unwrap_or_default();
    let coefficients: Vec<f64> =
        signal.squares(eigenvalues.len())?.iter().map(|w| w.sqrt()).collect();
    let experiment = RidgeExperiment::new(
        &eigenvalues,
        &coefficients,
        args.problem.samples,
        point.ridge,
        args.problem.noise(),
        NoiseKind::Homoscedastic,
    )?;
    let progress = bar(args.run.replicates, "replicates");
    let streams = Streams { seed: args.seed, experiment: 0 };
    let sample = args.run.backend.engine().run(
        &experiment,
        streams,
        0..args.run.replicates,
        &|done, _| progress.set_position(done),
    )?;
    let sample = sample.column(0)?;
    progress.finish_and_clear();
    let note = "The theory is a limit: at finite n it is off by O(1/n).";
    report(&sample, point.risk.into(), ("excess risk", note), (args.seed, &args.run), json)
}

fn mmse(args: &SimulateMmseArgs, json: bool) -> Result<ExitCode, CliError> {
    let theory = args.model.model()?.mmse(args.at)?;
    let components = args.model.components()?;
    let parts: Vec<(f64, &[f64], &[f64])> =
        components.iter().map(|c| (c.weight, &c.mean[..], &c.variances[..])).collect();
    let experiment = DenoisingExperiment::new(&parts, &[args.at], 1)?;
    let progress = bar(args.run.replicates, "replicates");
    let streams = Streams { seed: args.model.seed, experiment: 1 };
    let sample = args.run.backend.engine().run(
        &experiment,
        streams,
        0..args.run.replicates,
        &|done, _| progress.set_position(done),
    )?;
    let sample = sample.column(0)?;
    progress.finish_and_clear();
    report(&sample, theory, ("mmse", ""), (args.model.seed, &args.run), json)
}

/// Fewest replicates that must carry the mean for its standard error to be near normal.
const FEWEST_CARRIERS: f64 = 30.0;

/// (Σx)²/Σx² for values ≥ 0: how many replicates carry the mean.
fn carriers(sample: &Sample) -> f64 {
    let largest = sample.values().iter().fold(0.0_f64, |a, &x| a.max(x));
    if largest == 0.0 {
        return 0.0;
    }
    let sum: f64 = sample.values().iter().map(|x| x / largest).sum();
    let squares: f64 = sample.values().iter().map(|x| (x / largest) * (x / largest)).sum();
    sum * sum / squares
}

/// The sample against the theory, as JSON or as a table.
fn report(
    sample: &Sample,
    theory: Evidence,
    (quantity, note): (&str, &str),
    (seed, run): (u64, &RunArgs),
    json: bool,
) -> Result<ExitCode, CliError> {
    let sampled = sample.sampled()?;
    let interval = confidence_interval(&sampled, 0.95)?;
    let comparison = Comparison::new(theory, sampled, 0.0)?;
    let carriers = carriers(sample);
    let judged = carriers >= FEWEST_CARRIERS;
    let quantiles = [0.05, 0.5, 0.95]
        .iter()
        .map(|&u| Ok(json!({"u": u, "value": sample.quantile(u)?})))
        .collect::<Result<Vec<_>, CliError>>()?;
    let engine = run.backend.engine().name();
    let value = json!({
        "mean": sampled.mean,
        "standard_error": sampled.standard_error,
        "confidence_interval_95": [interval.0, interval.1],
        "quantiles": quantiles,
        "replicates": sampled.replicates,
        "backend": "cpu",
        "adapter": engine,
        "seed": seed,
        "theory": theory.value(),
        "theory_error_bound": theory.error(),
        "theory_evidence": theory.kind(),
        "z": judged.then_some(comparison.z),
        "p_value": judged.then_some(comparison.p_value),
    });
    emit(json, &value, || {
        let mut table = Table::new([quantity, "value"]);
        table.row(["simulated mean".to_owned(), significant(sampled.mean, 6)]);
        table.row(["standard error".to_owned(), significant(sampled.standard_error, 2)]);
        table.row([format!("theory ({})", theory.kind()), number(theory.value())]);
        if judged {
            table.row(["z".to_owned(), significant(comparison.z, 3)]);
            table.row(["p-value".to_owned(), significant(comparison.p_value, 2)]);
        }
        let heading = format!("{} replicates on {engine}, seed {seed}", sampled.replicates);
        let rare = if judged {
            String::new()
        } else {
            format!(
                "The mean rests on about {carriers:.0} of the replicates: rare events that a normal \
                 standard error does not see. No z is given; use more replicates.\n"
            )
        };
        format!("{heading}\n\n{}\n{rare}{note}", table.render()).trim_end().to_owned() + "\n"
    })?;
    Ok(ExitCode::SUCCESS)
}
