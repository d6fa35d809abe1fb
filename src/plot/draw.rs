//! Drawing of a laid-out figure, the same for every backend.

use super::PlotError;
use super::canvas::{Anchor, Canvas, Output, Type};
use super::clip::{Point, Rect};
use super::figure::{Figure, Mark, Panel, Series};
use super::layout::{Frame, HEADER, PAD, TICK_GAP, VALUE_GAP};
use super::legend::{Key, Note, SAMPLE, SAMPLE_GAP};
use super::shapes::Shapes;
use super::style::{Colour, GRID, INK, Marker, WHITE, size};
use super::ticks;

/// From the middle of a text's height down to its baseline, in em (half the height of capitals
/// and digits).
const MIDDLE: f64 = 0.365;
/// Width of the axis box and of ticks.
const FRAME: f64 = 1.0;

pub(super) fn draw<B: Output>(
    canvas: &mut Canvas<B>,
    figure: &Figure,
    frames: &[Frame],
) -> Result<(), PlotError> {
    canvas.clear(figure)?;
    let width = f64::from(figure.width);
    let kind = Type::bold(size::TITLE, INK).fitted(&figure.title, width - 2.0 * PAD);
    let at = (width / 2.0, PAD + size::TITLE);
    canvas.text(&figure.title, at, Anchor::Middle, kind, true)?;
    for (index, (panel, frame)) in figure.panels.iter().zip(frames).enumerate() {
        let letter = (figure.panels.len() > 1).then(|| (b'a' + index as u8) as char);
        header(canvas, letter, &panel.title, frame)?;
        axes(canvas, panel, frame)?;
        data(canvas, panel, frame)?;
        frame_box(canvas, &frame.plane.plot)?;
        frame.notes.iter().try_for_each(|n| note_label(canvas, n))?;
        if let Some(key) = &frame.key {
            draw_key(canvas, key, panel, frame)?;
        }
    }
    Ok(())
}

fn header<B: Output>(
    canvas: &mut Canvas<B>,
    letter: Option<char>,
    title: &str,
    frame: &Frame,
) -> Result<(), PlotError> {
    let y = frame.cell.y0 + 0.62 * HEADER;
    let mut x = frame.plane.plot.x0;
    if let Some(letter) = letter {
        let (text, kind) = (format!("({letter})"), Type::bold(size::HEADER, INK));
        canvas.text(&text, (x, y), Anchor::Left, kind, true)?;
        x += kind.width(&text) + 0.5 * size::HEADER;
    }
    let kind = Type::plain(size::HEADER, INK).fitted(title, frame.cell.x1 - x);
    canvas.text(title, (x, y), Anchor::Left, kind, true)
}

/// Grid, ticks and labels.
fn axes<B: Output>(canvas: &mut Canvas<B>, panel: &Panel, frame: &Frame) -> Result<(), PlotError> {
    let (cell, plot) = (&frame.cell, &frame.plane.plot);
    let tick = Type::plain(size::TICK, INK);
    let bars = panel.bar_labels().is_some();
    let x_at = |v: f64| frame.plane.px(v).clamp(plot.x0, plot.x1);
    let y_at = |v: f64| frame.plane.py(v).clamp(plot.y0, plot.y1);

    for x in frame.x_ticks.major.iter().map(|t| x_at(t.0)) {
        canvas.line(&[(x, plot.y0), (x, plot.y1)], 0.8, GRID, &[])?;
    }
    for y in frame.y_ticks.major.iter().filter(|_| !bars).map(|t| y_at(t.0)) {
        canvas.line(&[(plot.x0, y), (plot.x1, y)], 0.8, GRID, &[])?;
    }
    let minor = 0.6 * size::TICK_LENGTH;
    for &v in &frame.x_ticks.minor {
        canvas.line(&[(x_at(v), plot.y1), (x_at(v), plot.y1 + minor)], 0.7, INK, &[])?;
    }
    for &v in &frame.y_ticks.minor {
        canvas.line(&[(plot.x0 - minor, y_at(v)), (plot.x0, y_at(v))], 0.7, INK, &[])?;
    }
    for (v, label) in &frame.x_ticks.major {
        let x = x_at(*v);
        let foot = plot.y1 + size::TICK_LENGTH;
        canvas.line(&[(x, plot.y1), (x, foot)], FRAME, INK, &[])?;
        canvas.text(label, (x, foot + TICK_GAP + 0.8 * size::TICK), Anchor::Middle, tick, true)?;
    }
    for (v, label) in &frame.y_ticks.major {
        let y = y_at(*v);
        let foot = plot.x0 - size::TICK_LENGTH;
        if !bars {
            canvas.line(&[(foot, y), (plot.x0, y)], FRAME, INK, &[])?;
        }
        let at = (foot - TICK_GAP, y + MIDDLE * size::TICK);
        canvas.text(label, at, Anchor::Right, tick, true)?;
    }

    let (cx, cy) = ((plot.x0 + plot.x1) / 2.0, (plot.y0 + plot.y1) / 2.0);
    let kind = Type::plain(size::LABEL, INK);
    let fitted = kind.fitted(&panel.x.label, 2.0 * (cx - cell.x0).min(cell.x1 - cx));
    let at = (cx, cell.y1 - 0.3 * size::LABEL);
    canvas.text(&panel.x.label, at, Anchor::Middle, fitted, true)?;
    let fitted = kind.fitted(&panel.y.label, 2.0 * (cy - cell.y0).min(cell.y1 - cy));
    let at = (frame.y_label, cy);
    canvas.text(&panel.y.label, at, Anchor::Middle, fitted, false)
}

