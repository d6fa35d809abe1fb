//! How good a schedule is, compared with the optimal one.

use super::closed::log_ratio;
use super::table::Table;
use super::{NoiseLaw, ScheduleError};
use crate::evidence::Estimated;

/// Relative tolerance of the quadrature.
const TOLERANCE: f64 = 1e-12;
/// Optimal mass that a schedule may leave uncovered at the ends of its support and still count
/// as covering it (rounding of the ends).
const UNCOVERED: f64 = 1e-13;
/// What the integral may lose, relatively, where μ underflows.
const TAIL: f64 = 1e-9;

/// The efficiency of a schedule μ for the objective whose optimal law is π (S4):
///
/// eff(μ) = (∫√(wV) du)² / ∫(wV/μ) du = 1/∫(π²/μ) du = 1/(1 + χ²(π‖μ)) ∈ \[0, 1\].
///
/// The fraction of the draws that the optimal law would need for the same value. The clock has
/// entered through π; the integral itself is the same in every clock. 0 if μ misses a part of
/// the range where π has mass (more than 1e-13 of it); mass of μ outside the range is waste.
///
/// # Errors
/// If π has an unbounded range, or the integrand cannot be resolved.
///
/// ```
/// use rootrate::entropy::Clock;
/// use rootrate::schedule::{NoiseLaw, efficiency};
/// let best = NoiseLaw::gaussian(0.5, Clock::LogSigma, (0.002, 80.0)).unwrap();
/// let edm = efficiency(&NoiseLaw::edm(), &best).unwrap();
/// assert!(edm.value > 0.0 && edm.value < 1.0);
/// assert!((efficiency(&best, &best).unwrap().value - 1.0).abs() < 1e-12);
/// ```
pub fn efficiency(schedule: &NoiseLaw, optimum: &NoiseLaw) -> Result<Estimated, ScheduleError> {
    let (low, high) = optimum.support();
    if !(low > 0.0 && high.is_finite()) {
        let valid = "the optimal law needs a bounded range: build it on 0 < low < high < ∞";
        return Err(ScheduleError::Range { low, high, valid });
    }
    let (from, to) = schedule.support();
    let nothing = Estimated { value: 0.0, estimate: 0.0 };
    let (a, b) = (low.max(from), high.min(to));
    if a >= b || optimum.cdf(a) > UNCOVERED || 1.0 - optimum.cdf(b) > UNCOVERED {
        return Ok(nothing);
    }
    let (fit, tail) = match integral(schedule, optimum, (a, b))? {
        Some(fit) => (fit, 0.0),
        // μ vanishes inside the range: without consequence where π has next to nothing and the
        // integrand dies out as well, as two fits that underflow at different levels do
        None => {
            let (c, d) = (optimum.quantile(UNCOVERED)?, optimum.quantile(1.0 - UNCOVERED)?);
            let (c, d) = (a.max(c), b.min(d));
            let Some(fit) = (if c < d { integral(schedule, optimum, (c, d))? } else { None })
            else {
                return Ok(nothing);
            };
            let edge = |sigma: f64| integrand(schedule, optimum, sigma);
            let tail = edge(c) * log_ratio(a, c) + edge(d) * log_ratio(d, b);
            if tail.is_nan() || tail > TAIL * fit.mass() {
                return Ok(nothing);
            }
            let relative = tail / fit.mass();
            (fit, relative)
        }
    };
    let value = 1.0 / fit.mass();
    // 1/∫π²/μ: the density errors of π enter twice, those of μ once
    let relative =
        fit.relative_error() + tail + 2.0 * optimum.density_error() + schedule.density_error();
    Ok(Estimated { value: value.min(1.0), estimate: value * relative })
}

/// π²/μ at σ; infinite or NaN where μ vanishes and π does not.
fn integrand(schedule: &NoiseLaw, optimum: &NoiseLaw, sigma: f64) -> f64 {
    let (best, used) = (optimum.log_density(sigma), schedule.log_density(sigma));
    if best == 0.0 { 0.0 } else { best * (best / used) }
}

/// ∫π²/μ dℓ over a range; nothing where it diverges.
fn integral(
    schedule: &NoiseLaw,
    optimum: &NoiseLaw,
    range: (f64, f64),
) -> Result<Option<Table>, ScheduleError> {
    let mut kinks = optimum.breaks();
    kinks.extend(schedule.breaks());
    let mut divergent = false;
    let what = format!("efficiency of {}", schedule.name());
    let fit = Table::fit(&what, range, &kinks, TOLERANCE, |sigma| {
        let ratio = integrand(schedule, optimum, sigma);
        divergent |= !ratio.is_finite();
        Ok((if ratio.is_finite() { ratio } else { 0.0 }, 0.0))
    });
    if divergent { Ok(None) } else { fit.map(Some) }
}

/// The efficiencies of several schedules, each with its name.
///
/// # Errors
/// As for [`efficiency`].
pub fn efficiency_table(
    schedules: &[NoiseLaw],
    optimum: &NoiseLaw,
) -> Result<Vec<(String, Estimated)>, ScheduleError> {
    schedules.iter().map(|s| Ok((s.name().to_owned(), efficiency(s, optimum)?))).collect()
}
