//! Gaussian mixtures, Dirac mixtures in any dimension among them (theory page 3a, (Q1), (Q2)).

mod line;
mod reduced;
mod sample;

use std::path::Path;

use serde::Deserialize;

use super::control::first_equal;
use super::model::check_sigma;
use super::{DataModel, EntropyError, LowNoise, Unit};
use crate::evidence::{Estimated, Evidence, Sampled};
use reduced::Reduced;

/// Allowed deviation of the sum of the weights from one.
const WEIGHT_SUM: f64 = 1e-9;
/// Largest magnitude of a mean or a standard deviation: squares must be finite.
const LARGEST: f64 = 1e140;
/// Default number of draws in two and more dimensions.
const SAMPLES: usize = 16_384;

/// One Gaussian component: weight, mean and the variance of each coordinate.
#[derive(Debug, Clone, PartialEq)]
pub struct Component {
    /// Weight wₖ > 0.
    pub weight: f64,
    /// Mean, one entry a coordinate.
    pub mean: Vec<f64>,
    /// Variance of each coordinate, ≥ 0; zero makes the component a point in that coordinate.
    pub variances: Vec<f64>,
}

impl Component {
    /// A component with the same variance in every coordinate; variance 0 is a Dirac.
    pub fn isotropic(weight: f64, mean: Vec<f64>, variance: f64) -> Self {
        let variances = vec![variance; mean.len()];
        Self { weight, mean, variances }
    }
}

/// x0 ~ Σₖ wₖ N(mₖ, diag vₖ) in ℝᵈ; a component with vₖ = 0 is a Dirac.
///
/// With the label k hidden, both quantities split into a closed form and a remainder that is
/// bounded in all noise levels (Q1), (Q2):
///
/// mmse(σ) = Σₖ wₖ Σⱼ vₖⱼσ²/(vₖⱼ+σ²) + E Σₖ rₖ(x_σ) ‖μₖ(x_σ) − μ(x_σ)‖²,
/// I(x0; x_σ) = Σₖ wₖ Σⱼ ½ ln(1 + vₖⱼ/σ²) + E KL(r(x_σ) ‖ w),
///
/// rₖ the posterior probability of the label, μₖ the posterior mean given the label, μ the
/// posterior mean. The remainders are a quadrature (`Estimated`, relative error near 1e-13)
/// where one coordinate decides between the components: d = 1, components that differ in one
/// coordinate, and components of one common isotropic variance with collinear means in any d.
/// Otherwise they are a Monte Carlo mean over x_σ (`Sampled`).
///
/// ```
/// use rootrate::entropy::{Component, DataModel, GaussianMixture};
/// // the pair ±1 on the diagonal of ℝ⁴, scaled to distance 2
/// let at = |s: f64| Component::isotropic(0.5, vec![0.5 * s; 4], 0.0);
/// let pair = GaussianMixture::new(vec![at(1.0), at(-1.0)])?;
/// assert!((pair.mmse(1.0)?.value() - 0.4495995092).abs() < 1e-10);
/// # Ok::<(), rootrate::entropy::EntropyError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct GaussianMixture {
    dimension: usize,
    components: Vec<Component>,
    reduced: Reduced,
    samples: usize,
    seed: u64,
}

impl GaussianMixture {
    /// From components of equal dimension; equal components are merged, zero weights dropped.
    ///
    /// # Errors
    /// No components, dimension 0, differing lengths, non-finite entries, negative variances or
    /// weights, weights that do not sum to 1 within 1e-9 (they are then normalised), means or
    /// standard deviations beyond 1e140.
    pub fn new(components: Vec<Component>) -> Result<Self, EntropyError> {
        let dimension = components.first().map_or(0, |c| c.mean.len());
        if dimension == 0 {
            let found = if components.is_empty() { "no component" } else { "an empty mean" };
            return Err(shape("mixture", found, "at least one component of dimension ≥ 1"));
        }
        for (k, c) in components.iter().enumerate() {
            check_component(k, c, dimension)?;
        }
        let sum: f64 = components.iter().map(|c| c.weight).sum();
        if (sum - 1.0).abs() > WEIGHT_SUM {
            return Err(parameter("sum of the weights".into(), sum, "the weights must sum to 1"));
        }
        let components = merge(components, sum);
        let reduced = Reduced::new(&components);
        Ok(Self { dimension, components, reduced, samples: SAMPLES, seed: 0 })
    }

