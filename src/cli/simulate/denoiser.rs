//! `rootrate simulate denoiser`.

use std::process::ExitCode;

use clap::{Args, ValueEnum};
use rootrate::montecarlo::{self, FeatureDenoiserExperiment, Streams};
use serde_json::json;

use super::report::{Point, Quantity, curve};
use super::run::RunArgs;
use crate::cli::CliError;
use crate::cli::output::number;
use crate::cli::population::PopulationArgs;

#[derive(Debug, Args)]
pub(super) struct DenoiserSimulation {
    /// The variances of the data, scaled to mean 1
    #[command(flatten)]
    population: PopulationArgs,
    /// Number of data n
    #[arg(long, value_name = "N")]
    samples: usize,
    /// Number of random features p
    #[arg(long, value_name = "P")]
    features: usize,
    /// Noised versions of each datum m
    #[arg(long, value_name = "M", default_value_t = 1)]
    noises: usize,
    /// Time t of the Ornstein–Uhlenbeck process: σ² = e^(2t) − 1
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    time: f64,
    /// Ridge penalty λ > 0: the loss per dimension has the term Δλ‖A‖²/(pd)
    #[arg(long, value_name = "LAMBDA", allow_negative_numbers = true)]
    ridge: f64,
    /// Nonlinearity of the features
    #[arg(long, value_enum, default_value_t = Activation::Tanh)]
    activation: Activation,
    /// Seed of the random streams
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    run: RunArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Activation {
    Tanh,
    /// max(z, 0) less its mean
    Relu,
    Erf,
}

impl From<Activation> for montecarlo::Activation {
    fn from(activation: Activation) -> Self {
        match activation {
            Activation::Tanh => Self::Tanh,
            Activation::Relu => Self::Relu,
            Activation::Erf => Self::Erf,
        }
    }
}

impl DenoiserSimulation {
    pub(super) fn run(&self, json: bool) -> Result<ExitCode, CliError> {
        let spectrum = self.population.spectrum()?;
        let eigenvalues = spectrum.eigenvalues_descending().ok_or_else(|| {
            CliError::new("a simulation needs the dimension of the data: add --dim P")
        })?;
        let mean = eigenvalues.iter().sum::<f64>() / eigenvalues.len() as f64;
        let variances: Vec<f64> = eigenvalues.iter().map(|v| v / mean).collect();
        let experiment = FeatureDenoiserExperiment::new(
            &variances,
            self.samples,
            self.features,
            self.noises,
            self.time,
            self.ridge,
            self.activation.into(),
            self.samples,
        )?;
        let streams = Streams { seed: self.seed, experiment: 4 };
        let run = self.run.run(&experiment, streams, &[0])?;
        let quantity = |name, output| Quantity { name, output, theory: None };
        let point = Point {
            place: vec![("time", json!(self.time))],
            label: number(self.time),
            quantities: vec![quantity("test", 0), quantity("train", 1), quantity("optimum", 2)],
        };
        let note = "Losses per dimension; the optimum is the training loss with its penalty. The variances are \
                    scaled to mean 1. No theory is computed here: theory/5d-feature-denoiser.md \
                    states the limit.";
        curve(&run, ("t", &[point]), note, json)?;
        Ok(ExitCode::SUCCESS)
    }
}
