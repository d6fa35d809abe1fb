//! Clocks: the coordinates in which noise levels are counted (theory page 3, table E2).

use std::fmt;
use std::str::FromStr;

use crate::evidence::{Certified, Estimated, Evidence, Sampled};

/// A coordinate u of the noise level σ.
///
/// The entropy rate is a density, Ḣ_u = Ḣ_ℓ |dℓ/du| with ℓ = ln σ, and its normalised form is
/// the same law in every clock. Its square root is not: √Ḣ_u du differs from clock to clock,
/// which is why nothing in this crate takes the square root of a rate without a clock.
///
/// | clock | u(σ) | \|dℓ/du\| | domain of u |
/// |---|---|---|---|
/// | `log-sigma` | ln σ | 1 | ℝ |
/// | `sigma` | σ | 1/σ | (0, ∞) |
/// | `log-snr` | −2 ln σ | ½ | ℝ |
/// | `flow` | σ/(1+σ) | (1+σ)²/σ | (0, 1) |
/// | `ou` | ½ ln(1+σ²) | (1+σ²)/σ² | (0, ∞) |
///
/// ```
/// use rootrate::entropy::Clock;
/// let flow: Clock = "flow".parse().unwrap();
/// assert_eq!(flow.level(1.0), 0.5);
/// assert_eq!(flow.sigma(0.5), 1.0);
/// // Ḣ_u for rectified flow is (1−u) mmse/u³ (E2)
/// assert!((flow.rate(1.0, 0.3) - 0.5 * 0.3 / 0.125).abs() < 1e-15);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Clock {
    /// ℓ = ln σ.
    LogSigma,
    /// σ itself.
    Sigma,
    /// λ = ln SNR = −2 ln σ.
    LogSnr,
    /// Rectified-flow time: the noise fraction u with σ = u/(1−u).
    Flow,
    /// Ornstein–Uhlenbeck time t with σ = √(e^{2t}−1).
    OrnsteinUhlenbeck,
}

impl Clock {
    /// Every clock, in the order of the table.
    pub const ALL: [Self; 5] =
        [Self::LogSigma, Self::Sigma, Self::LogSnr, Self::Flow, Self::OrnsteinUhlenbeck];

    /// The name used on the command line and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::LogSigma => "log-sigma",
            Self::Sigma => "sigma",
            Self::LogSnr => "log-snr",
            Self::Flow => "flow",
            Self::OrnsteinUhlenbeck => "ou",
        }
    }

    /// u(σ) for σ > 0.
    pub fn level(self, sigma: f64) -> f64 {
        match self {
            Self::LogSigma => sigma.ln(),
            Self::Sigma => sigma,
            Self::LogSnr => -2.0 * sigma.ln(),
            Self::Flow if sigma > 1.0 => 1.0 / (1.0 + 1.0 / sigma),
            Self::Flow => sigma / (1.0 + sigma),
            // ½ ln(1+σ²) without overflow of σ²
            Self::OrnsteinUhlenbeck if sigma > 1e8 => sigma.ln(),
            Self::OrnsteinUhlenbeck => 0.5 * (sigma * sigma).ln_1p(),
        }
    }

    /// σ(u), the inverse of [`level`](Self::level), for u in the clock's domain (see
    /// [`contains`](Self::contains); outside of it the result is not a noise level).
    pub fn sigma(self, level: f64) -> f64 {
        match self {
            Self::LogSigma => level.exp(),
            Self::Sigma => level,
            Self::LogSnr => (-0.5 * level).exp(),
            Self::Flow => level / (1.0 - level),
            Self::OrnsteinUhlenbeck if level > 18.0 => level.exp(),
            Self::OrnsteinUhlenbeck => (2.0 * level).exp_m1().sqrt(),
        }
    }

    /// Whether a level lies in the clock's domain, the open interval of the table.
    pub fn contains(self, level: f64) -> bool {
        level.is_finite()
            && match self {
                Self::LogSigma | Self::LogSnr => true,
                Self::Sigma | Self::OrnsteinUhlenbeck => level > 0.0,
                Self::Flow => level > 0.0 && level < 1.0,
            }
    }

    /// |dℓ/du| at σ: what a density in ℓ = ln σ is multiplied with to become one in u.
    pub fn log_sigma_speed(self, sigma: f64) -> f64 {
        match self {
            Self::LogSigma => 1.0,
            Self::Sigma => 1.0 / sigma,
            Self::LogSnr => 0.5,
            Self::Flow => (1.0 + sigma) * (1.0 + 1.0 / sigma),
            Self::OrnsteinUhlenbeck => 1.0 + 1.0 / (sigma * sigma),
        }
    }

    /// The entropy rate Ḣ_u = (mmse/σ²)·|dℓ/du| (E2), in nats per unit of the clock.
    ///
    /// A rate of 0 stays 0 where the clock's speed overflows (σ < 1e-154).
    pub fn rate(self, sigma: f64, mmse: f64) -> f64 {
        if mmse == 0.0 {
            return 0.0;
        }
        match self {
            // mmse/σ² may underflow where the rate itself, ~ mmse/σ, does not
            Self::Flow => mmse / sigma * (1.0 + 1.0 / sigma) * (1.0 + 1.0 / sigma),
            _ => {
                let log_rate = mmse / sigma / sigma;
                if log_rate == 0.0 { 0.0 } else { log_rate * self.log_sigma_speed(sigma) }
            }
        }
    }

    /// [`rate`](Self::rate) with the evidence of the mmse; a proved bound stays one: the rate
    /// is linear in the mmse and takes at most eight roundings, 4·2⁻⁵² relative.
    pub fn rate_evidence(self, sigma: f64, mmse: Evidence) -> Evidence {
        let (value, error) = (self.rate(sigma, mmse.value()), self.rate(sigma, mmse.error()));
        match mmse {
            Evidence::Certified(_) => {
                let slack = 4.0 * f64::EPSILON;
                // gradual underflow adds a few times the smallest double
                let radius = error * (1.0 + 2.0 * slack) + slack * value.abs();
                let exact = mmse.value() == 0.0 && mmse.error() == 0.0;
                let floor = if exact { 0.0 } else { f64::MIN_POSITIVE };
                Certified::new(value, radius + floor).into()
            }
            Evidence::Estimated(_) => Estimated { value, estimate: error }.into(),
            Evidence::Sampled(s) => Sampled { mean: value, standard_error: error, ..s }.into(),
        }
    }
}

impl fmt::Display for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Clock {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|c| c.name() == s).ok_or_else(|| {
            let names: Vec<_> = Self::ALL.iter().map(|c| c.name()).collect();
            format!("unknown clock `{s}`: valid are {}", names.join(", "))
        })
    }
}