    /// Number of draws and seed of the Monte Carlo means (default 16,384 and 0).
    ///
    /// Every noise level uses the same draws, so curves are smooth in σ.
    ///
    /// # Errors
    /// Fewer than 2 or more than 2³¹ draws.
    pub fn with_sampling(mut self, samples: usize, seed: u64) -> Result<Self, EntropyError> {
        if !(2..=1 << 31).contains(&samples) {
            let valid = "a mean with a standard error takes 2 to 2³¹ draws";
            return Err(parameter("samples".into(), samples as f64, valid));
        }
        (self.samples, self.seed) = (samples, seed);
        Ok(self)
    }

    /// From TOML text: one `[[component]]` table each with `weight`, `mean = […]` and
    /// `variance`, a number (isotropic) or one number a coordinate; default 0, a Dirac.
    ///
    /// ```
    /// use rootrate::entropy::GaussianMixture;
    /// let mixture = GaussianMixture::from_toml(
    ///     "[[component]]\nweight = 0.25\nmean = [0, 1]\nvariance = 0.5\n\
    ///      [[component]]\nweight = 0.75\nmean = [2, 0]\nvariance = [1.0, 0.0]\n",
    /// )?;
    /// assert_eq!(mixture.components().len(), 2);
    /// # Ok::<(), rootrate::entropy::EntropyError>(())
    /// ```
    ///
    /// # Errors
    /// [`EntropyError::File`] with the line for text that is not of this form; otherwise as
    /// [`new`](Self::new).
    pub fn from_toml(text: &str) -> Result<Self, EntropyError> {
        let file: MixtureFile = toml::from_str(text).map_err(|e| EntropyError::File {
            path: "mixture".into(),
            reason: e.to_string().trim_end().into(),
        })?;
        let components = file.component.into_iter().map(ComponentTable::into_component);
        Self::new(components.collect())
    }

    /// From a TOML file, see [`from_toml`](Self::from_toml).
    ///
    /// # Errors
    /// [`EntropyError::File`] with the path when it cannot be read or parsed; otherwise as
    /// [`new`](Self::new).
    pub fn from_toml_file(path: &Path) -> Result<Self, EntropyError> {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path)
            .map_err(|e| EntropyError::File { path: name.clone(), reason: e.to_string() })?;
        Self::from_toml(&text).map_err(|e| match e {
            EntropyError::File { reason, .. } => EntropyError::File { path: name, reason },
            other => other,
        })
    }

    /// The distinct components, weights summing to 1.
    pub fn components(&self) -> &[Component] {
        &self.components
    }

    /// The remainders of (Q1) and (Q2): between-component variance and label information.
    fn between(&self, sigma: f64) -> Result<(Evidence, Evidence), EntropyError> {
        let relative = self.reduced.relative_level(sigma)?;
        let unit = self.reduced.scale * self.reduced.scale;
        let (variance, information) = match self.reduced.coordinates {
            0 => (exactly_zero(), exactly_zero()),
            1 => line::between(&self.reduced, relative)?,
            _ => sample::between(&self.reduced, relative, self.samples, self.seed),
        };
        Ok((variance.scaled(unit), information))
    }

    /// Σₖ wₖ Σⱼ f(vₖⱼ), the closed form of (Q1) and (Q2).
    fn within(&self, f: impl Fn(f64) -> f64) -> f64 {
        let component = |c: &Component| c.weight * c.variances.iter().map(|&v| f(v)).sum::<f64>();
        self.components.iter().map(component).sum()
    }
}

impl DataModel for GaussianMixture {
    fn name(&self) -> String {
        format!("mixture(components={}, d={})", self.components.len(), self.dimension)
    }

    fn unit(&self) -> Unit {
        Unit::Total { dimension: self.dimension }
    }

    /// Discrete when every variance is zero; otherwise of information dimension
    /// Σₖ wₖ · #{j: vₖⱼ > 0}.
    fn low_noise(&self) -> LowNoise {
        let dimension = self.within(|v| f64::from(v > 0.0));
        if dimension > 0.0 {
            return LowNoise::Continuous { dimension };
        }
        let entropy = self.components.iter().map(|c| -c.weight * c.weight.ln()).sum::<f64>();
        LowNoise::Discrete { entropy: entropy.max(0.0) }
    }

