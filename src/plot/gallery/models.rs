//! The data models that more than one figure shows.

use std::sync::{Mutex, OnceLock, PoisonError};

use super::{Failure, Settings};
use crate::data::digits;
use crate::entropy::{
    DataModel, DiracMixture, EmpiricalData, EmpiricalOptions, EmpiricalPoint, EntropyError,
    GaussianSpectrum, RandomEnergy, Unit, Wishart,
};
use crate::spectrum::Spectrum;

/// The noise levels of EDM (Karras et al. 2022), from σ_min to σ_max.
pub(super) const EDM_RANGE: (f64, f64) = (0.002, 80.0);
/// Where the rate of the ±1 pair is a floating-point number.
pub(super) const PAIR_RANGE: (f64, f64) = (0.05, EDM_RANGE.1);
/// The standard deviation that EDM assumes of its data.
pub(super) const EDM_SIGMA_DATA: f64 = 0.5;
/// Pixels of a digit.
pub(super) const PIXELS: f64 = 784.0;
/// ln N/d of the random-energy limit.
pub(super) const RANDOM_ENERGY_ALPHA: f64 = 1.0;
/// p/n of the Wishart covariance.
pub(super) const WISHART_RATIO: f64 = 0.3;

/// Noise levels where the empirical law of the digits has a rate: below the first it is
/// negligible, above the last it is that of Gaussian data.
const EMPIRICAL_RANGE: (f64, f64) = (0.1, 80.0);

/// `count` noise levels in geometric progression.
pub(super) fn levels((low, high): (f64, f64), count: usize) -> Vec<f64> {
    let step = (high / low).ln() / (count - 1) as f64;
    (0..count)
        .map(|i| match i {
            0 => low,
            _ if i + 1 == count => high,
            _ => low * (i as f64 * step).exp(),
        })
        .collect()
}

/// ±1 with equal probability.
pub(super) fn pair() -> Result<DiracMixture, EntropyError> {
    DiracMixture::on_line(&[-1.0, 1.0], &[0.5, 0.5])
}

/// One Gaussian coordinate of standard deviation `s`.
pub(super) fn gaussian(s: f64) -> Result<GaussianSpectrum, EntropyError> {
    GaussianSpectrum::from_variances(&[(s * s, 1)])
}

/// Gaussian data with a Wishart covariance of mean 1.
pub(super) fn wishart() -> Result<Wishart, EntropyError> {
    Wishart::new(WISHART_RATIO)
}

/// Exponentially many points drawn from the standard Gaussian.
pub(super) fn random_energy() -> Result<RandomEnergy, EntropyError> {
    RandomEnergy::new(RANDOM_ENERGY_ALPHA)
}

/// The eigenvalues of the covariance of the digits.
pub(super) fn digits_spectrum() -> Result<&'static Spectrum, Failure> {
    // a constant of the crate that takes a second to compute
    static SPECTRUM: OnceLock<Result<Spectrum, String>> = OnceLock::new();
    let spectrum = SPECTRUM
        .get_or_init(|| Spectrum::from_data(&digits()).map_err(|error| error.to_string()))
        .as_ref()
        .map_err(|message| message.as_str())?;
    Ok(spectrum)
}

/// Gaussian data with the covariance of the digits.
pub(super) fn digits_gaussian() -> Result<GaussianSpectrum, Failure> {
    Ok(GaussianSpectrum::new(digits_spectrum()?)?)
}

/// The empirical law of the digits at its noise levels, in ascending order.
pub(super) fn digits_empirical(settings: &Settings) -> Result<Vec<EmpiricalPoint>, Failure> {
    let (queries, count) = if settings.quick { (60, 50) } else { (1000, 90) };
    // several figures of one report show it, and it takes a while to compute
    static LATEST: Mutex<Option<(EmpiricalOptions, Vec<EmpiricalPoint>)>> = Mutex::new(None);
    let options = EmpiricalOptions { queries, seed: settings.seed };
    let mut latest = LATEST.lock().unwrap_or_else(PoisonError::into_inner);
    match &*latest {
        Some((known, points)) if *known == options => Ok(points.clone()),
        _ => {
            let law = EmpiricalData::new(&digits(), options)?;
            let points = law.profile(&levels(EMPIRICAL_RANGE, count), None)?;
            *latest = Some((options, points.clone()));
            Ok(points)
        }
    }
}

/// What a model's totals are divided by to become values per coordinate.
pub(super) fn coordinates(model: &dyn DataModel) -> f64 {
    match model.unit() {
        Unit::Total { dimension } => dimension as f64,
        Unit::PerCoordinate => 1.0,
    }
}
