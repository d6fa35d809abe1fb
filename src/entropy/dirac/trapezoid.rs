//! Certified integrals of the posterior variance and entropy of a Dirac mixture (E6).

use std::f64::consts::PI;
use std::ops::Range;

use rayon::prelude::*;

use super::geometry::{Points, bounds};
use super::strip::{Integrand, TRAPEZOID, Window};
use crate::entropy::EntropyError;
use crate::evidence::Certified;
use crate::numeric::CompensatedSum;

/// Unit roundoff u.
const U: f64 = 0.5 * f64::EPSILON;
/// Largest truncation radius: φ(T) stays a normal number.
const LARGEST_RADIUS: f64 = 37.0;
/// What the diagonal of a cell takes off the radius in the plane.
const DIAGONAL: f64 = std::f64::consts::SQRT_2;
/// Most evaluations of an exponential for one value.
const BUDGET: f64 = 1e9;

/// Rows of a planar rule that are summed together.
const ROWS: i64 = 16;

/// ∫ p(x) Var(x0|x) dx or ∫ p(x) H(x0|x) dx for the law of x_σ.
pub(super) fn integrate(
    points: &Points,
    sigma: f64,
    integrand: Integrand,
) -> Result<Certified, EntropyError> {
    if points.len() == 1 {
        return Ok(Certified::new(0.0, 0.0));
    }
    let radius = truncation_radius(points, sigma, integrand);
    let cut = 2.0 * (radius * sigma + points.offset) * (1.0 + 1e-9);
    let clusters: Vec<Cluster> = points
        .components(cut)
        .into_iter()
        .filter(|members| members.len() > 1)
        .map(|members| Cluster::new(points, sigma, &members, cut, integrand))
        .collect();
    let cost: f64 = clusters.iter().map(|c| c.cost(radius)).sum();
    if cost > BUDGET {
        return Err(EntropyError::NoConvergence {
            method: "the certified trapezoid rule of the Dirac mixture",
            sigma,
            reason: format!(
                "it would take about {cost:.0e} exponentials, the limit is {BUDGET:.0e}: use the Monte Carlo mixture model"
            ),
        });
    }
    let mut value = 0.0;
    let mut error = tail(points, sigma, radius, integrand);
    for cluster in &clusters {
        let (sum, rounding) = cluster.sum(radius, integrand);
        value += sum;
        error += rounding + sum * (24.0 * U + 4.0 * TRAPEZOID);
    }
    error += value * U * clusters.len() as f64;
    Ok(Certified::new(value, with_offset(points, sigma, radius, integrand, value, error)))
}

/// T: posterior terms of atoms further than Tσ from x are dropped. Chosen so that the dropped
/// part is below rounding of the largest term between two neighbours, roughly
/// w Δ² e^{−Δ²/8} for neighbours Δσ apart; that it is so is not assumed but added to the
/// radius by [`tail`].
fn truncation_radius(points: &Points, sigma: f64, integrand: Integrand) -> f64 {
    let log_ratio = |length: f64| length.ln() - sigma.ln();
    let log_term = |length: f64, weight: f64| {
        let gap = length / sigma;
        let small = match integrand {
            Integrand::Variance => 2.0 * log_ratio(length).min(0.0),
            Integrand::Entropy => 0.0,
        };
        weight.ln() - 0.125 * gap * gap - log_ratio(length).max(0.0) + small
    };
    let largest = points
        .tree
        .iter()
        .map(|e| log_term(e.length, points.weights[e.ends[0]].min(points.weights[e.ends[1]])))
        .fold(f64::NEG_INFINITY, f64::max);
    let scale = match integrand {
        Integrand::Variance => 2.0 * log_ratio(points.diameter).min(0.0),
        Integrand::Entropy => 0.0,
    };
    let radius = (2.0 * (44.0 - (largest - scale))).sqrt().min(LARGEST_RADIUS);
    if points.planar { radius + DIAGONAL } else { radius }
}