    fn mmse(&self, sigma: f64) -> Result<Evidence, EntropyError> {
        check_sigma(sigma)?;
        let (between, _) = self.between(sigma)?;
        // v/(1+v/σ²), which neither overflows nor cancels
        Ok(plus(between, self.within(|v| v / (1.0 + v / sigma / sigma)), self.rounding()))
    }

    fn information(&self, sigma: f64) -> Result<Evidence, EntropyError> {
        check_sigma(sigma)?;
        let (_, between) = self.between(sigma)?;
        Ok(plus(between, self.within(|v| 0.5 * (v / sigma / sigma).ln_1p()), self.rounding()))
    }
}

impl GaussianMixture {
    /// Relative rounding of a sum of positive terms, one a component and coordinate.
    fn rounding(&self) -> f64 {
        (self.dimension + self.components.len() + 8) as f64 * f64::EPSILON
    }
}

/// `evidence + exact`, where `exact` carries a relative rounding.
fn plus(evidence: Evidence, exact: f64, rounding: f64) -> Evidence {
    match evidence {
        Evidence::Sampled(s) => Sampled { mean: s.mean + exact, ..s }.into(),
        other => {
            Estimated { value: other.value() + exact, estimate: other.error() + rounding * exact }
                .into()
        }
    }
}

fn exactly_zero() -> Evidence {
    Estimated { value: 0.0, estimate: 0.0 }.into()
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct MixtureFile {
    component: Vec<ComponentTable>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ComponentTable {
    weight: f64,
    mean: Vec<f64>,
    #[serde(default)]
    variance: VarianceEntry,
}

#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "`variance` must be a number or a list of numbers")]
enum VarianceEntry {
    Isotropic(f64),
    Diagonal(Vec<f64>),
}

impl Default for VarianceEntry {
    fn default() -> Self {
        Self::Isotropic(0.0)
    }
}

impl ComponentTable {
    fn into_component(self) -> Component {
        match self.variance {
            VarianceEntry::Isotropic(v) => Component::isotropic(self.weight, self.mean, v),
            VarianceEntry::Diagonal(variances) => {
                Component { weight: self.weight, mean: self.mean, variances }
            }
        }
    }
}

fn check_component(k: usize, c: &Component, dimension: usize) -> Result<(), EntropyError> {
    for (what, found) in [("mean", c.mean.len()), ("variances", c.variances.len())] {
        if found != dimension {
            let what = if what == "mean" { "length of a mean" } else { "number of variances" };
            let found = format!("{found} in component {}", k + 1);
            return Err(shape(what, &found, &format!("{dimension}, as in the first mean")));
        }
    }
    let name = |part: &str| format!("component {}: {part}", k + 1);
    if !(c.weight.is_finite() && c.weight >= 0.0) {
        return Err(parameter(name("weight"), c.weight, "a weight must be finite and ≥ 0"));
    }
    if let Some(&m) = c.mean.iter().find(|m| m.is_nan() || m.abs() > LARGEST) {
        return Err(parameter(name("mean"), m, "a mean must lie within ±1e140"));
    }
    if let Some(&v) = c.variances.iter().find(|v| !(0.0..=LARGEST * LARGEST).contains(*v)) {
        return Err(parameter(name("variance"), v, "a variance must lie between 0 and 1e280"));
    }
    Ok(())
}

/// Normalises the weights, drops zero ones and merges equal components.
fn merge(mut components: Vec<Component>, sum: f64) -> Vec<Component> {
    components.retain(|c| c.weight > 0.0);
    let rows: Vec<Vec<f64>> =
        components.iter().map(|c| [&c.mean[..], &c.variances[..]].concat()).collect();
    let first = first_equal(rows.len(), |k| &rows[k]);
    let mut weights = vec![0.0; components.len()];
    for (c, &f) in components.iter().zip(&first) {
        weights[f] += c.weight / sum;
    }
    components.iter_mut().zip(&weights).for_each(|(c, &w)| c.weight = w);
    components.retain(|c| c.weight > 0.0);
    components
}

fn parameter(name: String, value: f64, valid: &'static str) -> EntropyError {
    EntropyError::Parameter { name, value, valid }
}

fn shape(what: &'static str, found: &str, expected: &str) -> EntropyError {
    EntropyError::Shape { what, found: found.into(), expected: expected.into() }
}
