//! Moments and free cumulants.

use super::MarchenkoPastur;
use crate::resolvent::ResolventError;

/// Largest order of a moment.
const MAX_ORDER: u32 = 10_000;

impl MarchenkoPastur {
    /// ∫xᵏdF = s²ᵏ Σ_{i=0}^{k−1} C(k,i)C(k−1,i)/(i+1)·cⁱ, the Narayana sum (MP9), atom
    /// included (it counts for k = 0 only).
    ///
    /// All terms are positive: relative error ≤ 4k ulp. Cost O(k).
    ///
    /// # Errors
    /// If the moment overflows, or for k > 10⁴.
    pub fn moment(&self, k: u32) -> Result<f64, ResolventError> {
        /// The sum is kept within 2^±600 of 1 by exact rescaling.
        const SHIFT: i32 = 600;
        if k > MAX_ORDER {
            return Err(ResolventError::Domain {
                function: "moment",
                value: f64::from(k),
                valid: "an order of at most 10000",
            });
        }
        let up = 2.0_f64.powi(SHIFT);
        let (order, mut term, mut sum, mut shifts) = (f64::from(k), 1.0, 1.0, 0_i32);
        for i in (1..k).map(f64::from) {
            term *= self.ratio * ((order - i + 1.0) * (order - i) / (i * (i + 1.0)));
            sum += term;
            if sum > up {
                (term, sum, shifts) = (term / up, sum / up, shifts + 1);
            }
        }
        for _ in 0..k {
            sum *= self.scale;
            if sum > up {
                (sum, shifts) = (sum / up, shifts + 1);
            } else if sum < 1.0 / up {
                (sum, shifts) = (sum * up, shifts - 1);
            }
        }
        // two more factors 2^±600 decide between a double, overflow and underflow to 0
        let moment = (0..shifts.abs().min(4))
            .fold(sum, |value, _| if shifts > 0 { value * up } else { value / up });
        if moment.is_finite() {
            Ok(moment)
        } else {
            Err(ResolventError::Overflow { what: "moment", order: k })
        }
    }

    /// ∫x⁻¹dF = 1/(s²(1−c)) for c < 1, the limit of (1/p) tr Ŝ⁻¹ (MP10); +∞ for c ≥ 1, where
    /// Ŝ is singular in the limit.
    pub fn inverse_moment(&self) -> f64 {
        if self.ratio < 1.0 { 1.0 / (self.scale * (1.0 - self.ratio)) } else { f64::INFINITY }
    }

    /// The free cumulant κ_k = c^{k−1}s^{2k}, k ≥ 1 (MP9): F is the free Poisson law of rate
    /// 1/c and jump size cs².
    ///
    /// Relative error ≤ k ulp.
    ///
    /// # Errors
    /// For k = 0, and if the cumulant overflows.
    pub fn free_cumulant(&self, k: u32) -> Result<f64, ResolventError> {
        if k == 0 {
            return Err(ResolventError::Domain {
                function: "free_cumulant",
                value: 0.0,
                valid: "an order k ≥ 1",
            });
        }
        let cumulant = (self.ratio * self.scale).powf(f64::from(k - 1)) * self.scale;
        if cumulant.is_finite() {
            Ok(cumulant)
        } else {
            Err(ResolventError::Overflow { what: "free cumulant", order: k })
        }
    }
}
