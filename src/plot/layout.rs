//! From measured labels to margins, and to the place of everything.

use super::PlotError;
use super::axis::{Scale, Span};
use super::canvas::Type;
use super::clip::Rect;
use super::figure::{Figure, Mark, Panel};
use super::legend::{self, Key, Note, Occupancy};
use super::shapes::{Plane, Shapes};
use super::style::{INK, size};
use super::ticks::{self, Ticks};

/// Space around the figure and between panels.
pub(super) const PAD: f64 = 10.0;
const GAP: f64 = 22.0;
/// Between a tick and its label.
pub(super) const TICK_GAP: f64 = 4.0;
/// Below the box: ticks, their labels and the axis label.
const BOTTOM: f64 = size::TICK_LENGTH + TICK_GAP + size::TICK + 6.0 + 1.25 * size::LABEL;
/// Between the end of a bar and its value.
pub(super) const VALUE_GAP: f64 = 6.0;
/// Height of a panel's header.
pub(super) const HEADER: f64 = 1.7 * size::HEADER;

/// A panel in its place.
#[derive(Debug, Clone)]
pub(super) struct Frame {
    pub(super) cell: Rect,
    pub(super) plane: Plane,
    pub(super) x_ticks: Ticks,
    pub(super) y_ticks: Ticks,
    /// Baseline of the vertical axis label.
    pub(super) y_label: f64,
    pub(super) shapes: Vec<Shapes>,
    pub(super) notes: Vec<Note>,
    pub(super) key: Option<Key>,
}

/// Checks the figure and places everything on it.
pub(super) fn layout(figure: &Figure) -> Result<Vec<Frame>, PlotError> {
    figure.check()?;
    let spans = figure
        .panels
        .iter()
        .enumerate()
        .map(|(index, panel)| panel.spans(index))
        .collect::<Result<Vec<_>, _>>()?;
    let rows = figure.panels.len().div_ceil(figure.columns);
    let mut frames = frames(figure, &spans, &vec![0.0; rows])?;
    let mut above = vec![false; frames.len()];
    for ((frame, panel), above) in frames.iter_mut().zip(&figure.panels).zip(&mut above) {
        *above = !frame.fill(panel);
    }
    if above.contains(&true) {
        let mut heights = vec![0.0f64; rows];
        for (index, frame) in frames.iter().enumerate().filter(|f| above[f.0]) {
            let height = legend::above(&figure.panels[index], &frame.plane.plot).1;
            let row = index / figure.columns;
            heights[row] = heights[row].max(height);
        }
        frames = self::frames(figure, &spans, &heights)?;
        for ((frame, panel), above) in frames.iter_mut().zip(&figure.panels).zip(above) {
            let fits = frame.fill(panel);
            if above || !fits {
                frame.key = Some(legend::above(panel, &frame.plane.plot).0);
            }
        }
    }
    Ok(frames)
}

impl Frame {
    /// Places what is inside the box; false if the legend must go above.
    fn fill(&mut self, panel: &Panel) -> bool {
        let mut occupancy = Occupancy::default();
        self.shapes = panel.series.iter().map(|s| Shapes::of(s, &self.plane)).collect();
        self.shapes.iter().for_each(|shapes| occupancy.add_shapes(shapes));
        self.notes = legend::notes(panel, &self.plane, &mut occupancy);
        match legend::inside(panel, &self.plane.plot, &mut occupancy) {
            Ok(key) => {
                self.key = key;
                true
            }
            Err(legend::GoesAbove) => false,
        }
    }
}

