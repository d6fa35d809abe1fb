//! Laws over noise levels whose distribution function is elementary or a fast series.
//!
//! Every difference of distribution functions is computed without cancellation, for a range of
//! any length at any noise level.

use std::f64::consts::{FRAC_2_PI, FRAC_PI_2, LN_2, PI, SQRT_2};

use statrs::function::erf::{erfc, erfc_inv};

use crate::entropy::Clock;
use crate::numeric::chebyshev::solve_increasing;

/// B(¼, ¼) = Γ(¼)²/Γ(½).
const BETA_QUARTER: f64 = 7.416_298_709_205_487;

/// A law in closed form. `low` and `high` are the ends of its support.
#[derive(Debug, Clone, Copy)]
pub(super) enum Closed {
    /// ln σ is Gaussian.
    LogNormal { mean: f64, sd: f64 },
    /// The clock's level is uniform.
    Uniform { clock: Clock, low: f64, high: f64 },
    /// Density ∝ s/√(s²+σ²) in ln σ (S9).
    Asinh {
        scale: f64,
        low: f64,
        high: f64,
        /// What the normaliser of the density 1/√(1+(σ/scale)²) is multiplied with.
        unit: f64,
    },
    /// Density ∝ √σ/√(s²+σ²) in ln σ on (0, ∞) (S11).
    BetaQuarter { scale: f64 },
    /// σ = tan(πt/2) with t uniform: the cosine schedule (S16).
    Cosine,
    /// Density ∝ exp(−½ arcosh((1+c+σ²)/(2√c))) in ln σ (S13).
    Wishart { ratio: f64, low: f64, high: f64 },
}

impl Closed {
    pub(super) fn support(&self) -> (f64, f64) {
        match *self {
            Self::LogNormal { .. } | Self::BetaQuarter { .. } | Self::Cosine => {
                (0.0, f64::INFINITY)
            }
            Self::Uniform { low, high, .. }
            | Self::Asinh { low, high, .. }
            | Self::Wishart { low, high, .. } => (low, high),
        }
    }

    /// Levels at which the density bends, where a numerical fit starts new panels.
    pub(super) fn features(&self) -> Vec<f64> {
        match *self {
            Self::LogNormal { mean, sd } => {
                [-8.0, -4.0, -2.0, 0.0, 2.0, 4.0, 8.0].map(|z| (mean + z * sd).exp()).to_vec()
            }
            Self::Asinh { scale, .. } | Self::BetaQuarter { scale } => vec![scale],
            Self::Uniform { .. } | Self::Cosine => vec![1.0],
            Self::Wishart { ratio, .. } => vec![(1.0 - ratio.sqrt()).abs(), 1.0 + ratio.sqrt()],
        }
    }

    /// ∫ of the unnormalised density, see [`NoiseLaw::normaliser`](super::NoiseLaw::normaliser).
    pub(super) fn normaliser(&self) -> f64 {
        match *self {
            Self::LogNormal { .. } | Self::Cosine => 1.0,
            Self::Uniform { clock, low, high } => distance(clock, low, high),
            Self::Asinh { scale, low, high, unit } => unit * asinh_distance(scale, low, high),
            Self::BetaQuarter { scale } => 0.5 * scale.sqrt() * BETA_QUARTER,
            Self::Wishart { ratio, low, high } => {
                ratio.powf(-0.25) * wishart_distance(ratio, low, high)
            }
        }
    }

    /// Density with respect to ln σ, for σ inside the support.
    pub(super) fn density(&self, sigma: f64) -> f64 {
        match *self {
            Self::LogNormal { mean, sd } => {
                let z = (sigma.ln() - mean) / sd;
                (-0.5 * z * z).exp() / (sd * (2.0 * PI).sqrt())
            }
            Self::Uniform { clock, low, high } => {
                1.0 / clock.log_sigma_speed(sigma) / distance(clock, low, high)
            }
            Self::Asinh { scale, low, high, .. } => {
                1.0 / (sigma / scale).hypot(1.0) / asinh_distance(scale, low, high)
            }
            Self::BetaQuarter { scale } => {
                let r = (sigma / scale).min(scale / sigma);
                2.0 * r.sqrt() / (r.hypot(1.0) * BETA_QUARTER)
            }
            Self::Cosine => FRAC_2_PI / (sigma + 1.0 / sigma),
            Self::Wishart { ratio, low, high } => {
                Resolvent::new(ratio, sigma).y / wishart_distance(ratio, low, high)
            }
        }
    }

