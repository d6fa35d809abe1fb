//! Where legends and labels go: wherever they cover least.

use std::collections::HashSet;

use super::canvas::Type;
use super::clip::{Point, Rect};
use super::figure::{Annotation, Corner, Legend, Panel, Series};
use super::shapes::{Plane, Shapes};
use super::style::{INK, size};

/// Side of the cells in which occupation is counted; texts keep about one clear.
const SPACING: f64 = 3.0;
/// Space from the axis box or from a reference line.
const INSET: f64 = 7.0;
/// Height of an entry, and width of its sample with the gap after it.
pub(super) const ROW: f64 = 1.45 * size::LEGEND;
pub(super) const SAMPLE: f64 = 34.0;
pub(super) const SAMPLE_GAP: f64 = 7.0;

/// What is already on the plane.
#[derive(Debug, Clone, Default)]
pub(super) struct Occupancy {
    /// Cells that a line or a symbol touches, in units of the spacing.
    cells: HashSet<(i32, i32)>,
    fills: Vec<Vec<Point>>,
    texts: Vec<Rect>,
}

impl Occupancy {
    pub(super) fn add_shapes(&mut self, shapes: &Shapes) {
        self.cells.extend(shapes.symbols.iter().map(|&p| cell(p)));
        for line in shapes.lines.iter().chain(&shapes.fills) {
            self.add_line(line);
        }
        self.fills.extend(shapes.fills.iter().cloned());
    }

    fn add_line(&mut self, line: &[Point]) {
        for pair in line.windows(2) {
            let (a, b) = (pair[0], pair[1]);
            let steps = ((b.0 - a.0).hypot(b.1 - a.1) / SPACING).ceil().max(1.0);
            let at = |i: f64| (a.0 + i / steps * (b.0 - a.0), a.1 + i / steps * (b.1 - a.1));
            self.cells.extend((0..=steps as usize).map(|i| cell(at(i as f64))));
        }
    }

    /// How much `rect` covers; 0 when nothing. Another text weighs more than any data.
    fn cost(&self, rect: &Rect) -> usize {
        let grown = rect.grown(SPACING + 1.0);
        let (low, high) = (cell((grown.x0, grown.y0)), cell((grown.x1, grown.y1)));
        let cells = (low.0..=high.0).flat_map(|i| (low.1..=high.1).map(move |j| (i, j)));
        let touched = cells.filter(|c| self.cells.contains(c)).count();
        let centre = ((rect.x0 + rect.x1) / 2.0, (rect.y0 + rect.y1) / 2.0);
        let fills = self.fills.iter().filter(|polygon| encloses(polygon, centre)).count();
        let texts = self.texts.iter().filter(|text| text.overlaps(&grown)).count();
        touched + 50 * fills + 100_000 * texts
    }

    /// The first of the candidates that covers least, marked as taken, with its cost.
    fn place(&mut self, candidates: impl Iterator<Item = Rect>) -> Option<(Rect, usize)> {
        let best = candidates.map(|r| (r, self.cost(&r))).min_by_key(|c| c.1)?;
        self.texts.push(best.0);
        Some(best)
    }
}

fn cell(p: Point) -> (i32, i32) {
    ((p.0 / SPACING).floor() as i32, (p.1 / SPACING).floor() as i32)
}

/// Even-odd rule.
fn encloses(polygon: &[Point], p: Point) -> bool {
    let previous = polygon.iter().cycle().skip(polygon.len().saturating_sub(1));
    let crossed = previous.zip(polygon).filter(|(a, b)| {
        (a.1 > p.1) != (b.1 > p.1) && p.0 < a.0 + (p.1 - a.1) / (b.1 - a.1) * (b.0 - a.0)
    });
    crossed.count() % 2 == 1
}

/// A reference line with its label, or a text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Note {
    pub(super) line: Option<[Point; 2]>,
    pub(super) label: Option<(String, Rect)>,
}

/// Places the annotations of a panel that lie inside the box.
pub(super) fn notes(panel: &Panel, plane: &Plane, occupancy: &mut Occupancy) -> Vec<Note> {
    let plot = plane.plot;
    let lines: Vec<Option<[Point; 2]>> = panel
        .annotations
        .iter()
        .map(|annotation| match annotation {
            Annotation::Vertical { x, .. } => {
                let x = plane.px(*x);
                (plot.x0..=plot.x1).contains(&x).then_some([(x, plot.y0), (x, plot.y1)])
            }
            Annotation::Horizontal { y, .. } => {
                let y = plane.py(*y);
                (plot.y0..=plot.y1).contains(&y).then_some([(plot.x0, y), (plot.x1, y)])
            }
            Annotation::Text { .. } => None,
        })
        .collect();
    for line in lines.iter().flatten() {
        occupancy.add_line(line);
    }
    let mut notes = Vec::new();
    for (annotation, line) in panel.annotations.iter().zip(lines) {
        let (Annotation::Vertical { label: text, .. }
        | Annotation::Horizontal { label: text, .. }
        | Annotation::Text { text, .. }) = annotation;
        let kind = Type::plain(size::LEGEND, INK);
        let width = kind.width(text).min(plot.width() - 6.0);
        let boxed = |x: f64, y: f64| {
            let x = x.min(plot.x1 - 3.0 - width).max(plot.x0 + 3.0);
            let y = y.min(plot.y1 - 2.0 - ROW).max(plot.y0 + 2.0);
            Rect::sized(x, y, width, ROW)
        };
        let rows = (plot.height() / ROW) as usize;
        let candidates: Vec<Rect> = match (annotation, line) {
            _ if text.is_empty() => Vec::new(),
            (Annotation::Vertical { .. }, Some([(x, _), _])) => (0..rows)
                .map(|row| plot.y0 + 4.0 + row as f64 * ROW)
                .flat_map(|y| [boxed(x + INSET, y), boxed(x - INSET - width, y)])
                .collect(),
            (Annotation::Horizontal { .. }, Some([(_, y), _])) => (0..=8)
                .map(|i| plot.x1 - INSET - width - f64::from(i) / 8.0 * (plot.width() - width))
                .flat_map(|x| [boxed(x, y - ROW - 4.0), boxed(x, y + 4.0)])
                .collect(),
            (Annotation::Text { x, y, .. }, _) => {
                let (x, y) = plane.at((*x, *y));
                if plot.contains((x, y)) { vec![boxed(x, y - ROW / 2.0)] } else { Vec::new() }
            }
            _ => Vec::new(),
        };
        let place = occupancy.place(candidates.into_iter());
        let label = place.map(|(rect, _)| (text.clone(), rect));
        notes.push(Note { line, label });
    }
    notes
}

