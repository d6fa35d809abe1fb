//! Learning curves in closed or fixed-point form (theory page 2).
//!
//! [`Ridge`] is the learning curve of one linear learner: effective ridge (R1), degrees of
//! freedom (R2), bias and variance (R3)–(R5), the best penalty (R6). Every value is proved to
//! a relative accuracy of about 1e-14, at the interpolation threshold and at any condition
//! number (R7). [`RandomFeatures`] is the same learner on random projections of the features
//! (page 7). [`SampleSpectrum`] and [`CrossValidation`] go the other way, from one sample to
//! the effective ridge and the risk (page 8). [`decoupling_defect`] is what happens to the variance when the noise depends
//! on the features (R8).

mod cross_validation;
mod decoupling;
mod error;
mod fixed_point;
mod from_sample;
mod load;
mod optimum;
mod random_features;
mod ridge;
mod signal;
mod start;
mod sums;

pub use cross_validation::{CrossValidation, CrossValidationPoint};
pub use decoupling::{DecouplingDefect, ScaleClass, decoupling_defect};
pub use error::LearningError;
pub use from_sample::{SamplePoint, SampleSpectrum};
pub use optimum::OptimalRidge;
pub use random_features::{RandomFeatures, RandomFeaturesPoint};
pub use ridge::{Ridge, RidgePoint, ridgeless_gaussian_exact};
pub use signal::Signal;
