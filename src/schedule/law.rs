//! [`NoiseLaw`]: a probability law over noise levels.

use std::fmt;

use super::ScheduleError;
use super::closed::{Closed, log_ratio};
use super::table::Table;
use crate::entropy::Clock;
use crate::evidence::{Estimated, Evidence};
use crate::numeric::chebyshev::solve_increasing;

/// Relative tolerance of the fits of a given density.
pub(super) const FIT_TOLERANCE: f64 = 1e-14;
/// Tail mass that moments of a law on an unbounded range may miss.
const TAIL: f64 = 1e-20;
/// ½π² + 4 × Catalan's constant = ½ψ′(¼), the variance of (S11).
const BETA_QUARTER_VARIANCE: f64 = 8.598_664_577_253_556;

/// A probability law over noise levels σ > 0.
///
/// One type for every schedule: closed forms (log-normal, uniform in a clock, the asinh law of
/// Gaussian data, …) and numerical densities (√-entropy laws of arbitrary data, tables). All of
/// them have a density in every [`Clock`], a distribution function, its inverse, and draws.
///
/// ```
/// use rootrate::entropy::Clock;
/// use rootrate::schedule::NoiseLaw;
/// let law = NoiseLaw::gaussian(0.5, Clock::LogSigma, (0.05, 80.0)).unwrap();
/// let median = law.quantile(0.5).unwrap();
/// assert!((law.cdf(median) - 0.5).abs() < 1e-15);
/// // a stratified batch of three, offsets from any source of uniform numbers
/// let batch = law.stratified(&[0.3, 0.9, 0.1]).unwrap();
/// assert!(batch[0] < batch[1] && batch[1] < batch[2]);
/// ```
#[derive(Debug, Clone)]
pub struct NoiseLaw {
    name: String,
    shape: Shape,
}

#[derive(Debug, Clone)]
enum Shape {
    Closed(Closed),
    Table(Table),
    /// Positive weights that sum to one.
    Mixture(Vec<(f64, NoiseLaw)>),
}

/// Rejects ranges that are not 0 < low < high < ∞.
pub(super) fn check_range((low, high): (f64, f64)) -> Result<(), ScheduleError> {
    if low > 0.0 && low < high && high.is_finite() {
        Ok(())
    } else {
        let valid = "it needs 0 < low < high < ∞";
        Err(ScheduleError::Range { low, high, valid })
    }
}

impl NoiseLaw {
    pub(super) fn closed(name: impl Into<String>, closed: Closed) -> Self {
        Self { name: name.into(), shape: Shape::Closed(closed) }
    }

    pub(super) fn table(name: impl Into<String>, table: Table) -> Self {
        Self { name: name.into(), shape: Shape::Table(table) }
    }

    /// The law with a given density (not normalised) with respect to a clock on a range,
    /// fitted to relative accuracy 1e-14 where it is smooth; `kinks` are the levels at which it
    /// is not.
    ///
    /// # Errors
    /// If the range is not valid, or the density negative, not finite, zero throughout, or too
    /// rough to be resolved.
    pub fn from_density(
        name: &str,
        clock: Clock,
        range: (f64, f64),
        kinks: &[f64],
        density: impl Fn(f64) -> f64,
    ) -> Result<Self, ScheduleError> {
        check_range(range)?;
        let in_log = |sigma: f64| Ok((density(sigma) / clock.log_sigma_speed(sigma), 0.0));
        Ok(Self::table(name, Table::fit(name, range, kinks, FIT_TOLERANCE, in_log)?))
    }

    /// The law through a table of (σ, density with respect to ln σ): linear in ln σ between
    /// the rows, normalised.
    ///
    /// # Errors
    /// Unless there are at least two rows, σ increasing and positive, densities finite and ≥ 0
    /// and not all zero.
    pub fn from_table(name: &str, sigma: &[f64], density: &[f64]) -> Result<Self, ScheduleError> {
        check_table(sigma, density)?;
        let largest = density.iter().fold(0.0, |a: f64, &b| a.max(b));
        let (low, high) = (sigma[0], sigma[sigma.len() - 1]);
        if largest == 0.0 {
            return Err(ScheduleError::NoMass { what: name.to_owned(), low, high, mass: 0.0 });
        }
        let scaled: Vec<f64> = density.iter().map(|d| d / largest).collect();
        Ok(Self::table(name, Table::linear(name, sigma, &scaled)?))
    }