fn frame_box<B: Output>(canvas: &mut Canvas<B>, plot: &Rect) -> Result<(), PlotError> {
    let (a, b) = ((plot.x0, plot.y0), (plot.x1, plot.y1));
    canvas.line(&[a, (b.0, a.1), b, (a.0, b.1), a, (b.0, a.1)], FRAME, INK, &[])
}

/// Fills, then reference lines, then lines, then symbols.
fn data<B: Output>(canvas: &mut Canvas<B>, panel: &Panel, frame: &Frame) -> Result<(), PlotError> {
    let drawn = || panel.series.iter().zip(&frame.shapes);
    for (series, shapes) in drawn() {
        for fill in &shapes.fills {
            canvas.polygon(fill, series.colour.rgb(), shapes.opacity)?;
        }
    }
    for line in frame.notes.iter().filter_map(|n| n.line.as_ref()) {
        canvas.line(line, 1.1, Colour::Grey.rgb(), &[4.0, 3.0])?;
    }
    for (series, shapes) in drawn() {
        let colour = if panel.bar_labels().is_some() { INK } else { series.colour.rgb() };
        for line in &shapes.lines {
            canvas.line(line, shapes.width, colour, shapes.pattern)?;
        }
    }
    for (series, shapes) in drawn() {
        if let Some(marker) = shapes.marker {
            shapes.symbols.iter().try_for_each(|&p| symbol(canvas, marker, p, series.colour))?;
        }
    }
    panel.series.iter().try_for_each(|series| bar_values(canvas, series, frame))
}

/// A symbol with a thin white rim that keeps neighbours apart.
fn symbol<B: Output>(
    canvas: &mut Canvas<B>,
    marker: Marker,
    at: Point,
    colour: Colour,
) -> Result<(), PlotError> {
    let outline = |scale: f64| -> Vec<Point> {
        marker.outline().iter().map(|p| (at.0 + scale * p.0, at.1 + scale * p.1)).collect()
    };
    match marker {
        Marker::Circle => {
            canvas.disc(at, size::MARKER + 0.8, WHITE)?;
            canvas.disc(at, size::MARKER, colour.rgb())
        }
        _ => {
            canvas.polygon(&outline(size::MARKER + 1.0), WHITE, 1.0)?;
            canvas.polygon(&outline(size::MARKER), colour.rgb(), 1.0)
        }
    }
}