/// Bound of everything that truncation and the split into clusters leave out (E6.4).
fn tail(points: &Points, sigma: f64, radius: f64, integrand: Integrand) -> f64 {
    let entropy = super::entropy_of(&points.weights);
    let diameter2 = points.diameter * points.diameter;
    let sigma2 = sigma * sigma;
    let t = if points.planar { radius - DIAGONAL } else { radius };
    // ∫ and Σ of φ and of r²φ beyond T, steps ≤ 1
    let (mass, second) = if points.planar {
        (1.0 + 0.71 / t, t * t + 2.0 + 0.71 * (t + 1.0 / t))
    } else {
        let both = 2.0 / (2.0 * PI).sqrt();
        (both * (1.0 / t + 1.0), both * (t + 1.0 / t + t * t))
    };
    let factor = match integrand {
        Integrand::Variance => (6.0 * sigma2 * second).min(diameter2 * mass),
        Integrand::Entropy => (1.0 + entropy) * mass + 0.5 * second,
    };
    let underflow = match integrand {
        Integrand::Variance => diameter2.max(1.0),
        Integrand::Entropy => 1e6,
    };
    // once for the nodes, once for the split; 1 % covers the rounding of this bound
    2.02 * (-0.5 * t * t).exp() * factor + underflow * f64::MIN_POSITIVE
}

/// Adds what an uncertainty of the centres' positions does (E6.6).
fn with_offset(
    points: &Points,
    sigma: f64,
    radius: f64,
    integrand: Integrand,
    value: f64,
    error: f64,
) -> f64 {
    if points.offset == 0.0 {
        return error;
    }
    let smallest = points.tree.iter().fold(f64::INFINITY, |m, e| m.min(e.length));
    let relative = 6.0 * points.offset / smallest + 6.0 * radius * (points.offset / sigma);
    if relative < 0.1 {
        return error + 1.1 * relative * (value + error);
    }
    // the trivial bound
    match integrand {
        Integrand::Variance => points.diameter * points.diameter,
        Integrand::Entropy => (points.len() as f64).ln() * (1.0 + 4.0 * f64::EPSILON),
    }
}

/// One atom seen from a row of nodes: first coordinate hi+lo in units of σ from the cluster's
/// origin, squared distance from the row.
#[derive(Debug, Clone, Copy)]
struct Atom {
    hi: f64,
    lo: f64,
    off2: f64,
    weight: f64,
    log_weight: f64,
    at: [f64; 2],
}

/// Atoms that no gap > 2T separates, and the steps of their product trapezoid rule.
struct Cluster {
    atoms: Vec<Atom>,
    /// Second coordinates hi+lo, in the plane.
    second: Vec<(f64, f64)>,
    steps: [f64; 2],
    extent: [f64; 2],
    planar: bool,
}

impl Cluster {
    fn new(points: &Points, sigma: f64, members: &[usize], cut: f64, integrand: Integrand) -> Self {
        let origin = points.at[members[0]];
        let place = |i: usize, axis: usize| quotient(points.at[i][axis], origin[axis], sigma);
        let atom = |&i: &usize| {
            let (hi, lo) = place(i, 0);
            let weight = points.weights[i];
            Atom { hi, lo, off2: 0.0, weight, log_weight: weight.ln(), at: points.at[i] }
        };
        let atoms: Vec<Atom> = members.iter().map(atom).collect();
        let second: Vec<(f64, f64)> = members.iter().map(|&i| place(i, 1)).collect();
        let slack = 2.0 * points.offset / sigma;
        let range = |lower: f64, upper: f64| (upper - lower) * (1.0 + 1e-12) + slack;
        let (x0, x1) = bounds(atoms.iter().map(|a| a.hi));
        let (y0, y1) = bounds(second.iter().map(|s| s.0));
        let extent = [range(x0, x1), range(y0, y1)];
        let steps = if points.planar {
            extent.map(|r| Window::whole(r).step(integrand))
        } else {
            let within = members.windows(2).map(|w| points.at[w[1]][0] - points.at[w[0]][0]);
            let gap = within.fold(0.0_f64, f64::max).min(cut) / sigma + slack;
            let least = atoms.iter().fold(1.0_f64, |m, a| m.min(a.weight));
            [Window::local(extent[0], gap, least).step(integrand), 1.0]
        };
        Self { atoms, second, steps, extent, planar: points.planar }
    }

