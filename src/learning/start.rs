//! Where the solver of the fixed point starts: a table of df1 that costs nothing to search.

use super::load::Load;

/// Step h in ln κ: a cubic between two nodes errs by at most h⁴/384 = 1.7e-6 of a function like
/// κ or 1/κ, which df1 and rank − df1 are where they are small.
const STEP: f64 = 0.16;
/// How far the table reaches beyond the atoms, in ln κ.
const MARGIN: f64 = 10.0;

/// df1 and −ddf1/d ln κ at equal steps of ln κ.
#[derive(Debug, Clone)]
pub(super) struct Table {
    nodes: Vec<Node>,
}

#[derive(Debug, Clone, Copy)]
struct Node {
    kappa: f64,
    df1: f64,
    gap: f64,
}

impl Table {
    /// `df(κ)` gives df1 and df1 − df2; `range` holds all atoms.
    pub(super) fn new(range: (f64, f64), df: impl Fn(f64) -> (f64, f64)) -> Self {
        let low = range.0.ln() - MARGIN;
        let count = ((range.1.ln() + MARGIN - low) / STEP).ceil() as usize;
        let node = |i: usize| {
            let kappa = (low + STEP * i as f64).exp();
            let (df1, gap) = df(kappa);
            Node { kappa, df1, gap }
        };
        Self { nodes: (0..=count).map(node).collect() }
    }

    /// The root of L + df1 = m within the table; `None` where it lies outside.
    pub(super) fn root(&self, load: &Load) -> Option<f64> {
        let excess = |node: &Node| load.at(node.kappa).value + node.df1 - load.count();
        let above = self.nodes.partition_point(|node| excess(node) > 0.0);
        if above == 0 || above == self.nodes.len() {
            return None;
        }
        let (left, right) = (self.nodes[above - 1], self.nodes[above]);
        // Hermite's cubic in s = (ln κ − ln κ_left)/STEP
        let (a, b) = (-STEP * left.gap, -STEP * right.gap);
        let rise = right.df1 - left.df1;
        let (second, third) = (3.0 * rise - 2.0 * a - b, a + b - 2.0 * rise);
        let (before, after) = (excess(&left), excess(&right));
        let mut s = before / (before - after);
        for _ in 0..2 {
            let kappa = left.kappa * exp(STEP * s);
            let at = load.at(kappa);
            let df1 = left.df1 + s * (a + s * (second + s * third));
            let gap = -(a + s * (2.0 * second + s * (3.0 * third)));
            s = (s + (at.value + df1 - load.count()) / (STEP * at.slope + gap)).clamp(0.0, 1.0);
        }
        Some(left.kappa * exp(STEP * s))
    }
}

/// eˣ for 0 ≤ x ≤ ¼, to 1e-9.
fn exp(x: f64) -> f64 {
    const C: [f64; 5] = [1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5];
    1.0 + x * (1.0 + x * C.iter().fold(0.0, |sum, c| sum * x + c))
}
