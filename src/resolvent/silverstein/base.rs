//! The expansion of x(u) about a real base point: the form in which every residual is taken.

use super::population::Population;
use crate::numeric::double_double::DoubleDouble;
use crate::numeric::widest;

/// u² = 2⁻¹⁰⁶.
const U2: f64 = 1.0 / (1_u128 << 106) as f64;

/// A real point s of the u-plane with x(s) and the slope x'(s) = 1 − φ(s) to about 100 bits
/// (V4): for every w
///
/// x(s+w) = x(s) + w·slope + w² Σⱼ gⱼ/(dⱼ+w),  dⱼ = s − τⱼ,  gⱼ = c hⱼ τⱼ²/dⱼ².
///
/// An identity, so any s is valid; at an edge the slope vanishes and no digit cancels however
/// small w is. s = 0 gives x = 0 and slope 1 − c(1 − H{0}).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Base {
    /// s, exact by definition.
    pub(crate) s: DoubleDouble,
    /// x(s).
    pub(crate) x: DoubleDouble,
    /// Proved bound of the error of `x`.
    pub(crate) x_error: f64,
    /// 1 − φ(s).
    pub(crate) slope: f64,
    /// Proved bound of the error of `slope`.
    pub(crate) slope_error: f64,
}

impl Base {
    /// The expansion about 0.
    pub(crate) fn zero(population: &Population) -> Self {
        let (slope, error) = population.slope_at_zero();
        let slope_error = if slope.lo == 0.0 && error == 0.0 {
            0.0
        } else {
            slope.hi.abs() * f64::EPSILON + error
        };
        Self {
            s: DoubleDouble::ZERO,
            x: DoubleDouble::ZERO,
            x_error: 0.0,
            slope: slope.hi,
            slope_error,
        }
    }

    /// The expansion about s, which is not an atom. O(atoms) double-double operations.
    pub(crate) fn at(population: &Population, s: DoubleDouble) -> Self {
        if s.hi == 0.0 {
            return Self::zero(population);
        }
        let sums = widest(|| Sums::over(population, s));
        // (U8): a term carries ≤ 61u² and the 2n·u² of Σh, its sum 3u² for each addition
        let count = 100.0 + 3.0 * population.atoms.len() as f64;
        let x = s.times(sums.first.plus(1.0));
        let x_error = s.hi.abs() * (1.0 + sums.first_size) * (count + 8.0) * U2 * 1.01;
        let slope = sums.second.negated().plus(1.0);
        let slope_error =
            (1.0 + sums.second.hi) * count * U2 * 1.01 + slope.hi.abs() * f64::EPSILON;
        Self { s, x, x_error, slope: slope.hi, slope_error }
    }

    /// z − x(s) for a real z, rounded once.
    pub(crate) fn offset(&self, z: f64) -> f64 {
        self.x.below(z)
    }
}

/// Atoms a block, whose terms are formed before they are summed in `LANES` partial sums.
const BLOCK: usize = 64;
const LANES: usize = 8;

/// Σ aⱼqⱼ, Σ aⱼ|qⱼ| and φ = Σ aⱼqⱼ² with aⱼ = c hⱼ, qⱼ = τⱼ/(s − τⱼ).
struct Sums {
    first: DoubleDouble,
    first_size: f64,
    second: DoubleDouble,
}

impl Sums {
    #[inline(always)]
    fn over(population: &Population, s: DoubleDouble) -> Self {
        let mut first = [DoubleDouble::ZERO; LANES];
        let mut second = [DoubleDouble::ZERO; LANES];
        let mut size = [0.0_f64; LANES];
        let mut a = [DoubleDouble::ZERO; BLOCK];
        let mut b = [DoubleDouble::ZERO; BLOCK];
        let blocks = population.atoms.chunks(BLOCK).zip(population.weights().chunks(BLOCK));
        for (atoms, weights) in blocks {
            for (k, (&t, &h)) in atoms.iter().zip(weights).enumerate() {
                let q = DoubleDouble { hi: t, lo: 0.0 }.over(s.plus(-t));
                a[k] = population.norm().scaled(h).times(q);
                b[k] = a[k].times(q);
            }
            a[atoms.len()..].fill(DoubleDouble::ZERO);
            b[atoms.len()..].fill(DoubleDouble::ZERO);
            for (a, b) in a.chunks_exact(LANES).zip(b.chunks_exact(LANES)) {
                for l in 0..LANES {
                    first[l] = first[l].add(a[l]);
                    second[l] = second[l].add(b[l]);
                    size[l] += a[l].hi.abs();
                }
            }
        }
        let total = |lanes: [DoubleDouble; LANES]| {
            lanes.into_iter().fold(DoubleDouble::ZERO, DoubleDouble::add)
        };
        Self {
            first: total(first),
            first_size: size.iter().sum::<f64>() * (1.0 + 1e-9),
            second: total(second),
        }
    }
}
