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
        let sums = widest(
            #[inline(always)]
            || Sums::over(population, s),
        );
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
        let norm = population.norm();
        let (mut first, mut second) = (Lanes::default(), Lanes::default());
        let mut size = [0.0_f64; LANES];
        // high and low parts apart, so that the loops vectorise
        let (mut a_hi, mut a_lo) = ([0.0; BLOCK], [0.0; BLOCK]);
        let (mut b_hi, mut b_lo) = ([0.0; BLOCK], [0.0; BLOCK]);
        let (mut t, mut h) = ([0.0; BLOCK], [0.0; BLOCK]);
        let blocks = population.atoms.chunks(BLOCK).zip(population.weights().chunks(BLOCK));
        for (atoms, weights) in blocks {
            // padded with an atom of no weight
            t.fill(atoms[0]);
            h.fill(0.0);
            t[..atoms.len()].copy_from_slice(atoms);
            h[..atoms.len()].copy_from_slice(weights);
            for k in 0..BLOCK {
                let q = DoubleDouble { hi: t[k], lo: 0.0 }.over(s.plus(-t[k]));
                let a = norm.scaled(h[k]).times(q);
                let b = a.times(q);
                (a_hi[k], a_lo[k]) = (a.hi, a.lo);
                (b_hi[k], b_lo[k]) = (b.hi, b.lo);
            }
            for start in (0..BLOCK).step_by(LANES) {
                first.add(&a_hi[start..start + LANES], &a_lo[start..start + LANES]);
                second.add(&b_hi[start..start + LANES], &b_lo[start..start + LANES]);
                for l in 0..LANES {
                    size[l] += a_hi[start + l].abs();
                }
            }
        }
        Self {
            first: first.total(),
            first_size: size.iter().sum::<f64>() * (1.0 + 1e-9),
            second: second.total(),
        }
    }
}

/// Partial sums in double-double.
#[derive(Default)]
struct Lanes {
    hi: [f64; LANES],
    lo: [f64; LANES],
}

impl Lanes {
    #[inline(always)]
    fn add(&mut self, hi: &[f64], lo: &[f64]) {
        for l in 0..LANES {
            let sum = DoubleDouble { hi: self.hi[l], lo: self.lo[l] }
                .add(DoubleDouble { hi: hi[l], lo: lo[l] });
            (self.hi[l], self.lo[l]) = (sum.hi, sum.lo);
        }
    }

    #[inline(always)]
    fn total(&self) -> DoubleDouble {
        let pairs = self.hi.iter().zip(&self.lo);
        pairs.fold(DoubleDouble::ZERO, |sum, (&hi, &lo)| sum.add(DoubleDouble { hi, lo }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spectrum::Spectrum;

    /// Atoms, weights, c, s; x(s) and 1 − φ(s) from mpmath in 80 digits, as two doubles each.
    type Case<'a> = (&'a [f64], &'a [f64], f64, (f64, f64), (f64, f64), (f64, f64));

    #[test]
    fn errors_stay_within_their_bounds() {
        let cases: [Case<'_>; 3] = [
            (
                &[1.0, 3.0],
                &[0.5, 0.5],
                0.3,
                (2.0, 8.673617379884035e-19),
                (1.4, 1.1058862159352145e-16),
                (-0.49999999999999994, -2.0816681711721684e-18),
            ),
            (
                &[1.0, 3.0, 7.0],
                &[0.25, 0.25, 0.5],
                2.0,
                (-1.7, 1e-17),
                (0.5251840982581996, -5.111942512219794e-17),
                (0.08032334676376035, 1.779173178848985e-18),
            ),
            (
                &[0.1, 0.7],
                &[0.3, 0.7],
                0.001,
                (0.7, 1e-20),
                (3.43e+16, -1.3282989257311115),
                (-3.43e+36, -1.7768345157642738e+20),
            ),
        ];
        for (atoms, weights, ratio, (hi, lo), x, slope) in cases {
            let spectrum = Spectrum::from_atoms(atoms, weights).expect("a spectrum");
            let population = Population::new(&spectrum, ratio).expect("a population");
            let base = Base::at(&population, DoubleDouble { hi, lo });
            // both are the same sum of two doubles but for their last bits
            let x_off = ((base.x.hi - x.0) + (base.x.lo - x.1)).abs();
            assert!(x_off <= base.x_error, "{base:?}: {x_off:e}");
            // 120u² of |s| (1 + Σ a|q|), which is at most 3(|x| + |s|) here
            assert!(base.x_error <= 120.0 * U2 * 3.0 * (x.0.abs() + hi.abs()), "{base:?}");
            let slope_off = ((base.slope - slope.0) - slope.1).abs();
            assert!(slope_off <= base.slope_error, "{base:?}: {slope_off:e}");
            assert!(base.slope_error <= 1.1 * f64::EPSILON * slope.0.abs(), "{base:?}");
        }
    }
}
