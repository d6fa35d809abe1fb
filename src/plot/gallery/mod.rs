//! The figures themselves: each computes its data and describes a [`Figure`].
//!
//! A figure is a pure function of its [`Settings`]: drawn twice, on any number of threads, it
//! gives the same bytes.

mod allocation;
mod contour;
mod efficiency;
mod entropy;
mod learning_curve;
mod models;
mod risk_surface;
mod sample_covariance;
mod schedules;
mod spectrum;

use super::Figure;

pub use sample_covariance::sample_covariance;

/// How a figure is computed.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// Fewer replicates.
    pub quick: bool,
    /// Seed of every random stream.
    pub seed: u64,
}

/// A computation inside a figure failed.
#[derive(Debug, thiserror::Error)]
#[error("figure `{figure}`: {message}")]
pub struct GalleryError {
    /// Name of the figure.
    pub figure: &'static str,
    /// What went wrong.
    pub message: String,
}

/// A figure by name.
#[derive(Debug, Clone, Copy)]
pub struct Drawing {
    /// File name without extension.
    pub name: &'static str,
    /// What it shows, in one or two sentences.
    pub caption: &'static str,
    /// Computes its data and describes it.
    pub draw: fn(&Settings) -> Result<Figure, GalleryError>,
}

/// Every figure, in the order of the report.
pub fn all() -> Vec<Drawing> {
    vec![
        spectrum::DRAWING,
        learning_curve::DRAWING,
        risk_surface::DRAWING,
        entropy::DRAWING,
        schedules::DRAWING,
        efficiency::DRAWING,
        allocation::DRAWING,
    ]
}

/// Any error of any module that a figure draws on.
type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Says which figure failed.
fn in_figure(figure: &'static str) -> impl Fn(Failure) -> GalleryError {
    move |source| GalleryError { figure, message: source.to_string() }
}
