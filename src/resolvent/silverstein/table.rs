//! Starts: the root along the real axis as a piecewise cubic in the uniformising variable (V6).

use num_complex::Complex64;

use super::base::Base;
use super::kernel::{Kernel, Problem};
use super::plane::Measure;

/// Largest relative error of the cubic in the middle of a cell, before it is halved once more.
const TOLERANCE: f64 = 2e-6;
/// Accepted where an arc has already many nodes.
const COARSE: f64 = 1e-2;
const MANY: usize = 256;
/// No more cells are halved in an arc with so many nodes: its starts are then what they are.
const MOST: usize = 4096;
const LEVELS: usize = 40;
/// Ratio of the distances from s at which an arc is first sampled.
const RATIO: f64 = 4.0;
/// Imaginary parts of σ, in widths of the cell, up to which its cubic is a start.
const REACH: f64 = 3.0;

/// A point from which arcs start: an edge, or 0 where it lies in a gap with x'(0) > 0.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Knot {
    /// Index among the bases of the law.
    pub(crate) index: usize,
    pub(crate) base: Base,
    /// Whether x(s+w) − x(s) ~ w²: the uniformising variable is then the square root.
    pub(crate) edge: bool,
}

/// Where an arc lies.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Course {
    pub(crate) from: Knot,
    /// The knot at the other end of the interval, which has an arc of its own up to the middle.
    pub(crate) to: Option<Knot>,
    /// +1 upwards, −1 downwards.
    pub(crate) direction: f64,
    /// In a component of the support, else in a gap.
    pub(crate) inside: bool,
    /// Where the ray without end is left to the expansion about infinity.
    pub(crate) far: f64,
}

#[derive(Debug, Clone, Copy)]
struct Node {
    sigma: f64,
    w: Complex64,
    /// dw/dσ.
    slope: Complex64,
}

/// w as a function of σ = √|x − x(s)|, or |x − x(s)| from a knot that is no edge.
#[derive(Debug, Clone)]
pub(crate) struct Arc {
    direction: f64,
    edge: bool,
    nodes: Vec<Node>,
}

impl Course {
    fn sigma(&self, offset: f64) -> f64 {
        let distance = (self.direction * offset).max(0.0);
        if self.from.edge { distance.sqrt() } else { distance }
    }

    fn offset(&self, sigma: f64) -> f64 {
        self.direction * if self.from.edge { sigma * sigma } else { sigma }
    }

    fn node(&self, sigma: f64, w: Complex64, derivative: Complex64) -> Node {
        let dx = self.direction * if self.from.edge { 2.0 * sigma } else { 1.0 };
        Node { sigma, w, slope: dx / derivative }
    }

    fn problem(&self, sigma: f64, start: Complex64) -> Problem {
        let offset = Complex64::new(self.offset(sigma), 0.0);
        Problem { base: self.from.base, offset, start, lift: 0.0 }
    }

    /// The node at s.
    fn origin(&self, measure: &Measure) -> Node {
        let slope = if self.from.edge {
            let s = self.from.base.s;
            let half: f64 = measure
                .atoms
                .iter()
                .zip(&measure.second)
                .map(|(t, a)| {
                    let d = (s.hi - t) + s.lo;
                    a / (d * d * d)
                })
                .sum();
            let k = (1.0 / half.abs()).sqrt();
            if self.inside {
                Complex64::new(0.0, k)
            } else {
                Complex64::new(self.direction * k, 0.0)
            }
        } else {
            Complex64::new(self.direction / self.from.base.slope, 0.0)
        };
        Node { sigma: 0.0, w: Complex64::new(0.0, 0.0), slope }
    }

    /// First samples (|x − x(s)|, w) of the arc, in ascending order, from an explicit
    /// parametrisation: u itself in a gap, Re u in a component.
    fn samples(&self, measure: &Measure) -> Vec<(f64, Complex64)> {
        let nearest = |base: &Base| {
            measure
                .atoms
                .iter()
                .map(|t| ((base.s.hi - t) + base.s.lo).abs())
                .fold(f64::INFINITY, f64::min)
        };
        let base = &self.from.base;
        let mut distances = Vec::new();
        let mut half = f64::INFINITY;
        if let Some(to) = &self.to {
            let span = ((to.base.s.hi - base.s.hi) + (to.base.s.lo - base.s.lo)).abs();
            half = 0.5 * ((to.base.x.hi - base.x.hi) + (to.base.x.lo - base.x.lo)).abs();
            let mut d = 0.5 * span;
            let least = 0.25 * nearest(base).min(span);
            loop {
                distances.push(d);
                d /= RATIO;
                if d <= least {
                    break;
                }
            }
            distances.reverse();
            let mut d = 0.5 * span / RATIO;
            let least = 0.25 * nearest(&to.base).min(span);
            while d > least {
                distances.push(span - d);
                d /= RATIO;
            }
        } else {
            let mut d = 0.25 * nearest(base);
            if d == 0.0 {
                return Vec::new();
            }
            while d < self.far {
                distances.push(d);
                d *= RATIO;
            }
            distances.push(self.far);
        }
        let mut samples = Vec::new();
        for d in distances {
            let v = self.direction * d;
            let y = if self.inside { measure.height(base, v, 0.0) } else { 0.0 };
            let w = Complex64::new(v, y);
            let x = self.direction * measure.offset(base, w);
            if x > 0.0 && (y > 0.0 || !self.inside) {
                samples.push((x, w));
            }
            if x >= half {
                break;
            }
        }
        samples
    }

