//! The density and the companion transform, from the root u(z).

use std::f64::consts::PI;

use num_complex::Complex64;

use super::ball::Ball;
use super::certificate::U;
use super::{Checked, Located, Reason, SilversteinLaw};
use crate::numeric::complex::reciprocal;
use crate::resolvent::ResolventError;

impl SilversteinLaw {
    /// The density f(x) = Im u/(πc|u|²), u = u(x+i0), of the continuous part of the law, with a
    /// proved radius (K9).
    ///
    /// Outside the support value 0 and radius 0 are exact. Inside, the radius is about 1e-14
    /// relative, up to a few 1e-30 of the scale from an edge. Cost O(atoms).
    ///
    /// ```
    /// use rootrate::resolvent::SilversteinLaw;
    /// use rootrate::spectrum::Spectrum;
    /// // the Marchenko–Pastur law of c = ½ has f(1) = √7/2π
    /// let law = SilversteinLaw::new(&Spectrum::identity(), 0.5)?;
    /// let f = law.density(1.0)?.certified()?;
    /// assert!(f.contains(7.0_f64.sqrt() / (2.0 * std::f64::consts::PI)));
    /// assert!(f.relative_radius() < 1e-12);
    /// assert_eq!(law.density(7.0)?.value(), 0.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// For NaN, and at x = 0 when the density is infinite there (c(1−H{0}) = 1).
    pub fn density(&self, x: f64) -> Result<Checked<f64>, ResolventError> {
        Ok(self.densities(&[x])?[0])
    }

    /// [`density`](Self::density) at every x, to the same bits.
    ///
    /// # Errors
    /// As [`density`](Self::density), for the first such x.
    pub fn densities(&self, x: &[f64]) -> Result<Vec<Checked<f64>>, ResolventError> {
        let top = self.population.atoms[self.population.atoms.len() - 1];
        let root = 1.0 + self.ratio().sqrt();
        let beyond = 1.01 * top * root * root;
        let mut results = vec![Checked::Certified { value: 0.0, radius: 0.0 }; x.len()];
        let (mut indices, mut points) = (vec![], vec![]);
        for (i, &x) in x.iter().enumerate() {
            if x.is_nan() {
                return Err(ResolventError::NotANumber { name: "x" });
            }
            if x == 0.0 && self.weight_at_origin().abs() <= self.bases[0].slope_error {
                return Err(ResolventError::Domain {
                    function: "density",
                    value: x,
                    valid: "other than 0, where the density of c(1−H{0}) = 1 is infinite",
                });
            }
            // outside by (K10), without a certificate
            if x > 0.0 && x <= beyond {
                indices.push(i);
                points.push(Complex64::new(x, 0.0));
            }
        }
        for (i, located) in indices.into_iter().zip(self.locate(&points)) {
            results[i] = self.density_at(&located);
        }
        Ok(results)
    }

    /// (K9).
    pub(super) fn density_at(&self, located: &Located) -> Checked<f64> {
        let (u, w) = (located.ball(), located.w);
        let size = u.value.norm();
        let value = if w.im == 0.0 { 0.0 } else { w.im / size / size / (PI * self.ratio()) };
        match located.radius {
            Err(reason) => Checked::Uncertified { value, reason },
            Ok(_) if w.im == 0.0 => Checked::Certified { value, radius: 0.0 },
            Ok(radius) => {
                let (height, distance) = (radius / w.im, u.radius / size * (1.0 + 16.0 * U));
                let least = 1.0 - distance;
                let relative = (height + 2.0 * distance) / (least * least);
                let radius = value * 1.001 * (relative + 32.0 * U);
                if least > 0.0 && radius.is_finite() {
                    Checked::Certified { value, radius }
                } else {
                    Checked::Uncertified { value, reason: Reason::Range }
                }
            }
        }
    }

    /// The companion transform v(z) = −1/u(z), the limit of (1/n) tr(XXᵀ/n − z)⁻¹ and the
    /// solution of z = −1/v + c∫τ/(1+τv) dH (V1), with a proved radius (K8).
    ///
    /// Off the real axis v(z̄) is the conjugate of v(z). On the real axis (Im z = ±0) it is the
    /// limit from above: real outside the support, and inside Im v = πc·f(x). 0 at infinity.
    /// Cost O(atoms).
    ///
    /// ```
    /// use num_complex::Complex64;
    /// use rootrate::resolvent::SilversteinLaw;
    /// use rootrate::spectrum::Spectrum;
    /// let h = Spectrum::from_atoms(&[1.0, 10.0], &[0.5, 0.5])?;
    /// let law = SilversteinLaw::new(&h, 0.3)?;
    /// let z = Complex64::new(2.0, 0.5);
    /// let v = law.companion(z)?.value();
    /// let fixed_point = -1.0 / v + 0.15 / (1.0 + v) + 1.5 / (1.0 + 10.0 * v);
    /// assert!((fixed_point - z).norm() < 1e-13);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// For NaN, and at the pole z = 0 of c(1−H{0}) ≤ 1.
    pub fn companion(&self, z: Complex64) -> Result<Checked<Complex64>, ResolventError> {
        Ok(self.companions(&[z])?[0])
    }

