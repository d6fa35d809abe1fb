//! A canvas in logical pixels over the two backends of `plotters`.
//!
//! Both backends draw on an integer grid. The canvas makes that grid fine: 1/20 px in the SVG,
//! and in the bitmap 1/6 px, of which 3 × 3 are averaged to one pixel of the PNG.

use std::sync::OnceLock;

use ab_glyph::{Font, FontRef, PxScale, point};
use plotters::backend::{BitMapBackend, DrawingBackend, SVGBackend};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{
    Color, FontDesc, FontFamily, FontStyle, FontTransform, RGBAColor, RGBColor, ShapeStyle,
    TextStyle,
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

    fn stroke(&mut self, path: &[(i32, i32)], style: ShapeStyle) -> Result<(), PlotError>;

    fn fill(&mut self, polygon: &[(i32, i32)], colour: RGBAColor) -> Result<(), PlotError>;

    /// A text with its baseline through `at`, running upwards if not `upright`. `at` and the
    /// type's size are in grid units.
    fn text(
        &mut self,
        text: &str,
        at: Point,
        anchor: Anchor,
        kind: Type,
        upright: bool,
    ) -> Result<(), PlotError>;
}

impl Output for SVGBackend<'_> {
    const SCALE: f64 = 20.0;

    fn stroke(&mut self, path: &[(i32, i32)], style: ShapeStyle) -> Result<(), PlotError> {
        self.draw_path(path.iter().copied(), &style).map_err(backend)
    }

    fn fill(&mut self, polygon: &[(i32, i32)], colour: RGBAColor) -> Result<(), PlotError> {
        self.fill_polygon(polygon.iter().copied(), &colour).map_err(backend)
    }
    fn text(
        &mut self,
        text: &str,
        at: Point,
        anchor: Anchor,
        kind: Type,
        upright: bool,
    ) -> Result<(), PlotError> {
        // The backend writes size/1.24 as font size, and a top anchor as a shift by 0.76 em.
        let rise = 0.76 * kind.size;
        let (x, y) = if upright { (at.0, at.1 - rise) } else { (at.0 - rise, at.1) };
        let h_pos = match anchor {
            Anchor::Left => HPos::Left,
            Anchor::Middle => HPos::Center,
            Anchor::Right => HPos::Right,
        };
        let weight = if kind.bold { FontStyle::Bold } else { FontStyle::Normal };
        let transform = if upright { FontTransform::None } else { FontTransform::Rotate270 };
        let style = TextStyle {
            font: FontDesc::new(FontFamily::Name(FAMILY), 1.24 * kind.size, weight)
                .transform(transform),
            color: kind.colour.to_backend_color(),
            pos: Pos::new(h_pos, VPos::Top),
        };
        self.draw_text(text, &style, (x.round() as i32, y.round() as i32)).map_err(backend)
    }
}

impl Output for BitMapBackend<'_> {
    const SCALE: f64 = (PNG_SCALE * SAMPLES) as f64;

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
    /// Glyph by glyph from their outlines: the backend's own text drops the side bearings.
    fn text(
        &mut self,
        text: &str,
        at: Point,
        anchor: Anchor,
        kind: Type,
        upright: bool,
    ) -> Result<(), PlotError> {
        let font = kind.font();
        let em = font.units_per_em().unwrap_or(1.0);
        let scale = PxScale::from(kind.size as f32 * font.height_unscaled() / em);
        let start = match anchor {
            Anchor::Left => 0.0,
            Anchor::Middle => -kind.width(text) / 2.0,
            Anchor::Right => -kind.width(text),
        };
        let (fraction_x, fraction_y) = (at.0.fract(), at.1.fract());
        for (id, pen) in kind.pens(text) {
            let along = (start + pen) as f32;
            // The glyph is drawn upright; turning it maps (x, y) to (y, −x).
            let place = if upright {
                point(along + fraction_x as f32, fraction_y as f32)
            } else {
                point(along - fraction_y as f32, fraction_x as f32)
            };
            let Some(outline) = font.outline_glyph(id.with_scale_and_position(scale, place)) else {
                continue;
            };
            let corner = outline.px_bounds().min;
            let mut result = Ok(());
            outline.draw(|x, y, coverage| {
                let (x, y) = (corner.x as i32 + x as i32, corner.y as i32 + y as i32);
                let (x, y) = if upright { (x, y) } else { (y, -x - 1) };
                let pixel = (at.0.trunc() as i32 + x, at.1.trunc() as i32 + y);
                let colour = kind.colour.mix(f64::from(coverage).min(1.0)).to_backend_color();
                if result.is_ok() {
                    result = self.draw_pixel(pixel, colour).map_err(backend);
                }
            });
            result?;
        }
        Ok(())
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

    /// The advance width of a text, in the unit of the size.
    pub(super) fn width(&self, text: &str) -> f64 {
        let font = self.font();
        let advance = |id| font.h_advance_unscaled(id);
        self.pens(text).last().map_or(0.0, |(id, pen)| pen + self.units(advance(id)))
    }

    /// The glyphs of a text and how far along the baseline each starts.
    fn pens(&self, text: &str) -> impl Iterator<Item = (ab_glyph::GlyphId, f64)> {
        let font = self.font();
        let mut pen = 0.0;
        let mut previous = None;
        text.chars().map(move |c| {
            let id = font.glyph_id(c);
            if let Some(previous) = previous.replace(id) {
                let step = font.h_advance_unscaled(previous) + font.kern_unscaled(previous, id);
                pen += self.units(step);
            }
            (id, pen)
        })
    }

    fn units(&self, units: f32) -> f64 {
        f64::from(units / self.font().units_per_em().unwrap_or(1.0)) * self.size
    }

    fn font(&self) -> &'static FontRef<'static> {
        static FONTS: OnceLock<[FontRef<'static>; 2]> = OnceLock::new();
        let fonts = FONTS.get_or_init(|| {
            [dejavu::sans::regular(), dejavu::sans::bold()]
                .map(|bytes| FontRef::try_from_slice(bytes).expect("the bundled font is valid"))
        });
        &fonts[usize::from(self.bold)]
    }
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
        let grid = Type { size: kind.size * B::SCALE, ..kind };
        self.widths.push(grid.width(text).round() as i32);
        self.backend.text(text, (at.0 * B::SCALE, at.1 * B::SCALE), anchor, grid, upright)
    }

    /// Paints the whole canvas white.
    pub(super) fn clear(&mut self, figure: &Figure) -> Result<(), PlotError> {
        self.rect(&Rect::sized(0.0, 0.0, figure.width.into(), figure.height.into()), WHITE, 1.0)
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
