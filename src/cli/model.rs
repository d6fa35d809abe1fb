//! MODEL: the options that name a distribution of the data.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use rootrate::data::{DataMatrix, digits, read_matrix};
use rootrate::entropy::{
    Component, DataModel, DiracMixture, EmpiricalData, EmpiricalOptions, GaussianMixture,
    GaussianSpectrum, RandomEnergy, Wishart,
};
use rootrate::spectrum::Spectrum;

use super::CliError;

/// Most coordinates of a simulated Gaussian.
const MOST_COORDINATES: u128 = 1_000_000;

/// Exactly one of these names the data model.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Data model (give one)")]
pub(crate) struct ModelArgs {
    /// Point masses: numbers such as -1,1, or points x:y,… of any dimension
    #[arg(long, value_name = "POINT,…", group = "model", allow_hyphen_values = true)]
    diracs: Option<String>,
    /// Weights of the point masses (default: equal)
    #[arg(
        long,
        value_name = "W,…",
        requires = "diracs",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    weights: Option<Vec<f64>>,
    /// A Gaussian with these variances, each with a multiplicity: VAR[:MULT],…
    #[arg(long, value_name = "VAR[:MULT],…", group = "model", allow_hyphen_values = true)]
    gaussian: Option<String>,
    /// A Gaussian mixture: TOML with [[component]] weight, mean, variance
    #[arg(long, value_name = "FILE", group = "model")]
    mixture: Option<PathBuf>,
    /// A Gaussian whose covariance is a white Wishart matrix of ratio C, per coordinate
    #[arg(long, value_name = "C", group = "model", allow_negative_numbers = true)]
    wishart: Option<f64>,
    /// e^(αd) Gaussian points in d → ∞ dimensions, per coordinate
    #[arg(long, value_name = "ALPHA", group = "model", allow_negative_numbers = true)]
    random_energy: Option<f64>,
    /// A data file, rows are samples (.npy, .csv, IDX)
    #[arg(long, value_name = "FILE", group = "model")]
    data: Option<PathBuf>,
    /// The 10,000 digits that ship with the program (28×28, values in [0, 1])
    #[arg(long, group = "model")]
    digits: bool,
    /// What a data set stands for
    #[arg(long, value_enum, default_value_t = Approximation::Empirical)]
    approximation: Approximation,
    /// Noisy queries of the data set at every level
    #[arg(long, value_name = "Q", default_value_t = 1000)]
    queries: usize,
    /// Seed of the Monte Carlo estimates
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(crate) seed: u64,
}

/// The two readings of a data set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Approximation {
    /// Its points themselves, all equally likely: the memorising denoiser
    Empirical,
    /// The Gaussian with its covariance: the linear denoiser
    Gaussian,
}

impl ModelArgs {
    /// The model that the options name.
    pub(crate) fn model(&self) -> Result<Box<dyn DataModel>, CliError> {
        if let Some(text) = &self.diracs {
            self.dirac_model(text)
        } else if let Some(text) = &self.gaussian {
            Ok(Box::new(GaussianSpectrum::from_variances(&parse_variances(text)?)?))
        } else if let Some(path) = &self.mixture {
            Ok(Box::new(
                GaussianMixture::from_toml_file(path)?.with_sampling(self.queries, self.seed)?,
            ))
        } else if let Some(ratio) = self.wishart {
            Ok(Box::new(Wishart::new(ratio)?))
        } else if let Some(alpha) = self.random_energy {
            Ok(Box::new(RandomEnergy::new(alpha)?))
        } else if let Some(data) = self.data_set()? {
            match self.approximation {
                Approximation::Empirical => Ok(Box::new(self.empirical(&data)?)),
                Approximation::Gaussian => {
                    Ok(Box::new(GaussianSpectrum::new(&Spectrum::from_data(&data)?)?))
                }
            }
        } else {
            Err(CliError::new(
                "no data model given: use one of --diracs, --gaussian, --mixture, --wishart, \
                 --random-energy, --data, --digits",
            ))
        }
    }

    /// The Gaussian with the covariance of the data set, when the model is one.
    pub(crate) fn linear_reference(&self) -> Result<Option<GaussianSpectrum>, CliError> {
        match (self.data_set()?, self.approximation) {
            (Some(data), Approximation::Empirical) => {
                Ok(Some(GaussianSpectrum::new(&Spectrum::from_data(&data)?)?))
            }
            _ => Ok(None),
        }
    }

