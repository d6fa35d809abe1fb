//! Laws over noise levels with a name: presets of the literature and closed √-entropy laws.

use super::closed::{Closed, distance};
use super::law::{FIT_TOLERANCE, check_range};
use super::table::Table;
use super::{NoiseLaw, ScheduleError};
use crate::entropy::Clock;

fn check_positive(name: &'static str, value: f64) -> Result<(), ScheduleError> {
    if value.is_finite() && value > 0.0 {
        Ok(())
    } else {
        let valid = "it must be a finite number > 0";
        Err(ScheduleError::Parameter { name, value, valid })
    }
}

impl NoiseLaw {
    /// ln σ ~ N(mean, sd²).
    ///
    /// # Errors
    /// Unless sd > 0 and draws stay within the floating-point range, |mean| + 40 sd ≤ 700.
    pub fn log_normal(mean: f64, sd: f64) -> Result<Self, ScheduleError> {
        check_positive("sd", sd)?;
        if mean.is_nan() || mean.abs() + 40.0 * sd > 700.0 {
            let valid = "|mean| + 40 sd must not exceed 700, or draws of σ overflow";
            return Err(ScheduleError::Parameter { name: "mean", value: mean, valid });
        }
        Ok(Self::closed("log-normal", Closed::LogNormal { mean, sd }))
    }

    /// The training law of EDM: ln σ ~ N(−1.2, 1.2²).
    ///
    /// Karras, Aittala, Aila, Laine, *Elucidating the Design Space of Diffusion-Based
    /// Generative Models* (NeurIPS 2022), Table 1: P_mean = −1.2, P_std = 1.2.
    pub fn edm() -> Self {
        Self::closed("edm", Closed::LogNormal { mean: -1.2, sd: 1.2 })
    }

    /// Rectified-flow time with ln(u/(1−u)) ~ N(mean, sd²): ln σ is that logit.
    ///
    /// Esser et al., *Scaling Rectified Flow Transformers for High-Resolution Image Synthesis*
    /// (ICML 2024), section 3.1.
    ///
    /// # Errors
    /// As for [`log_normal`](Self::log_normal).
    pub fn logit_normal(mean: f64, sd: f64) -> Result<Self, ScheduleError> {
        Ok(Self::log_normal(mean, sd)?.named("logit-normal"))
    }

    /// The cosine schedule with uniform time, ᾱ = cos²(πt/2), so σ = tan(πt/2) (S16).
    ///
    /// Nichol, Dhariwal, *Improved Denoising Diffusion Probabilistic Models* (ICML 2021),
    /// equation 17 with offset 0.
    pub fn cosine() -> Self {
        Self::closed("cosine", Closed::Cosine)
    }

    /// Uniform in the clock's level on a range of σ. The clocks `sigma`, `flow` and `ou` may
    /// start at σ = 0; `flow` may end at σ = ∞.
    ///
    /// # Errors
    /// If the range is not valid, infinitely long in the clock, or shorter there than floating
    /// point can tell.
    pub fn uniform(clock: Clock, (low, high): (f64, f64)) -> Result<Self, ScheduleError> {
        let from_zero = !matches!(clock, Clock::LogSigma | Clock::LogSnr);
        let low_ok = low > 0.0 || (low == 0.0 && from_zero);
        let high_ok = high.is_finite() || (high == f64::INFINITY && clock == Clock::Flow);
        if !(low_ok && high_ok && low < high) {
            let valid = "it needs low < high, and a finite length in the clock: low > 0 for log-sigma and log-snr, high < ∞ except for flow";
            return Err(ScheduleError::Range { low, high, valid });
        }
        let length = distance(clock, low, high);
        if !(length > 1e-290 && length.is_finite()) {
            let valid = "its length in the clock must be representable (1e-290 to 1e308)";
            return Err(ScheduleError::Range { low, high, valid });
        }
        Ok(Self::closed(format!("uniform ({clock})"), Closed::Uniform { clock, low, high }))
    }

