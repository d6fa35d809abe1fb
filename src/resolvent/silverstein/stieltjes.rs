//! The Stieltjes transform and its derivative, from the root u(z).

use num_complex::Complex64;

use super::ball::Ball;
use super::certificate::{ROOM, U, UNDERFLOW};
use super::sums::{Sums, Table, Weights};
use super::transforms::{number, real_part};
use super::{Checked, Located, SilversteinLaw};
use crate::resolvent::ResolventError;

impl SilversteinLaw {
    /// The Stieltjes transform m(z) = ∫dF(x)/(x−z), the limit of (1/p) tr(Ŝ − z)⁻¹, with a
    /// proved radius (K8): m = −H{0}/z + (u/z) Σh/(τ−u) (V7).
    ///
    /// Off the real axis m(z̄) is the conjugate of m(z). On the real axis (Im z = ±0) it is the
    /// limit from above: real outside the support, and inside Im m = π·f(x). 0 at infinity.
    /// Cost O(atoms).
    ///
    /// ```
    /// use rootrate::resolvent::SilversteinLaw;
    /// use rootrate::spectrum::Spectrum;
    /// // (1/p) tr(Ŝ + 1)⁻¹ in the limit, for c = ¼ and Σ = I
    /// let law = SilversteinLaw::new(&Spectrum::identity(), 0.25)?;
    /// let ridge = law.stieltjes_real(-1.0)?.certified()?;
    /// assert!(ridge.contains(0.531_128_874_149_274_8) && ridge.radius < 1e-13);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// For NaN, and at the pole z = 0 when F has an atom there or c(1−H{0}) = 1.
    pub fn stieltjes(&self, z: Complex64) -> Result<Checked<Complex64>, ResolventError> {
        Ok(self.stieltjes_all(&[z])?[0])
    }

    /// [`stieltjes`](Self::stieltjes) at every z, to the same bits.
    ///
    /// # Errors
    /// As [`stieltjes`](Self::stieltjes), for the first such z.
    pub fn stieltjes_all(
        &self,
        z: &[Complex64],
    ) -> Result<Vec<Checked<Complex64>>, ResolventError> {
        self.no_atom(z, "stieltjes")?;
        Ok(self.at_roots(z, |z, located| {
            let sum = self.first(located);
            let c = Ball::real(self.ratio());
            match self.over(z, located) {
                // −H{0}/z only where it is not 0: z may be
                ratio if self.population.zero == 0.0 => -(ratio * sum / c),
                ratio => -(self.mass_at_zero(z) + ratio * sum / c),
            }
        }))
    }

    /// m'(z) = ∫dF(x)/(x−z)² = H{0}/z² + (u/z)/x'(u)·[Σh/(τ−u)² + c(u/z)Σh/(τ−u)·Σhτ/(τ−u)²],
    /// with a proved radius (K8); conventions of [`stieltjes`](Self::stieltjes). Infinite at the
    /// edges.
    ///
    /// # Errors
    /// As [`stieltjes`](Self::stieltjes).
    pub fn stieltjes_derivative(&self, z: Complex64) -> Result<Checked<Complex64>, ResolventError> {
        Ok(self.stieltjes_derivatives(&[z])?[0])
    }

    /// [`stieltjes_derivative`](Self::stieltjes_derivative) at every z, to the same bits.
    ///
    /// # Errors
    /// As [`stieltjes`](Self::stieltjes), for the first such z.
    pub fn stieltjes_derivatives(
        &self,
        z: &[Complex64],
    ) -> Result<Vec<Checked<Complex64>>, ResolventError> {
        self.no_atom(z, "stieltjes_derivative")?;
        Ok(self.at_roots(z, |z, located| {
            let share = self.kernel(located, Weights::Share);
            let plain = self.kernel(located, Weights::Plain);
            let ratio = self.over(z, located);
            let mixed = -(ratio * share.first(located) * share.second(located));
            let bracket = plain.second(located) + mixed;
            let regular = ratio / located.slope * bracket / Ball::real(self.ratio());
            if self.population.zero == 0.0 {
                return regular;
            }
            let point = Ball::new(z, 0.0);
            self.mass_at_zero(z) / point + regular
        }))
    }

