//! Counter-based random numbers, replicated experiments and their statistics.
//!
//! A random number is a pure function of (seed, experiment, replicate, index): see [`Stream`]
//! for the layout (M1). Nothing depends on how the work is split over threads, batches or
//! machines. An experiment runs on an [`Engine`] and returns a [`Sample`], one value a
//! replicate; [`Comparison`] and [`finite_size_check`] set it against a theory.

mod activation;
mod denoising;
mod dense;
mod engine;
mod error;
mod experiment;
mod feature_denoiser;
mod feature_denoiser_program;
mod finite_size;
mod functions;
pub mod gpu;
mod normal;
mod normal_moments;
mod philox;
pub mod program;
mod random_features;
mod regression;
mod ridge;
mod sample;
mod samples;
mod statistics;
mod stream;

pub use activation::Activation;
pub use denoising::DenoisingExperiment;
pub use engine::{CpuEngine, Engine, Progress, replicate};
pub use error::MonteCarloError;
pub use experiment::{Draws, Experiment, Precision, Scratch};
pub use feature_denoiser::FeatureDenoiserExperiment;
pub use finite_size::{FiniteSizeOutcome, finite_size_check};
pub use functions::exp_f32;
pub use normal_moments::NormalMoments;
pub use philox::philox4x32_10;
pub use random_features::RandomFeaturesExperiment;
pub use ridge::{NoiseKind, RidgeExperiment, TwoPoint};
pub use sample::Sample;
pub use samples::Samples;
pub use statistics::{Comparison, Moments, confidence_interval, family_threshold};
pub use stream::{Stream, Streams};