    /// About the number of exponentials: each atom is seen from the nodes within T.
    fn cost(&self, radius: f64) -> f64 {
        let axes = if self.planar { 2 } else { 1 };
        let seen = |axis: usize| {
            (2.0 * radius).min(self.extent[axis] + 2.0 * radius) / self.steps[axis] + 1.0
        };
        self.atoms.len() as f64 * (0..axes).map(seen).product::<f64>()
    }

    /// The truncated trapezoid sum and the bound of its rounding error.
    fn sum(&self, radius: f64, integrand: Integrand) -> (f64, f64) {
        let mut sums = Sums::new(integrand);
        let factor = if self.planar {
            let (y0, y1) = bounds(self.second.iter().map(|s| s.0));
            let [_, h] = self.steps;
            let first = ((y0 - radius) / h).ceil() as i64;
            let last = ((y1 + radius) / h).floor() as i64;
            // blocks of a fixed number of rows, merged in order: the same bits on any threads
            let blocks = (last - first) / ROWS + 1;
            let parts: Vec<Sums> = (0..blocks)
                .into_par_iter()
                .map(|block| {
                    let from = first + block * ROWS;
                    self.rows(from..(from + ROWS).min(last + 1), radius, integrand)
                })
                .collect();
            parts.iter().for_each(|part| sums.merge(part));
            self.steps[0] * h / (2.0 * PI)
        } else {
            self.sweep(&self.atoms, radius, &mut sums);
            self.steps[0] / (2.0 * PI).sqrt()
        };
        (factor * sums.value.value(), factor * sums.rounding * U * (1.0 + 1e-6))
    }

    /// The nodes of the rows y = jh, j in `range`, of a planar rule.
    fn rows(&self, range: Range<i64>, radius: f64, integrand: Integrand) -> Sums {
        let mut sums = Sums::new(integrand);
        let mut row = Vec::with_capacity(self.atoms.len());
        for j in range {
            let y = j as f64 * self.steps[1];
            row.clear();
            for (atom, &(hi, lo)) in self.atoms.iter().zip(&self.second) {
                let off = (y - hi) - lo;
                if off.abs() <= radius {
                    row.push(Atom { off2: off * off, ..*atom });
                }
            }
            self.sweep(&row, radius, &mut sums);
        }
        sums
    }

    /// Visits the nodes of a row that have at least two atoms within the radius.
    fn sweep(&self, row: &[Atom], radius: f64, sums: &mut Sums) {
        let h = self.steps[0];
        let Some(first) = row.first() else { return };
        let (mut lo, mut hi) = (0, 0);
        let mut i = ((first.hi - radius) / h).ceil() as i64;
        loop {
            let x = i as f64 * h;
            while hi < row.len() && row[hi].hi <= x + radius {
                hi += 1;
            }
            while lo < hi && row[lo].hi < x - radius {
                lo += 1;
            }
            if hi - lo >= 2 {
                sums.add_node(&row[lo..hi], x);
                i += 1;
            } else if hi == row.len() {
                return;
            } else {
                i = (i + 1).max(((row[hi].hi - radius) / h).ceil() as i64);
            }
        }
    }
}

/// (a − b)/σ as an unevaluated sum of two numbers, within 8u² of itself.
fn quotient(a: f64, b: f64, sigma: f64) -> (f64, f64) {
    let difference = a - b;
    let shadow = difference - a;
    let rest = (a - (difference - shadow)) - (b + shadow);
    let hi = difference / sigma;
    if !hi.is_finite() || hi == 0.0 {
        return (hi, 0.0);
    }
    let lo = ((-hi).mul_add(sigma, difference) + rest) / sigma;
    if lo.is_finite() { (hi, lo) } else { (hi, 0.0) }
}

