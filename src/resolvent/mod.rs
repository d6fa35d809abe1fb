//! Spectral laws of sample covariances and their resolvents: the Marchenko–Pastur law in closed
//! form, and the law of any population spectrum.

mod continuous;
mod error;
mod marchenko_pastur;
pub mod silverstein;

pub use continuous::{ContinuousEdges, ContinuousPopulation};
pub use error::ResolventError;
pub use marchenko_pastur::MarchenkoPastur;
pub use silverstein::SilversteinLaw;
