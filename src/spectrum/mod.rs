//! Population spectra: discrete probability measures H on [0, ∞).

mod atoms;
mod error;

pub use atoms::Spectrum;
pub use error::SpectrumError;
