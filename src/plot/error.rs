//! What can be wrong with a figure.

use thiserror::Error;

/// Errors of [`Figure::to_svg`](super::Figure::to_svg) and
/// [`Figure::to_png`](super::Figure::to_png). Panels are counted from 0.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum PlotError {
    /// The figure has no panel, or more than there are letters for.
    #[error("a figure has 1 to 26 panels, this one has {count}")]
    PanelCount {
        /// Panels given.
        count: usize,
    },
    /// The number of columns does not fit the panels.
    #[error("{columns} columns for {panels} panels: between 1 and {panels} are valid")]
    Columns {
        /// Columns asked for.
        columns: usize,
        /// Panels given.
        panels: usize,
    },
    /// The canvas is too small or too large.
    #[error(
        "{width} × {height} px: sides from 120 to 4000 and at most 2,000,000 px in all are valid"
    )]
    Size {
        /// Width asked for.
        width: u32,
        /// Height asked for.
        height: u32,
    },
    /// The labels leave no room for the data.
    #[error("panel {panel}: its labels leave no room for the data; make the figure larger")]
    TooSmall {
        /// Which panel.
        panel: usize,
    },
    /// An axis has no label.
    #[error("panel {panel}: the {axis} axis has no label; give the quantity and its unit")]
    MissingLabel {
        /// Which panel.
        panel: usize,
        /// `"x"` or `"y"`.
        axis: &'static str,
    },
    /// A text cannot be written on one line.
    #[error("the text {text:?} holds a control character; one line of printable text is valid")]
    Text {
        /// The text.
        text: String,
    },
    /// An explicit axis range is empty, reversed, not finite, or too narrow for its ticks.
    #[error("panel {panel}: {axis} range {lower:e} to {upper:e}: {valid}")]
    Range {
        /// Which panel.
        panel: usize,
        /// `"x"` or `"y"`.
        axis: &'static str,
        /// Lower end.
        lower: f64,
        /// Upper end.
        upper: f64,
        /// What would be valid.
        valid: &'static str,
    },
    /// A panel holds neither data nor explicit ranges.
    #[error("panel {panel}: neither data nor explicit ranges to take the {axis} axis from")]
    NoData {
        /// Which panel.
        panel: usize,
        /// `"x"` or `"y"`.
        axis: &'static str,
    },
    /// Nothing of a series can be drawn.
    #[error(
        "panel {panel}: series {series:?} has no drawable point (all NaN, ∞, or ≤ 0 on a logarithmic axis)"
    )]
    EmptySeries {
        /// Which panel.
        panel: usize,
        /// Name of the series.
        series: String,
    },
    /// The data of a series do not fit together.
    #[error("panel {panel}: series {series:?}: {reason}")]
    Series {
        /// Which panel.
        panel: usize,
        /// Name of the series.
        series: String,
        /// What is wrong and what would be valid.
        reason: &'static str,
    },
    /// An annotation has no place on the axes.
    #[error("panel {panel}: annotation {text:?} at {value:e}: not a number its axis can show")]
    Annotation {
        /// Which panel.
        panel: usize,
        /// Its text.
        text: String,
        /// The coordinate.
        value: f64,
    },
    /// The drawing backend failed.
    #[error("drawing failed: {0}")]
    Backend(String),
}
