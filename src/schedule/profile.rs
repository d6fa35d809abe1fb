//! [`RateProfile`]: the entropy rate of a data model over a range, and the laws that are its
//! root.

use super::closed::{distance, log_ratio};
use super::law::{check_range, check_table};
use super::table::{Table, UNDERFLOW};
use super::{NoiseLaw, ScheduleError};
use crate::entropy::{Clock, DataModel, LowNoise};
use crate::evidence::{Estimated, Evidence};

/// Relative tolerance of the fits of √-densities, between panels of an already fitted rate.
const FIT_TOLERANCE: f64 = 1e-13;
/// Default relative tolerance of the fit of a model's rate.
const MODEL_TOLERANCE: f64 = 1e-13;
/// mmse ≈ mσ² underflows below this.
const LOWEST_CONTINUOUS: f64 = 1e-140;
/// An unbounded range ends at this multiple of a level of information ≤ 0.01.
const FAR: f64 = 1e30;

/// The entropy rate Ḣ_ℓ = mmse/σ² over a range of noise levels, as a function.
///
/// Built once from a [`DataModel`] (adaptive fit) or from a table of measured mmse values; then
/// every law in every clock costs no further evaluation of the model.
///
/// ```
/// use rootrate::entropy::Clock;
/// use rootrate::evidence::{Estimated, Evidence};
/// use rootrate::schedule::RateProfile;
/// // measured mmse of unit Gaussian data, σ²/(1+σ²)
/// let sigma: Vec<f64> = (0..60).map(|i| 0.05 * 1.1f64.powi(i)).collect();
/// let mmse: Vec<Evidence> = sigma
///     .iter()
///     .map(|s| Estimated { value: s * s / (1.0 + s * s), estimate: 0.0 }.into())
///     .collect();
/// let law = RateProfile::tabulated("measured", &sigma, &mmse)
///     .and_then(|p| p.sqrt_entropy(Clock::LogSigma))
///     .unwrap();
/// assert!(law.cdf(0.5) > 0.6);
/// ```
#[derive(Debug, Clone)]
pub struct RateProfile {
    name: String,
    range: (f64, f64),
    data: Data,
    /// Where the rate is not exactly zero.
    active: Vec<(f64, f64)>,
    /// Estimate of the rate's mass outside the range, relative, if the range was chosen here.
    truncated: f64,
}

#[derive(Debug, Clone)]
enum Data {
    /// Ḣ_ℓ as a fitted density.
    Fitted(Table),
    /// Measured rows, log-linear in between.
    Tabulated { sigma: Vec<f64>, mmse: Vec<f64>, error: Vec<f64> },
}

/// The √-entropy law of a model: density ∝ √Ḣ_u in the clock u (S2).
///
/// `range` is (σ_min, σ_max). For discrete data σ_min may be 0 and σ_max may be ∞: a finite
/// window is then chosen that leaves out a fraction 1e-15 √(Var/mmse) of the mass above it
/// (a bound, S3) and an estimated 1e-18 below it.
///
/// # Errors
/// For ranges that are not valid, continuous data without a cut-off, models whose mmse is
/// sampled, and whatever the model returns.
pub fn sqrt_entropy(
    model: &dyn DataModel,
    clock: Clock,
    range: (f64, f64),
) -> Result<NoiseLaw, ScheduleError> {
    RateProfile::from_model(model, range, MODEL_TOLERANCE)?.sqrt_entropy(clock)
}

/// The entropy-rate law of a model: density ∝ Ḣ_u, the same law in every clock.
///
/// # Errors
/// As for [`sqrt_entropy`].
pub fn entropy_law(model: &dyn DataModel, range: (f64, f64)) -> Result<NoiseLaw, ScheduleError> {
    RateProfile::from_model(model, range, MODEL_TOLERANCE)?.entropy()
}

impl RateProfile {
    /// Fits a model's rate to a relative tolerance (not below the evidence of its values),
    /// panels split at the model's kinks. Cost: a few hundred evaluations for a typical model
    /// on a range of ten e-folds.
    ///
    /// # Errors
    /// As for [`sqrt_entropy`].
    pub fn from_model(
        model: &dyn DataModel,
        range: (f64, f64),
        tolerance: f64,
    ) -> Result<Self, ScheduleError> {
        if !(1e-15..=1e-2).contains(&tolerance) {
            let valid = "a relative tolerance is within 1e-15 and 1e-2";
            return Err(ScheduleError::Parameter { name: "tolerance", value: tolerance, valid });
        }
        let (window, truncated) = window(model, range)?;
        let name = model.name();
        let table = Table::fit(&name, window, &model.kinks(), tolerance, |sigma| {
            let (mmse, error) = smooth_mmse(model, sigma)?;
            Ok((mmse.max(0.0) / sigma / sigma, error / sigma / sigma))
        })?;
        let active = active_segments(model, window)?;
        Ok(Self { name, range: window, data: Data::Fitted(table), active, truncated })
    }

