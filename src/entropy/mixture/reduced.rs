//! The coordinates in which the components of a mixture differ, at unit scale.

use super::{Component, EntropyError};

/// Noise levels relative to the scale of the mixture beyond which squares leave the doubles.
const LEVELS: std::ops::RangeInclusive<f64> = 1e-140..=1e140;
/// Length, relative to the longest difference of means, that counts as rounding.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Largest dimension of an affine hull that is looked for.
const LARGEST_HULL: usize = 64;

/// What decides between the components: coordinates that are equal in all of them drop out of
/// rₖ and of μₖ − μ, and under one isotropic variance only the affine hull of the means stays.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Reduced {
    /// Number of coordinates that remain.
    pub(super) coordinates: usize,
    /// The unit of length, a power of two: everything below is divided by it.
    pub(super) scale: f64,
    /// Weights.
    pub(super) weights: Vec<f64>,
    /// Means relative to the overall mean, row-major: component × coordinate.
    pub(super) means: Vec<f64>,
    /// Variances, as `means`.
    pub(super) variances: Vec<f64>,
}

impl Reduced {
    /// From distinct components.
    pub(super) fn new(components: &[Component]) -> Self {
        let first = &components[0];
        let differ = |j: &usize| {
            components
                .iter()
                .any(|c| c.mean[*j] != first.mean[*j] || c.variances[*j] != first.variances[*j])
        };
        let active: Vec<usize> = (0..first.mean.len()).filter(differ).collect();
        let centre: Vec<f64> = active
            .iter()
            .map(|&j| components.iter().map(|c| c.weight * (c.mean[j] - first.mean[j])).sum())
            .collect();
        let pick = |part: fn(&Component) -> &Vec<f64>| -> Vec<Vec<f64>> {
            components.iter().map(|c| active.iter().map(|&j| part(c)[j]).collect()).collect()
        };
        let variances = pick(|c| &c.variances);
        let mut means = pick(|c| &c.mean);
        for mean in &mut means {
            for ((m, c), &j) in mean.iter_mut().zip(&centre).zip(&active) {
                *m = (*m - first.mean[j]) - c;
            }
        }
        let largest = means.iter().flatten().fold(0.0_f64, |a, m| a.max(m.abs()));
        let largest = variances.iter().flatten().fold(largest, |a, v| a.max(v.sqrt()));
        // a power of two, so that dividing by it is exact
        let scale = if largest > 0.0 { 2.0_f64.powi(largest.log2().ceil() as i32) } else { 1.0 };
        means.iter_mut().flatten().for_each(|m| *m /= scale);
        let mut variances: Vec<f64> =
            variances.into_iter().flatten().map(|v| v / scale / scale).collect();
        let mut coordinates = active.len();
        let common = coordinates > 1 && variances.iter().all(|v| *v == variances[0]);
        if common && let Some(rank) = project(&mut means, coordinates) {
            coordinates = rank;
            variances.truncate(rank * components.len());
        }
        Self {
            coordinates,
            scale,
            weights: components.iter().map(|c| c.weight).collect(),
            means: means.into_iter().flatten().collect(),
            variances,
        }
    }

    /// σ in units of the scale.
    pub(super) fn relative_level(&self, sigma: f64) -> Result<f64, EntropyError> {
        let relative = sigma / self.scale;
        if LEVELS.contains(&relative) {
            return Ok(relative);
        }
        Err(EntropyError::NoConvergence {
            method: "mixture",
            sigma,
            reason: format!("σ must lie within 1e-140 and 1e140 of its scale {:e}", self.scale),
        })
    }

    /// Means of component k.
    pub(super) fn mean(&self, k: usize) -> &[f64] {
        &self.means[k * self.coordinates..][..self.coordinates]
    }

    /// Variances of component k.
    pub(super) fn variance(&self, k: usize) -> &[f64] {
        &self.variances[k * self.coordinates..][..self.coordinates]
    }
}

/// Replaces the means by their coordinates in an orthonormal basis of their span, where that
/// has fewer than `coordinates` dimensions (and fewer than 64); returns its dimension.
///
/// Gram–Schmidt, longest remainder first. The means must be centred: then their span is the
/// direction of their affine hull.
fn project(means: &mut [Vec<f64>], coordinates: usize) -> Option<usize> {
    let mut rest = means.to_vec();
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let length = |v: &Vec<f64>| v.iter().map(|x| x * x).sum::<f64>().sqrt();
    let longest = means.iter().map(length).fold(0.0, f64::max);
    while basis.len() < coordinates.min(LARGEST_HULL) {
        let next = rest.iter().max_by(|a, b| length(a).total_cmp(&length(b)))?;
        let size = length(next);
        if size <= ROUNDING * longest {
            let along = |m: &Vec<f64>| basis.iter().map(|b| dot(m, b)).collect();
            means.iter_mut().for_each(|m| *m = along(m));
            return Some(basis.len());
        }
        let unit: Vec<f64> = next.iter().map(|x| x / size).collect();
        for r in &mut rest {
            // twice, for orthogonality to the last bit
            for _ in 0..2 {
                let along = dot(r, &unit);
                r.iter_mut().zip(&unit).for_each(|(r, u)| *r -= along * u);
            }
        }
        basis.push(unit);
    }
    None
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