    /// The mixture Σ wᵢ lawᵢ; the weights are normalised.
    ///
    /// # Errors
    /// Unless there is a component, and the weights are finite, ≥ 0 and not all zero.
    pub fn mixture(name: &str, parts: Vec<(f64, Self)>) -> Result<Self, ScheduleError> {
        let total: f64 = parts.iter().map(|(w, _)| w).sum();
        if let Some((w, _)) = parts.iter().find(|(w, _)| !(w.is_finite() && *w >= 0.0)) {
            let valid = "weights must be finite numbers ≥ 0";
            return Err(ScheduleError::Parameter { name: "weight", value: *w, valid });
        }
        if !(total > 0.0 && total.is_finite()) {
            let valid = "the weights need a finite sum > 0";
            return Err(ScheduleError::Parameter { name: "total weight", value: total, valid });
        }
        let parts =
            parts.into_iter().filter(|(w, _)| *w > 0.0).map(|(w, l)| (w / total, l)).collect();
        Ok(Self { name: name.to_owned(), shape: Shape::Mixture(parts) })
    }

    /// The law's name, its clock included where it depends on one.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The law under another name.
    pub fn named(self, name: &str) -> Self {
        Self { name: name.to_owned(), ..self }
    }

    /// The smallest interval [σ_min, σ_max] of full mass; σ_min may be 0 and σ_max ∞.
    pub fn support(&self) -> (f64, f64) {
        match &self.shape {
            Shape::Closed(c) => c.support(),
            Shape::Table(t) => t.support(),
            Shape::Mixture(parts) => parts
                .iter()
                .map(|(_, l)| l.support())
                .fold((f64::INFINITY, 0.0), |a, b| (a.0.min(b.0), a.1.max(b.1))),
        }
    }

    /// Density with respect to the clock's level at σ; 0 outside the support (and for a σ that
    /// is no noise level).
    pub fn density(&self, clock: Clock, sigma: f64) -> f64 {
        let value = self.log_density(sigma);
        // a density that underflows must not meet a Jacobian that overflows
        if value > 0.0 { value * clock.log_sigma_speed(sigma) } else { 0.0 }
    }

    /// Density with respect to ln σ.
    pub(super) fn log_density(&self, sigma: f64) -> f64 {
        let (low, high) = self.support();
        if !(sigma > 0.0 && sigma >= low && sigma <= high && sigma.is_finite()) {
            return 0.0;
        }
        match &self.shape {
            Shape::Closed(c) => c.density(sigma),
            Shape::Table(t) => t.density(sigma),
            Shape::Mixture(parts) => parts.iter().map(|(w, l)| w * l.log_density(sigma)).sum(),
        }
    }

    /// P(level ≤ σ); 0 for a σ that is no noise level.
    pub fn cdf(&self, sigma: f64) -> f64 {
        let (low, high) = self.support();
        if sigma >= high {
            return 1.0;
        }
        if sigma.is_nan() || sigma <= low {
            return 0.0;
        }
        let value = match &self.shape {
            Shape::Closed(c) => c.cdf(sigma),
            Shape::Table(t) => t.cdf(sigma),
            Shape::Mixture(parts) => parts.iter().map(|(w, l)| w * l.cdf(sigma)).sum(),
        };
        value.clamp(0.0, 1.0)
    }

    /// The σ with P(level ≤ σ) = u, to machine precision; the ends of the support (possibly 0
    /// and ∞) at u = 0 and u = 1.
    ///
    /// # Errors
    /// Unless 0 ≤ u ≤ 1.
    pub fn quantile(&self, u: f64) -> Result<f64, ScheduleError> {
        if !(0.0..=1.0).contains(&u) {
            return Err(ScheduleError::Probability { value: u });
        }
        Ok(self.quantile_unchecked(u))
    }

