//! Values whose error bound was proved, or not, with the reason.

use num_complex::Complex64;
use serde::Serialize;
use thiserror::Error;

use crate::evidence::Certified;

/// Why a computed value could not be proved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Error)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// The disc around the candidate in which a root is proved leaves the upper half plane, or
    /// meets a pole: the candidate is not near the solution.
    #[error("no root of the companion equation is proved within reach of the candidate")]
    NoRoot,
    /// The candidate is on the wrong branch: a conjugate, or a real root where x is decreasing.
    #[error("the candidate is on the wrong branch")]
    Branch,
    /// The point is so close to an edge that the error of the edge exceeds the distance.
    #[error("the point cannot be told from an edge of the support")]
    Edge,
    /// A continuous population is not resolved by the finest rule: the solution is too close to
    /// the population's interval.
    #[error("the finest quadrature rule does not resolve the population at this point")]
    Resolution,
    /// Over- or underflow on the way.
    #[error("the numbers leave the range of doubles")]
    Range,
}

/// A value with its proved radius, or without and the reason.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Checked<T> {
    /// |value − exact| ≤ radius is proved, rounding included.
    Certified {
        /// The computed value.
        value: T,
        /// Proved bound of the absolute error.
        radius: f64,
    },
    /// The computed value could not be proved.
    Uncertified {
        /// The computed value.
        value: T,
        /// What failed.
        reason: Reason,
    },
}

impl<T: Copy> Checked<T> {
    /// The value, proved or not.
    pub fn value(&self) -> T {
        match *self {
            Self::Certified { value, .. } | Self::Uncertified { value, .. } => value,
        }
    }

    /// The proved radius, ∞ where there is none.
    pub fn radius(&self) -> f64 {
        match *self {
            Self::Certified { radius, .. } => radius,
            Self::Uncertified { .. } => f64::INFINITY,
        }
    }

    /// Whether the radius is proved.
    pub fn is_certified(&self) -> bool {
        matches!(self, Self::Certified { .. })
    }

    /// The reason, where there is no proof.
    pub fn reason(&self) -> Option<Reason> {
        match *self {
            Self::Certified { .. } => None,
            Self::Uncertified { reason, .. } => Some(reason),
        }
    }
}

impl Checked<f64> {
    /// The value as [`Certified`], or the reason why not.
    ///
    /// # Errors
    /// The [`Reason`] of an uncertified value.
    pub fn certified(&self) -> Result<Certified, Reason> {
        match *self {
            Self::Certified { value, radius } => Ok(Certified::new(value, radius)),
            Self::Uncertified { reason, .. } => Err(reason),
        }
    }
}

impl From<Certified> for Checked<f64> {
    fn from(c: Certified) -> Self {
        Self::Certified { value: c.value, radius: c.radius }
    }
}

impl Checked<Complex64> {
    /// The complex conjugate.
    pub fn conj(&self) -> Self {
        match *self {
            Self::Certified { value, radius } => Self::Certified { value: value.conj(), radius },
            Self::Uncertified { value, reason } => {
                Self::Uncertified { value: value.conj(), reason }
            }
        }
    }
}
