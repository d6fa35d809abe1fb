//! Clipping to the axis box, and dashing of what is left.
//!
//! Everything works on plane coordinates (logical pixels, y downwards). Clipping comes before
//! drawing because a point moved to the border draws a line that is not in the data.

/// A point of the plane.
pub type Point = (f64, f64);

/// An axis-parallel rectangle, `x0 ≤ x1` and `y0 ≤ y1`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rect {
    /// Left.
    pub x0: f64,
    /// Top.
    pub y0: f64,
    /// Right.
    pub x1: f64,
    /// Bottom.
    pub y1: f64,
}

impl Rect {
    /// From left, top, width and height.
    pub fn sized(x0: f64, y0: f64, width: f64, height: f64) -> Self {
        Self { x0, y0, x1: x0 + width, y1: y0 + height }
    }

    /// Horizontal extent.
    pub fn width(&self) -> f64 {
        self.x1 - self.x0
    }

    /// Vertical extent.
    pub fn height(&self) -> f64 {
        self.y1 - self.y0
    }

    /// Whether `p` lies in the closed rectangle; false for NaN.
    pub fn contains(&self, p: Point) -> bool {
        (self.x0..=self.x1).contains(&p.0) && (self.y0..=self.y1).contains(&p.1)
    }

    /// Whether the two share an inner point.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.x0 < other.x1 && other.x0 < self.x1 && self.y0 < other.y1 && other.y0 < self.y1
    }

    /// Grown by `margin` on every side.
    pub fn grown(&self, margin: f64) -> Self {
        Self {
            x0: self.x0 - margin,
            y0: self.y0 - margin,
            x1: self.x1 + margin,
            y1: self.y1 + margin,
        }
    }

    fn clamp(&self, p: Point) -> Point {
        (p.0.clamp(self.x0, self.x1), p.1.clamp(self.y0, self.y1))
    }
}

/// The part of the segment `a b` inside the box as parameters `0 ≤ s ≤ t ≤ 1`
/// (Liang & Barsky, *ACM Trans. Graph.* 3, 1984), or `None` when it misses the box.
fn segment(a: Point, b: Point, bounds: &Rect) -> Option<(f64, f64)> {
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let (mut s, mut t) = (0.0f64, 1.0f64);
    for (direction, distance) in [
        (-dx, a.0 - bounds.x0),
        (dx, bounds.x1 - a.0),
        (-dy, a.1 - bounds.y0),
        (dy, bounds.y1 - a.1),
    ] {
        if direction == 0.0 {
            if distance < 0.0 {
                return None;
            }
        } else if direction < 0.0 {
            s = s.max(distance / direction);
        } else {
            t = t.min(distance / direction);
        }
    }
    (s <= t).then_some((s, t))
}

/// The parts of a polyline inside the box. Points with a NaN coordinate are gaps. Every point
/// returned lies in the closed box, and every vertex inside the box is returned unchanged, in
/// order. A vertex between two gaps is returned as a part of one point.
pub fn polyline(points: &[Point], bounds: &Rect) -> Vec<Vec<Point>> {
    let mut parts = Vec::new();
    for run in points.split(|p| p.0.is_nan() || p.1.is_nan()) {
        if let [single] = run {
            if bounds.contains(*single) {
                parts.push(vec![*single]);
            }
            continue;
        }
        let mut part: Vec<Point> = Vec::new();
        for pair in run.windows(2) {
            let (a, b) = (pair[0], pair[1]);
            let Some((s, t)) = segment(a, b, bounds) else { continue };
            let at = |u: f64| bounds.clamp((a.0 + u * (b.0 - a.0), a.1 + u * (b.1 - a.1)));
            if part.is_empty() {
                part.push(if s == 0.0 { a } else { at(s) });
            }
            part.push(if t == 1.0 { b } else { at(t) });
            if t < 1.0 {
                parts.push(std::mem::take(&mut part));
            }
        }
        if !part.is_empty() {
            parts.push(part);
        }
    }
    parts
}

/// A polygon cut to the box (Sutherland & Hodgman, *Commun. ACM* 17, 1974). Where a concave
/// polygon falls into several parts they stay joined along the border, which a fill does not
/// show. All coordinates must be finite.
pub fn polygon(points: &[Point], bounds: &Rect) -> Vec<Point> {
    type Side = fn(Point, &Rect) -> f64;
    let sides: [Side; 4] =
        [|p, b| p.0 - b.x0, |p, b| b.x1 - p.0, |p, b| p.1 - b.y0, |p, b| b.y1 - p.1];
    let mut polygon = points.to_vec();
    for side in sides {
        let previous = polygon.iter().cycle().skip(polygon.len().saturating_sub(1));
        let mut cut = Vec::with_capacity(polygon.len() + 4);
        for (&a, &b) in previous.zip(&polygon) {
            let (da, db) = (side(a, bounds), side(b, bounds));
            if (da < 0.0) != (db < 0.0) {
                let u = da / (da - db);
                cut.push((a.0 + u * (b.0 - a.0), a.1 + u * (b.1 - a.1)));
            }
            if db >= 0.0 {
                cut.push(b);
            }
        }
        polygon = cut;
    }
    polygon.into_iter().map(|p| bounds.clamp(p)).collect()
}

/// The dashes of a polyline: `pattern` holds the lengths of dash, gap, dash, gap …, all > 0; an
/// empty one returns the line itself.
pub fn dashes(points: &[Point], pattern: &[f64]) -> Vec<Vec<Point>> {
    if pattern.is_empty() || points.len() < 2 {
        return vec![points.to_vec()];
    }
    let mut parts = Vec::new();
    let (mut phase, mut left) = (0, pattern[0]);
    let mut part = vec![points[0]];
    for pair in points.windows(2) {
        let (a, b) = (pair[0], pair[1]);
        let length = (b.0 - a.0).hypot(b.1 - a.1);
        let mut done = 0.0;
        while length - done > left {
            done += left;
            let u = done / length;
            let p = (a.0 + u * (b.0 - a.0), a.1 + u * (b.1 - a.1));
            if phase % 2 == 0 {
                part.push(p);
                parts.push(std::mem::take(&mut part));
            } else {
                part = vec![p];
            }
            phase = (phase + 1) % pattern.len();
            left = pattern[phase];
        }
        left -= length - done;
        if phase % 2 == 0 {
            part.push(b);
        }
    }
    if part.len() > 1 {
        parts.push(part);
    }
    parts
}
