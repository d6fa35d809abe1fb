//! A canvas in logical pixels over the two backends of `plotters`.
//!
//! Both backends draw on an integer grid. The canvas makes that grid fine: 1/20 px in the SVG,
//! and in the bitmap 1/6 px, of which 3 × 3 are averaged to one pixel of the PNG.

use std::sync::OnceLock;

use plotters::backend::{BitMapBackend, DrawingBackend, SVGBackend};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{
    Color, FontDesc, FontFamily, FontStyle, FontTransform, RGBAColor, RGBColor, ShapeStyle,
    TextStyle, register_font,
};

use super::clip::{Point, Rect, dashes};
use super::layout::Frame;
use super::style::WHITE;
use super::{Figure, PlotError, draw, png};

/// As seen by an SVG viewer; Verdana has nearly the widths of DejaVu Sans.
const FAMILY: &str = "DejaVu Sans, Verdana, sans-serif";
/// Pixels of the PNG in a logical pixel, and samples in a pixel, each way.
const PNG_SCALE: usize = 2;
const SAMPLES: usize = 3;

/// A backend with what the canvas must know about it.
pub(super) trait Output: DrawingBackend {
    /// Grid units in a logical pixel.
    const SCALE: f64;
    /// The backend's font size for a font of 1 em.
    const FONT_SIZE: f64;
    /// From the backend's top anchor of a text down to its baseline, in em.
    const ASCENT: f64;

    fn stroke(&mut self, path: &[(i32, i32)], style: ShapeStyle) -> Result<(), PlotError>;
    fn fill(&mut self, polygon: &[(i32, i32)], colour: RGBAColor) -> Result<(), PlotError>;
}

impl Output for SVGBackend<'_> {
    const SCALE: f64 = 20.0;
    const FONT_SIZE: f64 = 1.24;
    const ASCENT: f64 = 0.76;

    fn stroke(&mut self, path: &[(i32, i32)], style: ShapeStyle) -> Result<(), PlotError> {
        self.draw_path(path.iter().copied(), &style).map_err(backend)
    }

    fn fill(&mut self, polygon: &[(i32, i32)], colour: RGBAColor) -> Result<(), PlotError> {
        self.fill_polygon(polygon.iter().copied(), &colour).map_err(backend)
    }
}

impl Output for BitMapBackend<'_> {
    const SCALE: f64 = (PNG_SCALE * SAMPLES) as f64;
    /// Ascent plus descent of DejaVu Sans, 2384 of 2048 units, is what `ab_glyph` calls size.
    const FONT_SIZE: f64 = 2384.0 / 2048.0;
    const ASCENT: f64 = Self::FONT_SIZE / 2.0;

    /// Segments with round joins: the outline that the backend would fill instead has holes
    /// where a sharp bend makes it overlap itself.
    fn stroke(&mut self, path: &[(i32, i32)], style: ShapeStyle) -> Result<(), PlotError> {
        let half = f64::from(style.stroke_width) / 2.0;
        for pair in path.windows(2) {
            let [(ax, ay), (bx, by)] =
                [pair[0], pair[1]].map(|(x, y)| (f64::from(x), f64::from(y)));
            let length = (bx - ax).hypot(by - ay);
            if length == 0.0 {
                continue;
            }
            let (nx, ny) = (half * (by - ay) / length, half * (ax - bx) / length);
            let corners =
                [(ax + nx, ay + ny), (bx + nx, by + ny), (bx - nx, by - ny), (ax - nx, ay - ny)];
            fill_spans(self, &corners, style.color)?;
        }
        if style.stroke_width > 2 {
            for &joint in path.iter().skip(1).take(path.len().saturating_sub(2)) {
                self.draw_circle(joint, style.stroke_width / 2, &style.filled(), true)
                    .map_err(backend)?;
            }
        }
        Ok(())
    }

    fn fill(&mut self, polygon: &[(i32, i32)], colour: RGBAColor) -> Result<(), PlotError> {
        let corners: Vec<Point> =
            polygon.iter().map(|&(x, y)| (f64::from(x), f64::from(y))).collect();
        fill_spans(self, &corners, colour)
    }
}