    /// Samples the arc and halves its cells until the cubic predicts the next node.
    pub(crate) fn tabulate(&self, kernel: &Kernel, coarse: &Measure, full: &Measure) -> Arc {
        let problems: Vec<(f64, Problem)> = self
            .samples(coarse)
            .into_iter()
            .map(|(x, w)| {
                let sigma = self.sigma(self.direction * x);
                (sigma, self.problem(sigma, w))
            })
            .collect();
        let mut nodes = vec![self.origin(full)];
        let found = kernel.solve(&problems.iter().map(|p| p.1).collect::<Vec<_>>());
        for (&(sigma, _), outcome) in problems.iter().zip(&found) {
            if outcome.accepted && sigma > nodes[nodes.len() - 1].sigma {
                nodes.push(self.node(sigma, outcome.w, outcome.derivative));
            }
        }
        // flags: the cell that starts at the node is still to be judged
        let mut open = vec![true; nodes.len()];
        for _ in 0..LEVELS {
            let limit = if nodes.len() < MANY { TOLERANCE } else { COARSE };
            let cells: Vec<usize> = (0..nodes.len() - 1).filter(|&i| open[i]).collect();
            if cells.is_empty() || nodes.len() > MOST {
                break;
            }
            let problems: Vec<Problem> = cells
                .iter()
                .map(|&i| {
                    let sigma = middle(nodes[i].sigma, nodes[i + 1].sigma);
                    let start = hermite(&nodes[i], &nodes[i + 1], Complex64::new(sigma, 0.0));
                    self.problem(sigma, start)
                })
                .collect();
            let found = kernel.solve(&problems);
            let mut grown = Vec::with_capacity(nodes.len() + cells.len());
            let mut flags = Vec::with_capacity(nodes.len() + cells.len());
            let mut next = 0;
            for i in 0..nodes.len() {
                grown.push(nodes[i]);
                flags.push(false);
                if next < cells.len() && cells[next] == i {
                    let (problem, outcome) = (&problems[next], &found[next]);
                    next += 1;
                    let sigma = middle(nodes[i].sigma, nodes[i + 1].sigma);
                    let mut w = outcome.w;
                    let mut derivative = outcome.derivative;
                    let complex = |w: Complex64| w.im > 0.0 || !self.inside;
                    let mut good = outcome.accepted && complex(w);
                    if !good {
                        let (a, b) = (nodes[i].w.re, nodes[i + 1].w.re);
                        let start =
                            full.bracketed(&self.from.base, problem.offset, a.min(b), a.max(b));
                        let again = kernel.solve(&[self.problem(sigma, start)])[0];
                        let accepted = again.accepted && complex(again.w);
                        (w, derivative, good) = (again.w, again.derivative, accepted);
                    }
                    if good {
                        let size = if self.inside { w.im } else { w.norm() };
                        let more = (problem.start - w).norm() > limit * size;
                        let last = flags.len() - 1;
                        flags[last] = more;
                        grown.push(self.node(sigma, w, derivative));
                        flags.push(more);
                    }
                }
            }
            (nodes, open) = (grown, flags);
        }
        Arc { direction: self.direction, edge: self.from.edge, nodes }
    }
}

fn middle(a: f64, b: f64) -> f64 {
    if a > 0.0 && b > 4.0 * a { a.sqrt() * b.sqrt() } else { 0.5 * (a + b) }
}

/// The cubic through two nodes with their derivatives.
#[inline(always)]
fn hermite(a: &Node, b: &Node, sigma: Complex64) -> Complex64 {
    let h = b.sigma - a.sigma;
    let s = (sigma - a.sigma) / h;
    let rise = b.w - a.w;
    let (p, q) = (a.slope * h - rise, b.slope * h - rise);
    // linear part and the bubble s(1−s)[p(1−s) − qs]
    a.w + rise * s + s * (1.0 - s) * (p * (1.0 - s) - q * s)
}

impl Arc {
    /// A start for x(s+w) = x(s) + offset; none too far off the axis or beyond the last node.
    pub(crate) fn start(&self, offset: Complex64) -> Option<Complex64> {
        let distance = offset * self.direction;
        let sigma = match (self.edge, distance.im == 0.0) {
            (false, _) => distance,
            (true, true) => Complex64::new(distance.re.max(0.0).sqrt(), 0.0),
            (true, false) => distance.sqrt(),
        };
        let last = self.nodes.len() - 1;
        if last == 0 {
            return None;
        }
        let i = self.nodes.partition_point(|n| n.sigma <= sigma.re).clamp(1, last) - 1;
        let (a, b) = (&self.nodes[i], &self.nodes[i + 1]);
        let width = b.sigma - a.sigma;
        if sigma.im.abs() > REACH * width || sigma.re > b.sigma + width {
            return None;
        }
        Some(hermite(a, b, sigma))
    }
}
