//! The drawing of the figures.
//!
//! A [`Figure`] is data: panels of axes, series and annotations, without any drawing code.
//! [`Figure::to_svg`] and [`Figure::to_png`] draw the same layout, in memory and without any
//! system library or installed font: the same figure gives the same bytes.
//!
//! * Data are clipped to the axis box before they are drawn; NaN, ±∞ and, on a logarithmic
//!   axis, values ≤ 0 are gaps. A series of which nothing can be drawn is an error.
//! * Series differ by colour *and* by dash pattern or marker, so a figure survives greyscale.
//! * Margins follow from the measured labels; an automatic legend never covers data.
//!
//! ```
//! use rootrate::plot::{Axis, Figure, Panel, Series};
//!
//! let curve: Vec<(f64, f64)> = (1..=100).map(|i| (f64::from(i), 1.0 / f64::from(i))).collect();
//! let mut panel = Panel::new(Axis::log("samples n"), Axis::log("test error (data units²)"));
//! panel.series.push(Series::line("theory", 0, curve.clone()));
//! panel.series.push(Series::points("simulation", 0, curve.into_iter().step_by(9).collect()));
//! let figure = Figure::new(480, 360, vec![panel]);
//! assert!(figure.to_svg()?.starts_with("<svg"));
//! # Ok::<(), rootrate::plot::PlotError>(())
//! ```

mod axis;
mod canvas;
mod check;
pub mod clip;
mod draw;
mod error;
mod figure;
pub mod gallery;
mod layout;
mod legend;
mod png;
mod shapes;
mod style;
pub mod ticks;

pub use axis::{Axis, Scale};
pub use error::PlotError;
pub use figure::{Annotation, Corner, Figure, Legend, Mark, Panel, Series};
pub use style::{Colour, Dash, Marker};