/// The boxes of all panels, aligned in rows and columns, with `extra` space above each row.
fn frames(figure: &Figure, spans: &[(Span, Span)], extra: &[f64]) -> Result<Vec<Frame>, PlotError> {
    let columns = figure.columns;
    let rows = extra.len();
    let head = if figure.title.is_empty() { 0.0 } else { 1.7 * size::TITLE };
    let (width, height) = (f64::from(figure.width), f64::from(figure.height));
    let cell_width = (width - 2.0 * PAD - (columns - 1) as f64 * GAP) / columns as f64;
    let cell_height = (height - 2.0 * PAD - head - (rows - 1) as f64 * GAP) / rows as f64;

    let mut top = vec![0.0; rows];
    for (row, panels) in figure.panels.chunks(columns).enumerate() {
        let header = figure.panels.len() > 1 || panels.iter().any(|p| !p.title.is_empty());
        top[row] = if header { HEADER } else { 0.0 } + extra[row] + size::TICK / 2.0;
    }

    let kind = Type::plain(size::TICK, INK);
    let mut left = vec![0.0f64; columns];
    let mut right = vec![PAD; columns];
    let mut vertical = Vec::new();
    for (index, (panel, (x, y))) in figure.panels.iter().zip(spans).enumerate() {
        let (row, column) = (index / columns, index % columns);
        let plot_height = cell_height - top[row] - BOTTOM;
        let ticks = match panel.bar_labels() {
            Some(names) => {
                let major = names.iter().enumerate().map(|(i, n)| (-(i as f64), n.clone()));
                Ticks { major: major.collect(), minor: Vec::new() }
            }
            None => y.ticks(((plot_height / 36.0) as usize).clamp(3, 9)),
        };
        let label = if panel.y.label.is_empty() { 0.0 } else { 1.2 * size::LABEL + 7.0 };
        let widest = ticks.major.iter().map(|t| kind.width(&t.1)).fold(0.0, f64::max);
        let ticks_width = widest + TICK_GAP + size::TICK_LENGTH;
        left[column] = left[column].max(label + ticks_width);
        vertical.push((ticks, ticks_width));
        let trial = x_ticks(x, cell_width - left[column] - PAD);
        if let (Some(first), Some(last)) = (trial.major.first(), trial.major.last()) {
            left[column] = left[column].max(kind.width(&first.1) / 2.0);
            right[column] = right[column].max(kind.width(&last.1) / 2.0);
        }
    }

    let mut frames = Vec::new();
    for (index, ((x, y), (y_ticks, ticks_width))) in spans.iter().zip(vertical).enumerate() {
        let (row, column) = (index / columns, index % columns);
        let cell = Rect::sized(
            PAD + column as f64 * (cell_width + GAP),
            PAD + head + row as f64 * (cell_height + GAP),
            cell_width,
            cell_height,
        );
        let plot = Rect {
            x0: cell.x0 + left[column],
            y0: cell.y0 + top[row],
            x1: cell.x1 - right[column],
            y1: cell.y1 - BOTTOM,
        };
        if plot.width() < 60.0 || plot.height() < 50.0 {
            return Err(PlotError::TooSmall { panel: index });
        }
        let x = with_room_for_values(&figure.panels[index], *x, plot.width());
        frames.push(Frame {
            cell,
            plane: Plane { plot, x, y: *y },
            x_ticks: x_ticks(&x, plot.width()),
            y_ticks,
            y_label: plot.x0 - ticks_width - 7.0 - 0.25 * size::LABEL,
            shapes: Vec::new(),
            notes: Vec::new(),
            key: None,
        });
    }
    Ok(frames)
}

/// Widens an automatic axis from zero so that the value of each bar fits beyond its end, unless
/// that would take more than half of the axis.
fn with_room_for_values(panel: &Panel, span: Span, width: f64) -> Span {
    let free = panel.x.range.is_none() && span.scale == Scale::Linear && span.lower == 0.0;
    let Some(Mark::Bars { values, errors, .. }) = panel.series.first().map(|s| &s.mark) else {
        return span;
    };
    if !free {
        return span;
    }
    let needed = values.iter().enumerate().map(|(i, &value)| {
        let error = errors.get(i).copied();
        let label = ticks::value_label(value, error);
        let room = Type::plain(size::LEGEND, INK).width(&label) + 2.0 * VALUE_GAP + 1.0;
        (value + error.unwrap_or(0.0)) * (width / (width - room.min(width / 2.0)))
    });
    Span { upper: needed.fold(span.upper, f64::max).min(f64::MAX), ..span }
}

/// As many ticks as fit side by side on `width`.
fn x_ticks(span: &Span, width: f64) -> Ticks {
    let kind = Type::plain(size::TICK, INK);
    let fits = |ticks: &Ticks| {
        let ends: Vec<(f64, f64)> = ticks
            .major
            .iter()
            .map(|(v, label)| (span.unit(*v) * width, kind.width(label) / 2.0))
            .collect();
        ends.windows(2).all(|w| w[0].0 + w[0].1 + 0.9 * size::TICK <= w[1].0 - w[1].1)
    };
    let most = ((width / 45.0).max(0.0) as usize).clamp(3, 11);
    (2..=most).rev().map(|max| span.ticks(max)).find(fits).unwrap_or_else(|| {
        let mut ticks = span.ticks(2);
        ticks.major.truncate(1);
        ticks
    })
}
