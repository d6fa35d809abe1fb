//! Axes, and the map from data to the unit interval.

use super::ticks::{self, Ticks};

/// An axis as the caller describes it.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// Quantity and unit; may be empty only for the names of a bar chart.
    pub label: String,
    /// Linear or logarithmic.
    pub scale: Scale,
    /// Ends of the axis; taken from the data when `None`.
    pub range: Option<(f64, f64)>,
}

/// How values are spread over an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences take equal lengths.
    Linear,
    /// Equal ratios take equal lengths; values ≤ 0 cannot be shown.
    Log10,
}

impl Axis {
    /// A linear axis with its range taken from the data.
    pub fn linear(label: impl Into<String>) -> Self {
        Self { label: label.into(), scale: Scale::Linear, range: None }
    }

    /// A logarithmic axis with its range taken from the data.
    pub fn log(label: impl Into<String>) -> Self {
        Self { label: label.into(), scale: Scale::Log10, range: None }
    }

    /// The same axis from `lower` to `upper`; data outside are clipped.
    pub fn range(mut self, lower: f64, upper: f64) -> Self {
        self.range = Some((lower, upper));
        self
    }
}

impl Scale {
    /// Whether the axis can show `v`.
    pub(super) fn shows(self, v: f64) -> bool {
        v.is_finite() && (self == Self::Linear || v > 0.0)
    }
}

/// Below this relative width ticks could not be told apart in double precision.
const NARROW: f64 = 1e-12;
/// Below this magnitude a range is nothing but rounding.
const TINY: f64 = 1e-300;
/// Limit of [`Span::unit`]: far outside any box, and exact enough for clipping.
const FAR: f64 = 1e9;

/// A resolved axis range, wide enough for ticks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Span {
    pub(super) lower: f64,
    pub(super) upper: f64,
    pub(super) scale: Scale,
}

impl Span {
    /// An explicit range, or what would be valid.
    pub(super) fn explicit(lower: f64, upper: f64, scale: Scale) -> Result<Self, &'static str> {
        if !(lower.is_finite() && upper.is_finite() && lower < upper) {
            return Err("both ends must be finite and lower < upper");
        }
        if scale == Scale::Log10 && lower <= 0.0 {
            return Err("a logarithmic axis needs lower > 0");
        }
        if narrow(lower, upper) {
            return Err(
                "the ends must differ by more than 1e-12 of the larger, which must be ≥ 1e-300",
            );
        }
        Ok(Self { lower, upper, scale })
    }

    /// The range of the drawable `values`, widened by the fraction `padding` at each end; a
    /// constant gets a range around it. With `keep_sign` a linear axis is not widened across
    /// zero, so that what is ≥ 0 is shown so. `None` without a drawable value.
    pub(super) fn automatic(
        values: impl Iterator<Item = f64>,
        scale: Scale,
        padding: f64,
        keep_sign: bool,
    ) -> Option<Self> {
        let (low, high) = values
            .filter(|&v| scale.shows(v))
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        if low > high {
            return None;
        }
        let (lower, upper) = match scale {
            _ if high.abs().max(low.abs()) < TINY => match scale {
                Scale::Linear => (-1.0, 1.0),
                Scale::Log10 => (TINY / 10.0, TINY),
            },
            Scale::Linear if narrow(low, high) => (low - 0.1 * low.abs(), high + 0.1 * high.abs()),
            Scale::Log10 if narrow(low, high) => (low / 2.0, high * 2.0),
            Scale::Linear => {
                let pad = padding * 2.0 * (high / 2.0 - low / 2.0);
                let lower = if keep_sign && (0.0..pad).contains(&low) { 0.0 } else { low - pad };
                let upper = if keep_sign && (0.0..pad).contains(&-high) { 0.0 } else { high + pad };
                (lower, upper)
            }
            Scale::Log10 => {
                let factor = 10f64.powf(padding * (high.log10() - low.log10()));
                (low / factor, high * factor)
            }
        };
        let least = if scale == Scale::Log10 { f64::MIN_POSITIVE } else { f64::MIN };
        Some(Self { lower: lower.max(least), upper: upper.min(f64::MAX), scale })
    }

    /// The vertical axis of a bar chart: row `i` is centred at `−i`.
    pub(super) fn rows(count: usize) -> Self {
        Self { lower: 0.5 - count as f64, upper: 0.5, scale: Scale::Linear }
    }

    /// Position along the axis: 0 at `lower`, 1 at `upper`, within ±1e9; NaN for what the axis
    /// cannot show.
    pub(super) fn unit(&self, v: f64) -> f64 {
        if !self.scale.shows(v) {
            return f64::NAN;
        }
        let u = match self.scale {
            Scale::Linear => {
                // Division by a power of two is exact and keeps the differences finite.
                let m = power_of_two(self.lower.abs().max(self.upper.abs()));
                (v / m - self.lower / m) / (self.upper / m - self.lower / m)
            }
            Scale::Log10 => {
                let low = self.lower.log10();
                (v.log10() - low) / (self.upper.log10() - low)
            }
        };
        u.clamp(-FAR, FAR)
    }

    pub(super) fn ticks(&self, max: usize) -> Ticks {
        match self.scale {
            Scale::Linear => ticks::linear(self.lower, self.upper, max),
            Scale::Log10 => ticks::log10(self.lower, self.upper, max),
        }
    }
}

fn narrow(lower: f64, upper: f64) -> bool {
    let magnitude = lower.abs().max(upper.abs());
    magnitude < TINY || upper / 2.0 - lower / 2.0 <= NARROW / 2.0 * magnitude
}

/// A power of two within a factor of two below `x ≥ 1e-300`.
fn power_of_two(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & 0x7FF0_0000_0000_0000)
}