/// Fills a polygon by the even-odd rule, each sample once (a sample belongs to the polygon when
/// its centre does), so that translucent fills stay even.
fn fill_spans(
    bitmap: &mut BitMapBackend,
    corners: &[Point],
    colour: RGBAColor,
) -> Result<(), PlotError> {
    let Some(last) = corners.last() else { return Ok(()) };
    let rows = bitmap.get_size().1 as usize;
    let mut crossings: Vec<(usize, f64)> = Vec::new();
    let mut from = *last;
    for &to in corners {
        let (a, b) = if from.1 < to.1 { (from, to) } else { (to, from) };
        let first = (a.1 - 0.5).ceil().max(0.0) as usize;
        let end = ((b.1 - 0.5).ceil().max(0.0) as usize).min(rows);
        for row in first..end {
            let y = row as f64 + 0.5;
            crossings.push((row, a.0 + (y - a.1) / (b.1 - a.1) * (b.0 - a.0)));
        }
        from = to;
    }
    crossings.sort_by(|p, q| p.0.cmp(&q.0).then(p.1.total_cmp(&q.1)));
    for pair in crossings.chunks_exact(2) {
        let (row, x0, x1) = (pair[0].0 as i32, pair[0].1, pair[1].1);
        let (first, end) = ((x0 - 0.5).ceil() as i32, (x1 - 0.5).ceil() as i32);
        if first < end {
            bitmap.draw_rect((first, row), (end, row + 1), &colour, true).map_err(backend)?;
        }
    }
    Ok(())
}

fn backend(error: impl std::fmt::Display) -> PlotError {
    PlotError::Backend(error.to_string())
}

/// How a text is set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Type {
    /// Font size in logical pixels to an em.
    pub(super) size: f64,
    pub(super) bold: bool,
    pub(super) colour: RGBColor,
}

impl Type {
    pub(super) fn plain(size: f64, colour: RGBColor) -> Self {
        Self { size, bold: false, colour }
    }

    pub(super) fn bold(size: f64, colour: RGBColor) -> Self {
        Self { size, bold: true, colour }
    }

    /// The same, smaller if `text` would be wider than `width`.
    pub(super) fn fitted(self, text: &str, width: f64) -> Self {
        Self { size: self.size * (width / self.width(text)).min(1.0), ..self }
    }

    /// The advance width of a text in logical pixels.
    pub(super) fn width(&self, text: &str) -> f64 {
        const EM: f64 = 2048.0;
        let font = FontDesc::new(family(), EM * BitMapBackend::FONT_SIZE, self.font_style());
        let units = font.layout_box(text).map_or(0, |(_, (width, _))| width);
        f64::from(units) / EM * self.size
    }

    fn font_style(&self) -> FontStyle {
        if self.bold { FontStyle::Bold } else { FontStyle::Normal }
    }
}

/// The font family, registered on first use.
fn family() -> FontFamily<'static> {
    static REGISTERED: OnceLock<()> = OnceLock::new();
    REGISTERED.get_or_init(|| {
        // A font that could not be read would show as an error of every text drawn.
        let _ = register_font(FAMILY, FontStyle::Normal, dejavu::sans::regular());
        let _ = register_font(FAMILY, FontStyle::Bold, dejavu::sans::bold());
    });
    FontFamily::Name(FAMILY)
}

/// Where a text hangs on its point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Left,
    Middle,
    Right,
}

pub(super) struct Canvas<B> {
    backend: B,
    /// Advance widths of the texts drawn, in grid units.
    widths: Vec<i32>,
}

impl<B: Output> Canvas<B> {
    fn new(backend: B) -> Self {
        Self { backend, widths: Vec::new() }
    }

    fn grid(value: f64) -> i32 {
        (value * B::SCALE).round() as i32
    }

    fn grid_path(path: &[Point]) -> Vec<(i32, i32)> {
        let mut grid: Vec<_> = path.iter().map(|p| (Self::grid(p.0), Self::grid(p.1))).collect();
        grid.dedup();
        grid
    }

    pub(super) fn line(
        &mut self,
        path: &[Point],
        width: f64,
        colour: RGBColor,
        pattern: &[f64],
    ) -> Result<(), PlotError> {
        let pattern: Vec<f64> = pattern.iter().map(|l| l * width.max(1.2)).collect();
        let style = colour.stroke_width(Self::grid(width).max(1) as u32);
        for part in dashes(path, &pattern) {
            let part = Self::grid_path(&part);
            match part[..] {
                [] => {}
                // What has no length on the grid is a dot.
                [dot] => self
                    .backend
                    .draw_circle(dot, style.stroke_width / 2, &style.filled(), true)
                    .map_err(backend)?,
                _ => self.backend.stroke(&part, style)?,
            }
        }
        Ok(())
    }

    pub(super) fn polygon(
        &mut self,
        corners: &[Point],
        colour: RGBColor,
        opacity: f64,
    ) -> Result<(), PlotError> {
        let corners = Self::grid_path(corners);
        if corners.len() < 3 {
            return Ok(());
        }
        self.backend.fill(&corners, colour.mix(opacity))
    }

    pub(super) fn rect(
        &mut self,
        rect: &Rect,
        colour: RGBColor,
        opacity: f64,
    ) -> Result<(), PlotError> {
        let (x0, y0) = (Self::grid(rect.x0), Self::grid(rect.y0));
        let (x1, y1) = (Self::grid(rect.x1), Self::grid(rect.y1));
        self.backend.draw_rect((x0, y0), (x1, y1), &colour.mix(opacity), true).map_err(backend)
    }

