//! What the linear learners of `rootrate risk` learn from: features, signal and noise.

use std::path::PathBuf;

use clap::Args;
use rootrate::data::read_eigenvalues;
use rootrate::learning::Signal;
use rootrate::spectrum::Spectrum;

use crate::cli::CliError;
use crate::cli::population::PopulationArgs;

#[derive(Debug, Clone, Args)]
pub(crate) struct ProblemArgs {
    #[command(flatten)]
    population: PopulationArgs,
    /// Noise variance τ²
    #[arg(long, value_name = "TAU2", allow_negative_numbers = true)]
    pub(crate) noise: f64,
    /// Signal: flat, power:E (w_k² ∝ k^(−E), largest eigenvalue first), or a file of w_k²
    #[arg(long, value_name = "SHAPE", default_value = "flat")]
    signal: String,
    /// Total signal power P = Σ w_k² (default 1)
    #[arg(long, value_name = "P", allow_negative_numbers = true)]
    power: Option<f64>,
}

impl ProblemArgs {
    /// The spectrum with its dimension, and the signal.
    pub(crate) fn read(&self) -> Result<(Spectrum, Signal), CliError> {
        let spectrum = self.population.spectrum()?;
        if spectrum.dimension().is_none() {
            return Err(CliError::new(
                "a learning curve needs the number of features p: add --dim P, a whole number ≥ 1",
            ));
        }
        let power = self.power.unwrap_or(1.0);
        let signal = match self.signal.split_once(':') {
            None if self.signal == "flat" => Signal::Flat { power },
            Some(("power", exponent)) => {
                let exponent = exponent.parse().map_err(|_| {
                    CliError::new(format!(
                        "--signal: `{exponent}` is not an exponent; write for example power:0.5"
                    ))
                })?;
                Signal::Power { exponent, power }
            }
            _ if self.power.is_some() => {
                return Err(CliError::new(
                    "--power goes with --signal flat or power:E; a file says its own power",
                ));
            }
            _ => {
                let path = PathBuf::from(&self.signal);
                if !path.exists() {
                    return Err(CliError::new(format!(
                        "--signal: `{}` is neither `flat`, nor `power:E`, nor an existing file of w_k²",
                        self.signal
                    )));
                }
                Signal::Custom(read_eigenvalues(&path)?)
            }
        };
        Ok((spectrum, signal))
    }
}
