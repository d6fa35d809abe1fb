//! Population spectra: discrete probability measures H on [0, ∞).

mod atoms;
mod covariance;
mod error;
mod laws;

pub use atoms::Spectrum;
pub use error::SpectrumError;
