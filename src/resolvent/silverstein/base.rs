//! The expansion of x(u) about a real base point: the form in which every residual is taken.

use super::population::Population;
use crate::numeric::double_double::DoubleDouble;

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
        let nought = DoubleDouble { hi: 0.0, lo: 0.0 };
        let slope = population.positive.negated().plus(1.0);
        let exact = population.positive.lo == 0.0 && slope.lo == 0.0;
        let slope_error =
            if exact { 0.0 } else { slope.hi.abs() * f64::EPSILON + 64.0 * U2 * population.ratio };
        Self { s: nought, x: nought, x_error: 0.0, slope: slope.hi, slope_error }
    }

    /// The expansion about s, which is not an atom. O(atoms) double-double operations.
    pub(crate) fn at(population: &Population, s: DoubleDouble) -> Self {
        if s.hi == 0.0 {
            return Self::zero(population);
        }
        let nought = DoubleDouble { hi: 0.0, lo: 0.0 };
        let (mut first, mut first_size) = (nought, 0.0_f64);
        let (mut second, mut second_size) = (nought, 0.0_f64);
        for (j, &t) in population.atoms.iter().enumerate() {
            let q = DoubleDouble { hi: t, lo: 0.0 }.over(s.plus(-t));
            let share = population.share(j);
            let a = share.times(q);
            let b = a.times(q);
            first = first.add(a);
            second = second.add(b);
            first_size += a.hi.abs();
            second_size += b.hi.abs();
        }
        // a term carries ≤ 60u² (share 22, difference 2, quotient 15, products 5 each), each
        // addition 3u² of a partial sum
        let count = 64.0 + 4.0 * population.atoms.len() as f64;
        let x = s.times(first.plus(1.0));
        let x_error = s.hi.abs() * (1.0 + first_size) * (count + 8.0) * U2 * 1.01;
        let slope = second.negated().plus(1.0);
        let slope_error = (1.0 + second_size) * count * U2 * 1.01 + slope.hi.abs() * f64::EPSILON;
        Self { s, x, x_error, slope: slope.hi, slope_error }
    }

    /// z − x(s) for a real z, rounded once.
    pub(crate) fn offset(&self, z: f64) -> f64 {
        self.x.below(z)
    }
}