    /// The data set as an empirical law, when that is what the options name.
    pub(crate) fn empirical_model(&self) -> Result<Option<EmpiricalData>, CliError> {
        match (self.data_set()?, self.approximation) {
            (Some(data), Approximation::Empirical) => Ok(Some(self.empirical(&data)?)),
            _ => Ok(None),
        }
    }

    fn empirical(&self, data: &DataMatrix) -> Result<EmpiricalData, CliError> {
        let options = EmpiricalOptions { queries: self.queries, seed: self.seed };
        Ok(EmpiricalData::new(data, options)?)
    }

    /// The data set whose points are equally likely, when that is what the options name.
    pub(crate) fn empirical_set(&self) -> Result<Option<DataMatrix>, CliError> {
        match self.approximation {
            Approximation::Empirical => self.data_set(),
            Approximation::Gaussian => Ok(None),
        }
    }

    fn data_set(&self) -> Result<Option<DataMatrix>, CliError> {
        Ok(match &self.data {
            Some(path) => Some(read_matrix(path)?),
            None if self.digits => Some(digits()),
            None => None,
        })
    }

    /// The model as a Gaussian mixture, for those that are one.
    pub(crate) fn components(&self) -> Result<Vec<Component>, CliError> {
        if let Some(text) = &self.diracs {
            let (points, weights) = self.points(text)?;
            Ok(points
                .into_iter()
                .zip(weights)
                .map(|(x, w)| Component::isotropic(w, x, 0.0))
                .collect())
        } else if let Some(text) = &self.gaussian {
            let variances = parse_variances(text)?;
            let dimension: u128 = variances.iter().map(|&(_, k)| k as u128).sum();
            if dimension > MOST_COORDINATES {
                return Err(CliError::new(format!(
                    "--gaussian: a simulation in {dimension} dimensions is too large, at most {MOST_COORDINATES}"
                )));
            }
            let repeat = |(v, k): (f64, usize)| std::iter::repeat_n(v, k);
            let variances: Vec<f64> = variances.into_iter().flat_map(repeat).collect();
            Ok(vec![Component { weight: 1.0, mean: vec![0.0; variances.len()], variances }])
        } else if let Some(path) = &self.mixture {
            Ok(GaussianMixture::from_toml_file(path)?.components().to_vec())
        } else {
            Err(CliError::new(
                "a simulation needs points or a mixture: use one of --diracs, --gaussian, --mixture, --data, --digits",
            ))
        }
    }

    /// The points of `--diracs` with their weights, one a point.
    fn points(&self, text: &str) -> Result<(Vec<Vec<f64>>, Vec<f64>), CliError> {
        let points = parse_points(text)?;
        let k = points.len();
        let weights = self.weights.clone().unwrap_or_else(|| vec![1.0 / k as f64; k]);
        if weights.len() != k {
            return Err(CliError::new(format!(
                "--weights: {} given for {k} points; give one a point",
                weights.len()
            )));
        }
        Ok((points, weights))
    }

    fn dirac_model(&self, text: &str) -> Result<Box<dyn DataModel>, CliError> {
        let (points, weights) = self.points(text)?;
        if points[0].len() <= 2 {
            return Ok(Box::new(DiracMixture::new(&points, &weights)?));
        }
        let components = self.components()?;
        Ok(Box::new(GaussianMixture::new(components)?.with_sampling(self.queries, self.seed)?))
    }
}

/// `a,b,…` or `x:y,…`.
fn parse_points(text: &str) -> Result<Vec<Vec<f64>>, CliError> {
    let bad = |item: &str| {
        CliError::new(format!(
            "--diracs: `{item}` is not a point; write numbers such as -1,1 or points such as 0:0,1:0.5"
        ))
    };
    text.split(',')
        .map(|item| {
            item.split(':')
                .map(|s| s.trim().parse().map_err(|_| bad(item)))
                .collect::<Result<_, _>>()
        })
        .collect()
}

/// `VAR[:MULT],…`.
fn parse_variances(text: &str) -> Result<Vec<(f64, usize)>, CliError> {
    let parse = |item: &str| {
        let bad = || {
            CliError::new(format!(
                "--gaussian: `{item}` is not valid; write variances with whole multiplicities such as 4,0.25:3"
            ))
        };
        let (variance, multiplicity) = item.split_once(':').unwrap_or((item, "1"));
        let variance = variance.trim().parse().map_err(|_| bad())?;
        Ok((variance, multiplicity.trim().parse().map_err(|_| bad())?))
    };
    text.split(',').map(parse).collect()
}