/// The value of each bar: beyond its end, or inside the bar, or, if it fits neither, at the right
/// border of the box.
fn bar_values<B: Output>(
    canvas: &mut Canvas<B>,
    series: &Series,
    frame: &Frame,
) -> Result<(), PlotError> {
    let Mark::Bars { values, errors, .. } = &series.mark else { return Ok(()) };
    let Frame { plane, .. } = frame;
    let plot = &plane.plot;
    let kind = Type::plain(size::LEGEND, INK);
    for (i, &value) in values.iter().enumerate() {
        let error = errors.get(i).copied();
        let text = ticks::value_label(value, error);
        let needed = kind.width(&text) + 2.0 * VALUE_GAP;
        let (sign, outwards, inwards) = if value < 0.0 {
            (-1.0, Anchor::Right, Anchor::Left)
        } else {
            (1.0, Anchor::Left, Anchor::Right)
        };
        let far = plane.within(value + sign * error.unwrap_or(0.0));
        let near = plane.within(value - sign * error.unwrap_or(0.0));
        let border = if value < 0.0 { plot.x0 } else { plot.x1 };
        let y = plane.py(-(i as f64)) + MIDDLE * size::LEGEND;
        if sign * (border - far) >= needed {
            canvas.text(&text, (far + sign * VALUE_GAP, y), outwards, kind, true)?;
        } else if sign * (near - plane.bar_base()) >= needed {
            let white = Type::plain(size::LEGEND, WHITE);
            canvas.text(&text, (near - sign * VALUE_GAP, y), inwards, white, true)?;
        } else {
            let at = (plot.x1 - VALUE_GAP, y);
            let kind = kind.fitted(&text, plot.width() - 2.0 * VALUE_GAP);
            let middle = y - MIDDLE * size::LEGEND;
            let width = kind.width(&text);
            let back = Rect::sized(at.0 - width, middle - 0.6 * kind.size, width, 1.2 * kind.size);
            canvas.rect(&back, WHITE, 0.8)?;
            canvas.text(&text, at, Anchor::Right, kind, true)?;
        }
    }
    Ok(())
}

fn note_label<B: Output>(canvas: &mut Canvas<B>, note: &Note) -> Result<(), PlotError> {
    let Some((text, rect)) = &note.label else { return Ok(()) };
    let kind = Type::plain(size::LEGEND, INK).fitted(text, rect.width());
    canvas.rect(&rect.grown(1.5), WHITE, 0.8)?;
    let at = (rect.x0, (rect.y0 + rect.y1) / 2.0 + MIDDLE * size::LEGEND);
    canvas.text(text, at, Anchor::Left, kind, true)
}

fn draw_key<B: Output>(
    canvas: &mut Canvas<B>,
    key: &Key,
    panel: &Panel,
    Frame { shapes, cell, .. }: &Frame,
) -> Result<(), PlotError> {
    if let Some(frame) = &key.frame {
        canvas.rect(frame, WHITE, 0.92)?;
        let (a, b) = ((frame.x0, frame.y0), (frame.x1, frame.y1));
        canvas.line(&[a, (b.0, a.1), b, (a.0, b.1), a, (b.0, a.1)], 0.8, GRID, &[])?;
    }
    for (name, members, (x, y)) in &key.entries {
        for &index in members {
            sample(canvas, &panel.series[index], &shapes[index], (*x, *y))?;
        }
        let at = (x + SAMPLE + SAMPLE_GAP, y + MIDDLE * size::LEGEND);
        let kind = Type::plain(size::LEGEND, INK).fitted(name, cell.x1 - at.0);
        canvas.text(name, at, Anchor::Left, kind, true)?;
    }
    Ok(())
}

/// The sample of a series in the legend; `at` is its left middle.
fn sample<B: Output>(
    canvas: &mut Canvas<B>,
    series: &Series,
    shapes: &Shapes,
    (x, y): Point,
) -> Result<(), PlotError> {
    let colour = series.colour.rgb();
    let centre = (x + SAMPLE / 2.0, y);
    let patch = Rect::sized(x, y - 5.0, SAMPLE, 10.0);
    match &series.mark {
        Mark::Line { .. } => {
            canvas.line(&[(x, y), (x + SAMPLE, y)], shapes.width, colour, shapes.pattern)
        }
        Mark::Points { marker, .. } => symbol(canvas, *marker, centre, series.colour),
        Mark::ErrorBars { marker, .. } => {
            canvas.line(&[(centre.0, y - 7.0), (centre.0, y + 7.0)], shapes.width, colour, &[])?;
            symbol(canvas, *marker, centre, series.colour)
        }
        Mark::Band { .. } | Mark::Bars { .. } => canvas.rect(&patch, colour, shapes.opacity),
        Mark::Histogram { .. } => {
            canvas.rect(&patch, colour, shapes.opacity)?;
            let top = [
                (patch.x0, patch.y1),
                (patch.x0, patch.y0),
                (patch.x1, patch.y0),
                (patch.x1, patch.y1),
            ];
            canvas.line(&top, shapes.width, colour, &[])
        }
    }
}