    /// A profile from measured values mmse(σᵢ), log-linear in ln σ between the rows (linear
    /// next to a zero).
    ///
    /// # Errors
    /// Unless there are at least two rows, σ increasing and positive, values finite and ≥ 0,
    /// not all zero, and errors finite.
    pub fn tabulated(name: &str, sigma: &[f64], mmse: &[Evidence]) -> Result<Self, ScheduleError> {
        let values: Vec<f64> = mmse.iter().map(Evidence::value).collect();
        let error: Vec<f64> = mmse.iter().map(Evidence::error).collect();
        check_table(sigma, &values)?;
        check_table(sigma, &error)?;
        let range = (sigma[0], sigma[sigma.len() - 1]);
        if values.iter().all(|&m| m == 0.0) {
            let (low, high) = range;
            return Err(ScheduleError::NoMass { what: name.to_owned(), low, high, mass: 0.0 });
        }
        let active = (1..sigma.len())
            .filter(|&i| values[i - 1] > 0.0 || values[i] > 0.0)
            .map(|i| (sigma[i - 1], sigma[i]))
            .collect();
        let data = Data::Tabulated { sigma: sigma.to_vec(), mmse: values, error };
        Ok(Self { name: name.to_owned(), range, data, active, truncated: 0.0 })
    }

    /// The model's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The range (σ_min, σ_max), finite also where it was chosen here.
    pub fn range(&self) -> (f64, f64) {
        self.range
    }

    /// The range's length in a clock.
    pub fn length(&self, clock: Clock) -> f64 {
        distance(clock, self.range.0, self.range.1)
    }

    /// Ḣ_u at σ; 0 outside the range. The estimate includes one standard error of sampled
    /// rows, and not the interpolation error of a table.
    pub fn rate(&self, clock: Clock, sigma: f64) -> Estimated {
        let (rate, error) = self.log_rate(sigma);
        let speed = if rate > 0.0 { clock.log_sigma_speed(sigma) } else { 0.0 };
        Estimated { value: rate * speed, estimate: error * speed }
    }

    /// Ḣ_ℓ and its error.
    fn log_rate(&self, sigma: f64) -> (f64, f64) {
        if !(sigma >= self.range.0 && sigma <= self.range.1) {
            return (0.0, 0.0);
        }
        match &self.data {
            Data::Fitted(table) => match table.raw(sigma) {
                (rate, error) if rate < UNDERFLOW => (0.0, error),
                resolved => resolved,
            },
            Data::Tabulated { sigma: levels, mmse, error } => {
                let i = levels.partition_point(|&s| s <= sigma).clamp(1, levels.len() - 1) - 1;
                let m = interpolate((levels[i], levels[i + 1]), (mmse[i], mmse[i + 1]), sigma);
                let e = error[i].max(error[i + 1]);
                (m / sigma / sigma, e / sigma / sigma)
            }
        }
    }

    fn breaks(&self) -> Vec<f64> {
        match &self.data {
            Data::Fitted(table) => table.breaks(),
            Data::Tabulated { sigma, .. } => sigma.clone(),
        }
    }

    /// The entropy-rate law, density ∝ Ḣ; its normaliser is ∫Ḣ, in nats.
    ///
    /// # Errors
    /// If the rate has no mass or cannot be resolved.
    pub fn entropy(&self) -> Result<NoiseLaw, ScheduleError> {
        self.law("entropy", |rate, _| rate)
    }

    /// The √-entropy law, density ∝ √Ḣ_u in the clock u (S2); its normaliser is ∫√Ḣ_u du.
    ///
    /// # Errors
    /// If the rate has no mass or cannot be resolved.
    pub fn sqrt_entropy(&self, clock: Clock) -> Result<NoiseLaw, ScheduleError> {
        self.law(&format!("sqrt-entropy ({clock})"), |rate, sigma| {
            (rate / clock.log_sigma_speed(sigma)).sqrt()
        })
    }

