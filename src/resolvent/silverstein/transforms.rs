//! Density and transforms from the root u(z).

use std::f64::consts::PI;

use num_complex::Complex64;

use super::{Checked, SilversteinLaw};
use crate::resolvent::ResolventError;

impl SilversteinLaw {
    /// The density f(x) = Im u/(πc|u|²) of the continuous part (INTERIM).
    ///
    /// # Errors
    /// For NaN.
    pub fn density(&self, x: f64) -> Result<Checked<f64>, ResolventError> {
        let located = self.locate(&[Complex64::new(x, 0.0)])[0];
        let u = located.u();
        let value = u.im / (PI * self.ratio() * u.norm_sqr());
        Ok(match located.radius {
            Ok(r) => Checked::Certified { value, radius: value * 4.0 * r / u.im.max(r) },
            Err(reason) => Checked::Uncertified { value, reason },
        })
    }
}
