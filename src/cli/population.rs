//! POP: the options that name a population spectrum.

use std::path::PathBuf;

use clap::Args;
use rootrate::data::{digits, read_eigenvalues, read_matrix};
use rootrate::spectrum::Spectrum;

use super::CliError;

/// Exactly one of these names the population spectrum.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Population spectrum (give one)")]
pub(crate) struct PopulationArgs {
    /// Eigenvalues with their weights, e.g. 1:0.5,10:0.5
    #[arg(long, value_name = "VALUE:WEIGHT,…", group = "population", allow_hyphen_values = true)]
    atoms: Option<String>,
    /// The identity covariance
    #[arg(long, group = "population")]
    identity: bool,
    /// Eigenvalues k^(−E), k = 1…P; needs --dim P
    #[arg(long, value_name = "E", group = "population", allow_negative_numbers = true)]
    power_law: Option<f64>,
    /// AR(1) covariance R^|i−j|; needs --dim P
    #[arg(long, value_name = "R", group = "population", allow_negative_numbers = true)]
    ar1: Option<f64>,
    /// A file of eigenvalues, one a line (.csv, .txt) or .npy
    #[arg(long, value_name = "FILE", group = "population")]
    eigenvalues: Option<PathBuf>,
    /// The covariance of a data file, rows are samples (.npy, .csv, IDX)
    #[arg(long, value_name = "FILE", group = "population")]
    covariance_of: Option<PathBuf>,
    /// The covariance of the 10,000 digits that ship with the program (p = 784)
    #[arg(long, group = "population")]
    digits: bool,
    /// Dimension p, where only a law is given
    #[arg(long, value_name = "P")]
    dim: Option<usize>,
}

impl PopulationArgs {
    /// The spectrum that the options name.
    pub(crate) fn spectrum(&self) -> Result<Spectrum, CliError> {
        let law = if let Some(text) = &self.atoms {
            let (atoms, weights) = parse_atoms(text)?;
            Spectrum::from_atoms(&atoms, &weights)?
        } else if self.identity {
            Spectrum::identity()
        } else if let Some(exponent) = self.power_law {
            return Ok(Spectrum::power_law(exponent, self.required_dim("--power-law")?)?);
        } else if let Some(r) = self.ar1 {
            return Ok(Spectrum::ar1(r, self.required_dim("--ar1")?)?);
        } else if let Some(path) = &self.eigenvalues {
            self.refuse_dim("--eigenvalues")?;
            return Ok(Spectrum::from_eigenvalues(&read_eigenvalues(path)?)?);
        } else if let Some(path) = &self.covariance_of {
            self.refuse_dim("--covariance-of")?;
            return Ok(Spectrum::from_data(&read_matrix(path)?)?);
        } else if self.digits {
            self.refuse_dim("--digits")?;
            return Ok(Spectrum::from_data(&digits())?);
        } else {
            return Err(CliError::new(
                "no population spectrum given: use one of --atoms, --identity, --power-law, \
                 --ar1, --eigenvalues, --covariance-of, --digits",
            ));
        };
        Ok(match self.dim {
            Some(p) => law.with_dimension(p)?,
            None => law,
        })
    }

    fn required_dim(&self, option: &str) -> Result<usize, CliError> {
        self.dim.ok_or_else(|| {
            CliError::new(format!("{option} needs the dimension: add --dim P, a whole number ≥ 1"))
        })
    }

    fn refuse_dim(&self, option: &str) -> Result<(), CliError> {
        match self.dim {
            Some(_) => {
                Err(CliError::new(format!("--dim does not go with {option}, which has its own")))
            }
            None => Ok(()),
        }
    }
}

/// What a reader must know about a spectrum that came out of an eigensolver or a file.
pub(crate) fn note(spectrum: &Spectrum) -> Option<String> {
    let clipped = spectrum.clipped();
    (clipped > 0).then(|| format!("{clipped} eigenvalue(s) within rounding of 0 were set to 0"))
}

/// `value:weight,…`; a lone `value` stands for weight 1.
fn parse_atoms(text: &str) -> Result<(Vec<f64>, Vec<f64>), CliError> {
    let number = |s: &str, item: &str| {
        s.trim().parse::<f64>().map_err(|_| {
            CliError::new(format!(
                "--atoms: `{s}` in `{item}` is not a number; write value:weight pairs such as 1:0.5,10:0.5"
            ))
        })
    };
    let mut atoms = Vec::new();
    let mut weights = Vec::new();
    for item in text.split(',') {
        let (value, weight) = item.split_once(':').unwrap_or((item, "1"));
        atoms.push(number(value, item)?);
        weights.push(number(weight, item)?);
    }
    Ok((atoms, weights))
}
