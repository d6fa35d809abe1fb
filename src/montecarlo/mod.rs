//! Counter-based random numbers, replicated experiments and their statistics.
//!
//! A random number is a pure function of (seed, experiment, replicate, index): see [`Stream`]
//! for the layout (M1). Nothing depends on how the work is split over threads, batches or
//! machines.

mod normal;
mod philox;
mod stream;

pub use philox::philox4x32_10;
pub use stream::Stream;