    /// P(level ≤ σ), for σ inside the support.
    pub(super) fn cdf(&self, sigma: f64) -> f64 {
        match *self {
            Self::LogNormal { mean, sd } => 0.5 * erfc((mean - sigma.ln()) / (sd * SQRT_2)),
            Self::Uniform { clock, low, high } => {
                distance(clock, low, sigma) / distance(clock, low, high)
            }
            Self::Asinh { scale, low, high, .. } => {
                asinh_distance(scale, low, sigma) / asinh_distance(scale, low, high)
            }
            Self::BetaQuarter { scale } if sigma <= scale => beta_quarter_tail(sigma / scale),
            Self::BetaQuarter { scale } => 1.0 - beta_quarter_tail(scale / sigma),
            Self::Cosine if sigma <= 1.0 => FRAC_2_PI * sigma.atan(),
            Self::Cosine => 1.0 - FRAC_2_PI * (1.0 / sigma).atan(),
            Self::Wishart { ratio, low, high } => {
                wishart_distance(ratio, low, sigma) / wishart_distance(ratio, low, high)
            }
        }
    }

    /// The σ with P(level ≤ σ) = u, for 0 ≤ u ≤ 1.
    pub(super) fn quantile(&self, u: f64) -> f64 {
        let (low, high) = self.support();
        if u <= 0.0 || u >= 1.0 {
            return if u <= 0.0 { low } else { high };
        }
        let sigma = match *self {
            Self::LogNormal { mean, sd } => (mean + sd * normal_quantile(u)).exp(),
            Self::Uniform { clock, low, high } => uniform_quantile(clock, low, high, u),
            Self::Asinh { scale, low, high, .. } => {
                let far = asinh_of_inverse(scale, high);
                let a = far + (1.0 - u) * asinh_distance(scale, low, high);
                // sinh A = e^A/2 to double precision, and cannot overflow as a logarithm
                if a > 19.0 { (LN_2 + scale.ln() - a).exp() } else { scale / a.sinh() }
            }
            Self::BetaQuarter { scale } if u <= 0.5 => scale * beta_quarter_ratio(u),
            Self::BetaQuarter { scale } => scale / beta_quarter_ratio(1.0 - u),
            Self::Cosine if u <= 0.5 => (FRAC_PI_2 * u).tan(),
            Self::Cosine => 1.0 / (FRAC_PI_2 * (1.0 - u)).tan(),
            Self::Wishart { ratio, low, high } => {
                let width = log_ratio(low, high);
                let total = wishart_distance(ratio, low, high);
                low * solve_increasing(u, (0.0, width), u * width, |v| {
                    let s = (low * v.exp()).clamp(low, high);
                    (wishart_distance(ratio, low, s) / total, Resolvent::new(ratio, s).y / total)
                })
                .exp()
            }
        };
        let sigma = sigma.clamp(low, high);
        // The sum of an end and a small part of a short range has lost digits that the
        // distribution function still has.
        let density = self.density(sigma);
        if density > 1.0 {
            (sigma * (1.0 + (u - self.cdf(sigma)) / density)).clamp(low, high)
        } else {
            sigma
        }
    }
}

/// ln(b/a) for 0 < a ≤ b, accurate when they are close and when b/a overflows.
pub(super) fn log_ratio(a: f64, b: f64) -> f64 {
    if b - a < 0.5 * a {
        ((b - a) / a).ln_1p()
    } else if (b / a).is_finite() {
        (b / a).ln()
    } else {
        b.ln() - a.ln()
    }
}

/// |u(b) − u(a)| in the clock, for 0 ≤ a ≤ b, without cancellation.
///
/// a = 0 is meant for clocks in which it is finite (`sigma`, `flow`, `ou`), b = ∞ for `flow`.
pub(super) fn distance(clock: Clock, a: f64, b: f64) -> f64 {
    match clock {
        Clock::LogSigma => log_ratio(a, b),
        Clock::LogSnr => 2.0 * log_ratio(a, b),
        Clock::Sigma => b - a,
        Clock::Flow if b.is_infinite() => 1.0 / (1.0 + a),
        Clock::Flow => (b - a) / (1.0 + b) / (1.0 + a),
        Clock::OrnsteinUhlenbeck if a > 1e8 => log_ratio(a, b),
        Clock::OrnsteinUhlenbeck if b > 1e150 => b.ln() - 0.5 * (a * a).ln_1p(),
        Clock::OrnsteinUhlenbeck => 0.5 * ((b - a) * ((b + a) / (1.0 + a * a))).ln_1p(),
    }
}

fn uniform_quantile(clock: Clock, low: f64, high: f64, u: f64) -> f64 {
    let length = distance(clock, low, high);
    match clock {
        Clock::LogSigma | Clock::LogSnr => {
            let width = log_ratio(low, high);
            if u < 0.5 { low * (u * width).exp() } else { high * (-(1.0 - u) * width).exp() }
        }
        Clock::Sigma => low + u * length,
        Clock::Flow => {
            // noise fraction and signal fraction, each a sum of positive terms
            let noise = low / (1.0 + low) + u * length;
            let signal = 1.0 / (1.0 + high) + (1.0 - u) * length;
            noise / signal
        }
        Clock::OrnsteinUhlenbeck => clock.sigma(clock.level(low) + u * length),
    }
}

/// A(σ) = asinh(s/σ) without overflow of s/σ.
fn asinh_of_inverse(scale: f64, sigma: f64) -> f64 {
    let x = scale / sigma;
    if x < 1e300 { x.asinh() } else { LN_2 + scale.ln() - sigma.ln() }
}