    fn quantile_unchecked(&self, u: f64) -> f64 {
        match &self.shape {
            Shape::Closed(c) => c.quantile(u),
            Shape::Table(t) => t.quantile(u),
            Shape::Mixture(parts) => {
                let (low, high) = self.support();
                if u <= 0.0 || u >= 1.0 {
                    return if u <= 0.0 { low } else { high };
                }
                let (a, b) = parts
                    .iter()
                    .map(|(_, l)| l.quantile_unchecked(u))
                    .fold((f64::INFINITY, 0.0), |x: (f64, f64), q| (x.0.min(q), x.1.max(q)));
                if a >= b {
                    return a;
                }
                let width = log_ratio(a, b);
                let at = |v: f64| (a * (0.5 * v).exp() * (0.5 * v).exp()).clamp(a, b);
                at(solve_increasing(u, (0.0, width), 0.5 * width, |v| {
                    (self.cdf(at(v)), self.log_density(at(v)))
                }))
            }
        }
    }

    /// A draw from a uniform number: [`quantile`](Self::quantile), except that u = 0 and u = 1
    /// count as 2⁻⁵⁴ and 1 − 2⁻⁵³, so that a draw is always finite and positive.
    ///
    /// # Errors
    /// Unless 0 ≤ u ≤ 1.
    pub fn draw(&self, u: f64) -> Result<f64, ScheduleError> {
        let interior = u.clamp(0.25 * f64::EPSILON, 1.0 - 0.5 * f64::EPSILON);
        self.quantile(if (0.0..=1.0).contains(&u) { interior } else { u })
    }

    /// One [`draw`](Self::draw) from each uniform number.
    ///
    /// # Errors
    /// Unless all are within [0, 1].
    pub fn draws(&self, uniforms: &[f64]) -> Result<Vec<f64>, ScheduleError> {
        uniforms.iter().map(|&u| self.draw(u)).collect()
    }

    /// Stratified draws: one from each of n equally probable strata, quantile((i+uᵢ)/n) for
    /// the n given offsets uᵢ. Unbiased when the offsets are uniform.
    ///
    /// # Errors
    /// Unless all offsets are within [0, 1].
    pub fn stratified(&self, offsets: &[f64]) -> Result<Vec<f64>, ScheduleError> {
        let n = offsets.len() as f64;
        let inside = |u: f64| (0.0..=1.0).contains(&u);
        offsets
            .iter()
            .enumerate()
            .map(|(i, &u)| self.draw(if inside(u) { ((i as f64 + u) / n).min(1.0) } else { u }))
            .collect()
    }

    /// The integral Z of the density that the law was normalised from: ∫√Ḣ_u du for a √-entropy
    /// law, ∫Ḣ_u du (nats) for an entropy law, the length in the clock for a uniform law, 1 for
    /// a law that is defined normalised.
    pub fn normaliser(&self) -> Evidence {
        let (value, relative) = match &self.shape {
            Shape::Closed(c) => (c.normaliser(), 16.0 * f64::EPSILON),
            Shape::Table(t) => (t.mass(), t.relative_error()),
            Shape::Mixture(_) => (1.0, f64::EPSILON),
        };
        Estimated { value, estimate: relative * value }.into()
    }

    /// Estimate of ∫|density − exact density|, from the fit and from the evidence of the data
    /// that the law was built from.
    pub fn density_error(&self) -> f64 {
        match &self.shape {
            Shape::Closed(_) => 16.0 * f64::EPSILON,
            // numerator and normaliser
            Shape::Table(t) => 2.0 * t.relative_error(),
            Shape::Mixture(parts) => parts.iter().map(|(w, l)| w * l.density_error()).sum(),
        }
    }

    /// E ln σ.
    pub fn mean_log_sigma(&self) -> Estimated {
        self.log_moments().0
    }

    /// The standard deviation of ln σ.
    pub fn sd_log_sigma(&self) -> Estimated {
        self.log_moments().1
    }

    /// The law as a table on the part of its support that carries all but 1e-20 of its mass.
    fn tabulated(&self) -> Result<Table, ScheduleError> {
        let (low, high) = self.support();
        let low = if low > 0.0 { low } else { self.quantile_unchecked(TAIL) };
        // only the uniform law in the flow clock reaches ∞ here; its tail is 1/σ
        let high = if high.is_finite() { high } else { 1.0 / TAIL };
        Table::fit(&self.name, (low, high), &self.breaks(), FIT_TOLERANCE, |s| {
            Ok((self.log_density(s), 0.0))
        })
    }