    /// The efficiency of the entropy-rate law in the clock (S6), (∫√Ḣ_u du)²/(|T₊| ∫Ḣ_u du),
    /// with |T₊| the length of the levels at which the rate is positive.
    ///
    /// It equals that of the uniform law wherever the rate is positive on the whole range. The
    /// two densities of [`efficiency`](super::efficiency) give the same only as long as neither
    /// underflows; this does not form their ratio.
    ///
    /// # Errors
    /// As for [`sqrt_entropy`](Self::sqrt_entropy).
    pub fn entropy_efficiency(&self, clock: Clock) -> Result<Estimated, ScheduleError> {
        let (root, total) = (self.sqrt_entropy(clock)?.normaliser(), self.entropy()?.normaliser());
        let length: f64 = self.active.iter().map(|&(a, b)| distance(clock, a, b)).sum();
        let value = root.value() / length * (root.value() / total.value());
        let relative = 2.0 * root.error() / root.value() + total.error() / total.value();
        Ok(Estimated { value: value.min(1.0), estimate: value * (relative + 4.0 * f64::EPSILON) })
    }

    /// The √-entropy law of learners that each serve a width L(σ) > 0, measured in the clock
    /// u: density ∝ √(Ḣ_u/L) in u (S7). The same widths said in another clock give the same
    /// law; L ≡ 1 is [`sqrt_entropy`](Self::sqrt_entropy).
    ///
    /// # Errors
    /// If L is not positive and finite somewhere, or the law cannot be resolved.
    pub fn sqrt_entropy_with_width(
        &self,
        clock: Clock,
        width: impl Fn(f64) -> f64,
    ) -> Result<NoiseLaw, ScheduleError> {
        self.law(&format!("sqrt-entropy (widths in {clock})"), |rate, sigma| {
            let w = width(sigma);
            if w > 0.0 { (rate / clock.log_sigma_speed(sigma) / w).sqrt() } else { f64::NAN }
        })
    }

    /// The optimal law for an objective ∫ w(σ) mmse(σ)/n(σ) du of the user's own: density ∝
    /// √(w·mmse) in the clock u (S1).
    ///
    /// # Errors
    /// If w is negative or not finite somewhere, or the law cannot be resolved.
    pub fn sqrt_weighted(
        &self,
        clock: Clock,
        weight: impl Fn(f64) -> f64,
    ) -> Result<NoiseLaw, ScheduleError> {
        self.law(&format!("sqrt-weighted ({clock})"), |rate, sigma| {
            (weight(sigma) * rate).sqrt() * sigma / clock.log_sigma_speed(sigma)
        })
    }

    /// The law with density g(Ḣ_ℓ, σ) in ln σ; the evidence of the rate becomes evidence of
    /// the density by differencing g.
    fn law(&self, name: &str, g: impl Fn(f64, f64) -> f64) -> Result<NoiseLaw, ScheduleError> {
        let what = format!("{name} law of {}", self.name);
        let density = |sigma: f64| g(self.log_rate(sigma).0, sigma);
        let breaks = self.breaks();
        let mut table =
            Table::fit(&what, self.range, &breaks, FIT_TOLERANCE, |s| Ok((density(s), 0.0)))?;
        let mut error = 0.0;
        for pair in breaks.windows(2) {
            let middle = (pair[0].sqrt() * pair[1].sqrt()).clamp(pair[0], pair[1]);
            let (rate, e) = self.log_rate(middle);
            let change = g(rate + e, middle) - g(rate, middle);
            if change.is_finite() {
                error += change.abs() * log_ratio(pair[0], pair[1]);
            }
        }
        if let Data::Tabulated { sigma, mmse, .. } = &self.data {
            error += interpolation_error(sigma, mmse, &g);
        }
        let mass = table.mass();
        table.add_error(error / mass + self.truncated);
        Ok(NoiseLaw::table(name, table))
    }
}

/// Log-linear in ln σ between two rows; linear when one of them is zero.
fn interpolate((a, b): (f64, f64), (x, y): (f64, f64), sigma: f64) -> f64 {
    let theta = (log_ratio(a, sigma.max(a)) / log_ratio(a, b)).clamp(0.0, 1.0);
    if x > 0.0 && y > 0.0 {
        (x.ln() * (1.0 - theta) + y.ln() * theta).exp()
    } else {
        x * (1.0 - theta) + y * theta
    }
}

/// Estimate of the interpolation's contribution to ∫|δg| dℓ: at each inner row, what leaving
/// that row out changes is four times the error between the rows, and a parabola's mean is ⅔
/// of its height; every segment is seen from two rows, and a factor 2 is for safety.
fn interpolation_error(sigma: &[f64], mmse: &[f64], g: &impl Fn(f64, f64) -> f64) -> f64 {
    let at = |m: f64, s: f64| g(m / s / s, s);
    (1..sigma.len() - 1)
        .map(|i| {
            let ends = (sigma[i - 1], sigma[i + 1]);
            let without = interpolate(ends, (mmse[i - 1], mmse[i + 1]), sigma[i]);
            let change = (at(without, sigma[i]) - at(mmse[i], sigma[i])).abs();
            change * log_ratio(ends.0, ends.1) / 6.0
        })
        .filter(|e| e.is_finite())
        .sum()
}

