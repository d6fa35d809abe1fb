//! The density of the continuous part and its proved rounding bound.

use std::f64::consts::PI;

use super::{MarchenkoPastur, number};
use crate::evidence::Certified;
use crate::resolvent::ResolventError;

/// Relative rounding of the density away from the edges: 10u, with room (MP15).
const ROUNDING: f64 = 6.0 * f64::EPSILON;

impl MarchenkoPastur {
    /// The density √((x−a)(b−x))/(2πcs²x) of the continuous part (MP5), 0 outside [a, b].
    ///
    /// Relative error ≤ 12u + 2⁻¹⁰⁰e/|x−e| = 1.4e-15 up to 1 ulp from an edge e;
    /// [`density_certified`](Self::density_certified) has the bound for every x.
    /// At the hard edge x = 0 of c = 1 the density is +∞.
    ///
    /// # Errors
    /// For NaN.
    pub fn density(&self, x: f64) -> Result<f64, ResolventError> {
        let (from_lower, from_upper) = self.distances(number("x", x)?);
        if from_lower < 0.0 || from_upper < 0.0 {
            return Ok(0.0);
        }
        Ok(self.density_from(x, from_lower.sqrt(), from_upper.sqrt()))
    }

    /// The density with a proved bound of its absolute error, rounding and the rounding of the
    /// edges included (MP15). The bound also holds at x within an ulp of an edge; at the hard
    /// edge x = 0 of c = 1 value +∞ and radius 0 are exact.
    ///
    /// ```
    /// use rootrate::resolvent::MarchenkoPastur;
    /// let law = MarchenkoPastur::new(0.5, 1.0)?;
    /// let f = law.density_certified(1.0)?;
    /// assert!(f.contains(7.0_f64.sqrt() / (2.0 * std::f64::consts::PI)));
    /// assert!(f.relative_radius() < 2e-15);
    /// # Ok::<(), rootrate::resolvent::ResolventError>(())
    /// ```
    ///
    /// # Errors
    /// For NaN.
    pub fn density_certified(&self, x: f64) -> Result<Certified, ResolventError> {
        let value = self.density(x)?;
        let (from_lower, from_upper) = self.distances(x);
        let (lower_error, upper_error) = self.edge_errors();
        if value.is_infinite() || from_lower < -lower_error || from_upper < -upper_error {
            return Ok(Certified::new(value, 0.0));
        }
        // |√Δ − √Δ̃| ≤ min(√η, η/√Δ̃) for |Δ − Δ̃| ≤ η
        let root = |distance: f64, error: f64| {
            let root = distance.max(0.0).sqrt();
            (root, error.sqrt().min(if root > 0.0 { error / root } else { f64::INFINITY }))
        };
        let (root_lower, d_lower) = root(from_lower, 1.001 * lower_error);
        let (root_upper, d_upper) = root(from_upper, 1.001 * upper_error);
        let edges = self.density_from(x, root_lower, d_upper)
            + self.density_from(x, d_lower, root_upper)
            + self.density_from(x, d_lower, d_upper);
        Ok(Certified::new(value, value * ROUNDING + 1.01 * edges))
    }

    /// The density from √(x−a) and √(b−x); it is linear in both.
    fn density_from(&self, x: f64, root_lower: f64, root_upper: f64) -> f64 {
        let product = root_lower * root_upper;
        if product == 0.0 && !(x == 0.0 && self.lower.hi == 0.0) {
            return 0.0;
        }
        if x == 0.0 {
            return f64::INFINITY;
        }
        product / x / (2.0 * PI * (self.ratio * self.scale))
    }
}
