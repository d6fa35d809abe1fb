//! From series to what is drawn: clipped geometry in logical pixels.

use super::axis::Span;
use super::clip::{self, Point, Rect};
use super::figure::{Mark, Series};
use super::style::{Dash, Marker};

/// Width of outlines and error bars.
const THIN: f64 = 1.1;
/// Half-length of the caps of error bars.
const CAP: f64 = 2.8;

/// The axis box with its map from data.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Plane {
    pub(super) plot: Rect,
    pub(super) x: Span,
    pub(super) y: Span,
}

impl Plane {
    pub(super) fn px(&self, x: f64) -> f64 {
        self.plot.x0 + self.x.unit(x) * self.plot.width()
    }

    pub(super) fn py(&self, y: f64) -> f64 {
        self.plot.y1 - self.y.unit(y) * self.plot.height()
    }

    pub(super) fn at(&self, p: Point) -> Point {
        (self.px(p.0), self.py(p.1))
    }

    /// As [`Self::py`], with everything below the axis (0 on a logarithmic one) at its foot.
    fn foot(&self, y: f64) -> f64 {
        if y.is_finite() && y <= self.y.lower { self.plot.y1 } else { self.py(y) }
    }

    /// As [`Self::px`], moved into the box.
    pub(super) fn within(&self, x: f64) -> f64 {
        if x <= self.x.lower { self.plot.x0 } else { self.px(x).clamp(self.plot.x0, self.plot.x1) }
    }

    /// Where bars start: at zero, or at the left end of a logarithmic axis.
    pub(super) fn bar_base(&self) -> f64 {
        self.within(0.0)
    }
}

/// What is drawn of one series.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Shapes {
    /// Filled polygons and their opacity.
    pub(super) fills: Vec<Vec<Point>>,
    pub(super) opacity: f64,
    /// Lines, their width and their dash pattern.
    pub(super) lines: Vec<Vec<Point>>,
    pub(super) width: f64,
    pub(super) pattern: &'static [f64],
    /// Centres of symbols.
    pub(super) symbols: Vec<Point>,
    pub(super) marker: Option<Marker>,
}

impl Shapes {
    pub(super) fn of(series: &Series, plane: &Plane) -> Self {
        let plot = &plane.plot;
        let inside = |points: &mut dyn Iterator<Item = Point>| -> Vec<Point> {
            points.map(|p| plane.at(p)).filter(|&p| plot.contains(p)).collect()
        };
        let solid = Dash::Solid.pattern();
        match &series.mark {
            Mark::Line { points, dash, width } => {
                let path: Vec<Point> = points.iter().map(|&p| plane.at(p)).collect();
                let lines = clip::polyline(&path, plot);
                Self { lines, width: *width, pattern: dash.pattern(), ..Self::default() }
            }
            Mark::Points { points, marker } => Self {
                symbols: inside(&mut points.iter().copied()),
                marker: Some(*marker),
                ..Self::default()
            },
            Mark::ErrorBars { points, marker } => {
                let bars = points.iter().flat_map(|&(x, y, e)| {
                    let (px, top, bottom) = (plane.px(x), plane.py(y + e), plane.foot(y - e));
                    let caps = [top, bottom].map(|y| [(px - CAP, y), (px + CAP, y)]);
                    [[(px, bottom), (px, top)], caps[0], caps[1]]
                });
                Self {
                    lines: bars.flat_map(|bar| clip::polyline(&bar, plot)).collect(),
                    width: THIN,
                    pattern: solid,
                    symbols: inside(&mut points.iter().map(|p| (p.0, p.1))),
                    marker: Some(*marker),
                    ..Self::default()
                }
            }
            Mark::Band { points } => {
                let edges: Vec<[Point; 2]> = points
                    .iter()
                    .map(|&(x, a, b)| [(plane.px(x), plane.foot(a)), (plane.px(x), plane.py(b))])
                    .collect();
                let gap = |e: &[Point; 2]| e.iter().any(|p| p.0.is_nan() || p.1.is_nan());
                let polygon = |run: &[[Point; 2]]| {
                    let back = run.iter().rev().map(|e| e[1]);
                    clip::polygon(&run.iter().map(|e| e[0]).chain(back).collect::<Vec<_>>(), plot)
                };
                let fills = edges.split(gap).map(polygon).filter(|p| p.len() > 2).collect();
                Self { fills, opacity: 0.22, ..Self::default() }
            }
            Mark::Histogram { edges, heights } => {
                let base = plane.foot(0.0);
                let mut outline = vec![(plane.px(edges[0]), base)];
                for (pair, &height) in edges.windows(2).zip(heights) {
                    let y = plane.foot(height);
                    outline.extend([(plane.px(pair[0]), y), (plane.px(pair[1]), y)]);
                }
                outline.push((plane.px(edges[edges.len() - 1]), base));
                Self {
                    fills: vec![clip::polygon(&outline, plot)],
                    opacity: 0.25,
                    lines: clip::polyline(&outline, plot),
                    width: THIN,
                    pattern: solid,
                    ..Self::default()
                }
            }
            Mark::Bars { values, errors, .. } => {
                let row = plane.py(0.0) - plane.py(1.0);
                let half = (0.34 * row.abs()).min(13.0);
                let base = plane.bar_base();
                let bar = |(i, &v): (usize, &f64)| {
                    let (y, end) = (plane.py(-(i as f64)), plane.px(v));
                    let corners =
                        [(base, y - half), (end, y - half), (end, y + half), (base, y + half)];
                    clip::polygon(&corners, plot)
                };
                let whisker = |(i, (&v, &e)): (usize, (&f64, &f64))| {
                    let y = plane.py(-(i as f64));
                    let low = if v - e <= plane.x.lower { plot.x0 } else { plane.px(v - e) };
                    let high = plane.px(v + e);
                    let caps = [low, high].map(|x| [(x, y - CAP), (x, y + CAP)]);
                    [[(low, y), (high, y)], caps[0], caps[1]]
                };
                let whiskers = values.iter().zip(errors).enumerate().flat_map(whisker);
                Self {
                    fills: values.iter().enumerate().map(bar).collect(),
                    opacity: 1.0,
                    lines: whiskers.flat_map(|w| clip::polyline(&w, plot)).collect(),
                    width: THIN,
                    pattern: solid,
                    ..Self::default()
                }
            }
        }
    }
}
