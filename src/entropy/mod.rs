//! From data models to mmse, information and entropy rate.

mod clock;
mod error;
mod model;

pub use clock::Clock;
pub use error::EntropyError;
pub use model::{DataModel, LowNoise, Unit};
