//! Sums over the atoms at many points at once, with what an a-priori rounding bound needs (K4).

use num_complex::Complex64;

use super::base::Base;
use super::population::Population;
use crate::numeric::widest;

/// Points that share one pass over the atoms.
const LANES: usize = 8;
/// Atoms that are added plainly before their sum goes into a compensated total.
const BLOCK: usize = 32;

/// What the atoms are weighted with: Σ pⱼ/eⱼ, Σ qⱼ/eⱼ² and Σ tⱼ/|eⱼ|², eⱼ = dⱼ + w.
#[derive(Debug, Clone, Copy)]
pub(super) enum Weights {
    /// p = g, q = g·d, t = g·d² = c h τ²: the certificate (K4).
    Curvature,
    /// p = c·h, q = t = c·h·τ: the Stieltjes transform (K8).
    Share,
    /// p = q = t = c·h: its derivative (K8).
    Plain,
}

/// The atoms seen from a base point, to double precision.
#[derive(Debug)]
pub(super) struct Table {
    rows: Vec<[f64; 4]>,
    /// max(|dⱼ|, τⱼ).
    pub(super) reach: f64,
    /// max (τⱼ/dⱼ)².
    pub(super) steepest: f64,
}

/// The sums at one point.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sums {
    /// Σ p/e.
    pub(super) first: Complex64,
    /// Σ q/e².
    pub(super) second: Complex64,
    /// Σ p|Re e|/|e|².
    pub(super) real_size: f64,
    /// Σ p/|e|².
    pub(super) squares: f64,
    /// Σ t/|e|².
    pub(super) third: f64,
    /// min |e|².
    pub(super) nearest: f64,
}

impl Table {
    /// One division an atom.
    pub(super) fn new(population: &Population, base: &Base, weights: Weights) -> Self {
        let (mut reach, mut steepest) = (0.0_f64, 0.0_f64);
        let rows = population.pairs().map(|(t, a)| {
            let d = (base.s.hi - t) + base.s.lo;
            let ratio = t / d;
            reach = reach.max(d.abs()).max(t);
            steepest = steepest.max(ratio * ratio);
            match weights {
                Weights::Curvature => {
                    let g = a * ratio * ratio;
                    [d, g, g * d, a * t * t]
                }
                Weights::Share => [d, a, a * t, a * t],
                Weights::Plain => [d, a, a, a],
            }
        });
        let rows = rows.collect();
        Self { rows, reach, steepest }
    }

    /// Number of atoms.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The sums at every w; each result depends on its own w only.
    pub(super) fn sums(&self, points: &[Complex64]) -> Vec<Sums> {
        let mut results = Vec::with_capacity(points.len());
        for chunk in points.chunks(LANES) {
            let at = |l: usize| chunk[l.min(chunk.len() - 1)];
            let re = std::array::from_fn(|l| at(l).re);
            let im = std::array::from_fn(|l| at(l).im);
            let lanes = widest(
                #[inline(always)]
                || pass(&self.rows, re, im),
            );
            results.extend((0..chunk.len()).map(|l| lanes.at(l, chunk[l].im)));
        }
        results
    }
}

/// The sums of all lanes, without the factors −Im w and −2 Im w of the imaginary parts.
struct Lanes {
    /// Σ p Re e/|e|², Σ p/|e|², Σ q Re(e²)/|e|⁴, Σ q Re e/|e|⁴.
    signed: [[f64; LANES]; 4],
    real_size: [f64; LANES],
    third: [f64; LANES],
    nearest: [f64; LANES],
}

impl Lanes {
    fn at(&self, l: usize, im: f64) -> Sums {
        let [first, squares, second, cross] = self.signed.map(|s| s[l]);
        Sums {
            first: Complex64::new(first, -im * squares),
            second: Complex64::new(second, -2.0 * im * cross),
            real_size: self.real_size[l],
            squares,
            third: self.third[l],
            nearest: self.nearest[l],
        }
    }
}

#[inline(always)]
fn pass(rows: &[[f64; 4]], re: [f64; LANES], im: [f64; LANES]) -> Lanes {
    let mut total = [[0.0; LANES]; 4];
    let mut carry = [[0.0; LANES]; 4];
    let mut real_size = [0.0; LANES];
    let mut third = [0.0; LANES];
    let mut nearest = [f64::INFINITY; LANES];
    let im2 = im.map(|y| y * y);
    for block in rows.chunks(BLOCK) {
        let mut part = [[0.0; LANES]; 4];
        for &[d, p, q, t] in block {
            for l in 0..LANES {
                let dr = d + re[l];
                let square = dr * dr;
                let norm = square + im2[l];
                let inverse = 1.0 / norm;
                let pi = p * inverse;
                let first = pi * dr;
                let k = q * inverse * inverse;
                part[0][l] += first;
                part[1][l] += pi;
                part[2][l] += k * (square - im2[l]);
                part[3][l] += k * dr;
                real_size[l] += first.abs();
                third[l] += t * inverse;
                nearest[l] = if norm < nearest[l] { norm } else { nearest[l] };
            }
        }
        for i in 0..4 {
            for l in 0..LANES {
                // TwoSum
                let (a, b) = (total[i][l], part[i][l]);
                let sum = a + b;
                let b_part = sum - a;
                carry[i][l] += (a - (sum - b_part)) + (b - b_part);
                total[i][l] = sum;
            }
        }
    }
    for i in 0..4 {
        for l in 0..LANES {
            total[i][l] += carry[i][l];
        }
    }
    Lanes { signed: total, real_size, third, nearest }
}
