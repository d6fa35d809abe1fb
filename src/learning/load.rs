//! The penalty's term in the fixed-point equation: that of ridge regression (R1) and that of
//! random features (F4), one formula.

use crate::interval::Interval;

/// L(κ) of the equation L(κ) + df1(κ) = m, a share of the m samples (or features) that the
/// penalty takes.
///
/// With x = ρ/κ, L = 2 m x/(γ + √(γ² + 4 r x)): mρ/κ for r = 0, γ = 1, which is (R1); for
/// random features r = m/M, γ = 1 − r with m ≤ M the two counts (F4). L falls with κ, and
/// d ln L/d ln κ and d ln(−dL/d ln κ)/d ln κ lie in [−1, −½].
#[derive(Debug, Clone, Copy)]
pub(super) struct Load {
    /// m, exact.
    count: f64,
    /// ρ.
    ridge: Interval,
    /// r.
    ratio: Interval,
    /// γ.
    gap: Interval,
}

/// L at one κ.
#[derive(Debug, Clone, Copy)]
pub(super) struct LoadAt {
    /// L.
    pub(super) value: f64,
    /// −dL/d ln κ.
    pub(super) slope: f64,
    /// The derivative of `slope` by ln κ.
    pub(super) bend: f64,
}

impl Load {
    /// mρ/κ for m = `samples`.
    pub(super) fn ridge(samples: f64, ridge: f64) -> Self {
        let ridge = Interval::point(ridge);
        Self { count: samples, ridge, ratio: Interval::ZERO, gap: Interval::ONE }
    }

    /// For n = `samples`, p = `features` (∞ allowed), the penalty nρ on the summed loss. ρ > 0
    /// or n ≠ p.
    pub(super) fn random_features(samples: f64, features: f64, ridge: Interval) -> Self {
        let (least, most) = (samples.min(features), samples.max(features));
        if most == f64::INFINITY {
            return Self { count: least, ridge, ratio: Interval::ZERO, gap: Interval::ONE };
        }
        let (m, most) = (Interval::point(least), Interval::point(most));
        let gap = if least == most.lo() { Interval::ZERO } else { (most - m) / most };
        Self { count: least, ridge, ratio: m / most, gap }
    }

    /// m.
    pub(super) fn count(&self) -> f64 {
        self.count
    }

    /// ρ, up to rounding.
    pub(super) fn penalty(&self) -> f64 {
        self.ridge.lo()
    }

    /// L and its derivatives, up to rounding.
    #[inline(always)]
    pub(super) fn at(&self, kappa: f64) -> LoadAt {
        let (ratio, gap) = (self.ratio.lo(), self.gap.lo());
        let x = self.ridge.lo() / kappa;
        let value = self.count * (2.0 * x / (gap + (gap * gap + 4.0 * (ratio * x)).sqrt()));
        let share = value / self.count * ratio;
        let (most, both) = (share + gap, 2.0 * share + gap);
        let slope = value * (most / both);
        LoadAt { value, slope, bend: slope * (2.0 * (share / both) * (most / both) - 1.0) }
    }

    /// L and −dL/d ln κ, enclosed.
    pub(super) fn enclose(&self, kappa: Interval) -> (Interval, Interval) {
        let count = Interval::point(self.count);
        let x = self.ridge / kappa;
        if self.ridge == Interval::ZERO || self.ratio == Interval::ZERO {
            let load = count * x;
            return (load, load);
        }
        let two = Interval::point(2.0);
        let root = (self.gap.square() + two * two * self.ratio * x).sqrt();
        let load = two * count * x / (self.gap + root);
        let (least, most) = self.shares(load);
        (load, load * most / (least + most))
    }

    /// L/M and L/M + γ, the shares of the two counts that are left over, (m − df1)/M and
    /// (M − df1)/M at the root.
    pub(super) fn shares(&self, load: Interval) -> (Interval, Interval) {
        let share = load / Interval::point(self.count) * self.ratio;
        (share, share + self.gap)
    }
}