/// The parts of the range, between the model's kinks, in which the rate is not exactly zero: a
/// phase without any rate is known by an mmse of 0 with an error of 0 in its middle.
fn active_segments(
    model: &dyn DataModel,
    (low, high): (f64, f64),
) -> Result<Vec<(f64, f64)>, ScheduleError> {
    let mut ends = vec![low];
    let mut kinks = model.kinks();
    kinks.sort_by(f64::total_cmp);
    ends.extend(kinks.into_iter().filter(|&k| low < k && k < high));
    ends.push(high);
    let mut active = Vec::new();
    for pair in ends.windows(2) {
        if smooth_mmse(model, pair[0].sqrt() * pair[1].sqrt())? != (0.0, 0.0) {
            active.push((pair[0], pair[1]));
        }
    }
    Ok(active)
}

/// The mmse and its error; refuses Monte Carlo models.
fn smooth_mmse(model: &dyn DataModel, sigma: f64) -> Result<(f64, f64), ScheduleError> {
    match model.mmse(sigma)? {
        Evidence::Sampled(s) => Err(ScheduleError::Sampled {
            model: model.name(),
            sigma,
            standard_error: s.standard_error,
        }),
        e => Ok((e.value(), e.error())),
    }
}

/// The finite window for a range, and the relative mass that it leaves out.
fn window(
    model: &dyn DataModel,
    (low, high): (f64, f64),
) -> Result<((f64, f64), f64), ScheduleError> {
    if low.is_nan() || high.is_nan() || low < 0.0 || low >= high || low.is_infinite() {
        let valid = "it needs 0 ≤ low < high ≤ ∞, with low > 0 for continuous data";
        return Err(ScheduleError::Range { low, high, valid });
    }
    if let LowNoise::Continuous { dimension } = model.low_noise() {
        if low == 0.0 {
            return Err(ScheduleError::CutOff { model: model.name(), dimension });
        }
        if low < LOWEST_CONTINUOUS {
            let valid = "the mmse of continuous data underflows below σ = 1e-140";
            return Err(ScheduleError::Range { low, high, valid });
        }
    }
    let (top, above) = if high.is_finite() { (high, 0.0) } else { upper_end(model, low)? };
    let (bottom, below) = if low > 0.0 { (low, 0.0) } else { lower_end(model, top)? };
    check_range((bottom, top))?;
    Ok(((bottom, top), above + below))
}

/// The upper end for an unbounded range (S3): beyond S₀, where the information is small,
/// mmse ≥ mmse(S₀) up to the variance, so √Ḣ_u in any of the clocks falls at least as σ^{−½}
/// in ln σ and the part above S carries at most √(S₀/S · Var/mmse(S₀)) of the mass.
fn upper_end(model: &dyn DataModel, low: f64) -> Result<(f64, f64), ScheduleError> {
    let mut start = low.max(1.0);
    while start < 1e250 && model.information(start)?.value() > 0.01 {
        start *= std::f64::consts::E;
    }
    let top = start * FAR;
    let (near, _) = smooth_mmse(model, start)?;
    let (far, _) = smooth_mmse(model, top)?;
    if start >= 1e250 || !(near > 0.0 && far.is_finite()) {
        let valid = "no finite window with negligible mass above it was found: give σ_max";
        return Err(ScheduleError::Range { low, high: f64::INFINITY, valid });
    }
    Ok((top, (far / near / FAR).sqrt()))
}

/// The lower end for discrete data: where the information has reached the entropy and the root
/// of the rate, which then decays like exp(−Δ²/(16σ²)), is below 1e-20 of its maximum.
fn lower_end(model: &dyn DataModel, top: f64) -> Result<(f64, f64), ScheduleError> {
    let LowNoise::Discrete { entropy } = model.low_noise() else {
        return Ok((top, 0.0));
    };
    let (mut sigma, mut largest) = (top, 0.0_f64);
    while sigma > 1e-290 {
        let (mmse, _) = smooth_mmse(model, sigma)?;
        let root = mmse.max(0.0).sqrt() / sigma;
        largest = largest.max(root);
        if root <= 1e-20 * largest && largest > 0.0 {
            let information = model.information(sigma)?;
            let missing = entropy - information.value();
            if missing <= 1e-9 * entropy.max(1e-3) + 2.0 * information.error() {
                return Ok((sigma, 1e-18));
            }
        }
        // below its maximum the rate falls faster than any power, and levels become expensive
        sigma /= if root < 0.5 * largest { 1.1 } else { std::f64::consts::E };
    }
    let valid = "no finite window with negligible mass below it was found: give σ_min > 0";
    Err(ScheduleError::Range { low: 0.0, high: top, valid })
}
