//! Denoising of a Gaussian mixture: the squared error of the posterior mean, one draw a
//! replicate (M8).

use super::error::check;
use super::{MonteCarloError, Stream};

/// A component of the mixture: x0 = m + √v ∘ ξ with ξ ~ N(0, I_d).
#[derive(Debug, Clone, PartialEq)]
struct Part {
    weight: f64,
    mean: Vec<f64>,
    variances: Vec<f64>,
}

/// x0 from a Gaussian mixture, x_σ = x0 + σ ε, and the squared error ‖x0 − E[x0|x_σ]‖² of the
/// optimal denoiser, the posterior mean of (E10); its mean is the mmse.
///
/// Nothing is averaged analytically, so that the result is independent of the formulas for the
/// conditional variance.
///
/// ```
/// use rootrate::montecarlo::{DenoisingExperiment, Streams, replicate};
/// // one standard Gaussian at σ = 1: mmse ½
/// let one = DenoisingExperiment::new(&[(1.0, &[0.0], &[1.0])], 1.0)?;
/// let streams = Streams { seed: 1, experiment: 0 };
/// let sample = replicate(streams, 0..4000, &|_, _| (), Vec::new, |scratch, stream| {
///     Ok(one.squared_error(scratch, stream))
/// })?;
/// let mmse = sample.sampled()?;
/// assert!((mmse.mean - 0.5).abs() < 5.0 * mmse.standard_error);
/// # Ok::<(), rootrate::montecarlo::MonteCarloError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct DenoisingExperiment {
    parts: Vec<Part>,
    dimension: usize,
    sigma: f64,
}

impl DenoisingExperiment {
    /// Components (weight, mean, variance of each coordinate), and the noise level σ.
    ///
    /// # Errors
    /// No component, lists of different lengths, weights that are negative or do not sum to 1
    /// within 1e-9, means that are not finite, variances or a σ outside their domain.
    pub fn new(components: &[(f64, &[f64], &[f64])], sigma: f64) -> Result<Self, MonteCarloError> {
        check("sigma", sigma, |s| 1e-150 < s && s < 1e150, "a number in (1e-150, 1e150)")?;
        let dimension = components.first().map_or(0, |c| c.1.len());
        check("dimension", dimension as f64, |d| d >= 1.0, "at least one component with a mean")?;
        let total: f64 = components.iter().map(|c| c.0).sum();
        check("sum of the weights", total, |t| (t - 1.0).abs() < 1e-9, "1, within 1e-9")?;
        let mut parts = Vec::with_capacity(components.len());
        for (index, &(weight, mean, variances)) in components.iter().enumerate() {
            for (name, found) in [("mean", mean.len()), ("variances", variances.len())] {
                if found != dimension {
                    return Err(MonteCarloError::Length { name, found, expected: dimension });
                }
            }
            let bad = |name, value, valid| MonteCarloError::Element { name, index, value, valid };
            if weight.is_nan() || weight < 0.0 {
                return Err(bad("weights", weight, "a number ≥ 0"));
            }
            if let Some(&m) = mean.iter().find(|m| m.is_nan() || m.abs() >= 1e150) {
                return Err(bad("means", m, "a number within ±1e150"));
            }
            if let Some(&v) = variances.iter().find(|v| !(0.0..1e300).contains(*v)) {
                return Err(bad("variances", v, "a number in [0, 1e300)"));
            }
            let (mean, variances) = (mean.to_vec(), variances.to_vec());
            parts.push(Part { weight: weight / total, mean, variances });
        }
        Ok(Self { parts, dimension, sigma })
    }

    /// ‖x0 − E[x0|x_σ]‖² of one draw. Cost: O(components · d).
    pub fn squared_error(&self, scratch: &mut Vec<f64>, mut stream: Stream) -> f64 {
        let d = self.dimension;
        scratch.resize(4 * d, 0.0);
        let (normals, rest) = scratch.split_at_mut(2 * d);
        let (clean, noisy) = rest.split_at_mut(d);
        let chosen = self.choose(stream.uniform());
        stream.fill_normal_f64(normals);
        for i in 0..d {
            clean[i] = chosen.mean[i] + chosen.variances[i].sqrt() * normals[i];
            noisy[i] = clean[i] + self.sigma * normals[d + i];
        }
        let posterior = &mut normals[..d];
        self.posterior_mean(noisy, posterior);
        clean.iter().zip(posterior).map(|(x, m)| (x - *m) * (x - *m)).sum()
    }

    /// The component whose share of [0, 1] holds `u`.
    fn choose(&self, u: f64) -> &Part {
        let mut rest = u;
        let (last, others) = self.parts.split_last().expect("checked at construction");
        for part in others {
            if rest < part.weight {
                return part;
            }
            rest -= part.weight;
        }
        last
    }

    /// E[x0|x] = Σ_k p_k(x) (m_k + v_k/(v_k+σ²) (x − m_k)), the weights relative to the largest
    /// one so far.
    fn posterior_mean(&self, x: &[f64], mean: &mut [f64]) {
        let noise = self.sigma * self.sigma;
        let (mut largest, mut total) = (f64::NEG_INFINITY, 0.0);
        mean.fill(0.0);
        for part in &self.parts {
            let coordinates = x.iter().zip(&part.mean).zip(&part.variances);
            let quadratic: f64 = coordinates
                .map(|((x, m), v)| (x - m) * (x - m) / (v + noise) + (v + noise).ln())
                .sum();
            let log_weight = part.weight.ln() - 0.5 * quadratic;
            if log_weight == f64::NEG_INFINITY {
                continue;
            }
            if log_weight > largest {
                let shrink = (largest - log_weight).exp();
                total *= shrink;
                mean.iter_mut().for_each(|m| *m *= shrink);
                largest = log_weight;
            }
            let weight = (log_weight - largest).exp();
            total += weight;
            for (((out, x), m), v) in mean.iter_mut().zip(x).zip(&part.mean).zip(&part.variances) {
                *out += weight * (m + v / (v + noise) * (x - m));
            }
        }
        mean.iter_mut().for_each(|m| *m /= total);
    }
}
