//! Population spectra: probability measures H on [0, ∞), discrete or with a continuous law.

mod atoms;
mod continuous;
mod covariance;
mod error;
mod laws;

pub use atoms::Spectrum;
pub use continuous::ContinuousLaw;
pub(crate) use continuous::{MAX_NODES, Quadrature};
pub use error::SpectrumError;
