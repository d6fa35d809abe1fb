//! `rootrate simulate mmse`.

use std::process::ExitCode;

use clap::Args;
use rootrate::entropy::DataModel;
use rootrate::evidence::{Estimated, Evidence, Sampled};
use rootrate::montecarlo::{DenoisingExperiment, EmpiricalExperiment, Experiment, Streams};
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
        let streams = Streams { seed: self.model.seed, experiment: 1 };
        let model = self.model.model()?;
        if let Some(data) = self.model.empirical_set()? {
            let experiment = EmpiricalExperiment::new(&data, &self.at)?;
            let entropy = experiment.entropy();
            let second = |information| ("posterior entropy", difference(entropy, information));
            return self.report(&*model, &experiment, streams, second, json);
        }
        let components = self.model.components()?;
        let parts: Vec<(f64, &[f64], &[f64])> =
            components.iter().map(|c| (c.weight, &c.mean[..], &c.variances[..])).collect();
        let experiment = DenoisingExperiment::new(&parts, &self.at, 1)?;
        let second = |information| ("information", information);
        self.report(&*model, &experiment, streams, second, json)
    }

    /// Runs an experiment with two outputs a level: the mmse, and what `second` makes of the
    /// information.
    fn report(
        &self,
        model: &dyn DataModel,
        experiment: &dyn Experiment,
        streams: Streams,
        second: impl Fn(Evidence) -> (&'static str, Evidence),
        json: bool,
    ) -> Result<ExitCode, CliError> {
        let mut points = Vec::new();
        for (level, &sigma) in self.at.iter().enumerate() {
            let quantity = |(name, theory), output| Quantity { name, output, theory: Some(theory) };
            points.push(Point {
                place: vec![("sigma", json!(sigma))],
                label: number(sigma),
                quantities: vec![
                    quantity(("mmse", model.mmse(sigma)?), 2 * level),
                    quantity(second(model.information(sigma)?), 2 * level + 1),
                ],
            });
        }
        let errors: Vec<usize> = (0..self.at.len()).map(|level| 2 * level).collect();
        let run = self.run.run(experiment, streams, &errors)?;
        curve(&run, ("σ", &points), "", json)?;
        Ok(ExitCode::SUCCESS)
    }
}

/// H − I, as sure as I.
fn difference(entropy: f64, information: Evidence) -> Evidence {
    match information {
        Evidence::Sampled(s) => Evidence::Sampled(Sampled { mean: entropy - s.mean, ..s }),
        other => Evidence::Estimated(Estimated {
            value: entropy - other.value(),
            estimate: other.error() + 4.0 * f64::EPSILON * entropy,
        }),
    }
}
