//! Gauss rules on [0, 1] with proved rounding bounds (theory page 6e, (C3), (C4), (C6)).
//!
//! A node is kept as its distance from the nearer end, so that it has its full relative
//! accuracy at both ends.

use std::f64::consts::PI;

use rayon::prelude::*;

use crate::numeric::double_double::DoubleDouble;

const U: f64 = 0.5 * f64::EPSILON;
/// Newton steps within a bracket; about 6 are needed.
const MAX_STEPS: usize = 100;

/// A node with its weight.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    /// Distance from 0, or from 1 where `upper`.
    pub(super) distance: f64,
    pub(super) upper: bool,
    pub(super) weight: f64,
}

/// Nodes in ascending order, with proved bounds of the relative errors of the distances and
/// of the weights.
#[derive(Debug, Clone)]
pub(super) struct UnitRule {
    pub(super) nodes: Vec<Node>,
    pub(super) node_error: f64,
    pub(super) weight_error: f64,
}

/// The n-point Gauss–Legendre rule for the uniform law.
pub(super) fn legendre(n: usize) -> UnitRule {
    let one = DoubleDouble { hi: 1.0, lo: 0.0 };
    let inverses: Vec<DoubleDouble> =
        (1..=n).map(|k| one.over(DoubleDouble { hi: k as f64, lo: 0.0 })).collect();
    let zeros: Vec<LegendreZero> =
        (1..=n.div_ceil(2)).into_par_iter().map(|k| LegendreZero::find(n, k, &inverses)).collect();
    let mut rule = UnitRule { nodes: Vec::new(), node_error: 0.0, weight_error: 0.0 };
    for (i, zero) in zeros.iter().enumerate() {
        let below = if i > 0 { zero.s - zeros[i - 1].s } else { 1.0 };
        let above = match zeros.get(i + 1) {
            Some(next) => next.s - zero.s,
            // the mirror image, or the zero before the middle one
            None if n.is_multiple_of(2) => 1.0 - 2.0 * zero.s,
            None => below,
        };
        let (node_error, weight_error) = zero.errors(n as f64, 2.0 * below.min(above));
        rule.node_error = rule.node_error.max(node_error);
        rule.weight_error = rule.weight_error.max(weight_error);
    }
    let node =
        |upper| move |z: &LegendreZero| Node { distance: z.distance, upper, weight: z.weight };
    rule.nodes.extend(zeros.iter().map(node(false)));
    rule.nodes.extend(zeros.iter().take(n / 2).rev().map(node(true)));
    rule
}

/// A zero of P_n(x) at x = 1 − 2s, s ≤ ½.
struct LegendreZero {
    /// Where P_n was evaluated in double-double.
    s: f64,
    /// s after a last Newton step.
    distance: f64,
    weight: f64,
    /// |P_n/P_n'| at x = 1 − 2s: the Newton step.
    step: f64,
    /// |P_n'(x)|.
    slope: f64,
}

impl LegendreZero {
    fn find(n: usize, k: usize, inverses: &[DoubleDouble]) -> Self {
        let mut s = (PI * (4 * k - 1) as f64 / (8 * n + 4) as f64).sin().powi(2);
        for _ in 0..10 {
            let (x, square) = (1.0 - 2.0 * s, 4.0 * s * (1.0 - s));
            let (mut p, mut d) = (1.0, 0.0);
            for j in 1..=n {
                let j = j as f64;
                (p, d) = (x * p - square * d / j, j * p + x * d);
            }
            let step = p / (2.0 * d);
            s += step;
            if step.abs() <= 1e-9 * s {
                break;
            }
        }
        let x = DoubleDouble::sum(1.0, -2.0 * s);
        let square = DoubleDouble::sum(1.0, -s).scaled(4.0 * s);
        let mut p = DoubleDouble { hi: 1.0, lo: 0.0 };
        let mut d = DoubleDouble { hi: 0.0, lo: 0.0 };
        for (j, &inverse) in inverses.iter().enumerate() {
            let next = x.times(p).add(square.times(d).times(inverse).negated());
            d = x.times(d).add(p.scaled((j + 1) as f64));
            p = next;
        }
        let correction = p.hi / (2.0 * d.hi);
        Self {
            s,
            distance: s + correction,
            weight: (1.0 + 4.0 * x.hi * correction / square.hi) / (square.hi * d.hi * d.hi),
            step: (p.hi / d.hi).abs(),
            slope: d.hi.abs(),
        }
    }