/// A(a) − A(b) for 0 < a ≤ b (S10).
fn asinh_distance(scale: f64, a: f64, b: f64) -> f64 {
    // sinh of the difference, by sinh(x−y) = (x²−y²)/(x√(1+y²) + y√(1+x²))
    let sinh = (b - a) / a * (1.0 + a / b) * (scale / (b.hypot(scale) + a.hypot(scale)));
    if sinh < 1e300 {
        sinh.asinh()
    } else {
        asinh_of_inverse(scale, a) - asinh_of_inverse(scale, b)
    }
}

/// P(σ ≤ r s) for r ≤ 1 (S12): the incomplete beta function I_x(¼,¼) with x = r²/(1+r²) ≤ ½,
/// as the series of positive terms [x(1−x)]^¼ ₂F₁(½,1;5/4;x)·4/B(¼,¼).
fn beta_quarter_tail(r: f64) -> f64 {
    let x = r * r / (1.0 + r * r);
    let (mut term, mut sum, mut k) = (1.0, 0.0, 0.0);
    while term > 1e-18 {
        sum += term;
        term *= (0.5 + k) / (1.25 + k) * x;
        k += 1.0;
    }
    4.0 * (r / (1.0 + r * r)).sqrt() * sum / BETA_QUARTER
}

/// The r ≤ 1 with `beta_quarter_tail(r)` = u ≤ ½.
fn beta_quarter_ratio(u: f64) -> f64 {
    // the tail is below (4/B) √r, which is also its behaviour for small r
    let v = 2.0 * (u * BETA_QUARTER / 4.0).ln();
    solve_increasing(u.ln(), (v.min(0.0), 0.0), v, |v| {
        let r = v.exp();
        let tail = beta_quarter_tail(r);
        (tail.ln(), 2.0 * r.sqrt() / (r.hypot(1.0) * BETA_QUARTER * tail))
    })
    .exp()
}

/// Φ⁻¹(u), with two Newton steps on the library's value.
fn normal_quantile(u: f64) -> f64 {
    let lower = u.min(1.0 - u);
    let mut z = -SQRT_2 * erfc_inv(2.0 * lower);
    for _ in 0..2 {
        let density = (-0.5 * z * z).exp() / (2.0 * PI).sqrt();
        let step = (0.5 * erfc(-z / SQRT_2) - lower) / density;
        if step.is_finite() {
            z -= step;
        }
    }
    if u < 0.5 { z } else { -z }
}

/// y = e^{−η/2} with cosh η = (1+c+σ²)/(2√c), and what (S14) needs of it.
#[derive(Clone, Copy)]
struct Resolvent {
    y: f64,
    eta: f64,
    /// 1 − y/c^{±¼} for the smaller of the two.
    near: f64,
}

impl Resolvent {
    fn new(ratio: f64, sigma: f64) -> Self {
        let root = ratio.sqrt();
        let (a, b) = if root < 1.0 { (root, 1.0 / root) } else { (1.0 / root, root) };
        // cosh η − 1 as a sum of positive terms
        let excess = (1.0 - root).powi(2) / (2.0 * root) + 0.5 * sigma * (sigma / root);
        let s = (excess * (excess + 2.0)).sqrt();
        let (eta, y) = if s.is_finite() {
            ((excess + s).ln_1p(), (1.0 / (1.0 + excess + s)).sqrt())
        } else {
            let y = ratio.powf(0.25) / sigma;
            (-2.0 * y.ln(), y)
        };
        // (a−y²)(b−y²) = y²σ²/√c, solved for the small factor
        let q = y * sigma * (y * sigma / root);
        let gap = b - a;
        let distance = 2.0 * q / (gap + (gap * gap + 4.0 * q).sqrt());
        Self { y, eta, near: distance / (a + y * a.sqrt()) }
    }
}

/// G(y(a)) − G(y(b)) for 0 < a ≤ b (S14).
fn wishart_distance(ratio: f64, a: f64, b: f64) -> f64 {
    let (first, last) = (Resolvent::new(ratio, a), Resolvent::new(ratio, b));
    // cosh η_b − cosh η_a = 2 sinh(mean) sinh(half difference)
    let mean = 0.5 * (first.eta + last.eta);
    let half = ((b - a) * ((b + a) / ratio.sqrt()) / (4.0 * mean.sinh())).asinh();
    let step = if half.is_finite() && mean < 300.0 {
        -first.y * (-half).exp_m1()
    } else {
        first.y - last.y
    };
    let quarter = ratio.powf(0.25).min(ratio.powf(-0.25));
    // artanh p − artanh q = ½ ln(1 + 2(p−q)/((1−p)(1+q)))
    let artanh = |scale: f64, one_minus_p: f64| {
        0.5 * (2.0 * step / scale / (one_minus_p * (1.0 + last.y / scale))).ln_1p()
    };
    let near = quarter * artanh(quarter, first.near);
    let far = artanh(1.0 / quarter, 1.0 - first.y * quarter) / quarter;
    near + far - step
}
