//! The Marchenko–Pastur law and its resolvent.

mod error;
mod marchenko_pastur;

pub use error::ResolventError;
pub use marchenko_pastur::MarchenkoPastur;
