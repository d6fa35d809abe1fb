//! Probability laws over noise levels: √-entropy laws, their efficiency, allocation of draws.
//!
//! Theory page `4-schedule.md`. A [`NoiseLaw`] is where to draw σ; a [`RateProfile`] is the
//! entropy rate that the optimal law is the root of; [`efficiency`] compares any law with the
//! optimal one; [`Allocation`] spends a finite number of draws.

mod allocation;
mod closed;
mod efficiency;
mod error;
mod law;
mod named;
mod profile;
mod table;

pub use allocation::Allocation;
pub use efficiency::{efficiency, efficiency_table};
pub use error::ScheduleError;
pub use law::NoiseLaw;
pub use profile::{RateProfile, entropy_law, sqrt_entropy};