    pub(super) fn disc(
        &mut self,
        centre: Point,
        radius: f64,
        colour: RGBColor,
    ) -> Result<(), PlotError> {
        let centre = (Self::grid(centre.0), Self::grid(centre.1));
        self.backend
            .draw_circle(centre, Self::grid(radius) as u32, &colour.filled(), true)
            .map_err(backend)
    }

    /// A text whose baseline passes through `at`; with `upright` false it runs upwards.
    pub(super) fn text(
        &mut self,
        text: &str,
        at: Point,
        anchor: Anchor,
        kind: Type,
        upright: bool,
    ) -> Result<(), PlotError> {
        if text.is_empty() {
            return Ok(());
        }
        let ascent = B::ASCENT * kind.size;
        let (x, y) = if upright { (at.0, at.1 - ascent) } else { (at.0 - ascent, at.1) };
        let h_pos = match anchor {
            Anchor::Left => HPos::Left,
            Anchor::Middle => HPos::Center,
            Anchor::Right => HPos::Right,
        };
        let transform = if upright { FontTransform::None } else { FontTransform::Rotate270 };
        let size = kind.size * B::SCALE * B::FONT_SIZE;
        let style = TextStyle {
            font: FontDesc::new(family(), size, kind.font_style()).transform(transform),
            color: kind.colour.to_backend_color(),
            pos: Pos::new(h_pos, VPos::Top),
        };
        self.widths.push(Self::grid(kind.width(text)));
        self.backend.draw_text(text, &style, (Self::grid(x), Self::grid(y))).map_err(backend)
    }
}

/// Draws the laid-out figure as SVG.
pub(super) fn svg(figure: &Figure, frames: &[Frame]) -> Result<String, PlotError> {
    let (width, height) = (figure.width, figure.height);
    let scale = SVGBackend::SCALE as u32;
    let mut raw = String::new();
    let widths = {
        let size = (width * scale, height * scale);
        let mut canvas = Canvas::new(SVGBackend::with_string(&mut raw, size));
        draw::draw(&mut canvas, figure, frames)?;
        canvas.backend.present().map_err(backend)?;
        std::mem::take(&mut canvas.widths)
    };

    // The backend knows neither a size apart from its grid nor the width of a text. Both are
    // set here, so that a viewer without the font keeps every text in its place.
    let (_, body) = raw.split_once(">\n").unwrap_or_default();
    let mut texts = body.split("<text ");
    let mut out = format!(
        "<svg width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {} {}\" \
         stroke-linejoin=\"round\" xmlns=\"http://www.w3.org/2000/svg\">\n{}",
        width * scale,
        height * scale,
        texts.next().unwrap_or_default()
    );
    for (text, length) in texts.zip(widths) {
        let text = text.replacen(">\n", ">", 1).replacen("\n</text>", "</text>", 1);
        out.push_str(&format!(
            "<text textLength=\"{length}\" lengthAdjust=\"spacingAndGlyphs\" {text}"
        ));
    }
    Ok(out)
}

/// Draws the laid-out figure as PNG.
pub(super) fn png(figure: &Figure, frames: &[Frame]) -> Result<Vec<u8>, PlotError> {
    let (width, height) = (figure.width as usize * PNG_SCALE, figure.height as usize * PNG_SCALE);
    let (wide, high) = (width * SAMPLES, height * SAMPLES);
    let mut samples = vec![0; 3 * wide * high];
    let mut canvas =
        Canvas::new(BitMapBackend::with_buffer(&mut samples, (wide as u32, high as u32)));
    draw::draw(&mut canvas, figure, frames)?;
    drop(canvas);

    let mut pixels = Vec::with_capacity(3 * width * height);
    let mut sums = vec![0u16; 3 * width];
    for rows in samples.chunks_exact(3 * wide * SAMPLES) {
        sums.fill(0);
        for row in rows.chunks_exact(3 * wide) {
            for (sum, group) in sums.chunks_exact_mut(3).zip(row.chunks_exact(3 * SAMPLES)) {
                for sample in group.chunks_exact(3) {
                    sum.iter_mut().zip(sample).for_each(|(s, &v)| *s += u16::from(v));
                }
            }
        }
        let count = (SAMPLES * SAMPLES) as u16;
        pixels.extend(sums.iter().map(|&s| ((s + count / 2) / count) as u8));
    }
    png::encode(&pixels, width as u32, height as u32).map_err(backend)
}

impl<B: Output> Canvas<B> {
    /// Paints the whole canvas white.
    pub(super) fn clear(&mut self, figure: &Figure) -> Result<(), PlotError> {
        self.rect(&Rect::sized(0.0, 0.0, figure.width.into(), figure.height.into()), WHITE, 1.0)
    }
}
