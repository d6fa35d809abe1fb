//! Sample means with control variates, and standard errors that do not forget rare events.

use crate::evidence::Sampled;

/// Fewer draws than this are averaged plainly: regression on the control variates would be
/// biased by as much as it gains.
const FEWEST: usize = 100;
/// A control variate whose part orthogonal to the others has a smaller standard deviation than
/// this, in its natural unit, is dropped: it may be rounding.
const NEGLIGIBLE: f64 = 1e-6;
/// Relative accuracy of an integrand, bounded from below in the standard error.
const ROUNDING: f64 = 1e-10;
/// Effective number of draws (Σf)²/Σf² below which a mean of positive f is carried by a few
/// rare draws, so that its sample variance cannot be trusted.
const FEW_EFFECTIVE: f64 = 32.0;

/// Control variates of a set of draws: quantities of known mean 0, in an orthonormal basis.
///
/// The regression estimate of E f is f̄ − Σₖ ⟨uₖ, f⟩ ōₖ with uₖ the centred, orthonormalised
/// variates and ōₖ their sample means before centring: a weighted mean Σ_q λ_q f_q with
/// weights that depend on the draws alone. One set of weights therefore serves every
/// integrand and every noise level, and a curve stays smooth in σ.
#[derive(Debug, Clone)]
pub(super) struct Controls {
    basis: Vec<Vec<f64>>,
    offsets: Vec<f64>,
}

impl Controls {
    /// From columns of one value a draw, each with expectation 0 and in a unit in which its
    /// standard deviation would naturally be of order one.
    ///
    /// Constant and collinear columns are dropped, and all of them when a draw would get a weight λ_q ≤ 0
    /// (means of positive quantities stay positive) or there are fewer than 100 draws.
    pub(super) fn new(columns: Vec<Vec<f64>>) -> Self {
        let mut controls = Self { basis: Vec::new(), offsets: Vec::new() };
        for mut column in columns {
            let draws = column.len();
            if draws < FEWEST {
                continue;
            }
            let mut offset = column.iter().sum::<f64>() / draws as f64;
            column.iter_mut().for_each(|c| *c -= offset);
            for (u, o) in controls.basis.iter().zip(&controls.offsets) {
                let along = dot(&column, u);
                column.iter_mut().zip(u).for_each(|(c, u)| *c -= along * u);
                offset -= along * o;
            }
            let rest = dot(&column, &column).sqrt();
            if rest > NEGLIGIBLE * (draws as f64).sqrt() && rest.is_finite() {
                column.iter_mut().for_each(|c| *c /= rest);
                controls.basis.push(column);
                controls.offsets.push(offset / rest);
            }
        }
        let draws = controls.basis.first().map_or(0, Vec::len);
        let positive = (0..draws).all(|q| {
            let shift: f64 =
                controls.basis.iter().zip(&controls.offsets).map(|(u, o)| u[q] * o).sum();
            shift < 1.0 / draws as f64
        });
        if positive { controls } else { Self { basis: Vec::new(), offsets: Vec::new() } }
    }

    /// The mean with its standard error √(s² Σλ_q² + rare²), s² the residual variance.
    ///
    /// Draws count as independent, which overstates the error where they are stratified.
    /// `rare` is the error that unseen events may cause, see [`rare_event_error`]. Where the
    /// draws leave no variance, a relative 1e-10 for the rounding of the integrand remains.
    pub(super) fn estimate(&self, values: &[f64], rare: f64) -> Sampled {
        let draws = values.len() as f64;
        let plain = values.iter().sum::<f64>() / draws;
        let mut residual: Vec<f64> = values.iter().map(|v| v - plain).collect();
        let (mut mean, mut weights) = (plain, 1.0 / draws);
        for (u, o) in self.basis.iter().zip(&self.offsets) {
            let along = dot(&residual, u);
            residual.iter_mut().zip(u).for_each(|(r, u)| *r -= along * u);
            mean -= along * o;
            weights += o * o;
        }
        let freedom = draws - 1.0 - self.basis.len() as f64;
        let variance = dot(&residual, &residual) / freedom * weights;
        let standard_error = variance.sqrt().hypot(rare).hypot(ROUNDING * mean);
        Sampled { mean, standard_error, replicates: values.len() as u64 }
    }
}

/// What events too rare to have been drawn may contribute to the mean of positive `values`.
///
/// Where few draws carry the mean, (Σf)² ≤ 32 Σf², the sample variance says nothing about still
/// larger values: then min(`bound`, `size`/draws), with `bound` a proved bound of the mean and
/// `size` the size of one such value (an event of probability 1/draws is not drawn with
/// probability 1/e). Otherwise 0.
pub(super) fn rare_event_error(values: &[f64], bound: f64, size: f64) -> f64 {
    let sum: f64 = values.iter().sum();
    if sum * sum > FEW_EFFECTIVE * dot(values, values) {
        return 0.0;
    }
    bound.min(size / values.len() as f64)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// For every row the index of the first row equal to it (−0 equals 0). O(n log n) comparisons.
pub(crate) fn first_equal<'a>(n: usize, row: impl Fn(usize) -> &'a [f64]) -> Vec<usize> {
    let compare = |&a: &usize, &b: &usize| {
        let differing = row(a).iter().zip(row(b)).find(|(x, y)| x != y);
        differing.map_or(a.cmp(&b), |(x, y)| x.total_cmp(y))
    };
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_unstable_by(compare);
    let mut first: Vec<usize> = (0..n).collect();
    for pair in order.windows(2) {
        if row(pair[0]) == row(pair[1]) {
            first[pair[1]] = first[pair[0]];
        }
    }
    first
}
