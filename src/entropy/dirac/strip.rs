//! Step and error of the trapezoid rule from the strip of analyticity (theory page 3, E6).

use std::f64::consts::{FRAC_PI_2, PI};

/// Relative error left to the trapezoid rule in each coordinate, 2⁻⁵⁸.
pub(super) const TRAPEZOID: f64 = f64::EPSILON / 64.0;
/// Width of the strip in units of 1/R: 2a·R/2 stays below π.
const PHASE: f64 = 2.8;
/// Widest strip worth having when R → 0: e^{a²/2} then costs what the wider strip gains.
const WIDEST: f64 = 9.0;
/// Posterior mass δ that may lie outside the local window.
const OUTSIDE: f64 = 0.02;

/// What is integrated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Integrand {
    /// p(x) Var(x0|x), in data².
    Variance,
    /// p(x) H(x0|x), in nats.
    Entropy,
}

/// The window of atoms, in one coordinate and units of σ, outside which the posterior is
/// small at every point.
#[derive(Debug, Clone, Copy)]
pub(super) struct Window {
    /// Its width R.
    width: f64,
    /// Bound δ of the posterior mass outside.
    outside: f64,
}

impl Window {
    /// All atoms, over a range R.
    pub(super) fn whole(range: f64) -> Self {
        Self { width: range, outside: 0.0 }
    }

    /// The smaller of the whole range and 2√(g²/4+Λ), Λ = 2 ln(1/(δ·w_min)), for atoms on a
    /// line whose largest gap is g.
    pub(super) fn local(range: f64, gap: f64, least_weight: f64) -> Self {
        let lambda = -2.0 * (OUTSIDE.ln() + least_weight.ln());
        let width = 2.0 * (0.25 * gap * gap + lambda).sqrt() * (1.0 + 1e-12);
        if width < range { Self { width, outside: OUTSIDE } } else { Self::whole(range) }
    }

    /// A step at which the trapezoid rule is within [`TRAPEZOID`] relative of the integral,
    /// with so few bits that its multiples below 2³³ are exact.
    pub(super) fn step(self, integrand: Integrand) -> f64 {
        let a = (PHASE / self.width).min(WIDEST);
        let half_phase = 0.5 * a * self.width;
        let c = (1.0 - self.outside) * half_phase.cos() - self.outside;
        let growth = (0.5 * a * a).exp()
            * match integrand {
                Integrand::Variance => 1.0 / c,
                Integrand::Entropy => 1.4 + (-c.ln() + FRAC_PI_2 + half_phase) / 0.405,
            };
        let h = 2.0 * PI * a / (2.0 * growth / TRAPEZOID).ln_1p() * (1.0 - 1e-9);
        f64::from_bits(h.to_bits() & !0 << 32)
    }
}
