//! Laws over noise levels given by a density: piecewise polynomials in v = ln(σ/σ_min).

use super::ScheduleError;
use super::closed::log_ratio;
use crate::numeric::chebyshev::PiecewiseChebyshev;

/// Estimated relative error above which a fit is refused.
const USELESS: f64 = 1e-3;

/// Densities below this count as 0: their own arithmetic has lost its relative accuracy.
pub(super) const UNDERFLOW: f64 = 1e-300;

/// An unnormalised density in v = ln(σ/low) on [low, high].
#[derive(Debug, Clone)]
pub(super) struct Table {
    low: f64,
    high: f64,
    /// The part with mass.
    support: (f64, f64),
    fit: PiecewiseChebyshev,
    /// Estimate of ∫|density − exact| dv / ∫density dv.
    relative_error: f64,
}

/// low·eᵛ, also where eᵛ overflows.
fn level(low: f64, v: f64) -> f64 {
    low * (0.5 * v).exp() * (0.5 * v).exp()
}

impl Table {
    /// Fits `density(σ) = (value, absolute error)` with respect to ln σ on [low, high], panels
    /// split at the `kinks`.
    pub(super) fn fit(
        what: &str,
        (low, high): (f64, f64),
        kinks: &[f64],
        tolerance: f64,
        mut density: impl FnMut(f64) -> Result<(f64, f64), ScheduleError>,
    ) -> Result<Self, ScheduleError> {
        let width = log_ratio(low, high);
        let mut breaks: Vec<f64> = kinks
            .iter()
            .filter(|&&k| k > low && k < high)
            .map(|&k| log_ratio(low, k))
            .chain([0.0, width])
            .collect();
        breaks.sort_by(f64::total_cmp);
        breaks.dedup();
        let fit = PiecewiseChebyshev::fit(&breaks, tolerance, |v| {
            let sigma = level(low, v).clamp(low, high);
            let (value, error) = density(sigma)?;
            if value.is_finite() && value >= 0.0 && error.is_finite() {
                Ok((if value < UNDERFLOW { 0.0 } else { value }, error))
            } else {
                Err(ScheduleError::Density { what: what.to_owned(), sigma, value })
            }
        })?;
        Self::checked(what, low, high, fit)
    }

    /// The piecewise linear density through (σᵢ, densityᵢ), linear in ln σ.
    pub(super) fn linear(
        what: &str,
        sigma: &[f64],
        density: &[f64],
    ) -> Result<Self, ScheduleError> {
        let (low, high) = (sigma[0], sigma[sigma.len() - 1]);
        let nodes: Vec<f64> = sigma.iter().map(|&s| log_ratio(low, s)).collect();
        Self::checked(what, low, high, PiecewiseChebyshev::linear(&nodes, density))
    }

    fn checked(
        what: &str,
        low: f64,
        high: f64,
        fit: PiecewiseChebyshev,
    ) -> Result<Self, ScheduleError> {
        let mass = fit.total();
        if !(mass.is_finite() && mass > 0.0) {
            return Err(ScheduleError::NoMass { what: what.to_owned(), low, high, mass });
        }
        // Rounding: a few units in the last place of every value.
        let relative_error = fit.error() / mass + 8.0 * f64::EPSILON;
        if relative_error > USELESS {
            return Err(ScheduleError::NotResolved {
                what: what.to_owned(),
                error: relative_error,
            });
        }
        let mut table = Self { low, high, support: (low, high), fit, relative_error };
        let (a, b) = table.fit.support();
        table.support = (table.sigma(a), table.sigma(b));
        Ok(table)
    }

    /// Adds an error that the fit does not know of, relative to the mass.
    pub(super) fn add_error(&mut self, relative: f64) {
        self.relative_error += relative;
    }

    fn offset(&self, sigma: f64) -> f64 {
        log_ratio(self.low, sigma)
    }

    fn sigma(&self, v: f64) -> f64 {
        if v >= self.fit.breaks()[self.fit.breaks().len() - 1] {
            return self.high;
        }
        level(self.low, v).clamp(self.low, self.high)
    }

    pub(super) fn support(&self) -> (f64, f64) {
        self.support
    }

    /// The panels' ends, as noise levels.
    pub(super) fn breaks(&self) -> Vec<f64> {
        self.fit.breaks().iter().map(|&v| self.sigma(v)).collect()
    }

    pub(super) fn mass(&self) -> f64 {
        self.fit.total()
    }

    pub(super) fn relative_error(&self) -> f64 {
        self.relative_error
    }

    /// The unnormalised density at σ ∈ [low, high], with the estimate of its error.
    pub(super) fn raw(&self, sigma: f64) -> (f64, f64) {
        self.fit.value(self.offset(sigma))
    }

    pub(super) fn density(&self, sigma: f64) -> f64 {
        self.raw(sigma).0 / self.mass()
    }

    pub(super) fn cdf(&self, sigma: f64) -> f64 {
        self.fit.integral(self.offset(sigma)) / self.mass()
    }

    pub(super) fn quantile(&self, u: f64) -> f64 {
        self.sigma(self.fit.inverse_integral(u * self.mass()))
    }

    /// Mean and standard deviation of ln σ.
    pub(super) fn moments(&self) -> (f64, f64) {
        let mass = self.mass();
        let shift = self.fit.central_moment(0.0, 1) / mass;
        let variance = self.fit.central_moment(shift, 2) / mass;
        (self.low.ln() + shift, variance.max(0.0).sqrt())
    }
}