    /// Bounds of the relative errors of `distance` and `weight` (C6), where the neighbouring
    /// zeros were computed at a distance ≥ `gap` in x; ∞ where they are not told apart.
    fn errors(&self, n: f64, gap: f64) -> (f64, f64) {
        let rounding = 64.0 * n * U * U;
        let step = self.step + 1.1 * rounding / self.slope;
        if step.is_nan() || 8.0 * n * step > gap {
            return (f64::INFINITY, f64::INFINITY);
        }
        let sine = 2.0 * (self.s * (1.0 - self.s)).sqrt();
        let node = 4.0 * n * step * step / gap + 1.1 * rounding / self.slope;
        let weight = 8.0 * (n * step / sine).powi(2) + 4.0 * n * rounding / (sine * self.slope);
        (node / self.s + 4.0 * U, weight + 16.0 * U)
    }
}

/// The n-point Gauss rule for the law (2/π) sin²φ dφ/(1 − 2r cos φ + r²) of s = sin²(φ/2),
/// φ ∈ (0, π), of mass one for 0 ≤ r ≤ 1 (C4); `gap` = 1 − r.
pub(super) fn bernstein_szego(n: usize, r: f64, gap: f64) -> UnitRule {
    let lower = Side { n: n as f64, q: -r, sum: gap };
    let upper = Side { n: n as f64, q: r, sum: 1.0 + r };
    let count = ((lower.n * 0.5 * PI + lower.phase(0.5 * PI).0) / PI).floor() as usize;
    let mut rule = UnitRule { nodes: Vec::with_capacity(n), node_error: 0.0, weight_error: 0.0 };
    let from_below = (1..=count.min(n)).map(|k| (lower.node(k as f64), false));
    let from_above = (1..=n - count.min(n)).rev().map(|k| (upper.node(k as f64), true));
    for ((t, error, weight), upper) in from_below.chain(from_above) {
        let half = (0.5 * t).sin();
        rule.nodes.push(Node { distance: half * half, upper, weight });
        rule.node_error = rule.node_error.max(2.0 * error + 24.0 * U);
        rule.weight_error = rule.weight_error.max(4.0 * error + 80.0 * U);
    }
    rule
}

/// The angles t from one end: n t + arg(e^{it} + q) = kπ.
struct Side {
    n: f64,
    /// −r at the lower end, r at the upper one.
    q: f64,
    /// 1 + q.
    sum: f64,
}

impl Side {
    /// ψ(t) = arg(e^{it} + q), 1 + q cos t and ϱ = |e^{it} + q|².
    fn phase(&self, t: f64) -> (f64, f64, f64) {
        let s = (0.5 * t).sin().powi(2);
        let psi = t.sin().atan2(self.sum - 2.0 * s);
        (psi, self.sum - 2.0 * self.q * s, self.sum * self.sum - 4.0 * self.q * s)
    }

    /// The k-th angle, a bound of its relative error, and its weight.
    fn node(&self, k: f64) -> (f64, f64, f64) {
        let (mut low, mut high) = ((k - 1.0) * PI / self.n, (k * PI / self.n).min(PI));
        let mut t = 0.5 * (low + high);
        let mut error = f64::INFINITY;
        for _ in 0..MAX_STEPS {
            let (psi, cosine, rho) = self.phase(t);
            let value = self.n * t + psi - k * PI;
            // the slope n + ψ' is at least n
            let rounding = U * (4.0 * k * PI + 3.0 * self.n * t + 16.0 * psi + 8.0);
            error = (value.abs() + rounding) / (self.n * t);
            if value < 0.0 {
                low = t;
            } else {
                high = t;
            }
            let newton = t - value / (self.n + cosine / rho);
            let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
            if value.abs() <= rounding || next == t {
                break;
            }
            t = next;
        }
        let (_, cosine, rho) = self.phase(t);
        let s = (0.5 * t).sin().powi(2);
        (t, error, 8.0 * s * (1.0 - s) / (self.n * rho + cosine))
    }
}
