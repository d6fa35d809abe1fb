//! Sums over the atoms at many points at once, with what an a-priori rounding bound needs (K4).

use num_complex::Complex64;
use pulp::{Simd, WithSimd};

use super::base::Base;
use super::population::Population;

/// Doubles in the widest vector.
const WIDEST: usize = 8;
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
        let mut steepest = 0.0_f64;
        let rows = population.pairs().map(|(t, a)| {
            let d = (base.s.hi - t) + base.s.lo;
            let ratio = t / d;
            steepest = if ratio * ratio > steepest { ratio * ratio } else { steepest };
            match weights {
                Weights::Curvature => {
                    let g = a * ratio * ratio;
                    [d, g, g * d, a * t * t]
                }
                Weights::Share => [d, a, a * t, a * t],
                Weights::Plain => [d, a, a, a],
            }
        });
        let rows: Vec<_> = rows.collect();
        // |d| is largest at the least or the greatest atom
        let (least, greatest) = (population.atoms[0], population.atoms[rows.len() - 1]);
        let reach = greatest.max((base.s.hi - least).abs()).max((base.s.hi - greatest).abs());
        Self { rows, reach: reach * (1.0 + 4.0 * f64::EPSILON), steepest }
    }

    /// Number of atoms.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The sums at every w, as many at a time as a vector holds; each result depends on its own
    /// w only, not on the width of the vectors.
    pub(super) fn sums(&self, points: &[Complex64]) -> Vec<Sums> {
        pulp::Arch::new().dispatch(Passes { rows: &self.rows, points })
    }
}

struct Passes<'a> {
    rows: &'a [[f64; 4]],
    points: &'a [Complex64],
}

impl WithSimd for Passes<'_> {
    type Output = Vec<Sums>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
        let mut results = Vec::with_capacity(self.points.len());
        let mut lanes = Lanes::default();
        for chunk in self.points.chunks(S::F64_LANES) {
            for l in 0..S::F64_LANES {
                // a short chunk repeats its last point
                let w = chunk[l.min(chunk.len() - 1)];
                (lanes.re[l], lanes.im[l]) = (w.re, w.im);
            }
            pass(simd, self.rows, &mut lanes);
            results.extend(chunk.iter().enumerate().map(|(l, w)| lanes.at(l, w.im)));
        }
        results
    }
}

/// The points of one pass and their sums, without the factors −Im w and −2 Im w of the
/// imaginary parts.
#[derive(Default)]
struct Lanes {
    re: [f64; WIDEST],
    im: [f64; WIDEST],
    /// Σ p Re e/|e|², Σ p/|e|², Σ q Re(e²)/|e|⁴, Σ q Re e/|e|⁴.
    signed: [[f64; WIDEST]; 4],
    real_size: [f64; WIDEST],
    third: [f64; WIDEST],
    nearest: [f64; WIDEST],
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
fn pass<S: Simd>(simd: S, rows: &[[f64; 4]], lanes: &mut Lanes) {
    let width = S::F64_LANES;
    let re = simd.partial_load_f64s(&lanes.re[..width]);
    let im = simd.partial_load_f64s(&lanes.im[..width]);
    let im2 = simd.mul_f64s(im, im);
    let (zero, one) = (simd.splat_f64s(0.0), simd.splat_f64s(1.0));
    let mut total = [zero; 4];
    let mut carry = [zero; 4];
    let (mut real_size, mut third) = (zero, zero);
    let mut nearest = simd.splat_f64s(f64::INFINITY);
    for block in rows.chunks(BLOCK) {
        let mut part = [zero; 4];
        for row in block {
            let [d, p, q, t] = row.map(|x| simd.splat_f64s(x));
            let dr = simd.add_f64s(d, re);
            let square = simd.mul_f64s(dr, dr);
            let norm = simd.add_f64s(square, im2);
            let inverse = simd.div_f64s(one, norm);
            let pi = simd.mul_f64s(p, inverse);
            let first = simd.mul_f64s(pi, dr);
            let k = simd.mul_f64s(simd.mul_f64s(q, inverse), inverse);
            part[0] = simd.add_f64s(part[0], first);
            part[1] = simd.add_f64s(part[1], pi);
            part[2] = simd.add_f64s(part[2], simd.mul_f64s(k, simd.sub_f64s(square, im2)));
            part[3] = simd.add_f64s(part[3], simd.mul_f64s(k, dr));
            real_size = simd.add_f64s(real_size, simd.abs_f64s(first));
            third = simd.add_f64s(third, simd.mul_f64s(t, inverse));
            nearest = simd.min_f64s(nearest, norm);
        }
        for i in 0..4 {
            // TwoSum
            let sum = simd.add_f64s(total[i], part[i]);
            let b = simd.sub_f64s(sum, total[i]);
            let lost = simd.add_f64s(
                simd.sub_f64s(total[i], simd.sub_f64s(sum, b)),
                simd.sub_f64s(part[i], b),
            );
            carry[i] = simd.add_f64s(carry[i], lost);
            total[i] = sum;
        }
    }
    for (i, target) in lanes.signed.iter_mut().enumerate() {
        simd.partial_store_f64s(&mut target[..width], simd.add_f64s(total[i], carry[i]));
    }
    simd.partial_store_f64s(&mut lanes.real_size[..width], real_size);
    simd.partial_store_f64s(&mut lanes.third[..width], third);
    simd.partial_store_f64s(&mut lanes.nearest[..width], nearest);
}
