//! Counter-based random numbers, replicated experiments and their statistics.
//!
//! A random number is a pure function of (seed, experiment, replicate, index): see [`Stream`]
//! for the layout (M1). Nothing depends on how the work is split over threads, batches or
//! machines. An experiment runs on an [`Engine`] and returns a [`Sample`], one value a
//! replicate; [`Comparison`] and [`finite_size_check`] set it against a theory.

mod activation;
mod backend;
mod checkpoint;
mod control;
mod denoising;
mod dense;
mod empirical;
mod engine;
mod error;
mod experiment;
mod feature_denoiser;
mod feature_denoiser_program;
mod finite_size;
mod frozen_features;
mod functions;
pub mod gpu;
mod least_squares;
mod moment_curve;
mod moment_matrices;
mod normal;
mod normal_moments;
mod philox;
pub mod program;
mod random_features;
mod regression;
mod resolvent_trace;
mod ridge;
mod run;
mod sample;
mod samples;
mod statistics;
mod stream;

pub use activation::Activation;
pub use backend::{Backend, open};
pub use control::{Controlled, control_variate};
pub use denoising::DenoisingExperiment;
pub use empirical::EmpiricalExperiment;
pub use engine::{CpuEngine, Engine, Progress, replicate};
pub use error::MonteCarloError;
pub use experiment::{Draws, Experiment, Precision, Scratch};
pub use feature_denoiser::FeatureDenoiserExperiment;
pub use finite_size::{FiniteSizeOutcome, finite_size_check};
pub use frozen_features::FrozenFeature;
pub use functions::exp_f32;
pub use moment_curve::MomentCurveExperiment;
pub use moment_matrices::MomentMatrices;
pub use normal_moments::NormalMoments;
pub use philox::philox4x32_10;
pub use random_features::RandomFeaturesExperiment;
pub use resolvent_trace::ResolventTraceExperiment;
pub use ridge::{NoiseKind, RidgeExperiment, TwoPoint};
pub use run::{FEWEST_CARRIERS, FEWEST_TO_STOP, Plan, Target, simulate};
pub use sample::Sample;
pub use samples::Samples;
pub use statistics::{Comparison, Moments, confidence_interval, family_threshold};
pub use stream::{Stream, Streams};