    fn log_moments(&self) -> (Estimated, Estimated) {
        let ((mean, sd), spread) = match &self.shape {
            Shape::Closed(Closed::LogNormal { mean, sd }) => ((*mean, *sd), 0.0),
            Shape::Closed(Closed::Cosine) => ((0.0, std::f64::consts::FRAC_PI_2), 0.0),
            Shape::Closed(Closed::BetaQuarter { scale }) => {
                ((scale.ln(), BETA_QUARTER_VARIANCE.sqrt()), 0.0)
            }
            Shape::Closed(_) => match self.tabulated() {
                Ok(table) => (table.moments(), self.spread()),
                Err(_) => ((0.0, 0.0), f64::INFINITY),
            },
            Shape::Table(table) => (table.moments(), self.spread()),
            Shape::Mixture(parts) => return mixture_moments(parts),
        };
        let error = self.density_error();
        let rounding = 4.0 * f64::EPSILON * (mean.abs() + sd);
        let mean_error = error * spread + rounding;
        let sd_error = (error * spread * spread / (2.0 * sd).max(f64::MIN_POSITIVE))
            .min(error.sqrt() * spread)
            + rounding;
        (
            Estimated { value: mean, estimate: mean_error },
            Estimated { value: sd, estimate: sd_error },
        )
    }

    /// Length of the support in ln σ, at most what [`tabulated`](Self::tabulated) covers.
    fn spread(&self) -> f64 {
        let (low, high) = self.support();
        log_ratio(low.max(f64::MIN_POSITIVE), high.min(1.0 / TAIL).max(low)).min(1400.0)
    }

    /// Levels at which the density is not smooth or bends on a scale of its own.
    pub(super) fn breaks(&self) -> Vec<f64> {
        match &self.shape {
            Shape::Closed(c) => c.features(),
            Shape::Table(t) => t.breaks(),
            Shape::Mixture(parts) => parts
                .iter()
                .flat_map(|(_, l)| {
                    let (a, b) = l.support();
                    l.breaks().into_iter().chain([a, b])
                })
                .collect(),
        }
    }
}

fn mixture_moments(parts: &[(f64, NoiseLaw)]) -> (Estimated, Estimated) {
    let moments: Vec<_> = parts.iter().map(|(w, l)| (*w, l.log_moments())).collect();
    let mean: f64 = moments.iter().map(|(w, (m, _))| w * m.value).sum();
    let mean_error: f64 = moments.iter().map(|(w, (m, _))| w * m.estimate).sum();
    let (mut variance, mut variance_error) = (0.0, 0.0);
    for (w, (m, s)) in &moments {
        let shift = m.value - mean;
        variance += w * (s.value * s.value + shift * shift);
        variance_error +=
            w * 2.0 * (s.value * s.estimate + shift.abs() * (m.estimate + mean_error));
    }
    let sd = variance.sqrt();
    let sd_error = variance_error / (2.0 * sd).max(f64::MIN_POSITIVE);
    (
        Estimated { value: mean, estimate: mean_error },
        Estimated { value: sd, estimate: sd_error.min(variance_error.sqrt()) },
    )
}

/// Rejects tables of levels and values that are not increasing, positive and finite.
pub(super) fn check_table(sigma: &[f64], values: &[f64]) -> Result<(), ScheduleError> {
    if sigma.len() != values.len() || sigma.len() < 2 {
        return Err(ScheduleError::TableShape { levels: sigma.len(), values: values.len() });
    }
    let mut previous = 0.0;
    for (index, (&x, &y)) in sigma.iter().zip(values).enumerate() {
        let valid = if !(x.is_finite() && x > previous) {
            "noise levels must be finite, positive and increasing"
        } else if !(y.is_finite() && y >= 0.0) {
            "values must be finite and ≥ 0"
        } else {
            previous = x;
            continue;
        };
        return Err(ScheduleError::Table { index, x, y, valid });
    }
    Ok(())
}

impl fmt::Display for NoiseLaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}
