//! From data models to mmse, information and entropy rate.

mod analytic;
mod clock;
mod control;
mod dirac;
mod empirical;
mod error;
mod gaussian;
mod label;
mod mixture;
mod model;
mod random_energy;
mod wishart;

pub use clock::Clock;
pub(crate) use control::first_equal;
pub use dirac::DiracMixture;
pub use empirical::{EmpiricalData, EmpiricalOptions, EmpiricalPoint};
pub use error::EntropyError;
pub use gaussian::GaussianSpectrum;
pub use mixture::{Component, GaussianMixture};
pub use model::{DataModel, LowNoise, Unit};
pub use random_energy::RandomEnergy;
pub use wishart::Wishart;