    /// m(x) at a real x outside the support, e.g. (1/p) tr(Ŝ + σ²)⁻¹ = m(−σ²); inside, the
    /// principal value Re m(x+i0).
    ///
    /// # Errors
    /// As [`stieltjes`](Self::stieltjes).
    pub fn stieltjes_real(&self, x: f64) -> Result<Checked<f64>, ResolventError> {
        Ok(real_part(self.stieltjes(Complex64::new(x, 0.0))?))
    }

    /// Rejects NaN and the pole at 0 of m.
    fn no_atom(&self, z: &[Complex64], function: &'static str) -> Result<(), ResolventError> {
        let regular =
            self.population.zero == 0.0 && self.weight_at_origin() > self.bases[0].slope_error;
        for &z in z {
            number(z)?;
            if z.norm() == 0.0 && !regular {
                let valid = "other than 0, the place of an atom or of an infinite density";
                return Err(ResolventError::Domain { function, value: 0.0, valid });
            }
        }
        Ok(())
    }

    /// H{0}/z.
    fn mass_at_zero(&self, z: Complex64) -> Ball {
        Ball::rounded(self.population.zero, 4.0) / Ball::new(z, 0.0)
    }

    /// u/z, which is 1/x'(0) at z = 0.
    fn over(&self, z: Complex64, located: &Located) -> Ball {
        if z.norm() == 0.0 {
            let slope = Complex64::new(self.bases[0].slope, 0.0);
            return Ball::new(slope, self.bases[0].slope_error).inverse();
        }
        located.ball() / Ball::new(z, 0.0)
    }

    fn first(&self, located: &Located) -> Ball {
        self.kernel(located, Weights::Share).first(located)
    }

    fn kernel(&self, located: &Located, weights: Weights) -> Terms {
        let table = Table::new(&self.population, &located.base, weights);
        let sums = table.sums(&[located.w])[0];
        let scale = 1.0 + located.w.norm() + table.reach + 1.0 / sums.nearest.sqrt();
        Terms { sums, underflow: table.len() as f64 * UNDERFLOW * scale * scale * scale }
    }
}

/// Sums over atoms at a proved root, and what their errors need.
struct Terms {
    sums: Sums,
    underflow: f64,
}

impl Terms {
    /// Σ c·h/(u−τ) (K8).
    fn first(&self, located: &Located) -> Ball {
        let Sums { first, real_size, squares, .. } = self.sums;
        let (radius, nearest, length) = self.distances(located);
        let first_size = real_size + located.w.im * squares;
        let second_size = first_size + length * squares;
        let moved = radius * squares * nearest / (nearest - radius);
        let rounding = U * (44.0 * first_size + 3.0 * second_size);
        self.ball(first, radius < nearest, moved + rounding)
    }

    /// Σ q/(u−τ)², q > 0 (K8).
    fn second(&self, located: &Located) -> Ball {
        let Sums { second, third, .. } = self.sums;
        let (radius, nearest, length) = self.distances(located);
        let inside = 1.0 - radius / nearest;
        let moved = 2.0 * radius * third / (nearest * inside * inside * inside);
        let rounding = U * third * (78.0 + 5.0 * (length / nearest));
        self.ball(second, radius < nearest, moved + rounding)
    }

    /// The radius of the root, the distance to the nearest pole, |w|.
    fn distances(&self, located: &Located) -> (f64, f64, f64) {
        let radius = located.radius.unwrap_or(f64::INFINITY);
        (radius, 0.99 * self.sums.nearest.sqrt(), located.w.norm())
    }

    fn ball(&self, value: Complex64, valid: bool, error: f64) -> Ball {
        Ball::new(value, if valid { ROOM * error + self.underflow } else { f64::INFINITY })
    }
}