    /// The √-entropy law of isotropic Gaussian data N(0, s²I) with respect to a clock, in
    /// closed form for `log-sigma` and `log-snr` (the asinh law, S9).
    ///
    /// # Errors
    /// Unless s > 0 and the range is valid.
    pub fn gaussian(s: f64, clock: Clock, range: (f64, f64)) -> Result<Self, ScheduleError> {
        check_positive("standard deviation", s)?;
        check_range(range)?;
        let name = format!("gaussian √-entropy ({clock})");
        if matches!(clock, Clock::LogSigma | Clock::LogSnr) {
            let (low, high) = range;
            // Below this the law is the power law 1/σ to double precision.
            let scale = s.max(low * 1e-140);
            let unit = clock.log_sigma_speed(1.0).recip().sqrt() * (s / scale);
            return Ok(Self::closed(name, Closed::Asinh { scale, low, high, unit }));
        }
        let root = |sigma: f64| {
            let rate = (sigma / s).hypot(1.0).recip();
            Ok((rate / clock.log_sigma_speed(sigma).sqrt(), 0.0))
        };
        Ok(Self::table(&*name, Table::fit(&name, range, &[s, 1.0], FIT_TOLERANCE, root)?))
    }

    /// The √-entropy law of N(0, s²I) in the clock σ on all of (0, ∞): density ∝
    /// σ^{−½}(s²+σ²)^{−½} in σ, normaliser ∫√Ḣ_σ dσ = ½ s^{½} B(¼,¼) (S11).
    ///
    /// # Errors
    /// Unless s > 0 with 1e-140 ≤ s ≤ 1e140.
    pub fn gaussian_sigma_clock(s: f64) -> Result<Self, ScheduleError> {
        check_positive("standard deviation", s)?;
        if !(1e-140..=1e140).contains(&s) {
            let valid = "it must be within 1e-140 and 1e140 (the law has heavy tails in ln σ)";
            return Err(ScheduleError::Parameter { name: "standard deviation", value: s, valid });
        }
        let closed = Closed::BetaQuarter { scale: s };
        Ok(Self::closed("gaussian √-entropy (sigma), unbounded", closed))
    }

    /// The √-entropy law, clock ln σ, of Gaussian data whose covariance is a white Wishart
    /// matrix of aspect ratio c: density ∝ exp(−½ arcosh((1+c+σ²)/(2√c))) (S13, S14).
    ///
    /// # Errors
    /// Unless 1e-12 ≤ c ≤ 1e12 and the range is valid within 1e-140 and 1e140.
    pub fn wishart(c: f64, range: (f64, f64)) -> Result<Self, ScheduleError> {
        check_range(range)?;
        if !(1e-12..=1e12).contains(&c) {
            let valid = "it must be within 1e-12 and 1e12";
            return Err(ScheduleError::Parameter { name: "ratio c", value: c, valid });
        }
        let (low, high) = range;
        if low < 1e-140 || high > 1e140 {
            let valid = "σ² must not leave the floating-point range: 1e-140 ≤ σ ≤ 1e140";
            return Err(ScheduleError::Range { low, high, valid });
        }
        let closed = Closed::Wishart { ratio: c, low, high };
        Ok(Self::closed("wishart √-entropy (log-sigma)", closed))
    }

    /// The √-entropy law, clock ln σ, of the random-energy limit with e^{αd} Gaussian points:
    /// the asinh law with s = 1, cut at σ_c = (e^{2α}−1)^{−½} (S15).
    ///
    /// # Errors
    /// Unless α > 0, the range is valid and ends above σ_c.
    pub fn random_energy(alpha: f64, (low, high): (f64, f64)) -> Result<Self, ScheduleError> {
        check_positive("alpha", alpha)?;
        let cut = (2.0 * alpha).exp_m1().sqrt().recip();
        check_range((low, high))?;
        if cut >= high {
            let valid = "it must end above σ_c = (e^{2α}−1)^{−½}, below which the rate is 0";
            return Err(ScheduleError::Range { low, high, valid });
        }
        let law = Self::gaussian(1.0, Clock::LogSigma, (low.max(cut), high))?;
        Ok(law.named("random-energy √-entropy (log-sigma)"))
    }
}