    /// [`companion`](Self::companion) at every z, to the same bits.
    ///
    /// # Errors
    /// As [`companion`](Self::companion), for the first such z.
    pub fn companions(&self, z: &[Complex64]) -> Result<Vec<Checked<Complex64>>, ResolventError> {
        self.regular(z, "companion")?;
        Ok(self.at_roots(z, |_, located| -located.ball().inverse()))
    }

    /// The values of [`companions`](Self::companions) without their proofs, at half the cost:
    /// starts for a method that proves by itself, or values for
    /// [`certify_all`](Self::certify_all).
    ///
    /// # Errors
    /// As [`companion`](Self::companion), for the first such z.
    pub fn companions_unproved(&self, z: &[Complex64]) -> Result<Vec<Complex64>, ResolventError> {
        self.regular(z, "companion")?;
        let upper: Vec<_> = z.iter().map(|z| Complex64::new(z.re, z.im.abs())).collect();
        let candidates = self.candidates(&upper);
        let values = candidates.iter().zip(z).map(|(c, z)| {
            let s = self.bases[c.base].s;
            let v = -reciprocal(Complex64::new((c.w.re + s.hi) + s.lo, c.w.im));
            if z.im < 0.0 { v.conj() } else { v }
        });
        Ok(values.collect())
    }

    /// v'(z) = 1/(u² x'(u)), with a proved radius (K8); conventions of
    /// [`companion`](Self::companion). Infinite at the edges.
    ///
    /// # Errors
    /// As [`companion`](Self::companion).
    pub fn companion_derivative(&self, z: Complex64) -> Result<Checked<Complex64>, ResolventError> {
        Ok(self.companion_derivatives(&[z])?[0])
    }

    /// [`companion_derivative`](Self::companion_derivative) at every z, to the same bits.
    ///
    /// # Errors
    /// As [`companion`](Self::companion), for the first such z.
    pub fn companion_derivatives(
        &self,
        z: &[Complex64],
    ) -> Result<Vec<Checked<Complex64>>, ResolventError> {
        self.regular(z, "companion_derivative")?;
        Ok(self.at_roots(z, |_, located| {
            let v = located.ball().inverse();
            v * v / located.slope
        }))
    }

    /// v(x) at a real x outside the support; inside, its principal value Re v(x+i0).
    ///
    /// # Errors
    /// As [`companion`](Self::companion).
    pub fn companion_real(&self, x: f64) -> Result<Checked<f64>, ResolventError> {
        Ok(real_part(self.companion(Complex64::new(x, 0.0))?))
    }

    /// 1 − c(1 − H{0}): its sign says which of v and m is infinite at 0.
    pub(super) fn weight_at_origin(&self) -> f64 {
        self.bases[0].slope
    }

    /// Rejects NaN and the pole at 0 of the companion transform.
    fn regular(&self, z: &[Complex64], function: &'static str) -> Result<(), ResolventError> {
        for &z in z {
            number(z)?;
            if z.norm() == 0.0 && self.weight_at_origin() >= -self.bases[0].slope_error {
                let valid = "other than the pole 0 of c(1−H{0}) ≤ 1";
                return Err(ResolventError::Domain { function, value: 0.0, valid });
            }
        }
        Ok(())
    }

    /// `transform` of the proved roots of z or, in the lower half plane, its conjugate; 0 at
    /// infinity.
    pub(super) fn at_roots(
        &self,
        z: &[Complex64],
        transform: impl Fn(Complex64, &Located) -> Ball,
    ) -> Vec<Checked<Complex64>> {
        let (mut indices, mut points) = (vec![], vec![]);
        for (i, z) in z.iter().enumerate() {
            if z.re.is_finite() && z.im.is_finite() {
                indices.push(i);
                points.push(Complex64::new(z.re, z.im.abs()));
            }
        }
        let nought = Complex64::new(0.0, 0.0);
        let mut results = vec![Checked::Certified { value: nought, radius: 0.0 }; z.len()];
        for ((&i, &above), located) in indices.iter().zip(&points).zip(self.locate(&points)) {
            let ball = transform(above, &located);
            let checked = match located.radius {
                Ok(_) => ball.checked(),
                Err(reason) => Checked::Uncertified { value: ball.checked().value(), reason },
            };
            results[i] = if z[i].im < 0.0 { checked.conj() } else { checked };
        }
        results
    }
}

/// Rejects NaN.
pub(super) fn number(z: Complex64) -> Result<(), ResolventError> {
    if z.re.is_nan() || z.im.is_nan() {
        return Err(ResolventError::NotANumber { name: "z" });
    }
    Ok(())
}

/// The real part, with the radius of the whole.
pub(super) fn real_part(z: Checked<Complex64>) -> Checked<f64> {
    match z {
        Checked::Certified { value, radius } => Checked::Certified { value: value.re, radius },
        Checked::Uncertified { value, reason } => Checked::Uncertified { value: value.re, reason },
    }
}
