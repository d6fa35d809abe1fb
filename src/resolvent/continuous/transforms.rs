//! Density and transforms for a continuous population.

use std::f64::consts::PI;

use num_complex::Complex64;
use rayon::prelude::*;

use super::root::Root;
use super::{ContinuousPopulation, check_tolerance};
use crate::resolvent::ResolventError;
use crate::resolvent::silverstein::{Checked, Reason};

/// Relative rounding of the final formulas, of a few operations.
const ROUNDING: f64 = 8.0 * f64::EPSILON;
/// Moduli of z that are accepted.
const MODULI: std::ops::RangeInclusive<f64> = 1e-100..=1e100;

impl ContinuousPopulation {
    /// The density f(x) = Im u/(πc|u|²) of the continuous part of F at x (C8).
    ///
    /// The radius is at most `tolerance` · f(x) unless rounding or the finest rule (4096 nodes)
    /// does not allow it: then the best proved radius is returned. Outside the support the
    /// value 0 is exact. Cost: O(nodes) per value once the discrete law of the rule is known.
    ///
    /// # Errors
    /// For NaN and unless 0 < `tolerance` ≤ 1.
    pub fn density(&self, x: f64, tolerance: f64) -> Result<Checked<f64>, ResolventError> {
        check_tolerance(tolerance)?;
        if x.is_nan() {
            return Err(ResolventError::NotANumber { name: "x" });
        }
        let zero = Checked::Certified { value: 0.0, radius: 0.0 };
        if x < 0.0 || x > self.reach() {
            return Ok(zero);
        }
        if x == 0.0 {
            if self.share == 1.0 {
                return Ok(Checked::Uncertified { value: f64::INFINITY, reason: Reason::Edge });
            }
            // an end of the support where the population reaches to 0 and c < 1
            let edge = self.law.support().0 == 0.0 && self.share < 1.0;
            let uncertified = Checked::Uncertified { value: 0.0, reason: Reason::Edge };
            return Ok(if edge { uncertified } else { zero });
        }
        if x < 1e-100 {
            return Ok(Checked::Uncertified { value: 0.0, reason: Reason::Range });
        }
        let factor = 1.0 / (PI * self.ratio);
        let density = |root: &Root| {
            let value = root.u.im / root.u.norm() / root.u.norm() * factor;
            (value, factor * companion_error(root) + ROUNDING * value)
        };
        let done = |root: &Root| {
            let (value, radius) = density(root);
            root.u.im == 0.0 || radius <= tolerance * value
        };
        Ok(match self.root(Complex64::new(x, 0.0), done)? {
            Ok(root) if root.u.im == 0.0 => zero,
            Ok(root) => {
                let (value, radius) = density(&root);
                Checked::Certified { value, radius }
            }
            Err((u, reason)) => {
                let value = u.im / u.norm() / u.norm() * factor;
                Checked::Uncertified { value: if value > 0.0 { value } else { 0.0 }, reason }
            }
        })
    }

    /// [`density`](Self::density) at many points, in parallel.
    ///
    /// # Errors
    /// As for one point.
    pub fn densities(
        &self,
        x: &[f64],
        tolerance: f64,
    ) -> Result<Vec<Checked<f64>>, ResolventError> {
        x.par_iter().map(|&x| self.density(x, tolerance)).collect()
    }

    /// The companion Stieltjes transform v(z) = −1/u(z) (C2); on the real axis the limit from
    /// above.
    ///
    /// The radius is at most `tolerance` · |v| unless rounding or the finest rule does not
    /// allow it. 16–64 nodes do away from the support.
    ///
    /// # Errors
    /// For NaN, unless 10⁻¹⁰⁰ ≤ |z| ≤ 10¹⁰⁰, and unless 0 < `tolerance` ≤ 1.
    pub fn companion(
        &self,
        z: Complex64,
        tolerance: f64,
    ) -> Result<Checked<Complex64>, ResolventError> {
        self.transform(z, tolerance, "companion", |root, _| {
            let value = -1.0 / root.u;
            (value, companion_error(root) + ROUNDING * value.norm())
        })
    }

    /// The Stieltjes transform m(z) = ∫dF(x)/(x−z) = (u/z)∫dH(τ)/(τ−u) (C8); on the real axis
    /// the limit from above.
    ///
    /// The radius is at most `tolerance` · |m| unless rounding or the finest rule does not
    /// allow it.
    ///
    /// ```
    /// use rootrate::resolvent::ContinuousPopulation;
    /// use rootrate::spectrum::ContinuousLaw;
    /// let law = ContinuousPopulation::new(ContinuousLaw::semicircle(0.0, 2.0)?, 0.5)?;
    /// let m = law.stieltjes((-1.0).into(), 1e-12)?;
    /// assert!(m.is_certified() && m.radius() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// For NaN, unless 10⁻¹⁰⁰ ≤ |z| ≤ 10¹⁰⁰, and unless 0 < `tolerance` ≤ 1.
    pub fn stieltjes(
        &self,
        z: Complex64,
        tolerance: f64,
    ) -> Result<Checked<Complex64>, ResolventError> {
        let zero = self.law.atom_at_zero();
        self.transform(z, tolerance, "stieltjes", |root, z| {
            let (m, r, d) = (root.at.resolvent, root.radius, root.at.distance);
            let value = (root.u * m * self.mass - zero) / z;
            let moved = root.at.resolvent_error + r / (d * (d - r));
            let error = self.mass * ((root.u.norm() + r) * moved + r * m.norm());
            let size = self.mass * (root.u * m).norm() + zero;
            (value, 1.01 * (error + ROUNDING * size) / z.norm())
        })
    }

    fn transform(
        &self,
        z: Complex64,
        tolerance: f64,
        function: &'static str,
        evaluate: impl Fn(&Root, Complex64) -> (Complex64, f64),
    ) -> Result<Checked<Complex64>, ResolventError> {
        check_tolerance(tolerance)?;
        if z.is_nan() {
            return Err(ResolventError::NotANumber { name: "z" });
        }
        if !MODULI.contains(&z.norm()) {
            let valid = "of a modulus in [1e-100, 1e100]";
            return Err(ResolventError::Domain { function, value: z.norm(), valid });
        }
        let upper = Complex64::new(z.re, z.im.abs());
        let done = |root: &Root| {
            let (value, radius) = evaluate(root, upper);
            radius <= tolerance * value.norm()
        };
        let found = match self.root(upper, done)? {
            Ok(root) => {
                let (value, radius) = evaluate(&root, upper);
                Checked::Certified { value, radius }
            }
            Err((u, reason)) => {
                let v = -1.0 / u;
                let value = if function == "companion" {
                    v
                } else {
                    (v + (1.0 - self.ratio) / upper) / self.ratio
                };
                Checked::Uncertified { value, reason }
            }
        };
        Ok(if z.im < 0.0 { found.conj() } else { found })
    }

    /// b(1+√c)², with room: above the support (C9).
    fn reach(&self) -> f64 {
        let root = 1.0 + self.share.sqrt();
        self.law.support().1 * root * root * (1.0 + 1e-12)
    }
}

/// |1/u − 1/ũ| for |u − ũ| ≤ radius.
fn companion_error(root: &Root) -> f64 {
    let modulus = root.u.norm() * (1.0 - f64::EPSILON);
    if root.radius < modulus {
        1.01 * root.radius / (modulus * (modulus - root.radius))
    } else {
        f64::INFINITY
    }
}