/// A legend in its place: for each entry its text, the series that share it, and the left
/// middle of its sample.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Key {
    /// The frame, when inside the axis box.
    pub(super) frame: Option<Rect>,
    pub(super) entries: Vec<(String, Vec<usize>, Point)>,
}

fn entries(series: &[Series]) -> Vec<(String, Vec<usize>)> {
    let mut entries: Vec<(String, Vec<usize>)> = Vec::new();
    for (index, name) in series.iter().map(|s| &s.name).enumerate().filter(|s| !s.1.is_empty()) {
        match entries.iter_mut().find(|entry| entry.0 == *name) {
            Some(entry) => entry.1.push(index),
            None => entries.push((name.clone(), vec![index])),
        }
    }
    entries
}

fn entry_width(name: &str) -> f64 {
    SAMPLE + SAMPLE_GAP + Type::plain(size::LEGEND, INK).width(name)
}

/// The legend inside the box, `None` if there is none, or an error if it must go above.
pub(super) fn inside(
    panel: &Panel,
    plot: &Rect,
    occupancy: &mut Occupancy,
) -> Result<Option<Key>, GoesAbove> {
    let entries = entries(&panel.series);
    if entries.is_empty() || panel.legend == Legend::None {
        return Ok(None);
    }
    let text = entries.iter().map(|e| entry_width(&e.0)).fold(0.0, f64::max);
    let (width, height) = (text + 16.0, entries.len() as f64 * ROW + 8.0);
    let room = (plot.width() - 2.0 * INSET - width, plot.height() - 2.0 * INSET - height);
    let at = |u: f64, v: f64| {
        Rect::sized(plot.x0 + INSET + u * room.0, plot.y0 + INSET + v * room.1, width, height)
    };
    let fits = room.0 >= 0.0 && room.1 >= 0.0;
    let frame = match panel.legend {
        Legend::Corner(corner) if fits => match corner {
            Corner::TopLeft => at(0.0, 0.0),
            Corner::TopRight => at(1.0, 0.0),
            Corner::BottomLeft => at(0.0, 1.0),
            Corner::BottomRight => at(1.0, 1.0),
        },
        Legend::Auto if fits => {
            let corners = [(1.0, 0.0), (0.0, 0.0), (1.0, 1.0), (0.0, 1.0)];
            let steps = [0.0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1.0];
            let others = steps.iter().flat_map(|&v| steps.iter().rev().map(move |&u| (u, v)));
            let candidates = corners.into_iter().chain(others).map(|(u, v)| at(u, v));
            match occupancy.place(candidates) {
                Some((frame, 0)) => frame,
                _ => return Err(GoesAbove),
            }
        }
        _ => return Err(GoesAbove),
    };
    let place = |(i, (name, series)): (usize, (String, Vec<usize>))| {
        (name, series, (frame.x0 + 8.0, frame.y0 + 4.0 + (i as f64 + 0.5) * ROW))
    };
    let entries = entries.into_iter().enumerate().map(place).collect();
    Ok(Some(Key { frame: Some(frame), entries }))
}

/// There is no room for the legend inside the box.
#[derive(Debug)]
pub(super) struct GoesAbove;

/// The legend above the box in as many rows as it needs, from the box upwards, and its height.
pub(super) fn above(panel: &Panel, plot: &Rect) -> (Key, f64) {
    const GAP: f64 = 18.0;
    let mut rows = 1;
    let mut x = plot.x0;
    let mut placed = Vec::new();
    for (name, series) in entries(&panel.series) {
        let width = entry_width(&name);
        if x > plot.x0 && x + width > plot.x1 {
            rows += 1;
            x = plot.x0;
        }
        placed.push((name, series, (x, f64::from(rows))));
        x += width + GAP;
    }
    let height = f64::from(rows) * ROW + 4.0;
    let top = plot.y0 - size::TICK / 2.0 - height;
    for entry in &mut placed {
        entry.2.1 = top + (entry.2.1 - 0.5) * ROW;
    }
    (Key { frame: None, entries: placed }, height)
}
