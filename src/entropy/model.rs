//! What a data model must provide: its mmse and its information at every noise level.

use std::fmt::Debug;

use super::EntropyError;
use crate::evidence::Evidence;

/// Whether a model's mmse, information and rate are totals or per coordinate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Summed over all d coordinates of a finite-dimensional model.
    Total {
        /// The dimension d.
        dimension: usize,
    },
    /// Per coordinate, in a limit d → ∞.
    PerCoordinate,
}

/// What happens as σ → 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LowNoise {
    /// Discrete data: the rate vanishes, and the total information is the entropy of the
    /// data (nats, in the model's [`Unit`]). No cut-off is needed.
    Discrete {
        /// H(x0).
        entropy: f64,
    },
    /// Continuous data: Ḣ_ℓ → m > 0, the (information) dimension of the data, and the
    /// information diverges like −m ln σ. A cut-off σ_min is needed.
    Continuous {
        /// m, in the model's [`Unit`].
        dimension: f64,
    },
}

/// A distribution of the data x0, observed as x_σ = x0 + σ ε with ε ~ N(0, I_d).
///
/// The entropy rate follows from the mmse alone by I-MMSE (E1), in whichever
/// [`Clock`](super::Clock): `clock.rate(sigma, mmse)`.
pub trait DataModel: Debug + Sync {
    /// A short name for tables and legends, parameters included.
    fn name(&self) -> String;

    /// Totals or per coordinate.
    fn unit(&self) -> Unit;

    /// Behaviour as σ → 0: decides whether a range must start at a positive cut-off.
    fn low_noise(&self) -> LowNoise;

    /// mmse(σ) = E‖x0 − E[x0|x_σ]‖², in data².
    ///
    /// # Errors
    /// [`EntropyError::NoiseLevel`] unless σ is finite and positive.
    fn mmse(&self, sigma: f64) -> Result<Evidence, EntropyError>;

    /// I(x0; x_σ), in nats.
    ///
    /// # Errors
    /// [`EntropyError::NoiseLevel`] unless σ is finite and positive.
    fn information(&self, sigma: f64) -> Result<Evidence, EntropyError>;

    /// Noise levels at which the mmse is not smooth (phase transitions): integrals over σ are
    /// split there.
    fn kinks(&self) -> Vec<f64> {
        Vec::new()
    }
}

/// Rejects noise levels that are not finite and positive.
pub(crate) fn check_sigma(sigma: f64) -> Result<(), EntropyError> {
    if sigma.is_finite() && sigma > 0.0 { Ok(()) } else { Err(EntropyError::NoiseLevel { sigma }) }
}
