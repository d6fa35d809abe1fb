//! Figures as data, and their checks.

use super::axis::{Axis, Scale, Span};
use super::style::{Colour, Dash, Marker};
use super::{PlotError, canvas, layout};

/// A figure: panels in a grid, filled row by row.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// Title over all panels; empty for none.
    pub title: String,
    /// The panels, lettered (a), (b), … when there is more than one.
    pub panels: Vec<Panel>,
    /// Panels a row.
    pub columns: usize,
    /// Width in logical pixels; the PNG has twice as many.
    pub width: u32,
    /// Height in logical pixels; the PNG has twice as many.
    pub height: u32,
}

/// One pair of axes with what is drawn on them.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// Title; empty for none.
    pub title: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis; of a bar chart only its label is used.
    pub y: Axis,
    /// The data: fills are drawn below lines, lines below points.
    pub series: Vec<Series>,
    /// Reference lines and texts.
    pub annotations: Vec<Annotation>,
    /// Where the legend goes.
    pub legend: Legend,
}

/// Data with a name and a colour.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Name in the legend; empty for no entry. Series of the same name share one entry.
    pub name: String,
    /// Colour of everything drawn for it.
    pub colour: Colour,
    /// The data and how they are drawn.
    pub mark: Mark,
}

/// How a series is drawn. Coordinates are `(x, y)` unless said otherwise.
#[derive(Debug, Clone, PartialEq)]
pub enum Mark {
    /// A line through the points in the order given, broken at gaps.
    Line {
        /// The points.
        points: Vec<(f64, f64)>,
        /// Dash pattern.
        dash: Dash,
        /// Width in logical pixels.
        width: f64,
    },
    /// A symbol at each point.
    Points {
        /// The points.
        points: Vec<(f64, f64)>,
        /// The symbol.
        marker: Marker,
    },
    /// A symbol at each point with a vertical bar `y ± e`.
    ErrorBars {
        /// `(x, y, e)` with `e ≥ 0`; a NaN `e` draws no bar.
        points: Vec<(f64, f64, f64)>,
        /// The symbol.
        marker: Marker,
    },
    /// The region between two curves.
    Band {
        /// `(x, lower, upper)`.
        points: Vec<(f64, f64, f64)>,
    },
    /// Columns over consecutive intervals.
    Histogram {
        /// Strictly increasing edges, one more than heights.
        edges: Vec<f64>,
        /// Finite heights ≥ 0, say of a density.
        heights: Vec<f64>,
    },
    /// Horizontal bars, first on top, each with its value at its end; the only series of its
    /// panel.
    Bars {
        /// Names at the vertical axis.
        labels: Vec<String>,
        /// Finite values, > 0 on a logarithmic axis.
        values: Vec<f64>,
        /// Half-lengths of error bars, finite and ≥ 0; empty for none.
        errors: Vec<f64>,
    },
}

/// What is said about the data.
#[derive(Debug, Clone, PartialEq)]
pub enum Annotation {
    /// A thin vertical reference line; its label may be empty.
    Vertical {
        /// Where.
        x: f64,
        /// Its label, placed beside the line where it covers least.
        label: String,
    },
    /// A thin horizontal reference line; its label may be empty.
    Horizontal {
        /// Where.
        y: f64,
        /// Its label, placed above or below the line where it covers least.
        label: String,
    },
    /// A text that starts at a point of the data plane.
    Text {
        /// Left end.
        x: f64,
        /// Middle height.
        y: f64,
        /// The text.
        text: String,
    },
}

/// Where the legend goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Legend {
    /// Inside the box where it covers no data, or else above the box.
    Auto,
    /// In a corner, whatever is there, or above the box if it does not fit.
    Corner(Corner),
    /// Above the box.
    Above,
    /// Nowhere.
    None,
}

/// A corner of the axis box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Corner {
    TopLeft,
    TopRight,
    BottomLeft,
    BottomRight,
}

impl Figure {
    /// A figure without title, all panels in one row. `width × height` in logical pixels.
    pub fn new(width: u32, height: u32, panels: Vec<Panel>) -> Self {
        Self { title: String::new(), columns: panels.len(), panels, width, height }
    }

    /// The figure as an SVG document. Text stays text (DejaVu Sans, or what the viewer has, set
    /// to the same width).
    ///
    /// # Errors
    /// When the figure is not valid or too small for its labels; see [`PlotError`].
    pub fn to_svg(&self) -> Result<String, PlotError> {
        canvas::svg(self, &layout::layout(self)?)
    }

    /// The figure as a PNG file of `2·width × 2·height` pixels.
    ///
    /// # Errors
    /// As [`Self::to_svg`].
    pub fn to_png(&self) -> Result<Vec<u8>, PlotError> {
        canvas::png(self, &layout::layout(self)?)
    }
}

impl Panel {
    /// A panel without data, with an automatic legend.
    pub fn new(x: Axis, y: Axis) -> Self {
        Self {
            title: String::new(),
            x,
            y,
            series: Vec::new(),
            annotations: Vec::new(),
            legend: Legend::Auto,
        }
    }

    /// The bars' names when this is a bar chart.
    pub(super) fn bar_labels(&self) -> Option<&[String]> {
        match self.series.first().map(|s| &s.mark) {
            Some(Mark::Bars { labels, .. }) => Some(labels),
            _ => None,
        }
    }

