//! `rootrate simulate mmse`.

use std::process::ExitCode;

use clap::Args;
use rootrate::montecarlo::{DenoisingExperiment, Streams};
use serde_json::json;

use super::report::{Point, Quantity, curve};
use super::run::RunArgs;
use crate::cli::CliError;
use crate::cli::model::ModelArgs;
use crate::cli::output::number;

#[derive(Debug, Args)]
pub(super) struct MmseSimulation {
    #[command(flatten)]
    model: ModelArgs,
    /// Noise levels σ, in units of the data; all see the same draws
    #[arg(
        long,
        value_name = "S,…",
        value_delimiter = ',',
        required = true,
        allow_negative_numbers = true
    )]
    at: Vec<f64>,
    #[command(flatten)]
    run: RunArgs,
}

impl MmseSimulation {
    pub(super) fn run(&self, json: bool) -> Result<ExitCode, CliError> {
        let model = self.model.model()?;
        let mut points = Vec::new();
        for (level, &sigma) in self.at.iter().enumerate() {
            let quantity = |name, output, theory| Quantity { name, output, theory: Some(theory) };
            points.push(Point {
                place: vec![("sigma", json!(sigma))],
                label: number(sigma),
                quantities: vec![
                    quantity("mmse", 2 * level, model.mmse(sigma)?),
                    quantity("information", 2 * level + 1, model.information(sigma)?),
                ],
            });
        }
        let components = self.model.components()?;
        let parts: Vec<(f64, &[f64], &[f64])> =
            components.iter().map(|c| (c.weight, &c.mean[..], &c.variances[..])).collect();
        let experiment = DenoisingExperiment::new(&parts, &self.at, 1)?;
        let streams = Streams { seed: self.model.seed, experiment: 1 };
        let errors: Vec<usize> = (0..self.at.len()).map(|level| 2 * level).collect();
        let run = self.run.run(&experiment, streams, &errors)?;
        curve(&run, ("σ", &points), "", json)?;
        Ok(ExitCode::SUCCESS)
    }
}
