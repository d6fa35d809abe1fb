//! `rootrate simulate resolvent`.

use std::process::ExitCode;

use clap::Args;
use num_complex::Complex64;
use rootrate::evidence::{Certified, Evidence};
use rootrate::montecarlo::{ResolventTraceExperiment, Streams};
use rootrate::resolvent::SilversteinLaw;
use serde_json::json;

use super::FINITE_SIZE;
use super::report::{Point, Quantity, curve};
use super::run::RunArgs;
use crate::cli::CliError;
use crate::cli::output::number;
use crate::cli::population::PopulationArgs;

#[derive(Debug, Args)]
pub(super) struct ResolventSimulation {
    #[command(flatten)]
    population: PopulationArgs,
    /// Number of samples n
    #[arg(long, value_name = "N")]
    samples: usize,
    /// Points z of m(z) = tr(Ŝ − z)⁻¹/p: negative numbers, or RE:IM with IM > 0
    #[arg(
        long,
        value_name = "Z,…",
        value_delimiter = ',',
        required = true,
        allow_hyphen_values = true
    )]
    at: Vec<Place>,
    /// Seed of the random streams
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    run: RunArgs,
}

/// A point of the complex plane.
#[derive(Debug, Clone, Copy)]
struct Place(Complex64);

impl std::str::FromStr for Place {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        let (re, im) = s.split_once(':').unwrap_or((s, "0"));
        match (re.trim().parse(), im.trim().parse()) {
            (Ok(re), Ok(im)) => Ok(Self(Complex64::new(re, im))),
            _ => Err(format!("`{s}` is not a point; write numbers such as -0.5 or 1:0.2")),
        }
    }
}

impl ResolventSimulation {
    pub(super) fn run(&self, json: bool) -> Result<ExitCode, CliError> {
        let spectrum = self.population.spectrum()?;
        let eigenvalues = spectrum.eigenvalues_descending().ok_or_else(|| {
            CliError::new("a simulation needs the number of features p: add --dim P")
        })?;
        let places: Vec<Complex64> = self.at.iter().map(|place| place.0).collect();
        let experiment = ResolventTraceExperiment::new(&eigenvalues, self.samples, &places)?;
        let ratio = eigenvalues.len() as f64 / self.samples as f64;
        let law = SilversteinLaw::new(&spectrum, ratio)?;
        let mut points = Vec::new();
        for (place, &z) in places.iter().enumerate() {
            let value = law.stieltjes(z)?;
            if let Some(reason) = value.reason() {
                return Err(CliError::new(format!("the theory at {z} is not proved: {reason}")));
            }
            let theory = |part| Some(Evidence::from(Certified::new(part, value.radius())));
            let (re, im) = (value.value().re, value.value().im);
            let mut quantities =
                vec![Quantity { name: "real", output: 2 * place, theory: theory(re) }];
            if z.im > 0.0 {
                let output = 2 * place + 1;
                quantities.push(Quantity { name: "imaginary", output, theory: theory(im) });
            }
            points.push(Point {
                place: vec![("re", json!(z.re)), ("im", json!(z.im))],
                label: if z.im > 0.0 {
                    format!("{} + {}i", number(z.re), number(z.im))
                } else {
                    number(z.re)
                },
                quantities,
            });
        }
        let judged: Vec<usize> =
            points.iter().flat_map(|p| p.quantities.iter().map(|q| q.output)).collect();
        let streams = Streams { seed: self.seed, experiment: 3 };
        let run = self.run.run(&experiment, streams, &judged)?;
        curve(&run, ("z", &points), FINITE_SIZE, json)?;
        Ok(ExitCode::SUCCESS)
    }
}