    /// The ranges of both axes. Those taken from the data leave a margin at points and above
    /// curves, and none at the ends of curves, at a histogram's base or at the bars' zero.
    pub(super) fn spans(&self, panel: usize) -> Result<(Span, Span), PlotError> {
        let corners: Vec<(f64, f64)> =
            self.series.iter().flat_map(|s| s.mark.corners(self.x.scale, self.y.scale)).collect();
        let symbols = self
            .series
            .iter()
            .any(|s| matches!(s.mark, Mark::Points { .. } | Mark::ErrorBars { .. }));
        let vertical = self.annotations.iter().filter_map(|a| match a {
            Annotation::Vertical { x, .. } | Annotation::Text { x, .. } => Some(*x),
            Annotation::Horizontal { .. } => None,
        });
        let horizontal = self.annotations.iter().filter_map(|a| match a {
            Annotation::Horizontal { y, .. } | Annotation::Text { y, .. } => Some(*y),
            Annotation::Vertical { .. } => None,
        });
        let resolve = |name, axis: &Axis, values: Vec<f64>, padding, keep_sign| match axis.range {
            Some((lower, upper)) => Span::explicit(lower, upper, axis.scale)
                .map_err(|valid| PlotError::Range { panel, axis: name, lower, upper, valid }),
            None => Span::automatic(values.into_iter(), axis.scale, padding, keep_sign)
                .ok_or(PlotError::NoData { panel, axis: name }),
        };
        let x_padding = match self.bar_labels() {
            Some(_) => 0.05,
            None if symbols => 0.03,
            None => 0.0,
        };
        let xs = corners.iter().map(|p| p.0).chain(vertical).collect();
        let x = resolve("x", &self.x, xs, x_padding, !symbols)?;
        let y = match self.bar_labels() {
            Some(names) => Span::rows(names.len()),
            None => {
                let ys = corners.iter().map(|p| p.1).chain(horizontal).collect();
                resolve("y", &self.y, ys, 0.05, true)?
            }
        };
        Ok((x, y))
    }
}

impl Series {
    /// A line in the `k`-th colour and dash pattern, 1.8 px wide.
    pub fn line(name: impl Into<String>, k: usize, points: Vec<(f64, f64)>) -> Self {
        Self::new(name, k, Mark::Line { points, dash: Dash::nth(k), width: 1.8 })
    }

    /// Symbols in the `k`-th colour and form.
    pub fn points(name: impl Into<String>, k: usize, points: Vec<(f64, f64)>) -> Self {
        Self::new(name, k, Mark::Points { points, marker: Marker::nth(k) })
    }

    /// Symbols with error bars `(x, y, e)` in the `k`-th colour and form.
    pub fn error_bars(name: impl Into<String>, k: usize, points: Vec<(f64, f64, f64)>) -> Self {
        Self::new(name, k, Mark::ErrorBars { points, marker: Marker::nth(k) })
    }

    /// A band `(x, lower, upper)` in a tint of the `k`-th colour.
    pub fn band(name: impl Into<String>, k: usize, points: Vec<(f64, f64, f64)>) -> Self {
        Self::new(name, k, Mark::Band { points })
    }

    /// A histogram in a tint of the `k`-th colour.
    pub fn histogram(
        name: impl Into<String>,
        k: usize,
        edges: Vec<f64>,
        heights: Vec<f64>,
    ) -> Self {
        Self::new(name, k, Mark::Histogram { edges, heights })
    }

    /// Named horizontal bars in the first colour; `errors` may be empty.
    pub fn bars(labels: Vec<String>, values: Vec<f64>, errors: Vec<f64>) -> Self {
        Self::new("", 0, Mark::Bars { labels, values, errors })
    }

    fn new(name: impl Into<String>, k: usize, mark: Mark) -> Self {
        Self { name: name.into(), colour: Colour::nth(k), mark }
    }

    /// The same series in another colour.
    pub fn colour(mut self, colour: Colour) -> Self {
        self.colour = colour;
        self
    }
}

impl Mark {
    /// Points whose bounding box is that of the drawing; those that cannot be shown are left in.
    pub(super) fn corners(&self, x: Scale, y: Scale) -> Vec<(f64, f64)> {
        match self {
            Self::Line { points, .. } | Self::Points { points, .. } => {
                points.iter().copied().filter(|p| x.shows(p.0) && y.shows(p.1)).collect()
            }
            Self::ErrorBars { points, .. } => {
                let visible = points.iter().filter(|p| x.shows(p.0) && y.shows(p.1));
                visible.flat_map(|&(x, y, e)| [y, y - e, y + e].map(|y| (x, y))).collect()
            }
            Self::Band { points } => {
                let visible =
                    points.iter().filter(|p| x.shows(p.0) && p.1.is_finite() && y.shows(p.2));
                visible.flat_map(|&(x, a, b)| [(x, a), (x, b)]).collect()
            }
            Self::Histogram { edges, heights } => {
                let base = edges.iter().map(|&e| (e, 0.0));
                edges.iter().copied().zip(heights.iter().copied()).chain(base).collect()
            }
            Self::Bars { values, errors, .. } => {
                let ends = values.iter().enumerate().flat_map(|(i, &v)| {
                    let e = errors.get(i).copied().unwrap_or(0.0);
                    [v, v - e, v + e]
                });
                let base = (!values.is_empty()).then_some(0.0);
                ends.chain(base).map(|v| (v, 0.0)).collect()
            }
        }
    }
}
