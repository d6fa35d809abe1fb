//! The population as the kernels see it: positive atoms with their shares c·h.

use super::super::ResolventError;
use crate::numeric::double_double::DoubleDouble;
use crate::spectrum::Spectrum;

/// Aspect ratios c that the law accepts.
const RATIOS: std::ops::RangeInclusive<f64> = 1e-10..=1e10;
/// Atoms must lie within these bounds: no product of four of them over- or underflows.
const ATOMS: std::ops::RangeInclusive<f64> = 1e-60..=1e60;

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
        let positive_sum = sum(&weights);
        let total = positive_sum.plus(spectrum.weight_at_zero());
        let c = DoubleDouble { hi: ratio, lo: 0.0 };
        let norm = c.over(total);
        let positive = if skip == 0 { c } else { norm.times(positive_sum) };
        let shares = weights.iter().map(|h| norm.scaled(*h).hi).collect();
        let zero = spectrum.weight_at_zero() / total.hi;
        Ok(Self { ratio, atoms, shares, zero, positive, weights, norm })
    }

    /// c·hⱼ, relative error ≤ 20u² + the rounding of Σh.
    pub(crate) fn share(&self, j: usize) -> DoubleDouble {
        self.norm.scaled(self.weights[j])
    }

    /// τⱼ with c·hⱼ.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.atoms.iter().copied().zip(self.shares.iter().copied())
    }
}

fn sum(values: &[f64]) -> DoubleDouble {
    values.iter().fold(DoubleDouble { hi: 0.0, lo: 0.0 }, |a, &x| a.plus(x))
}