/// Running sums over the nodes, without the factor h/√2π.
struct Sums {
    integrand: Integrand,
    value: CompensatedSum,
    /// Bound of the rounding error, in units of u.
    rounding: f64,
    /// Squared distances and relative likelihoods of the atoms in sight.
    r2: Vec<f64>,
    e: Vec<f64>,
}

impl Sums {
    fn new(integrand: Integrand) -> Self {
        let value = CompensatedSum::default();
        Self { integrand, value, rounding: 0.0, r2: Vec::new(), e: Vec::new() }
    }

    /// Adds another sum, both of its parts, so that nothing is rounded in between.
    fn merge(&mut self, other: &Self) {
        self.value.merge(other.value);
        self.rounding += other.rounding;
    }

    /// Adds the node x. Likelihoods are relative to the nearest atom's, so they are at most
    /// one and nothing overflows; the nearest atom's own is the factor `scale`.
    fn add_node(&mut self, atoms: &[Atom], x: f64) {
        self.r2.clear();
        self.r2.extend(atoms.iter().map(|a| {
            let r = (x - a.hi) - a.lo;
            r * r + a.off2
        }));
        let nearest = self.r2.iter().fold(f64::INFINITY, |m, &r| m.min(r));
        self.e.clear();
        self.e.extend(
            atoms.iter().zip(&self.r2).map(|(a, r2)| a.weight * (0.5 * (nearest - r2)).exp()),
        );
        let scale = (-0.5 * nearest).exp();
        let mut top = 0;
        for (l, &e) in self.e.iter().enumerate() {
            if e > self.e[top] {
                top = l;
            }
        }
        let (value, rounding) = match self.integrand {
            Integrand::Variance => self.variance(atoms, top, nearest),
            Integrand::Entropy => self.entropy(atoms, top, nearest),
        };
        self.value.add(scale * value);
        self.rounding += scale * rounding;
    }

    /// Σ e_l|D_l − c|², D_l from the most likely atom, c the posterior mean (E6.5).
    fn variance(&self, atoms: &[Atom], top: usize, nearest: f64) -> (f64, f64) {
        let origin = atoms[top].at;
        let (mut p, mut cx, mut cy) = (0.0, 0.0, 0.0);
        for (a, &e) in atoms.iter().zip(&self.e) {
            p += e;
            cx += e * (a.at[0] - origin[0]);
            cy += e * (a.at[1] - origin[1]);
        }
        (cx, cy) = (cx / p, cy / p);
        let (mut f, mut f_r2) = (0.0, 0.0);
        for ((a, &e), &r2) in atoms.iter().zip(&self.e).zip(&self.r2) {
            let (x, y) = ((a.at[0] - origin[0]) - cx, (a.at[1] - origin[1]) - cy);
            let term = e * (x * x + y * y);
            f += term;
            f_r2 += term * r2;
        }
        (f, 4.0 * f_r2 + (7.0 * nearest + 28.0 + 2.0 * atoms.len() as f64) * f)
    }

    /// Σ e_l ln(p/e_l), the most likely atom's term by ln(1+x) (E6.5).
    fn entropy(&self, atoms: &[Atom], top: usize, nearest: f64) -> (f64, f64) {
        let likely = self.e[top];
        let others = || self.e.iter().enumerate().filter(|&(l, &e)| l != top && e > 0.0);
        let rest: f64 = others().map(|(_, e)| e).sum();
        let log_p = (likely + rest).ln();
        let mut least_log = 0.0_f64;
        let (mut g, mut g_r2) = (0.0, 0.0);
        for (l, &e) in others() {
            let log_w = atoms[l].log_weight;
            let surprise = log_p - (log_w + 0.5 * (nearest - self.r2[l]));
            least_log = least_log.max(-log_w);
            g += e * surprise;
            g_r2 += e * (1.0 + surprise) * self.r2[l];
        }
        let value = g + likely * (rest / likely).ln_1p();
        let constant = 60.0
            + 2.0 * atoms.len() as f64
            + 13.0 * nearest
            + 4.0 * self.r2[top]
            + 11.0 * (log_p.abs() + least_log);
        (value, 6.0 * g_r2 + (rest + g) * constant)
    }
}
