//! The population as the kernels see it: positive atoms with their shares c·h.

use std::ops::Range;

use super::super::ResolventError;
use crate::evidence::Certified;
use crate::numeric::double_double::DoubleDouble;
use crate::spectrum::Spectrum;

/// Aspect ratios c that the law accepts.
const RATIOS: std::ops::RangeInclusive<f64> = 1e-10..=1e10;
/// Atoms must lie within these bounds: no product of four of them over- or underflows.
const ATOMS: std::ops::RangeInclusive<f64> = 1e-60..=1e60;
/// Smallest weight of an atom: its critical points lie √(c h) τ away, far above underflow.
const LEAST_WEIGHT: f64 = 1e-100;
/// u² = 2⁻¹⁰⁶.
const U2: f64 = 1.0 / (1_u128 << 106) as f64;

/// Positive atoms τⱼ, ascending and distinct, with shares c·hⱼ. The weights mean hⱼ/Σh: they
/// sum to one exactly, whatever the rounding of the given ones.
#[derive(Debug, Clone)]
pub(crate) struct Population {
    /// c.
    pub(crate) ratio: f64,
    /// τⱼ > 0.
    pub(crate) atoms: Vec<f64>,
    /// c·hⱼ, rounded: relative error ≤ 3u.
    pub(crate) shares: Vec<f64>,
    /// H({0}), rounded.
    pub(crate) zero: f64,
    /// c·H((0, ∞)): exactly c where there is no atom at 0.
    pub(crate) positive: DoubleDouble,
    /// Proved bound of the error of `positive`.
    positive_error: f64,
    /// Σh of all given weights, the one at 0 included.
    total: DoubleDouble,
    /// The weights as given, for the exact shares.
    weights: Vec<f64>,
    /// c/Σh.
    norm: DoubleDouble,
}

impl Population {
    pub(crate) fn new(spectrum: &Spectrum, ratio: f64) -> Result<Self, ResolventError> {
        if !RATIOS.contains(&ratio) {
            let valid = "a number in [1e-10, 1e10]";
            return Err(ResolventError::Parameter { name: "ratio", value: ratio, valid });
        }
        let skip = usize::from(spectrum.atoms()[0] == 0.0);
        let atoms = spectrum.atoms()[skip..].to_vec();
        let weights = spectrum.weights()[skip..].to_vec();
        for &value in [atoms.first(), atoms.last()].into_iter().flatten() {
            if !ATOMS.contains(&value) {
                let valid = "0 or a number in [1e-60, 1e60]";
                return Err(ResolventError::Parameter { name: "population atom", value, valid });
            }
        }
        for &value in spectrum.weights() {
            if value < LEAST_WEIGHT {
                let valid = "1e-100 or more, or exactly 0";
                return Err(ResolventError::Parameter { name: "population weight", value, valid });
            }
        }
        let positive_sum = sum(&weights);
        let total = positive_sum.plus(spectrum.weight_at_zero());
        let c = DoubleDouble { hi: ratio, lo: 0.0 };
        let norm = c.over(total);
        let positive = if skip == 0 { c } else { norm.times(positive_sum) };
        // sums 2n·u² each, quotient 15u², product 5u²
        let count = 24.0 + 4.0 * weights.len() as f64;
        let positive_error = if skip == 0 { 0.0 } else { positive.hi * count * U2 };
        let shares = weights.iter().map(|h| norm.scaled(*h).hi).collect();
        let zero = spectrum.weight_at_zero() / total.hi;
        Ok(Self { ratio, atoms, shares, zero, positive, positive_error, total, weights, norm })
    }

    /// The weights of the positive atoms as given; they mean hⱼ/Σh.
    pub(crate) fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// c/Σh, relative error ≤ (15 + 2n)u².
    pub(crate) fn norm(&self) -> DoubleDouble {
        self.norm
    }

    /// c·Σhⱼ over a range of atoms, relative error ≤ (24 + 4n)u².
    pub(crate) fn share_of(&self, range: Range<usize>) -> DoubleDouble {
        if range.len() == self.atoms.len() {
            self.positive
        } else {
            self.norm.times(sum(&self.weights[range]))
        }
    }

    /// x'(0) = 1 − c(1 − H{0}) with the bound of its absolute error beyond rounding to a double.
    pub(crate) fn slope_at_zero(&self) -> (DoubleDouble, f64) {
        let slope = self.positive.negated().plus(1.0);
        let rounding = if self.positive.lo == 0.0 { 0.0 } else { 2.0 * U2 * slope.hi.abs() };
        (slope, self.positive_error + rounding)
    }

    /// H({0}) with its rounding error, 0 where it is exact.
    pub(crate) fn atom_at_zero(&self) -> Certified {
        let exact = self.zero == 0.0 || (self.total.hi == 1.0 && self.total.lo == 0.0);
        Certified::new(self.zero, if exact { 0.0 } else { 2.0 * f64::EPSILON * self.zero })
    }

    /// τⱼ with c·hⱼ.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.atoms.iter().copied().zip(self.shares.iter().copied())
    }
}

fn sum(values: &[f64]) -> DoubleDouble {
    values.iter().fold(DoubleDouble { hi: 0.0, lo: 0.0 }, |a, &x| a.plus(x))
}
