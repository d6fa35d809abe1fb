//! From data models to mmse, information and entropy rate.

mod clock;
mod control;
mod empirical;
mod error;
mod label;
mod mixture;
mod model;

pub use clock::Clock;
pub use empirical::{EmpiricalData, EmpiricalOptions, EmpiricalPoint};
pub use error::EntropyError;
pub use mixture::{Component, GaussianMixture};
pub use model::{DataModel, LowNoise, Unit};
